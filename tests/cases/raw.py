"""Turns one request into what a raw socket saw: every read, and how the connection ended."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support import CHAT, KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

QUIET_S = 0.5
"""Without a byte for so long a connection counts as silent."""

TOTAL_S = 20.0


@dataclass
class Exchange:
    """What came back.

    `end` is `whole` (the body ended as HTTP says), `closed` (before that), `reset` or `silent`
    (nothing came any more, the connection is still open). `times` are seconds from the request to
    each read.
    """

    reads: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    end: str = ""

    @property
    def raw(self) -> bytes:
        return b"".join(self.reads)

    @property
    def head(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[0]

    @property
    def status(self) -> int:
        return int(self.head.split(b" ")[1])

    @property
    def headers(self) -> dict[str, str]:
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(": ") for line in lines)
        return {name.lower(): value for name, _, value in pairs}

    @property
    def chunked(self) -> bool:
        return self.headers.get("transfer-encoding") == "chunked"

    @property
    def body(self) -> bytes:
        """The body's bytes, as far as they came."""
        rest = self.raw.partition(b"\r\n\r\n")[2]
        return _dechunked(rest)[0] if self.chunked else rest

    @property
    def pieces(self) -> list[bytes]:
        """The chunks of a chunked body."""
        return _dechunked(self.raw.partition(b"\r\n\r\n")[2])[2]

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        return self.json["error"]

    @property
    def message(self) -> Any:
        return self.json["choices"][0]["message"]

    @property
    def usage(self) -> Any:
        return self.json["usage"]

    @property
    def events(self) -> list[Any]:
        """The data of each event of an ordinary stream: JSON, or `[DONE]` as text."""
        found: list[Any] = []
        for line in self.text.splitlines():
            if line.startswith("data:"):
                data = line.removeprefix("data:").removeprefix(" ")
                found.append(data if data == "[DONE]" else json.loads(data))
        return found

    @property
    def chunks(self) -> list[Any]:
        """The events that are chunks with a choice."""
        return [event for event in self.events if isinstance(event, dict) and event.get("choices")]

    @property
    def deltas(self) -> list[Any]:
        return [chunk["choices"][0].get("delta") for chunk in self.chunks]

    def joined(self, key: str) -> str:
        """The text that all deltas give under a key."""
        return "".join((delta or {}).get(key) or "" for delta in self.deltas)

    @property
    def tool_deltas(self) -> list[Any]:
        return [item for delta in self.deltas for item in (delta or {}).get("tool_calls") or []]

    @property
    def finishes(self) -> list[Any]:
        return [
            chunk["choices"][0]["finish_reason"]
            for chunk in self.chunks
            if chunk["choices"][0].get("finish_reason")
        ]

    @property
    def done(self) -> bool:
        return "[DONE]" in self.events


def _dechunked(data: bytes) -> tuple[bytes, bool, list[bytes]]:
    """Return the bytes of a chunked body, whether it ended, and its chunks."""
    pieces: list[bytes] = []
    while True:
        size, found, data = data.partition(b"\r\n")
        if not found:
            return b"".join(pieces), False, pieces
        length = int(size, 16)
        if length == 0:
            return b"".join(pieces), True, pieces
        pieces.append(data[:length])
        data = data[length + 2 :]


def _complete(raw: bytearray) -> bool:
    head, found, _ = bytes(raw[:8192]).partition(b"\r\n\r\n")
    if not found:
        return False
    if b"transfer-encoding: chunked" in head.lower():
        ended = raw.endswith(b"0\r\n\r\n")
        return ended and _dechunked(bytes(raw[len(head) + 4 :]))[1]
    length = re.search(rb"content-length: ([0-9]+)", head.lower())
    return length is not None and len(raw) - len(head) - 4 >= int(length[1])


def exchange(
    address: str,
    path: str = CHAT,
    body: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    quiet_s: float = QUIET_S,
    stop_after: bytes | None = None,
) -> Exchange:
    """Send one request over a fresh connection and read whatever comes.

    `stop_after` hangs up as soon as these bytes have come.
    """
    url = urlsplit(address)
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    sent = {
        "Host": url.netloc,
        "Authorization": f"Bearer {KEY}",
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
        **(headers or {}),
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    result = Exchange()
    raw = bytearray()
    started = time.monotonic()
    with contextlib.closing(
        socket.create_connection((url.hostname or "", url.port or 80), timeout=quiet_s)
    ) as sock:
        sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        while time.monotonic() - started < TOTAL_S:
            try:
                piece = sock.recv(65_536)
            except TimeoutError:
                result.end = "silent"
                break
            except ConnectionResetError:
                result.end = "reset"
                break
            if not piece:
                result.end = "closed"
                break
            result.reads.append(piece)
            raw += piece
            result.times.append(time.monotonic() - started)
            if stop_after is not None and stop_after in raw:
                result.end = "left"
                break
            if _complete(raw):
                result.end = "whole"
                break
    return result
