"""Where scenarios are found, and which files beside them may be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.scenario import files
from k3mock.scenario.files import FileError, read_text, scenario_files, shipped_file, shipped_names
from k3mock.scenario.problem import ScenarioError
from tests.scenario.loading import saved

if TYPE_CHECKING:
    from pathlib import Path


def test_files_folders_and_shipped_names_are_found_in_order(tmp_path: Path) -> None:
    single = saved(tmp_path, "", "z/single.yaml")
    first, second = saved(tmp_path, "", "many/b.yml"), saved(tmp_path, "", "many/deep/a.yaml")
    saved(tmp_path, "", "many/notes.txt")
    (tmp_path / "many" / "folder.yaml").mkdir()
    found = scenario_files([str(single), str(tmp_path / "many"), "hello", str(single)])
    assert found == (single, first, second, shipped_file("hello"))


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
def test_what_is_not_there_is_told(source: str, told: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_files([source])
    assert told in str(caught.value)


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="holds no scenario"):
        scenario_files([str(tmp_path)])


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
    monkeypatch.setattr(files, "MAX_TEXT_BYTES", 100)
    saved(home, "x" * 101, "long.txt")
    for name, told in {
        "../outside.txt": "outside the folder",
        str(outside): "outside the folder",
        "link.txt": "outside the folder",
        "none.txt": "No such file",
        "bytes.bin": "not UTF-8",
        "long.txt": "too large",
    }.items():
        with pytest.raises(FileError) as caught:
            read_text(name, home)
        assert told in str(caught.value)


def test_a_scenario_without_a_folder_reads_nothing() -> None:
    with pytest.raises(FileError, match="over HTTP cannot read files"):
        read_text("a.txt", None)
