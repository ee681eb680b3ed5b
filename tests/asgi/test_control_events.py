from __future__ import annotations

import asyncio
import http.client
import json
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from k3mock.asgi import control_events as module
from k3mock.asgi.control_answers import ControlError
from k3mock.asgi.control_events import Feed, _EventStream, _Reader
from k3mock.journal import JournalEntry
from k3mock.redact import Kept
from tests.support import CHAT, call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Message

    from k3mock.serving import MockServer

PATH = "/__k3mock__/events"


@contextmanager
def following(server: MockServer, query: str = "") -> Iterator[http.client.HTTPResponse]:
    address = urlsplit(server.address)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    with closing(connection):
        connection.request("GET", PATH + query)
        response = connection.getresponse()
        assert response.readline().startswith(b": ")
        assert response.readline() == b"\n"
        yield response


def event(response: http.client.HTTPResponse) -> tuple[str, Any]:
    """Read one event as (name, data); comments are skipped."""
    fields: dict[str, str] = {}
    while line := response.readline().decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        fields[name] = value
    return fields["event"], json.loads(fields["data"])


def entry(number: int, session: str = "s", raw: bytes = b"{}") -> JournalEntry:
    made = JournalEntry(
        id=f"req_{number}", session=session, profile="moonshot", method="POST", path="/",
        headers={}, kept=Kept(raw),
    )  # fmt: skip
    made.outcome.end = "complete"
    return made


def test_who_asks_for_it_is_told_of_arrivals_and_gets_no_bodies(server: MockServer) -> None:
    with following(server, "?session=early&from=arrival&view=brief") as response:
        answer = chat(server, "told", options="session=early", max_tokens=1)
        (first, arrived), (second, ended) = event(response), event(response)
    assert (first, second) == ("request", "answer")
    assert arrived["id"] == ended["id"] == answer.headers["x-k3mock-request"]
    assert "received" not in ended
    assert ended["end"] == "complete"
    wrong = call(server, f"{PATH}?from=start")
    assert wrong.status == 400


def test_an_answer_that_ends_is_told_as_the_journal_shows_it(server: MockServer) -> None:
    with following(server, "?session=followed") as response:
        assert response.getheader("content-type", "").startswith("text/event-stream")
        chat(server, "other", options="session=not-followed", max_tokens=1)
        answer = chat(server, "told", options="session=followed", max_tokens=1, stream=True)
        name, told = event(response)
        assert name == "answer"
        assert told["id"] == answer.headers["x-k3mock-request"]
        assert told["outcome"]["end"] == "complete"
        assert told == call(server, f"/__k3mock__/requests/{told['id']}").json


def test_the_stream_ends_when_the_server_stops() -> None:
    with serving() as server, following(server) as response:
        chat(server, "last", max_tokens=1)
        server.stop()
        assert event(response)[1]["received"]["body"]["messages"][0]["content"] == "last"
        assert response.read() == b""


def test_a_client_that_leaves_frees_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_READERS", 1)
    with serving() as server:
        with following(server):
            full = call(server, PATH)
            assert full.status == 503
            assert "follow the events already" in full.error["message"]
        while server.app._feed.readers:
            call(server, "/__k3mock__/health")
        with following(server) as response:
            chat(server, "x", max_tokens=1)
            assert event(response)[0] == "answer"


def test_head_and_wrong_filters_do_not_follow(server: MockServer) -> None:
    head = call(server, PATH, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert call(server, f"{PATH}?limit=3").status == 400
    assert server.app._feed.readers == 0


def test_a_client_that_does_not_read_does_not_hold_up_the_end() -> None:
    with serving() as server:
        address = urlsplit(server.address)
        with socket.create_connection((address.hostname, address.port)) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(f"GET {PATH} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            sock.recv(1)
            for _ in range(8):
                call(server, CHAT, b"x" * 1_000_000)
            server.stop()
            assert server._thread is None


def test_a_slow_reader_loses_the_oldest_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 2)

    async def read() -> list[bytes]:
        reader = _Reader({})
        for number in range(5):
            reader.offer(entry(number))
        reader.close()
        return [await reader.next() for _ in range(4)]

    dropped, first, second, end = asyncio.run(read())
    assert dropped == b'event: dropped\ndata: {"count":3}\n\n'
    assert first.startswith(b"event: answer\nid: req_3\ndata: {")
    assert second.startswith(b"event: answer\nid: req_4\n")
    assert end == b""


def test_what_waits_is_bounded_by_bytes_but_one_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", 2000)

    async def read() -> list[bytes]:
        reader = _Reader({"session": "s"})
        reader.offer(entry(1))
        reader.offer(entry(2, session="other"))
        reader.offer(entry(3, raw=b'"' + b"x" * 5000 + b'"'))
        reader.close()
        return [await reader.next() for _ in range(3)]

    dropped, kept, end = asyncio.run(read())
    assert b'"count":1' in dropped
    assert kept.startswith(b"event: answer\nid: req_3\n")
    assert end == b""


def test_silence_is_filled_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEPALIVE_MS", 1.0)
    assert asyncio.run(_Reader({}).next()) == b": nothing new\n\n"


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def test_a_lost_connection_ends_the_stream_quietly() -> None:
    async def lost(_message: Message) -> None:
        raise OSError

    left: list[bool] = []
    stream = _EventStream(_Reader({}), lambda: left.append(True))
    asyncio.run(stream({}, _never, lost))
    assert left == [True]


def test_only_the_end_of_the_server_swallows_a_cancellation() -> None:
    async def cancelled(*, stopping: bool) -> list[bool]:
        feed, reader, left = Feed(), _Reader({}), list[bool]()
        feed._readers.add(reader)
        task = asyncio.ensure_future(
            _EventStream(reader, lambda: left.append(True))({}, _never, _stuck)
        )
        await asyncio.sleep(0)
        if stopping:
            reader.close()
            feed._cut()
        else:
            task.cancel()
        await task
        return left

    async def _stuck(_message: Message) -> None:
        await asyncio.Event().wait()

    assert asyncio.run(cancelled(stopping=True)) == [True]
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(stopping=False))


def test_nobody_may_follow_a_server_that_stops() -> None:
    async def follow() -> int:
        feed = Feed()
        feed.stop()
        from starlette.requests import Request  # noqa: PLC0415

        scope = {"type": "http", "method": "GET", "query_string": b"", "headers": []}
        try:
            await feed.events(Request(scope))
        except ControlError as error:
            return error.status
        return 200

    assert asyncio.run(follow()) == 503
