"""Turns columns into those of agents that bring their own tools, and offer no others.

A group names its set with `own = "…"`; what is not in the set is played as for everybody.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.clients import judge
from tests.clients.cases import CASES
from tests.clients.cells import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = tuple[str, dict[str, Any]]


def loop(name: str, steps: Sequence[Step], text: str, bent: str = "") -> str:
    """Return a scenario of so many calls, one after the other, and the answer."""
    more = f", {bent}" if bent else ""
    turns = [
        f"  - when: {{turn: {number}}}\n"
        f"    reply: {{reasoning: Step {number + 1}., tool_calls: "
        f"[{json.dumps({'name': tool, 'arguments': given}, ensure_ascii=False)}]{more}}}\n"
        for number, (tool, given) in enumerate(steps)
    ]
    end = f'  - reply: {{reasoning: That is all., content: "{text}"}}\n'
    return f"name: {name}\nturns:\n{''.join(turns)}{end}"


KIMI_CODE_TOOLS: tuple[Step, ...] = (("Bash", {"command": "cat weather.txt"}),)
KIMI_CODE_AGENT: tuple[Step, ...] = (
    ("Bash", {"command": "ls"}),
    ("Read", {"path": "README.md"}),
    ("Bash", {"command": "ls tests"}),
    ("Read", {"path": "tests/test_adder.py"}),
    ("Read", {"path": "adder.py"}),
    ("Bash", {"command": "grep -n return adder.py"}),
    ("Edit", {"path": "adder.py", "old_string": "a - b", "new_string": "a + b"}),
    ("Bash", {"command": "grep -c 'a + b' adder.py"}),
    ("Read", {"path": "adder.py"}),
    ("Bash", {"command": "ls -R"}),
)


def _kimi_case(name: str, bent: str) -> Cell:
    """Return a case of the tool loop with Kimi Code's own shell."""
    usual = CASES[name]
    return replace(
        usual, use="tools",
        scenario=loop(name.lower(), KIMI_CODE_TOOLS, judge.WEATHER, bent),
        judge=judge.copes(judge.looped(KIMI_CODE_TOOLS, ("18 degrees",), judge.WEATHER)),
    )  # fmt: skip


OWN: dict[str, dict[str, Cell]] = {
    "kimi_code": {
        "tools": Cell(
            title="tool loop", use="tools",
            judge=judge.looped(KIMI_CODE_TOOLS, ("18 degrees",), judge.WEATHER),
            scenario=loop("tools", KIMI_CODE_TOOLS, judge.WEATHER),
        ),
        "agent": Cell(
            title="agent", use="agent",
            judge=judge.looped(KIMI_CODE_AGENT, ("a - b", "a + b"), judge.FIXED),
            scenario=loop("agent", KIMI_CODE_AGENT, judge.FIXED),
        ),
        "A03": _kimi_case("A03", ""),
        "C01": _kimi_case("C01", "wire: {tool_index: omit}"),
        "C03": _kimi_case("C03", "wire: {tool_index_base: 1}"),
        "D03": _kimi_case("D03", "wire: {tool_ids: kimi_functions}"),
    },
}  # fmt: skip


def cell(own: str, name: str, usual: Cell) -> Cell:
    """Return the cell of a column for a group with its own tools, or else everybody's."""
    return OWN.get(own, {}).get(name, usual)
