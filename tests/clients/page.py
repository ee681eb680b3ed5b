"""Turns the results of the clients into `docs/clients.md`: `python -m tests.clients.page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.clients import suites
from tests.clients.cases import CASES
from tests.clients.cells import AGENT, COLUMNS
from tests.clients.plain_cells import columns_of

if TYPE_CHECKING:
    from tests.clients.cells import Cell

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
KINDS = {"python": "Python", "node": "Node", "plain": "Plain HTTP"}

INTRO = """# Real clients

Programs that people use with Kimi, run against k3mock unchanged, through their own configuration.
`make test-clients CLIENT=openai` runs one of them again and prints its row; without `CLIENT` all
are run. They are installed by name into `.clients/`, in the versions that `tests/clients/groups`
pins.

This page is generated from what the runs left in `tests/clients/results`; no cell is written by
hand. A cell says `works`, or what happens. What a client cannot do is said as it is: it is a
property of that client in that version, and would be the same at the real endpoint; the ids are
those of [the cases from the field](cases.md).
"""


def results() -> list[dict[str, Any]]:
    """Return the rows, in the order of the table."""
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    kinds = list(KINDS)
    return sorted(rows, key=lambda row: (kinds.index(row["kind"]), row["title"].lower()))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows), ""]


def _name(row: dict[str, Any]) -> str:
    return f"{row['title']} {row.get('version', '')}".strip()


def _told(cell: Cell) -> str:
    ids = ", ".join(f"[{each}](cases.md)" for each in cell.ids)
    return f"{cell.about}{f' ({ids})' if ids else ''}."


def _columns(rows: list[dict[str, Any]], columns: dict[str, Cell]) -> list[str]:
    head = ["client", *(cell.title for cell in columns.values())]
    return _table(head, [
        [_name(row), *(row["cells"].get(name, {}).get("cell", "–") for name in columns)]
        for row in rows
    ])  # fmt: skip


def _agents(rows: list[dict[str, Any]]) -> list[str]:
    found = [
        [_name(row), profile, str(result["requests"]), result["cell"]]
        for row in rows
        for profile, result in row["agent"].items()
    ]
    return ["## Agents", "", f"An agent's loop: {_told(AGENT)}", "",
            *_table(["client", "profile", "requests", "outcome"], found)]  # fmt: skip


def _cases(rows: list[dict[str, Any]]) -> list[str]:
    found = [
        [f"[{case}](cases.md)", CASES[case].about, CASES[case].reported, _name(row), result["cell"]]
        for row in rows
        for case, result in row["cases"].items()
    ]
    about = ("Situations from the field, on the client where they were reported or in its present "
             "version: it copes, or the table says what happens.")  # fmt: skip
    head = ["case", "situation", "reported", "client", "outcome"]
    return ["## Cases from the field", "", about, "", *_table(head, sorted(found))]


def _details(rows: list[dict[str, Any]]) -> list[str]:
    found = [
        [_name(row), name, result["evidence"]]
        for row in rows
        for part in ("cells", "agent", "cases")
        for name, result in row[part].items()
        if result["evidence"]
    ]
    about = "The words behind the cells that are not `works`, as the client gave them."
    return ["## What they said", "", about, "", *_table(["client", "cell", "words"], found)]


def page() -> str:
    """Return the page as markdown."""
    rows = results()
    ran = [row for row in rows if "skipped" not in row]
    lines = [INTRO]
    lines += [f"- **{cell.title}**: {_told(cell)}" for cell in COLUMNS.values()]
    lines.append("")
    for kind, title in KINDS.items():
        of_kind = [row for row in ran if row["kind"] == kind]
        if of_kind:
            columns = columns_of(kind)
            lines += [f"## {title}", ""]
            own = [f"- **{columns[name].title}**: {_told(columns[name])}"
                   for name in columns if name not in COLUMNS]  # fmt: skip
            lines += [*own, *[""][: len(own)], *_columns(of_kind, columns)]
    lines += [*_agents(ran), *_cases(ran), *suites.lines(), *_details(ran)]
    skipped = [[row["title"], row["skipped"]] for row in rows if "skipped" in row]
    if skipped:
        lines += ["## Not run", "", *_table(["client", "reason"], skipped)]
    return "\n".join(lines).rstrip() + "\n"


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
