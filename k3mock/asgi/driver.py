"""Turns the steps of an answer into ASGI messages, and notices when the client leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from k3mock.clock import Signal
from k3mock.delivery.step import Abort, Bare, Hold, Start, Wait
from k3mock.delivery.step import Send as SendStep

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import Message, Receive, Scope, Send

    from k3mock.clock import Clock
    from k3mock.journal import Journal
    from k3mock.respond import Delivery

_BREATHE_EVERY = 64
_GRACE_S = 0.5
_Got = TypeVar("_Got")


class ClientGoneError(Exception):
    """The client left before its request was whole, or the server stops."""


class Driver:
    """Carries out deliveries; `stop` ends all that run, so that a server can leave.

    It runs on asyncio.
    """

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self._clock = clock
        self._journal = journal
        self._running: set[Signal] = set()
        self._waiting: set[asyncio.Future[Message]] = set()
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

    async def receive(self, receive: Receive) -> Message:
        """Wait for a message of a request's body, or for the server's end.

        Raises:
            ClientGoneError: the client left, or the server stops.
        """
        waiting = asyncio.ensure_future(receive())
        self._waiting.add(waiting)
        try:
            message = await waiting
        except asyncio.CancelledError:
            if self._stopping:
                raise ClientGoneError from None
            waiting.cancel()
            raise
        finally:
            self._waiting.discard(waiting)
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        return message

    async def run(
        self, planned: Awaitable[Delivery], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Plan and send one answer; ends at once when the client disconnects or the server stops.

        An answer that is cut off ends without its last body message, so that the server closes the
        connection instead of pretending that it was whole.
        """
        signal = Signal()
        self._running.add(signal)
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        watch = asyncio.ensure_future(_watch(receive, signal))
        try:
            delivery = await planned
            await self._run(delivery, signal, _Sender(scope, send))
        finally:
            self._running.discard(signal)
            if task is not None:
                self._tasks.discard(task)
            watch.cancel()

    async def _run(self, delivery: Delivery, signal: Signal, sender: _Sender) -> None:
        end = "error"
        try:
            end = await self._carry_out(delivery, signal, sender)
        except (OSError, RuntimeError):
            # The server below has closed the connection already.
            end = self._cut()
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            duration_ms = self._clock.monotonic_ms() - delivery.started_ms
            self._journal.end(delivery.entry, end, duration_ms)

    async def _carry_out(self, delivery: Delivery, signal: Signal, sender: _Sender) -> str:
        outcome = delivery.entry.outcome
        clock = self._clock
        due_ms = 0.0
        unslept = 0
        for step in delivery.steps:
            if _gone(signal):
                return self._cut()
            match step:
                case Wait():
                    due_ms = delivery.started_ms + step.until_ms
                    await clock.wait_until(due_ms, signal)
                    unslept += 1
                case Start():
                    await sender.start(step)
                case Hold() | Bare() | Abort():
                    raise NotImplementedError
                case SendStep():
                    now = clock.monotonic_ms()
                    if due_ms:
                        outcome.lateness_ms = max(outcome.lateness_ms, now - due_ms)
                    if outcome.ttft_ms is None:
                        outcome.ttft_ms = now - delivery.started_ms
                    await sender.send(step)
                    if _gone(signal) and not step.last:
                        return self._cut()
                    outcome.events += step.events
                    outcome.tokens += step.tokens
                    outcome.bytes += len(step.data)
            if unslept >= _BREATHE_EVERY:
                unslept = 0
                await clock.breathe()
        return delivery.good_end

    def _cut(self) -> str:
        return "error" if self._stopping else "client_disconnect"


class _Sender:
    """Writes ASGI messages; a client of HTTP/1.0 gets its body in one piece, with its length."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._whole = scope.get("http_version") == "1.0"
        self._start: Start | None = None
        self._pieces: list[bytes] = []

    async def start(self, step: Start) -> None:
        if self._whole and not any(name == "content-length" for name, _ in step.headers):
            self._start = step
            return
        headers = [(name.encode(), value.encode("latin-1", "replace"))
                   for name, value in step.headers]  # fmt: skip
        await self._send({"type": "http.response.start", "status": step.status, "headers": headers})

    async def send(self, step: SendStep) -> None:
        body, last = step.data, step.last
        if self._start is not None:
            self._pieces.append(body)
            if not last:
                return
            body = b"".join(self._pieces)
            length = ("content-length", str(len(body)))
            start, self._start = self._start, None
            self._whole = False
            await self.start(Start(start.status, (*start.headers, length)))
        await self._send({"type": "http.response.body", "body": body, "more_body": not last})


def _gone(signal: Signal) -> bool:
    return signal.raised


async def _watch(receive: Receive, signal: Signal) -> None:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            signal.set()
            return


async def ready(value: _Got) -> _Got:
    """Return a value as something that can be awaited."""
    return value
