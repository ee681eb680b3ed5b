"""Turns an encoded answer and a pace into the list of steps that a driver carries out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.delivery.pacing import deadlines
from k3mock.delivery.step import Send, Start, Step, Wait
from k3mock.wire.chunks import FrameKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.delivery.pacing import Pacing
    from k3mock.seed import Chance
    from k3mock.wire.chunks import Frame


def whole(start: Start, body: bytes, *, at_ms: float = 0.0, tokens: int = 0) -> Iterator[Step]:
    """Deliver a whole body; not even headers leave before `at_ms`, when the answer is complete.

    Evidence: time to first byte equals total time in five of five raw calls of 2026-07.
    """
    if at_ms > 0:
        yield Wait(at_ms)
    yield start
    yield Send(body, events=1, tokens=tokens, last=True)


def stream(start: Start, frames: Sequence[Frame], pacing: Pacing, chance: Chance) -> Iterator[Step]:
    """Deliver frames: coalesced into one write when instant, else a write per event."""
    if pacing.instant:
        yield start
        data = b"".join(frame.data for frame in frames)
        tokens = sum(frame.tokens for frame in frames)
        events = sum(1 for frame in frames if frame.data)
        yield Send(data, events=events, tokens=tokens, last=True)
        return
    started = False
    hidden = 0
    for frame, at_ms in zip(frames, deadlines(frames, pacing, chance), strict=True):
        yield Wait(at_ms)
        if not started:
            started = True
            yield start
        if not frame.data:
            hidden += frame.tokens
            continue
        last = frame.kind is FrameKind.DONE
        yield Send(frame.data, events=1, tokens=frame.tokens + hidden, last=last)
        hidden = 0


def complete_at_ms(frames: Sequence[Frame], pacing: Pacing, chance: Chance) -> float:
    """Return when an answer of these frames is complete, for bodies that are not streamed."""
    return 0.0 if pacing.instant else max(deadlines(frames, pacing, chance), default=0.0)
