"""Turns starts into figures: imports, pytest with the plugin, a fixture's first and next tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.exchange import ask, body
from benchmarks.figures import Found, Runs, at_most
from benchmarks.machine import pinned, server_core
from benchmarks.subjects import PROMPT, k3mock, scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.plan import Plan

ABOUT = "Starts: what a program, a test run and a server take before anything is asked."
TESTS = 40
PLAIN = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_TIMEOUT_S = 120.0
TIME = "processor time"
WITHOUT, WITH = "without the plugin", "with the plugin"
FIRST, NEXT = "first test, set-up", "each further test, set-up and teardown"

_CONFTEST = """
import json, pathlib, time
import pytest

spent = {}

def timed(kind, item):
    before = time.process_time()
    result = yield
    spent.setdefault(item.name, {})[kind] = time.process_time() - before
    return result

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    return (yield from timed("setup", item))

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    return (yield from timed("teardown", item))

def pytest_sessionfinish(session):
    pathlib.Path("spent.json").write_text(json.dumps(list(spent.values())))
"""

_TESTS = """
import http.client, json
from urllib.parse import urlsplit
import pytest

@pytest.mark.parametrize("number", range({tests}))
def test_a_reply(k3mock, number):
    k3mock.reply("hello")
    there = urlsplit(k3mock.base_url)
    connection = http.client.HTTPConnection(there.hostname, there.port)
    body = {{"model": "kimi-k3", "messages": [{{"role": "user", "content": str(number)}}]}}
    connection.request("POST", there.path + "/chat/completions", json.dumps(body),
                       {{"Authorization": "Bearer k", "Content-Type": "application/json"}})
    assert json.load(connection.getresponse())["choices"][0]["message"]["content"] == "hello"
    connection.close()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a command took, from its start to its end."""

    wall_s: float
    processor_s: float


def command(words: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Ended:
    """Run a Python command on the core of servers; returns what it took.

    Raises:
        OSError: it failed.
    """
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    chosen = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(env or {})}
    began = time.monotonic()
    with pinned(server_core()):
        process = subprocess.Popen(
            [sys.executable, *words], cwd=folder, env=chosen, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise OSError(f"{' '.join(words)} ended with code {process.returncode}")
    return Ended(wall_s=time.monotonic() - began, processor_s=used.ru_utime + used.ru_stime)


def measure(plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
    """Run the group."""
    del skipped
    rounds = 1 if plan.smoke else max(plan.rounds, 2) * 2
    imports, pytests, servers, fixtures = Runs(), Runs(), Runs(), Runs()
    empty, tests = _written(folder)
    for number in range(rounds + 1):
        if number == 0 and plan.smoke:
            continue
        # The first round only fills caches of bytecode and files.
        _imports(imports if number else Runs(), folder)
        _pytests(pytests if number else Runs(), empty)
    for _ in range(1 if plan.smoke else plan.rounds):
        _server(servers, folder)
        _fixture(fixtures, tests)
    added = _differences(pytests, WITH, WITHOUT)
    for value in added:
        pytests.add("added by the plugin", TIME, value, "ms")
    verdicts = [
        *at_most("added to pytest's start by the plugin", 30.0, added, "ms"),
        *at_most("first fixture ready, processor time", 1500.0, fixtures.runs(FIRST, TIME), "ms"),
        *at_most("each further test's set-up and teardown, processor time", 5.0,
                 fixtures.runs(NEXT, TIME), "ms"),
    ]  # fmt: skip
    tables = [
        imports.table("Imports", "A Python process that imports no more than that."),
        pytests.table("pytest", "A run of one empty test, other plugins left out."),
        servers.table("Server", "From the start of the process until connections are taken."),
        fixtures.table("Fixture", f"A file of {TESTS} tests that script a reply and ask for it."),
    ]
    return Found(tables=tables, verdicts=verdicts)


def _written(folder: Path) -> tuple[Path, Path]:
    """Write the tests that are run; returns the folders of the empty one and of the others."""
    empty, tests = folder / "empty", folder / "tests"
    for each in (empty, tests):
        each.mkdir()
    (empty / "test_empty.py").write_text("def test_nothing():\n    pass\n")
    (tests / "conftest.py").write_text(_CONFTEST)
    (tests / "test_replies.py").write_text(_TESTS.format(tests=TESTS))
    return empty, tests


def _imports(runs: Runs, folder: Path) -> None:
    for name, code in (
        ("nothing", "pass"),
        ("k3mock", "import k3mock"),
        ("pytest", "import pytest"),
        ("pytest and the plugin", "import pytest, k3mock.pytest_plugin"),
    ):
        found = command(["-c", code], folder)
        runs.add(name, TIME, found.processor_s * 1000, "ms")
        runs.add(name, "wall", found.wall_s * 1000, "ms")


def _pytests(runs: Runs, folder: Path) -> None:
    run = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for name, more in ((WITHOUT, []), (WITH, ["-p", "k3mock.pytest_plugin"])):
        found = command([*run, *more], folder, PLAIN)
        runs.add(name, TIME, found.processor_s * 1000, "ms")
        runs.add(name, "wall", found.wall_s * 1000, "ms")


def _differences(runs: Runs, more: str, less: str) -> list[float]:
    pairs = zip(runs.runs(more, TIME), runs.runs(less, TIME), strict=True)
    return [one - other for one, other in pairs]


def _server(runs: Runs, folder: Path) -> None:
    with k3mock("scenario", str(scenario(folder))).server() as server:
        name = "k3mock serve"
        runs.add(name, TIME, server.started.processor_s * 1000, "ms")
        runs.add(name, "wall", server.started.wall_s * 1000, "ms")
        runs.add(name, "memory", server.memory_kb() / 1024, "MB")
        before, began = server.processor_s(), time.monotonic()
        ask(server.port, body(PROMPT, stream=False))
        runs.add("first answer", TIME, (server.processor_s() - before) * 1000, "ms")
        runs.add("first answer", "wall", (time.monotonic() - began) * 1000, "ms")


def _fixture(runs: Runs, folder: Path) -> None:
    run = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "k3mock.pytest_plugin"]
    command(run, folder, PLAIN)
    first, *others = json.loads((folder / "spent.json").read_text())
    # The last teardown ends the server, too.
    later = [each["setup"] + each["teardown"] for each in others[:-1]]
    runs.add(FIRST, TIME, first["setup"] * 1000, "ms")
    runs.add(NEXT, TIME, median(later) * 1000, "ms")
    runs.add("the dearest of the further tests", TIME, max(later) * 1000, "ms")
