"""Turns results into a page; every figure in it comes from `results.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.figures import Group, load

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.figures import Spread, Table, Verdict

ORDER = ("whole", "instant", "paced", "growth", "proxy", "startup", "cassettes", "soak")


def write(out: Path) -> None:
    """Write `RESULTS.md` and the plots beside a result file."""
    from benchmarks import plots

    groups = load(out / "results.json")
    drawn = plots.draw(groups, out / "plots")
    (out / "RESULTS.md").write_text(page(groups, drawn))


def page(groups, drawn) -> str:
    return ""
