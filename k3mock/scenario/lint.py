"""Turns loaded scenarios into warnings of what can never answer or answers by surprise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from k3mock.jsonvalue import as_object
from k3mock.matching.condition import listed
from k3mock.scenario.model import plain_when
from k3mock.scenario.problem import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from k3mock.jsonvalue import JSONObject
    from k3mock.scenario.model import Scenario, Turn

COMPARED = 400
"""In longer scenarios only equal patterns are compared, not wider with narrower ones."""


def lint(scenarios: Sequence[Scenario]) -> Iterator[Problem]:
    """Yield warnings and notes, scenario by scenario, then across them."""
    for scenario in scenarios:
        yield from _unreachable(scenario)
        yield from _unoffered(scenario)
    yield from _overlapping(scenarios)


def _unreachable(scenario: Scenario) -> Iterator[Problem]:
    endless: dict[bytes, Turn] = {}
    wide: list[Turn] = []
    for turn in scenario.turns:
        key = _key(turn)
        before = endless.get(key) or endless.get(_CATCH_ALL)
        if before is None and len(scenario.turns) <= COMPARED:
            before = next((each for each in wide if _covers(each, turn)), None)
        if before is not None:
            yield _found(
                scenario, turn,
                f"turn {turn.number} can never answer: turn {before.number} takes all that it "
                "matches, without limit",
            )  # fmt: skip
        elif turn.times is None and not turn.answer.calls:
            endless[key] = turn
            wide.append(turn)


def _unoffered(scenario: Scenario) -> Iterator[Problem]:
    for turn in scenario.turns:
        if turn.answer.calls and "tools" not in (turn.when or {}):
            yield _found(
                scenario, turn,
                f"turn {turn.number} calls {listed(turn.answer.calls)} and answers only requests "
                "that offer it; say so with tools in when, or call it anyway with force: true",
                Severity.NOTE,
            )  # fmt: skip


def _overlapping(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    """Yield turns that an endless turn of an earlier scenario takes the requests of."""
    taken: dict[tuple[int, bytes], tuple[Scenario, Turn]] = {}
    everything: list[tuple[Scenario, Scenario, Turn]] = []
    for scenario in sorted(scenarios, key=lambda each: -each.priority):
        own: dict[tuple[int, bytes], tuple[Scenario, Turn]] = {}
        for turn in scenario.turns:
            key = (scenario.priority, _key(turn))
            first, before = taken.get(key, (None, None))
            if first is None or before is None or not _share(first, scenario):
                if turn.times is None and not turn.answer.calls:
                    own.setdefault(key, (scenario, turn))
            elif turn.when is None:
                everything.append((first, scenario, turn))
            else:
                yield _found(
                    scenario, turn,
                    f"turn {turn.number} matches what turn {before.number} of {first.name!r} "
                    f"takes without limit ({first.where}); pin one of them, or give it a priority",
                )  # fmt: skip
        taken |= {key: value for key, value in own.items() if key not in taken}
    yield from _crowded(everything)


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


def _key(turn: Turn) -> bytes:
    return json.dumps(plain_when(turn), sort_keys=True).encode()


_CATCH_ALL = b"{}"


def _covers(wide: Turn, narrow: Turn) -> bool:
    return _within(wide.when or {}, narrow.when or {})


def _within(wide: JSONObject, narrow: JSONObject) -> bool:
    """Say whether all that `wide` asks is asked by `narrow`, too; keys of a pattern are joined."""
    for key, value in wide.items():
        if key not in narrow:
            return False
        inner, other = as_object(value), as_object(narrow[key])
        if value != narrow[key] and not (
            key == "last" and inner is not None and other is not None and _within(inner, other)
        ):
            return False
    return True
