"""Turns a slow upstream, a bare relay and `k3mock record` into the delay of an event, and replays.

The upstream writes the time into every event. The same events are read directly, through a bare
relay of bytes, and through `k3mock record`, at the same time. Then the recording is replayed at
speed 1, and each write is compared with its recorded time.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks import load
from benchmarks.client_timed import Job
from benchmarks.exchange import ask, body
from benchmarks.figures import Found, Runs
from benchmarks.process import Server
from k3mock.cassette.format import load as load_cassette

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.plan import Plan

ABOUT = (
    "8 streams at once on each way, 60 events each, 50 ms apart: how long after the upstream's "
    "write an event was seen, and how far a replayed write was from its recorded time."
)
STREAMS, EVENTS, GAP_MS = 8, 60, 50
MOST_ROUNDS = 3
WARM = "the first answer, which is no measure"
DIRECT, RELAY, OWN, REPLAY = "direct", "a bare relay", "k3mock record", "k3mock replay"


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    del skipped
    delays, replays = Runs(), Runs()
    for number in range(min(plan.rounds, MOST_ROUNDS)):
        tape = folder / f"tape{number}.json"
        _record(delays, tape)
        _replay(replays, tape)
    return Found(
        tables=[
            delays.table("Delay of an event", "Added is against the direct way of the same run."),
            replays.table("Replay", "How far a replayed write was from its recorded time."),
        ]
    )


def _record(runs: Runs, tape: Path) -> None:
    upstream = [sys.executable, "-m", "benchmarks.upstream"]
    own = [sys.executable, "-m", "k3mock", "record", "--port", "{port}", "--cassette", str(tape)]
    with Server(DIRECT, [*upstream, "stream", "{port}", str(EVENTS), str(GAP_MS)]) as direct:
        base = f"http://127.0.0.1:{direct.port}/v1"
        with (
            Server(RELAY, [*upstream, "relay", "{port}", str(direct.port)]) as relay,
            Server(OWN, [*own, "--upstream", base]) as recorder,
        ):
            ask(recorder.port, body(WARM, stream=True))
            servers = {DIRECT: direct, RELAY: relay, OWN: recorder}
            before = {name: server.processor_s() for name, server in servers.items()}
            found = _read({name: server.port for name, server in servers.items()})
            spent = {name: each.processor_s() - before[name] for name, each in servers.items()}
    straight = load.percentile(_delays_ms(found[DIRECT]), 50)
    for name in servers:
        late = _delays_ms(found[name])
        runs.add(name, "median", load.percentile(late, 50), "ms")
        runs.add(name, "p99", load.percentile(late, 99), "ms")
        runs.add(name, "added, median", load.percentile(late, 50) - straight, "ms")
        if name != DIRECT:
            runs.add(name, "processor time per event", spent[name] / len(late) * 1e6, "µs")


def _read(ports: dict[str, int]) -> dict[str, Any]:
    job = Job(ports=ports, streams=STREAMS)
    return load.client("benchmarks.client_timed", asdict(job), EVENTS * GAP_MS / 1000)


def _delays_ms(streams: list[dict[str, Any]]) -> list[float]:
    """Return how long after the upstream's write each event was seen, in order."""
    return sorted(
        (at_ns - json.loads(data[6:])["t"]) / 1e6
        for stream in streams
        for at_ns, data in stream["events"]
        if "[DONE]" not in data
    )


def _replay(runs: Runs, tape: Path) -> None:
    command = [
        sys.executable, "-m", "k3mock", "replay", str(tape), "--port", "{port}",
        "--log-format", "off",
    ]  # fmt: skip
    with Server(REPLAY, command) as server:
        ask(server.port, body(WARM, stream=True))
        found = _read({REPLAY: server.port})[REPLAY]
    recorded = {
        json.loads(each.request.body)["messages"][0]["content"]: each
        for each in load_cassette(tape).interactions
    }
    off, same = [], 0
    for stream in found:
        interaction = recorded[stream["prompt"]]
        seen = [data for _, data in stream["events"]]
        same += "".join(seen).encode() == interaction.response.body
        due_us = 0
        chunks = interaction.timing.chunks if interaction.timing is not None else ()
        for (delta_us, _), (at_ns, _) in zip(chunks, stream["events"], strict=False):
            due_us += delta_us
            off.append(abs((at_ns - stream["sent_ns"]) / 1e6 - due_us / 1e3))
    runs.add(REPLAY, "median", load.percentile(sorted(off), 50), "ms")
    runs.add(REPLAY, "p99", load.percentile(sorted(off), 99), "ms")
    runs.add(REPLAY, "streams with the same bytes", 100 * same / len(found), "%")
