"""Turns the `when` of a turn into a pattern that gives a verdict with a reason; matching layer.

A pattern is compiled once, from a mapping that was checked before, into tests that run cheapest
first; what they wanted and found is put into words only when somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import jmespath
from jmespath.exceptions import JMESPathError

from k3mock.jsonvalue import as_object
from k3mock.matching.condition import Condition, listed, shorter, shown
from k3mock.matching.message import (
    fits,
    message_tests,
    names_test,
    one_or_several,
    words,
)
from k3mock.matching.ranges import range_of
from k3mock.matching.text import KINDS, text_matcher
from k3mock.redact import names_a_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.matching.condition import MessageTest
    from k3mock.matching.view import View
    from k3mock.protocol.request import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first part of a pattern that did not hold."""

    key: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.key}: wanted {shorter(self.wanted)}, found {shorter(self.found)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a pattern matched; if not, how many of its parts held and what differed first."""

    matched: bool
    held: int
    parts: int
    difference: Difference | None = None


class Pattern:
    """A compiled `when`; one without conditions matches every request."""

    __slots__ = ("_tests", "conditions", "exact", "roles")

    def __init__(self, conditions: tuple[Condition, ...]) -> None:
        self.conditions = conditions
        self._tests = tuple(each.holds for each in sorted(conditions, key=lambda each: each.cost))
        self.roles: tuple[str, ...] | None = None
        self.exact: str | None = None

    def matches(self, view: View) -> bool:
        """Say whether all conditions hold."""
        for test in self._tests:  # noqa: SIM110 - the loop is what a thousand turns wait for
            if not test(view):
                return False
        return True

    def verdict(self, view: View) -> Verdict:
        """Look at every condition, in the order in which they were written."""
        failed = [each for each in self.conditions if not each.holds(view)]
        parts = len(self.conditions)
        if not failed:
            return Verdict(matched=True, held=parts, parts=parts)
        first = failed[0]
        return Verdict(
            matched=False, held=parts - len(failed), parts=parts,
            difference=Difference(key=first.key, wanted=first.wanted, found=first.found(view)),
        )  # fmt: skip


def compile_pattern(when: JSONObject, *more: Condition) -> Pattern:
    """Compile a checked `when`; `more` conditions are added behind it."""
    conditions = tuple(
        found for key, value in when.items() for found in _COMPILERS[key](key, value)
    )
    pattern = Pattern((*conditions, *more))
    last = as_object(when.get("last"))
    if last is not None and "role" in last:
        pattern.roles = one_or_several(last["role"])
    if last is not None and "content" in last:
        content = last["content"]
        spec = content if isinstance(content, str) else as_object(content) or {}
        pattern.exact = text_matcher(spec).literal
    return pattern


def _last(key: str, value: JSONValue) -> Iterator[Condition]:
    for test in message_tests(value):
        yield _of_last(f"{key}.{test.key}", test)


def _of_last(key: str, test: MessageTest) -> Condition:
    holds, found = test.holds, test.found
    return Condition(
        key=key, cost=test.cost, wanted=test.wanted,
        holds=lambda view: view.last is not None and holds(view.last, view),
        found=lambda view: "no message" if view.last is None else found(view.last, view),
    )  # fmt: skip


def _messages(key: str, value: JSONValue) -> Iterator[Condition]:
    for kind, spec in (as_object(value) or {}).items():
        if kind == "count":
            yield from _number(lambda view: len(view.messages), 1)(f"{key}.count", spec)
            continue
        tests = message_tests(spec)
        yield Condition(
            key=f"{key}.{kind}", cost=30, wanted=f"{_SOME[kind]} with {words(tests)}",
            holds=_over(kind, tests), found=_told,
        )  # fmt: skip


_SOME = {"any": "a message", "all": "only messages", "none": "no message"}


def _over(kind: str, tests: tuple[MessageTest, ...]) -> Callable[[View], bool]:
    if kind == "any":
        return lambda view: any(fits(tests, each, view) for each in view.messages)
    if kind == "all":
        return lambda view: all(fits(tests, each, view) for each in view.messages)
    return lambda view: not any(fits(tests, each, view) for each in view.messages)


def _told(view: View) -> str:
    """Say in a few words what messages there are."""
    latest: list[Message] = list(view.messages[-3:])
    ends = ", ".join(f"{each.role} {shown(view.text(each))[:80]}" for each in latest)
    return f"{len(view.messages)} messages, the last of them {ends}" if latest else "no messages"


def _system(key: str, value: JSONValue) -> Iterator[Condition]:
    matcher = text_matcher(value if isinstance(value, str) else as_object(value) or {},
                           bare="contains")  # fmt: skip
    yield Condition(
        key=key, cost=12, wanted=matcher.wanted,
        holds=lambda view: matcher.holds(view.system, view.memo),
        found=lambda view: shown(view.system) if view.system else "no system message",
    )  # fmt: skip


def _number(
    read: Callable[[View], int], cost: int
) -> Callable[[str, JSONValue], Iterator[Condition]]:
    def compiled(key: str, value: JSONValue) -> Iterator[Condition]:
        span = range_of(value)
        holds = span.holds
        yield Condition(
            key=key, cost=cost, wanted=str(span),
            holds=lambda view: holds(read(view)), found=lambda view: str(read(view)),
        )  # fmt: skip

    return compiled


def _word(read: Callable[[View], str]) -> Callable[[str, JSONValue], Iterator[Condition]]:
    """Compile one word, or several of which one must be there."""

    def compiled(key: str, value: JSONValue) -> Iterator[Condition]:
        accepted = one_or_several(value)
        yield Condition(
            key=key, cost=2, wanted=" or ".join(accepted),
            holds=lambda view: read(view) in accepted, found=lambda view: shown(read(view)),
        )  # fmt: skip

    return compiled


def _tools(key: str, value: JSONValue) -> Iterator[Condition]:
    test, wanted = names_test(value)
    yield Condition(
        key=key, cost=6, wanted=wanted,
        holds=lambda view: test(view.tools), found=lambda view: listed(view.tools),
    )  # fmt: skip


def _tool_choice(key: str, value: JSONValue) -> Iterator[Condition]:
    named = as_object(value)
    if named is None:
        yield from _word(lambda view: view.request.tool_choice.mode)(key, value)
        return
    yield from _word(lambda view: view.request.tool_choice.name or "")(
        f"{key}.name", named.get("name")
    )


def _stream(key: str, value: JSONValue) -> Iterator[Condition]:
    yield Condition(
        key=key, cost=1, wanted=str(value).lower(),
        holds=lambda view: view.request.stream is value,
        found=lambda view: str(view.request.stream).lower(),
    )  # fmt: skip


def _model(key: str, value: JSONValue) -> Iterator[Condition]:
    matcher = text_matcher(value if isinstance(value, str) else as_object(value) or {})
    yield Condition(
        key=key, cost=3, wanted=matcher.wanted,
        holds=lambda view: matcher.holds(view.request.model, view.memo),
        found=lambda view: shown(view.request.model),
    )  # fmt: skip


def _headers(key: str, value: JSONValue) -> Iterator[Condition]:
    for name, spec in (as_object(value) or {}).items():
        yield _header(f"{key}.{name}", name.lower(), spec)


def _header(key: str, name: str, spec: JSONValue) -> Condition:
    def found(view: View) -> str:
        text = view.asked.headers.get(name)
        if text is None:
            return "absent"
        return "a value that is not shown" if names_a_secret(name) else shown(text)

    if isinstance(spec, bool):
        return Condition(
            key=key, cost=3, wanted="present" if spec else "absent",
            holds=lambda view: (name in view.asked.headers) is spec, found=found,
        )  # fmt: skip
    matcher = text_matcher(spec if isinstance(spec, str) else as_object(spec) or {})

    def holds(view: View) -> bool:
        text = view.asked.headers.get(name)
        return text is not None and matcher.holds(text, view.memo)

    wanted = "a value that is not shown" if names_a_secret(name) else matcher.wanted
    return Condition(key=key, cost=4, wanted=wanted, holds=holds, found=found)


def _jmespath(key: str, value: JSONValue) -> Iterator[Condition]:
    given: JSONObject = {"expression": value} if isinstance(value, str) else as_object(value) or {}
    expression = str(given.get("expression"))
    compiled = jmespath.compile(expression)
    accept, wanted = _result_test({key: item for key, item in given.items() if key != "expression"})

    def holds(view: View) -> bool:
        try:
            return accept(compiled.search(view.asked.body), view)
        except (JMESPathError, TypeError, ValueError, RecursionError, OverflowError):
            return False

    def found(view: View) -> str:
        try:
            return shown(compiled.search(view.asked.body))
        except (JMESPathError, TypeError, ValueError, RecursionError, OverflowError) as error:
            return f"an error: {error}"

    yield Condition(key=key, cost=40, wanted=f"{wanted} of {expression}", holds=holds, found=found)


def _result_test(given: JSONObject) -> tuple[Callable[[JSONValue, View], bool], str]:
    """Compile what is wanted of an expression's result; nothing said wants a true value."""
    if not given:
        return (lambda result, _: _truthy(result)), "a true value"
    if "equals" in given and not isinstance(given["equals"], str):
        equal = given["equals"]
        return (lambda result, _: _same(result, equal)), f"equals {shown(equal)}"
    if not set(given) & set(KINDS):
        return (lambda result, _: _truthy(result)), "a true value"
    matcher = text_matcher(given)
    item = given.get("contains")

    def accept(result: JSONValue, view: View) -> bool:
        if isinstance(result, list):
            return item is not None and item in result
        return isinstance(result, str) and matcher.holds(result, view.memo)

    return accept, matcher.wanted


def _truthy(result: JSONValue) -> bool:
    """Say whether a result is true as JMESPath sees it: numbers always are, 0 included."""
    return result not in ("", [], {}, None) and result is not False


def _same(found: JSONValue, wanted: JSONValue) -> bool:
    return found == wanted and isinstance(found, bool) is isinstance(wanted, bool)


def _not(key: str, value: JSONValue) -> Iterator[Condition]:
    inner = compile_pattern(as_object(value) or {})

    def found(view: View) -> str:
        there = (f"{each.key} {each.found(view)}" for each in inner.conditions)
        return "; ".join(there) or "anything"

    yield Condition(
        key=key, cost=_cost(inner), wanted=f"not ({_words(inner)})",
        holds=lambda view: not inner.matches(view), found=found,
    )  # fmt: skip


def _several(key: str, value: JSONValue) -> Iterator[Condition]:
    items = value if isinstance(value, list) else []
    inner = [compile_pattern(as_object(item) or {}) for item in items]
    combine = any if key == "any_of" else all
    joint = " or " if key == "any_of" else " and "

    def found(view: View) -> str:
        verdicts = [each.verdict(view).difference for each in inner]
        return "; ".join(f"{each.key} {each.found}" for each in verdicts if each is not None)

    yield Condition(
        key=key, cost=sum(_cost(each) for each in inner),
        wanted=joint.join(f"({_words(each)})" for each in inner),
        holds=lambda view: combine(each.matches(view) for each in inner), found=found,
    )  # fmt: skip


def _cost(pattern: Pattern) -> int:
    return 1 + sum(each.cost for each in pattern.conditions)


def _words(pattern: Pattern) -> str:
    return " and ".join(f"{each.key} {each.wanted}" for each in pattern.conditions) or "anything"


_COMPILERS: Mapping[str, Callable[[str, JSONValue], Iterator[Condition]]] = {
    "last": _last,
    "messages": _messages,
    "system": _system,
    "turn": _number(lambda view: view.turn, 5),
    "tools": _tools,
    "tool_choice": _tool_choice,
    "stream": _stream,
    "model": _model,
    "profile": _word(lambda view: view.asked.profile),
    "reasoning_effort": _word(lambda view: view.request.effort),
    "response_format": _word(lambda view: view.request.response_format.kind),
    "headers": _headers,
    "prompt_tokens": _number(lambda view: view.prompt_tokens, 1000),
    "attempt": _number(lambda view: view.asked.attempt, 1),
    "jmespath": _jmespath,
    "not": _not,
    "any_of": _several,
    "all_of": _several,
}
KEYS = tuple(_COMPILERS)
