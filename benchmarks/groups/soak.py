"""Turns half an hour of mixed load, faults and disconnects into memory over time."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks import load
from benchmarks.client_soak import SAMPLE_S, WORKERS, Job
from benchmarks.figures import Found, Runs, at_most
from benchmarks.subjects import PROMPT, k3mock, scenario

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.plan import Plan

ABOUT = (
    f"{WORKERS} clients ask without pause: whole answers, streams, sessions that are used once, "
    "faults, refused requests, and clients that leave in the middle of a stream. What is bounded "
    "(the journal, sessions, what a session remembers) is filled first, so that what grows later "
    "is what is not."
)
FILL = {"whole": 21_000, "session": 10_500}
"""More than a session remembers, and more sessions than there may be."""

SETTLED_S = 180.0
"""What memory is compared with: that after three minutes."""

FILL_S = 600.0
"""Filling takes no longer than this."""

OVER_S = 30.0
MEMORY = "memory"


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    del skipped
    seconds = 3.0 if plan.smoke else plan.minutes * 60
    with k3mock("scenario", str(scenario(folder))).server() as server:
        job = Job(
            port=server.port,
            pids=server.pids,
            prompt=PROMPT,
            seconds=seconds,
            fill={} if plan.smoke else FILL,
        )
        found = load.client("benchmarks.client_soak", asdict(job), seconds + FILL_S)
    memory = [(float(at), float(value)) for at, value in found["memory"]]
    settled = min(SETTLED_S, seconds / 2)
    early = _around(memory, settled)
    late = _around(memory, seconds - OVER_S / 2)
    runs = Runs()
    total = sum(found["kinds"].values())
    runs.add("all", "requests", total, "")
    runs.add("all", "requests per second", total / seconds, "1/s")
    runs.add("all", "processor time per request", found["server_s"] / max(1, total) * 1e6, "µs")
    runs.add("all", f"memory after {settled:.0f} s", early, "MB")
    runs.add("all", "memory at the end", late, "MB")
    kinds, statuses = Runs(), Runs()
    for kind, count in sorted(found["kinds"].items()):
        kinds.add(kind, "requests", count, "")
    for status, count in sorted(found["statuses"].items()):
        statuses.add(status, "requests", count, "")
    what = f"soak of {seconds / 60:.3g} minutes: memory at the end, against after {settled:.0f} s"
    return Found(
        tables=[
            runs.table("Soak"), kinds.table("What was asked"), statuses.table("How it ended"),
        ],
        verdicts=at_most(what, 1.05, [late / early]),
        series={MEMORY: memory[:: max(1, len(memory) // 400)]},
    )  # fmt: skip


def _around(memory: Sequence[tuple[float, float]], at_s: float) -> float:
    """Return the mean memory around a time, so that one sample does not decide."""
    near = [value for at, value in memory if abs(at - at_s) <= OVER_S / 2 + SAMPLE_S]
    return fmean(near or [memory[-1][1]])
