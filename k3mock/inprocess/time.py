"""Turns the waits of answers and of their clients into jumps of one clock; adapters layer."""

from __future__ import annotations

import asyncio
import heapq
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Protocol

from k3mock.clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.clock import Signal

_ROUNDS = 8
"""So many rounds of the loop must pass without work before time jumps: others may be starting."""


class Pulse(Protocol):
    """What a connection has to tell and to ask about time."""

    def work(self) -> None:
        """Note that something is being worked on."""

    def rest(self) -> None:
        """Note that it is done, or waits for its client."""

    async def patience(self, signal: Signal, timeout_ms: float | None) -> None:
        """Wait, as a client does that reads, for a signal or for the time-out."""


class RealTime:
    """The time of everybody."""

    def work(self) -> None:
        """Real time passes anyway."""

    def rest(self) -> None:
        """Real time passes anyway."""

    async def patience(self, signal: Signal, timeout_ms: float | None) -> None:
        await signal.wait(timeout_ms)


@dataclass(order=True, slots=True)
class _Due:
    at_ms: float
    number: int
    woken: asyncio.Future[None] = field(compare=False)
    reads: bool = field(compare=False)


class VirtualTime(VirtualClock):
    """A clock of answers and their clients that jumps to whatever is due next.

    Time passes only while a client reads and no answer is being worked on. So a client's read
    time-out and a silence of the server come in the order of real time, and what a client does
    between two reads takes none.
    """

    def __init__(self) -> None:
        super().__init__()
        self._due: list[_Due] = []
        self._number = 0
        self._working = 0
        self._reading = 0
        self._checking = False

    def work(self) -> None:
        self._working += 1

    def rest(self) -> None:
        self._working -= 1
        self._check()

    async def wait_until(self, deadline_ms: float, signal: Signal) -> None:
        if signal.raised or deadline_ms <= self._ms:
            await self.breathe()
            return
        await self._wait(deadline_ms, signal, reads=False)

    async def hold(self, signal: Signal) -> None:
        await self.wait_until(inf, signal)

    async def patience(self, signal: Signal, timeout_ms: float | None) -> None:
        await self._wait(inf if timeout_ms is None else self._ms + timeout_ms, signal, reads=True)

    async def _wait(self, at_ms: float, signal: Signal, *, reads: bool) -> None:
        due = _Due(at_ms, self._number, asyncio.get_running_loop().create_future(), reads)
        self._number += 1
        heapq.heappush(self._due, due)
        self._count(due, waits=True)
        signal.call(self._waker(due))
        self._check()
        try:
            await due.woken
        finally:
            signal.call(None)
            if due.woken.cancelled():
                self._count(due, waits=False)

    def _waker(self, due: _Due) -> Callable[[], None]:
        return lambda: self._wake(due)

    def _wake(self, due: _Due) -> None:
        # Whoever wakes is at work from here on, not only when the loop comes to it.
        if not due.woken.done():
            due.woken.set_result(None)
            self._count(due, waits=False)

    def _count(self, due: _Due, *, waits: bool) -> None:
        if due.reads:
            self._reading += 1 if waits else -1
        else:
            self._working += -1 if waits else 1

    def _check(self) -> None:
        if not self._checking:
            self._checking = True
            asyncio.get_running_loop().call_soon(self._jump, _ROUNDS)

    def _jump(self, rounds: int) -> None:
        """Jump to what is due next, once nothing was worked on for some rounds."""
        idle = self._reading > 0 and self._working <= 0
        if idle and rounds:
            asyncio.get_running_loop().call_soon(self._jump, rounds - 1)
            return
        self._checking = False
        while self._due and self._due[0].woken.done():
            heapq.heappop(self._due)
        if not idle or not self._due or self._due[0].at_ms == inf:
            return
        due = heapq.heappop(self._due)
        self._ms = max(self._ms, due.at_ms)
        self._wake(due)
        self._check()
