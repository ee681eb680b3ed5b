"""Turns a job into figures: runs the client process, or wrk, on the core of clients."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.client import Job
from benchmarks.exchange import DIGITS, HEADERS, PLACE, template
from benchmarks.machine import client_core, pinned
from benchmarks.process import ServerError, processor_s

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.plan import Plan, Running

CONNECTIONS = 16

SETTLE_LOOKS = 200
IDLE = 0.1
"""A server that is busy for less than this part of the time has nothing left to do."""

_LOOK_S = 0.05
SLACK_S = 120.0
"""A client that takes longer than its job by this is given up."""

WRK_HINT = "wrk is not installed (Debian: apt-get install wrk); the client here took its place"

_COUNT = re.compile(r"^K3 (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)

_SCRIPT = """
local before, after, number = {before}, {after}, {first}
request = function()
  number = number + 1
  if {cycle} > 0 then number = number % {cycle} end
  return wrk.format("POST", nil, nil, before .. string.format("%0{digits}d", number) .. after)
end
done = function(summary, latency)
  local bad = summary.errors.connect + summary.errors.read + summary.errors.status
  io.write(string.format("\\nK3 %d %d %d %d\\n", summary.requests,
    bad + summary.errors.timeout, latency:percentile(50), latency:percentile(99)))
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a client saw, and what the server and the client spent meanwhile."""

    answers: int
    events: int
    bytes: int
    errors: int
    wall_s: float
    server_s: float
    client_s: float
    p50_ms: float
    p99_ms: float


def client(module: str, job: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Run a client process to its end; returns the JSON that it wrote.

    It writes a file: what a process that has run uvloop prints into a pipe may lack a part.

    Raises:
        ServerError: it failed or hung.
    """
    with pinned(client_core()), tempfile.NamedTemporaryFile("r") as result:
        try:
            done = subprocess.run(
                [sys.executable, "-m", module, result.name], input=json.dumps(job),
                capture_output=True, text=True, timeout=seconds + SLACK_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise ServerError("the client got no end of its answers") from error
        if done.returncode:
            raise ServerError(f"the client failed: {done.stderr.strip()[-300:]}")
        found: dict[str, Any] = json.load(result)
    return found


def closed_loop(job: Job) -> Counted:
    """Run the client of a closed loop."""
    found = client("benchmarks.client", asdict(job), job.warm_s + job.seconds)
    settle(job.pids)
    took: list[float] = found.pop("took_ms")
    return Counted(
        **found,
        p50_ms=percentile(took, 50),
        p99_ms=percentile(took, 99),
    )


def settle(pids: Sequence[int]) -> None:
    """Return when a server has done what its last clients left to it."""
    before = processor_s(pids)
    for _ in range(SETTLE_LOOKS):
        time.sleep(_LOOK_S)
        now = processor_s(pids)
        if now - before < IDLE * _LOOK_S:
            return
        before = now


def percentile(ordered: list[float], share: float) -> float:
    """Return a percentile of values in order; 0 without any."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))]


def has_wrk() -> bool:
    """Say whether wrk is on this machine."""
    return shutil.which("wrk") is not None


def wrk(job: Job, folder: Path) -> Counted:
    """Run wrk for a job of whole answers; it is measured from its first request to its last.

    Raises:
        ServerError: it said something else than was agreed.
    """
    before, _, after = job.body.partition(PLACE)
    script = folder / "wrk.lua"
    script.write_text(
        _SCRIPT.format(
            before=json.dumps(before),
            after=json.dumps(after),
            first=job.first,
            digits=DIGITS,
            cycle=job.cycle,
        )
    )
    command = ["wrk", "-t", "1", "-c", str(job.connections), "-d", f"{max(1, round(job.seconds))}s"]
    for name, value in HEADERS.items():
        command += ["-H", f"{name}: {value}"]
    command += ["-s", str(script), f"http://127.0.0.1:{job.port}{job.path}"]
    used, began = processor_s(job.pids), time.perf_counter()
    with pinned(client_core()):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=job.seconds + SLACK_S, check=False
        )
    passed, used = time.perf_counter() - began, processor_s(job.pids) - used
    settle(job.pids)
    found = _COUNT.search(done.stdout)
    if found is None:
        raise ServerError(f"wrk failed: {(done.stderr or done.stdout).strip()[-300:]}")
    answers, errors, p50_us, p99_us = (int(each) for each in found.groups())
    return Counted(
        answers=answers, events=0, bytes=0, errors=errors, wall_s=passed, server_s=used,
        client_s=0.0, p50_ms=p50_us / 1000, p99_ms=p99_us / 1000,
    )  # fmt: skip


def job_for(running: Running, plan: Plan, *, stream: bool) -> Job:
    """Return a closed loop on a running subject."""
    subject, server = running.subject, running.server
    return Job(
        port=server.port, pids=server.pids, body=template(subject.prompt, stream=stream),
        path=subject.path, seconds=plan.seconds, cycle=subject.cycle,
        connections=CONNECTIONS, warm_s=0.1 if plan.smoke else 0.3,
    )  # fmt: skip
