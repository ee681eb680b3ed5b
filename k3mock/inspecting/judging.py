"""Turns a request and scenarios into how near each turn comes to it; inspecting layer."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from k3mock.matching.condition import shorter
from k3mock.matching.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.matching.source import Asked
    from k3mock.scenario.model import Scenario, Turn

MOST = 20
"""So many turns are told: the one that answered, then those that came nearest."""

_MOST_JUDGED = 2000


def judged(asked: Asked, scenarios: Sequence[Scenario], source: str) -> list[JSONObject]:
    """Return turns with what differs: the one that answered first, then the nearest."""
    label = source.partition("+")[0]
    view = View(asked)
    rows = [_row(scenario, turn, view, label) for scenario, turn in _turns(scenarios)]
    return heapq.nlargest(MOST, rows, key=_rank)


def _turns(scenarios: Sequence[Scenario]) -> Iterator[tuple[Scenario, Turn]]:
    pairs = [(scenario, turn) for scenario in scenarios for turn in scenario.turns]
    yield from pairs[:_MOST_JUDGED]


def _row(scenario: Scenario, turn: Turn, view: View, label: str) -> JSONObject:
    conditions = turn.pattern.conditions
    failed = [each for each in conditions if not each.holds(view)]
    differences: list[JSONValue] = [
        {"key": each.key, "wanted": shorter(each.wanted), "found": shorter(each.found(view))}
        for each in failed
    ]
    uses = view.asked.session.used(turn.key)
    return {
        "scenario": scenario.name,
        "turn": turn.number,
        "where": turn.where,
        "when": turn.when,
        "answered": turn.label == label,
        "parts": len(conditions),
        "held": len(conditions) - len(failed),
        "times": turn.times,
        "hits": uses,
        "differences": differences,
    }


def _rank(row: JSONObject) -> tuple[bool, float, int]:
    held, parts = row["held"], row["parts"]
    share = held / parts if isinstance(held, int) and isinstance(parts, int) and parts else 1.0
    return bool(row["answered"]), share, held if isinstance(held, int) else 0
