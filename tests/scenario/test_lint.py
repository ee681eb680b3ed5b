"""Warnings: turns that can never answer, patterns that overlap, tools that nobody offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.scenario.problem import Severity
from tests.scenario.loading import library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("turns", "dead"),
    [
        pytest.param("[{reply: a}, {reply: b}]", {2: 1}, id="two-catch-alls"),
        pytest.param("[{reply: a}, {when: {last: x}, reply: b}]", {2: 1}, id="behind-a-catch-all"),
        pytest.param("[{reply: a, when: {}}, {reply: b}]", {2: 1}, id="empty-when"),
        pytest.param("[{when: {last: x}, reply: a}, {when: {last: x}, reply: b}]", {2: 1},
                     id="the-same-pattern"),
        pytest.param("[{when: {turn: 1, last: x}, reply: a}, {when: {last: x, turn: 1}, reply: b}]",
                     {2: 1}, id="the-same-in-another-order"),
        pytest.param("[{when: {last: {role: user}}, reply: a}, "
                     "{when: {turn: 1, last: {role: user, content: x}}, reply: b}]", {2: 1},
                     id="a-narrower-pattern"),
        pytest.param("[{reply: a}, {reply: b}, {reply: c}]", {2: 1, 3: 1}, id="both-behind"),
        pytest.param("[{reply: a, times: 1}, {reply: b}]", {}, id="after-so-many-times"),
        pytest.param("[{when: {last: x}, reply: a}, {reply: b}]", {}, id="catch-all-behind"),
        pytest.param("[{when: {last: x, turn: 1}, reply: a}, {when: {last: x}, reply: b}]", {},
                     id="a-wider-pattern-behind"),
        pytest.param("[{when: {last: {role: user}}, reply: a}, {when: {last: x}, reply: b}]", {},
                     id="not-provable"),
        pytest.param("[{when: {not: {turn: 1}}, reply: a}, {when: {not: {turn: 2}}, reply: b}]", {},
                     id="different-negations"),
        pytest.param("[{reply: {tool_calls: [{name: f, arguments: {}}]}}, {reply: b}]", {},
                     id="a-call-is-not-for-every-request"),
    ],
)  # fmt: skip
def test_turns_that_can_never_answer(tmp_path: Path, turns: str, dead: dict[int, int]) -> None:
    found = [each for each in library(tmp_path, f"name: s\nturns: {turns}").problems
             if each.severity is Severity.WARNING]  # fmt: skip
    assert [each.what for each in found] == [
        f"scenario 's': turn {turn} can never answer: turn {before} takes all that it matches, "
        "without limit"
        for turn, before in dead.items()
    ]
    assert [each.key for each in found] == [f"turns.{turn - 1}" for turn in dead]
    assert all(":2:" in each.where for each in found)


def test_long_scenarios_are_searched_for_equal_patterns_only(tmp_path: Path) -> None:
    turns = "".join(f"- {{when: {{last: a{n}}}, reply: a}}\n" for n in range(450))
    text = f"name: s\nturns:\n{turns}- {{when: {{last: a3}}, reply: b}}\n"
    text += "- {when: {last: a4, turn: 1}, reply: b}\n"
    assert [each.key for each in library(tmp_path, text).problems] == ["turns.450"]


@pytest.mark.parametrize(
    ("when", "noted"),
    [
        pytest.param("", True, id="nothing-said"),
        pytest.param("when: {tools: [f]}, ", False, id="offered"),
        pytest.param("when: {turn: 1}, ", True, id="something-else-said"),
    ],
)
def test_a_call_that_may_not_be_offered_is_noted(tmp_path: Path, when: str, *, noted: bool) -> None:
    text = f"name: s\nturns: [{{{when}reply: {{tool_calls: [{{name: f, arguments: {{}}}}]}}}}]"
    problems = library(tmp_path, text).problems
    assert [each.severity for each in problems] == [Severity.NOTE] * noted
    assert all("calls f and answers only requests that offer it" in each.what for each in problems)


def test_a_forced_call_needs_no_note(tmp_path: Path) -> None:
    text = "name: s\nturns: [{reply: {tool_calls: [{name: f, force: true, arguments: {}}]}}]"
    assert library(tmp_path, text).problems == ()


@pytest.mark.parametrize(
    ("first", "second", "severity"),
    [
        pytest.param("turns: [{when: {last: x}, reply: a}]", "turns: [{when: {last: x}, reply: b}]",
                     Severity.WARNING, id="equal-patterns"),
        pytest.param("turns: [{reply: a}]", "turns: [{reply: b}]", Severity.NOTE,
                     id="two-catch-alls"),
        pytest.param("turns: [{when: {last: x}, reply: a, times: 1}]",
                     "turns: [{when: {last: x}, reply: b}]", None, id="one-gets-used-up"),
        pytest.param("priority: 1\nturns: [{when: {last: x}, reply: a}]",
                     "turns: [{when: {last: x}, reply: b}]", None, id="priority"),
        pytest.param("profile: devotel\nturns: [{when: {last: x}, reply: a}]",
                     "profile: moonshot\nturns: [{when: {last: x}, reply: b}]", None,
                     id="other-hosts"),
        pytest.param("profile: [devotel, moonshot]\nturns: [{when: {last: x}, reply: a}]",
                     "profile: moonshot\nturns: [{when: {last: x}, reply: b}]", Severity.WARNING,
                     id="a-host-of-both"),
        pytest.param("turns: [{when: {last: x}, reply: a}]", "turns: [{when: {last: y}, reply: b}]",
                     None, id="different-patterns"),
        pytest.param("turns: [{when: {last: x}, reply: a}]", "turns: [{reply: b}]", None,
                     id="a-pattern-and-a-catch-all"),
    ],
)  # fmt: skip
def test_scenarios_that_take_the_same_requests(
    tmp_path: Path, first: str, second: str, severity: Severity | None
) -> None:
    problems = library(tmp_path, f"name: a\n{first}", f"name: b\n{second}").problems
    assert [each.severity for each in problems] == ([] if severity is None else [severity])
    assert all("'b'" in each.what and "'a'" in each.what for each in problems)


def test_many_catch_alls_are_one_note(tmp_path: Path) -> None:
    texts = [f"name: s{n}\nturns: [{{reply: a}}]" for n in range(4)]
    (note,) = library(tmp_path, *texts).problems
    assert note.what.endswith("to be pinned: 's1', 's2', 's3'")
