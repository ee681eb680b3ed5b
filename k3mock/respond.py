"""Turns what was decided into a delivery: bytes, headers, pace and the journal's first lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from k3mock.delivery import script
from k3mock.delivery.pacing import parse_pace
from k3mock.delivery.step import Start, Step
from k3mock.fault.bend import UNBENT
from k3mock.protocol.failure import Origin
from k3mock.protocol.style import Style
from k3mock.version import __version__
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames
from k3mock.wire.envelope import Envelope
from k3mock.wire.failure import JSON_TYPE, encode_error
from k3mock.wire.headers import content_headers, response_headers, stream_headers
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.delivery.pacing import Pacing
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Host
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject
    from k3mock.options import RequestOptions
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest, RawRequest
    from k3mock.seed import AnswerIds, Seed
    from k3mock.state import Session

STYLE = Style()
TEXT_TYPE = "text/plain; charset=utf-8"
Pairs: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A request that has arrived, with everything drawn or looked up for it.

    `occurrence` is how often the session saw it before, `body` its JSON, or why there is none,
    `wire` the dialect to answer in; `started_ms` is when it was taken.
    """

    raw: RawRequest
    host: Host
    session: Session
    options: RequestOptions
    seed: Seed
    ids: AnswerIds
    digest: bytes
    occurrence: int
    body: JSONObject | ApiError
    entry: JournalEntry
    wire: WirePolicy
    started_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An answer ready to travel; `good_end` is what the journal says when it arrives whole."""

    steps: Iterator[Step]
    entry: JournalEntry
    started_ms: float
    good_end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What the status line and headers are made of; `at_ms` is when they leave."""

    content: Pairs
    status: int = 200
    cached_tokens: int = 0
    extra: Pairs = ()
    at_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How a reply is given: who it is from, at what pace, in what style, bent by which faults."""

    label: str
    pace: str
    style: Style = STYLE
    bend: Bend = UNBENT


def reply(taken: Taken, request: ChatRequest, answer: Reply, manner: Manner) -> Delivery:
    """Deliver a generated answer, streamed or whole."""
    wire = taken.wire
    envelope = Envelope(
        id=taken.ids.completion,
        created=taken.ids.created,
        model=request.model,
        fingerprint=taken.seed.fingerprint,
    )
    pacing = _parsed_pace(manner.pace)
    chance = taken.seed.chance(b"pace", taken.digest)
    cached = answer.usage.cached if answer.usage is not None else 0
    if request.stream:
        frames = encode_frames(answer, envelope, wire, include_usage=request.include_usage)
        at_ms = pacing.ttft_ms / pacing.speed
        head = _Head(content=stream_headers(wire), cached_tokens=cached, at_ms=at_ms)
        steps = script.stream(_start(taken, head, manner.label), frames, pacing, chance)
        return _delivery(taken, steps)
    body = encode_body(answer, envelope, wire)
    at_ms = 0.0
    if not pacing.instant:
        frames = encode_frames(answer, envelope, wire, include_usage=False)
        at_ms = script.complete_at_ms(frames, pacing, chance)
    content = content_headers(body, JSON_TYPE, wire)
    start = _start(taken, _Head(content=content, cached_tokens=cached, at_ms=at_ms), manner.label)
    tokens = sum(event.tokens for event in answer.events)
    return _delivery(taken, script.whole(start, body, at_ms=at_ms, tokens=tokens))


def bent(taken: Taken, bend: Bend, label: str) -> Delivery:
    """Deliver what faults give instead of an answer."""
    if bend.instead is not None:
        return failure(taken, bend.instead, label)
    raise NotImplementedError


def success(taken: Taken, answer: JSONObject | str) -> Delivery:
    """Deliver JSON or plain text that is no chat completion."""
    text = isinstance(answer, str)
    body = answer.encode() if isinstance(answer, str) else encode(answer, escape=False)
    content = content_headers(body, TEXT_TYPE if text else JSON_TYPE, taken.wire)
    return _delivery(taken, script.whole(_start(taken, _Head(content=content), "profile"), body))


def failure(taken: Taken, error: ApiError, label: str) -> Delivery:
    """Deliver an error; `label` says who made it: `contract:…`, `fault:…`, `miss:…`, `k3mock`."""
    # What the mock says itself is labelled as what it is, whatever the dialect.
    wire = replace(taken.wire, content_type="") if error.origin is Origin.MOCK else taken.wire
    body, content_type = encode_error(error, wire)
    content = content_headers(body, content_type, wire)
    head = _Head(content=content, status=error.status, extra=error.headers)
    end = "fault" if label.startswith("fault:") or "+" in label else "error"
    return _delivery(taken, script.whole(_start(taken, head, label), body), good_end=end)


def _start(taken: Taken, head: _Head, label: str) -> Start:
    headers = response_headers(
        taken.ids,
        taken.host.profile.headers,
        content=head.content,
        cached_tokens=head.cached_tokens,
        nonce=taken.raw.headers.get("x-msh-request-nonce"),
        now=taken.ids.now + head.at_ms / 1000,
    )
    headers += [(name.lower(), value) for name, value in head.extra]
    headers += [
        ("x-k3mock-version", __version__),
        ("x-k3mock-source", label),
        ("x-k3mock-request", taken.entry.id),
    ]
    taken.entry.status = head.status
    taken.entry.source = label
    return Start(head.status, tuple(headers))


def _delivery(taken: Taken, steps: Iterator[Step], *, good_end: str = "complete") -> Delivery:
    return Delivery(steps=steps, entry=taken.entry, started_ms=taken.started_ms, good_end=good_end)


@lru_cache(maxsize=256)
def _parsed_pace(text: str) -> Pacing:
    return parse_pace(text)
