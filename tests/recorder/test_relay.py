from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import json
import socket
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from k3mock.cassette.interaction import End
from tests.recorder.upstream import (
    END,
    STREAM_HEAD,
    Close,
    Hold,
    Reset,
    Say,
    chunk,
    event,
    head,
    kimi,
    streamed,
    whole,
    zipped,
)
from tests.support import CHAT, call, chat, request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.recorder.conftest import Studio
    from tests.recorder.upstream import Seen

    Start = Callable[..., Studio]

SECRET = "sk-Secret4711secret4711"


@contextlib.contextmanager
def stream(studio: Studio, content: str = "hi", path: str = CHAT) -> Iterator[Any]:
    """Send a streaming request and yield the open response."""
    address = urlsplit(studio.server.address).netloc
    connection = http.client.HTTPConnection(address, timeout=20)
    with contextlib.closing(connection):
        body = json.dumps(request(content, stream=True))
        headers = {"authorization": f"Bearer {SECRET}", "content-type": "application/json"}
        connection.request("POST", path, body, headers)
        yield connection.getresponse()


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ends(studio: Studio) -> list[str | None]:
    return [entry.outcome.end for entry in studio.server.app.journal.entries()]


def test_the_client_sees_the_first_event_before_the_upstream_sends_the_last(studio: Start) -> None:
    events, gate = kimi(), threading.Event()
    acts = [*streamed(events[:-1], end=False), Say(chunk(events[-1]), gate), Say(END)]
    running = studio(acts)
    with stream(running) as response:
        assert response.status == 200
        seen = response.read1()
        assert seen.startswith(events[0])
        assert not gate.is_set()
        gate.set()
        seen += response.read()
    assert seen == b"".join(events)
    assert ends(running) == ["complete"]
    [interaction] = running.recorded()
    assert interaction.response.body == b"".join(events)
    assert interaction.whole


def test_the_upstreams_writes_are_recorded_one_by_one_even_inside_a_character(
    studio: Start,
) -> None:
    text = event({"choices": [{"delta": {"content": "İ 天気 🌦"}}]})
    pieces = [text[:40], text[40:43], text[43:44], text[44:], event("[DONE]")]
    steps = [threading.Event() for _ in pieces]
    acts = [Say(STREAM_HEAD), *(Say(chunk(piece), gate) for piece, gate in
                                zip(pieces, steps, strict=True)), Say(END)]  # fmt: skip
    running = studio(acts)
    with stream(running) as response:
        got = []
        for gate in steps:
            gate.set()
            got.append(response.read1())
    assert got == pieces
    [interaction] = running.recorded()
    assert interaction.timing is not None
    assert [size for _, size in interaction.timing.chunks] == [len(piece) for piece in pieces]
    assert all(delta >= 0 for delta, _ in interaction.timing.chunks)
    assert 0 < interaction.timing.head_us <= interaction.timing.chunks[0][0]
    assert interaction.timing.end is End.COMPLETE


def test_headers_pass_both_ways_and_only_what_belongs_to_the_hop_does_not(studio: Start) -> None:
    running = studio(streamed([event("[DONE]")]))
    answer = call(
        running.server, f"{CHAT}?trace=a%2Fb", request(), key=SECRET,
        headers={"x-own": "ü".encode().decode("latin-1"), "x-k3mock": "session=t1",
                 "accept-encoding": "gzip, br", "te": "trailers", "connection": "close, x-hop",
                 "x-hop": "1"},
    )  # fmt: skip
    [seen] = running.seen
    assert (seen.method, seen.target) == ("POST", "/v1/chat/completions?trace=a%2Fb")
    assert seen.header("authorization") == f"Bearer {SECRET}"
    assert seen.header("x-own") == "ü".encode().decode("latin-1")
    assert seen.header("accept-encoding") == "identity"
    assert seen.header("host") == f"127.0.0.1:{running.upstream.port}"
    assert {"x-k3mock", "te", "connection", "x-hop", "user-agent"}.isdisjoint(dict(seen.headers))
    assert json.loads(seen.body) == request()
    assert answer.headers["msh-request-id"] == "9f1c"
    assert answer.headers["date"] == "now"
    assert answer.headers["x-k3mock-source"] == "recorder:tape.yaml#1"


def test_a_repeated_header_comes_back_as_often(studio: Start) -> None:
    running = studio(streamed([event("[DONE]")]))
    with stream(running) as response:
        assert response.headers.get_all("set-cookie") == ["__cf_bm=cookie-1", "second=2"]


def test_what_the_upstream_compresses_all_the_same_is_relayed_plain(studio: Start) -> None:
    events = kimi()
    running = studio(zipped(events))
    with stream(running) as response:
        assert response.getheader("content-encoding") is None
        assert response.read() == b"".join(events)
    [interaction] = running.recorded()
    assert interaction.response.body == b"".join(events)
    assert interaction.timing is not None
    assert interaction.timing.enc == "gzip"
    assert [size for _, size in interaction.timing.chunks] == [len(each) for each in events]


def test_an_encoding_that_cannot_be_read_passes_and_is_not_recorded(studio: Start) -> None:
    running = studio(whole(b"\x01\x02", "200 OK", "Content-Encoding: x-own"))
    answer = chat(running.server)
    assert (answer.body, answer.headers["content-encoding"]) == (b"\x01\x02", "x-own")
    running.stop()
    assert not running.path.exists()
    assert "its encoding cannot be read here" in running.problems[0]


def test_broken_compression_ends_the_answer_as_an_upstream_error(studio: Start) -> None:
    lines = ("Content-Type: text/event-stream", "Content-Encoding: gzip")
    running = studio([Say(head("200 OK", *lines) + b"no gzip at all"), Close()])
    with stream(running) as response, pytest.raises(http.client.IncompleteRead):
        response.read()
    [interaction] = running.recorded()
    assert interaction.timing is not None
    assert (interaction.timing.end, interaction.timing.error) == (
        End.UPSTREAM_ERROR, "DecodingError",
    )  # fmt: skip


def test_an_upstream_that_dies_leaves_the_client_with_a_torn_body(studio: Start) -> None:
    events = kimi()
    running = studio([*streamed(events[:3], end=False), Close()])
    with stream(running) as response:
        with pytest.raises(http.client.IncompleteRead) as caught:
            response.read()
    assert caught.value.partial == b"".join(events[:3])
    eventually(lambda: ends(running) == ["error"])
    [interaction] = running.recorded()
    assert interaction.response.body == b"".join(events[:3])
    assert interaction.timing is not None
    assert (interaction.timing.end, interaction.timing.error) == (
        End.UPSTREAM_ERROR, "RemoteProtocolError",
    )  # fmt: skip


def test_a_reset_upstream_resets_the_client(studio: Start) -> None:
    events = kimi()
    running = studio([*streamed(events[:3], end=False), Hold()])
    running.upstream.script = lambda _: [*streamed(events[:3], end=False), Reset()]
    with (
        stream(running) as response,
        pytest.raises((ConnectionResetError, http.client.HTTPException)),
    ):
        response.read()
    [interaction] = running.recorded()
    assert interaction.timing is not None
    assert interaction.timing.end is End.UPSTREAM_ERROR


def test_a_client_that_leaves_is_recorded_with_what_it_got(studio: Start) -> None:
    events = kimi()
    running = studio([*streamed(events[:4], end=False), Hold()])
    with stream(running) as response:
        got = b""
        while len(got) < len(b"".join(events[:4])):
            got += response.read1()
    eventually(lambda: bool(running.seen) and running.seen[0].left.is_set())
    assert ends(running) == ["client_disconnect"]
    [interaction] = running.recorded()
    assert interaction.response.body == got
    assert interaction.timing is not None
    assert (interaction.timing.end, interaction.timing.error) == (End.CLIENT_DISCONNECT, None)


def test_with_drain_the_answer_is_read_to_its_end(studio: Start) -> None:
    events, gate = kimi(), threading.Event()
    acts = [*streamed(events[:2], end=False), Say(chunk(b"".join(events[2:])), gate), Say(END)]
    running = studio(acts, drain=True)
    with stream(running) as response:
        assert response.read1() == events[0]
    eventually(lambda: ends(running) == ["client_disconnect"])
    gate.set()
    recorder = running.server.app.recorder
    assert recorder is not None
    eventually(lambda: recorder.tally.kept == 1)
    [interaction] = running.recorded()
    assert interaction.response.body == b"".join(events)
    assert interaction.whole


@pytest.mark.parametrize("who", ["client", "upstream"])
def test_a_stream_is_complete_with_its_done_whoever_closes_first(studio: Start, who: str) -> None:
    events = kimi()
    last: list[Any] = [Hold()] if who == "client" else [Close()]
    running = studio([*streamed(events, end=False), *last])
    with stream(running) as response:
        got = b""
        while not got.endswith(b"[DONE]\n\n"):
            got += response.read1()
    eventually(lambda: ends(running) == ["complete"])
    [interaction] = running.recorded()
    assert interaction.response.body == b"".join(events)
    assert interaction.timing is not None
    assert (interaction.timing.end, interaction.timing.error) == (End.COMPLETE, None)


@pytest.mark.parametrize(
    ("pieces", "end"),
    [
        pytest.param([event({"content": "data: [DONE]\n\n"})], End.CLIENT_DISCONNECT, id="text"),
        pytest.param([b"data: [DO", b"NE]\n\n"], End.COMPLETE, id="two-writes"),
        pytest.param([b"data:[DONE]\r\n\r\n"], End.COMPLETE, id="crlf"),
    ],
)
def test_done_is_known_in_any_writes_and_not_inside_of_a_text(
    studio: Start, pieces: list[bytes], end: End
) -> None:
    running = studio([*streamed(pieces, end=False), Hold()])
    with stream(running) as response:
        got = b""
        while len(got) < len(b"".join(pieces)):
            got += response.read1()
    eventually(running.seen[0].left.is_set)
    [interaction] = running.recorded()
    assert interaction.timing is not None
    assert interaction.timing.end is end


def test_silence_beyond_the_time_out_is_recorded_as_one(studio: Start) -> None:
    events = kimi()
    running = studio([*streamed(events[:2], end=False), Hold()], upstream_timeout=0.2)
    with stream(running) as response, pytest.raises(http.client.IncompleteRead):
        response.read()
    [interaction] = running.recorded()
    assert interaction.timing is not None
    assert (interaction.timing.end, interaction.timing.error) == (End.TIMEOUT, "ReadTimeout")


def test_errors_of_the_vendor_pass_as_they_are(studio: Start) -> None:
    body = b'{"error":{"message":"slow down","type":"rate_limit_reached_error"}}'
    running = studio(whole(body, "429 Too Many Requests", "Retry-After: 7"))
    answer = chat(running.server)
    assert (answer.status, answer.body) == (429, body)
    assert answer.headers["retry-after"] == "7"
    assert answer.headers["content-length"] == str(len(body))
    assert ends(running) == ["error"]
    [interaction] = running.recorded()
    assert (interaction.response.status, interaction.response.reason) == (429, "Too Many Requests")
    assert interaction.response.body == body
    assert ("retry-after", "7") in interaction.response.headers
    assert interaction.whole


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of a port where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"http://user:pass-4711@127.0.0.1:{sock.getsockname()[1]}/v1"


def test_an_upstream_that_cannot_be_reached_is_an_error_of_the_mock(
    studio: Start, nobody: str
) -> None:
    running = studio([], upstream=nobody)
    answer = chat(running.server)
    assert (answer.status, answer.error["code"]) == (502, "k3mock_upstream_error")
    assert answer.error["type"] == "k3mock_error"
    assert answer.error["message"].startswith("k3mock: the upstream http://127.0.0.1:")
    assert "gave no answer: ConnectError" in answer.error["message"]
    assert "4711" not in answer.error["message"]
    assert answer.headers["x-should-retry"] == "false"
    assert ends(running) == ["error"]
    running.stop()
    assert not running.path.exists()


def test_it_is_recorded_when_that_is_wanted(studio: Start, nobody: str) -> None:
    running = studio([], upstream=nobody, record_errors=True)
    answer = chat(running.server)
    [interaction] = running.recorded()
    assert interaction.response.status == 502
    assert interaction.response.body == answer.body


def test_an_upstream_that_closes_without_an_answer_is_told(studio: Start) -> None:
    running = studio([Close()])
    answer = chat(running.server)
    assert answer.status == 502
    assert "RemoteProtocolError" in answer.error["message"]


def test_a_client_that_leaves_before_the_headers_leaves_nothing_behind(studio: Start) -> None:
    running = studio([Hold()])
    address = urlsplit(running.server.address).netloc
    connection = http.client.HTTPConnection(address, timeout=20)
    connection.request("POST", CHAT, json.dumps(request()))
    eventually(lambda: bool(running.seen))
    connection.close()
    eventually(running.seen[0].left.is_set)
    eventually(lambda: ends(running) == ["client_disconnect"])
    running.stop()
    assert not running.path.exists()


def test_bodies_of_two_megabytes_pass_whole(studio: Start) -> None:
    image = "A" * 2_000_000
    body = json.dumps({"choices": [], "echo": "x" * 2_000_000}).encode()
    running = studio(whole(body), keep_media=True)
    answer = chat(running.server, image)
    assert answer.body == body
    assert running.seen[0].json == request(image)
    [interaction] = running.recorded()
    assert interaction.response.body == body
    assert json.loads(interaction.request.body) == request(image)
    assert interaction.timing is not None
    assert sum(size for _, size in interaction.timing.chunks) == len(body)


def test_a_body_above_the_limit_passes_and_is_not_recorded(studio: Start) -> None:
    running = studio(lambda seen: whole(b"x" * (100 if b"long" in seen.body else 99)), max_body=99)
    assert len(chat(running.server, "long").body) == 100
    assert len(chat(running.server, "short").body) == 99
    [interaction] = running.recorded()
    assert len(interaction.response.body) == 99
    assert "its body is larger than 99 bytes" in running.problems[0]


def test_every_path_and_method_is_relayed_whatever_contract_and_key_say(studio: Start) -> None:
    running = studio(lambda seen: whole(f"{seen.method} {seen.target}".encode()))
    assert call(running.server, "/v1/models", key=None).body == b"GET /v1/models"
    assert call(running.server, "/v1/files/f1", method="DELETE").body == b"DELETE /v1/files/f1"
    assert call(running.server, "/with/session=a/v1/x%20y").body == b"GET /v1/x%20y"
    assert call(running.server, CHAT, b"no json").body == b"POST /v1/chat/completions"
    assert call(running.server, "/else").body == b"GET /v1/else"
    assert [entry.source for entry in running.server.app.journal.entries()] == [
        f"recorder:tape.yaml#{number}" for number in range(1, 6)
    ]
    assert [interaction.request.uri for interaction in running.recorded()] == [
        f"{running.upstream.url}{path}"
        for path in ("/models", "/files/f1", "/x%20y", "/chat/completions", "/else")
    ]


def test_answers_without_a_body_end_at_once(studio: Start) -> None:
    acts = {
        "DELETE": [Say(head("204 No Content"))],
        "HEAD": [Say(head("200 OK", "Content-Length: 5", "Content-Encoding: gzip"))],
    }
    running = studio(lambda seen: acts[seen.method])
    assert call(running.server, "/v1/x", method="DELETE").status == 204
    answer = call(running.server, "/v1/x", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == "5"
    assert [interaction.whole for interaction in running.recorded()] == [True, True]


def test_a_hundred_streams_at_once_are_recorded_in_order_of_arrival(studio: Start) -> None:
    def script(seen: Seen) -> list[Any]:
        asked = seen.json["messages"][0]["content"]
        return streamed([event({"said": asked}), *kimi()[:4], event("[DONE]")], pause_s=0.005)

    running = studio(script)
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        answers = list(
            pool.map(lambda n: chat(running.server, f"call {n}", stream=True), range(100))
        )
    assert all(answer.events[-1] == "[DONE]" for answer in answers)
    arrived = [entry.body["messages"][0]["content"]  # type: ignore[index, call-overload]
               for entry in running.server.app.journal.entries()]  # fmt: skip
    recorded = running.recorded()
    assert [json.loads(each.request.body)["messages"][0]["content"] for each in recorded] == arrived
    assert len(set(arrived)) == 100
    assert [each.timing.seq for each in recorded if each.timing is not None] == [*range(1, 101)]
    for each, asked in zip(recorded, arrived, strict=True):
        assert each.whole
        assert each.response.body.startswith(event({"said": asked}))
        assert each.response.body.endswith(event("[DONE]"))


def test_a_request_that_is_far_too_long_is_refused_by_the_mock(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("k3mock.asgi.vendor.MAX_RELAYED", 1000)
    running = studio([])
    answer = chat(running.server, "x" * 1000)
    assert answer.error["type"] == "k3mock_error"
    assert "too long to be recorded" in answer.error["message"]
    assert running.seen == []
