"""Turns time into events, and one server's bytes into another's: the two ends of a recording.

    python -m benchmarks.upstream stream PORT EVENTS GAP_MS
    python -m benchmarks.upstream relay PORT UPSTREAM_PORT

`stream` answers every request with events that hold the time of their write. `relay` passes bytes
both ways and knows nothing of them: the least that can stand between.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import uvloop

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n"
)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _delta(number: int) -> dict[str, object]:
    """Return a delta: words, with a thought and a piece of a call now and then."""
    if number % 11 == 10:
        return {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}
    return {"content": "word "} if number % 5 else {"reasoning_content": "thought "}


async def _stream(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, events: int, gap_s: float
) -> None:
    """Answer one request."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    writer.write(_HEAD)
    for number in range(events):
        await asyncio.sleep(gap_s)
        event = {"t": time.monotonic_ns(), "choices": [{"index": 0, "delta": _delta(number)}]}
        writer.write(_chunk(b"data: %s\n\n" % json.dumps(event).encode()))
        await writer.drain()
    writer.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    await writer.drain()
    writer.close()


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, port: int) -> None:
    """Pass the bytes of one connection both ways."""
    back, there = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_pump(reader, there), _pump(back, writer))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await source.read(65_536):
            target.write(piece)
            await target.drain()
    target.close()


async def _serve(
    client: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], port: int
) -> None:
    server = await asyncio.start_server(client, "127.0.0.1", port)
    await server.serve_forever()


def main() -> None:
    """Serve until the process is ended."""
    kind, port, *more = sys.argv[1:]
    if kind == "stream":
        client = partial(_stream, events=int(more[0]), gap_s=float(more[1]) / 1000)
    else:
        client = partial(_relay, port=int(more[0]))
    uvloop.run(_serve(client, int(port)))


if __name__ == "__main__":
    main()
