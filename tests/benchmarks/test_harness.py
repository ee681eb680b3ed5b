"""The harness of the benchmarks works: a run of seconds, and what it makes of its figures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import page, peers, plan
from benchmarks.figures import (
    Found,
    Group,
    Row,
    Runs,
    Spread,
    Table,
    at_least,
    at_most,
    load,
    save,
)
from benchmarks.machine import this_machine
from benchmarks.peers import PEERS
from benchmarks.process import Server, ServerError
from benchmarks.references import events_of
from benchmarks.subjects import said, text

ROOT = Path(__file__).parents[2]


def group(name: str = "whole", **more: object) -> Group:
    figures = {"answers per processor second": Spread(unit="1/s", runs=(900.0, 1234.5678, 1100.0))}
    table = Table(title="Whole answers", rows=[Row(subject="k3mock, scenario", figures=figures)])
    fields: dict[str, object] = {
        "about": "Whole answers.", "date": "2026-11-30", "machine": this_machine().as_json(),
        "rounds": 3, "seconds": 2.0, "tables": [table], **more,
    }  # fmt: skip
    return Group(name=name, **fields)  # type: ignore[arg-type]


def test_a_run_of_seconds_measures_writes_and_shows(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "instant", "--smoke", "--out", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = load(tmp_path / "results.json")["instant"]
    [table] = found.tables
    rates = {row.subject: row.figures["events per processor second"].median for row in table.rows}
    bare = rates["bare ASGI loop, a write for each event"]
    assert bare > rates["k3mock, a write for each event"] > 0
    assert rates["ceiling of the client (a server that only writes)"] > bare
    [verdict] = found.verdicts
    assert verdict.value.median == pytest.approx(
        rates["k3mock, a write for each event"] / bare, rel=1e-3
    )
    shown = (tmp_path / "RESULTS.md").read_text()
    assert "| bare ASGI loop, a write for each event |" in shown
    assert str(tmp_path) not in shown
    assert all(row.figures["failed"].median == 0 for row in table.rows)


def test_a_median_is_shown_with_lowest_and_highest_and_a_verdict_with_its_limit() -> None:
    verdicts = at_least("fast enough", 0.5, (0.4, 0.6, 0.7)) + at_most("small enough", 3, (4,))
    shown = page.page({"whole": group(verdicts=verdicts)}, {"whole": ["whole.png"]}, "## Why\n")
    assert "| k3mock, scenario | 1,100 (900 – 1,230) |" in shown
    assert "| fast enough | ≥ 0.5 | 0.6 (0.4 – 0.7) | met |" in shown
    assert "| small enough | ≤ 3 | 4 | **missed** |" in shown
    assert "![Whole answers](plots/whole.png)" in shown
    assert shown.index("## Targets") < shown.index("## Why") < shown.index("## Whole answers")


def test_what_was_not_measured_is_named_with_its_reason() -> None:
    assert "- aimock: no npm" in page.page({"whole": group(skipped={"aimock": "no npm"})}, {})


def test_a_group_replaces_its_own_results_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    for each in (group(), group("soak", series={"memory": [(0.0, 50.0)]}), group(rounds=5)):
        save(path, each)
    found = load(path)
    assert {name: each.rounds for name, each in found.items()} == {"soak": 3, "whole": 5}
    assert found["whole"].tables[0].rows[0].figures["answers per processor second"].high == 1234.6
    assert json.loads(path.read_text())["groups"]["soak"]["series"] == {"memory": [[0.0, 50.0]]}


def test_ratios_are_taken_within_a_round_and_nothing_is_judged_without_any() -> None:
    runs = Runs()
    for own, other in ((1.0, 2.0), (3.0, 4.0)):
        runs.add("own", "rate", own, "1/s")
        runs.add("other", "rate", other, "1/s")
    assert runs.ratios("own", "other", "rate") == (0.5, 0.75)
    assert at_least("a peer that is not there", 2, runs.ratios("own", "third", "rate")) == []
    [row, _] = runs.table("t").rows
    assert row.figures["rate"] == Spread(unit="1/s", runs=(1.0, 3.0))


def test_the_machine_is_named_without_its_own_name() -> None:
    found = this_machine().as_json()
    assert re.search(r"\d", str(found["python"]))
    assert not any("/" in str(value) for name, value in found.items() if name != "processor")


def test_a_peer_that_cannot_be_installed_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peers, "HOME", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    [aimock] = [peer for peer in PEERS if peer.name == "aimock"]
    assert peers.installed(aimock) == "npm is not on this machine"
    found, skipped = plan.peers(plan.Plan(peers=False), tmp_path)
    assert found == []
    assert set(skipped) == {peer.title for peer in PEERS}


def test_a_server_that_ends_at_its_start_says_why() -> None:
    broken = Server("broken", [sys.executable, "-c", "raise SystemExit('no such thing')"])
    with pytest.raises(ServerError, match=r"ended with code 1 at its start: no such thing"), broken:
        pass
    assert broken.pids == []


def test_the_words_of_an_answer_are_read_from_both_ways() -> None:
    chunk = {"choices": [{"delta": {"content": "time"}}]}
    stream = f"data: {json.dumps(chunk)}\n\ndata: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    assert said(stream.encode(), stream=True) == "timetime"
    whole = {"choices": [{"message": {"content": "time year"}}]}
    assert said(json.dumps(whole).encode(), stream=False) == text(2) == "time year"
    assert len(events_of(stream.encode())) == 3


def test_what_measuring_finds_needs_no_verdict() -> None:
    assert Found(tables=[]).verdicts == ()
