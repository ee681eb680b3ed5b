"""Turns answers that end into server-sent events for those who follow."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from starlette.responses import Response

from k3mock.asgi.control_answers import (
    FILTERS,
    VIEWS,
    ControlError,
    as_bytes,
    asked,
    chosen,
    kept_by,
    written,
)
from k3mock.asgi.sender import CONNECTION
from k3mock.clock import Signal
from k3mock.inspecting.brief import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from k3mock.asgi.sender import Connection
    from k3mock.journal import JournalEntry

MAX_READERS = 16
MAX_WAITING = 1000
MAX_WAITING_BYTES = 8_000_000
"""So much waits for a slow reader; older entries are dropped, and it is told how many."""

KEEPALIVE_MS = 15_000.0
_GRACE_S = 0.5
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class Feed:
    """All who follow the journal; `stop` ends them, so that the server can leave."""

    def __init__(self) -> None:
        self._readers: set[_Reader] = set()
        self._stopped = False

    @property
    def readers(self) -> int:
        return len(self._readers)

    def publish(self, entry: JournalEntry) -> None:
        """Tell of an answer that has ended."""
        for reader in self._readers:
            reader.offer(entry)

    def welcome(self, entry: JournalEntry) -> None:
        """Tell of a request that has arrived those who want to know."""
        for reader in self._readers:
            if reader.early:
                reader.offer(entry, b"request")

    async def events(self, request: Request) -> Response:
        """Follow the journal from now on."""
        query = asked(request, *FILTERS, "view", "from")
        early = chosen(query, "from", ("end", "arrival")) == "arrival"
        short = chosen(query, "view", VIEWS) == "brief"
        if request.method == "HEAD":
            return Response(None, headers=_HEADERS, media_type="text/event-stream")
        if self._stopped:
            raise ControlError(503, "the server stops")
        if len(self._readers) >= MAX_READERS:
            raise ControlError(503, f"{MAX_READERS} readers follow the events already")
        reader = _Reader(query, early=early, short=short)
        self._readers.add(reader)
        return _EventStream(reader, lambda: self._readers.discard(reader))

    def stop(self) -> None:
        """End all streams; those whose client does not read are cut a little later."""
        self._stopped = True
        for reader in self._readers:
            reader.close()
        asyncio.get_running_loop().call_later(_GRACE_S, self._cut)

    def _cut(self) -> None:
        for reader in self._readers:
            if reader.task is not None:
                reader.task.cancel()


class _Reader:
    """One who follows, and what waits for it.

    `early` wants to know of requests when they arrive, `short` wants no headers and bodies.
    """

    def __init__(
        self, query: Mapping[str, str], *, early: bool = False, short: bool = False
    ) -> None:
        self.early = early
        self._short = short
        self.task: asyncio.Task[object] | None = None
        self.closed = False
        self._query = query
        self._waiting: deque[tuple[JournalEntry, bytes, int]] = deque()
        self._bytes = 0
        self._dropped = 0
        self._wake = Signal()

    def offer(self, entry: JournalEntry, event: bytes = b"answer") -> None:
        """Keep an entry until the reader takes it, if it is one that it wants."""
        if not kept_by(self._query, entry):
            return
        size = entry.size
        self._waiting.append((entry, event, size))
        self._bytes += size
        while len(self._waiting) > MAX_WAITING or (
            self._bytes > MAX_WAITING_BYTES and len(self._waiting) > 1
        ):
            self._bytes -= self._waiting.popleft()[2]
            self._dropped += 1
        self._wake.set()

    def close(self) -> None:
        """Let it end when it has taken what waits."""
        self.closed = True
        self._wake.set()

    def leave(self) -> None:
        """Let it end at once."""
        self._waiting.clear()
        self._dropped = 0
        self.close()

    async def next(self) -> bytes:
        """Wait for the next piece of the stream; nothing at its end."""
        if not self._waiting and not self.closed:
            self._wake = Signal()
            await self._wake.wait(KEEPALIVE_MS)
        if self._dropped:
            count, self._dropped = self._dropped, 0
            return b'event: dropped\ndata: {"count":%d}\n\n' % count
        if self._waiting:
            entry, event, size = self._waiting.popleft()
            self._bytes -= size
            shown = as_bytes(brief(entry)) if self._short else (await written([entry]))[0]
            return b"event: %s\nid: %s\ndata: %s\n\n" % (event, entry.id.encode(), shown)
        return b"" if self.closed else b": nothing new\n\n"


class _EventStream(Response):
    """What a reader gets; it ends when the client leaves or the server stops."""

    def __init__(self, reader: _Reader, leave: Callable[[], None]) -> None:
        super().__init__(None, headers=_HEADERS, media_type="text/event-stream")
        del self.headers["content-length"]
        self._reader = reader
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reader = self._reader
        reader.task = asyncio.current_task()
        watch = asyncio.ensure_future(_watch(receive, reader))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            piece = b": answers that end, from now on\n\n"
            while piece:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = await reader.next()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except OSError:
            # The client has left; there is nobody to tell.
            pass
        except asyncio.CancelledError:
            # A client that did not read, when the server stops; it will not read the rest, either.
            if not reader.closed:
                raise
            connection: Connection | None = (scope.get("extensions") or {}).get(CONNECTION)
            if connection is not None:
                connection.reset()
        finally:
            self._leave()
            watch.cancel()


async def _watch(receive: Receive, reader: _Reader) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    reader.leave()
