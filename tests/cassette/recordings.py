"""Turns a few words into recorded interactions, as the tests of cassettes need them."""

from __future__ import annotations

import json
from typing import Any

from vcr.request import Request
from vcr.serialize import serialize
from vcr.serializers import jsonserializer, yamlserializer

from k3mock.cassette.interaction import (
    End,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    Timing,
)

BASE = "https://api.moonshot.ai/v1"
URI = f"{BASE}/chat/completions"
DONE = b"data: [DONE]\n\n"


def asked(text: str, *, stream: bool = False) -> dict[str, Any]:
    """The body of a request, as every client of these tests sends it."""
    body: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "model": "kimi-k3"}
    return {**body, "stream": True} if stream else body


def completion(text: str) -> bytes:
    """A whole answer."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "kimi-k3"}
    return json.dumps({**answer, "choices": [choice]}, ensure_ascii=False).encode()


def event(text: str) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
    data = json.dumps({**chunk, "model": "kimi-k3", "choices": [choice]}, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


def streamed(*words: str) -> list[bytes]:
    """The writes of a stream."""
    return [*map(event, words), DONE]


def recorded(
    seq: int = 1,
    question: str = "Hi",
    writes: list[bytes] | None = None,
    *,
    end: End = End.COMPLETE,
    at: str = "2026-11-29T18:26:09Z",
) -> Interaction:
    """A streamed answer with its times, as the recorder keeps it."""
    chosen = streamed("Hel", "lo ", "世界") if writes is None else writes
    return Interaction(
        number=seq,
        request=RecordedRequest(
            method="POST",
            uri=URI,
            headers=(("accept", "application/json"), ("content-type", "application/json")),
            body=json.dumps(asked(question, stream=True)).encode(),
        ),
        response=RecordedResponse(
            status=200,
            reason="OK",
            headers=(("content-type", "text/event-stream; charset=utf-8"),),
            body=b"".join(chosen),
        ),
        timing=Timing(
            seq=seq,
            at=at,
            head_us=21_347,
            chunks=tuple((1_000 * number, len(data)) for number, data in enumerate(chosen, 22)),
            end=end,
            error=None if end is End.COMPLETE else "RemoteProtocolError",
        ),
    )


def answered(
    seq: int = 1,
    question: str = "Hi",
    answer: bytes | None = None,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
) -> Interaction:
    """An answer in one piece."""
    body = completion("Hello 世界") if answer is None else answer
    return Interaction(
        number=seq,
        request=RecordedRequest(
            method="POST",
            uri=URI,
            headers=(("content-type", "application/json"),),
            body=json.dumps(asked(question)).encode(),
        ),
        response=RecordedResponse(
            status=status,
            reason={200: "OK", 429: "Too Many Requests"}[status],
            headers=(("content-type", "application/json"), *headers),
            body=body,
        ),
        timing=Timing(seq=seq, at="2026-11-29T18:26:09Z", head_us=9, chunks=((10, len(body)),)),
    )


def stock(interactions: list[Interaction], *, json_format: bool = False) -> str:
    """The same data written by vcrpy itself."""
    requests, responses = [], []
    for each in interactions:
        headers = dict(each.request.headers)
        requests.append(
            Request(each.request.method, each.request.uri, each.request.body, headers)
        )  # fmt: skip
        timing = each.timing
        response: dict[str, Any] = {
            "status": {"code": each.response.status, "message": each.response.reason},
            "headers": {name: [value] for name, value in each.response.headers},
            "body": {"string": each.response.body},
        }
        if timing is not None:
            response["k3mock"] = {
                "v": 1,
                "seq": timing.seq,
                "at": timing.at,
                "head_us": timing.head_us,
                "chunks": " ".join(f"{delta}/{size}" for delta, size in timing.chunks),
                "end": timing.end.value,
            }
        responses.append(response)
    chosen = jsonserializer if json_format else yamlserializer
    text: str = serialize({"requests": requests, "responses": responses}, chosen)
    return text
