"""Turns the runs of a measurement into medians with their spread, and into verdicts on targets."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One figure of several runs; the median counts, the lowest and highest say how sure it is."""

    unit: str
    runs: Sequence[float]

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def low(self) -> float:
        return min(self.runs)

    @property
    def high(self) -> float:
        return max(self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of one subject, by name."""

    subject: str
    figures: dict[str, Spread]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows with the same figures."""

    title: str
    rows: Sequence[Row]
    about: str = ""

    def row(self, subject: str) -> Row | None:
        """Return the row of a subject, if it was measured."""
        return next((row for row in self.rows if row.subject == subject), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a target was met: the value of each run, mostly a ratio, and the limit for all."""

    what: str
    limit: float
    at_least: bool
    value: Spread

    @property
    def met(self) -> bool:
        median = self.value.median
        return median >= self.limit if self.at_least else median <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All that one group of measurements found, and when and where.

    Attributes:
        skipped: what was not measured, and why.
        series: curves over time, by name: points of (seconds, value).
    """

    name: str
    about: str
    date: str
    machine: dict[str, str | int]
    rounds: int
    seconds: float
    tables: Sequence[Table]
    verdicts: Sequence[Verdict] = ()
    skipped: dict[str, str] = field(default_factory=dict)
    series: dict[str, Sequence[tuple[float, float]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What measuring a group gave."""

    tables: Sequence[Table]
    verdicts: Sequence[Verdict] = ()
    series: dict[str, Sequence[tuple[float, float]]] = field(default_factory=dict)


class Runs:
    """Collects the figures of several runs, by subject and by name."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, tuple[str, list[float]]]] = {}

    def add(self, subject: str, figure: str, value: float, unit: str) -> None:
        """Note what one run found."""
        figures = self._rows.setdefault(subject, {})
        figures.setdefault(figure, (unit, []))[1].append(value)

    def table(self, title: str, about: str = "") -> Table:
        """Return all that was noted."""
        rows = [
            Row(
                subject=subject,
                figures={
                    name: Spread(unit=unit, runs=tuple(runs))
                    for name, (unit, runs) in figures.items()
                },
            )
            for subject, figures in self._rows.items()
        ]
        return Table(title=title, rows=rows, about=about)

    def runs(self, subject: str, figure: str) -> Sequence[float]:
        """Return what the runs of a subject found; nothing where it was not measured."""
        return self._rows.get(subject, {}).get(figure, ("", []))[1]

    def ratios(self, above: str, below: str, figure: str) -> Sequence[float]:
        """Return the ratio of two subjects in each round."""
        pairs = zip(self.runs(above, figure), self.runs(below, figure), strict=False)
        return tuple(one / other for one, other in pairs if other)


def at_least(what: str, limit: float, values: Sequence[float], unit: str = "") -> list[Verdict]:
    """Judge values whose median is to reach a limit; without any, there is nothing to judge."""
    return _judged(what, limit, Spread(unit=unit, runs=tuple(values)), at_least=True)


def at_most(what: str, limit: float, values: Sequence[float], unit: str = "") -> list[Verdict]:
    """Judge values whose median is to stay within a limit."""
    return _judged(what, limit, Spread(unit=unit, runs=tuple(values)), at_least=False)


def _judged(what: str, limit: float, value: Spread, *, at_least: bool) -> list[Verdict]:
    if not value.runs:
        return []
    return [Verdict(what=what, limit=limit, at_least=at_least, value=value)]


def load(path: Path) -> dict[str, Group]:
    """Read the groups of a result file; none where there is no file."""
    if not path.exists():
        return {}
    return {name: _group(found) for name, found in json.loads(path.read_text())["groups"].items()}


def save(path: Path, group: Group) -> None:
    """Put a group into a result file; the other groups stay as they are."""
    groups = {**load(path), group.name: group}
    found = {name: _rounded(asdict(groups[name])) for name in sorted(groups)}
    path.write_text(json.dumps({"groups": found}, indent=1, ensure_ascii=False) + "\n")


def _rounded(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Leave five digits of every figure: no run is surer than that."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def _group(found: dict[str, Any]) -> Group:
    tables = [
        Table(
            title=table["title"], about=table["about"],
            rows=[Row(subject=row["subject"],
                      figures={name: Spread(**each) for name, each in row["figures"].items()})
                  for row in table["rows"]],
        )
        for table in found["tables"]
    ]  # fmt: skip
    verdicts = [Verdict(**{**each, "value": Spread(**each["value"])}) for each in found["verdicts"]]
    return Group(**{**found, "tables": tables, "verdicts": verdicts})
