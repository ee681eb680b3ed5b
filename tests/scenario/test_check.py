"""The check as a function, for tests and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.delivery.pacing import parse_pace
from k3mock.scenario.check import problems
from k3mock.scenario.problem import ScenarioError
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


def test_a_source_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        problems(["no/such.yaml"])
