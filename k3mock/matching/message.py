"""Turns the pattern of a message into tests; matching layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from k3mock.jsonvalue import as_list, as_object
from k3mock.matching.condition import MessageTest, listed, shown
from k3mock.matching.ranges import range_of
from k3mock.matching.text import text_matcher
from k3mock.matching.view import View, kinds

NamesTest: TypeAlias = "Callable[[Collection[str]], bool]"

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.request import Message


def message_tests(spec: JSONValue) -> tuple[MessageTest, ...]:
    """Compile a message pattern; a bare text is one that the message's text contains."""
    given: JSONObject = (
        {"content": {"contains": spec}} if isinstance(spec, str) else as_object(spec) or {}
    )
    return tuple(_COMPILERS[key](key, value) for key, value in given.items())


def fits(tests: tuple[MessageTest, ...], message: Message, view: View) -> bool:
    """Say whether a message passes all tests."""
    return all(test.holds(message, view) for test in tests)


def words(tests: tuple[MessageTest, ...]) -> str:
    """Say what the tests want together."""
    return " and ".join(f"{test.key} {test.wanted}" for test in tests) or "any message"


def one_or_several(value: JSONValue) -> tuple[str, ...]:
    """Return the texts of a text or a list of texts."""
    return tuple(str(item) for item in as_list(value) or [value])


def _role(key: str, value: JSONValue) -> MessageTest:
    roles = one_or_several(value)
    return MessageTest(
        key=key, cost=1, wanted=" or ".join(roles),
        holds=lambda message, _: message.role in roles,
        found=lambda message, _: message.role or "no role",
    )  # fmt: skip


def _content(key: str, value: JSONValue) -> MessageTest:
    matcher = text_matcher(value if isinstance(value, str) else as_object(value) or {})
    holds = matcher.holds
    return MessageTest(
        key=key, cost=10, wanted=matcher.wanted,
        holds=lambda message, view: holds(view.text(message), view.memo),
        found=lambda message, view: shown(view.text(message)),
    )  # fmt: skip


def _optional(read: Callable[[Message], str | None]) -> Callable[[str, JSONValue], MessageTest]:
    """Compile a matcher of a text that may be absent; true and false ask whether it is there."""

    def compiled(key: str, value: JSONValue) -> MessageTest:
        if isinstance(value, bool):
            return MessageTest(
                key=key, cost=2, wanted="present" if value else "absent",
                holds=lambda message, _: (read(message) is not None) is value,
                found=lambda message, _: "absent" if read(message) is None else "present",
            )  # fmt: skip
        matcher = text_matcher(value if isinstance(value, str) else as_object(value) or {})

        def holds(message: Message, view: View) -> bool:
            text = read(message)
            return text is not None and matcher.holds(text, view.memo)

        def found(message: Message, _: View) -> str:
            text = read(message)
            return "absent" if text is None else shown(text)

        return MessageTest(key=key, cost=5, wanted=matcher.wanted, holds=holds, found=found)

    return compiled


def _partial(key: str, value: JSONValue) -> MessageTest:
    return MessageTest(
        key=key, cost=1, wanted=str(value).lower(),
        holds=lambda message, _: message.partial is value,
        found=lambda message, _: str(message.partial).lower(),
    )  # fmt: skip


def names_test(spec: JSONValue) -> tuple[NamesTest, str]:
    """Compile what is wanted of a set of names: a list that must be in it, or a mapping."""
    if isinstance(spec, bool):
        return _any_at_all(wanted=spec)
    given: JSONObject = spec if isinstance(spec, dict) else {"all": spec}
    compiled = [_NAMES[key](value) for key, value in given.items()]
    if len(compiled) == 1:
        return compiled[0]
    tests = [test for test, _ in compiled]
    return (lambda have: all(test(have) for test in tests)), " and ".join(
        wanted for _, wanted in compiled
    )


def _any_at_all(*, wanted: bool) -> tuple[NamesTest, str]:
    return (lambda have: bool(have) is wanted), "some" if wanted else "none"


def _all_of(value: JSONValue) -> tuple[NamesTest, str]:
    names = one_or_several(value)
    if len(names) == 1:
        (only,) = names
        return (lambda have: only in have), listed(names)
    return (lambda have: all(name in have for name in names)), listed(names)


def _any_of(value: JSONValue) -> tuple[NamesTest, str]:
    names = one_or_several(value)
    return (lambda have: any(name in have for name in names)), f"one of {listed(names)}"


def _none_of(value: JSONValue) -> tuple[NamesTest, str]:
    if isinstance(value, bool):
        return _any_at_all(wanted=not value)
    names = one_or_several(value)
    return (lambda have: not any(name in have for name in names)), f"none of {listed(names)}"


def _count(value: JSONValue) -> tuple[NamesTest, str]:
    span = range_of(value)
    return (lambda have: span.holds(len(have))), f"{span} of them"


_NAMES: Mapping[str, Callable[[JSONValue], tuple[NamesTest, str]]] = {
    "all": _all_of,
    "any": _any_of,
    "none": _none_of,
    "count": _count,
}


def _names(read: Callable[[Message], tuple[str, ...]]) -> Callable[[str, JSONValue], MessageTest]:
    def compiled(key: str, value: JSONValue) -> MessageTest:
        test, wanted = names_test(value)
        return MessageTest(
            key=key, cost=4, wanted=wanted,
            holds=lambda message, _: test(read(message)),
            found=lambda message, _: listed(read(message)),
        )  # fmt: skip

    return compiled


_COMPILERS: Mapping[str, Callable[[str, JSONValue], MessageTest]] = {
    "role": _role,
    "content": _content,
    "name": _optional(lambda message: message.name),
    "tool_call_id": _optional(lambda message: message.tool_call_id),
    "reasoning": _optional(lambda message: message.reasoning),
    "tool_calls": _names(lambda message: tuple(call.name for call in message.tool_calls)),
    "parts": _names(kinds),
    "partial": _partial,
}
KEYS = tuple(_COMPILERS)
