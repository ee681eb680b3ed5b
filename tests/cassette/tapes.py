"""Turns a few words into recordings for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from k3mock.cassette.interaction import (
    Cassette,
    End,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    Timing,
)
from k3mock.protocol.request import RawRequest
from tests.support import CHAT, request

UPSTREAM = "https://api.moonshot.ai"
STREAM = (("content-type", "text/event-stream"),)
JSON = (("content-type", "application/json"),)


def recorded(
    body: Any = None,
    answer: str | bytes = "{}",
    *,
    number: int = 1,
    seq: int | None = None,
    uri: str = UPSTREAM + CHAT,
    method: str = "POST",
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = JSON,
    chunks: tuple[tuple[int, int], ...] = (),
    head_us: int = 0,
    end: End = End.COMPLETE,
    redacted: tuple[str, ...] = (),
) -> Interaction:
    """Return an interaction; with `seq` or `chunks` it has a timing."""
    timing = None
    if seq is not None or chunks or end is not End.COMPLETE or redacted:
        timing = Timing(
            seq=number if seq is None else seq, head_us=head_us, chunks=chunks, end=end,
            redacted=redacted,
        )  # fmt: skip
    return Interaction(
        number=number,
        request=RecordedRequest(
            method=method,
            uri=uri,
            headers=(("content-type", "application/json"),),
            body=as_bytes(request() if body is None else body),
        ),
        response=RecordedResponse(
            status=status,
            reason="",
            headers=headers,
            body=answer.encode() if isinstance(answer, str) else answer,
        ),
        timing=timing,
    )


def as_bytes(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def cassette(*interactions: Interaction, name: str = "login.yaml") -> Cassette:
    return Cassette(path=Path(name), interactions=interactions)


def raw(body: Any = None, path: str = CHAT, method: str = "POST", **headers: str) -> RawRequest:
    """Return a request as it comes off the wire."""
    data = as_bytes(request() if body is None else body)
    return RawRequest(method=method, path=path, headers=headers, body=data, size=len(data))
