"""Turns many turns into the few that a request has to be compared with, in order; source layer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import merge
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from k3mock.matching.condition import Condition
    from k3mock.matching.view import View
    from k3mock.scenario.model import Scenario, Turn


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn at its place among all that are asked, with its tests in the best order."""

    place: int
    scenario: Scenario
    turn: Turn
    tests: tuple[Callable[[View], bool], ...]


class Order:
    """Turns by what the last message must be, so that most of a thousand are never looked at."""

    def __init__(self, turns: Sequence[tuple[Scenario, Turn]]) -> None:
        self._always: list[Entry] = []
        self._roles: dict[str, list[Entry]] = {}
        self._texts: dict[str, list[Entry]] = {}
        shared = Counter(_what(each) for _, turn in turns for each in turn.pattern.conditions)
        for place, (scenario, turn) in enumerate(turns):
            pattern = turn.pattern
            # A test that only this turn makes is likelier to fail than one that all turns share.
            best = sorted(pattern.conditions, key=lambda each: each.cost * shared[_what(each)])
            entry = Entry(place, scenario, turn, tuple(each.holds for each in best))
            if pattern.exact is not None:
                self._texts.setdefault(pattern.exact, []).append(entry)
            elif pattern.roles is not None:
                for role in dict.fromkeys(pattern.roles):
                    self._roles.setdefault(role, []).append(entry)
            else:
                self._always.append(entry)

    def matching(self, view: View) -> Iterator[Entry]:
        """Yield the turns that match, in order."""
        for entry in self._candidates(view):
            for test in entry.tests:
                if not test(view):
                    break
            else:
                yield entry

    def _candidates(self, view: View) -> Iterable[Entry]:
        """Return the turns that a request may match, in order."""
        piles = [
            pile
            for pile in (
                self._always,
                self._roles.get(view.last_role) if self._roles else None,
                self._texts.get(view.last_text) if self._texts else None,
            )
            if pile
        ]
        return piles[0] if len(piles) == 1 else merge(*piles, key=_place)


def _place(entry: Entry) -> int:
    return entry.place


def _what(condition: Condition) -> tuple[str, str]:
    return condition.key, condition.wanted


def ordered(scenarios: Iterable[Scenario]) -> tuple[Order, ...]:
    """Return the turns of scenarios, those of a higher priority first."""
    groups: dict[int, list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault(scenario.priority, []).append(scenario)
    return tuple(
        Order([(scenario, turn) for scenario in groups[priority] for turn in scenario.turns])
        for priority in sorted(groups, reverse=True)
    )
