"""The check as a function, for tests and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.delivery.pacing import parse_pace
from k3mock.scenario.check import problems
from tests.scenario.loading import saved

if TYPE_CHECKING:
    from pathlib import Path


def test_a_good_file_has_no_problem(tmp_path: Path) -> None:
    assert problems([saved(tmp_path, "turns: [{reply: hi}]")]) == []
    assert problems(["hello"]) == []


def test_paces_are_judged_by_who_knows_them(tmp_path: Path) -> None:
    path = saved(tmp_path, "turns: [{reply: {pace: warp}}]")
    assert problems([path]) == []
    assert [each.what for each in problems([path], check_pace=parse_pace)] == [
        "unknown pace 'warp'"
    ]


def test_a_source_that_is_not_there_is_a_problem_beside_the_others(tmp_path: Path) -> None:
    path = saved(tmp_path, "turns: [{rply: hi}]")
    found = problems(["no/such.yaml", path, "helo"])
    assert [(each.where, each.what) for each in found[:2]] == [
        ("no/such.yaml", "no such file or folder"),
        ("", "no file, folder or shipped scenario 'helo'"),
    ]
    assert str(found[1]).startswith("error: no file, folder")
    assert "unknown key 'rply'" in {each.what for each in found}
