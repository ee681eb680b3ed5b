"""Turns minutes of mixed load into memory over time, and counts how all of it ended; a process.

    python -m benchmarks.client_soak RESULT < JOB

Each worker opens a connection, asks for something drawn from a seeded mix, reads or leaves, and
goes on: whole answers, streams, sessions that are used once, faults, refused requests, and clients
that hang up in the middle of a stream.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from benchmarks.exchange import CHAT, body, request
from benchmarks.machine import allow_many_connections
from benchmarks.process import memory_kb, processor_s

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WORKERS = 16
SAMPLE_S = 2.0
ANSWER_TIMEOUT_S = 20.0
FAULTS = (
    "rate_limited", "server_error", "bad_gateway_html", "cut_mid_stream", "reset_mid_stream",
    "cut_in_character", "reset_before_headers", "clean_close", "error_event", "broken_json",
    "stall(ms:50)", "split_line", "keepalive", "empty_stream",
)  # fmt: skip
MIX = {"whole": 35, "session": 30, "stream": 15, "leave": 8, "fault": 8, "refused": 4}
"""Of a hundred requests, so many of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """So many seconds of load, after so many requests of each kind in `fill`."""

    port: int
    pids: Sequence[int]
    prompt: str
    seconds: float
    fill: Mapping[str, int]
    seed: int = 1


@dataclass(slots=True)
class Tally:
    """What happened so far."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)


def _asked(kind: str, number: int, job: Job, chance: random.Random) -> bytes:
    """Return the bytes of a request of a kind."""
    stream = kind in {"stream", "leave"} or (kind == "fault" and chance.random() < 0.7)
    data = body(f"{job.prompt} {number}", stream=stream)
    path = CHAT
    if kind == "session":
        path = f"/with/session=soak-{number}{CHAT}"
    elif kind == "leave":
        path = f"/with/pace=200{CHAT}"
    elif kind == "fault":
        path = f"/with/fault={chance.choice(FAULTS)}{CHAT}"
    elif kind == "refused":
        wrong = {"model": "kimi-k3", "messages": [], "temperature": number}
        data = chance.choice((b"{", json.dumps(wrong).encode()))
    return request(data, path).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


async def _one(kind: str, data: bytes, job: Job, chance: random.Random) -> str:
    """Ask once; returns the status of the answer, or how there was none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", job.port)
    try:
        writer.write(data)
        head = await reader.read(4096)
        if kind == "leave":
            await asyncio.sleep(chance.random() * 0.4)
        else:
            while await reader.read(65_536):
                pass
    except ConnectionError:
        return "reset"
    finally:
        writer.transport.abort()
    return head[9:12].decode() if head.startswith(b"HTTP/1.1 ") else "closed"


async def _worker(job: Job, numbers: itertools.count[int], tally: Tally, end: float) -> None:
    """Ask until the end."""
    chance = random.Random(f"{job.seed}/{next(numbers)}")
    while time.monotonic() < end:
        [kind] = chance.choices(list(MIX), list(MIX.values()))
        tally.kinds[kind] += 1
        tally.statuses[await _ended(kind, next(numbers), job, chance)] += 1


async def _ended(kind: str, number: int, job: Job, chance: random.Random) -> str:
    """Ask once; returns how that ended, however it did."""
    data = _asked(kind, number, job, chance)
    try:
        return await asyncio.wait_for(_one(kind, data, job, chance), ANSWER_TIMEOUT_S)
    except TimeoutError:
        return "hung"
    except OSError:
        return "refused connection"


async def _fill(job: Job, kinds: Iterator[str], numbers: itertools.count[int]) -> None:
    """Ask until there is nothing left to fill."""
    chance = random.Random(job.seed)
    for kind in kinds:
        await _ended(kind, next(numbers), job, chance)


async def _sample(job: Job, tally: Tally, began: float) -> None:
    """Note the memory of the server, again and again."""
    while True:
        tally.memory.append((time.monotonic() - began, memory_kb(job.pids) / 1024))
        await asyncio.sleep(SAMPLE_S)


async def soak(job: Job) -> dict[str, object]:
    """Carry out a job."""
    numbers = itertools.count()
    kinds = (kind for kind, count in job.fill.items() for _ in range(count))
    await asyncio.gather(*(_fill(job, kinds, numbers) for _ in range(WORKERS)))
    tally, began = Tally(), time.monotonic()
    used = processor_s(job.pids)
    sampling = asyncio.create_task(_sample(job, tally, began))
    end = began + job.seconds
    await asyncio.gather(*(_worker(job, numbers, tally, end) for _ in range(WORKERS)))
    sampling.cancel()
    return {
        "kinds": dict(tally.kinds), "statuses": dict(tally.statuses), "memory": tally.memory,
        "server_s": processor_s(job.pids) - used,
    }  # fmt: skip


def main() -> None:
    """Carry out one job."""
    allow_many_connections()
    job = Job(**json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(uvloop.run(soak(job))))


if __name__ == "__main__":
    main()
