"""Turns what was decided into a delivery: bytes, headers, pace and the journal's first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import isinf
from typing import TYPE_CHECKING, TypeAlias

from k3mock.answered import answered, retry_after_s, returns_reasoning, same_words
from k3mock.delivery import recorded as recording
from k3mock.delivery import script
from k3mock.delivery.beside import Beside
from k3mock.delivery.pacing import Pacing, parsed_pace
from k3mock.delivery.script import Shape
from k3mock.delivery.step import Start, Step
from k3mock.errors import K3MockError
from k3mock.fault.bend import UNBENT, Before, ByteCut
from k3mock.protocol.failure import Origin, mock_error
from k3mock.protocol.policy import Streaming
from k3mock.protocol.style import Style
from k3mock.redact import hide_secrets
from k3mock.version import __version__
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames
from k3mock.wire.envelope import Envelope
from k3mock.wire.failure import JSON_TYPE, encode_error
from k3mock.wire.headers import content_headers, date, laid_over, response_headers, stream_headers
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

    from k3mock.cassette.library import Played
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Host
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject
    from k3mock.options import RequestOptions
    from k3mock.past import Past
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest, RawRequest
    from k3mock.seed import AnswerIds, Seed
    from k3mock.state import Session
    from k3mock.wire.chunks import Frame

_MOST_NAMES, _NAME_CHARS = 20, 80
_UNSAFE = re.compile(r"[^ -~]")
"""A header holds letters of ASCII; rules of a profile of one's own may have others."""

STYLE = Style()
INSTANT = Pacing()
_FOR_EVER = Before(silence_ms=None)
TEXT_TYPE = "text/plain; charset=utf-8"
Pairs: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A request that has arrived, with everything drawn or looked up for it.

    `occurrence` is how often the session saw it before, `body` its JSON, or why there is none,
    `wire` the dialect to answer in; `started_ms` is when it was taken. `bend` is what faults do to
    its answer, whichever that will be, at a `speed` that divides their times. `secrets` are keys
    that nothing may show; `past` is what is known of its messages.
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
    past: Past
    entry: JournalEntry
    wire: WirePolicy
    started_ms: float
    bend: Bend = UNBENT
    speed: float = 1.0
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An answer ready to travel.

    Attributes:
        steps: what is to be done; they may come while the answer travels.
        good_end: what the journal says when the answer arrives whole.
        verdict: says how the answer ended, where its maker knows better than who carried it out.
    """

    steps: Iterator[Step] | AsyncGenerator[Step]
    entry: JournalEntry
    started_ms: float
    good_end: str
    verdict: Callable[[], str | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What the status line and headers are made of; `at_ms` is when they leave."""

    content: Pairs
    status: int = 200
    cached_tokens: int = 0
    extra: Pairs = ()
    at_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What an answer that is no chat completion may look at and change.

    `balance` are the dollars that the session has left, None where no balance was set.
    """

    host: Host
    session: Session
    ids: AnswerIds
    balance: float | None = None


Answering: TypeAlias = "Callable[[Visit], JSONObject | str | ApiError]"
"""Gives JSON, plain text or a refusal."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a reply is given: who it is from, at what pace, in what style, bent by which faults."""

    label: str
    pace: str
    style: Style = STYLE
    bend: Bend = UNBENT


def reply(taken: Taken, request: ChatRequest, answer: Reply, manner: Manner) -> Delivery:
    """Deliver a generated answer, streamed or whole."""
    for number, edit in enumerate(manner.bend.accounted):
        chance = taken.seed.chance(b"accounted", taken.digest, number.to_bytes(4))
        answer = edit(answer, request, chance)
    streams = {Streaming.ALWAYS: True, Streaming.NEVER: False}
    if streams.get(taken.wire.streaming, request.stream):
        return _streamed(taken, request, answer, manner)
    return _whole(taken, request, answer, manner)


def _streamed(taken: Taken, request: ChatRequest, answer: Reply, manner: Manner) -> Delivery:
    wire, bend = taken.wire, manner.bend
    pacing = parsed_pace(manner.pace)
    frames: Sequence[Frame]
    frames = plain = encode_frames(
        answer,
        _envelope(taken, request),
        wire,
        include_usage=request.include_usage,
        chance=taken.seed.chance(b"order", taken.digest),
    )
    for number, edit in enumerate(bend.frames):
        frames = edit(frames, taken.seed.chance(b"frames", taken.digest, number.to_bytes(4)))
    if not bend.frames or same_words(plain, frames):
        _note_answer(taken, answer, frames)
    shape = Shape.of(wire, bend, pacing.speed)
    head = _Head(
        content=stream_headers(wire),
        cached_tokens=_cached(answer),
        extra=manner.style.headers,
        at_ms=pacing.ttft_ms / pacing.speed + shape.delay_ms,
    )
    chance = taken.seed.chance(b"pace", taken.digest)
    start = _start(taken, head, manner.label)
    return _delivery(taken, script.stream(start, frames, pacing, chance, shape))


def _whole(taken: Taken, request: ChatRequest, answer: Reply, manner: Manner) -> Delivery:
    """Deliver an answer as one body; what would happen in its stream happens to the body."""
    wire, bend = taken.wire, manner.bend
    pacing = parsed_pace(manner.pace)
    beside = Beside.of(answer)
    if isinf(beside.silence_ms):
        return _before(taken, script.before(_FOR_EVER), manner.label)
    if beside.error is not None:
        at_ms = beside.silence_ms / pacing.speed
        return failure(taken, beside.error, manner.label, bend, pacing, at_ms=at_ms)
    envelope = _envelope(taken, request)
    body = encode_body(answer, envelope, wire)
    at_ms = beside.silence_ms / pacing.speed
    if not pacing.instant:
        said = replace(answer, events=beside.spoken)
        frames = encode_frames(said, envelope, wire, include_usage=False)
        at_ms += script.complete_at_ms(frames, pacing, taken.seed.chance(b"pace", taken.digest))
    body = _edited(taken, body, bend)
    if not bend.body:
        _note_answer(taken, answer, None)
    if beside.cut is not None:
        bend = replace(bend, cut=ByteCut(at=len(body) // 2, how=beside.cut))
    shape = Shape.of(wire, bend, pacing.speed)
    head = _Head(
        content=content_headers(body, JSON_TYPE, wire),
        cached_tokens=_cached(answer),
        extra=manner.style.headers,
        at_ms=at_ms + shape.delay_ms,
    )
    start = _start(taken, head, manner.label)
    steps = script.whole(start, body, at_ms=at_ms, tokens=beside.tokens, shape=shape)
    return _delivery(taken, steps)


def bent(taken: Taken, bend: Bend, label: str, pace: str = "instant") -> Delivery:
    """Deliver what faults give instead of an answer."""
    pacing = parsed_pace(pace)
    if bend.before is not None:
        steps = script.before(bend.before, delay_ms=bend.delay_ms, speed=pacing.speed)
        return _before(taken, steps, label)
    error = bend.instead or mock_error("the fault gives no answer")
    return failure(taken, error, label, bend, pacing)


def _before(taken: Taken, steps: Iterator[Step], label: str) -> Delivery:
    """Deliver what is no HTTP answer: it has no status."""
    taken.entry.source = label
    return _delivery(taken, steps, good_end="fault")


def success(taken: Taken, answer: JSONObject | str) -> Delivery:
    """Deliver JSON or plain text that is no chat completion."""
    text = isinstance(answer, str)
    body = answer.encode() if isinstance(answer, str) else encode(answer, escape=False)
    body = _edited(taken, body, taken.bend)
    # The dialect's type is that of answers of the model.
    wire = replace(taken.wire, content_type="")
    shape = Shape.of(wire, taken.bend, taken.speed)
    content = content_headers(body, TEXT_TYPE if text else JSON_TYPE, wire)
    label = "+".join(("profile", *taken.bend.names))
    start = _start(taken, _Head(content=content, at_ms=shape.delay_ms), label)
    return _delivery(taken, script.whole(start, body, shape=shape))


def failure(
    taken: Taken,
    error: ApiError,
    label: str,
    bend: Bend | None = None,
    pacing: Pacing | None = None,
    *,
    at_ms: float = 0.0,
) -> Delivery:
    """Deliver an error; `label` says who made it: `contract:…`, `fault:…`, `miss:…`, `k3mock`.

    What bends it is `bend`, else what bends every answer to the request. What the mock says itself
    arrives as it is: labelled as what it is, whatever the dialect, and without the server's keys.
    """
    ours = error.origin is Origin.MOCK
    end = "fault" if label.startswith("fault:") or "+" in label else "error"
    if bend is None:
        bend = UNBENT if ours else taken.bend
        label = "+".join((label, *bend.names))
    wire = replace(taken.wire, content_type="") if ours else taken.wire
    body, content_type = encode_error(_hidden(taken, error) if ours else error, wire)
    body = _edited(taken, body, bend)
    shape = Shape.of(wire, bend, taken.speed if pacing is None else pacing.speed)
    content = content_headers(body, content_type, wire)
    extra = error.headers
    if bend.early:
        # What the client still sends is not read; the connection cannot serve another request.
        extra = (*extra, ("connection", "close"))
    head = _Head(content=content, status=error.status, extra=extra, at_ms=at_ms + shape.delay_ms)
    taken.entry.refusal = error.type
    steps = script.whole(_start(taken, head, label), body, at_ms=at_ms, shape=shape)
    return _delivery(taken, steps, good_end=end)


def _hidden(taken: Taken, error: ApiError) -> ApiError:
    """Return an error of the mock whose message shows no key."""
    who, mark, said = error.message.partition(": ")
    return replace(error, message=f"{who}{mark}{without_keys(taken, said)}")


def without_keys(taken: Taken, text: str) -> str:
    """Return a text for people without what looks like a key, and without the server's own."""
    return hide_secrets(text.encode("utf-8", "replace"), *taken.secrets).decode()


def recorded(taken: Taken, played: Played, pace: str, bend: Bend = UNBENT) -> Delivery:
    """Deliver a recorded answer; of the faults, what cuts or delays bytes acts on it.

    Raises:
        K3MockError: a recorded status that is none of a final answer.
    """
    interaction, pacing = played.interaction, parsed_pace(pace)
    response = interaction.response
    if not 200 <= response.status <= 599:
        raise K3MockError(
            f"the recorded answer has the status {response.status}, which no server can send",
            where=played.label, accepted="200 to 599",
        )  # fmt: skip
    shape = Shape.of(taken.wire, bend, pacing.speed)
    whole = interaction.whole and shape.cut is None
    # What a fault cuts or a comment is put into has another length.
    framing = None if shape.cut or shape.writing.keepalive_ms else interaction.timing
    waits = {name.lower(): value for name, value in response.headers}
    taken.entry.retry_after_s = retry_after_s(waits, taken.ids.now)
    taken.entry.status = response.status
    taken.entry.source = label = "+".join((played.label, *bend.names))
    headers = (
        ("date", date(taken.ids.now)),
        *recording.kept_headers(response, whole=whole, timing=framing),
        *_own(taken, label),
        ("x-k3mock-match", played.tier),
        ("x-k3mock-interaction", str(interaction.number)),
    )
    chance = taken.seed.chance(b"pace", taken.digest)
    start = Start(response.status, headers)
    steps = recording.steps(start, interaction, pacing, chance, shape)
    return _delivery(taken, steps, good_end="complete" if response.status < 400 else "error")


def _note_answer(taken: Taken, answer: Reply, frames: Sequence[Frame] | None) -> None:
    comes_back = returns_reasoning(taken.wire, taken.host.profile.forward)
    taken.entry.answer = answered(answer, frames, reasoning=comes_back, secrets=taken.secrets)


def _edited(taken: Taken, body: bytes, bend: Bend) -> bytes:
    for number, edit in enumerate(bend.body):
        body = edit(body, taken.seed.chance(b"body", taken.digest, number.to_bytes(4)))
    return body


def _envelope(taken: Taken, request: ChatRequest) -> Envelope:
    return Envelope(
        id=taken.ids.completion,
        created=taken.ids.created,
        model=request.model,
        fingerprint=taken.seed.fingerprint,
    )


def _cached(answer: Reply) -> int:
    return answer.usage.cached if answer.usage is not None else 0


def _start(taken: Taken, head: _Head, label: str) -> Start:
    headers = response_headers(
        taken.ids,
        taken.host.profile.headers,
        content=head.content,
        cached_tokens=head.cached_tokens,
        nonce=taken.raw.headers.get("x-msh-request-nonce"),
        now=taken.ids.now + head.at_ms / 1000,
    )
    headers = laid_over(laid_over(headers, head.extra), _own(taken, label))
    headers += _warned(taken, label)
    if taken.entry.effective is not None:
        headers.append(("x-k3mock-effort", str(taken.entry.effective["reasoning_effort"])))
    taken.entry.status, taken.entry.source = head.status, label
    taken.entry.retry_after_s = retry_after_s(dict(headers), taken.ids.now)
    return Start(head.status, tuple(headers))


def _own(taken: Taken, label: str) -> Pairs:
    return (
        ("x-k3mock-version", __version__),
        ("x-k3mock-source", label),
        ("x-k3mock-request", taken.entry.id),
    )


def _warned(taken: Taken, label: str) -> Pairs:
    """Return the header that names the warnings, where there are any.

    What a request was refused for is no warning.
    """
    names = dict.fromkeys(
        found.rule or "" for found in taken.entry.warnings
        if not found.info and f"contract:{found.rule}" != label
    )  # fmt: skip
    shown = list(names)[:_MOST_NAMES]
    if len(names) > len(shown):
        shown.append(f"+{len(names) - len(shown)}")
    value = _UNSAFE.sub("?", ",".join(name[:_NAME_CHARS] for name in shown))
    return (("x-k3mock-warnings", value),) if shown else ()


def _delivery(taken: Taken, steps: Iterator[Step], *, good_end: str = "complete") -> Delivery:
    return Delivery(steps=steps, entry=taken.entry, started_ms=taken.started_ms, good_end=good_end)


def chosen_pace(options: RequestOptions, below: str) -> str:
    """Return the pace of an answer: the request's own, or `below`."""
    chosen = options.pace
    if chosen is not None and chosen.startswith("speed="):
        # A speed alone is laid over whatever pace holds.
        return f"{below},{chosen}"
    return chosen or below
