"""Turns a body into the JSON documents in it, and a stream into its texts; matching layer."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import orjson

from k3mock.jsonvalue import as_int

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.jsonvalue import JSONValue
    from k3mock.redaction.leaves import Path

_DATA = re.compile(r"(?<![^\r\n\ufeff])data: ?([^\r\n]*)")
_NEXT_LINE = re.compile(r"\r\n?|\n")
_DOCUMENT = re.compile(r"\ufeff?\s*[{\[]")


MAX_DEPTH = 100
"""Deepest nesting in which the pieces of a text are put together."""


class Document(NamedTuple):
    """A JSON document, or what stands in the place of one, and its span in the body."""

    start: int
    end: int
    text: str

    def parsed(self) -> JSONValue:
        """Return the document, None if it is not JSON."""
        try:
            value: JSONValue = orjson.loads(self.text)
        except ValueError:
            value = _read_slowly(self.text)
        return value


def _read_slowly(text: str) -> JSONValue:
    """Read what only the fast parser refuses: halves of surrogate pairs, deep nesting."""
    try:
        value: JSONValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def is_json(text: str) -> bool:
    """Say whether a body is, or begins as, one JSON document."""
    return _DOCUMENT.match(text) is not None


def documents(text: str) -> list[Document]:
    """Return a body's documents: the body itself, or the data of each event of a stream."""
    if is_json(text):
        return [Document(0, len(text), text)]
    found: list[Document] = []
    for line in _DATA.finditer(text):
        start, end = line.span(1)
        if found and _NEXT_LINE.fullmatch(text, found[-1].end, line.start()):
            first = found[-1]
            found[-1] = Document(first.start, end, f"{first.text}\n{line[1]}")
        else:
            found.append(Document(start, end, line[1]))
    return found


def is_stream(text: str) -> bool:
    """Say whether a body is a stream of events."""
    return not is_json(text) and _DATA.search(text) is not None


class Joined(NamedTuple):
    """A text that a stream sends in pieces, and where each piece ends in it."""

    place: str
    text: str
    ends: list[int]

    def spread(self, start: int, end: int) -> bool:
        """Say whether a span of the text was sent in more than one piece."""
        return bisect_right(self.ends, start) != bisect_right(self.ends, end - 1)


def joined(found: list[Document]) -> list[Joined]:
    """Return the texts that documents of a stream send in pieces, by their place in the answer."""
    pieces: defaultdict[str, list[str]] = defaultdict(list)
    for document in found:
        value = document.parsed()
        if value is None:
            pieces["data"].append(document.text)
        for place, piece in _texts(value, "", MAX_DEPTH):
            pieces[place].append(piece)
    return [
        Joined(place, "".join(parts), list(accumulate(map(len, parts))))
        for place, parts in pieces.items()
        if len(set(parts)) > 1  # what every event repeats, such as an id, is no text in pieces
    ]


def _texts(value: JSONValue, place: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value:
        yield place, value
    if not depth:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str | dict | list):
                yield from _texts(item, f"{place}.{key}" if place else key, depth - 1)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _texts(item, f"{place}[{index_of(item, at)}]", depth - 1)


def index_of(item: JSONValue, at: int) -> int:
    """Return the number under which a stream goes on about an item of an array."""
    index = as_int(item.get("index")) if isinstance(item, dict) else None
    return at if index is None else index


def place_of(path: Path, document: JSONValue) -> str:
    """Return a leaf's place in the answer as `joined` names it."""
    place = ""
    value = document
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
            place += f"[{index_of(value, step)}]"
        else:
            value = value.get(step) if isinstance(value, dict) else None
            place += f".{step}" if place else step
    return place
