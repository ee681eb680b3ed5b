"""Turns two request bodies into graded changes; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.cassette.answer import compact
from k3mock.cassette.grade import Change, Grade, text_change
from k3mock.jsonvalue import JSONObject, JSONValue, type_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_IDS = frozenset({"id", "tool_call_id"})
"""Keys of a history whose value the model or its host made up."""


def tree_changes(was: JSONValue, now: JSONValue, place: str, grade: Grade) -> Iterator[Change]:
    """Compare JSON; what the model said in a history counts as its words."""
    if isinstance(was, dict) and isinstance(now, dict):
        yield from _objects(was, now, place, grade)
    elif isinstance(was, list) and isinstance(now, list):
        yield from _lists(was, now, place, grade)
    elif type_name(was) != type_name(now):
        yield Change(grade=Grade.TYPE, place=place, before=type_name(was), after=type_name(now))
    elif isinstance(was, str) and isinstance(now, str):
        yield from text_change(place, was, now, grade)
    elif was != now:
        yield Change(grade=grade, place=place, before=compact(was), after=compact(now))


def _objects(was: JSONObject, now: JSONObject, place: str, grade: Grade) -> Iterator[Change]:
    if was.get("role") == now.get("role") == "assistant":
        grade = Grade.WORDS
    for key in dict.fromkeys((*was, *now)):
        here = f"{place}.{key}"
        if key in was and key in now:
            inner = Grade.WORDS if key in _IDS else grade
            yield from tree_changes(was[key], now[key], here, inner)
        else:
            yield _one_sided(was.get(key, now.get(key)), here, gone=key in was)


def _lists(
    was: list[JSONValue], now: list[JSONValue], place: str, grade: Grade
) -> Iterator[Change]:
    for number, (one, other) in enumerate(zip(was, now, strict=False)):
        yield from tree_changes(one, other, f"{place}[{number}]", grade)
    longer = was if len(was) > len(now) else now
    for number in range(min(len(was), len(now)), len(longer)):
        yield _one_sided(longer[number], f"{place}[{number}]", gone=longer is was)


def _one_sided(value: JSONValue, place: str, *, gone: bool) -> Change:
    shown = type_name(value)
    if gone:
        return Change(grade=Grade.REMOVED, place=place, before=shown)
    return Change(grade=Grade.ADDED, place=place, after=shown)
