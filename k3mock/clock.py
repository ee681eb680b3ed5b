"""Turns time into something a test can hold; the only home of clocks and waiting; ground layer.

Units: milliseconds everywhere (`*_ms`), except `now`, which is seconds since 1970 as on the wire.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator


class Signal:
    """A flag that is raised once and ends a wait early (the client left, the server stops).

    One task at a time waits for it.
    """

    __slots__ = ("_callback", "_timer", "_waiter", "raised")

    def __init__(self) -> None:
        self.raised = False
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._callback: Callable[[], object] | None = None

    def set(self) -> None:
        """Raise the flag and wake whoever waits on it."""
        self.raised = True
        if self._timer is not None:
            self._timer.cancel()
        if self._waiter is not None:
            _finish(self._waiter)
        if self._callback is not None:
            self._callback()

    def call(self, callback: Callable[[], object] | None) -> None:
        """Call `callback` when the flag is raised; None forgets the one before."""
        self._callback = callback

    def after(self, ms: float) -> asyncio.Future[None]:
        """Return what is done when `ms` have passed or the flag is raised, whichever is first."""
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        if self.raised:
            waiter.set_result(None)
        else:
            self._timer = loop.call_later(ms / 1000, _finish, waiter)
        return waiter

    async def wait(self, timeout_ms: float | None = None) -> None:
        """Return when `timeout_ms` have passed or the flag is raised, whichever is first.

        None waits for the flag alone.
        """
        if self.raised:
            return
        if timeout_ms is None:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
            return
        try:
            await self.after(timeout_ms)
        finally:
            if self._timer is not None:
                self._timer.cancel()


def _finish(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def processor_ms() -> float:
    """Return the processor time that this thread has used, in milliseconds."""
    return time.thread_time() * 1000


class _Passed:
    """What need not be waited for."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


_PASSED = _Passed()


class Clock(Protocol):
    """What the rest of the program knows of time."""

    def now(self) -> float:
        """Return seconds since 1970."""

    def monotonic_ms(self) -> float:
        """Return milliseconds from an arbitrary start; never goes back."""

    def wait_until(self, deadline_ms: float, signal: Signal) -> Awaitable[None]:
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

    def wait_until(self, deadline_ms: float, signal: Signal) -> Awaitable[None]:
        delay_ms = deadline_ms - time.monotonic() * 1000
        return signal.after(delay_ms) if delay_ms > 0 else _PASSED

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
