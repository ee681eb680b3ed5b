"""Turns a socket and nothing else into uses: every byte of a request is written here."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit

from told import KEY, URL, FailedError, body, main, squeezed, streamed, whole

AT = urlsplit(URL)


class Wire:
    """A connection that is read as RFC 9112 says: by length, by chunks, or to its end."""

    def __init__(self) -> None:
        self._sock = socket.create_connection((AT.hostname, AT.port), timeout=30)
        self._read = self._sock.makefile("rb")

    def send(self, data: bytes, *headers: str, version: str = "1.1", bare: bool = False) -> None:
        """Write a request; with `bare` the head only."""
        lines = [
            f"POST {AT.path} HTTP/{version}",
            f"Host: {AT.netloc}",
            f"Authorization: Bearer {KEY}",
            "Content-Type: application/json",
            *headers,
        ]
        if not any(header.startswith("Transfer-Encoding") for header in headers):
            lines.append(f"Content-Length: {len(data)}")
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        self.write(head if bare else head + data)

    def write(self, data: bytes) -> None:
        self._sock.sendall(data)

    def status(self) -> tuple[int, dict[str, str]]:
        """Read a status line and its headers."""
        line = self._read.readline()
        if not line:
            raise FailedError("end of the connection", "nothing came")
        headers: dict[str, str] = {}
        while header := self._read.readline().decode().strip():
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        return int(line.split()[1]), headers

    def answer(self) -> bytes:
        """Read an answer and return its body."""
        return self._rest(self.status()[1])

    def _rest(self, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return self._read.read(int(headers["content-length"]))
        if headers.get("transfer-encoding") != "chunked":
            return self._read.read()
        pieces: list[bytes] = []
        while True:
            line = self._read.readline()
            if not line:
                said = b"".join(pieces)[-40:].decode(errors="replace")
                raise FailedError("end without the last chunk", f"after {said!r}")
            size = int(line, 16)
            pieces.append(self._read.read(size))
            self._read.readline()
            if size == 0:
                return b"".join(pieces)

    def ended(self) -> bool:
        """Tell whether the server closed the connection."""
        self._sock.settimeout(2)
        try:
            return self._read.read(1) == b""
        except TimeoutError:
            return False


def one(data: bytes, *headers: str) -> bytes:
    wire = Wire()
    wire.send(data, *headers)
    return wire.answer()


def reuse() -> dict[str, Any]:
    wire, texts = Wire(), []
    for _ in range(2):
        wire.send(body())
        texts.append(whole(wire.answer())["text"])
    return {"texts": texts, "connections": 1}


def http10() -> dict[str, Any]:
    found: list[bytes] = []
    for stream in (False, True):
        wire = Wire()
        wire.send(body(stream=stream), version="1.0")
        found.append(wire.answer())
        if not wire.ended():
            raise FailedError("connection left open", "a client of HTTP/1.0 waits for its end")
    return {**whole(found[0]), "stream_text": streamed(found[1])["text"]}


def pipelined() -> dict[str, Any]:
    """Send a stream and a whole answer's request before the first byte is read."""
    wire = Wire()
    wire.send(body(stream=True))
    wire.send(body())
    first, second = streamed(wire.answer()), whole(wire.answer())
    return {"texts": [first["text"], second["text"]], "connections": 1}


def expect() -> dict[str, Any]:
    wire = Wire()
    wire.send(body(), "Expect: 100-continue", bare=True)
    status, _ = wire.status()
    if status != 100:
        raise FailedError(f"status {status}", "before the body was sent")
    wire.write(body())
    return {**whole(wire.answer()), "continued": True}


def chunked() -> dict[str, Any]:
    data = body()
    framed = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in (data[:7], data[7:], b""))
    return whole(one(framed, "Transfer-Encoding: chunked"))


main({
    "plain": lambda: whole(one(body())),
    "stream": lambda: streamed(one(body(stream=True))),
    "reuse": reuse,
    "http10": http10,
    "pipelined": pipelined,
    "expect": expect,
    "chunked": chunked,
    "compressed": lambda: whole(one(squeezed(), "Content-Encoding: gzip")),
})  # fmt: skip
