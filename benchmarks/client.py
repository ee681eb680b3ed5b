"""Turns a job on standard input into load on a server, and what came back into a file; a process.

    python -m benchmarks.client RESULT < JOB

It speaks HTTP over raw asyncio transports, since any client library would be the bottleneck. Each
connection asks again as soon as it has its answer (a closed loop), with another prompt each time.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import uvloop

from benchmarks.exchange import CHAT, DIGITS, numbered
from benchmarks.machine import allow_many_connections
from benchmarks.process import processor_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
_EVENT = b"data: "
_LOOK_S = 0.02
_LAST_CHUNK = b"\n0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A closed loop; it begins to count after `warm_s`, and counts for `seconds`.

    In `body` the place of the number is held by `PLACE`; with `cycle` the numbers come again.
    It counts on until there are `answers`, but for no longer than `most_s`.
    """

    port: int
    pids: Sequence[int]
    body: str
    path: str = CHAT
    connections: int = 16
    warm_s: float = 0.3
    seconds: float = 2.0
    first: int = 0
    cycle: int = 0
    answers: int = 0
    most_s: float = 60.0


@dataclass(slots=True)
class Seen:
    """What was counted: whole answers, their events and bytes, and how long each took, in ms."""

    answers: int = 0
    events: int = 0
    bytes: int = 0
    errors: int = 0
    took_ms: list[float] = field(default_factory=list)


class Connection(asyncio.Protocol):
    """One connection that asks, reads to the end of the answer, and asks again."""

    def __init__(self, requests: Iterator[bytes], seen: Seen, ended: Callable[[], None]) -> None:
        self._requests = requests
        self._seen = seen
        self._ended = ended
        self._transport: asyncio.WriteTransport | None = None
        self._began = 0.0
        self._left: int | None = None
        self._head: bytes | None = b""
        self._tail = b""
        self._closes = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The transports of uvloop are not subclasses of asyncio's, though they do the same.
        self._transport = cast("asyncio.WriteTransport", transport)
        self._ask()

    def _ask(self) -> None:
        self._head, self._left, self._tail = b"", None, b""
        self._began = time.perf_counter()
        if self._transport is not None:
            self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            data = self._begin(self._head + data)
            if self._head is not None:
                return
        seen = self._seen
        seen.bytes += len(data)
        if self._left is not None:
            self._left -= len(data)
            if self._left <= 0:
                self._end()
            return
        joined = self._tail + data
        seen.events += joined.count(_EVENT) - self._tail.count(_EVENT)
        self._tail = joined[-7:]
        if joined.endswith(_LAST_CHUNK) and not self._closes:
            self._end()

    def _begin(self, data: bytes) -> bytes:
        """Read the head, once it is whole; returns what follows it."""
        head, found, rest = data.partition(b"\r\n\r\n")
        if not found:
            self._head = data
            return b""
        self._head = None
        if not head.startswith(b"HTTP/1.1 200"):
            self._seen.errors += 1
        length = _LENGTH.search(head)
        self._left = int(length[1]) if length else None
        self._closes = _CLOSES.search(head) is not None
        self._tail = b"\n"
        return rest

    def _end(self) -> None:
        self._seen.answers += 1
        self._seen.took_ms.append((time.perf_counter() - self._began) * 1000)
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        if self._closes and error is None:
            self._seen.answers += 1
            self._seen.took_ms.append((time.perf_counter() - self._began) * 1000)
        elif self._head is None or self._head:
            self._seen.errors += 1
        self._ended()


def requests_of(job: Job) -> Iterator[bytes]:
    """Yield requests without end, no two alike."""
    before, after = numbered(job.body, job.path)
    count = itertools.count(job.first)
    for number in itertools.cycle(range(job.cycle)) if job.cycle else count:
        yield before + str(number).zfill(DIGITS).encode() + after


async def closed_loop(job: Job) -> dict[str, object]:
    """Carry out a job; returns what was seen while it counted, and the servers' processor time."""
    loop, requests, seen = asyncio.get_running_loop(), requests_of(job), Seen()
    open_transports: list[asyncio.BaseTransport] = []
    pending: set[asyncio.Task[None]] = set()
    running = True

    async def connect() -> None:
        transport, _ = await loop.create_connection(
            lambda: Connection(requests, seen, again), "127.0.0.1", job.port
        )
        open_transports.append(transport)

    def again() -> None:
        if running:
            task = loop.create_task(connect())
            pending.add(task)
            task.add_done_callback(pending.discard)

    await asyncio.gather(*(connect() for _ in range(job.connections)))
    await asyncio.sleep(job.warm_s)
    seen.answers = seen.events = seen.bytes = seen.errors = 0
    seen.took_ms.clear()
    own, used, began = time.process_time(), processor_s(job.pids), time.perf_counter()
    await _counted(job, seen, began)
    passed = time.perf_counter() - began
    used, own = processor_s(job.pids) - used, time.process_time() - own
    found = asdict(seen)
    found["took_ms"] = sorted(seen.took_ms)
    running = False
    for transport in open_transports:
        transport.close()
    await asyncio.sleep(0)
    return {**found, "wall_s": passed, "server_s": used, "client_s": own}


async def _counted(job: Job, seen: Seen, began: float) -> None:
    """Return when the job has counted enough."""
    await asyncio.sleep(job.seconds)
    while seen.answers < job.answers and time.perf_counter() - began < job.most_s:
        await asyncio.sleep(_LOOK_S)


def main() -> None:
    """Carry out one job."""
    allow_many_connections()
    job = Job(**json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(uvloop.run(closed_loop(job))))


if __name__ == "__main__":
    main()
