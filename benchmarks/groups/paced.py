"""Turns hundreds of open streams at 40 tokens a second into processor time, lateness and memory.

Each run has a server of its own, so that memory tells the streams and nothing before them. A bare
ASGI loop sends the same bytes by the same plan.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from benchmarks import load
from benchmarks.client_paced import Job
from benchmarks.exchange import CHAT, ask, body, template
from benchmarks.figures import Found, Runs, at_most
from benchmarks.references import events_of
from benchmarks.subjects import PROMPT, k3mock, reference, sample, scenario, text

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.figures import Verdict
    from benchmarks.plan import Plan
    from benchmarks.subjects import Subject

ABOUT = (
    "Streams at 40 tokens a second each, a write for each token, 200 of them begun in a second. "
    "Lateness is counted at the client, from the moment when the request was sent."
)
RATE = 40
BEGUN = 200
SETTLE_S = 1.5
OPEN = (100, 500, 1000)
JUDGED = 500
MOST_ROUNDS = 3
OWN, BARE = "k3mock", "bare ASGI loop"
WRITE, LATE, MEMORY = "processor time per write", "late, p99", "memory per stream"


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    del skipped
    seconds = plan.seconds * 3
    sizes = OPEN[:1] if plan.smoke else OPEN
    words = int((max(sizes) / BEGUN + SETTLE_S + seconds + 4) * RATE)
    path = str(scenario(folder, words))
    said = text(words)
    sample(replace(k3mock("scenario", path), words=said), folder)
    subjects = [
        replace(k3mock("scenario", path, pace=str(RATE)), name=OWN, words=said),
        reference(BARE, "paced", folder),
    ]
    due_ms = _plan(folder)
    runs = {size: Runs() for size in sizes}
    for _ in range(min(plan.rounds, MOST_ROUNDS)):
        for size in sizes:
            for subject in subjects:
                _run(runs[size], subject, due_ms, size, seconds)
    tables = [found.table(f"{size:,} streams") for size, found in runs.items()]
    return Found(tables=tables, verdicts=_verdicts(runs[JUDGED]) if JUDGED in runs else ())


def _plan(folder: Path) -> list[float]:
    """Write down when each event is due: role and first token at once, then one after another."""
    count = len(events_of((folder / "stream.sse").read_bytes()))
    gap = 1000 / RATE
    due_ms = [max(0.0, (index - 1) * gap) for index in range(count)]
    (folder / "plan.json").write_text(json.dumps(due_ms))
    return due_ms


def _run(runs: Runs, subject: Subject, due_ms: list[float], size: int, seconds: float) -> None:
    with subject.server() as server:
        if subject.name == OWN:
            # What is loaded for the first answer is neither lateness nor memory of a stream.
            ask(server.port, body(PROMPT, stream=True), f"/with/pace=instant{CHAT}")
        job = Job(
            port=server.port, pids=server.pids, body=template(PROMPT, stream=True), streams=size,
            ramp_s=size / BEGUN, settle_s=SETTLE_S, seconds=seconds, due_ms=due_ms,
        )  # fmt: skip
        found = load.client("benchmarks.client_paced", asdict(job), seconds + 20)
    late = found["late_ms"]
    name, events = subject.name, max(1, len(late))
    runs.add(name, WRITE, found["server_s"] / events * 1e6, "µs")
    runs.add(name, "late, median", load.percentile(late, 50), "ms")
    runs.add(name, LATE, load.percentile(late, 99), "ms")
    runs.add(name, "late, most", late[-1] if late else 0.0, "ms")
    runs.add(name, "events per second", events / found["wall_s"], "1/s")
    runs.add(name, MEMORY, (found["open_kb"] - found["idle_kb"]) / size, "kB")
    runs.add(name, "server busy", 100 * found["server_s"] / found["wall_s"], "%")
    runs.add(name, "client busy", 100 * found["client_s"] / found["wall_s"], "%")
    runs.add(name, "lost", found["lost"], "")


def _verdicts(runs: Runs) -> list[Verdict]:
    streams = f"{JUDGED} streams at {RATE} tokens/s"
    judged = (
        (f"{streams}: processor time per write, against the bare loop", WRITE),
        (f"{streams}: p99 lateness, against the bare loop", LATE),
        (f"{streams}: memory per open stream, against the bare loop", MEMORY),
    )
    return [
        each
        for what, figure in judged
        for each in at_most(what, 1.5, runs.ratios(OWN, BARE, figure))
    ]
