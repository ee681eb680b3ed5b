"""Turns given bytes into the least that a server can do with them: the physical references.

    python -m benchmarks.references KIND PORT FOLDER

It serves with uvicorn, uvloop and httptools. KIND is `constant` (a JSON answer), `events` (a write
for each event), `coalesced` (all events in one write), `paced` (a write for each event, at its
time), `starlette-json` and `starlette-stream` (the same through starlette), and `raw` (no HTTP
server at all: what comes in is answered with all bytes, which no client can outrun). FOLDER holds
`answer.json`, `stream.sse` and `plan.json` (when each event is due, in milliseconds).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

STREAM = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]


def events_of(data: bytes) -> list[bytes]:
    """Return the events of a stream, each with its blank line."""
    return [part + b"\n\n" for part in data.split(b"\n\n") if part]


async def _read(receive: Receive) -> None:
    """Take the request's body, as any server must."""
    while (await receive()).get("more_body"):
        pass


def constant(folder: Path) -> ASGIApp:
    """Answer every request with the same JSON."""
    data = (folder / "answer.json").read_bytes()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(data)).encode()),
    ]
    start = {"type": "http.response.start", "status": 200, "headers": headers}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await _read(receive)
        await send(start)
        await send({"type": "http.response.body", "body": data})

    return app


def _stream(pieces: list[bytes], due_s: list[float] | None = None) -> ASGIApp:
    """Answer every request with the same pieces, a write for each, at its time if it has one."""
    start = {"type": "http.response.start", "status": 200, "headers": STREAM}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        began = time.monotonic()
        await _read(receive)
        await send(start)
        for index, piece in enumerate(pieces):
            if due_s is not None:
                left = began + due_s[index] - time.monotonic()
                if left > 0:
                    await asyncio.sleep(left)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return app


def events(folder: Path) -> ASGIApp:
    """Write each event by itself, as fast as it goes."""
    return _stream(events_of((folder / "stream.sse").read_bytes()))


def coalesced(folder: Path) -> ASGIApp:
    """Write all events at once."""
    return _stream([(folder / "stream.sse").read_bytes()])


def paced(folder: Path) -> ASGIApp:
    """Write each event when it is due, counted from the arrival of the request."""
    due_ms: list[float] = json.loads((folder / "plan.json").read_text())
    pieces = events_of((folder / "stream.sse").read_bytes())
    return _stream(pieces, [each / 1000 for each in due_ms])


def starlette_json(folder: Path) -> ASGIApp:
    """Answer with a `JSONResponse` on a route."""
    answer = json.loads((folder / "answer.json").read_bytes())

    async def endpoint(request: Request) -> JSONResponse:
        await request.body()
        return JSONResponse(answer)

    return _routed(endpoint)


def starlette_stream(folder: Path) -> ASGIApp:
    """Answer with a `StreamingResponse` on a route, a write for each event."""
    pieces = events_of((folder / "stream.sse").read_bytes())

    async def all_pieces() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def endpoint(request: Request) -> StreamingResponse:
        await request.body()
        return StreamingResponse(all_pieces(), media_type="text/event-stream")

    return _routed(endpoint)


def _routed(endpoint: Callable[[Request], Awaitable[JSONResponse | StreamingResponse]]) -> ASGIApp:
    return Starlette(routes=[Route("/v1/chat/completions", endpoint, methods=["POST"])])


class _Raw(asyncio.Protocol):
    """Answers whatever comes in, taking it for one whole request."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The transports of uvloop are not subclasses of asyncio's, though they do the same.
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        del data
        if self._transport is not None:
            self._transport.write(self._data)


async def _raw(port: int, folder: Path) -> None:
    """Serve without an HTTP server, until the process is ended."""
    body = (folder / "stream.sse").read_bytes()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
    data = b"%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (head, len(body), body)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Raw(data), "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


KINDS: dict[str, Callable[[Path], ASGIApp]] = {
    "constant": constant,
    "events": events,
    "coalesced": coalesced,
    "paced": paced,
    "starlette-json": starlette_json,
    "starlette-stream": starlette_stream,
}


def main() -> None:
    """Serve until the process is ended."""
    kind, port, folder = sys.argv[1:]
    if kind == "raw":
        uvloop.run(_raw(int(port), Path(folder)))
        return
    uvicorn.run(
        KINDS[kind](Path(folder)), host="127.0.0.1", port=int(port), loop="uvloop",
        http="httptools", lifespan="off", log_level="critical", access_log=False, backlog=4096,
    )  # fmt: skip


if __name__ == "__main__":
    main()
