"""Warnings: turns that can never answer, patterns that overlap, tools that nobody offers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from k3mock.scenario.lint import lint
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
        pytest.param("[{when: {last: {content: {contains: x}}}, reply: a}, "
                     "{when: {last: x}, reply: b}]", {2: 1}, id="the-same-spelled-otherwise"),
        pytest.param("[{when: {last: {content: x}}, reply: a}, "
                     "{when: {last: {content: {equals: x}}}, reply: b}]", {2: 1}, id="equals"),
        pytest.param("[{when: {turn: '>=1'}, reply: a}, {when: {turn: 3}, reply: b}]", {2: 1},
                     id="a-number-in-a-range"),
        pytest.param("[{when: {turn: {min: 1, max: 4}}, reply: a}, {when: {turn: [2, 3]}, "
                     "reply: b}]", {2: 1}, id="numbers-in-a-range"),
        pytest.param("[{when: {turn: [3]}, reply: a}, {when: {turn: '==3'}, reply: b}]", {2: 1},
                     id="one-number"),
        pytest.param("[{when: {last: hat}, reply: a}, {when: {last: the hat}, reply: b}]", {2: 1},
                     id="a-longer-text"),
        pytest.param("[{when: {system: {starts_with: a}}, reply: a}, "
                     "{when: {system: {starts_with: ab, contains: z}}, reply: b}]", {2: 1},
                     id="a-longer-beginning"),
        pytest.param("[{when: {last: {role: [tool, user]}}, reply: a}, "
                     "{when: {last: {role: user}}, reply: b}]", {2: 1}, id="one-of-the-roles"),
        pytest.param("[{when: {tools: {any: [f, g]}}, reply: a}, {when: {tools: f}, reply: b}]"
                     .replace("tools: f", "tools: [f]"), {2: 1}, id="any-of-the-tools"),
        pytest.param("[{when: {tools: true}, reply: a}, {when: {tools: [f]}, reply: b}]", {2: 1},
                     id="some-tools"),
        pytest.param("[{when: {headers: {X-A: true}}, reply: a}, {when: {headers: {x-a: b}}, "
                     "reply: b}]", {2: 1}, id="a-header-that-is-there"),
        pytest.param("[{when: {not: {last: x, turn: 1}}, reply: a}, "
                     "{when: {not: {turn: 1, last: {content: {contains: x}}}}, reply: b}]", {2: 1},
                     id="the-same-negation"),
        pytest.param("[{when: {last: x}, reply: {tool_calls: [{name: f, arguments: {}}]}}, "
                     "{when: {last: x, tools: [f]}, reply: {tool_calls: [{name: f, arguments: {}}, "
                     "{name: g, arguments: {}}]}}]", {2: 1}, id="two-that-call-the-same"),
        pytest.param("[{when: {messages: {any: x, count: '>2'}}, reply: a}, {when: {messages: "
                     "{any: {content: {contains: x}}, count: 4}}, reply: b}]", {2: 1},
                     id="messages"),
        pytest.param("[{reply: a, times: 1}, {reply: b}]", {}, id="after-so-many-times"),
        pytest.param("[{when: {last: x}, reply: a}, {reply: b}]", {}, id="catch-all-behind"),
        pytest.param("[{when: {last: x, turn: 1}, reply: a}, {when: {last: x}, reply: b}]", {},
                     id="a-wider-pattern-behind"),
        pytest.param("[{when: {last: {role: user}}, reply: a}, {when: {last: x}, reply: b}]", {},
                     id="not-provable"),
        pytest.param("[{when: {not: {turn: 1}}, reply: a}, {when: {not: {turn: 2}}, reply: b}]", {},
                     id="different-negations"),
        pytest.param("[{when: {turn: 3}, reply: a}, {when: {turn: '>=1'}, reply: b}]", {},
                     id="a-wider-range-behind"),
        pytest.param("[{when: {turn: '<3'}, reply: a}, {when: {turn: '>=1'}, reply: b}]", {},
                     id="ranges-that-overlap"),
        pytest.param("[{when: {turn: [1, 2]}, reply: a}, {when: {turn: {min: 1, max: 2}}, "
                     "reply: b}]", {}, id="members-are-not-weighed"),
        pytest.param("[{when: {last: the hat}, reply: a}, {when: {last: hat}, reply: b}]", {},
                     id="a-shorter-text-behind"),
        pytest.param("[{when: {last: {content: {contains: a, ignore_case: true}}}, reply: a}, "
                     "{when: {last: ab}, reply: b}]", {}, id="read-otherwise"),
        pytest.param("[{when: {last: {content: {matches: a}}}, reply: a}, "
                     "{when: {last: {content: {matches: ab}}}, reply: b}]", {}, id="expressions"),
        pytest.param("[{when: {tools: {none: [f]}}, reply: a}, {when: {tools: [g]}, reply: b}]",
                     {}, id="other-tools"),
        pytest.param("[{when: {tools: {any: [f]}}, reply: a}, {when: {tools: {any: [f, g]}}, "
                     "reply: b}]", {}, id="more-tools"),
        pytest.param("[{when: {headers: {x-a: false}}, reply: a}, {when: {headers: {x-a: b}}, "
                     "reply: b}]", {}, id="a-header-that-is-not-there"),
        pytest.param("[{when: {stream: true}, reply: a}, {when: {stream: false}, reply: b}]", {},
                     id="stream"),
        pytest.param("[{when: {last: x}, reply: {tool_calls: [{name: f, arguments: {}}]}}, "
                     "{when: {last: x}, reply: {tool_calls: [{name: g, arguments: {}}]}}]", {},
                     id="two-that-call-others"),
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
        pytest.param("turns: [{when: {last: x}, reply: a}]",
                     "turns: [{when: {last: xyz, turn: 1}, reply: b}]", Severity.WARNING,
                     id="a-wider-pattern"),
        pytest.param("turns: [{when: {last: xyz}, reply: a}]",
                     "turns: [{when: {last: x}, reply: b}]", None, id="a-narrower-pattern"),
        pytest.param("turns: [{when: {last: x}, reply: a}]",
                     "priority: 1\nturns: [{reply: b, times: 3}]", None,
                     id="a-short-catch-all-above"),
        pytest.param("priority: 1\nturns: [{reply: a}]",
                     "turns: [{when: {last: x}, reply: b}, {reply: c}]", Severity.WARNING,
                     id="a-catch-all-above"),
        pytest.param("priority: 1\nprofile: devotel\nturns: [{reply: a}]",
                     "turns: [{when: {last: x}, reply: b}]", None,
                     id="a-catch-all-above-for-one-host"),
        pytest.param("priority: 1\nprofile: [devotel, moonshot]\nturns: [{reply: a}]",
                     "profile: devotel\nturns: [{when: {last: x}, reply: b}]", Severity.WARNING,
                     id="a-catch-all-above-for-both-hosts"),
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


@pytest.mark.parametrize(
    ("turn", "calls"),
    [
        pytest.param("{when: {not: {}}, reply: a}", False, id="not-anything"),
        pytest.param("{when: {tools: {all: [f], none: [f]}}, reply: a}", False, id="both"),
        pytest.param("{when: {tools: false}, reply: {tool_calls: [{name: f, arguments: {}}]}}",
                     True, id="no-tools"),
        pytest.param("{when: {tools: {none: true}}, "
                     "reply: {tool_calls: [{name: f, arguments: {}}]}}", True, id="none"),
        pytest.param("{when: {tools: {none: [f]}}, "
                     "reply: {tool_calls: [{name: f, arguments: {}}]}}", True, id="none-of-it"),
        pytest.param("{when: {tools: {count: '<2'}}, reply: {tool_calls: "
                     "[{name: f, arguments: {}}, {name: g, arguments: {}}]}}", True, id="too-few"),
    ],
)  # fmt: skip
def test_a_pattern_that_no_request_matches(tmp_path: Path, turn: str, *, calls: bool) -> None:
    (found,) = library(tmp_path, f"name: s\nturns: [{turn}]").problems
    assert found.severity is Severity.WARNING
    assert "turn 1 can never answer: its when contradicts itself" in found.what
    assert ("or with its calls of f" in found.what) is calls


@pytest.mark.parametrize("count", [">=500", "[2, 7]", "3"])
def test_a_count_of_many_tools_contradicts_no_call(tmp_path: Path, count: str) -> None:
    turn = f"{{when: {{tools: {{count: {count!r}}}}}, reply: {{tool_calls: [{{name: f}}]}}}}"
    text = f"name: s\nturns: [{turn.replace(repr('[2, 7]'), '[2, 7]')}]"
    assert library(tmp_path, text).problems == ()


def test_a_thousand_scenarios_are_looked_at_quickly(tmp_path: Path) -> None:
    texts = "".join(
        f"  - {{name: s{n}, turns: [{{when: {{last: word {n}}}, reply: a}}]}}\n"
        for n in range(1000)
    )
    scenarios = library(tmp_path, f"scenarios:\n{texts}").scenarios
    before = time.thread_time()
    assert list(lint(scenarios)) == []
    assert time.thread_time() - before < 1


def test_a_forced_call_contradicts_nothing(tmp_path: Path) -> None:
    call = "{name: f, force: true, arguments: {}}"
    text = f"name: s\nturns: [{{when: {{tools: false}}, reply: {{tool_calls: [{call}]}}}}]"
    assert library(tmp_path, text).problems == ()
