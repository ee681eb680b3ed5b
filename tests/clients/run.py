"""Turns real clients, unchanged, into rows of a table: `python -m tests.clients.run [CLIENT…]`.

Each group in `groups/` names a client in one version and a script that uses it. The script finds

* `K3_BASE_URL` (ending in /v1), `K3_API_KEY`, `K3_MODEL`: what a user of the client configures,
* `K3_CELL`: the column or the case's id, `K3_USE`: what to do (`plain`, `stream`, `reasoning`,
  `tools`, `stream_tools`, `structured`, `usage`, `agent`, `image`), with the words of `words.json`,
* `K3_HOME`: the folder that the client was installed into; `HOME` is an empty folder,

and prints one last line of JSON: `{"outcome": "works" | "breaks" | "unsupported", "saw": {…}}`.
`saw` holds what the client's user got: `text`, `pieces`, `reasoning`, `stream_reasoning`, `finish`,
`usage` and `stream_usage` (`prompt`, `completion`, `reasoning`, `cached`), `parsed`, `calls`
(`[name, arguments]` of the tools that were run), `exception` (`class`, `message`), `why` (of what
is unsupported). The cell is judged from it and from what the mock noted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import k3mock
from k3mock.protocol.policy import ReasoningField
from tests.clients import own, page, suites
from tests.clients.cases import CASES
from tests.clients.cells import AGENT, LOOPS
from tests.clients.groups import Group, SkippedError, groups, install
from tests.clients.plain_cells import columns_of
from tests.clients.witness import Call, Witness

if TYPE_CHECKING:
    from k3mock.serving import MockServer
    from tests.clients.cells import Cell

RESULTS = Path(__file__).parent / "results"
KEPT_CHARS = 400


def use(group: Group, name: str, cell: Cell, profile: str) -> dict[str, Any]:
    """Let a client do one thing against a server of its own, and judge it."""
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"profile": profile, "seed": 7, **cell.settings}
        if cell.scenario:
            path = Path(folder) / "played.yaml"
            path.write_text(cell.played, encoding="utf-8")
            settings["scenarios"] = (str(path),)
        with k3mock.start(**settings) as server:
            outcome, saw, detail = _script(group, server, name, cell.use)
            host = server.app.hosts.get(profile).profile
            seen = Witness(
                outcome=outcome, saw=saw, detail=detail, calls=_calls(server),
                thinks=host.wire.reasoning_field is not ReasoningField.HIDDEN,
            )  # fmt: skip
    said = cell.judge(seen)
    return {
        "cell": said,
        "evidence": seen.evidence(),
        "requests": len(seen.calls),
        "saw": {key: value for key, value in saw.items() if key != "exception"},
    }


def _calls(server: MockServer) -> tuple[Call, ...]:
    entries = [
        each for each in server.app.journal.entries() if each.path.endswith("/chat/completions")
    ]
    deadline = time.monotonic() + 2
    while any(each.outcome.end is None for each in entries) and time.monotonic() < deadline:
        time.sleep(0.01)
    return tuple(
        Call(
            body=each.body if isinstance(each.body, dict) else {},
            status=each.status,
            end=each.outcome.end,
            usage=None if each.usage is None else {
                "prompt": each.usage.prompt, "completion": each.usage.completion,
                "reasoning": each.usage.reasoning, "cached": each.usage.cached,
            },
        )
        for each in entries
    )  # fmt: skip


def _script(
    group: Group, server: MockServer, name: str, what: str
) -> tuple[str, dict[str, Any], str]:
    with tempfile.TemporaryDirectory() as home:
        environ = {
            "PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "TMPDIR": home,
            "K3_BASE_URL": f"{server.address}/v1", "K3_API_KEY": "sk-k3mock-clients",
            "K3_MODEL": "kimi-k3", "K3_CELL": name, "K3_USE": what, "K3_HOME": str(group.home),
            **group.environ,
        }  # fmt: skip
        try:
            done = subprocess.run(
                group.command, env=environ, cwd=home, capture_output=True, text=True,
                timeout=group.timeout_s, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            hung = {"class": "TimeoutExpired", "message": f"hangs for {group.timeout_s:.0f} s"}
            return "breaks", {"exception": hung}, ""
    return _said(done.stdout, done.stderr, done.returncode, server.address)


def _said(out: str, err: str, status: int, address: str) -> tuple[str, dict[str, Any], str]:
    """Read the script's last line; addresses differ from run to run and are taken out."""
    lines = out.replace(address, "ADDRESS").strip().splitlines()
    try:
        last = json.loads(lines[-1]) if lines else None
    except ValueError:
        last = None
    if status == 0 and isinstance(last, dict) and "outcome" in last:
        return str(last["outcome"]), dict(last.get("saw") or {}), ""
    told = err.replace(address, "ADDRESS").strip().splitlines()
    return "breaks", {}, (told or lines or [f"exit status {status}"])[-1]


def row(group: Group, version: str) -> dict[str, Any]:
    """Run all that the group names, and say how each came out."""
    known: dict[str, Any] = {
        "client": group.client, "title": group.title or group.client, "version": version,
        "kind": group.kind, "cells": {}, "agent": {}, "cases": {},
    }  # fmt: skip
    profile = group.profiles[0]
    columns = columns_of(group.kind)
    for name in columns if group.columns is None else group.columns:
        cell = own.cell(group.own, name, columns[name])
        known["cells"][name] = _told(name, use(group, name, cell, profile))
    agent = own.cell(group.own, "agent", replace(AGENT, scenario=LOOPS[group.loop]))
    for each in group.agent:
        known["agent"][each] = _told(f"agent over {each}", _agent(group, agent, each))
    for case in group.cases:
        cell = own.cell(group.own, case, CASES[case])
        known["cases"][case] = _told(case, use(group, case, cell, profile))
    return known


def _agent(group: Group, agent: Cell, where: str) -> dict[str, Any]:
    """Run the agent's loop over a profile, or over one with a knob: `PROFILE, KNOB=VALUE`."""
    profile, _, knob = where.partition(", ")
    played = agent.scenario
    if knob:
        played = f"wire: {{{knob.replace('=', ': ')}}}\n{agent.played}"
    return use(group, "agent", replace(agent, scenario=played), profile)


def _told(name: str, result: dict[str, Any]) -> dict[str, Any]:
    evidence = f"  [{result['evidence']}]" if result["evidence"] else ""
    sys.stdout.write(f"  {name:22} {result['cell']}{evidence}\n")
    sys.stdout.flush()
    return result


def main(wanted: list[str]) -> None:
    """Run the clients and the suites of others, write their rows and the page."""
    known_suites = {suite.name for suite in suites.suites([])}
    clients = [name for name in wanted if name not in known_suites]
    if len(clients) < len(wanted) or not wanted:
        suites.main([name for name in wanted if name in known_suites])
    for group in groups(clients) if clients or not wanted else ():
        file = RESULTS / f"{group.name}.json"
        try:
            version = install(group)
        except SkippedError as why:
            sys.stdout.write(f"{group.name}: skipped, {why}\n")
            known = {"client": group.client, "title": group.title or group.client,
                     "kind": group.kind, "skipped": str(why)}  # fmt: skip
            if file.exists() and "skipped" not in json.loads(file.read_text(encoding="utf-8")):
                continue
        else:
            sys.stdout.write(f"{group.title or group.client} {version}\n")
            known = row(group, version)
        text = json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(f"{text}\n", encoding="utf-8")
    page.write()


if __name__ == "__main__":
    main(sys.argv[1:])
