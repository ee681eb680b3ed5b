from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

import k3mock
from k3mock.clock import Signal
from k3mock.inprocess.time import VirtualTime
from tests.support import CHAT, request

if TYPE_CHECKING:
    from k3mock.inprocess.transport import Served
    from k3mock.journal import JournalEntry

HEADERS = {"Authorization": "Bearer k"}
QUICK_S = 5.0
STALL = "fault=long_silence(ms:300000)"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def url(session: str, options: str = "") -> str:
    return f"http://localhost/with/session={session};{options}{CHAT}"


def ended(app: Served, session: str) -> JournalEntry:
    [entry] = app.journal.entries(session)
    deadline = time.monotonic() + 10
    while entry.outcome.end is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return entry


def test_a_silence_of_five_minutes_passes_at_once_and_stands_in_the_journal() -> None:
    started = time.monotonic()
    transport = k3mock.transport(pace="virtual,ttft_ms=300000,content_tps=10,jitter=0", seed=7)
    with httpx2.Client(transport=transport, timeout=None, headers=HEADERS) as client:
        answer = client.post(url("long"), json=request(stream=True, max_tokens=60))
    assert time.monotonic() - started < 60
    assert answer.content.endswith(b"data: [DONE]\n\n")
    outcome = ended(transport.app, "long").outcome
    assert outcome.ttft_ms == 300_000
    assert outcome.duration_ms is not None
    assert 300_200 < outcome.duration_ms < 310_000
    assert outcome.lateness_ms == 0


@pytest.mark.parametrize(("patience", "ends"), [(200, "client_disconnect"), (400, "complete")])
def test_a_time_out_and_a_silence_come_in_the_order_of_real_time(
    patience: float, ends: str
) -> None:
    transport = k3mock.transport(pace="virtual,ttft_ms=300000", seed=7)
    started = time.monotonic()
    with httpx2.Client(transport=transport, timeout=patience, headers=HEADERS) as client:
        try:
            client.post(url("patience"), json=request(max_tokens=1))
        except httpx2.ReadTimeout:
            assert ends == "client_disconnect"
            assert transport.app.clock.monotonic_ms() == 200_000
        else:
            assert ends == "complete"
    assert time.monotonic() - started < QUICK_S
    assert ended(transport.app, "patience").outcome.end == ends


def test_a_silence_for_ever_is_a_time_out_at_once() -> None:
    transport = k3mock.transport(pace="virtual")
    with httpx2.Client(transport=transport, timeout=600, headers=HEADERS) as client:
        with pytest.raises(httpx2.ReadTimeout):
            client.post(url("ever", "fault=silence_before_headers"), json=request())
        assert transport.app.clock.monotonic_ms() == 600_000


def test_faults_end_connections_as_in_real_time() -> None:
    transport = k3mock.transport(pace="virtual")
    with httpx2.Client(transport=transport, timeout=600, headers=HEADERS) as client:
        for fault, error in (
            ("reset_before_headers", httpx2.ReadError),
            ("close_before_headers", httpx2.RemoteProtocolError),
            ("cut_mid_stream", httpx2.RemoteProtocolError),
            ("reset_mid_stream", httpx2.ReadError),
        ):
            with pytest.raises(error):
                client.post(url(fault, f"fault={fault}"), json=request(stream=True))
            assert ended(transport.app, fault).outcome.end == "fault"


def test_time_stands_still_while_no_client_reads() -> None:
    transport = k3mock.transport(pace="virtual,ttft_ms=1000", seed=7)
    clock = transport.app.clock
    with httpx2.Client(transport=transport, timeout=600, headers=HEADERS) as client:
        body = request("tell me", stream=True)
        with client.stream("POST", url("still"), json=body) as response:
            pieces = response.iter_raw()
            next(pieces)
            first = clock.monotonic_ms()
            time.sleep(0.05)
            assert clock.monotonic_ms() == first == 1000
            for _ in range(20):
                next(pieces)
            assert clock.monotonic_ms() > first


def test_a_stream_that_nobody_reads_does_not_stop_the_time_of_others() -> None:
    transport = k3mock.transport(pace="virtual,ttft_ms=1000", seed=7)
    options = "pace=instant;wire.writes=one_byte;wire.write_gap_ms=0"
    with httpx2.Client(transport=transport, timeout=600, headers=HEADERS) as client:
        body = request("tell me", stream=True, max_tokens=3000)
        with client.stream("POST", url("unread", options), json=body):
            assert client.post(url("other"), json=request()).status_code == 200
    assert ended(transport.app, "unread").outcome.end == "client_disconnect"


@pytest.mark.anyio
async def test_answers_at_the_same_time_come_in_the_order_in_which_they_are_due() -> None:
    transport = k3mock.async_transport(pace="virtual", seed=7)
    order: list[tuple[str, float]] = []

    async def ask(client: httpx2.AsyncClient, ttft_ms: int) -> None:
        options = f"pace=ttft_ms:{ttft_ms}"
        answer = await client.post(url(str(ttft_ms), options), json=request(max_tokens=1))
        order.append((str(ttft_ms), transport.app.clock.monotonic_ms()))
        assert answer.status_code == 200

    async with httpx2.AsyncClient(transport=transport, timeout=None, headers=HEADERS) as client:
        await asyncio.gather(*(ask(client, ms) for ms in (300_000, 5, 60_000)))
    assert order == [("5", 5), ("60000", 60_000), ("300000", 300_000)]


@pytest.mark.anyio
async def test_the_same_answers_have_the_same_times() -> None:
    found = []
    for _ in range(2):
        transport = k3mock.async_transport(pace="virtual", seed=7)
        async with httpx2.AsyncClient(transport=transport, timeout=99, headers=HEADERS) as client:
            await client.post(url("same"), json=request(stream=True))
        [entry] = transport.app.journal.entries("same")
        found.append(entry.outcome)
    assert found[0] == found[1]
    assert found[0].duration_ms is not None


@pytest.mark.anyio
async def test_a_wait_that_is_cancelled_counts_as_work_again() -> None:
    clock: Any = VirtualTime()
    clock.work()
    waiting = asyncio.ensure_future(clock.hold(Signal()))
    await asyncio.sleep(0)
    assert clock._working == 0
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert clock._working == 1
    raised = Signal()
    raised.set()
    await clock.hold(raised)
    await clock.wait_until(0, Signal())
    assert clock.monotonic_ms() == 0
