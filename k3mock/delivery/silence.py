"""Turns steps into steps with silence first, or with life signs in silence; delivery layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.delivery.step import Hold, Send, Start, Step, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator


def kept_alive(
    steps: Iterator[Step], start: Start, every_ms: float, comment: bytes
) -> Iterator[Step]:
    """Send a comment whenever nothing was sent for so long; then `start` leaves early.

    A silence for ever gets comments for ever.
    """
    said_ms = now_ms = 0.0
    started = False
    for step in steps:
        if isinstance(step, Start):
            if started:
                continue
            started = True
        elif isinstance(step, Send) and step.data:
            said_ms = now_ms
        until_ms = now_ms
        if isinstance(step, Wait):
            until_ms = step.until_ms
        elif isinstance(step, Hold):
            until_ms = float("inf")
        while said_ms + every_ms < until_ms:
            said_ms += every_ms
            yield Wait(said_ms, quiet=True)
            if not started:
                started = True
                yield start
            yield Send(comment)
        now_ms = until_ms
        yield step


def delayed(steps: Iterator[Step], by_ms: float) -> Iterator[Step]:
    """Begin later, with everything."""
    yield Wait(by_ms, quiet=True)
    for step in steps:
        yield replace(step, until_ms=step.until_ms + by_ms) if isinstance(step, Wait) else step
