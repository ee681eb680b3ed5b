"""Turns time into something a test can hold; the only home of clocks and waiting; ground layer.

Units: milliseconds everywhere (`*_ms`), except `now`, which is seconds since 1970 as on the wire.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Signal:
    """A flag that is raised once and ends a wait early (the client left, the server stops)."""

    def __init__(self) -> None:
        self._raised = False
        self._waiter: asyncio.Future[None] | None = None
        self._callback: Callable[[], object] | None = None

    @property
    def raised(self) -> bool:
        return self._raised

    def set(self) -> None:
        """Raise the flag and wake whoever waits on it."""
        self._raised = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if self._callback is not None:
            self._callback()

    def call(self, callback: Callable[[], object] | None) -> None:
        """Call `callback` when the flag is raised; None forgets the one before."""
        self._callback = callback

    async def wait(self, timeout_ms: float | None = None) -> None:
        """Return when `timeout_ms` have passed or the flag is raised, whichever is first.

        None waits for the flag alone.
        """
        if self._raised:
            return
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        timer = None
        if timeout_ms is not None:
            timer = loop.call_later(timeout_ms / 1000, _finish, waiter)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()
            self._waiter = None


def _finish(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def processor_ms() -> float:
    """Return the processor time that this thread has used, in milliseconds."""
    return time.thread_time() * 1000


class Clock(Protocol):
    """What the rest of the program knows of time."""

    def now(self) -> float:
        """Return seconds since 1970."""

    def monotonic_ms(self) -> float:
        """Return milliseconds from an arbitrary start; never goes back."""

    async def wait_until(self, deadline_ms: float, signal: Signal) -> None:
        """Return at `deadline_ms` (on the monotonic scale), or at once when `signal` is raised."""

    async def hold(self, signal: Signal) -> None:
        """Return when `signal` is raised, however long that takes."""

    async def breathe(self) -> None:
        """Let other tasks run."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()

    def monotonic_ms(self) -> float:
        return time.monotonic() * 1000

    async def wait_until(self, deadline_ms: float, signal: Signal) -> None:
        delay_ms = deadline_ms - time.monotonic() * 1000
        if delay_ms > 0:
            await signal.wait(delay_ms)

    async def hold(self, signal: Signal) -> None:
        await signal.wait()

    async def breathe(self) -> None:
        await asyncio.sleep(0)


class VirtualClock:
    """Time that jumps to each deadline instead of waiting for it; order is kept."""

    def __init__(self, now: float = 1_790_000_000.0) -> None:
        self._start = now
        self._ms = 0.0

    def now(self) -> float:
        return self._start + self._ms / 1000

    def monotonic_ms(self) -> float:
        return self._ms

    async def wait_until(self, deadline_ms: float, signal: Signal) -> None:
        await asyncio.sleep(0)
        if not signal.raised:
            self._ms = max(self._ms, deadline_ms)

    async def hold(self, signal: Signal) -> None:
        await signal.wait()

    async def breathe(self) -> None:
        await asyncio.sleep(0)
