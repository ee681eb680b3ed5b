"""Turns streams read from several servers at once into the time of every event; a process.

    python -m benchmarks.client_timed RESULT < JOB

What is read at the same time is disturbed by the same things.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from benchmarks.exchange import body, request

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """So many streams from each of several servers, all at once."""

    ports: Mapping[str, int]
    streams: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One stream: when it was asked for, and its events with the time when each was seen, in ns."""

    prompt: str
    sent_ns: int
    events: list[tuple[int, str]]

    def as_json(self) -> dict[str, object]:
        return {"prompt": self.prompt, "sent_ns": self.sent_ns, "events": self.events}


async def _read(port: int, number: int) -> Read:
    """Read one stream, a chunk for each event."""
    prompt = f"stream {number}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent_ns = time.monotonic_ns()
    writer.write(request(body(prompt, stream=True)))
    await reader.readuntil(b"\r\n\r\n")
    events = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        data = await reader.readexactly(size + 2)
        events.append((time.monotonic_ns(), data[:-2].decode()))
    writer.close()
    return Read(prompt=prompt, sent_ns=sent_ns, events=events)


async def read(job: Job) -> dict[str, list[dict[str, object]]]:
    """Carry out a job."""
    names = [name for name in job.ports for _ in range(job.streams)]
    found = await asyncio.gather(
        *(_read(job.ports[name], index % job.streams) for index, name in enumerate(names))
    )
    streams: dict[str, list[dict[str, object]]] = {name: [] for name in job.ports}
    for name, each in zip(names, found, strict=True):
        streams[name].append(each.as_json())
    return streams


def main() -> None:
    """Carry out one job."""
    job = Job(**json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(uvloop.run(read(job))))


if __name__ == "__main__":
    main()
