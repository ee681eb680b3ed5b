"""Turns what a test says in Python into scenarios of its session, asked first; source layer.

The words are those of a file and are checked as a file is.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock.scenario.load import load_library, load_text, read
from k3mock.scenario.order import ordered
from k3mock.scenario.problem import ScenarioError, refusal
from k3mock.yamlfile import Located

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from k3mock.jsonvalue import JSONValue
    from k3mock.matching.pattern import Pattern
    from k3mock.protocol.reply import Reply
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.model import Scenario, Turn
    from k3mock.scenario.order import Order
    from k3mock.state import Session

REPLY = "k3mock.reply"
WHEN = "k3mock.when"
"""The scenarios that single replies go to; replies with a pattern go before those without."""

_FIRST = 2**31
"""The priority of single replies: they go before whole scenarios."""

_MOST_DEEP = 60


@dataclass(frozen=True, kw_only=True)
class Script:
    """What was scripted for one session; `said` is how each turn was written, by its key."""

    scenarios: tuple[Scenario, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def orders(self) -> tuple[Order, ...]:
        return ordered(self.scenarios)

    @cached_property
    def answers(self) -> bool:
        """Whether any turn was scripted: then what nothing answers is a miss."""
        return any(each.turns for each in self.scenarios)

    @cached_property
    def bending(self) -> tuple[Scenario, ...]:
        """What has no turns and bends every answer."""
        return tuple(each for each in self.scenarios if not each.turns)


class Scripts:
    """What was scripted, a session at a time; any thread may add to it."""

    def __init__(self, context: Context) -> None:
        # A test may name any file of its own; what comes over HTTP never gets here.
        self._context = replace(context, folder=Path())
        self._sessions: dict[str, Script] = {}
        self._lock = threading.Lock()

    def get(self, session: str) -> Script | None:
        """Return what was scripted for a session."""
        return self._sessions.get(session)

    def drop(self, session: str | None) -> None:
        """Forget what was scripted for one session or for all."""
        with self._lock:
            if session is None:
                self._sessions.clear()
            else:
                self._sessions.pop(session, None)

    def add_turn(
        self, session: str, turn: Mapping[str, object], said: str, answer: Reply | None = None
    ) -> None:
        """Script one turn: `when`, `reply` and `times` as in a file.

        `said` stands in messages; `answer`, if given, is what the reply says.

        Raises:
            ScenarioError: a word or value that a file could not have either.
        """
        name = WHEN if turn.get("when") else REPLY
        made = self._built({"name": name, "priority": _FIRST, "turns": [turn]}, said)
        with self._lock:
            script = self._sessions.get(session, Script())
            before = next((each for each in script.scenarios if each.name == name), None)
            number = len(before.turns) + 1 if before is not None else 1
            fresh = _numbered(made, number, answer)
            turns = (*before.turns, fresh) if before is not None else (fresh,)
            self._sessions[session] = Script(
                scenarios=_laid(script.scenarios, [replace(made, turns=turns)]),
                said={**script.said, fresh.key: said},
            )

    def add_scenarios(self, session: str, given: str | Path | Mapping[str, object]) -> None:
        """Script whole scenarios: a file, a folder, the name of a shipped one, text or a mapping.

        Raises:
            ScenarioError: there is no such file, or it has errors.
        """
        made = self._several(given)
        with self._lock:
            script = self._sessions.get(session, Script())
            self._sessions[session] = replace(script, scenarios=_laid(script.scenarios, made))

    def post(self, session: str, made: Iterable[Scenario]) -> None:
        """Script scenarios that are checked already, such as those that came over HTTP."""
        with self._lock:
            script = self._sessions.get(session, Script())
            self._sessions[session] = replace(script, scenarios=_laid(script.scenarios, made))

    def remove(self, session: str, names: Container[str]) -> None:
        """Forget some scenarios of a session."""
        with self._lock:
            script = self._sessions.pop(session, Script())
            left = tuple(each for each in script.scenarios if each.name not in names)
            if left:
                self._sessions[session] = replace(script, scenarios=left)

    def pattern(self, when: Mapping[str, object], said: str) -> Pattern:
        """Compile a pattern.

        Raises:
            ScenarioError: a word or value that a file could not have either.
        """
        content = {"name": WHEN, "turns": [{"when": when, "reply": ""}]}
        return self._built(content, said).turns[0].pattern

    def _several(self, given: str | Path | Mapping[str, object]) -> tuple[Scenario, ...]:
        if isinstance(given, Mapping):
            named = given if "name" in given or "scenarios" in given else {"name": "test", **given}
            return self._all(named, "k3mock.scenario(…)")
        if isinstance(given, str) and "\n" in given:
            library = load_text(given.encode("utf-8", "surrogatepass"), "k3mock.scenario(…)",
                                self._context)  # fmt: skip
        else:
            library = load_library([str(given)], self._context)
        wrong = refusal(library.problems)
        if wrong is not None:
            raise wrong
        return library.scenarios

    def _built(self, content: Mapping[str, object], said: str) -> Scenario:
        return self._all(content, said)[0]

    def _all(self, content: Mapping[str, object], said: str) -> tuple[Scenario, ...]:
        file = _Said(said, as_json(content, said), {})
        found, problems = read(file, self._context, stem=None)
        wrong = refusal(problems)
        if wrong is not None:
            raise wrong
        return tuple(found)


class _Said(Located):
    """What a program says has no lines."""

    __slots__ = ()

    def where(self, *_place: str | int) -> str:
        return self.name


def as_json(value: object, said: str, depth: int = 0) -> JSONValue:
    """Return a Python value as JSON, tuples as lists.

    Raises:
        ScenarioError: JSON has no such value.
    """
    if depth > _MOST_DEEP:
        raise ScenarioError("nested too deeply", where=said, accepted=f"{_MOST_DEEP} levels")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {_key(key, said): as_json(item, said, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item, said, depth + 1) for item in value]
    raise ScenarioError("a value that JSON does not have", where=said,
                        found=f"{type(value).__name__}: {value!r}"[:120],
                        accepted="texts, numbers, booleans, None, lists and mappings")  # fmt: skip


def _key(key: object, said: str) -> str:
    if not isinstance(key, str):
        raise ScenarioError("a key must be text", where=said, found=repr(key)[:60])
    return key


def _laid(before: Iterable[Scenario], fresh: Iterable[Scenario]) -> tuple[Scenario, ...]:
    """Lay scenarios over those of the same names."""
    return tuple({each.name: each for each in (*before, *fresh)}.values())


def _numbered(made: Scenario, number: int, answer: Reply | None) -> Turn:
    """Return the one turn of a scenario as the next of those that were scripted before."""
    label = f"{made.label}#{number}"
    turn = replace(made.turns[0], number=number, label=label, key=label)
    if answer is None:
        return turn
    return replace(turn, answer=replace(turn.answer, make=lambda _: answer))


def unused(script: Script, session: Session) -> Iterator[str]:
    """Yield in words what was scripted and never needed.

    Single replies are wanted as often as they were scripted, of a whole scenario any turn will do.
    """
    for scenario in script.scenarios:
        if scenario.name not in {REPLY, WHEN}:
            if scenario.turns and not any(session.used(turn.key) for turn in scenario.turns):
                yield f"k3mock.scenario(…): no turn of {scenario.name!r} answered anything"
            continue
        for turn in scenario.turns:
            used = session.used(turn.key)
            if used < (turn.times or 1):
                many = "once" if turn.times in {None, 1} else f"{turn.times} times"
                yield f"{script.said[turn.key]}: wanted {many}, used {_times(used)}"


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")
