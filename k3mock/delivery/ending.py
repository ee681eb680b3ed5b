"""Turns steps into steps that end before their time; delivery layer."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from k3mock.delivery.step import Abort, Hold, Send, Start, Step, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.fault.bend import ByteCut, TimeCut


def cut_at(cut: ByteCut, total: int) -> int:
    """Return after how many of `total` bytes the body ends."""
    return min(cut.at, total) if cut.at >= 0 else max(0, total + cut.at)


def cut_short(steps: Iterator[Step], cut: ByteCut, total: int) -> Iterator[Step]:
    """End the body after some of its bytes; an event that is not sent whole does not count."""
    left = cut_at(cut, total)
    for step in steps:
        if isinstance(step, Send) and len(step.data) >= left:
            whole = len(step.data) == left
            yield Send(step.data[:left], step.events * whole, step.tokens * whole)
            yield Abort(cut.how)
            return
        yield step
        if isinstance(step, Start) and not left:
            yield Abort(cut.how)
            return
        if isinstance(step, Send):
            left -= len(step.data)


def cut_in_time(steps: Iterator[Step], cut: TimeCut, speed: float) -> Iterator[Step]:
    """Let a silence or the end come at its time; what is due later waits for the silence to end."""
    at_ms = cut.at_ms / speed
    later_ms = 0.0
    reached = False
    for step in steps:
        if not isinstance(step, Wait | Hold):
            yield step
            continue
        until_ms = step.until_ms if isinstance(step, Wait) else inf
        if until_ms > at_ms and not reached:
            reached = True
            yield Wait(at_ms)
            if cut.silence_ms is None:
                yield Hold()
                return
            later_ms = cut.silence_ms / speed
            if later_ms:
                yield Wait(at_ms + later_ms, quiet=True)
            if cut.how is not None:
                yield Abort(cut.how)
                return
        yield replace(step, until_ms=until_ms + later_ms) if isinstance(step, Wait) else step


def with_length(start: Start, length: int | None) -> Start:
    """Return the start with another Content-Length, where it has one; None leaves it out."""
    headers = [
        (name, str(length) if name == "content-length" else value)
        for name, value in start.headers
        if name != "content-length" or length is not None
    ]
    return Start(start.status, tuple(headers))
