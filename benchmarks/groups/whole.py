"""Turns whole answers into figures: every way of k3mock, bare references, peers.

wrk asks over 16 connections, each time with another prompt. The unit is answers per processor
second of the server; answers per second of the wall and percentiles of the time come second.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks import load
from benchmarks.exchange import DIGITS, ask, body
from benchmarks.figures import Found, Runs, at_least
from benchmarks.plan import field, peers
from benchmarks.process import Server
from benchmarks.subjects import PROMPT, Subject, k3mock, reference, sample, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.figures import Verdict
    from benchmarks.load import Counted
    from benchmarks.plan import Plan, Running

ABOUT = "Whole answers of 100 words, each to another prompt, over 16 connections that stay open."
PROFILES = ("evolink", "hotrouter", "devotel", "apiany")
CASSETTE_PROMPTS = 400

OWN = "k3mock, scenario"
CONSTANT = "uvicorn, constant JSON"
STARLETTE = "starlette, JSONResponse"
RATE = "answers per processor second"


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    others, missing = peers(plan, folder)
    skipped.update(missing)
    runs = Runs()
    tool = load.wrk if load.has_wrk() and not plan.smoke else None
    if tool is None and not plan.smoke:
        skipped["wrk"] = load.WRK_HINT
    with field([*_own(plan, folder), *_references(folder), *others], skipped) as running:
        for number in range(1 if plan.smoke else 0, plan.rounds + 1):
            for each in running:
                job = load.job_for(each, plan, stream=False)
                job = replace(job, first=number * 1_000_000)
                if number == 0:
                    # What a server does for the first time is no measure of it.
                    load.closed_loop(replace(job, seconds=plan.seconds / 2))
                    continue
                found = load.closed_loop(job) if tool is None else tool(job, folder)
                _note(runs, each, found)
    names = [each.name for each in others]
    return Found(tables=[runs.table("Whole answers")], verdicts=_verdicts(runs, names))


def _own(plan: Plan, folder: Path) -> list[Subject]:
    path = str(scenario(folder))
    own = k3mock("scenario", path)
    sample(own, folder)
    if plan.smoke:
        return [own]
    return [
        own,
        *(k3mock(f"scenario, {name}", path, "--profile", name) for name in PROFILES),
        replayed(folder, own),
        replace(k3mock("generator"), words=""),
    ]


def replayed(folder: Path, own: Subject) -> Subject:
    """Record what k3mock answers, and return a server that gives it again."""
    tape = folder / "tape.json"
    with own.server() as upstream:
        command = [
            sys.executable, "-m", "k3mock", "record", "--port", "{port}", "--cassette", str(tape),
            "--upstream", f"http://127.0.0.1:{upstream.port}/v1",
        ]  # fmt: skip
        with Server("k3mock record", command) as recorder:
            for stream in (False, True):
                for number in range(CASSETTE_PROMPTS):
                    prompt = f"{PROMPT} {str(number).zfill(DIGITS)}"
                    ask(recorder.port, body(prompt, stream=stream))
    command = [
        sys.executable, "-m", "k3mock", "replay", str(tape), "--port", "{port}", "--pace",
        "instant", "--exhausted", "cycle", "--log-format", "off",
    ]  # fmt: skip
    return Subject(name="k3mock, cassette", command=command, cycle=CASSETTE_PROMPTS)


def _references(folder: Path) -> list[Subject]:
    return [
        reference(CONSTANT, "constant", folder),
        reference(STARLETTE, "starlette-json", folder),
    ]


def _note(runs: Runs, each: Running, found: Counted) -> None:
    name = each.subject.name
    runs.add(name, RATE, found.answers / max(found.server_s, 1e-9), "1/s")
    runs.add(name, "answers per second", found.answers / found.wall_s, "1/s")
    runs.add(name, "median", found.p50_ms, "ms")
    runs.add(name, "p99", found.p99_ms, "ms")
    runs.add(name, "failed", found.errors, "")
    runs.add(name, "memory", each.server.memory_kb() / 1024, "MB")


def _verdicts(runs: Runs, others: list[str]) -> list[Verdict]:
    found = at_least(
        "whole answers (scenario, another prompt each time) per processor second, against a "
        "constant uvicorn JSON answer",
        0.4,
        runs.ratios(OWN, CONSTANT, RATE),
    )
    rates = {name: sorted(runs.runs(name, RATE)) for name in others if runs.runs(name, RATE)}
    if rates:
        best = max(rates, key=lambda name: rates[name][len(rates[name]) // 2])
        found += at_least(
            f"whole answers per processor second, against the best peer ({best})",
            1.5,
            runs.ratios(OWN, best, RATE),
        )
    return found
