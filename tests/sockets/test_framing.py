"""Where an answer ends: without a body, and for clients that know no chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sockets.raw import asking, connect, holds, outcome, read
from tests.support import sse_events

if TYPE_CHECKING:
    from k3mock.serving import MockServer

MODELS = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n\r\n"


@pytest.mark.parametrize("status", [204, 205, 304])
def test_the_next_answer_on_a_connection_follows_one_without_a_body(
    any_server: MockServer, status: int
) -> None:
    session = f"bodiless-{status}"
    options = f"session={session};fault=error(status:{status},message:nothing)"
    with connect(any_server) as sock:
        sock.sendall(asking(options) + MODELS)
        seen = read(sock, until=holds(b'"kimi-k3"'))
    first, _, rest = seen.all.partition(b"\r\n\r\n")
    assert first.startswith(f"HTTP/1.1 {status} ".encode())
    assert rest.startswith(b"HTTP/1.1 200 OK\r\n")
    lengths = [line for line in first.lower().split(b"\r\n") if line.startswith(b"content-length")]
    assert lengths == ([b"content-length: 0"] if status == 205 else [])
    assert b"transfer-encoding" not in first.lower()
    assert outcome(any_server, session).bytes == 0


def test_an_answer_to_head_has_headers_only(any_server: MockServer) -> None:
    head = MODELS.replace(b"GET /v1", b"HEAD /with/session=head/v1")
    with connect(any_server) as sock:
        sock.sendall(head + MODELS)
        seen = read(sock, until=holds(b'"kimi-k3"'))
    first, _, rest = seen.all.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert rest.startswith(b"HTTP/1.1 200 OK\r\n")
    assert outcome(any_server, "head").bytes == 0


def old(options: str, *, keep: bool = False, **fields: Any) -> bytes:
    sent = asking(options, **fields).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n", 1)
    wish = b"\r\nConnection: keep-alive\r\n"
    return sent.replace(b"\r\n", wish, 1) if keep else sent


@pytest.mark.parametrize("keep", [False, True], ids=["plain", "keep-alive"])
def test_an_old_client_gets_a_stream_as_it_comes_and_its_end_by_the_connections(
    any_server: MockServer, keep: bool
) -> None:
    options = "session=old;pace=content_tps=100,reasoning_tps=100"
    with connect(any_server) as sock:
        sock.sendall(old(options, keep=keep, max_tokens=12))
        seen = read(sock)
    head, _, body = seen.all.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert not {b"content-length", b"transfer-encoding"} & set(head.lower().split())
    assert b"length" not in head.lower()
    assert b"chunked" not in head.lower()
    assert seen.end == "fin"
    assert sse_events(body)[-1] == "[DONE]"
    assert len(seen.reads) > 3


def test_an_old_client_gets_a_whole_body_with_its_length(any_server: MockServer) -> None:
    with connect(any_server) as sock:
        sock.sendall(old("session=old;wire.length_below_bytes=0", stream=False, max_tokens=6))
        seen = read(sock)
    head, _, body = seen.all.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head.lower()


def test_an_old_clients_stream_may_be_cut(any_server: MockServer) -> None:
    with connect(any_server) as sock:
        sock.sendall(old("session=old-cut;fault=cut_mid_stream(after:2)"))
        seen = read(sock)
    assert b"[DONE]" not in seen.all
    assert seen.end == "fin"
    assert outcome(any_server, "old-cut").end == "fault"
