"""Turns results into a page; every figure in it comes from `results.json`.

What is said about missed targets is written by hand in `misses.md` beside it, and put in as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import plots
from benchmarks.figures import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.figures import Group, Spread, Table, Verdict

TITLES = {
    "whole": "Whole answers",
    "instant": "Instant streams",
    "paced": "Paced streams",
    "growth": "Growth",
    "proxy": "Recording proxy",
    "startup": "Start-up",
    "cassettes": "Cassettes",
    "soak": "Soak",
}
INTRODUCTION = """\
# Results

Written by `make bench` from `results.json`; [README.md](README.md) says how it is measured. A \
figure is the median of several interleaved runs, with the lowest and the highest behind it. \
Processor time is that of the server's processes. Compare figures of one table only: machines \
differ, and a shared one differs from minute to minute.
"""


def write(out: Path) -> None:
    """Write `RESULTS.md` and the plots beside a result file."""
    groups = load(out / "results.json")
    drawn = plots.draw(groups, out / "plots")
    misses = out / "misses.md"
    said = misses.read_text() if misses.exists() else ""
    (out / "RESULTS.md").write_text(page(groups, drawn, said))


def page(groups: Mapping[str, Group], drawn: Mapping[str, Sequence[str]], misses: str = "") -> str:
    """Return the page as Markdown; `drawn` names the plots of each group."""
    known = [groups[name] for name in TITLES if name in groups]
    parts = [INTRODUCTION, *_machines(known), *_targets(known)]
    if misses:
        parts.append(misses)
    for group in known:
        parts.extend(_group(group, drawn.get(group.name, ())))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _machines(groups: Sequence[Group]) -> Iterator[str]:
    """Say where the groups were measured, each machine once."""
    found: dict[str, list[str]] = {}
    for group in groups:
        machine = group.machine
        words = (
            f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
            f"{machine['kernel']}; {machine['python']}, uvicorn {machine['uvicorn']}, "
            f"uvloop {machine['uvloop']}, httptools {machine['httptools']}"
        )
        found.setdefault(words, []).append(TITLES[group.name].lower())
    for words, names in found.items():
        yield f"Machine ({', '.join(names)}): {words}."


def _targets(groups: Sequence[Group]) -> Iterator[str]:
    verdicts = [each for group in groups for each in group.verdicts]
    if not verdicts:
        return
    yield "## Targets"
    lines = ["| what | wanted | measured | |", "| --- | --- | --- | --- |"]
    lines += [_verdict(each) for each in verdicts]
    yield "\n".join(lines)


def _verdict(each: Verdict) -> str:
    unit = f" {each.value.unit}" if each.value.unit else ""
    wanted = f"{'≥' if each.at_least else '≤'} {each.limit:g}{unit}"
    met = "met" if each.met else "**missed**"
    return f"| {each.what} | {wanted} | {shown(each.value)}{unit} | {met} |"


def _group(group: Group, drawn: Sequence[str]) -> Iterator[str]:
    yield f"## {TITLES[group.name]}"
    rounds = f"{group.rounds} rounds" if group.rounds > 1 else "1 round"
    yield f"{group.about} Measured {group.date}, at most {rounds} of {group.seconds:g} s or more."
    for file in drawn:
        yield f"![{TITLES[group.name]}](plots/{file})"
    for table in group.tables:
        if len(group.tables) > 1:
            yield f"### {table.title}"
        if table.about:
            yield table.about
        yield _table(table)
    if group.skipped:
        yield "Not measured:\n\n" + "\n".join(
            f"- {name}: {reason}" for name, reason in group.skipped.items()
        )


def _table(table: Table) -> str:
    """Return a table with a column for each figure that any row has."""
    columns: dict[str, str] = {}
    for row in table.rows:
        for name, figure in row.figures.items():
            columns.setdefault(name, figure.unit)
    heads = [f"{name}, {unit}" if unit else name for name, unit in columns.items()]
    lines = [f"| | {' | '.join(heads)} |", f"| --- | {' | '.join('---:' for _ in heads)} |"]
    for row in table.rows:
        cells = [shown(row.figures[name]) if name in row.figures else "" for name in columns]
        lines.append(f"| {row.subject} | {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(figure: Spread) -> str:
    """Return the median of a figure, and how far its runs were from each other."""
    if len(figure.runs) == 1 or figure.low == figure.high:
        return number(figure.median)
    return f"{number(figure.median)} ({number(figure.low)} – {number(figure.high)})"


def number(value: float) -> str:
    """Return three digits that count, with separators."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if abs(value) >= 100:
        digits = len(str(int(abs(value)))) - 3
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"
