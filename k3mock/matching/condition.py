"""Turns one key of a pattern into a test that can say what it wanted and found; matching layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from k3mock.redact import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.jsonvalue import JSONValue
    from k3mock.matching.view import View
    from k3mock.protocol.request import Message

SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A part of a pattern.

    Attributes:
        key: where it stands in the pattern, dotted.
        cost: cheap tests run first.
        holds: the test.
        wanted: what it wants, in words.
        found: what the request has there, in words.
    """

    key: str
    cost: int
    holds: Callable[[View], bool]
    wanted: str
    found: Callable[[View], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTest:
    """A part of a pattern for one message; `key` is below the pattern's own."""

    key: str
    cost: int
    holds: Callable[[Message, View], bool]
    wanted: str
    found: Callable[[Message, View], str]


def shown(value: JSONValue) -> str:
    """Return a value as messages show it: short, and without what looks like a key."""
    if isinstance(value, str):
        return repr(_cut(clean_text(value)))
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        text = str(value)
    return clean_text(text)[:SHOWN_CHARS]


def _cut(text: str) -> str:
    """Cut a text that was cleaned before: half a key would not look like one."""
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def listed(names: object) -> str:
    """Return names as messages list them."""
    words = [str(name) for name in names] if isinstance(names, list | tuple | frozenset) else []
    text = ", ".join(sorted(words) if isinstance(names, frozenset) else words)
    return shorter(text) or "none"


def shorter(text: str) -> str:
    """Return a text that is short enough to be shown, without what looks like a key."""
    return _cut(clean_text(text))
