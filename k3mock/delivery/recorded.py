"""Turns a recorded answer into steps: its own writes, at its own times or faster; delivery layer.

Where a recording has no times, or its body was edited since, an event stream is cut after each
blank line and paced like a generated answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from k3mock.cassette.interaction import End
from k3mock.cassette.normalise import replayable
from k3mock.delivery.ending import cut_short
from k3mock.delivery.pacing import deadlines
from k3mock.delivery.script import USUAL, timed
from k3mock.delivery.silence import kept_alive
from k3mock.delivery.step import Abort, Send, Start, Wait
from k3mock.delivery.writing import joined
from k3mock.protocol.reply import Ending
from k3mock.wire.chunks import DONE, Frame, FrameKind
from k3mock.wire.headers import STREAM_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.cassette.interaction import Interaction, Pairs, RecordedResponse, Timing
    from k3mock.delivery.pacing import Pacing
    from k3mock.delivery.script import Shape
    from k3mock.delivery.step import Step
    from k3mock.seed import Chance

SILENCE_MS = 10_000.0
"""So long an answer is silent that timed out, where the recording does not say it."""

_OURS = "x-k3mock-"
_BLANK_LINE = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)|(?<=\r\r)")
_REASONING = re.compile(rb'"reasoning(?:_content)?": ?"[^"]')
_COMPLETION = re.compile(rb'"completion_tokens": ?(\d+)')


@dataclass(frozen=True, slots=True)
class _Write:
    """Bytes that leave together, and when, in milliseconds from the start."""

    due_ms: float
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """When the headers leave, what is written, and when the connection ends."""

    head_ms: float
    writes: Sequence[_Write]
    end_ms: float


def kept_headers(response: RecordedResponse, *, whole: bool, timing: Timing | None = None) -> Pairs:
    """Return the headers that are sent again; a length only where it was and still is true.

    An answer that was cut off promises what it promised then.
    """
    listed = [value for name, value in response.headers if name == "connection"]
    hops = {word.strip().lower() for value in listed for word in value.split(",")}
    kept = [
        (name, "".join(sign for sign in value if sign.isprintable()))
        for name, value in replayable(response.headers)
        if name not in hops and not name.startswith(_OURS)
    ]
    length = _length(response, timing, whole=whole)
    if length is not None and response.status not in {204, 304}:
        kept.append(("content-length", str(length)))
    return tuple(kept)


def _length(response: RecordedResponse, timing: Timing | None, *, whole: bool) -> int | None:
    promised = None if timing is None else timing.length
    here = len(response.body)
    if whole:
        sized = any(name == "content-length" for name, _ in response.headers)
        return here if sized or promised is not None else None
    return promised if promised is not None and promised > here else None


def steps(
    start: Start, interaction: Interaction, pacing: Pacing, chance: Chance, shape: Shape = USUAL
) -> Iterator[Step]:
    """Deliver a recorded answer, write by write; without pace all of it is one write.

    A knob may want the writes otherwise. An answer that did not end well ends as it did: what was
    recorded, then no proper end.
    """
    plan = _plan(interaction, pacing, chance)
    made = _made(start, interaction, plan)
    if shape.cut is not None:
        made = cut_short(made, shape.cut, len(interaction.response.body))
    if shape.writing.joins(instant=pacing.instant):
        made = joined(made)
    if shape.writing.keepalive_ms:
        made = kept_alive(made, start, shape.writing.keepalive_ms, shape.writing.comment)
    return timed(shape.writing.cut(made), shape)


def _made(start: Start, interaction: Interaction, plan: _Plan) -> Iterator[Step]:
    body = interaction.response.body
    if plan.head_ms:
        yield Wait(plan.head_ms)
    yield start
    at, now_ms = 0, plan.head_ms
    final = len(plan.writes) - 1 if interaction.whole else -1
    for number, write in enumerate(plan.writes):
        if write.due_ms > now_ms:
            now_ms = write.due_ms
            yield Wait(now_ms)
        last = number == final
        yield Send(
            write.data, _events(body, at, at + len(write.data)) or int(last),
            _tokens(body) if last else 0, last,
        )  # fmt: skip
        at += len(write.data)
    if interaction.whole:
        if final < 0:
            yield Send(b"", last=True)
        return
    if plan.end_ms > now_ms:
        yield Wait(plan.end_ms, quiet=True)
    yield Abort(Ending.UNTERMINATED)


def _events(body: bytes, start: int, end: int) -> int:
    """Return how many events of a stream end within a part of its body."""
    return body.count(b"\n\n", max(0, start - 1), end) + body.count(
        b"\r\n\r\n", max(0, start - 3), end
    )


def _tokens(body: bytes) -> int:
    """Return the tokens that an answer says it has."""
    counts = _COMPLETION.findall(body)
    return int(counts[-1][:9]) if counts else 0


def _plan(interaction: Interaction, pacing: Pacing, chance: Chance) -> _Plan:
    timing, body = interaction.timing, interaction.response.body
    if timing is not None and sum(size for _, size in timing.chunks) == len(body):
        return _as_recorded(timing, body, pacing)
    return _as_generated(interaction, pacing, chance)


def _as_recorded(timing: Timing, body: bytes, pacing: Pacing) -> _Plan:
    """Return the recorded times, faster or slower, no gap longer than the pace allows."""
    longest_ms = pacing.max_gap_ms or inf
    speed = inf if pacing.instant else pacing.speed

    def played(gap_us: int) -> float:
        return min(max(gap_us, 0) / 1000 / speed, longest_ms)

    now_ms = head_ms = played(timing.head_us)
    # The first write counts from the request, as the headers do.
    before_us = timing.head_us
    writes: list[_Write] = []
    at = 0
    for delta_us, size in timing.chunks:
        now_ms += played(delta_us - before_us)
        before_us = 0
        # A write of nothing is the time at which the connection ended.
        if size:
            writes.append(_Write(now_ms, body[at : at + size]))
        at += size
    if timing.end is End.TIMEOUT and (not timing.chunks or timing.chunks[-1][1]):
        now_ms += played(int(SILENCE_MS * 1000))
    return _Plan(head_ms=head_ms, writes=writes, end_ms=now_ms)


def _as_generated(interaction: Interaction, pacing: Pacing, chance: Chance) -> _Plan:
    """Return times as a generated answer would have them, a token an event."""
    response = interaction.response
    kind = dict(response.headers).get("content-type", "")
    pieces = [response.body]
    if kind.startswith(STREAM_TYPE):
        pieces = [piece for piece in _BLANK_LINE.split(response.body) if piece]
    frames = [_frame(piece) for piece in pieces if piece]
    due = list(deadlines(frames, pacing, chance))
    writes = [_Write(at, frame.data) for at, frame in zip(due, frames, strict=True)]
    timed_out = interaction.timing is not None and interaction.timing.end is End.TIMEOUT
    silence_ms = SILENCE_MS / pacing.speed if timed_out and not pacing.instant else 0.0
    head_ms = due[0] if due else 0.0
    return _Plan(head_ms=head_ms, writes=writes, end_ms=(due[-1] if due else 0.0) + silence_ms)


def _frame(piece: bytes) -> Frame:
    kind = FrameKind.REASONING if _REASONING.search(piece) else FrameKind.CONTENT
    spoken = DONE.strip() not in piece
    return Frame(piece, kind, tokens=int(spoken))
