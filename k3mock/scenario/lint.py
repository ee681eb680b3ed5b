"""Turns loaded scenarios into warnings of what can never answer or answers by surprise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from k3mock.matching.condition import listed
from k3mock.scenario.overlap import IMPOSSIBLE, covers, facts
from k3mock.scenario.problem import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from k3mock.scenario.model import Scenario, Turn
    from k3mock.scenario.overlap import Fact, Facts

COMPARED = 400
"""In longer scenarios only equal patterns are compared, not wider with narrower ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A turn with what it asks."""

    scenario: Scenario
    turn: Turn
    facts: Facts
    key: frozenset[tuple[str, Fact]]


def lint(scenarios: Sequence[Scenario]) -> Iterator[Problem]:
    """Yield warnings and notes, scenario by scenario, then across them."""
    known = {scenario.name: list(_known(scenario)) for scenario in scenarios}
    for scenario in scenarios:
        yield from _impossible(known[scenario.name])
        yield from _unreachable(known[scenario.name])
        yield from _unoffered(scenario)
    ordered = sorted(scenarios, key=lambda each: -each.priority)
    yield from _overlapping([known[scenario.name] for scenario in ordered])


def _known(scenario: Scenario) -> Iterator[_Known]:
    for turn in scenario.turns:
        asked = facts(turn.when or {}, turn.answer.calls)
        yield _Known(scenario=scenario, turn=turn, facts=asked, key=frozenset(asked.items()))


def _impossible(turns: Iterable[_Known]) -> Iterator[Problem]:
    for each in turns:
        if IMPOSSIBLE in each.facts:
            calls = f", or with its calls of {listed(each.turn.answer.calls)}"
            yield _found(
                each.scenario, each.turn,
                f"turn {each.turn.number} can never answer: its when contradicts itself"
                f"{calls if each.turn.answer.calls else ''}",
            )  # fmt: skip


class _Taken:
    """Endless turns that go first, and who is covered by them."""

    def __init__(self, *, compared: bool) -> None:
        self._equal: dict[frozenset[tuple[str, Fact]], list[_Known]] = {}
        self._wide: list[_Known] = []
        self._compared = compared

    def add(self, each: _Known) -> None:
        """Note a turn, if it is endless."""
        if each.turn.times is None:
            self._equal.setdefault(each.key, []).append(each)
            self._wide.append(each)

    def before(
        self, each: _Known, counts: Callable[[_Known], bool] = lambda _: True
    ) -> _Known | None:
        """Return a turn that takes all that this one matches, of those that count."""
        equal = (*self._equal.get(each.key, ()), *self._equal.get(frozenset(), ()))
        wide = self._wide if self._compared else ()
        covering = (one for one in wide if covers(one.facts, each.facts))
        return next((one for one in chain(equal, covering) if counts(one)), None)


def _unreachable(turns: Sequence[_Known]) -> Iterator[Problem]:
    taken = _Taken(compared=len(turns) <= COMPARED)
    for each in turns:
        before = taken.before(each)
        if before is None:
            taken.add(each)
            continue
        yield _found(
            each.scenario, each.turn,
            f"turn {each.turn.number} can never answer: turn {before.turn.number} takes all that "
            "it matches, without limit",
        )  # fmt: skip


def _unoffered(scenario: Scenario) -> Iterator[Problem]:
    for turn in scenario.turns:
        if turn.answer.calls and "tools" not in (turn.when or {}):
            yield _found(
                scenario, turn,
                f"turn {turn.number} calls {listed(turn.answer.calls)} and answers only requests "
                "that offer it; say so with tools in when, or call it anyway with force: true",
                Severity.NOTE,
            )  # fmt: skip


def _overlapping(ordered: Sequence[Sequence[_Known]]) -> Iterator[Problem]:
    """Yield turns that an endless turn of an earlier scenario takes the requests of."""
    taken = _Taken(compared=sum(len(turns) for turns in ordered) <= COMPARED)
    everything: list[tuple[Scenario, Scenario, Turn]] = []
    tops: list[_Known] = []
    for turns in ordered:
        above = next((top for top in tops for each in turns[:1] if _rules(top, each)), None)
        if above is not None:
            yield _shadowed(turns[0], above)
            continue
        for each in turns:
            first = taken.before(each, partial(_beside, each))
            if first is not None and each.turn.when is None:
                everything.append((first.scenario, each.scenario, each.turn))
            elif first is not None:
                yield _found(
                    each.scenario, each.turn,
                    f"turn {each.turn.number} matches what turn {first.turn.number} of "
                    f"{first.scenario.name!r} takes without limit ({first.scenario.where}); pin "
                    "one of them, or give it a priority",
                )  # fmt: skip
        for each in turns:
            taken.add(each)
        tops += [each for each in turns if not each.facts and each.turn.times is None]
    yield from _crowded(everything)


def _beside(one: _Known, before: _Known) -> bool:
    """Say whether two turns compete: at one priority, a catch-all waits for all patterns."""
    return (
        one.scenario.priority == before.scenario.priority
        and (one.turn.when is None) is (before.turn.when is None)
        and _share(one.scenario, before.scenario)
    )


def _rules(top: _Known, each: _Known) -> bool:
    """Say whether a catch-all goes first at all hosts of a turn's scenario."""
    one, other = top.scenario, each.scenario
    everywhere = not one.profiles or (other.profiles and {*other.profiles} <= {*one.profiles})
    return one.priority > other.priority and bool(everywhere)


def _shadowed(each: _Known, above: _Known) -> Problem:
    return _found(
        each.scenario, each.turn,
        f"none of its turns can answer unless it is pinned: turn {above.turn.number} of "
        f"{above.scenario.name!r}, which has a higher priority ({above.scenario.where}), takes "
        "every request without limit",
    )  # fmt: skip


def _crowded(found: Sequence[tuple[Scenario, Scenario, Turn]]) -> Iterator[Problem]:
    """Yield one note where several scenarios answer every request."""
    if not found:
        return
    first, scenario, turn = found[0]
    others = ", ".join(dict.fromkeys(repr(each.name) for _, each, _ in found))
    yield _found(
        scenario, turn,
        f"like {first.name!r} ({first.where}), which goes first, these have a turn for every "
        f"request and are to be pinned: {others}",
        Severity.NOTE,
    )  # fmt: skip


def _share(one: Scenario, other: Scenario) -> bool:
    """Say whether both answer for the same host."""
    return not one.profiles or not other.profiles or bool({*one.profiles} & {*other.profiles})


def _found(
    scenario: Scenario, turn: Turn, what: str, severity: Severity = Severity.WARNING
) -> Problem:
    return Problem(
        what=f"scenario {scenario.name!r}: {what}", where=turn.where, severity=severity,
        key=f"turns.{turn.number - 1}",
    )  # fmt: skip
