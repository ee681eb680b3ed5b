"""Turns many streams that are open at once into lateness, time and memory; a process of its own.

    python -m benchmarks.client_paced RESULT < JOB

Lateness is counted from the moment when the request was sent: an event that is due after 100 ms and
seen after 101.5 ms is 1.5 ms late. Way and client are in it; a bare server shows how much that is.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import uvloop

from benchmarks.exchange import CHAT, DIGITS, numbered
from benchmarks.machine import allow_many_connections
from benchmarks.process import memory_kb, processor_s

if TYPE_CHECKING:
    from collections.abc import Sequence

_EVENT = b"data: "
WARM_STREAMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """So many streams, begun within `ramp_s`; after `settle_s` more they are watched.

    `due_ms` says when each event is due, counted from its request.
    """

    port: int
    pids: Sequence[int]
    body: str
    streams: int
    ramp_s: float
    settle_s: float
    seconds: float
    due_ms: Sequence[float]
    path: str = CHAT


class Watch:
    """What all streams see while it is open."""

    def __init__(self, due_ms: Sequence[float]) -> None:
        self.due_s = [each / 1000 for each in due_ms]
        self.open = False
        self.late_ms: list[float] = []
        self.lost = 0
        self.ended = False


class Stream(asyncio.Protocol):
    """One stream; notes how late each event is."""

    def __init__(self, request: bytes, watch: Watch) -> None:
        self._request = request
        self._watch = watch
        self._sent = 0.0
        self._seen = 0
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._sent = time.perf_counter()
        # The transports of uvloop are not subclasses of asyncio's, though they do the same.
        cast("asyncio.WriteTransport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        passed = time.perf_counter() - self._sent
        joined = self._tail + data
        count = joined.count(_EVENT) - self._tail.count(_EVENT)
        self._tail = joined[-7:]
        watch, first = self._watch, self._seen
        self._seen += count
        if watch.open:
            for due_s in watch.due_s[first : self._seen]:
                watch.late_ms.append((passed - due_s) * 1000)

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self._watch.lost += not self._watch.ended


async def _opened(job: Job, watch: Watch, count: int, over_s: float) -> list[asyncio.BaseTransport]:
    """Begin so many streams, evenly over a time."""
    loop = asyncio.get_running_loop()
    before, after = numbered(job.body, job.path)
    began = loop.time()
    found: list[asyncio.BaseTransport] = []
    for number in range(count):
        wait = began + over_s * number / count - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
        request = before + str(number).zfill(DIGITS).encode() + after
        stream = Stream(request, watch)
        transport, _ = await loop.create_connection(partial(_same, stream), "127.0.0.1", job.port)
        found.append(transport)
    return found


def _same(stream: Stream) -> Stream:
    return stream


async def _close(watch: Watch, transports: Sequence[asyncio.BaseTransport]) -> None:
    watch.ended = True
    for transport in transports:
        transport.close()
    await asyncio.sleep(0.3)


async def paced(job: Job) -> dict[str, object]:
    """Carry out a job."""
    warm = Watch(job.due_ms)
    warming = await _opened(job, warm, WARM_STREAMS, 0.2)
    await asyncio.sleep(0.5)
    await _close(warm, warming)
    idle_kb = memory_kb(job.pids)
    watch = Watch(job.due_ms)
    transports = await _opened(job, watch, job.streams, job.ramp_s)
    await asyncio.sleep(job.settle_s)
    watch.open = True
    used, own, began = processor_s(job.pids), time.process_time(), time.perf_counter()
    await asyncio.sleep(job.seconds)
    used, own = processor_s(job.pids) - used, time.process_time() - own
    passed = time.perf_counter() - began
    watch.open = False
    open_kb = memory_kb(job.pids)
    await _close(watch, transports)
    return {
        "late_ms": sorted(watch.late_ms), "lost": watch.lost, "server_s": used, "client_s": own,
        "wall_s": passed, "idle_kb": idle_kb, "open_kb": open_kb,
    }  # fmt: skip


def main() -> None:
    """Carry out one job."""
    allow_many_connections()
    job = Job(**json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(uvloop.run(paced(job))))


if __name__ == "__main__":
    main()
