"""Ranges: every way to write one."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.matching.ranges import read_range


@pytest.mark.parametrize(
    ("written", "members", "words"),
    [
        pytest.param(3, [3], "3", id="number"),
        pytest.param(0, [0], "0", id="zero"),
        pytest.param(2.0, [2], "2", id="whole-float"),
        pytest.param("3", [3], "3", id="text"),
        pytest.param("=3", [3], "3", id="equal"),
        pytest.param("== 3", [3], "3", id="equal-twice"),
        pytest.param(">=2", [2, 3, 4, 5], "at least 2", id="at-least"),
        pytest.param(" > 2 ", [3, 4, 5], "at least 3", id="above"),
        pytest.param("<=2", [0, 1, 2], "at most 2", id="at-most"),
        pytest.param("<2", [0, 1], "at most 1", id="below"),
        pytest.param("1..3", [1, 2, 3], "1 to 3", id="dots"),
        pytest.param("1-3", [1, 2, 3], "1 to 3", id="dash"),
        pytest.param({"min": 2}, [2, 3, 4, 5], "at least 2", id="min"),
        pytest.param({"max": 2}, [0, 1, 2], "at most 2", id="max"),
        pytest.param({"min": 2, "max": 4}, [2, 3, 4], "2 to 4", id="both"),
        pytest.param({"min": 2, "max": 2}, [2], "2", id="both-equal"),
        pytest.param([1, 4], [1, 4], "one of 1, 4", id="list"),
    ],
)
def test_a_range_holds_its_numbers(written: Any, members: list[int], words: str) -> None:
    span = read_range(written)
    assert span is not None
    assert [number for number in range(6) if span.holds(number)] == members
    assert str(span) == words


@pytest.mark.parametrize(
    "written",
    [-1, True, 1.5, "two", ">=", "3..1", "<0", "=>2", "", [], [1, "x"], [1.5], {},
     {"min": 3, "max": 1}, {"min": "x"}, {"max": None}, {"least": 1}, None],
    ids=repr,
)  # fmt: skip
def test_what_is_no_range_is_none(written: Any) -> None:
    assert read_range(written) is None
