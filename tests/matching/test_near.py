"""Near misses: the few patterns that come closest, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.matching.near import nearest_patterns, told
from k3mock.matching.pattern import compile_pattern
from tests.matching.asking import view

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject


def near(**patterns: JSONObject) -> list[str]:
    labelled = ((name, compile_pattern(when)) for name, when in patterns.items())
    return [name for name, _ in nearest_patterns(labelled, view())]


def test_those_of_which_most_holds_come_first_and_at_most_three() -> None:
    assert near(
        half={"stream": False, "turn": 9},
        most={"stream": False, "turn": 0, "model": "x"},
        none={"turn": 9},
        third={"stream": True, "turn": 0, "model": "x"},
        fourth={"stream": True, "turn": 0, "model": "x", "attempt": 7},
    ) == ["most", "half", "third"]


def test_of_equal_shares_the_longer_pattern_comes_first() -> None:
    assert near(
        short={"stream": False, "turn": 9},
        long={"stream": False, "attempt": 1, "turn": 9, "model": "x"},
    ) == ["long", "short"]


def test_where_nothing_holds_at_all_the_first_three_are_told() -> None:
    assert near(
        a={"turn": 9}, b={"last": "weather"}, c={"model": "x"}, d={"stream": True}
    ) == ["a", "b", "c"]  # fmt: skip
    pattern = compile_pattern({"last": "weather"})
    text = told(nearest_patterns([("'a' turn 1", pattern)], view("hello")))
    assert text == (
        "(1) 'a' turn 1, 0 of 1 parts hold; last.content: wanted contains 'weather', found 'hello'"
    )


def test_what_matches_is_no_near_miss() -> None:
    assert near(all={"stream": False}, nothing={}) == []


def test_candidates_are_told_on_one_line() -> None:
    pattern = compile_pattern({"stream": False, "turn": 9})
    text = told(nearest_patterns([("'a' turn 1", pattern)], view()))
    assert text == "(1) 'a' turn 1, 1 of 2 parts hold; turn: wanted 9, found 0"
