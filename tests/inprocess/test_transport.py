from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import openai
import pytest

import k3mock
from k3mock.errors import SettingsError, StartError
from k3mock.handle import K3Mock
from k3mock.serving import MockServer
from k3mock.settings import Settings
from tests.support import CHAT, request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.inprocess.transport import Served, Transport
    from k3mock.journal import Outcome

HEADERS = {"Authorization": "Bearer k"}
LONG = request("tell me", stream=True, max_tokens=3000)


@pytest.fixture(scope="module")
def transport() -> Iterator[Transport]:
    with k3mock.transport(seed=7) as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def url(session: str, options: str = "", address: str = "https://api.moonshot.ai") -> str:
    return f"{address}/with/session={session};{options}{CHAT}"


def outcome(app: Served, session: str) -> Outcome:
    [entry] = app.journal.entries(session)
    deadline = time.monotonic() + 10
    while entry.outcome.end is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return entry.outcome


def test_the_sdk_works_at_the_real_address(transport: Transport) -> None:
    sdk = openai.OpenAI(
        api_key="k",
        base_url="https://api.moonshot.ai/v1",
        http_client=httpx2.Client(transport=transport),
    )
    asked: Any = {"model": "kimi-k3", "messages": [{"role": "user", "content": "hi"}]}
    answer = sdk.chat.completions.create(**asked)
    streamed = list(sdk.chat.completions.create(stream=True, **asked))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in streamed if chunk.choices)
    assert text
    assert answer.choices[0].finish_reason == "stop"


def test_an_httpx_client_takes_the_same_transport_and_raises_its_own_errors(
    transport: Transport,
) -> None:
    given: Any = transport
    client = httpx.Client(transport=given)
    answer = client.post(url("old"), json=request(), headers=HEADERS)
    assert isinstance(answer, httpx.Response)
    assert answer.status_code == 200
    with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
        client.post(url("old-cut", "fault=cut_mid_stream"), json=LONG, headers=HEADERS)


@pytest.mark.anyio
async def test_an_asynchronous_httpx_client_raises_its_own_errors() -> None:
    given: Any = k3mock.async_transport()
    async with httpx.AsyncClient(transport=given) as client:
        answer = await client.post(url("old"), json=request(), headers=HEADERS)
        assert answer.status_code == 200
        with pytest.raises(httpx.ReadError):
            await client.post(url("cut", "fault=reset_mid_stream"), json=LONG, headers=HEADERS)


def test_pieces_come_as_they_are_written(transport: Transport) -> None:
    client = httpx2.Client(transport=transport)
    options = "pace=ttft_ms:0,content_tps:100,reasoning_tps:100"
    with client.stream("POST", url("pieces", options), json=LONG, headers=HEADERS) as response:
        pieces = response.iter_raw()
        assert next(pieces).startswith(b"data: ")
        [entry] = transport.app.journal.entries("pieces")
        assert entry.outcome.end is None
    assert outcome(transport.app, "pieces").end == "client_disconnect"


def test_a_connection_is_used_again(transport: Transport) -> None:
    client = httpx2.Client(transport=transport)
    streams = set()
    for number in range(3):
        with client.stream(
            "POST", url(f"again-{number}"), json=request(), headers=HEADERS
        ) as response:
            streams.add(id(response.extensions["network_stream"]))
            response.read()
    assert len(streams) == 1


def test_a_client_that_reads_nothing_holds_the_answer_up(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("k3mock.inprocess.link.HIGH_BYTES", 8_192)
    monkeypatch.setattr("k3mock.inprocess.link.LOW_BYTES", 2_048)
    options = "wire.writes=one_byte;wire.write_gap_ms=0"
    ample = {**LONG, "max_tokens": 16}
    client = httpx2.Client(transport=transport)
    with client.stream("POST", url("slow", options), json=ample, headers=HEADERS) as response:
        [entry] = transport.app.journal.entries("slow")
        before = -1
        while before != entry.outcome.bytes:
            before = entry.outcome.bytes
            time.sleep(0.05)
        held = before
        body = response.read()
    assert held < len(body) / 2
    assert outcome(transport.app, "slow").end == "complete"
    assert entry.outcome.bytes == len(body)


def test_a_client_that_leaves_while_the_answer_is_held_up_is_noted(transport: Transport) -> None:
    options = "wire.writes=one_byte;wire.write_gap_ms=0"
    client = httpx2.Client(transport=transport)
    with client.stream("POST", url("left", options), json=LONG, headers=HEADERS) as response:
        next(response.iter_raw())
    assert outcome(transport.app, "left").end == "client_disconnect"


@pytest.mark.anyio
async def test_a_cancelled_request_is_a_client_that_left() -> None:
    transport = k3mock.async_transport()
    async with httpx2.AsyncClient(transport=transport) as client:
        silent = url("cancelled", "fault=silence_before_headers")
        asking = asyncio.ensure_future(client.post(silent, json=request(), headers=HEADERS))
        while not transport.app.journal.entries("cancelled"):
            await asyncio.sleep(0.005)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert outcome(transport.app, "cancelled").end == "client_disconnect"


def test_many_threads_share_a_transport(transport: Transport) -> None:
    client = httpx2.Client(transport=transport)
    found: list[int] = []

    def ask(number: int) -> None:
        answer = client.post(url(f"many-{number}"), json=LONG, headers=HEADERS)
        found.append(answer.status_code)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [200] * 8


def test_a_closed_transport_leaves_no_thread_and_begins_anew() -> None:
    transport = k3mock.transport()
    before = threading.active_count()
    with httpx2.Client(transport=transport) as client:
        assert client.post(url("one"), json=request(), headers=HEADERS).status_code == 200
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with httpx2.Client(transport=transport) as client:
        assert client.post(url("two"), json=request(), headers=HEADERS).status_code == 200
        open_stream = client.stream("POST", url("three", "pace=10"), json=LONG, headers=HEADERS)
        next(open_stream.__enter__().iter_raw())
    assert threading.active_count() == before
    assert outcome(transport.app, "three").end == "client_disconnect"
    transport.close()


def test_a_closing_transport_publishes_what_it_recorded(tmp_path: Path) -> None:
    tape = tmp_path / "tape.yaml"
    with k3mock.start(seed=1) as upstream:
        transport = k3mock.transport(
            record="once", upstream=upstream.base_url, cassettes=[str(tape)]
        )
        with httpx2.Client(transport=transport) as client:
            assert client.post(url("default"), json=request(), headers=HEADERS).status_code == 200
    assert "chat.completion" in tape.read_text(encoding="utf-8")


def test_a_handle_holds_a_transport_like_a_server(transport: Transport) -> None:
    served: Any = transport
    handle = K3Mock(served, "held", {"fault": "rate_limited"})
    client = httpx2.Client(transport=transport, headers=HEADERS)
    assert handle.base_url == "http://localhost/with/session=held;fault=rate_limited/v1"
    answer = client.post(f"{handle.base_url}/chat/completions", json=request())
    assert answer.status_code == 429
    assert transport.base_url == "http://localhost/v1"
    assert transport.settings.seed == 7
    assert client.get(f"{transport.address}/__k3mock__/requests?session=held").status_code == 200


def test_a_running_server_is_reached_past_its_socket() -> None:
    with k3mock.start(seed=1) as server:
        for _ in range(2):
            with httpx2.Client(transport=server.transport()) as client:
                answer = client.post(url("inside"), json=request(), headers=HEADERS)
                assert answer.status_code == 200
        assert len(server.app.journal.entries("inside")) == 2
        late = httpx2.Client(transport=server.transport())
        waiting = httpx2.Client(transport=server.transport(), timeout=None)
        silent = url("silent", "fault=silence_before_headers")
        found: list[int] = []

        def ask() -> None:
            found.append(waiting.post(silent, json=request(), headers=HEADERS).status_code)

        thread = threading.Thread(target=ask)
        thread.start()
        while not server.app.journal.entries("silent"):
            time.sleep(0.005)
    thread.join(10)
    # What the HTTP server says of an answer that was stopped before it began.
    assert found == [500]
    with pytest.raises(httpx2.ConnectError, match="the server is not running"):
        late.post(url("late"), json=request(), headers=HEADERS)


@pytest.mark.anyio
async def test_a_server_is_an_asynchronous_context_manager_that_other_loops_reach() -> None:
    async with k3mock.start() as server:
        async with httpx2.AsyncClient(transport=server.async_transport()) as client:
            answer = await client.post(url("other"), json=request(), headers=HEADERS)
        assert answer.status_code == 200
        late = server.async_transport()
    async with httpx2.AsyncClient(transport=late) as client:
        with pytest.raises(httpx2.ConnectError, match="the server is not running"):
            await client.post(url("late"), json=request(), headers=HEADERS)


def test_a_server_that_was_not_started_has_no_transport() -> None:
    for ask in (MockServer(Settings()).transport, MockServer(Settings()).async_transport):
        with pytest.raises(StartError, match="not running"):
            ask()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"port": 1}, "a transport has no 'port'"),
        ({"nothing": 1}, "unknown setting 'nothing'"),
        ({"pace": "virtual,nothing=1"}, "unknown pace key"),
        (
            {"pace": "virtual", "record": "once", "upstream": "http://x/v1", "cassettes": ["x"]},
            "a recording takes its time",
        ),
    ],
)
def test_what_a_transport_cannot_do_is_one_clear_message(given: Any, words: str) -> None:
    for made in (k3mock.transport, k3mock.async_transport):
        with pytest.raises(SettingsError, match=words):
            made(**given)


def test_a_server_has_no_virtual_pace() -> None:
    with (
        pytest.raises(SettingsError, match="of a transport in process"),
        k3mock.start(pace="virtual"),
    ):
        raise AssertionError
