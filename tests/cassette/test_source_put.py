"""Cassettes that are added to a shelf while it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.key import Ignored
from k3mock.cassette.library import Manner
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.source import Shelf

if TYPE_CHECKING:
    from pathlib import Path


def empty(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("interactions: []\nversion: 1\n")
    return path


def test_a_file_that_is_added_keeps_its_name_unless_another_has_it(tmp_path: Path) -> None:
    given = empty(tmp_path / "given" / "login.yaml")
    shelf = Shelf([str(given.parent)], Manner(ignored=Ignored.of((), ())))
    first, second = empty(tmp_path / "a" / "login.yaml"), empty(tmp_path / "b" / "login.yaml")
    assert shelf.put(given) == "login"
    assert [shelf.put(first), shelf.put(second), shelf.put(first)] == [
        "login-2", "login-3", "login-2",
    ]  # fmt: skip
    assert shelf.path("login") == given
    assert shelf.path("login-3") == second
    assert shelf.named("login-2").recorded == ()
    assert shelf.path("login-2") == first


def test_a_damaged_file_is_told_when_it_is_added(tmp_path: Path) -> None:
    shelf = Shelf([], Manner(ignored=Ignored.of((), ())))
    damaged = tmp_path / "a.yaml"
    damaged.write_text("interactions: null\nversion: 1\n")
    with pytest.raises(CassetteError, match=r"a\.yaml"):
        shelf.put(damaged)
