"""Turns patterns into facts that can be compared: which requests one takes from another.

However a pattern is spelled, its facts are the same; one covers another when each of its facts
follows from those of the other. What cannot be shown to follow is taken not to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from k3mock.jsonvalue import as_object
from k3mock.matching.message import one_or_several
from k3mock.matching.ranges import Range, range_of
from k3mock.matching.text import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue


@dataclass(frozen=True, slots=True)
class Texts:
    """What is wanted of a text, as (kind, text), and how it is read before."""

    tests: frozenset[tuple[str, str]]
    how: str = ""


Fact: TypeAlias = "Range | Texts | frozenset[str] | str | bool"
Facts: TypeAlias = "Mapping[str, Fact]"
_Found: TypeAlias = "Iterator[tuple[str, Fact]]"

IMPOSSIBLE = "impossible"
"""The fact of a pattern that no request can match."""


def facts(when: JSONObject, calls: tuple[str, ...] = ()) -> Facts:
    """Return what a pattern asks; an answer's calls ask for tools of their names."""
    found: dict[str, Fact] = {
        place: fact
        for key, value in when.items()
        for place, fact in _READERS.get(key, _as_written)(key, value)
    }
    if calls:
        found["tools.all"] = _names(found, "tools.all") | {*calls}
    if _impossible(found):
        found[IMPOSSIBLE] = True
    return found


def covers(wide: Facts, narrow: Facts) -> bool:
    """Say whether every request that has the narrow facts has the wide ones."""
    return all(_follows(place, fact, narrow) for place, fact in wide.items())


def _names(found: Facts, place: str) -> frozenset[str]:
    fact = found.get(place)
    return fact if isinstance(fact, frozenset) else frozenset()


def _impossible(found: Facts) -> bool:
    offered = _names(found, "tools.all")
    count = found.get("tools.count")
    most = max(count.members or (0,)) if isinstance(count, Range) and count.members else (
        count.high if isinstance(count, Range) else None
    )  # fmt: skip
    few = most is not None and most < len(offered)
    return few or bool(offered & _names(found, "tools.none")) or found.get("not") == "[]"


def _follows(place: str, fact: Fact, narrow: Facts) -> bool:
    known = narrow.get(place)
    if known == fact:
        return True
    match fact:
        case Range():
            if place == "tools.count" and known is None:
                known = Range(low=len(_names(narrow, "tools.all")))
            return isinstance(known, Range) and _inside(known, fact)
        case Texts():
            return isinstance(known, Texts) and _text_follows(fact, known)
        case frozenset():
            return _names_follow(place, fact, narrow)
        case bool():
            return fact and isinstance(known, Texts)
        case _:
            return False


def _inside(inner: Range, outer: Range) -> bool:
    if inner.members is not None:
        return all(outer.holds(number) for number in inner.members)
    if outer.members is not None or inner.high is None:
        return outer.members is None and outer.high is None and outer.low <= inner.low
    return outer.holds(inner.low) and outer.holds(inner.high)


def _text_follows(wide: Texts, narrow: Texts) -> bool:
    if wide.how != narrow.how:
        return False
    return all(any(_implies(test, known) for known in narrow.tests) for test in wide.tests)


def _implies(wanted: tuple[str, str], known: tuple[str, str]) -> bool:
    """Say whether a text that passes the known test passes the wanted one."""
    (kind, text), (sort, there) = wanted, known
    match kind:
        case "contains":
            return sort in {"equals", "contains", "starts_with"} and text in there
        case "starts_with":
            return sort in {"equals", "starts_with"} and there.startswith(text)
        case _:
            return wanted == known


def _names_follow(place: str, fact: frozenset[str], narrow: Facts) -> bool:
    base, _, kind = place.rpartition(".")
    known = _names(narrow, place)
    if kind in {"all", "none"}:
        return fact <= known
    sure = _names(narrow, f"{base}.all") if kind == "any" else frozenset()
    return bool(sure & fact) or (bool(known) and known <= fact)


def _as_written(key: str, value: JSONValue) -> _Found:
    yield key, json.dumps(value, sort_keys=True)


def _range(key: str, value: JSONValue) -> _Found:
    span = range_of(value)
    if span.members is not None and len(span.members) == 1:
        (only,) = span.members
        span = Range(low=only, high=only)
    yield key, span


def _words(key: str, value: JSONValue) -> _Found:
    yield key, (frozenset(one_or_several(value)) if isinstance(value, str | list)
                else json.dumps(value, sort_keys=True))  # fmt: skip


def _text(bare: str) -> Callable[[str, JSONValue], _Found]:
    def read(key: str, value: JSONValue) -> _Found:
        if isinstance(value, bool):
            yield key, value
            return
        given = {bare: value} if isinstance(value, str) else as_object(value) or {}
        names = given.get("normalise")
        how = [given.get("ignore_case") is True, sorted(one_or_several(names)) if names else []]
        tests = frozenset((kind, str(given[kind])) for kind in KINDS if kind in given)
        yield key, Texts(tests, "" if how == [False, []] else json.dumps(how))

    return read


def _listed(key: str, value: JSONValue) -> _Found:
    """Read what is wanted of a set of names."""
    if isinstance(value, bool):
        yield f"{key}.count", Range(low=1) if value else Range(high=0)
        return
    given = as_object(value) or {"all": value}
    for kind, item in given.items():
        if kind == "count":
            yield from _range(f"{key}.count", item)
        elif isinstance(item, bool):
            yield f"{key}.count", Range(high=0) if item else Range(low=1)
        else:
            yield f"{key}.{kind}", frozenset(one_or_several(item))


def _message(key: str, value: JSONValue) -> _Found:
    given: JSONObject = (
        {"content": {"contains": value}} if isinstance(value, str) else as_object(value) or {}
    )
    for name, item in given.items():
        yield from _OF_MESSAGES.get(name, _as_written)(f"{key}.{name}", item)


def _messages(key: str, value: JSONValue) -> _Found:
    for kind, item in (as_object(value) or {}).items():
        if kind == "count":
            yield from _range(f"{key}.count", item)
        else:
            yield f"{key}.{kind}", _canonical(dict(_message("", item)))


def _headers(key: str, value: JSONValue) -> _Found:
    for name, item in (as_object(value) or {}).items():
        yield from _text("equals")(f"{key}.{name.lower()}", item)


def _inner(key: str, value: JSONValue) -> _Found:
    items = value if isinstance(value, list) else [value]
    told = sorted(_canonical(facts(as_object(item) or {})) for item in items)
    yield key, "".join(told)


def _canonical(found: Facts) -> str:
    told = sorted((place, sorted(fact) if isinstance(fact, frozenset) else
                   (sorted(fact.tests), fact.how) if isinstance(fact, Texts) else str(fact))
                  for place, fact in found.items())  # fmt: skip
    return json.dumps(told)


_OF_MESSAGES: Mapping[str, Callable[[str, JSONValue], _Found]] = {
    "role": _words,
    "content": _text("equals"),
    "name": _text("equals"),
    "tool_call_id": _text("equals"),
    "reasoning": _text("equals"),
    "tool_calls": _listed,
    "parts": _listed,
}
_READERS: Mapping[str, Callable[[str, JSONValue], _Found]] = {
    "last": _message,
    "messages": _messages,
    "system": _text("contains"),
    "turn": _range,
    "tools": _listed,
    "tool_choice": _words,
    "model": _text("equals"),
    "profile": _words,
    "reasoning_effort": _words,
    "response_format": _words,
    "headers": _headers,
    "prompt_tokens": _range,
    "attempt": _range,
    "not": _inner,
    "any_of": _inner,
    "all_of": _inner,
}
