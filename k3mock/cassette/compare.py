"""Turns two recordings of one exchange into graded changes; source layer.

A stream is compared by its shape (which keys occur, with which types and values) and by its joined
words, because the number of its chunks means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.cassette.answer import compact, header, joined, json_of
from k3mock.cassette.grade import Change, Grade, short, text_change
from k3mock.cassette.interaction import End
from k3mock.cassette.tree import tree_changes
from k3mock.jsonvalue import JSONValue, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from k3mock.cassette.answer import Answer
    from k3mock.cassette.interaction import Interaction


_WORDS = frozenset({"content", "reasoning_content", "reasoning", "text", "summary", "arguments"})
"""Keys of an answer whose text is the model's; they are compared joined."""

_VOLATILE = frozenset({"id", "created", "system_fingerprint", "name", "index", "request_id"})
"""Keys of an answer whose value is another one each time, or follows the model's words."""

_COUNTED = "prompt_tokens"
"""The one number of `usage` that does not follow the words of the answer."""


@dataclass(slots=True)
class _Seen:
    types: set[str]
    values: set[str]


def changes(before: Interaction, after: Interaction) -> list[Change]:
    """Compare two exchanges, requests first."""
    return [*_requests(before, after), *answer_changes(before, after)]


def answer_changes(before: Interaction, after: Interaction) -> list[Change]:
    """Compare the answers alone."""
    found = [*_head(before, after)]
    if any(change.grade is Grade.STATUS for change in found):
        return found
    if before.response == after.response:
        return found
    one, other = joined(before.response), joined(after.response)
    if one.stream is not other.stream:
        kinds = {True: "event stream", False: "one body"}
        found.append(Change(grade=Grade.TYPE, place="answer", before=kinds[one.stream],
                            after=kinds[other.stream]))  # fmt: skip
    elif before.whole and after.whole:
        found += _shapes(_shape(one.parts), _shape(other.parts))
        found += _frames(one, other)
    found += _said(one, other)
    return found


def _head(before: Interaction, after: Interaction) -> Iterator[Change]:
    """Compare status, end and the headers that mean something."""
    was, now = before.response, after.response
    if was.status != now.status:
        yield Change(grade=Grade.STATUS, place="answer.status", before=str(was.status),
                     after=str(now.status))  # fmt: skip
    ends = [End.COMPLETE if each.timing is None else each.timing.end for each in (before, after)]
    if ends[0] != ends[1] and End.CLIENT_DISCONNECT not in ends:
        yield Change(grade=Grade.STATUS, place="answer.end", before=ends[0], after=ends[1])
    for name in ("content-type", "retry-after"):
        one, other = header(was.headers, name), header(now.headers, name)
        place = f"answer.headers.{name}"
        if bool(one) is not bool(other):
            grade = Grade.REMOVED if one else Grade.ADDED
            yield Change(grade=grade, place=place, before=one, after=other)
        elif name == "content-type" and _media_type(one) != _media_type(other):
            yield Change(grade=Grade.VALUE, place=place, before=one, after=other)


def _media_type(text: str) -> str:
    return text.replace(" ", "").lower()


def _shape(parts: Iterable[JSONValue]) -> dict[str, _Seen]:
    """Return the places of all parts together, items of a list being one place."""
    seen: dict[str, _Seen] = {}
    for part in parts:
        _walk(part, "answer", seen)
    return seen


def _walk(value: JSONValue, place: str, seen: dict[str, _Seen]) -> None:
    found = seen.setdefault(place, _Seen(set(), set()))
    found.types.add(type_name(value))
    if isinstance(value, dict):
        for key, item in value.items():
            _walk(item, f"{place}.{key}", seen)
    elif isinstance(value, list):
        for item in value:
            _walk(item, f"{place}[]", seen)
    elif value is not None and not _varies(place):
        found.values.add(compact(value))


def _varies(place: str) -> bool:
    key = place.rpartition(".")[2].removesuffix("[]")
    in_usage = ".usage." in place or "_tokens" in key
    return key in _WORDS or key in _VOLATILE or (in_usage and key != _COUNTED)


def _shapes(one: Mapping[str, _Seen], other: Mapping[str, _Seen]) -> Iterator[Change]:
    gone: list[str] = []
    for place in dict.fromkeys((*one, *other)):
        if any(place.startswith((f"{each}.", f"{each}[")) for each in gone):
            continue
        was, now = one.get(place), other.get(place)
        if was is None or now is None:
            gone.append(place)
            grade = Grade.ADDED if was is None else Grade.REMOVED
            yield Change(grade=grade, place=place, before=_kinds(was), after=_kinds(now))
        elif was.types != now.types:
            yield Change(grade=Grade.TYPE, place=place, before=_kinds(was), after=_kinds(now))
        elif was.values != now.values:
            yield Change(grade=Grade.VALUE, place=place, before=_values(was), after=_values(now))


def _kinds(seen: _Seen | None) -> str:
    return "" if seen is None else " or ".join(sorted(seen.types))


def _values(seen: _Seen) -> str:
    return short(", ".join(sorted(seen.values)))


def _frames(one: Answer, other: Answer) -> Iterator[Change]:
    """Compare what stands in a body beside its JSON."""
    if one.done is not other.done:
        yield Change(grade=Grade.REMOVED if one.done else Grade.ADDED, place="answer.[DONE]",
                     before="there" * one.done, after="there" * other.done)  # fmt: skip
    if bool(one.raw) is not bool(other.raw):
        grade = Grade.REMOVED if one.raw else Grade.ADDED
        yield Change(grade=grade, place="answer.other", before=short("\n".join(one.raw)),
                     after=short("\n".join(other.raw)))  # fmt: skip
    else:
        was, now = "\n".join(one.raw), "\n".join(other.raw)
        yield from text_change("answer.other", was, now, Grade.VALUE)


def _said(one: Answer, other: Answer) -> Iterator[Change]:
    """Compare the model's words."""
    yield from text_change("answer.reasoning", one.reasoning, other.reasoning, Grade.WORDS)
    yield from text_change("answer.content", one.content, other.content, Grade.WORDS)
    yield from text_change("answer.tool_calls", _calls(one), _calls(other), Grade.WORDS)


def _calls(answer: Answer) -> str:
    return ", ".join(f"{call.name}({call.arguments})" for call in answer.calls)


def _requests(before: Interaction, after: Interaction) -> Iterator[Change]:
    if before.request.body == after.request.body:
        return
    was, now = json_of(before.request.body), json_of(after.request.body)
    if was is None or now is None:
        yield Change(grade=Grade.VALUE, place="request", before="a body that is no JSON",
                     after="another one")  # fmt: skip
        return
    yield from tree_changes(was, now, "request", Grade.VALUE)
