"""Turns a script into a raw HTTP server that stands for the vendor: it does as it is told."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Say:
    """Write these bytes; `gate` is waited for before, if there is one."""

    data: bytes
    gate: threading.Event | None = None
    pause_s: float = 0.0


class Hold:
    """Keep the connection open until the relay closes it."""


class Reset:
    """Close the connection with RST."""


class Close:
    """Close the connection as it is, however much of the body is missing."""


Act = Say | Hold | Reset | Close


@dataclass
class Seen:
    """A request as it arrived; `left` is set when its connection was closed from the other side."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    port: int = 0
    left: threading.Event = field(default_factory=threading.Event)

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known == name), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def head(status: str = "200 OK", *lines: str) -> bytes:
    """Return a status line and headers."""
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def chunk(data: bytes) -> bytes:
    """Return data as a chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


END = b"0\r\n\r\n"
STREAM_HEAD = head(
    "200 OK", "Content-Type: text/event-stream; charset=utf-8", "Transfer-Encoding: chunked",
    "Msh-Request-Id: 9f1c", "Set-Cookie: __cf_bm=cookie-1", "Set-Cookie: second=2", "Date: now",
)  # fmt: skip


def event(data: Any) -> bytes:
    """Return one server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def kimi(text: str = "31 °C und sonnig", model: str = "kimi-k3") -> list[bytes]:
    """Return a stream as the model sends it: reasoning, content, a tool call, usage, the end."""
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "The user wants "},
        {"reasoning_content": "the weather."},
        *({"content": word} for word in text.split(" ")),
        {"tool_calls": [{"index": 0, "id": "get_weather_0", "type": "function",
                         "function": {"name": "get_weather", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ' "İzmir"}'}}]},
    ]  # fmt: skip
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    events = [
        event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        for delta in deltas
    ]
    events.append(event({**base, "choices": [{"index": 0, "delta": {},
                                              "finish_reason": "tool_calls"}]}))  # fmt: skip
    usage = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}
    events += [event({**base, "choices": [], "usage": usage}), event("[DONE]")]
    return events


def streamed(pieces: Sequence[bytes], *, pause_s: float = 0.0, end: bool = True) -> list[Act]:
    """Return the acts of a stream, one write a piece."""
    acts: list[Act] = [Say(STREAM_HEAD)]
    acts += [Say(chunk(piece), pause_s=pause_s) for piece in pieces]
    return [*acts, Say(END)] if end else acts


def whole(body: bytes, status: str = "200 OK", *lines: str) -> list[Act]:
    """Return the acts of an answer in one piece, with its length."""
    kind = "Content-Type: application/json; charset=utf-8"
    return [Say(head(status, kind, f"Content-Length: {len(body)}", *lines) + body)]


def zipped(pieces: Sequence[bytes]) -> list[Act]:
    """Return the acts of a stream that is compressed although nobody asked for it."""
    packer = zlib.compressobj(wbits=31)
    lines = ("Content-Type: text/event-stream", "Transfer-Encoding: chunked",
             "Content-Encoding: gzip")  # fmt: skip
    acts = [
        Say(chunk(packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH))) for piece in pieces
    ]
    return [Say(head("200 OK", *lines)), *acts, Say(chunk(packer.flush()) + END)]


class FakeUpstream:
    """A server in a thread; `script` gives the acts for each request."""

    def __init__(
        self, script: Callable[[Seen], Sequence[Act]], tls: tuple[str, str] | None = None
    ) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.port = 0
        self._tls = tls
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._stop: asyncio.Event | None = None

    @property
    def url(self) -> str:
        return f"http{'s' * bool(self._tls)}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        context = None
        if self._tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self._tls)
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, backlog=500, ssl=context)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        running = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        # Transports close in a round of their own, those of TLS in several.
        await asyncio.sleep(0.02)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (seen := await _request(reader)) is not None:
                seen.port = writer.get_extra_info("peername")[1]
                self.seen.append(seen)
                if not await self._act(self.script(seen), seen, reader, writer):
                    return
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _act(
        self,
        acts: Sequence[Act],
        seen: Seen,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Carry the acts out; says whether the connection goes on."""
        for act in acts:
            if isinstance(act, Say):
                if act.gate is not None:
                    assert await asyncio.to_thread(act.gate.wait, 20)
                await asyncio.sleep(act.pause_s)
                writer.write(act.data)
                try:
                    await writer.drain()
                    # A write of its own for each act.
                    await asyncio.sleep(0)
                except ConnectionError:
                    seen.left.set()
                    raise
            elif isinstance(act, Hold):
                if not await reader.read(1):
                    seen.left.set()
                return False
            elif isinstance(act, Reset):
                await asyncio.sleep(0.02)
                writer.transport.abort()
                return False
            else:
                return False
        return True


async def _request(reader: asyncio.StreamReader) -> Seen | None:
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = raw.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = [(name.lower(), value.strip())
               for name, _, value in (line.partition(":") for line in lines)]  # fmt: skip
    seen = Seen(method, target, headers, b"")
    seen.body = await reader.readexactly(int(seen.header("content-length") or 0))
    return seen
