"""A cassette as a scenario: it loads without problems and says the same to the same requests."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock import yamlfile
from k3mock.cassette import convert
from k3mock.cassette.convert import to_scenario
from k3mock.cassette.interaction import End
from k3mock.cassette.problem import CassetteError
from k3mock.errors import K3MockError
from k3mock.matching.source import Hit
from k3mock.protocol.reply import Disconnect, DoneEvent, FinishEvent, Raw
from k3mock.scenario.load import load_library, load_text
from k3mock.scenario.source import ScenarioSource
from k3mock.state import Session
from tests.cassette.samples import JSON, SSE, STREAM, cassette, chunk, completion, interaction, sse
from tests.matching.asking import asked
from tests.scenario.loading import CONTEXT, Canned
from tests.support import chat, request, serving, tool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from k3mock.cassette.interaction import Interaction
    from k3mock.text.counter import TokenCounter


def numbered(*exchanges: tuple[Any, Any]) -> list[Interaction]:
    return [interaction(body, answer, number=at) for at, (body, answer) in enumerate(exchanges, 1)]


def source(
    folder: Path, counter: TokenCounter, interactions: Sequence[Interaction]
) -> ScenarioSource:
    """Convert, save, load; nothing may be wrong with the file, not even a note."""
    path = folder / "session.yaml"
    path.write_text(to_scenario(cassette(interactions)).text, encoding="utf-8")
    library = load_library([str(path)], CONTEXT)
    assert library.problems == ()
    return ScenarioSource(library, CONTEXT, counter=counter, writer=Canned())


def ask(scripts: ScenarioSource, body: dict[str, Any], session: Session) -> Hit:
    found = scripts.find(asked(body=body, session=session))
    assert isinstance(found, Hit), found
    found.take()
    return found if found.write is None else replace(found, reply=found.write())


def contents(
    folder: Path, counter: TokenCounter, interactions: Sequence[Interaction], *bodies: Any
) -> list[str]:
    scripts, session = source(folder, counter, interactions), Session("t")
    hits = [ask(scripts, body, session) for body in bodies]
    return [hit.reply.content if hit.reply is not None else "" for hit in hits]


ASSISTANT = {"role": "assistant", "content": "A"}


def turns(*texts: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(request("a"), request("b"), id="last"),
        pytest.param(request(messages=turns("a")), request(messages=turns("x", "y", "a")),
                     id="turn"),
        pytest.param(request("a"), request("a", stream=True), id="stream"),
        pytest.param(request("a"), request("a", model="other"), id="model"),
        pytest.param(request("a"), request("a", tools=[tool()]), id="tools"),
        pytest.param(request("a", tools=[tool("f")]), request("a", tools=[tool("f"), tool("g")]),
                     id="more-tools"),
        pytest.param(request("a"), request(messages=[{"role": "system", "content": "s"},
                                                     *turns("a")]), id="system"),
        pytest.param(request(messages=[*turns("a")] * 2), request("a"), id="count"),
        pytest.param(request("a", reasoning_effort="low"), request("a"), id="effort"),
        pytest.param(request(messages=turns("a", "b", "c")), request(messages=turns("x", "y", "c")),
                     id="history"),
        pytest.param(request("a", max_tokens=5), request("a", max_tokens=6, seed=1), id="fields"),
        pytest.param(request("a", user="me"), request("a", user="you"), id="volatile"),
        pytest.param(request(messages=[]), request("a"), id="no-message"),
        pytest.param(request("on"), request("2026-01-01"), id="words-of-yaml"),
    ],
)  # fmt: skip
def test_each_request_gets_its_own_answer_in_any_order(
    tmp_path: Path, counter: TokenCounter, one: Any, other: Any
) -> None:
    recorded = numbered((one, completion("to one")), (other, completion("to other")))
    assert contents(tmp_path, counter, recorded, other, one, other) == [
        "to other", "to one", "to other",
    ]  # fmt: skip


def test_equal_requests_are_answered_one_after_the_other(
    tmp_path: Path, counter: TokenCounter
) -> None:
    again, once = request("again"), request("once")
    recorded = numbered(
        (again, completion("1st")), (again, completion("1st")), (once, completion("x")),
        (again, completion("3rd")),
    )  # fmt: skip
    asked_for = [again, once, again, again, again]
    assert contents(tmp_path, counter, recorded, *asked_for) == ["1st", "x", "1st", "3rd", "3rd"]


def test_thinking_calls_finish_and_usage_are_those_of_the_recording(
    tmp_path: Path, counter: TokenCounter
) -> None:
    body = request("w", stream=True, tools=[tool()])
    hit = ask(source(tmp_path, counter, [interaction(body, STREAM)]), body, Session("t"))
    assert hit.reply is not None
    assert hit.reply.reasoning == "I should look it up."
    [call] = hit.reply.calls
    assert (call.id, call.name, call.arguments) == (
        "get_weather:0", "get_weather", '{"city":"Izmir"}',
    )  # fmt: skip
    assert hit.style.usage == {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}
    assert (hit.contract, hit.reply.finish) == ("off", None)


@pytest.mark.parametrize("arguments", ['{"city": "Izmir"}', '{"city":', ""])
def test_arguments_keep_their_text_and_tools_need_no_offer(
    tmp_path: Path, counter: TokenCounter, arguments: str
) -> None:
    calls = [{"type": "function", "function": {"name": "f", "arguments": arguments}}]
    recorded = interaction(answer=completion("", tool_calls=calls, finish="length"))
    hit = ask(source(tmp_path, counter, [recorded]), request(), Session("t"))
    assert hit.reply is not None
    [call] = hit.reply.calls
    assert (call.arguments, hit.reply.finish) == (arguments, "length")


def test_an_empty_answer_stays_empty(tmp_path: Path, counter: TokenCounter) -> None:
    recorded = interaction(answer=completion(""))
    hit = ask(source(tmp_path, counter, [recorded]), request(), Session("t"))
    assert hit.reply is not None
    assert hit.reply.events == ()


def test_a_cut_stream_is_cut_again(tmp_path: Path, counter: TokenCounter) -> None:
    recorded = interaction(answer=STREAM[:5], end=End.UPSTREAM_ERROR)
    hit = ask(source(tmp_path, counter, [recorded]), request(), Session("t"))
    assert hit.reply is not None
    assert hit.reply.reasoning == "I should look it up."
    assert hit.reply.calls[0].arguments == '{"city":'
    assert isinstance(hit.reply.events[-1], Disconnect)
    assert hit.reply.omit == {"finish", "usage", "done"}


def test_an_error_inside_a_stream_is_sent_as_it_was(tmp_path: Path, counter: TokenCounter) -> None:
    error = {"message": "m", "type": "t"}
    writes = sse(chunk(content="So far"), {"error": error}, "oops", chunk("stop"), "[DONE]")
    hit = ask(source(tmp_path, counter, [interaction(answer=writes)]), request(), Session("t"))
    assert hit.reply is not None
    assert hit.reply.content == "So far"
    assert hit.reply.events[1:] == (
        Raw(b'data: {"error":{"message":"m","type":"t"}}\n\n'), Raw(b"data: oops\n\n"),
        FinishEvent("stop"), DoneEvent(),
    )  # fmt: skip


def test_errors_are_served_as_they_came(tmp_path: Path) -> None:
    limited = (*JSON, ("retry-after", "3"))
    answers: list[tuple[Any, Any]] = [
        ({"error": {"message": "Too fast.", "type": "rate_limit_reached_error"}}, limited),
        ({"error": {"message": "{braces}", "type": "t", "code": None}}, JSON),
        (b"<html>busy</html>", (("content-type", "text/html"),)),
        (b"", ()),
    ]
    recorded = [
        interaction(request(f"{at}"), answer, status=429, headers=headers, number=at)
        for at, (answer, headers) in enumerate(answers, 1)
    ]
    path = tmp_path / "session.yaml"
    path.write_text(to_scenario(cassette(recorded)).text, encoding="utf-8")
    with serving(scenarios=(str(path),)) as server:
        served = [chat(server, f"{at}") for at in range(1, 5)]
    for got, (answer, headers) in zip(served, answers, strict=True):
        said = json.loads(got.body) if got.body.startswith(b"{") else got.body
        assert (got.status, said) == (429, answer)
        assert got.headers.get("retry-after") == dict(headers).get("retry-after")


def test_a_recorded_session_runs_over_a_socket(tmp_path: Path) -> None:
    body = request("w", temperature=0.3, stream=True, tools=[tool()])
    path = tmp_path / "session.yaml"
    path.write_text(to_scenario(cassette([interaction(body, STREAM)])).text, encoding="utf-8")
    with serving(scenarios=(str(path),)) as server:
        answer = chat(server, "w", temperature=0.3, stream=True, tools=[tool()])
        assert answer.headers["x-k3mock-source"] == "scenario:session#1"
    [start] = [
        event["choices"][0]["delta"]["tool_calls"][0] for event in answer.events[:-1]
        if event["choices"] and "id" in event["choices"][0]["delta"].get("tool_calls", [{}])[0]
    ]  # fmt: skip
    assert start["id"] == "get_weather:0"


def test_what_cannot_be_scripted_is_named() -> None:
    recorded = [
        interaction(number=1),
        interaction(method="GET", uri="https://api.moonshot.ai/v1/models", number=2),
        interaction(b"[1]", number=3),
        interaction(number=4, redacted=("content",)),
    ]
    found = to_scenario(cassette(recorded))
    assert (found.turns, found.left_out) == (1, (
        "interaction 2: GET /v1/models is no chat completion",
        "interaction 3: the request is no JSON object",
        "interaction 4: its texts were redacted",
    ))  # fmt: skip
    with pytest.raises(CassetteError, match="nothing in the cassette can be a scenario"):
        to_scenario(cassette(recorded[1:]))
    with pytest.raises(CassetteError, match="no interaction"):
        to_scenario(cassette([]))


def test_a_scenario_that_nobody_could_load_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "MAX_BYTES", 10)
    with pytest.raises(CassetteError, match="too large to be loaded"):
        to_scenario(cassette([interaction()]))


def test_an_answer_that_was_cut_off_before_its_first_word_is_cut_off_again(
    tmp_path: Path, counter: TokenCounter
) -> None:
    recorded = interaction(answer=[], end=End.UPSTREAM_ERROR, headers=SSE)
    hit = ask(source(tmp_path, counter, [recorded]), request(), Session("t"))
    assert hit.reply is not None
    assert hit.reply.events == (Disconnect(),)


@pytest.mark.parametrize(("name", "called"), [("a b.yaml", "a_b"), ("__.yaml", "recorded")])
def test_the_scenario_is_called_like_the_file(name: str, called: str) -> None:
    assert to_scenario(cassette([interaction()], name)).text.startswith(f"name: {called}\n")


ODD = ("a\nb\n", "  a\n b", "a \nb", "a\r\nb", "x\x85y\n", "\ufeffa\n", "#a\n- b", "on", "1:30")


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60) | st.sampled_from(ODD))
def test_any_text_survives_the_way_into_yaml(text: str) -> None:
    recorded = interaction(request(text), completion(text))
    found = to_scenario(cassette([recorded]))
    assert load_text(found.text.encode(), "t", CONTEXT).problems == ()
    value: Any = yamlfile.parse(found.text.encode(), "t", K3MockError).value
    [turn] = value["turns"]
    assert turn["when"]["last"]["content"]["equals"] == text
    assert turn["reply"]["content"] == text
