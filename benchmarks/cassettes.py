"""Turns a long recorded session into the time that writing, reading and publishing it takes.

    python benchmarks/cassettes.py [INTERACTIONS [BYTES]]

Prints processor time (`time.process_time`) in milliseconds, once for each step, of 1,000
interactions whose streams have 20,000 bytes in 120 writes unless told otherwise. What vcrpy itself
takes for the same file stands beside it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import yaml
from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import jsonserializer, yamlserializer

from k3mock.cassette.format import document, load, write
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse, Timing
from k3mock.cassette.store import Tape, recover

WRITES = 120


def interaction(number: int, size: int) -> Interaction:
    """Return an exchange whose stream has so many bytes, all text."""
    text = "lorem ipsum 你好 dolor "
    room = max(1, size // WRITES - 67)
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


def spent(name: str, work) -> None:
    """Run `work` once and print what it took."""
    before, wall = time.process_time(), time.perf_counter()
    work()
    used, passed = time.process_time() - before, time.perf_counter() - wall
    print(f"{name:42} {used * 1000:10.1f} {passed * 1000:10.1f}")


def main() -> None:
    """Print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    made = [interaction(number, size) for number in range(1, count + 1)]
    total = sum(len(each.response.body) for each in made)
    print(f"{count} interactions, {total / 1e6:.1f} MB of answers, libyaml {yaml.__with_libyaml__}")
    print(f"{'':42} {'CPU ms':>10} {'wall ms':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, serializer in (("a.yaml", yamlserializer), ("a.json", jsonserializer)):
            path = Path(folder) / name
            spent(f"write {path.suffix}", lambda path=path: write(path, made))
            spent(f"load {path.suffix}", lambda path=path: load(path))
            stock = FilesystemPersister.load_cassette
            spent(
                f"load {path.suffix}, vcrpy itself",
                lambda path=path, serializer=serializer: stock(path, serializer),
            )
            print(f"{'':4}{path.stat().st_size / 1e6:.1f} MB on the disk")
        recorded(Path(folder) / "b.yaml", made)


def recorded(path: Path, made: list[Interaction]) -> None:
    """Print what a session takes that is recorded, published, and recovered."""
    edge = max(1, len(made) // 10)
    spent("one document", lambda: document(made[0]))
    tape = Tape.open(path)
    spent(f"append to the journal, first {edge}", lambda: [tape.append(m) for m in made[:edge]])
    for each in made[edge:-edge]:
        tape.append(each)
    spent(f"append to the journal, last {edge}", lambda: [tape.append(m) for m in made[-edge:]])
    spent("publish, reading it back", lambda: tape.publish((), lambda seen: [*seen] and []))
    tape.close()
    path.unlink()
    with Tape.open(path) as again:
        for each in made:
            again.append(each)
    spent("recover", lambda: recover(path))


if __name__ == "__main__":
    main()
