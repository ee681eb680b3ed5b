"""Who answers: sequences, retries, priorities, pins, misses, and what bends every answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.matching.source import Hit, MissReason
from k3mock.protocol.style import Style
from k3mock.scenario.load import Library
from k3mock.scenario.problem import ScenarioError
from k3mock.state import Session
from tests.matching.asking import asked, dialogue
from tests.scenario.loading import given, hit, library, miss, saved, source, written_by
from tests.support import tool

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.matching.source import Asked
    from k3mock.text.counter import TokenCounter

SEQUENCE = """
    name: s
    turns:
      - {reply: first, times: 1}
      - {reply: second, times: 2}
      - {when: {last: never}, reply: other}
"""


@pytest.fixture
def session() -> Session:
    return Session("blue")


def again(first: Asked, label: str, **more: Any) -> Asked:
    """Return the same request as a retry of an answer."""
    return replace(first, retry=True, answered_by=label, attempt=first.attempt + 1, **more)


def test_turns_answer_in_order_until_they_are_used_up(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    question = asked(session=session)
    assert [given(scripts, question) for _ in range(3)] == [
        "scenario:s#1", "scenario:s#2", "scenario:s#2",
    ]  # fmt: skip
    missed = miss(scripts, question)
    assert missed.reason is MissReason.USED_UP
    assert missed.message == (
        "every turn that matches is used up: 's' turn 1 has answered 1 of 1 times; 's' turn 2 has "
        "answered 2 of 2 times. Raise times, add a turn, or reset the session 'blue'"
    )


def test_an_answer_that_is_not_taken_does_not_count(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    assert hit(scripts, asked(session=session)).label == "scenario:s#1"
    assert given(scripts, asked(session=session)) == "scenario:s#1"
    assert list(session.uses.values()) == [1]


def test_sessions_have_sequences_of_their_own(tmp_path: Path, counter: TokenCounter) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    for name in ("a", "b"):
        assert given(scripts, asked(session=Session(name))) == "scenario:s#1"


def test_a_turn_without_times_never_ends(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, "name: s\nturns: [{reply: always}]")
    assert {given(scripts, asked(session=session)) for _ in range(20)} == {"scenario:s#1"}
    assert list(session.uses.values()) == [20]


def test_a_retry_gets_the_same_answer_and_does_not_advance(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    question = asked(session=session)
    label = given(scripts, question)
    for _ in range(3):
        assert given(scripts, again(question, label)) == "scenario:s#1"
    assert list(session.uses.values()) == [1]
    assert given(scripts, question) == "scenario:s#2"


def test_a_retry_after_a_drawn_fault_gets_the_same_answer(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    question = asked(session=session)
    given(scripts, question)
    assert given(scripts, again(question, "scenario:s#1+cut_mid_stream")) == "scenario:s#1"


@pytest.mark.parametrize(
    "failing",
    [
        pytest.param("{error: rate_limited}", id="error"),
        pytest.param("{content: x, faults: [cut_mid_stream]}", id="fault"),
        pytest.param("{events: [content: x, disconnect]}", id="disconnect"),
        pytest.param("{events: [content: x, disconnect: reset]}", id="reset"),
        pytest.param("{events: [error_event: server_error]}", id="error-event"),
    ],
)
def test_a_retry_of_a_turn_that_fails_so_often_counts(
    tmp_path: Path, counter: TokenCounter, session: Session, failing: str
) -> None:
    text = f"name: s\nturns: [{{reply: {failing}, times: 2}}, {{reply: works}}]"
    scripts = source(tmp_path, counter, text)
    question = asked(session=session)
    label = given(scripts, question)
    assert label == "scenario:s#1"
    assert given(scripts, again(question, label)) == "scenario:s#1"
    assert given(scripts, again(question, label)) == "scenario:s#2"


def test_faults_of_the_scenario_make_its_turns_fail(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    text = "name: s\nfaults: [cut_mid_stream]\nturns: [{reply: a, times: 1}, {reply: b}]"
    scripts = source(tmp_path, counter, text)
    label = given(scripts, asked(session=session))
    assert given(scripts, again(asked(session=session), label)) == "scenario:s#2"


@pytest.mark.parametrize("fault", ["crlf", "keepalive", "reasoning_only"])
def test_a_harmless_fault_makes_no_turn_a_failing_one(
    tmp_path: Path, counter: TokenCounter, session: Session, fault: str
) -> None:
    text = f"name: s\nfaults: [{fault}]\nturns: [{{reply: a, times: 1}}, {{reply: b}}]"
    scripts = source(tmp_path, counter, text)
    label = given(scripts, asked(session=session))
    assert given(scripts, again(asked(session=session), label)) == "scenario:s#1"


def test_a_turn_that_no_longer_matches_is_not_repeated(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    text = """
        name: s
        turns:
          - {when: {attempt: 1}, reply: {error: server_error}}
          - {reply: warm}
    """
    scripts = source(tmp_path, counter, text)
    question = asked(session=session)
    label = given(scripts, question)
    assert given(scripts, again(question, label)) == "scenario:s#2"


def test_a_retry_of_what_somebody_else_answered_is_an_ordinary_request(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(tmp_path, counter, SEQUENCE)
    assert given(scripts, again(asked(session=session), "generator")) == "scenario:s#1"
    assert given(scripts, replace(asked(session=session), retry=True)) == "scenario:s#2"


def test_the_history_says_which_turn_it_is(tmp_path: Path, counter: TokenCounter) -> None:
    text = """
        name: s
        turns:
          - {when: {turn: 0}, reply: one}
          - {when: {turn: 1}, reply: two}
    """
    scripts = source(tmp_path, counter, text)
    later = asked(messages=dialogue(("user", "a"), ("assistant", "b"), ("user", "c")))
    assert given(scripts, later) == "scenario:s#2"
    assert given(scripts, asked()) == "scenario:s#1"


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        pytest.param(["name: a\nturns: [{reply: x}]", "name: b\nturns: [{reply: y}]"],
                     "scenario:a#1", id="first-loaded"),
        pytest.param(["name: a\nturns: [{reply: x}]",
                      "name: b\nturns: [{when: {last: hi}, reply: y}]"],
                     "scenario:b#1", id="a-pattern-goes-before-a-catch-all"),
        pytest.param(["name: a\npriority: 1\nturns: [{reply: x}]",
                      "name: b\nturns: [{when: {last: hi}, reply: y}]"],
                     "scenario:a#1", id="priority-goes-before-a-pattern"),
        pytest.param(["name: a\npriority: -1\nturns: [{when: {last: hi}, reply: x}]",
                      "name: b\nturns: [{reply: y}]"], "scenario:b#1", id="low-priority"),
        pytest.param(["name: a\nturns: [{reply: x}, {when: {last: hi}, reply: z}]",
                      "name: b\nturns: [{when: {last: no}, reply: y}]"],
                     "scenario:a#1", id="inside-a-scenario-order-stands"),
        pytest.param(["name: a\nprofile: devotel\nturns: [{reply: x}]",
                      "name: b\nturns: [{reply: y}]"], "scenario:b#1", id="other-profile"),
        pytest.param(["name: a\nprofile: [devotel, moonshot]\nturns: [{reply: x}]"],
                     "scenario:a#1", id="own-profile"),
        pytest.param(["name: a\nturns: [{when: {last: {role: user}}, reply: x}]",
                      "name: b\nturns: [{when: {last: {content: hi}}, reply: y}]"],
                     "scenario:a#1", id="order-stands-across-kinds-of-patterns"),
        pytest.param(["name: a\nturns: [{when: {last: {content: hi}}, reply: x}]",
                      "name: b\nturns: [{when: {last: {role: user}}, reply: y}]"],
                     "scenario:a#1", id="order-stands-the-other-way-round"),
    ],
)  # fmt: skip
def test_who_answers_of_several(
    tmp_path: Path, counter: TokenCounter, texts: list[str], label: str
) -> None:
    assert given(source(tmp_path, counter, *texts), asked()) == label


def test_when_one_is_used_up_the_next_answers(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(
        tmp_path, counter, "name: a\nturns: [{when: {last: hi}, reply: x, times: 1}]",
        "name: b\nturns: [{reply: y}]",
    )  # fmt: skip
    labels = [given(scripts, asked(session=session)) for _ in range(3)]
    assert labels == ["scenario:a#1", "scenario:b#1", "scenario:b#1"]


def test_a_tool_that_is_not_offered_is_never_called(tmp_path: Path, counter: TokenCounter) -> None:
    text = """
        name: s
        turns:
          - {reply: {tool_calls: [{name: f, arguments: {}}, {name: g, arguments: {}}]}}
          - {reply: {events: [{tool_call: {name: f, arguments: {}}}]}}
          - {reply: {tool_calls: [{name: f, force: true, arguments: {}}]}}
    """
    scripts = source(tmp_path, counter, text)
    assert given(scripts, asked(tools=[tool("g"), tool("f")])) == "scenario:s#1"
    assert given(scripts, asked(tools=[tool("f")])) == "scenario:s#2"
    assert given(scripts, asked()) == "scenario:s#3"


def test_the_refusal_to_call_is_a_reason(tmp_path: Path, counter: TokenCounter) -> None:
    text = "name: s\nturns: [{when: {turn: 0}, reply: {tool_calls: [{name: f, arguments: {}}]}}]"
    assert (
        "tools: wanted an offer of f, which the reply calls, found none"
        in miss(source(tmp_path, counter, text), asked()).message
    )


def test_a_pinned_scenario_alone_may_answer(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    scripts = source(
        tmp_path, counter, "name: a\nturns: [{reply: x}]",
        "name: b\ncontract: warn\nturns: [{reply: y, times: 1}]",
    )  # fmt: skip
    pinned = asked(session=session, pinned="b")
    found = hit(scripts, pinned)
    assert (found.label, found.contract) == ("scenario:b#1", "warn")
    found.take()
    assert miss(scripts, pinned).reason is MissReason.USED_UP


def test_the_miss_of_a_pinned_scenario_names_it(tmp_path: Path, counter: TokenCounter) -> None:
    text = "name: b\nturns: [{when: {last: bye, turn: 0}, reply: y}]"
    missed = miss(source(tmp_path, counter, text), asked(pinned="b"))
    assert missed.reason is MissReason.NO_MATCH
    assert missed.message == (
        "nothing in the pinned scenario 'b' matches this request. Nearest: (1) 'b' turn 1, 1 of 2 "
        "parts hold; last.content: wanted contains 'bye', found 'hi'. Change the request or the "
        "pattern, or add a turn without when"
    )


def test_a_pinned_scenario_for_another_host_says_so(tmp_path: Path, counter: TokenCounter) -> None:
    text = "name: b\nprofile: [devotel, evolink]\nturns: [{reply: y}]"
    missed = miss(source(tmp_path, counter, text), asked(pinned="b"))
    assert missed.message == ("the pinned scenario 'b' is for devotel, evolink, not for moonshot")


def test_a_shipped_scenario_can_be_pinned_without_being_loaded(
    tmp_path: Path, counter: TokenCounter
) -> None:
    scripts = source(tmp_path, counter)
    assert [given(scripts, asked(pinned="hello")) for _ in range(2)] == ["scenario:hello#1"] * 2
    assert miss(scripts, asked()).reason is MissReason.NOTHING_LOADED


def test_an_unknown_pin_is_a_mistake_with_the_nearest_name(
    tmp_path: Path, counter: TokenCounter
) -> None:
    scripts = source(tmp_path, counter, "name: blue\nturns: [{reply: y}]")
    with pytest.raises(ScenarioError) as caught:
        scripts.find(asked(pinned="bleu"))
    assert "unknown scenario 'bleu'" in str(caught.value)
    assert "did you mean 'blue'?" in str(caught.value)
    assert "tool_round_trip" in str(caught.value)


def test_a_broken_shipped_scenario_is_refused(
    tmp_path: Path, counter: TokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, "name: bad\nturns: 3", "shipped/bad.yaml")
    scripts = source(tmp_path / "own", counter)
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    with pytest.raises(ScenarioError, match="1 error"):
        scripts.find(asked(pinned="bad"))


def test_a_scenario_without_turns_bends_every_answer(tmp_path: Path, counter: TokenCounter) -> None:
    scripts = source(
        tmp_path, counter,
        "name: a\npace: 5\nwire: {bom: true}\nchaos: [{fault: stall, probability: 1}]",
        "name: b\npriority: 2\npace: 7",
        "name: c\nprofile: devotel\nheaders: {x: y}",
        "name: d\npace: 9\nturns: [{reply: z}]",
    )  # fmt: skip
    style = scripts.overlay(asked())
    assert style.pace == "7"
    assert style.wire == {"bom": True}
    assert [draw.fault.name for draw in style.chaos] == ["stall"]
    assert style.headers == ()
    assert scripts.overlay(asked(profile="devotel")).headers == (("x", "y"),)


def test_nothing_loaded_bends_nothing(tmp_path: Path, counter: TokenCounter) -> None:
    assert source(tmp_path, counter).overlay(asked()) == Style()


def test_a_pinned_scenario_without_turns_lets_the_generator_answer(
    tmp_path: Path, counter: TokenCounter
) -> None:
    text = "name: a\ncontract: off\nchaos: [{fault: stall, probability: 1}]"
    found = hit(source(tmp_path, counter, text), asked(pinned="a"))
    assert (found.reply, found.label, found.contract) == (None, "scenario:a", "off")
    assert len(found.style.chaos) == 1


@pytest.mark.parametrize(
    ("texts", "reason", "told"),
    [
        pytest.param([], MissReason.NOTHING_LOADED, "no scenario with turns is loaded",
                     id="nothing-loaded"),
        pytest.param(["name: a\npace: 3"], MissReason.NOTHING_LOADED, "no scenario with turns",
                     id="nothing-with-turns"),
        pytest.param(["name: a\nturns: [{when: {last: bye}, reply: x}]"],
                     MissReason.NOTHING_SIMILAR,
                     "nothing in 1 loaded scenario matches this request, and nothing comes near",
                     id="nothing-similar"),
        pytest.param(["name: a\nturns: [{when: {last: bye, stream: false}, reply: x}]",
                      "name: b\nturns: [{when: {last: ho}, reply: x}]"], MissReason.NO_MATCH,
                     "nothing in 2 loaded scenarios matches this request. Nearest: (1) 'a' turn 1, "
                     "1 of 2 parts hold; last.content: wanted contains 'bye', found 'hi'. ",
                     id="no-match"),
        pytest.param(["name: a\nprofile: devotel\nturns: [{when: {last: hi}, reply: x}]"],
                     MissReason.NO_MATCH, "profile: wanted devotel, found moonshot",
                     id="other-host"),
    ],
)  # fmt: skip
def test_a_miss_says_why(
    tmp_path: Path, counter: TokenCounter, texts: list[str], reason: MissReason, told: str
) -> None:
    missed = miss(source(tmp_path, counter, *texts), asked())
    assert missed.reason is reason
    assert told in missed.message


def test_near_candidates_are_worked_out_only_on_demand(
    tmp_path: Path, counter: TokenCounter
) -> None:
    scripts = source(tmp_path, counter, "name: a\nturns: [{when: {last: bye}, reply: x}]")
    found = scripts.find(asked())
    assert not isinstance(found, Hit)
    assert found.message == "nothing in 1 loaded scenario matches this request"
    assert "Nearest" not in found.message


@pytest.mark.parametrize("pattern", ["{turn: 9}", "{turn: 9, stream: false}"])
def test_trouble_with_the_files_is_part_of_a_miss(
    tmp_path: Path, counter: TokenCounter, pattern: str
) -> None:
    scripts = source(tmp_path, counter, f"name: a\nturns: [{{when: {pattern}, reply: x}}]")
    scripts.trouble = "a.yaml:3:1: unknown key"
    assert miss(scripts, asked()).message.endswith(
        ". Files have changed and are broken, the last good set answers: a.yaml:3:1: unknown key"
    )


def test_a_failing_template_says_where(tmp_path: Path, counter: TokenCounter) -> None:
    text = """
        name: s
        turns:
          - {when: {turn: 4}, reply: x}
          - {reply: {content: {template: "{{ request.user.name }}"}}}
    """
    with pytest.raises(ScenarioError) as caught:
        written_by(hit(source(tmp_path, counter, text), asked()))
    assert str(caught.value).startswith(
        f"{tmp_path / '0.yaml'}:4:5: scenario 's', turn 2, reply.content: the template failed: "
    )


def test_a_broken_library_is_refused_and_the_old_one_stays(
    tmp_path: Path, counter: TokenCounter
) -> None:
    scripts = source(tmp_path, counter, "name: a\nturns: [{reply: x}]")
    broken = library(tmp_path / "new", "name: a\nturns: 3")
    with pytest.raises(ScenarioError, match="cannot be used"):
        scripts.load(broken)
    assert given(scripts, asked()) == "scenario:a#1"
    scripts.load(Library())
    assert miss(scripts, asked()).reason is MissReason.NOTHING_LOADED


def test_what_is_loaded_is_listed_with_hits(
    tmp_path: Path, counter: TokenCounter, session: Session
) -> None:
    text = "name: a\nabout: why\npriority: 2\nturns: [{when: {turn: 0}, reply: x, times: 3}]"
    scripts = source(tmp_path, counter, text)
    given(scripts, asked(session=session))
    (listed,) = scripts.listing(session)
    assert str(listed.pop("where")).endswith("0.yaml:1:1")
    assert listed == {
        "name": "a", "about": "why", "origin": "file", "priority": 2,
        "turns": [{"number": 1, "when": {"turn": 0}, "times": 3, "hits": 1}],
    }  # fmt: skip
    assert scripts.listing(Session("x"))[0]["turns"] == [
        {"number": 1, "when": {"turn": 0}, "times": 3, "hits": 0}
    ]


def test_a_miss_says_that_expressions_were_given_up(tmp_path: Path, counter: TokenCounter) -> None:
    text = "name: s\nturns: [{when: {last: {content: {matches: '^(a|aa)+$'}}}, reply: x}]"
    told = miss(source(tmp_path, counter, text), asked("a" * 60 + "!"))
    assert "Regular expressions took more than 200 ms and were given up" in told.message
    assert "wanted matches '^(a|aa)+$'" in told.message
