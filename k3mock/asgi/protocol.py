"""Turns uvicorn's HTTP protocol into one that shows its connection to the application."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from k3mock.asgi.sender import CONNECTION, LEAVING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Message, Receive, Scope, Send

    from k3mock.asgi.sender import Connection


class _Reachable(asyncio.Protocol):
    """Mixed into a protocol of uvicorn: it shows its connection to the application."""

    app: Callable[[Scope, Receive, Send], Awaitable[None]]
    transport: Any
    reach: Callable[[Any], Connection]

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*given, **named)
        self._inner = self.app
        self._cycle: Any = None
        self._left: Callable[[], object] | None = None
        self.app = self._with_connection

    def _with_connection(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        scope["extensions"] = {CONNECTION: self.reach(self.transport), LEAVING: self._leaving}
        self._cycle = getattr(receive, "__self__", None)
        old = scope["http_version"] == "1.0" and hasattr(self._cycle, "chunked_encoding")
        return self._inner(scope, receive, _unchunked(self._cycle, send) if old else send)

    def _leaving(self, callback: Callable[[], object] | None) -> None:
        self._left = callback

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered; uvicorn tells the newest one, queued or not."""
        super().connection_lost(exc)
        if self._cycle is not None and not self._cycle.response_complete:
            self._cycle.disconnected = True
            self._cycle.message_event.set()
        if self._left is not None:
            self._left()


def _unchunked(cycle: Any, send: Send) -> Send:  # noqa: ANN401 - uvicorn's own
    """Let the connection's end end a body without a length: HTTP/1.0 knows no chunks.

    uvicorn would send them all the same; without them it counts bytes, of each message anew.
    """
    sized = True

    async def sent(message: Message) -> None:
        nonlocal sized
        if message["type"] == "http.response.start":
            sized = any(name.lower() == b"content-length" for name, _ in message["headers"])
            if not sized:
                cycle.chunked_encoding = cycle.keep_alive = False
        elif not sized:
            cycle.expected_content_length = len(message.get("body", b""))
        await send(message)

    return sent


def http_protocol(reach: Callable[[Any], Connection]) -> type[asyncio.Protocol]:
    """Return the faster protocol that is installed; `reach` gives a transport's connection."""
    try:
        implementation = importlib.import_module("uvicorn.protocols.http.httptools_impl")
        base = implementation.HttpToolsProtocol
    except ImportError:
        base = importlib.import_module("uvicorn.protocols.http.h11_impl").H11Protocol
    return type("Protocol", (_Reachable, base), {"reach": staticmethod(reach)})
