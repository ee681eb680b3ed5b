"""Turns an encoded answer and a pace into the list of steps that a driver carries out.

Steps are made in one order: events and their deadlines, a cut, writes joined, life signs, writes
cut, a delay. Each of the later five is a change of steps that is left out where nothing asks for
it, so that an ordinary stream costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import isinf
from typing import TYPE_CHECKING

from k3mock.delivery.ending import cut_at, cut_in_time, cut_short, with_length
from k3mock.delivery.pacing import deadlines
from k3mock.delivery.silence import delayed, kept_alive
from k3mock.delivery.step import Abort, Bare, Burst, Hold, Send, Start, Step, Wait
from k3mock.delivery.writing import PLAIN, Writing, joined
from k3mock.protocol.reply import Ending
from k3mock.wire.chunks import FrameKind, PlainFrames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.delivery.pacing import Pacing
    from k3mock.fault.bend import Before, Bend, ByteCut, TimeCut
    from k3mock.protocol.policy import WirePolicy
    from k3mock.seed import Chance
    from k3mock.wire.chunks import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How the bytes of an answer travel, beside their pace.

    Attributes:
        writing: how they are cut into writes.
        delay_ms: silence before the status line.
        cut: where the body ends before its time.
        cut_ms: what happens at a time, whatever was sent by then.
        speed: divides that time.
        lead: bytes before a whole body, each after its milliseconds of silence.
    """

    writing: Writing = PLAIN
    delay_ms: float = 0.0
    cut: ByteCut | None = None
    cut_ms: TimeCut | None = None
    speed: float = 1.0
    lead: tuple[tuple[float, bytes], ...] = ()

    @property
    def bursts(self) -> bool:
        """Whether each event is a write of its own, and nothing comes between two of them."""
        return self.writing.singly and not (self.cut or self.cut_ms or self.delay_ms)

    @staticmethod
    def of(policy: WirePolicy, bend: Bend, speed: float = 1.0) -> Shape:
        """Return what knobs and faults say; `speed` divides all times but the gaps of writes."""
        return Shape(
            writing=Writing.of(policy, speed),
            delay_ms=bend.delay_ms / speed,
            cut=bend.cut,
            cut_ms=bend.cut_ms,
            speed=speed,
            lead=tuple((ms / speed, data) for ms, data in bend.lead),
        )


USUAL = Shape()


def whole(
    start: Start, body: bytes, *, at_ms: float = 0.0, tokens: int = 0, shape: Shape = USUAL
) -> Iterator[Step]:
    """Deliver a whole body; not even headers leave before `at_ms`, when the answer is complete.

    Evidence: time to first byte equals total time in five of five raw calls of 2026-07. Bytes that
    lead take the headers along, which cannot say a length then; a cut that ends the body cleanly
    says the length of what is left.
    """
    cut, total = shape.cut, len(body) + sum(len(data) for _, data in shape.lead)
    if shape.lead:
        start = with_length(start, None)
    elif cut is not None and cut.how is Ending.CLEAN:
        start = with_length(start, cut_at(cut, total))
    steps = _body(start, body, max(at_ms, sum(ms for ms, _ in shape.lead)), tokens, shape.lead)
    if cut is not None:
        steps = cut_short(steps, cut, total)
    return timed(shape.writing.cut(steps), shape)


def timed(steps: Iterator[Step], shape: Shape) -> Iterator[Step]:
    """Lay a delay, and then what happens at a time, over steps."""
    if shape.delay_ms:
        steps = delayed(steps, shape.delay_ms)
    if shape.cut_ms is not None:
        steps = cut_in_time(steps, shape.cut_ms, shape.speed)
    return steps


def _body(
    start: Start, body: bytes, at_ms: float, tokens: int, lead: tuple[tuple[float, bytes], ...]
) -> Iterator[Step]:
    due_ms = 0.0
    for number, (ms, data) in enumerate(lead):
        due_ms += ms
        yield Wait(due_ms, quiet=True)
        if not number:
            yield start
        yield Send(data)
    if at_ms > 0:
        yield Wait(at_ms, quiet=bool(lead))
    if not lead:
        yield start
    yield Send(body, events=1, tokens=tokens, last=True)


def stream(
    start: Start, frames: Sequence[Frame], pacing: Pacing, chance: Chance, shape: Shape = USUAL
) -> Iterator[Step]:
    """Deliver frames: coalesced into one write when instant, else a write per event."""
    writing, cut = shape.writing, shape.cut
    joins = writing.joins(instant=pacing.instant)
    if joins and pacing.instant and cut is None and not _acts(frames):
        steps = _at_once(start, frames)
    elif shape.bursts and not joins and isinstance(frames, PlainFrames):
        return _burst(start, frames, pacing, chance)
    else:
        steps = _events(start, frames, pacing, chance)
        if cut is not None:
            steps = cut_short(steps, cut, _size(frames))
        if joins:
            steps = joined(steps)
    if writing.keepalive_ms:
        steps = kept_alive(steps, start, writing.keepalive_ms, writing.comment)
    return timed(writing.cut(steps), shape)


def _acts(frames: Sequence[Frame]) -> bool:
    """Say whether a frame does something instead of holding bytes."""
    if isinstance(frames, PlainFrames):
        return False
    # Nearly always all frames hold bytes; a list is what tells that fastest.
    empty = b"" in [frame.data for frame in frames]
    return empty and any(frame.kind in _ACTS for frame in frames)


_ACTS = {FrameKind.STALL, FrameKind.END}


def _size(frames: Sequence[Frame]) -> int:
    """Return how many bytes are sent before the first end."""
    size = 0
    for frame in frames:
        if frame.ending is not None:
            break
        size += len(frame.data)
    return size


def _at_once(start: Start, frames: Sequence[Frame]) -> Iterator[Step]:
    yield start
    if isinstance(frames, PlainFrames):
        yield Send(frames.joined(), events=len(frames), tokens=frames.cost, last=True)
        return
    pieces = [frame.data for frame in frames]
    events = len(pieces) - pieces.count(b"")
    tokens = sum([frame.tokens for frame in frames])
    yield Send(b"".join(pieces), events=events, tokens=tokens, last=True)


def _burst(start: Start, frames: PlainFrames, pacing: Pacing, chance: Chance) -> Iterator[Step]:
    """Send each event when it is due, where nothing else happens; the steps would cost more."""
    due = None
    if not pacing.instant:
        due = deadlines(frames, pacing, chance)
        first_ms = next(due)
        due = chain((first_ms,), due)
        if first_ms:
            yield Wait(first_ms)
    yield start
    yield Burst(len(frames), frames.data, frames.tokens(), due)


def _events(
    start: Start, frames: Sequence[Frame], pacing: Pacing, chance: Chance
) -> Iterator[Step]:
    """Send each event when it is due; headers leave with the first one."""
    final = len(frames) - 1
    started = False
    hidden = 0
    due = deadlines(frames, pacing, chance)
    for number, frame, at_ms in zip(range(len(frames)), frames, due, strict=True):
        if at_ms:
            yield Wait(at_ms)
        if not started and frame.kind is not FrameKind.STALL:
            started = True
            yield start
        if frame.data:
            last = number == final
            yield Send(frame.data, events=1, tokens=frame.tokens + hidden, last=last)
            hidden = 0
            if last:
                return
        elif frame.ending is not None:
            yield Abort(frame.ending)
            return
        elif frame.kind is not FrameKind.STALL:
            hidden += frame.tokens
        elif isinf(frame.stall_ms):
            yield Hold()
            return
        else:
            yield Wait(at_ms + frame.stall_ms / pacing.speed, quiet=True)
    if not started:
        yield start
    yield Send(b"", tokens=hidden, last=True)


def complete_at_ms(frames: Sequence[Frame], pacing: Pacing, chance: Chance) -> float:
    """Return when an answer of these frames is complete, for bodies that are not streamed."""
    return 0.0 if pacing.instant else max(deadlines(frames, pacing, chance), default=0.0)


def before(happening: Before, *, delay_ms: float = 0.0, speed: float = 1.0) -> Iterator[Step]:
    """Give what happens on the connection instead of an answer."""
    if delay_ms:
        yield Wait(delay_ms / speed)
    if happening.silence_ms is None:
        yield Hold()
        return
    if happening.silence_ms:
        yield Wait((delay_ms + happening.silence_ms) / speed)
    if happening.data:
        yield Bare(happening.data)
    yield Hold() if happening.how is None else Abort(happening.how)
