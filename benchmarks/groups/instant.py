"""Turns instant streams into figures: a write for each event, as it comes by default, and peers.

A client of our own reads them in a process of its own; its ceiling is measured first, against a
server that does nothing but write the bytes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks import load
from benchmarks.exchange import CHAT
from benchmarks.figures import Found, Runs, at_least
from benchmarks.plan import field, peers
from benchmarks.subjects import k3mock, reference, sample, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.figures import Verdict
    from benchmarks.load import Counted
    from benchmarks.plan import Plan

ABOUT = (
    "Streams of 100 words, an event for each word and three or so around them, without waiting, "
    "over 16 connections, each to another prompt. Events are counted at the client."
)
CEILING = "ceiling of the client (a server that only writes)"
EACH = "k3mock, a write for each event"
DEFAULT = "k3mock, default (few writes)"
GENERATED = "k3mock, generator (default)"
BARE = "bare ASGI loop, a write for each event"
BARE_ONE = "bare ASGI loop, one write"
STARLETTE = "starlette, StreamingResponse"
RATE = "events per processor second"


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    others, missing = peers(plan, folder)
    skipped.update(missing)
    own = replace(k3mock("scenario", str(scenario(folder))), name=DEFAULT)
    sample(own, folder)
    subjects = [
        reference(CEILING, "raw", folder),
        reference(BARE, "events", folder),
        replace(own, name=EACH, path=f"/with/wire.writes=event{CHAT}"),
        own,
    ]
    if not plan.smoke:
        subjects += [
            replace(k3mock("generator"), name=GENERATED, words=""),
            reference(BARE_ONE, "coalesced", folder),
            reference(STARLETTE, "starlette-stream", folder),
            *others,
        ]
    runs = Runs()
    with field(subjects, skipped) as running:
        for number in range(1 if plan.smoke else 0, plan.rounds + 1):
            for each in running:
                job = replace(load.job_for(each, plan, stream=True), first=number * 1_000_000)
                if number == 0:
                    load.closed_loop(replace(job, seconds=plan.seconds / 2))
                    continue
                _note(runs, each.subject.name, load.closed_loop(job))
    names = [each.name for each in others]
    return Found(tables=[runs.table("Instant streams")], verdicts=_verdicts(runs, names))


def _note(runs: Runs, name: str, found: Counted) -> None:
    if name == CEILING:
        runs.add(name, "events per processor second of the client",
                 found.events / max(found.client_s, 1e-9), "1/s")  # fmt: skip
    runs.add(name, RATE, found.events / max(found.server_s, 1e-9), "1/s")
    runs.add(name, "events per second", found.events / found.wall_s, "1/s")
    runs.add(name, "events per answer", found.events / max(found.answers, 1), "")
    runs.add(name, "client busy", 100 * found.client_s / found.wall_s, "%")
    runs.add(name, "failed", found.errors, "")


def _verdicts(runs: Runs, others: list[str]) -> list[Verdict]:
    found = at_least(
        "instant streams, a write for each event: events per processor second, against a bare "
        "ASGI loop that sends the same bytes",
        0.75,
        runs.ratios(EACH, BARE, RATE),
    )
    for name in others:
        if name.startswith("aimock"):
            found += at_least(
                f"instant streams, default: events per processor second, against {name}",
                2.0,
                runs.ratios(DEFAULT, name, RATE),
            )
    return found
