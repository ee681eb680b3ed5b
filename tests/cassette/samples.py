"""Turns a few words into recorded interactions, for tests that need no file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from k3mock.cassette.interaction import (
    Cassette,
    End,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    Timing,
)
from tests.support import request

if TYPE_CHECKING:
    from collections.abc import Sequence

URI = "https://api.moonshot.ai/v1/chat/completions"
JSON = (("content-type", "application/json"),)
SSE = (("content-type", "text/event-stream; charset=utf-8"),)
USAGE = {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}


def completion(content: str = "Hello.", **message: Any) -> dict[str, Any]:
    """Return a whole completion; `finish` and `usage` replace the usual ones."""
    finish = message.pop("finish", "stop")
    usage = message.pop("usage", USAGE)
    said = {"role": "assistant", "content": content, **message}
    choices = [{"index": 0, "message": said, "finish_reason": finish}]
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "kimi-k3",
            "choices": choices, "usage": usage}  # fmt: skip


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1,
            "model": "kimi-k3", "choices": choices}  # fmt: skip


def sse(*events: Any) -> list[bytes]:
    """Return the writes of a stream, one for each event; texts stand as they are."""
    return [
        f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n".encode()
        for each in events
    ]


def interaction(
    body: Any = None,
    answer: Any = None,
    *,
    number: int = 1,
    status: int = 200,
    end: End = End.COMPLETE,
    **more: Any,
) -> Interaction:
    """Return an exchange; `answer` is JSON, bytes, or a list of writes (10 ms apart)."""
    asked = request() if body is None else body
    said = completion() if answer is None else answer
    writes = said if isinstance(said, list) else [
        said if isinstance(said, bytes) else json.dumps(said).encode()
    ]  # fmt: skip
    timing = Timing(
        seq=number, at="2026-11-29T18:26:09Z", head_us=9_000, end=end,
        chunks=tuple((10_000, len(write)) for write in writes),
        redacted=more.pop("redacted", ()), error=more.pop("error", None),
    )  # fmt: skip
    return Interaction(
        number=number,
        request=RecordedRequest(
            method=more.pop("method", "POST"), uri=more.pop("uri", URI), headers=JSON,
            body=asked if isinstance(asked, bytes) else json.dumps(asked).encode(),
        ),
        response=RecordedResponse(
            status=status, reason=more.pop("reason", "OK"),
            headers=more.pop("headers", SSE if isinstance(said, list) else JSON),
            body=b"".join(writes),
        ),
        timing=more.pop("timing", timing),
    )  # fmt: skip


def cassette(interactions: Sequence[Interaction], name: str = "session.yaml") -> Cassette:
    return Cassette(path=Path(name), interactions=tuple(interactions))


STREAM = sse(
    chunk(role="assistant", content=""),
    chunk(reasoning_content="I should "),
    chunk(reasoning_content="look it up."),
    chunk(tool_calls=[{"index": 0, "id": "get_weather:0", "type": "function",
                       "function": {"name": "get_weather", "arguments": ""}}]),
    chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"city":'}}]),
    chunk(tool_calls=[{"index": 0, "function": {"arguments": '"Izmir"}'}}]),
    chunk("tool_calls"),
    {**chunk(), "choices": [], "usage": USAGE},
    "[DONE]",
)  # fmt: skip
"""A stream with thinking and a tool call."""
