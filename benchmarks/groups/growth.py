"""Turns more of everything into figures: turns, journal entries, longer prompts and histories.

Each point is whole answers over two connections; the unit is processor time for each answer.
Matching alone is measured in this process, without a server around it.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks import load, matching
from benchmarks.client import Job
from benchmarks.exchange import PLACE, TIMEOUT_S, template
from benchmarks.figures import Found, Runs, at_most
from benchmarks.machine import pinned, server_core
from benchmarks.plan import field
from benchmarks.subjects import PROMPT, k3mock, scenario, text

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.plan import Plan, Running
    from benchmarks.subjects import Subject

ABOUT = "How much dearer an answer is when there is more of something."
TURNS = (10, 1_000, 10_000)
JOURNAL = 10_000
PROMPT_KB = (1, 10, 100, 1_000, 2_000)
MESSAGES = (2, 50, 100, 200, 400)
MOST_ROUNDS = 3
LEAST = 6
"""A point is measured until there are so many answers, however long they take."""

TIME = "processor time per answer"
_WORDS = "word " * 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measurement: to which table it belongs, what it is called, whom it asks what."""

    table: str
    name: str
    server: str
    body: str
    fresh: bool = False


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    points = [*_turns(), *_journal(), *_prompts(), *_histories()]
    tables: dict[str, Runs] = {point.table: Runs() for point in points}
    with field(_subjects(folder), skipped) as running:
        servers = {each.subject.name: each for each in running}
        points = [point for point in points if point.server in servers]
        _fill(servers)
        for number in range(min(plan.rounds, MOST_ROUNDS) + 1):
            for point in points:
                job = replace(_job(servers[point.server], point, plan), first=number * 1_000_000)
                if point.fresh:
                    _reset(job.port)
                # The first round is no measure: what can be remembered is remembered in it.
                found = load.closed_loop(
                    replace(job, seconds=0.2, answers=3) if number == 0 else job
                )
                if number and found.answers:
                    runs = tables[point.table]
                    runs.add(point.name, TIME, found.server_s / found.answers * 1e6, "µs")
                    runs.add(point.name, "median", found.p50_ms, "ms")
                    runs.add(point.name, "failed", found.errors, "")
    own = _matching(plan)
    verdicts = [
        *at_most(
            "a request with a history of 400 messages, counted before but for the last, against "
            "one of 2 messages: processor time",
            2.0,
            tables["Conversations"].ratios("400 messages", "2 messages", TIME),
        ),
        *at_most("cost of a match with 1,000 turns", 1.0, _worst(own), "ms"),
    ]
    found_tables = [runs.table(title) for title, runs in tables.items()]
    about = "In one process, the best of several tries, in milliseconds of processor time."
    return Found(tables=[*found_tables, own.table("Matching", about)], verdicts=verdicts)


def _subjects(folder: Path) -> list[Subject]:
    own = k3mock("scenario", str(scenario(folder)))
    many = [
        replace(
            k3mock("turns", str(matching.written("contained", size, folder))),
            name=f"turns {size}", words="", prompt="question number 1.",
        )
        for size in TURNS
    ]  # fmt: skip
    return [*(replace(own, name=name) for name in ("plain", "long", "empty", "full")), *many]


def _turns() -> list[Point]:
    return [
        Point(
            table="Turns of a scenario", name=f"{size:,} turns", server=f"turns {size}",
            body=template(f"question number {size - 1}.", stream=False),
        )
        for size in TURNS
    ]  # fmt: skip


def _journal() -> list[Point]:
    body = template(PROMPT, stream=False)
    return [
        Point(table="Journal", name="empty at first", server="empty", body=body, fresh=True),
        Point(table="Journal", name=f"{JOURNAL:,} entries", server="full", body=body),
    ]


def _prompts() -> list[Point]:
    return [
        Point(
            table="Prompts", name=f"{size:,} kB", server="long",
            body=_body([{"role": "user", "content": f"{PROMPT} {PLACE} {text(size * 200)}"}]),
        )
        for size in PROMPT_KB
    ]  # fmt: skip


def _histories() -> list[Point]:
    return [
        Point(
            table="Conversations", name=f"{size:,} messages", server="plain",
            body=_body(conversation(size)),
        )
        for size in MESSAGES
    ]  # fmt: skip


def _body(messages: list[dict[str, str]]) -> str:
    return json.dumps({"model": "kimi-k3", "messages": messages})


def conversation(size: int) -> list[dict[str, str]]:
    """Return a conversation of so many messages that ends in the prompt; its history is fixed."""
    messages: list[dict[str, str]] = [{"role": "system", "content": "You help."}]
    while len(messages) < size - 1:
        number = len(messages)
        messages.append({"role": "user", "content": f"question {number} {_WORDS}"})
        if len(messages) < size - 1:
            answer = {"content": f"answer {number} {_WORDS}", "reasoning_content": "I think."}
            messages.append({"role": "assistant", **answer})
    return [*messages, {"role": "user", "content": f"{PROMPT} {PLACE}"}]


def _job(each: Running, point: Point, plan: Plan) -> Job:
    return Job(
        port=each.server.port, pids=each.server.pids, body=point.body, connections=2,
        seconds=plan.seconds / 2, warm_s=0.1, answers=LEAST,
    )  # fmt: skip


def _fill(servers: dict[str, Running]) -> None:
    """Let a journal become as long as it gets."""
    if "full" not in servers:
        return
    server = servers["full"].server
    body = template(PROMPT, stream=False)
    job = Job(port=server.port, pids=server.pids, body=body, seconds=1, answers=JOURNAL)
    load.closed_loop(job)


def _reset(port: int) -> None:
    """Let a server forget what has happened."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    connection.request("POST", "/__k3mock__/reset", "{}", {"Content-Type": "application/json"})
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    if answer.status != 200:
        raise OSError(f"no reset: {answer.status} {said!r}")


def _matching(plan: Plan) -> Runs:
    runs = Runs()
    with pinned(server_core()):
        for number in range(min(plan.rounds, MOST_ROUNDS)):
            for kind in matching.TURNS:
                # The most take long to load, and nothing is judged by them: once is enough.
                for size in TURNS[: 2 if number else 3]:
                    found, name = matching.matched(kind, size), f"{kind}, {size:,} turns"
                    runs.add(name, "load", found.load, "ms")
                    runs.add(name, "last turn", found.last, "ms")
                    runs.add(name, "no turn", found.none, "ms")
                    runs.add(name, "why no turn", found.why, "ms")
                    runs.add(name, "no turn, 100,000 characters", found.long, "ms")
    return runs


def _worst(runs: Runs) -> list[float]:
    """Return what the dearest kind of match took with 1,000 turns, in each run."""
    each = [
        runs.runs(f"{kind}, 1,000 turns", figure)
        for kind in matching.TURNS
        for figure in ("last turn", "no turn")
    ]
    return [max(values) for values in zip(*each, strict=True)]
