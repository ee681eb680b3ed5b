"""Turns JSON text into its keys, strings and other values with their places; matching layer.

Reading is lenient, so that a document that was cut off is edited as well, and sees all of several
equal keys, where a parser would show the last.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = "tuple[str | int, ...]"

_TOKEN = re.compile(
    r'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*:)?|\\?\Z)'
    r"|([{\[])|([}\]])|(,)|([^\s\"{}\[\],:]+)",
    re.DOTALL,
)
_STRING, _KEY, _OPEN, _CLOSE, _COMMA = 1, 2, 3, 4, 5


class Leaf(NamedTuple):
    """A key, a string or another value; the span of a string is what stands between its quotes."""

    path: Path
    start: int
    end: int
    raw: str
    string: bool = True
    key: bool = False

    @property
    def value(self) -> str:
        """The string without its escapes."""
        return unescape(self.raw)


def leaves(text: str, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
    """Yield the leaves of a document that stands in a span of a text, in order.

    A key's path is that of its value.
    """
    stack: list[str | int] = []
    for token in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = token.lastindex
        if kind == _STRING:
            yield Leaf(tuple(stack), token.start(1), token.end(1), token[1])
        elif kind == _KEY:
            if stack:
                stack[-1] = unescape(token[1])
            yield Leaf(tuple(stack), token.start(1), token.end(1), token[1], key=True)
        elif kind == _OPEN:
            stack.append(0 if token[3] == "[" else "")
        elif kind == _CLOSE:
            del stack[-1:]
        elif kind == _COMMA:
            if stack and isinstance(stack[-1], int):
                stack[-1] += 1
        else:
            yield Leaf(tuple(stack), token.start(), token.end(), token[0], string=False)


def unescape(raw: str) -> str:
    """Return what stands between two quotes without escapes; broken escapes stay as they are."""
    if "\\" not in raw:
        return raw
    try:
        value: str = json.loads(f'"{raw}"', strict=False)
    except ValueError:
        return raw
    return value


def escape(value: str, like: str) -> str:
    """Return a string as it stands between two quotes, non-ASCII escaped if `like` has none.

    Halves of surrogate pairs have no bytes of their own and are always escaped.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return json.dumps(value)[1:-1]
    return json.dumps(value, ensure_ascii=like.isascii())[1:-1]
