"""Turns a socket into what a client without a library sees: every read, and how it ended."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from k3mock.wire.chunks import Frame, FrameKind
from tests.support import CHAT, request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from k3mock.journal import Outcome
    from k3mock.protocol.reply import Ending
    from k3mock.seed import Chance
    from k3mock.serving import MockServer

PATIENCE_S = 10.0


@dataclass
class Seen:
    """What was read, read by read, and how it ended: `fin`, `rst` or `open` (nothing came)."""

    reads: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    end: str = "open"

    @property
    def all(self) -> bytes:
        return b"".join(self.reads)

    @property
    def head(self) -> bytes:
        return self.all.partition(b"\r\n\r\n")[0]

    @property
    def bodies(self) -> list[bytes]:
        """What each read held of the body, without the framing of chunks; empty ones left out."""
        data, at = self.all, 0
        found = []
        spans = _spans(data)
        for piece in self.reads:
            after = at + len(piece)
            found.append(b"".join(data[max(at, start) : min(after, stop)] for start, stop in spans))
            at = after
        return [body for body in found if body]

    @property
    def body(self) -> bytes:
        return b"".join(self.bodies)


def _spans(data: bytes) -> list[tuple[int, int]]:
    """Return where the bytes of a body stand."""
    head, found, _ = data.partition(b"\r\n\r\n")
    at = len(head) + len(found)
    if b"transfer-encoding: chunked" not in head.lower():
        return [(at, len(data))]
    spans = []
    while b"\r\n" in data[at:]:
        line = data[at:].partition(b"\r\n")[0]
        start = at + len(line) + 2
        at = start + int(line, 16) + 2
        spans.append((start, min(at - 2, len(data))))
    return spans


def is_whole(data: bytes | bytearray) -> bool:
    """Say whether an answer has come to its end."""
    head, found, body = data.partition(b"\r\n\r\n")
    _, length, after = head.lower().partition(b"content-length: ")
    if not length:
        return bool(found) and body.endswith(b"0\r\n\r\n")
    return len(body) >= int(after.partition(b"\r\n")[0])


def ask(server: MockServer, options: str = "", content: str = "hi", **fields: Any) -> socket.socket:
    """Send a chat request over a socket of its own."""
    sock = connect(server)
    sock.sendall(asking(options, content, **fields))
    return sock


def connect(server: MockServer) -> socket.socket:
    port = int(server.address.rsplit(":", 1)[1])
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def asking(options: str = "", content: str = "hi", **fields: Any) -> bytes:
    """Return the bytes of a chat request, streamed unless told otherwise."""
    body = json.dumps(request(content, **{"stream": True, **fields})).encode()
    path = f"/with/{options}{CHAT}" if options else CHAT
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def read(
    sock: socket.socket,
    *,
    until: Callable[[bytes | bytearray], bool] | None = None,
    silent_s: float = PATIENCE_S,
) -> Seen:
    """Read to the end, or until what came is enough, or until nothing came for so long."""
    seen, data = Seen(), bytearray()
    deadline = time.monotonic() + PATIENCE_S
    sock.settimeout(silent_s)
    try:
        while piece := sock.recv(65_536):
            seen.reads.append(piece)
            seen.times.append(time.monotonic())
            data += piece
            if until is not None and until(data):
                return seen
            assert time.monotonic() < deadline, "the answer does not end"
        seen.end = "fin"
    except TimeoutError:
        pass
    except ConnectionResetError:
        seen.end = "rst"
    return seen


def holds(text: bytes, times: int = 1) -> Callable[[bytes | bytearray], bool]:
    return lambda data: data.count(text) >= times


def read_all(server: MockServer, options: str = "", content: str = "hi", **fields: Any) -> Seen:
    """Ask and read to the end of the answer."""
    with ask(server, options, content, **fields) as sock:
        return read(sock, until=is_whole)


def outcome(server: MockServer, session: str) -> Outcome:
    """Return how the one answer of a session ended, once it has."""
    [entry] = server.app.journal.entries(session)
    deadline = time.monotonic() + PATIENCE_S
    while entry.outcome.end is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return entry.outcome


def put(*new: Frame, at: int) -> Callable[[Sequence[Frame], Chance], Sequence[Frame]]:
    """Return an edit that puts frames into a stream."""
    return lambda frames, _chance: [*frames[:at], *new, *frames[at:]]


def end(how: Ending) -> Frame:
    return Frame(b"", FrameKind.END, ending=how)


def stall(ms: float) -> Frame:
    return Frame(b"", FrameKind.STALL, stall_ms=ms)
