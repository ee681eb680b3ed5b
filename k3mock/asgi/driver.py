"""Turns the steps of an answer into ASGI messages, and notices when the client leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.clock import Signal
from k3mock.delivery.step import Send as SendStep
from k3mock.delivery.step import Start, Wait

if TYPE_CHECKING:
    from starlette.types import Receive, Send

    from k3mock.clock import Clock
    from k3mock.journal import Journal
    from k3mock.pipeline import Delivery

_BREATHE_EVERY = 64


class Driver:
    """Carries out deliveries; `stop` ends all that run, so that a server can leave."""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self._clock = clock
        self._journal = journal
        self._running: set[Signal] = set()
        self._stopping = False

    def stop(self) -> None:
        """Cut off everything that is still being sent."""
        self._stopping = True
        for signal in list(self._running):
            signal.set()

    @property
    def open_answers(self) -> int:
        return len(self._running)

    async def run(self, delivery: Delivery, receive: Receive, send: Send) -> None:
        """Send one answer; ends at once when the client disconnects or the server stops.

        An answer that is cut off ends without its last body message, so that the server closes the
        connection instead of pretending that it was whole.
        """
        signal = Signal()
        self._running.add(signal)
        watch = asyncio.ensure_future(_watch(receive, signal))
        end = "error"
        try:
            end = await self._carry_out(delivery, signal, send)
        finally:
            self._running.discard(signal)
            watch.cancel()
            duration_ms = self._clock.monotonic_ms() - delivery.started_ms
            self._journal.end(delivery.entry, end, duration_ms)

    async def _carry_out(self, delivery: Delivery, signal: Signal, send: Send) -> str:
        outcome = delivery.entry.outcome
        clock = self._clock
        due_ms = 0.0
        unslept = 0
        for step in delivery.steps:
            match step:
                case Wait():
                    due_ms = delivery.started_ms + step.until_ms
                    await clock.wait_until(due_ms, signal)
                    unslept += 1
                case Start():
                    headers = [(name.encode(), value.encode("latin-1", "replace"))
                               for name, value in step.headers]  # fmt: skip
                    await send({"type": "http.response.start", "status": step.status,
                                "headers": headers})  # fmt: skip
                case SendStep():
                    now = clock.monotonic_ms()
                    if due_ms:
                        outcome.lateness_ms = max(outcome.lateness_ms, now - due_ms)
                    if outcome.ttft_ms is None:
                        outcome.ttft_ms = now - delivery.started_ms
                    await send({"type": "http.response.body", "body": step.data,
                                "more_body": not step.last})  # fmt: skip
                    if signal.raised:
                        return self._cut()
                    outcome.events += step.events
                    outcome.tokens += step.tokens
                    outcome.bytes += len(step.data)
            if signal.raised:
                return self._cut()
            if unslept >= _BREATHE_EVERY:
                unslept = 0
                await clock.breathe()
        return delivery.good_end

    def _cut(self) -> str:
        return "error" if self._stopping else "client_disconnect"


async def _watch(receive: Receive, signal: Signal) -> None:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            signal.set()
            return
