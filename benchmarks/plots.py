"""Turns results into pictures; needs matplotlib, of the dependency group `bench`."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from benchmarks.groups import growth, instant, paced, soak, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.figures import Group, Row, Table

OWN_COLOUR, OTHER_COLOUR, BARE_COLOUR = "#2563eb", "#9ca3af", "#4b5563"
DPI = 110
_BARE = ("bare", "uvicorn", "starlette", "ceiling")


def draw(groups: Mapping[str, Group], folder: Path) -> dict[str, list[str]]:
    """Draw what can be drawn; returns the files of each group. Without matplotlib, none."""
    if importlib.util.find_spec("matplotlib") is None:
        return {}
    import matplotlib as mpl  # noqa: PLC0415 - only who draws needs it

    mpl.use("Agg")
    folder.mkdir(exist_ok=True)
    drawn: dict[str, list[str]] = {}
    for name, painter in PAINTERS.items():
        if name not in groups:
            continue
        for file, figure in painter(groups[name]):
            figure.savefig(folder / file, dpi=DPI, metadata={"Software": None})
            drawn.setdefault(name, []).append(file)
    return drawn


def _axes(width: float, height: float, count: int = 1) -> tuple[Any, list[Any]]:
    """Return a figure and its axes, side by side."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, count, squeeze=False)[0]
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
        each.grid(alpha=0.3)
        each.set_axisbelow(True)
    return figure, list(axes)


def _colour(subject: str) -> str:
    if subject.startswith("k3mock"):
        return OWN_COLOUR
    return BARE_COLOUR if subject.startswith(_BARE) else OTHER_COLOUR


def _bars(table: Table, name: str, *, log: bool = False) -> Any:  # noqa: ANN401 - untyped library
    """Draw a figure of each row as a bar, from lowest to highest run as a whisker."""
    rows = sorted(
        (
            row
            for row in table.rows
            if name in row.figures and not row.subject.startswith("ceiling")
        ),
        key=lambda row: row.figures[name].median,
    )
    figure, [axes] = _axes(9, 0.9 + 0.38 * len(rows))
    medians = [row.figures[name].median for row in rows]
    spreads = [
        [row.figures[name].median - row.figures[name].low for row in rows],
        [row.figures[name].high - row.figures[name].median for row in rows],
    ]
    labels = [row.subject for row in rows]
    colours = [_colour(label) for label in labels]
    axes.barh(labels, medians, color=colours, xerr=spreads, ecolor="black", capsize=2)
    for index, value in enumerate(medians):
        axes.annotate(f" {value:,.0f}", (value, index), (6, 7), textcoords="offset points",
                      fontsize=7, va="center")  # fmt: skip
    if log:
        axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_xlabel(f"{name}{' (logarithmic)' if log else ''}")
    return figure


def _whole(group: Group) -> Iterator[tuple[str, Any]]:
    yield "whole.png", _bars(group.tables[0], whole.RATE)


def _instant(group: Group) -> Iterator[tuple[str, Any]]:
    yield "instant.png", _bars(group.tables[0], instant.RATE, log=True)


def _lines(axes: Any, table: Sequence[tuple[float, Row]], name: str, label: str) -> None:  # noqa: ANN401
    """Draw a figure over the size that it was measured at, with its spread."""
    points = [(x, row.figures[name]) for x, row in table]
    xs = [x for x, _ in points]
    colour = OWN_COLOUR if label.startswith("k3mock") else BARE_COLOUR
    axes.plot(xs, [each.median for _, each in points], "o-", color=colour, label=label)
    axes.fill_between(
        xs, [each.low for _, each in points], [each.high for _, each in points],
        color=colour, alpha=0.15,
    )  # fmt: skip


def _paced(group: Group) -> Iterator[tuple[str, Any]]:
    panels = ((paced.WRITE, "µs of processor time per write"), (paced.LATE, "p99 lateness, ms"),
              (paced.MEMORY, "kB of memory per stream"))  # fmt: skip
    figure, found = _axes(11, 3.6, len(panels))
    for axes, (name, words) in zip(found, panels, strict=True):
        for subject in (paced.OWN, paced.BARE):
            rows = [(_size(table.title), table.row(subject)) for table in group.tables]
            _lines(axes, [(x, row) for x, row in rows if row is not None], name, subject)
        axes.set_xlabel("open streams, 40 tokens/s each")
        axes.set_title(words, fontsize=10)
        axes.set_ylim(bottom=0)
    found[0].legend()
    yield "paced.png", figure


def _size(words: str) -> float:
    """Return the number that a name begins with."""
    first = words.split(maxsplit=1)[0].replace(",", "")
    return float(first) if first.isdigit() else 0.0


def _growth(group: Group) -> Iterator[tuple[str, Any]]:
    tables = [table for table in group.tables if table.title in GROWING]
    figure, found = _axes(11, 3.6, len(tables))
    for axes, table in zip(found, tables, strict=True):
        rows = [(_size(row.subject), row) for row in table.rows]
        _lines(axes, rows, growth.TIME, "k3mock")
        axes.set_title(table.title, fontsize=10)
        axes.set_xlabel(GROWING[table.title])
        axes.set_xscale("log")
        axes.set_yscale("log")
    found[0].set_ylabel("µs of processor time per answer")
    yield "growth.png", figure


GROWING = {"Turns of a scenario": "turns", "Prompts": "kB", "Conversations": "messages"}


def _soak(group: Group) -> Iterator[tuple[str, Any]]:
    figure, [axes] = _axes(9, 3.2)
    points = group.series[soak.MEMORY]
    axes.plot([at / 60 for at, _ in points], [value for _, value in points], color=OWN_COLOUR)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("minutes")
    axes.set_ylabel("resident memory, MB")
    yield "soak.png", figure


PAINTERS: dict[str, Callable[[Group], Iterator[tuple[str, Any]]]] = {
    "whole": _whole,
    "instant": _instant,
    "paced": _paced,
    "growth": _growth,
    "soak": _soak,
}
