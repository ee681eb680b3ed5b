"""Where scenarios are found, and which files beside them may be read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from k3mock.scenario import files
from k3mock.scenario.files import FileError, read_text, scenario_files, shipped_file, shipped_names
from tests.scenario.loading import saved

if TYPE_CHECKING:
    from pathlib import Path


def test_files_folders_and_shipped_names_are_found_in_order(tmp_path: Path) -> None:
    single = saved(tmp_path, "", "z/single.yaml")
    first, second = saved(tmp_path, "", "many/b.yml"), saved(tmp_path, "", "many/deep/a.yaml")
    saved(tmp_path, "", "many/notes.txt")
    (tmp_path / "many" / "folder.yaml").mkdir()
    found, wrong = scenario_files([str(single), str(tmp_path / "many"), "hello", str(single)])
    assert found == (single, first, second, shipped_file("hello"))
    assert wrong == ()


def test_the_shipped_ones_are_there() -> None:
    assert {"hello", "tool_round_trip", "rate_limited_then_ok"} <= set(shipped_names())
    assert shipped_file("nothing") is None


def test_an_installed_package_has_them_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = saved(tmp_path, "", "shipped/only.yaml")
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    assert shipped_names() == ("only",)
    assert shipped_file("only") == inside


@pytest.mark.parametrize(
    ("source", "told"),
    [
        pytest.param("helo", "did you mean 'hello'?", id="name"),
        pytest.param("no/such.yaml", "no/such.yaml: no such file or folder", id="path"),
        pytest.param("such.yml", "such.yml: no such file or folder", id="file"),
    ],
)
def test_what_is_not_there_is_told_beside_what_is(source: str, told: str) -> None:
    found, (wrong,) = scenario_files([source, "hello"])
    assert found == (shipped_file("hello"),)
    assert told in str(wrong)


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    found, (wrong,) = scenario_files([str(tmp_path)])
    assert found == ()
    assert "holds no scenario" in str(wrong)


def test_a_folder_that_may_not_be_entered_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, "", "a.yaml")
    closed = tmp_path / "closed"
    closed.mkdir()
    scan = os.scandir

    def refusing(path: str) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found, (wrong,) = scenario_files([str(tmp_path)])
    assert found == ()
    assert str(wrong) == f"{closed}: the path cannot be read: Permission denied"


def test_a_path_that_the_system_does_not_take_is_told() -> None:
    _, (wrong,) = scenario_files(["x" * 300 + ".yaml"])
    assert "the path cannot be read: File name too long" in str(wrong)


def test_texts_below_the_folder_can_be_read(tmp_path: Path) -> None:
    saved(tmp_path, "Grün", "a/b.txt")
    assert read_text("a/b.txt", tmp_path) == "Grün"
    assert read_text("a/../a/b.txt", tmp_path) == "Grün"


def test_others_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = saved(tmp_path, "secret", "outside.txt")
    home = tmp_path / "home"
    saved(home, "x", "own.txt")
    (home / "link.txt").symlink_to(outside)
    (home / "bytes.bin").write_bytes(b"\xff\xfe\xff")
    os.mkfifo(home / "pipe")
    monkeypatch.setattr(files, "MAX_TEXT_BYTES", 100)
    saved(home, "x" * 101, "long.txt")
    for name, told in {
        "../outside.txt": "outside the folder",
        str(outside): "outside the folder",
        "link.txt": "outside the folder",
        "none.txt": "No such file",
        "bytes.bin": "not UTF-8",
        "long.txt": "too large",
        "pipe": "not a regular file",
        "a\0b": "cannot be read: ",
        "x" * 300: "File name too long",
        ".": "not a regular file",
    }.items():
        with pytest.raises(FileError) as caught:
            read_text(name, home)
        assert told in str(caught.value)


def test_a_scenario_without_a_folder_reads_nothing() -> None:
    with pytest.raises(FileError, match="over HTTP cannot read files"):
        read_text("a.txt", None)
