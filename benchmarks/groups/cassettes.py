"""Turns a long recorded session into the time that writing, reading and publishing it takes.

Once as YAML and once as JSON; what vcrpy itself takes for the same file stands beside it.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import jsonserializer, yamlserializer

from benchmarks.figures import Found, Runs
from benchmarks.machine import pinned, server_core
from k3mock.cassette.format import load, write
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse, Timing
from k3mock.cassette.store import Tape, recover

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.plan import Plan

INTERACTIONS, BYTES, WRITES = 1_000, 20_000, 120
MOST_ROUNDS = 2
ABOUT = (
    f"A session of {INTERACTIONS:,} interactions, each a stream of {BYTES:,} bytes in {WRITES} "
    "writes."
)


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    del skipped
    made = [interaction(number) for number in range(1, INTERACTIONS + 1)]
    runs = Runs()
    with pinned(server_core()):
        for number in range(min(plan.rounds, MOST_ROUNDS)):
            place = folder / str(number)
            place.mkdir()
            _files(runs, place, made)
            _recorded(runs, place / "b.yaml", made)
    return Found(tables=[runs.table("Recorded sessions", "Steps in one process.")])


def interaction(number: int) -> Interaction:
    """Return an exchange whose stream is all text."""
    text = "lorem ipsum 你好 dolor "
    room = BYTES // WRITES - 67
    words = (text * (room // len(text.encode()) + 1)).encode()[:room].decode("utf-8", "ignore")
    writes = []
    for index in range(WRITES):
        delta = {"choices": [{"index": 0, "delta": {"content": f"{number}.{index} {words}"}}]}
        writes.append(f"data: {json.dumps(delta, ensure_ascii=False)}\n\n".encode())
    body = json.dumps({"model": "kimi-k3", "messages": [{"role": "user", "content": str(number)}]})
    return Interaction(
        number=number,
        request=RecordedRequest(
            method="POST",
            uri="https://api.moonshot.ai/v1/chat/completions",
            headers=(("content-type", "application/json"),),
            body=body.encode(),
        ),
        response=RecordedResponse(
            status=200,
            reason="OK",
            headers=(("content-type", "text/event-stream"),),
            body=b"".join(writes),
        ),
        timing=Timing(
            seq=number,
            at="2026-11-29T18:26:09Z",
            head_us=21_347,
            chunks=tuple((20_000 + index, len(data)) for index, data in enumerate(writes)),
        ),
    )


def _spent(runs: Runs, name: str, work: Callable[[], object]) -> None:
    """Note what a step took."""
    before, began = time.process_time(), time.perf_counter()
    work()
    runs.add(name, "processor time", (time.process_time() - before) * 1000, "ms")
    runs.add(name, "wall", (time.perf_counter() - began) * 1000, "ms")


def _files(runs: Runs, folder: Path, made: list[Interaction]) -> None:
    for name, serializer in (("YAML", yamlserializer), ("JSON", jsonserializer)):
        path = folder / f"a.{name.lower()}"
        _spent(runs, f"write {name}", lambda path=path: write(path, made))  # type: ignore[misc]
        _spent(runs, f"load {name}", lambda path=path: load(path))  # type: ignore[misc]
        _spent(
            runs, f"load {name}, vcrpy itself",
            lambda path=path, serializer=serializer: FilesystemPersister.load_cassette(  # type: ignore[misc]
                path, serializer
            ),
        )  # fmt: skip


def _recorded(runs: Runs, path: Path, made: list[Interaction]) -> None:
    """Measure a session that is recorded, published, and recovered."""
    edge = len(made) // 10
    tape = Tape.open(path)
    _spent(runs, f"append to the journal, first {edge}", lambda: _append(tape, made[:edge]))
    _append(tape, made[edge:-edge])
    _spent(runs, f"append to the journal, last {edge}", lambda: _append(tape, made[-edge:]))
    _spent(runs, "publish, reading it back", lambda: tape.publish((), lambda _: []))
    tape.close()
    path.unlink()
    with Tape.open(path) as again:
        _append(again, made)
    _spent(runs, "recover", lambda: recover(path))


def _append(tape: Tape, made: list[Interaction]) -> None:
    for each in made:
        tape.append(each)
