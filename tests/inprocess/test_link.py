from __future__ import annotations

import asyncio

import httpcore2
import pytest

from k3mock.inprocess.backend import Failures, _AsyncStream, _Stream
from k3mock.inprocess.host import Host
from k3mock.inprocess.link import Link
from k3mock.inprocess.time import RealTime


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_a_server_that_takes_nothing_is_a_write_time_out() -> None:
    link = Link(asyncio.Protocol(), RealTime())
    link.pause_reading()
    failures = Failures(httpcore2)
    with pytest.raises(httpcore2.WriteTimeout), failures.writing():
        await link.give(b"x", 5)
    link.resume_reading()
    await link.give(b"x", 5)
    link.abort()
    with pytest.raises(httpcore2.WriteError), failures.writing():
        await link.give(b"x", None)


@pytest.mark.anyio
async def test_what_was_written_is_read_before_the_end_and_in_the_pieces_asked_for() -> None:
    link = Link(asyncio.Protocol(), RealTime())
    link.write(b"abc")
    link.close()
    link.write(b"too late")
    assert (link.is_closing(), link.unsent) == (True, 0)
    assert [await link.take(2, None) for _ in range(3)] == [b"ab", b"c", b""]


@pytest.mark.anyio
async def test_a_silent_server_is_a_read_time_out_and_a_reset_one_an_error() -> None:
    link = Link(asyncio.Protocol(), RealTime())
    failures = Failures(httpcore2)
    with pytest.raises(httpcore2.ReadTimeout), failures.reading():
        await link.take(10, 5)
    link.reset()
    with pytest.raises(httpcore2.ReadError, match="reset"), failures.reading():
        await link.take(10, None)


def _abandoned(*, closed: bool = False) -> tuple[Host, Link]:
    """Return a connection whose server's loop has ended with bytes on their way."""

    async def opened() -> tuple[Link, asyncio.AbstractEventLoop]:
        link = Link(asyncio.Protocol(), RealTime())
        link.write(b"abc")
        if closed:
            link.close()
        return link, asyncio.get_running_loop()

    link, loop = asyncio.run(opened())
    return Host(asyncio.Protocol, RealTime(), tasks=set(), loop=lambda: loop), link


def test_what_arrived_before_the_servers_loop_ended_is_still_read() -> None:
    host, link = _abandoned()
    stream = _Stream(host, link, Failures(httpcore2))
    assert [stream.read(2), stream.read(2)] == [b"ab", b"c"]
    with pytest.raises(httpcore2.ReadError, match="loop is closed"):
        stream.read(2)
    host, link = _abandoned(closed=True)
    stream = _Stream(host, link, Failures(httpcore2))
    assert [stream.read(9), stream.read(9)] == [b"abc", b""]


@pytest.mark.anyio
async def test_an_asynchronous_client_reads_it_too() -> None:
    made = await asyncio.to_thread(_abandoned)
    stream = _AsyncStream(*made, Failures(httpcore2))
    assert await stream.read(9) == b"abc"
    with pytest.raises(httpcore2.ReadError, match="loop is closed"):
        await stream.read(9)
