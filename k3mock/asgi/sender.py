"""Turns the start and the writes of an answer into ASGI messages that fit their request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from k3mock.delivery.step import Send as SendStep
from k3mock.delivery.step import Start
from k3mock.wire.headers import STREAM_TYPE

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import Scope, Send

CONNECTION = "k3mock.connection"
"""Name of the ASGI extension by which a server gives the connection itself: a `Connection`."""

LEAVING = "k3mock.leaving"
"""Name of the extension that takes what is to be called, once, when the client leaves.

None forgets it. Without it a task has to wait for the message that says so.
"""

STARTED = "k3mock.started"
"""Set in the scope of a request whose answer has begun."""

_BODILESS = frozenset({204, 304})
"""With these a client takes the next byte for the next answer."""

_RESET_CONTENT = 205
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_REFUSALS = ("Invalid HTTP header", "Response content")


class Connection(Protocol):
    """A connection past HTTP; only a server that was made for it gives one.

    It also ends the stream of a client of HTTP/1.0 by its own end.
    """

    @property
    def unsent(self) -> int:
        """How many bytes the server still holds."""

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""

    def close(self) -> None:
        """Close when everything is written."""

    def reset(self) -> None:
        """Close at once, with RST."""


class UnsendableError(RuntimeError):
    """No server can send this answer."""


def refuses(error: RuntimeError) -> bool:
    """Say whether a server refused to send an answer, rather than lost its connection."""
    return isinstance(error, UnsendableError) or str(error).startswith(_REFUSALS)


def streams(start: Start) -> bool:
    """Say whether an answer comes as events."""
    return dict(start.headers).get("content-type", "").startswith(STREAM_TYPE)


class Sender:
    """Writes ASGI messages.

    Answers to HEAD and those of status 204, 205 and 304 have no body, whoever made them. A client
    of HTTP/1.0 gets a body in one piece with its length; a stream as it comes, where the server can
    end it with the connection.
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._scope = scope
        self.connection: Connection | None = (scope.get("extensions") or {}).get(CONNECTION)
        self.started = False
        self._head = scope.get("method") == "HEAD"
        self._old = scope.get("http_version") == "1.0"
        self._bodiless = False
        self._kept: Start | None = None
        self._pieces: list[bytes] = []

    async def start(self, step: Start) -> None:
        """Send status and headers, or keep them until the length of the body is known.

        Raises:
            UnsendableError: a status that no final answer has.
        """
        if not 200 <= step.status <= 599:
            raise UnsendableError(f"no answer has the status {step.status}")
        self.started = True
        without_body = step.status in _BODILESS or step.status == _RESET_CONTENT
        self._bodiless = self._head or without_body
        if without_body:
            step = _unframed(step)
        if self._old and not self._bodiless and not self._sized(step):
            self._kept = step
            return
        await self._begin(step)

    def _sized(self, step: Start) -> bool:
        """Say whether an old client will know where the body ends."""
        sized = any(name == "content-length" for name, _ in step.headers)
        return sized or (streams(step) and self.connection is not None)

    async def _begin(self, step: Start) -> None:
        headers = [(name.encode(), value.encode("latin-1", "replace"))
                   for name, value in step.headers]  # fmt: skip
        self._scope[STARTED] = True
        await self._send({"type": "http.response.start", "status": step.status, "headers": headers})

    async def send(self, step: SendStep) -> int:
        """Write a piece of the body; returns how many bytes of it the client gets."""
        body = b"" if self._bodiless else step.data
        size = len(body)
        if self._kept is not None:
            self._pieces.append(body)
            if not step.last:
                return size
            body = b"".join(self._pieces)
            await self._begin_with(len(body))
        if step.last or not self._bodiless:
            message = {"type": "http.response.body", "body": body, "more_body": not step.last}
            await self._send(message)
        return size

    def writing(self, data: bytes, *, last: bool) -> Awaitable[None]:
        """Return the write of a piece of the body, for answers that are `plain`."""
        return self._send({"type": "http.response.body", "body": data, "more_body": not last})

    @property
    def plain(self) -> bool:
        """Whether what is given is what is sent."""
        return not self._bodiless and self._kept is None

    async def _begin_with(self, length: int) -> None:
        start, self._kept = self._kept, None
        if start is not None:
            await self._begin(_with_length(start, length))

    async def flush(self) -> None:
        """Send what was kept for a length that will never be known; it promises a byte more."""
        if self._kept is not None:
            body = b"".join(self._pieces)
            await self._begin_with(len(body) + 1)
            await self.send(SendStep(body))

    def bare(self, data: bytes) -> None:
        """Write past HTTP, where the server lets us."""
        if self.connection is not None:
            self.connection.write(data)


def _with_length(start: Start, length: int) -> Start:
    return Start(start.status, (*start.headers, ("content-length", str(length))))


def _unframed(start: Start) -> Start:
    """Return the start without a length; that of 205 is none, which has to be said."""
    headers = tuple(pair for pair in start.headers if pair[0] not in _FRAMING)
    plain = Start(start.status, headers)
    return _with_length(plain, 0) if start.status == _RESET_CONTENT else plain
