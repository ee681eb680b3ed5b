"""Turns a profile's rules into the few that one request has to be held against; rules layer.

Which rules hold is worked out once. Of those, most need a field that a request does not have; and
messages of one shape pass or break the rules about shapes all together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.subject import Stage
from k3mock.contract.rule import Violation
from k3mock.past import Past, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from k3mock.contract.checks.subject import Check, Subject
    from k3mock.contract.rule import Effect, Rule
    from k3mock.jsonvalue import JSONValue

_MOST = 1000
"""So many sets of fields, and shapes of messages, are remembered."""

_LONG_NAMES = 400
"""A message whose fields have longer names is looked at anew each time."""

_PLAIN = ["role", "content"]
_ROLES = ("user", "assistant", "system", "tool")

_FACTS: Step[frozenset[str]] = Step("facts")

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _Planned:
    """A rule that holds, what a violation of it does, and its check."""

    rule: Rule
    effect: Effect
    check: Check

    def needs(self) -> frozenset[str] | None:
        return None if self.check.needs is None else frozenset(self.check.needs(self.rule))

    def look(self, subject: Subject) -> Iterator[Violation]:
        if self.rule.models and subject.request.model not in self.rule.models:
            return
        for finding in self.check.look(subject, self.rule):
            yield Violation(self.rule.refuse(finding.path, **finding.values), self.effect)


@dataclass(frozen=True, slots=True)
class _Block:
    """Rules about messages that stand together; `left` are, by shape, those that must look."""

    rules: tuple[_Planned, ...]
    step: Step[Violation]
    of_session: bool
    left: dict[Hashable, tuple[_Planned, ...]] = field(default_factory=dict)


_Step: TypeAlias = "_Planned | _Block"


class Plan:
    """Rules in the order in which they are checked."""

    def __init__(self, rules: Iterable[tuple[Rule, Effect]], name: str = "own") -> None:
        self._name = name
        self._steps: list[_Step] = []
        self._wanted: dict[frozenset[str], tuple[_Step, ...]] = {}
        block: list[_Planned] = []
        for rule, effect in rules:
            check = CHECKS[rule.check]
            planned = _Planned(rule, effect, check)
            if check.stage is Stage.MESSAGE:
                block.append(planned)
            elif check.stage is Stage.BODY:
                self._close(block)
                self._steps.append(planned)
                block = []
        self._close(block)
        needed = (step.needs() or () for step in self._steps if isinstance(step, _Planned))
        self._named = frozenset(name for names in needed for name in names)

    def _close(self, block: list[_Planned]) -> None:
        if block:
            # Whose rules they are belongs to the name: those of a gateway and of its engine differ.
            step: Step[Violation] = Step(f"{self._name}.{len(self._steps)}")
            of_session = any(planned.check.of_session for planned in block)
            self._steps.append(_Block(tuple(block), step, of_session))

    @property
    def remembered(self) -> int:
        """How many sets of fields and shapes of messages are remembered."""
        blocks = (step.left for step in self._steps if isinstance(step, _Block))
        return len(self._wanted) + sum(map(len, blocks))

    def violations(self, subject: Subject) -> Iterator[Violation]:
        """Yield what the rules find, lazily and in order; messages one by one."""
        for step in self._for(_facts(subject)):
            if isinstance(step, _Planned):
                yield from step.look(subject)
            else:
                yield from _of_messages(step, subject)

    def _for(self, facts: frozenset[str]) -> tuple[_Step, ...]:
        """Return the steps that may find something where there are these fields."""
        facts &= self._named
        steps = self._wanted.get(facts)
        if steps is None:
            steps = tuple(
                step
                for step in self._steps
                if isinstance(step, _Block) or (needs := step.needs()) is None or needs & facts
            )
            _remember(self._wanted, facts, steps)
        return steps


def _of_messages(block: _Block, subject: Subject) -> Iterator[Violation]:
    past = Past() if block.of_session else subject.past
    found = block.step.found(past, subject.request.model)
    for _, violation in found.items:
        yield violation
    messages = subject.messages
    for position in range(found.upto, len(messages)):
        shape = _shape(messages[position])
        rules = block.rules if shape is None else block.left.get(shape)
        if rules is None:
            rules = _left(block, subject.at(position))
            _remember(block.left, shape, rules)
        if rules:
            at = subject.at(position)
            for planned in rules:
                for violation in planned.look(at):
                    found.items.append((position, violation))
                    yield violation
        found.upto = position + 1


def _left(block: _Block, subject: Subject) -> tuple[_Planned, ...]:
    """Return the rules that must look at each message of the shape of this one."""
    message = subject.message
    facts = {*message, f"role.{message.get('role')}"}
    if isinstance(message.get("content"), list):
        facts.add("content.parts")
    kept: list[_Planned] = []
    for planned in block.rules:
        if planned.check.by_shape:
            clean = next(iter(planned.check.look(subject, planned.rule)), None) is None
        else:
            needs = planned.needs()
            clean = needs is not None and not needs & facts
        if not clean:
            kept.append(planned)
    return tuple(kept)


def _shape(message: JSONValue) -> Hashable:
    """Return a message's role, fields, their types and which are empty; None if it has no role."""
    if not isinstance(message, dict):
        return None
    role, content = message.get("role"), message.get("content")
    if isinstance(content, str) and role in _ROLES and [*message] == _PLAIN:
        return role, content != ""
    if not isinstance(role, str) or len(role) + sum(map(len, message)) > _LONG_NAMES:
        return None
    values = message.values()
    return (role, *message, *map(type, values), *map(bool, values))


def _facts(subject: Subject) -> frozenset[str]:
    """Return the fields of a body and, as `messages.NAME`, of its messages."""
    messages = subject.messages
    lane = _FACTS.lane(subject.past)
    fields = lane[-1] if lane else frozenset()
    for position in range(len(lane), len(messages)):
        message = messages[position]
        if isinstance(message, dict) and not message.keys() <= fields:
            fields = fields.union(message)
        lane.append(fields)
    return frozenset((*subject.body, *(f"messages.{name}" for name in fields)))


def _remember(memory: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    if len(memory) >= _MOST:
        memory.clear()
    memory[key] = value


@dataclass(slots=True)
class Prepared:
    """What is worked out of a profile once, by name."""

    kept: dict[str, object] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], _Value]) -> _Value:
        """Return what `make` makes of the profile, made on first use."""
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]  # type: ignore[return-value]  # what `make` makes, by its name
