"""The shelf of a server: files, folders, names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.format import write
from k3mock.cassette.library import Manner, Played
from k3mock.cassette.lock import lock_exclusive
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.source import Shelf
from k3mock.state import Session
from tests.cassette.tapes import raw, recorded
from tests.support import request

if TYPE_CHECKING:
    from pathlib import Path


def made(path: Path, *contents: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, [recorded(request(text), number=n) for n, text in enumerate(contents, 1)])
    return path


def shelf(*paths: Path) -> Shelf:
    return Shelf([str(path) for path in paths], Manner())


def answers(found: object) -> bool:
    return isinstance(found, Played)


def test_files_are_read_at_once_and_served_together(tmp_path: Path) -> None:
    kept = shelf(made(tmp_path / "a.yaml", "one"), made(tmp_path / "b.json", "two"))
    assert kept.at_hand(None)
    session = Session("s")
    assert answers(kept.together().find(raw(request("one")), session))
    assert answers(kept.together().find(raw(request("two")), session))
    assert [item.label for item in kept.unused()] == []


def test_a_missing_or_damaged_file_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match="no such cassette"):
        shelf(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("interactions: []\n")
    with pytest.raises(CassetteError, match="version"):
        shelf(broken)


def test_a_folders_files_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    made(tmp_path / "login.yaml", "one")
    (tmp_path / "broken.yaml").write_text("no cassette")
    kept = shelf(tmp_path)
    assert not kept.at_hand(None)
    assert not kept.at_hand("login")
    assert answers(kept.named("login").find(raw(request("one")), Session("s")))
    assert kept.at_hand("login")
    with pytest.raises(CassetteError):
        kept.together()


def test_folders_are_searched_to_the_bottom_and_hidden_files_are_not_cassettes(
    tmp_path: Path,
) -> None:
    made(tmp_path / "test_login" / "test_ok.yaml", "one")
    made(tmp_path / "test_more" / "test_all.yml", "two")
    made(tmp_path / ".hidden.yaml", "three")
    (tmp_path / "notes.txt").write_text("no cassette")
    (tmp_path / "test_ok.yaml.lock").write_text("")
    kept = shelf(tmp_path)
    assert [path.name for path in kept.files()] == ["test_ok.yaml", "test_all.yml"]
    assert len(kept.together().recorded) == 2


def test_a_name_finds_one_file_with_or_without_its_ending(tmp_path: Path) -> None:
    kept = shelf(made(tmp_path / "login.yaml", "one"))
    assert kept.named("login").recorded == kept.named("login.yaml").recorded
    assert kept.named("login") is kept.named("login")


def test_a_file_that_appears_later_is_found(tmp_path: Path) -> None:
    kept = shelf(tmp_path)
    with pytest.raises(CassetteError, match="no cassette 'late'"):
        kept.named("late")
    made(tmp_path / "late.yaml", "one")
    assert len(kept.named("late").recorded) == 1


def test_a_file_that_was_recorded_anew_is_heard_from_its_beginning(tmp_path: Path) -> None:
    path = made(tmp_path / "login.yaml", "one")
    kept, session = shelf(tmp_path), Session("s")
    assert answers(kept.named("login").find(raw(request("one")), session))
    made(path, "one", "two")
    os.utime(path, ns=(1, 1))
    assert len(kept.named("login").recorded) == 2
    assert answers(kept.named("login").find(raw(request("one")), session))


def test_a_file_that_went_away_is_told(tmp_path: Path) -> None:
    path = made(tmp_path / "login.yaml", "one")
    kept = shelf(tmp_path)
    kept.named("login")
    path.unlink()
    with pytest.raises(CassetteError, match="no such cassette"):
        kept.named("login")


@pytest.mark.parametrize(
    "name", ["", "..", "../login", "a/b", "a\\b", ".hidden", "c:login", "a\nb", "a\0b"]
)
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    made(tmp_path / "inside" / "b.yaml", "one")
    made(tmp_path / "login.yaml", "one")
    with pytest.raises(CassetteError, match="no name of a cassette"):
        shelf(tmp_path / "inside").named(name)


def test_an_unknown_name_lists_the_nearest_and_the_known(tmp_path: Path) -> None:
    kept = shelf(made(tmp_path / "login.yaml", "one"), made(tmp_path / "logout.yaml", "two"))
    with pytest.raises(CassetteError, match="did you mean 'login'") as caught:
        kept.named("logn")
    assert "known: login, logout" in str(caught.value)
    with pytest.raises(CassetteError, match="none was given"):
        shelf().named("login")


def test_two_files_of_one_name_are_both_named(tmp_path: Path) -> None:
    made(tmp_path / "a" / "login.yaml", "one")
    made(tmp_path / "b" / "login.yaml", "two")
    with pytest.raises(CassetteError, match="2 cassettes are called 'login'") as caught:
        shelf(tmp_path).named("login")
    assert str(tmp_path / "b" / "login.yaml") in str(caught.value)


def test_a_file_that_is_given_twice_is_one(tmp_path: Path) -> None:
    path = made(tmp_path / "login.yaml", "one")
    kept = shelf(path, tmp_path)
    assert len(kept.together().recorded) == 1
    assert len(kept.named("login").recorded) == 1


def test_a_cassette_that_is_being_recorded_is_not_replayed(tmp_path: Path) -> None:
    path = made(tmp_path / "login.yaml", "one")
    with lock_exclusive(path), pytest.raises(CassetteError):
        shelf(path)
    assert len(shelf(path).together().recorded) == 1


def test_replaying_leaves_no_lock_file(tmp_path: Path) -> None:
    shelf(made(tmp_path / "login.yaml", "one"))
    assert [path.name for path in tmp_path.iterdir()] == ["login.yaml"]


def test_what_nobody_asked_for_is_known_over_all_libraries(tmp_path: Path) -> None:
    kept = shelf(made(tmp_path / "a.yaml", "one", "two"), made(tmp_path / "b.yaml", "three"))
    kept.together().find(raw(request("one")), Session("s"))
    kept.named("b").find(raw(request("three")), Session("t"))
    assert [item.label for item in kept.unused()] == ["a.yaml#2"]


def test_warnings_of_files_are_kept_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    made(path, "one")
    path.write_text(path.read_text().replace("version: 1", "extra: 1\nversion: 1"))
    assert any(warning.startswith("a.yaml: ") for warning in shelf(path).warnings)
