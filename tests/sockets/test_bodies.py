"""How a request's body may travel: after a word of the server, in chunks, compressed."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from tests.sockets.raw import asking, connect, holds, is_whole, read
from tests.support import CHAT, request

if TYPE_CHECKING:
    from k3mock.serving import MockServer

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def _with(header: bytes, sent: bytes) -> bytes:
    return sent.replace(b"\r\n", b"\r\n" + header + b"\r\n", 1)


def test_a_body_that_waits_for_the_server_s_word_is_asked_for(any_server: MockServer) -> None:
    head, end, body = _with(b"Expect: 100-continue", asking(stream=False)).partition(b"\r\n\r\n")
    with connect(any_server) as sock:
        sock.sendall(head + end)
        word = read(sock, until=holds(b"\r\n\r\n"))
        assert word.all == CONTINUE
        sock.sendall(body)
        seen = read(sock, until=is_whole)
    assert seen.all.startswith(b"HTTP/1.1 200 OK\r\n")
    assert json.loads(seen.body)["object"] == "chat.completion"


def test_a_client_that_does_not_wait_for_the_word_is_answered_too(any_server: MockServer) -> None:
    with connect(any_server) as sock:
        sock.sendall(_with(b"Expect: 100-continue", asking(stream=False)))
        seen = read(sock, until=holds(b'"chat.completion"'))
    assert seen.all.removeprefix(CONTINUE).startswith(b"HTTP/1.1 200 OK\r\n")


def test_the_chunks_of_a_body_may_be_cut_anywhere(any_server: MockServer) -> None:
    body = json.dumps(request("İzmir ☀️"), ensure_ascii=False).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))
    with connect(any_server) as sock:
        for piece in (head.encode(), *(framed[at : at + 3] for at in range(0, len(framed), 3))):
            sock.sendall(piece)
        seen = read(sock, until=is_whole)
    assert seen.all.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_compressed_body_is_refused_as_bytes_that_are_no_json(any_server: MockServer) -> None:
    body = gzip.compress(json.dumps(request()).encode())
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with connect(any_server) as sock:
        sock.sendall(head.encode() + body)
        seen = read(sock, until=is_whole)
        sock.sendall(asking(stream=False))
        after = read(sock, until=is_whole)
    assert seen.all.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert json.loads(seen.body)["error"]["type"] == "invalid_request_error"
    assert after.all.startswith(b"HTTP/1.1 200 OK\r\n")
