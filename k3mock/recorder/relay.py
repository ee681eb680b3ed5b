"""Turns one request into its live answer, and that into an exchange to keep; pipeline layer.

A task of its own reads the upstream and hands every write on at once. It, not whoever serves the
client, gives the exchange to the recording: a client that leaves takes nothing with it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from k3mock import respond
from k3mock.cassette.interaction import End
from k3mock.delivery.step import Abort, Send, Start
from k3mock.protocol.failure import mock_error
from k3mock.protocol.reply import Ending
from k3mock.recorder.exchange import Exchange
from k3mock.recorder.failure import UpstreamFailure
from k3mock.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from k3mock.cassette.interaction import Pairs
    from k3mock.clock import Clock
    from k3mock.delivery.step import Step
    from k3mock.recorder.upstream import Live, Upstream
    from k3mock.respond import Taken

UPSTREAM_ERROR = "k3mock_upstream_error"
"""`error.code` of the 502 for an upstream that gave no answer."""

_AHEAD = 64
"""So many writes are read ahead of a client that is slower than the upstream."""

_DONE = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\][ \t]*[\r\n]")
_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")
_DIGITS = re.compile(r"[0-9]{1,15}")
_TAIL = 32
"""Bytes of one write that the `[DONE]` of the next one may begin in."""


class Desk(Protocol):
    """The recording that a relay works for."""

    def spawn(self, pump: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Start the task that reads the upstream, and keep it alive."""

    def passed(self, count: int) -> None:
        """Note bytes that went by."""

    def keep(self, exchange: Exchange | None, why: str) -> None:
        """Take what was read, once, when the upstream's answer has ended or was given up.

        None is nothing to keep; `why` says what a person should know about that.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How relays behave.

    Attributes:
        seq: arrival number of the request.
        source: what `x-k3mock-source` says of an answer that was relayed.
        max_body: bodies of more bytes are relayed but not kept.
        drain: whether the upstream is read to its end after the client has left.
        errors: whether an upstream that gives no answer is kept as the 502 that the client got.
    """

    source: str
    seq: int
    max_body: int = 32_000_000
    drain: bool = False
    errors: bool = False


@dataclass(slots=True)
class _Tee:
    """What was read so far; times are microseconds from sending the request."""

    live: Live | None = None
    head_us: int = 0
    pieces: list[bytes] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    size: int = 0
    taken: int = 0
    """Writes that the client was given."""
    done_at: int | None = None
    """Writes up to the one that ended `[DONE]`."""
    tail: bytes = b"\n"


class Relay:
    """One answer on its way."""

    def __init__(
        self, taken: Taken, upstream: Upstream, clock: Clock, manners: Manners, desk: Desk
    ) -> None:
        self._taken = taken
        self._upstream = upstream
        self._clock = clock
        self._manners = manners
        self._desk = desk
        self._at = clock.now()
        self._sent_ms = 0.0
        self._steps: asyncio.Queue[Step | None] = asyncio.Queue(_AHEAD)
        self._tee = _Tee()
        self._left = False
        self._end: End | None = None
        self._error: str | None = None
        self._refused: tuple[Pairs, bytes] | None = None

    def delivery(self) -> respond.Delivery:
        """Return the answer as a driver carries it out."""
        taken = self._taken
        return respond.Delivery(
            steps=self._follow(),
            entry=taken.entry,
            started_ms=taken.started_ms,
            good_end="complete",
            verdict=self._verdict,
        )

    def _verdict(self) -> str | None:
        """Say how the answer ended for the client: all of a stream is there with its `[DONE]`."""
        tee = self._tee
        if tee.done_at is not None and tee.taken >= tee.done_at:
            return "complete"
        failed = tee.live is not None and tee.live.status >= 400
        return "error" if failed or self._end in {End.UPSTREAM_ERROR, End.TIMEOUT} else None

    async def _follow(self) -> AsyncGenerator[Step]:
        pump = self._desk.spawn(self._pump())
        try:
            while (step := await self._steps.get()) is not None:
                if isinstance(step, Send) and step.data:
                    self._tee.taken += 1
                yield step
        finally:
            self._leave(pump)

    def _leave(self, pump: asyncio.Task[None]) -> None:
        """The client is served, or has left."""
        self._left = True
        while not self._steps.empty():
            # Whoever waits for room goes on, and finds that nobody listens.
            self._steps.get_nowait()
        if not self._manners.drain:
            pump.cancel()

    async def _put(self, step: Step | None) -> None:
        if not self._left:
            await self._steps.put(step)

    async def _pump(self) -> None:
        """Read the upstream to its end, whatever that is, and give up what was read."""
        self._sent_ms = self._clock.monotonic_ms()
        try:
            async with self._upstream.ask(self._taken.raw) as live:
                await self._pass(live)
            self._end = End.COMPLETE
        except asyncio.CancelledError:
            self._end = End.CLIENT_DISCONNECT
        except UpstreamFailure as failure:
            self._end = End.TIMEOUT if failure.timeout else End.UPSTREAM_ERROR
            self._error = failure.name
            await self._fail(failure)
        finally:
            self._finish()
            await self._put(None)

    async def _pass(self, live: Live) -> None:
        tee = self._tee
        tee.live = live
        tee.head_us = self._us()
        await self._put(self._start(live))
        streamed = any("event-stream" in value for name, value in live.headers
                       if name == "content-type")  # fmt: skip
        async for piece in live.chunks:
            events = self._note(piece)
            await self._put(Send(piece, events=events if streamed else 0))
        await self._put(Send(b"", last=True))

    def _us(self) -> int:
        return round((self._clock.monotonic_ms() - self._sent_ms) * 1000)

    def _note(self, piece: bytes) -> int:
        """Keep a write; return how many events end in it."""
        tee = self._tee
        tee.size += len(piece)
        self._desk.passed(len(piece))
        tee.times.append(self._us())
        if tee.size <= self._manners.max_body:
            tee.pieces.append(piece)
        else:
            tee.pieces.clear()
        searched = tee.tail + piece
        if tee.done_at is None and _DONE.search(searched) is not None:
            tee.done_at = len(tee.times)
        events = sum(searched.count(end) - tee.tail.count(end) for end in _ENDS)
        tee.tail = searched[-_TAIL:]
        return events

    def _start(self, live: Live) -> Start:
        entry = self._taken.entry
        entry.status = live.status
        entry.source = self._manners.source
        ours = (
            ("x-k3mock-version", __version__),
            ("x-k3mock-source", self._manners.source),
            ("x-k3mock-request", entry.id),
        )
        return Start(live.status, (*live.headers, *ours))

    async def _fail(self, failure: UpstreamFailure) -> None:
        """Let the client see what the upstream did; without any answer that is a 502 of ours."""
        if self._tee.live is not None:
            await self._put(Abort(Ending.RESET if failure.reset else Ending.UNTERMINATED))
            return
        body: list[bytes] = []
        headers: Pairs = ()
        for step in self._refusal(failure):
            if isinstance(step, Start):
                headers = step.headers
            if isinstance(step, Send):
                body.append(step.data)
            await self._put(step)
        if self._manners.errors:
            self._refused = (headers, b"".join(body))

    def _refusal(self, failure: UpstreamFailure) -> Iterator[Step]:
        text = f"the upstream {self._upstream.name} gave no answer: {failure}"
        error = mock_error(text, status=502, code=UPSTREAM_ERROR)
        steps = respond.failure(self._taken, error, self._manners.source).steps
        return steps if isinstance(steps, Iterator) else iter(())

    def _finish(self) -> None:
        """Give the exchange up, as far as there is one to keep."""
        tee, live = self._tee, self._tee.live
        if live is None:
            self._desk.keep(self._exchange_of_refusal(), "")
        elif live.opaque:
            self._desk.keep(None, "its encoding cannot be read here")
        elif tee.size > self._manners.max_body:
            self._desk.keep(None, f"its body is larger than {self._manners.max_body} bytes")
        else:
            self._desk.keep(self._exchange(live), "")

    def _exchange_of_refusal(self) -> Exchange | None:
        """Return the 502 that the client got, where such answers are kept."""
        if self._refused is None:
            return None
        headers, body = self._refused
        return Exchange(
            seq=self._manners.seq, at=self._at, raw=self._taken.raw,
            uri=self._upstream.address(self._taken.raw.target), status=502, reason="Bad Gateway",
            headers=headers, body=body, chunks=((self._us(), len(body)),), head_us=self._us(),
            end=End.COMPLETE,
        )  # fmt: skip

    def _exchange(self, live: Live) -> Exchange:
        tee = self._tee
        end, error, count = self._end or End.UPSTREAM_ERROR, self._error, len(tee.pieces)
        if end is End.CLIENT_DISCONNECT and not self._manners.drain:
            count = tee.taken
        if tee.done_at is not None and tee.done_at <= count:
            end, error = End.COMPLETE, None
        times = tee.times[:count]
        deltas = [later - before for before, later in zip([0, *times], times, strict=False)]
        pieces = tee.pieces[:count]
        return Exchange(
            seq=self._manners.seq,
            at=self._at,
            raw=self._taken.raw,
            uri=self._upstream.address(self._taken.raw.target),
            status=live.status,
            reason=live.reason,
            headers=live.headers,
            body=b"".join(pieces),
            chunks=tuple(zip(deltas, map(len, pieces), strict=True)),
            head_us=tee.head_us,
            end=end,
            encoding=live.encoding,
            length=_length(live, self._taken.raw.method),
            error=error,
        )


def _length(live: Live, method: str) -> int | None:
    """Return the length that an answer promised for the body that comes; None where it did not."""
    if method == "HEAD":
        return None
    found = [value for name, value in live.headers if name == "content-length"]
    return int(found[0]) if len(found) == 1 and _DIGITS.fullmatch(found[0]) else None
