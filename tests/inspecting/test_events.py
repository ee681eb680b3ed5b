from __future__ import annotations

import json
from typing import Any

import pytest

from k3mock.inspecting.events import Kind, events_of


def frame(**delta: Any) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (frame(reasoning_content="hm"), Kind.REASONING, "hm"),
        (frame(reasoning="hm"), Kind.REASONING, "hm"),
        (frame(reasoning_details=[{"text": "h"}, {"text": "m"}]), Kind.REASONING, "hm"),
        (frame(content="Hi", reasoning_content=None), Kind.CONTENT, "Hi"),
        (frame(content=[{"type": "text", "text": "Hi"}]), Kind.CONTENT, "Hi"),
        (frame(tool_calls=[{"index": 0, "function": {"arguments": '{"a'}}]), Kind.TOOL, '{"a'),
        (frame(role="assistant", content=""), Kind.OTHER, ""),
        (b'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\n', Kind.OTHER, ""),
        (b"data: [DONE]\n\n", Kind.OTHER, ""),
        (b": keep-alive\n\n", Kind.OTHER, ""),
        (b'event: error\ndata: {"error": {"message": "x"}}\n\n', Kind.FAULT, ""),
        (b'data: {"choices": [{"del\n\n', Kind.FAULT, ""),
        (b"data: [1, 2]\r\n\r\n", Kind.OTHER, ""),
    ],
)
def test_an_event_is_of_the_kind_that_it_carries(data: bytes, kind: Kind, text: str) -> None:
    [event] = events_of(data, stream=True, secrets=())
    assert (event.kind, event.text) == (kind, text)
    assert (event.start, event.end) == (0, len(data))


def test_a_whole_body_is_one_event() -> None:
    said = {"choices": [{"message": {"content": "Hi", "reasoning_content": "x"}}]}
    [event] = events_of(json.dumps(said).encode(), stream=False, secrets=())
    assert event.kind is Kind.CONTENT
    [refused] = events_of(b'{"error": {"message": "no"}}', stream=False, secrets=())
    assert refused.kind is Kind.FAULT
    [page] = events_of(b"<html>502</html>", stream=False, secrets=())
    assert page.kind is Kind.FAULT
    assert events_of(b"", stream=False, secrets=()) == []


def test_what_no_blank_line_ends_is_an_event_as_well() -> None:
    body = frame(content="a") + b'data: {"cho'
    first, last = events_of(body, stream=True, secrets=())
    assert first.end == last.start
    assert (last.end, last.kind) == (len(body), Kind.FAULT)


def test_a_secret_in_one_event_hides_that_event_alone() -> None:
    body = frame(content="a") + frame(content="use sk-Abcdefgh12345678") + frame(role="assistant")
    hidden = [event.hidden for event in events_of(body, stream=True, secrets=())]
    # The words together show it, so that all of them are hidden; other frames are not.
    assert hidden == [True, True, False]
    extra = b'data: {"note": "my-key", "choices": []}\n\n'
    events = events_of(frame(content="a") + extra, stream=True, secrets=("my-key",))
    assert [event.hidden for event in events] == [False, True]


def test_a_secret_that_is_spread_over_events_hides_all_of_their_kind() -> None:
    body = frame(reasoning_content="x") + b"".join(frame(content=part) for part in ("my-", "key"))
    events = events_of(body, stream=True, secrets=("my-key",))
    assert [event.hidden for event in events] == [False, True, True]
    assert [event.text for event in events] == ["x", "", ""]
