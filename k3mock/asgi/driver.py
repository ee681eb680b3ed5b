"""Turns the steps of an answer into ASGI messages, and notices when the client leaves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, TypeVar

from k3mock.asgi.sender import LEAVING, Sender, refuses, streams
from k3mock.clock import Signal
from k3mock.delivery.step import Abort, Bare, Burst, Gap, Hold, Start, Step, Wait
from k3mock.delivery.step import Send as SendStep
from k3mock.protocol.reply import Ending
from k3mock.writes import MAX_BYTES, MAX_WRITES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Message, Receive, Scope, Send

    from k3mock.asgi.sender import Connection
    from k3mock.clock import Clock
    from k3mock.memory import Record
    from k3mock.respond import Delivery

LOGGER = "uvicorn.error"
"""Where the HTTP server reports trouble; the command's log listens there."""

_BREATHE_EVERY = 64
_GRACE_S = 0.5
_LEAVE_MS = 2.0
"""What was written gets this time to leave, again and again while the server still holds some."""

_LEAVES = 500
_CLOSE_MS = 5000.0
"""A client that does not take the end of its answer is reset after this time."""

_Got = TypeVar("_Got")


class ClientGoneError(Exception):
    """The client left before its request was whole, or the server stops."""


class Driver:
    """Carries out deliveries; `stop` ends all that run, so that a server can leave.

    It runs on asyncio. `late` is told of every write that had a time, how late it was.
    """

    def __init__(
        self, clock: Clock, journal: Record, late: Callable[[float], None] = lambda _: None
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._late = late
        self._streams: set[Signal] = set()
        self._running: set[Signal] = set()
        self._waiting: set[asyncio.Task[object]] = set()
        self._tasks: set[asyncio.Task[object]] = set()
        self._stopping = False

    def stop(self) -> None:
        """Cut off everything that is still being read or sent."""
        self._stopping = True
        for signal in list(self._running):
            signal.set()
        for waiting in list(self._waiting):
            waiting.cancel()
        asyncio.get_running_loop().call_later(_GRACE_S, self._cancel)

    def _cancel(self) -> None:
        """Give up on clients that do not read what was written to them."""
        for task in list(self._tasks):
            task.cancel()

    @property
    def open_answers(self) -> int:
        return len(self._running)

    @property
    def open_streams(self) -> int:
        return len(self._streams)

    async def receive(self, receive: Receive) -> Message:
        """Wait for a message of a request's body, or for the server's end.

        Raises:
            ClientGoneError: the client left, or the server stops.
        """
        task = asyncio.current_task()
        if task is None:  # pragma: no cover - servers run applications in tasks
            raise ClientGoneError
        before = task.cancelling()
        self._waiting.add(task)
        try:
            message = await receive()
        except asyncio.CancelledError:
            if self._stopping and task.uncancel() <= before:
                raise ClientGoneError from None
            raise
        finally:
            self._waiting.discard(task)
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        return message

    async def run(
        self,
        planned: Awaitable[Delivery],
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        read: bool = False,
    ) -> None:
        """Plan and send one answer; ends at once when the client disconnects or the server stops.

        `read` says that the request's body has been read to its end.

        An answer that is cut off ends without its last body message, so that the server closes the
        connection instead of pretending that it was whole.
        """
        signal = Signal()
        self._running.add(signal)
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        forget = _watched(scope, receive, signal, read=read)
        try:
            delivery = await planned
            await self._run(delivery, signal, Sender(scope, send))
        finally:
            self._running.discard(signal)
            self._streams.discard(signal)
            if task is not None:
                self._tasks.discard(task)
            forget()

    async def _run(self, delivery: Delivery, signal: Signal, sender: Sender) -> None:
        end = "error"
        try:
            end = await self._carry_out(delivery, signal, sender)
        except (OSError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and refuses(error):
                _note_defect(delivery, error)
            else:
                # The server below has closed the connection already.
                end = self._cut()
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            if delivery.verdict is not None:
                end = delivery.verdict() or end
            duration_ms = self._clock.monotonic_ms() - delivery.started_ms
            self._journal.end(delivery.entry, end, duration_ms)

    async def _carry_out(self, delivery: Delivery, signal: Signal, sender: Sender) -> str:
        run = _Run(delivery, signal, sender, delivery.entry.writes.sent.append)
        if isinstance(delivery.steps, AsyncGenerator):
            return await self._follow(delivery.steps, run)
        for step in delivery.steps:
            if _gone(signal):
                return self._cut()
            # The less there is between a stream and its timer, the less each of its events costs.
            does = self._burst(step, run) if isinstance(step, Burst) else self._step(step, run)
            if (end := await does) is not None:
                return end
        return delivery.good_end

    async def _follow(self, steps: AsyncGenerator[Step], run: _Run) -> str:
        """Carry out steps that come while the answer travels, such as those of a relay."""
        async with aclosing(steps):
            while (step := await _next(steps, run.signal)) is not None:
                if (end := await self._step(step, run)) is not None:
                    return end
        return self._cut() if _gone(run.signal) else run.delivery.good_end

    async def _step(self, step: Step, run: _Run) -> str | None:
        """Carry out one step; returns how the answer ended, if it did."""
        clock, outcome = self._clock, run.delivery.entry.outcome
        if isinstance(step, Wait):
            run.due_ms = self._due(run.delivery, step, run.passed_ms)
            run.passed_ms = step.until_ms
            if step.quiet:
                run.delivery.entry.writes.mark(clock.monotonic_ms(), step, run.due_ms)
            await clock.wait_until(run.due_ms, run.signal)
        elif isinstance(step, Gap):
            run.due_ms = clock.monotonic_ms() + step.ms
            await clock.wait_until(run.due_ms, run.signal)
        elif isinstance(step, SendStep):
            now_ms = self._note_write(run)
            size = await run.sender.send(step)
            if _gone(run.signal) and not step.last:
                return self._cut()
            outcome.events += step.events
            outcome.tokens += step.tokens
            if size and outcome.bytes < MAX_BYTES and run.written < MAX_WRITES:
                run.note((run.due_ms, now_ms, step.data))
            outcome.bytes += size
            run.written += 1
            if run.written % _BREATHE_EVERY == 0:
                await clock.breathe()
        elif isinstance(step, Burst):
            return await self._burst(step, run)
        else:
            run.delivery.entry.writes.mark(clock.monotonic_ms(), step)
            return await self._rare(step, run.signal, run.sender)
        return None

    async def _burst(self, burst: Burst, run: _Run) -> str | None:
        """Write events, each when it is due; returns how the answer ended, if it did."""
        clock, signal, sender = self._clock, run.signal, run.sender
        outcome, started_ms = run.delivery.entry.outcome, run.delivery.started_ms
        left = burst.count
        plain, room = sender.plain, MAX_WRITES - run.written
        note = run.delivery.entry.writes.burst(burst.data)
        times = burst.due_ms or repeat(0.0)
        for data, tokens, due_ms in zip(burst.data(), burst.tokens, times, strict=False):
            left -= 1
            if due_ms:
                run.due_ms = started_ms + due_ms
                await clock.wait_until(run.due_ms, signal)
                if signal.raised:
                    return self._cut()
            now_ms = self._note_write(run)
            if plain:
                size = len(data)
                await sender.writing(data, last=not left)
            else:
                size = await sender.send(SendStep(data, last=not left))
            if signal.raised and left:
                return self._cut()
            outcome.events += 1
            outcome.tokens += tokens
            if size and room > 0 and outcome.bytes < MAX_BYTES:
                room -= 1
                note((run.due_ms, now_ms))
            outcome.bytes += size
            if left % _BREATHE_EVERY == 1:
                await clock.breathe()
        run.written += burst.count
        return None

    def _note_write(self, run: _Run) -> float:
        """Note when a write is made, and how late that is; returns when it is made."""
        outcome, now_ms = run.delivery.entry.outcome, self._clock.monotonic_ms()
        if outcome.ttft_ms is None:
            outcome.ttft_ms = now_ms - run.delivery.started_ms
        if run.due_ms:
            late_ms = now_ms - run.due_ms
            outcome.lateness_ms = max(outcome.lateness_ms, late_ms)
            self._late(late_ms)
        return now_ms

    def _due(self, delivery: Delivery, step: Wait, passed_ms: float) -> float:
        due_ms = delivery.started_ms + step.until_ms
        if not step.quiet:
            return due_ms
        return max(due_ms, self._clock.monotonic_ms() + step.until_ms - passed_ms)

    async def _rare(
        self, step: Start | Bare | Hold | Abort, signal: Signal, sender: Sender
    ) -> str | None:
        """Carry out what happens at most once in an answer; returns how it ended, if it did."""
        match step:
            case Start():
                if streams(step):
                    self._streams.add(signal)
                await sender.start(step)
            case Bare():
                sender.bare(step.data)
            case Hold():
                await self._clock.hold(signal)
                return self._cut()
            case Abort(how=Ending.CLEAN) if sender.started:
                await sender.send(SendStep(b"", last=True))
                return "fault"
            case Abort():  # pragma: no branch - there is no other step
                await sender.flush()
                await self._abort(step.how, signal, sender.connection)
                return "fault"
        return None

    async def _abort(self, how: Ending, signal: Signal, connection: Connection | None) -> None:
        """End the connection; returns when the server has noticed it, so that it adds nothing.

        Under a server that does not give the connection away, an answer without its last message
        is all there is.
        """
        if connection is None:
            return
        await self._leave(signal, connection)
        if not _gone(signal) and how is not Ending.RESET:
            connection.close()
            await self._clock.wait_until(self._clock.monotonic_ms() + _CLOSE_MS, signal)
        if not _gone(signal):
            connection.reset()
            await self._clock.wait_until(self._clock.monotonic_ms() + _CLOSE_MS, signal)

    async def _leave(self, signal: Signal, connection: Connection) -> None:
        """Give what was written the time to leave."""
        for _ in range(_LEAVES):
            await self._clock.wait_until(self._clock.monotonic_ms() + _LEAVE_MS, signal)
            if _gone(signal) or not connection.unsent:
                return

    def _cut(self) -> str:
        return "error" if self._stopping else "client_disconnect"


@dataclass(slots=True)
class _Run:
    """One answer on its way: when its last write was due, and how many writes there were.

    `note` keeps what was written, with when it was due and when it was made.
    """

    delivery: Delivery
    signal: Signal
    sender: Sender
    note: Callable[[tuple[float, float, bytes]], None]
    due_ms: float = 0.0
    passed_ms: float = 0.0
    written: int = 0


def _note_defect(delivery: Delivery, error: RuntimeError) -> None:
    entry = delivery.entry
    logging.getLogger(LOGGER).error(
        "the answer to %s (%s) cannot be sent: %s", entry.id, entry.source, error
    )


def _gone(signal: Signal) -> bool:
    return signal.raised


async def _next(steps: AsyncGenerator[Step], signal: Signal) -> Step | None:
    """Wait for the next step; None at the end, or once the signal is raised.

    A wait that the signal ends is cancelled in place, as `asyncio.timeout` does it: a task for
    every step would cost more than all the rest of a relayed write.
    """
    task = asyncio.current_task()
    if signal.raised or task is None:
        return None
    before = task.cancelling()
    signal.call(task.cancel)
    try:
        return await anext(steps, None)
    except asyncio.CancelledError:
        if _gone(signal) and task.uncancel() <= before:
            return None
        raise
    finally:
        signal.call(None)


def _watched(scope: Scope, receive: Receive, signal: Signal, *, read: bool) -> Callable[[], object]:
    """Let the signal be raised when the client leaves; returns what ends that.

    While there is a body to read, somebody has to read it: else the server would not see the
    client leave behind it.
    """
    leaving = (scope.get("extensions") or {}).get(LEAVING)
    if leaving is None or not read:
        return asyncio.ensure_future(_watch(receive, signal)).cancel
    leaving(signal.set)
    return lambda: leaving(None)


async def _watch(receive: Receive, signal: Signal) -> None:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            signal.set()
            return


async def ready(value: _Got) -> _Got:
    """Return a value as something that can be awaited."""
    return value
