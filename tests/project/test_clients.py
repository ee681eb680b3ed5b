"""The table of real clients: made from the results of runs, and judged by rules that can fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.scenario.check import problems
from tests.cases.test_cases import GIVEN
from tests.clients import judge, page
from tests.clients.cases import CASES
from tests.clients.cells import AGENT, COLUMNS, LOOPS
from tests.clients.groups import FOLDER, HERE, read
from tests.clients.plain_cells import PLAIN, columns_of
from tests.clients.witness import Call, Witness

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = [read(path) for path in sorted(FOLDER.glob("*.toml"))]
IDS = {f"{letter}{number:02}" for letter, numbers in GIVEN.items() for number in numbers}


def test_the_page_is_what_the_results_generate() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "python -m tests.clients.page"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_group_pins_what_it_installs_and_names_what_there_is(group: Any) -> None:
    separator = "==" if group.kind == "python" else "@"
    for requirement in group.requirements:
        assert separator in requirement.lstrip("@"), requirement
    assert (HERE / group.script).is_file()
    assert set(group.cases) <= set(CASES)
    assert set(group.columns or ()) <= set(columns_of(group.kind))
    assert group.loop in LOOPS


def test_a_row_has_a_group() -> None:
    rows = {path.stem for path in page.RESULTS.glob("*.json")}
    assert rows <= {group.name for group in GROUPS}


def test_every_case_is_shown_by_a_client() -> None:
    assert {case for group in GROUPS for case in group.cases} == set(CASES)


def test_a_case_of_a_client_is_a_case_from_the_field() -> None:
    assert {case[:3] for case in CASES} <= IDS
    assert {each for cell in (*COLUMNS.values(), AGENT) for each in cell.ids} <= IDS


def _seen(*bodies: dict[str, Any], outcome: str = "works", **saw: Any) -> Witness:
    calls = tuple(
        Call(body=body, status=200, end="complete", usage=body.pop("costs", None))
        for body in bodies
    )
    return Witness(outcome=outcome, saw=saw, calls=calls)


RAISED = {"class": "APIError", "message": "no"}


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (_seen({}, text=judge.WHOLE), "works"),
        (_seen({}, text=judge.WHOLE[:9]), "half the text"),
        (_seen({}, text="Paris"), "another text"),
        (_seen({}, text=None), "empty answer"),
        (_seen({}, outcome="breaks", exception=RAISED), "raises APIError"),
        (_seen({}, {}, outcome="breaks", exception=RAISED), "raises APIError after 2 requests"),
        (_seen(outcome="breaks"), "breaks"),
        (_seen(outcome="unsupported", why="no"), "not offered"),
    ],
)
def test_a_whole_answer_is_judged_by_its_text(seen: Witness, said: str) -> None:
    assert judge.plain(seen) == said


def test_a_stream_must_be_asked_for_and_come_in_pieces() -> None:
    def said(pieces: int, **body: Any) -> str:
        return judge.stream(_seen(body, text=judge.WHOLE, pieces=pieces))

    assert said(3, stream=True) == "works"
    assert said(1, stream=True) == "text in one piece"
    assert said(3) == "asks for no stream"
    assert judge.stream(_seen({"stream": True}, text="Paris", pieces=3)) == "another text"


def test_thinking_is_looked_for_in_both_kinds_of_answer() -> None:
    def said(**saw: Any) -> str:
        return judge.reasoning(_seen({}, **saw))

    assert said(reasoning=judge.THOUGHT, stream_reasoning=judge.THOUGHT) == "works"
    assert said(reasoning="", stream_reasoning=judge.THOUGHT) == "only in streams"
    assert said(reasoning=judge.THOUGHT, stream_reasoning="") == "only in whole answers"
    assert said(stream_reasoning=judge.THOUGHT) == "works"
    assert said(text=judge.WHOLE) == "no reasoning shown"
    assert said(exception=RAISED) == "raises APIError"


def _history(*thoughts: str | None) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    for number, thought in enumerate(thoughts):
        call_id = f"call_{number}"
        asked = {"role": "assistant", "tool_calls": [{"id": call_id}]}
        turns.append(asked if thought is None else {**asked, "reasoning_content": thought})
        turns.append({"role": "tool", "tool_call_id": call_id, "content": "18 degrees, sunny"})
    return {"messages": turns}


def test_a_tool_loop_needs_the_right_call_its_result_and_the_answer() -> None:
    called = [["get_weather", {"city": "İzmir"}]]

    def said(body: dict[str, Any], **saw: Any) -> str:
        return judge.tools(_seen({}, body, **{"text": judge.WEATHER, "calls": called, **saw}))

    assert said(_history("hm")) == "works"
    assert said(_history(None)) == "works, reasoning not sent back"
    assert said(_history("hm"), calls=None) == "runs no tool"
    assert said(_history("hm"), calls=[["get_weather", {}]]) == "runs get_weather({})"
    assert said({"messages": []}) == "result not sent back"
    assert said(_history("hm"), text="") == "empty answer"


def test_a_structured_answer_is_judged_by_what_was_parsed_and_how_it_was_asked_for() -> None:
    good = {"city": "İzmir", "degrees": 18}

    def said(parsed: Any = good, **body: Any) -> str:
        return judge.structured(_seen(body, parsed=parsed))

    assert said(response_format={"type": "json_schema"}) == "works"
    assert said(response_format={"type": "json_object"}) == "works (asks by json_object)"
    assert said(tools=[1]) == "works (asks by a tool)"
    assert said() == "works (asks by prompt)"
    assert said({"city": "İzmir", "degrees": "18"}) == "not as the schema says"
    assert said({}) == "nothing parsed"
    assert judge.structured(_seen({}, exception=RAISED)) == "raises APIError"


def test_usage_must_be_the_numbers_of_the_answers() -> None:
    whole = {"prompt": 10, "completion": 5, "reasoning": 2, "cached": 0}
    cached = {**whole, "cached": 4}

    def said(**saw: Any) -> str:
        return judge.usage(_seen({"costs": whole}, {"costs": cached, "stream": True}, **saw))

    assert said(usage=whole, stream_usage=cached) == "works"
    assert said(usage=whole, stream_usage=None) == "none in streams"
    assert said(usage=None, stream_usage=cached) == "none in whole answers"
    assert said(usage={**whole, "completion": 7}, stream_usage=cached) == "completion 7 for 5"
    lost = {"prompt": 10, "completion": 5}
    assert said(usage=whole, stream_usage=lost) == (
        "no reasoning tokens in streams, no cached tokens in streams"
    )
    assert said(exception=RAISED) == "raises APIError after 2 requests"
    assert said(stream_usage=cached) == "works"
    assert judge.usage(_seen(usage=whole)) == "prompt 10 for 0"


def test_a_refusal_that_passes_must_be_followed_by_a_second_try() -> None:
    assert judge.retry(_seen({}, {}, text=judge.WHOLE)) == "works"
    assert judge.retry(_seen({}, exception=RAISED)) == "raises APIError, no second try"
    assert judge.retry(_seen({}, {}, exception=RAISED)) == "raises APIError after 2 requests"


def test_a_cut_is_taken_for_whole_or_told() -> None:
    assert judge.broken(_seen({}, text="Ankara")) == "takes the cut text for whole"
    assert judge.broken(_seen({}, text="")) == "an empty answer, no error"
    assert judge.broken(_seen({}, text="Ankara", exception=RAISED)) == "raises APIError"


def test_an_agent_must_run_all_steps_and_send_every_result_back() -> None:
    steps = [["read_file", {"path": "a"}]] * 10
    history = _history(*["hm"] * 10)

    def said(body: dict[str, Any], **saw: Any) -> str:
        return judge.agent(_seen(body, **{"text": judge.FIXED, "calls": steps, **saw}))

    assert said(history) == "works"
    assert said(_history("hm", None, *["hm"] * 8)) == "works, some reasoning not sent back"
    hidden = replace(_seen(_history(*[None] * 10), text=judge.FIXED, calls=steps), thinks=False)
    assert judge.agent(hidden) == "works"
    assert said(history, calls=steps[1:]) == "runs 9 tools for 10"
    assert said(_history("hm")) == "results do not fit the calls"
    assert said(history, text=f"Let me look. {judge.FIXED}") == "works"
    assert said(history, text="Paris") == "another text (10 of 10 steps)"
    assert said(history, exception=RAISED) == "raises APIError (10 of 10 steps)"


def test_two_calls_must_both_be_run_with_their_own_arguments() -> None:
    both = [["get_weather", {"city": "Ankara"}], ["get_weather", {"city": "İzmir"}]]

    def said(calls: Any) -> str:
        return judge.pair(_seen({}, {}, text=judge.WEATHER, calls=calls))

    assert said(both) == "works"
    assert said(both[:1]) == "runs 1 of 2 calls"
    assert said([*both, both[0]]).startswith('runs get_weather({"city": "Ankara"}), get_weather(')
    assert said([]) == "runs no tool"


def test_other_cases_are_judged_by_what_arrived_or_was_told() -> None:
    assert judge.ping(_seen({}, {}, text=judge.WHOLE, calls=[["ping", {}]])) == "works"
    assert judge.ping(_seen({}, {}, text=judge.WHOLE)) == "runs no tool"
    sent = {"messages": [{"content": [{"type": "text"}, {"type": "image_url"}]}]}
    assert judge.image(_seen(sent, text="a dot")) == "copes"
    assert judge.image(_seen({"messages": [{"content": "what?"}]})) == "the picture is not sent"
    assert judge.image(_seen(sent, exception=RAISED)) == "raises APIError"
    assert judge.once(_seen({}, exception=RAISED)) == "raises APIError, asks once"
    assert judge.once(_seen({}, {}, exception=RAISED)) == "raises APIError after 2 requests"
    assert judge.once(_seen({}, text="hi")) == "no error: 'hi'"
    assert judge.once(_seen({}, text="")) == "an empty answer, no error"


def test_a_case_is_coped_with_where_the_column_it_bends_works() -> None:
    judged = judge.copes(judge.plain)
    assert judged(_seen({}, text=judge.WHOLE)) == "copes"
    assert judged(_seen({}, text="")) == "empty answer"


@pytest.mark.parametrize("name", [*COLUMNS, *LOOPS, *CASES])
def test_the_scenario_of_a_column_or_case_has_no_mistake(name: str, tmp_path: Path) -> None:
    loops = {loop: replace(AGENT, scenario=played) for loop, played in LOOPS.items()}
    cell = {**COLUMNS, **loops, **CASES}[name]
    file = tmp_path / "played.yaml"
    file.write_text(cell.played or "name: none\nturns: [{reply: {content: hi}}]", encoding="utf-8")
    assert [each for each in problems([file]) if each.severity == "error"] == []


@pytest.mark.parametrize("name", ["cells", "agent", "cases"])
def test_every_result_is_of_a_known_column_or_case(name: str) -> None:
    known = {"cells": {*COLUMNS, *PLAIN}, "agent": {"moonshot", "devotel", "apiany", "hotrouter"},
             "cases": set(CASES)}[name]  # fmt: skip
    for row in page.results():
        assert {each.partition(", ")[0] for each in row.get(name, {})} <= known
    assert AGENT.use == "agent"
