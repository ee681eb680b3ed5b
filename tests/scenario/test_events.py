"""Replies event by event: each item, and that their order stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.reply import (
    Chunk,
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    Ending,
    ErrorEvent,
    FinishEvent,
    Raw,
    ReasoningDelta,
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
)
from tests.scenario.loading import reply

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.text.counter import TokenCounter


@pytest.mark.parametrize(
    ("item", "events"),
    [
        pytest.param("{reasoning: hm}", [ReasoningDelta("hm")], id="reasoning"),
        pytest.param("{content: hi}", [ContentDelta("hi")], id="content"),
        pytest.param("{content: {text: hi, whole: true}}", [ContentDelta("hi", whole=True)],
                     id="whole"),
        pytest.param("{reasoning: {text: hm}}", [ReasoningDelta("hm")], id="text"),
        pytest.param("{content: {json: {a: 1}}}", [ContentDelta('{"a":1}')], id="json"),
        pytest.param('{content: {template: "{{ turn }}"}}', [ContentDelta("0")], id="template"),
        pytest.param("{reasoning: {generate: true}}", [ReasoningDelta("made-up thoughts")],
                     id="generate"),
        pytest.param("{tool_call: {name: f, force: true, arguments: {a: 1}, id: x}}",
                     [ToolCallStart("f", "x"), ToolArgumentsDelta('{"a":1}')], id="tool-call"),
        pytest.param("{tool_call: {name: f, force: true, arguments: null}}",
                     [ToolDelta({"index": 0, "id": "f_0", "type": "function",
                                 "function": {"name": "f", "arguments": None}})],
                     id="tool-call-null"),
        pytest.param("{tool_delta: {index: 3, function: {arguments: {a: 1}}}}",
                     [ToolDelta({"index": 3, "function": {"arguments": {"a": 1}}})],
                     id="tool-delta"),
        pytest.param("{chunk: {choices: [], x: 1}}", [Chunk({"choices": [], "x": 1})], id="chunk"),
        pytest.param(r'{raw: "data: {\n\n"}', [Raw(b"data: {\n\n")], id="raw"),
        pytest.param("{raw: {text: ü}}", [Raw("ü".encode())], id="raw-text"),
        pytest.param("{raw: {base64: w7w=}}", [Raw("ü".encode())], id="raw-bytes"),
        pytest.param('{comment: " keep"}', [Comment(" keep")], id="comment"),
        pytest.param("{stall: 50}", [Stall(50.0)], id="stall"),
        pytest.param("{stall: {ms: 0.5}}", [Stall(0.5)], id="stall-mapping"),
        pytest.param("{stall: forever}", [Stall(None)], id="stall-forever"),
        pytest.param("{stall: {ms: forever}}", [Stall(None)], id="stall-mapping-forever"),
        pytest.param("stall", [Stall(None)], id="stall-bare"),
        pytest.param("{finish: stop}", [FinishEvent("stop")], id="finish"),
        pytest.param("{finish: null}", [FinishEvent(None)], id="finish-null"),
        pytest.param("usage", [UsageEvent()], id="usage-bare"),
        pytest.param("{usage: null}", [UsageEvent()], id="usage-null"),
        pytest.param("{usage: true}", [UsageEvent()], id="usage-true"),
        pytest.param("{usage: {total_tokens: 1}}", [UsageEvent({"total_tokens": 1})], id="usage"),
        pytest.param("done", [DoneEvent()], id="done-bare"),
        pytest.param("{done: true}", [DoneEvent()], id="done"),
        pytest.param("disconnect", [Disconnect()], id="disconnect-bare"),
        pytest.param("{disconnect: reset}", [Disconnect(Ending.RESET)], id="disconnect"),
    ],
)  # fmt: skip
def test_an_item_becomes_its_events(
    tmp_path: Path, counter: TokenCounter, item: str, events: list[Any]
) -> None:
    found = reply(tmp_path, counter, f"events:\n- {item}")
    assert list(found.events) == events
    assert found.literal


def test_order_stands_and_calls_are_numbered_as_they_come(
    tmp_path: Path, counter: TokenCounter
) -> None:
    text = """
        omit: [role, usage]
        events:
          - content: a
          - tool_call: {name: f, force: true, arguments: {}}
          - reasoning: b
          - tool_call: {name: g, force: true, arguments: {}}
          - done
          - content: c
    """
    found = reply(tmp_path, counter, text)
    assert list(found.events) == [
        ContentDelta("a"), ToolCallStart("f"), ToolArgumentsDelta("{}"), ReasoningDelta("b"),
        ToolCallStart("g", index=1), ToolArgumentsDelta("{}", 1), DoneEvent(), ContentDelta("c"),
    ]  # fmt: skip
    assert found.omit == {"role", "usage"}


def test_no_events_are_an_empty_answer(tmp_path: Path, counter: TokenCounter) -> None:
    assert reply(tmp_path, counter, "events: []").events == ()


@pytest.mark.parametrize(
    ("item", "told", "message"),
    [
        pytest.param("engine_overloaded", (429, "engine_overloaded_error", ""), "overloaded",
                     id="named"),
        pytest.param("{name: engine_overloaded, message: no, event: error}",
                     (429, "engine_overloaded_error", "error"), "no", id="changed"),
        pytest.param("{message: broken, type: odd, status: 503}", (503, "odd", ""), "broken",
                     id="written-out"),
    ],
)  # fmt: skip
def test_an_error_is_worded_by_the_host(
    tmp_path: Path, counter: TokenCounter, item: str, told: tuple[int, str, str], message: str
) -> None:
    (found,) = reply(tmp_path, counter, f"events:\n- error_event: {item}").events
    assert isinstance(found, ErrorEvent)
    assert (found.error.status, found.error.type, found.event) == told
    assert message in found.error.message
