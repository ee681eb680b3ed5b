"""Turns the beginning of a JSON text into the rest of it; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from k3mock.generator.objects import compact
from k3mock.jsonvalue import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.jsonvalue import JSONValue

_MOST_CHARS = 20_000
_MOST_DEPTH = 60
_BLANK = " \t\r\n"
_STRING = re.compile(
    r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)("|(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z)'
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?")
_WORDS = ("true", "false", "null")


class _NotJSONError(Exception):
    """The beginning cannot be the beginning of a JSON text."""


@dataclass(slots=True)
class _Frame:
    """An object or array that is open; `guide` is what a finished one would look like."""

    kind: str
    guide: JSONValue
    state: str
    key: str = ""
    keys: list[str] = field(default_factory=list)
    items: int = 0


def rest_of_json(
    beginning: str, guide: JSONValue, invent: Callable[[str], JSONValue]
) -> str | None:
    """Return what makes a valid JSON text of a beginning; nothing if it is complete.

    `guide` is an instance to be like: its keys are filled in where they are missing. `invent` gives
    values for keys that the guide does not have. None if the beginning is not JSON.
    """
    if len(beginning) > _MOST_CHARS:
        return None
    scan = _Scan(beginning, guide, invent)
    try:
        rest = scan.run() + scan.close()
        orjson.loads(beginning + rest)
    except (_NotJSONError, orjson.JSONDecodeError):
        return None
    return rest


class _Scan:
    """Reads a beginning, then writes what closes everything that is open."""

    def __init__(self, text: str, guide: JSONValue, invent: Callable[[str], JSONValue]) -> None:
        self._text = text
        self._at = 0
        self._guide = guide
        self._invent = invent
        self._frames: list[_Frame] = []
        self._begun = False

    def run(self) -> str:
        """Read to the end; return what completes the last word, number or string."""
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter in _BLANK:
                self._at += 1
            elif letter == '"':
                rest = self._string()
                if rest:
                    return rest
            elif letter in "{[":
                self._open(letter)
            elif letter in "}]":
                self._shut(letter)
            elif letter in ",:":
                self._separator(letter)
            else:
                rest = self._plain()
                if rest:
                    return rest
        return ""

    def _open(self, letter: str) -> None:
        guide = self._value_here() if self._frames else self._guide
        self._put()
        if len(self._frames) >= _MOST_DEPTH:
            raise _NotJSONError
        self._frames.append(_Frame(letter, guide, "first"))
        self._at += 1

    def _shut(self, letter: str) -> None:
        pairs = {"}": "{", "]": "["}
        if not self._frames or self._frames[-1].kind != pairs[letter]:
            raise _NotJSONError
        self._frames.pop()
        self._at += 1

    def _separator(self, letter: str) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.state != {",": "done", ":": "colon"}[letter]:
            raise _NotJSONError
        frame.state = "next" if letter == "," else "value"
        self._at += 1

    def _put(self) -> None:
        """Note that a value stands here."""
        if not self._frames:
            if self._begun:
                raise _NotJSONError
            self._begun = True
            return
        frame = self._frames[-1]
        wanted = ("value",) if frame.kind == "{" else ("first", "next")
        if frame.state not in wanted:
            raise _NotJSONError
        frame.state = "done"
        frame.items += 1

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            raise _NotJSONError
        self._at = match.end()
        begun, end = match.groups()
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.kind == "{" and frame.state in {"first", "next"}:
            return self._key(frame, begun, end)
        value = None if end == '"' else self._value_here()
        self._put()
        return "" if end == '"' else self._completed(begun, end, value)

    def _key(self, frame: _Frame, begun: str, end: str) -> str:
        key, rest = _decoded(begun), ""
        if end != '"':
            names = [name for name in as_object(frame.guide) or {} if name not in frame.keys]
            full = next((name for name in names if name.startswith(key)), "") if not end else ""
            rest = self._completed(begun, end, full)
            key = full or key
        frame.key = key
        frame.keys.append(key)
        frame.state = "colon"
        return rest

    def _completed(self, begun: str, end: str, value: JSONValue) -> str:
        """Return the rest of a string: that of the value it begins, else only its end."""
        if len(end) > 1:
            digits = end[2:].ljust(4, "0")
            pair = "\\udc00" if digits[:2].lower() in {"d8", "d9", "da", "db"} else ""
            return f'{digits[len(end) - 2 :]}{pair}"'
        if end:
            return 'n"'
        known = _decoded(begun)
        if isinstance(value, str) and value.startswith(known):
            return compact(value[len(known) :])[1:]
        return '"'

    def _plain(self) -> str:
        """Read a number or a word; return what it lacks."""
        rest = self._text[self._at :]
        for word in _WORDS:
            shown = rest[: len(word)]
            if word.startswith(shown) and shown[:1] == word[0]:
                self._put()
                self._at += len(shown)
                return word[len(shown) :]
        match = _NUMBER.match(rest)
        if match is None or not match.group():
            raise _NotJSONError
        self._put()
        self._at += match.end()
        unfinished = match.group()[-1] in "-.eE+" and self._at == len(self._text)
        return "1" if unfinished else ""

    def _value_here(self) -> JSONValue:
        """Return what should stand at this place."""
        if not self._frames:
            return self._guide
        frame = self._frames[-1]
        if frame.kind == "{":
            known = as_object(frame.guide) or {}
            return known[frame.key] if frame.key in known else self._invent(frame.key)
        items = as_list(frame.guide) or []
        if not items:
            return self._invent("")
        return items[min(frame.items, len(items) - 1)]

    def close(self) -> str:
        """Return what closes everything that is open."""
        if not self._frames:
            return "" if self._begun else compact(self._guide)
        written: list[str] = []
        while self._frames:
            frame = self._frames[-1]
            written.append(self._object(frame) if frame.kind == "{" else self._array(frame))
            self._frames.pop()
        return "".join(written)

    def _object(self, frame: _Frame) -> str:
        match frame.state:
            case "colon":
                text, lead = ":" + compact(self._value_here()), ","
            case "value":
                text, lead = compact(self._value_here()), ","
            case "done":
                text, lead = "", ","
            case _:
                text, lead = "", ""
        known = as_object(frame.guide) or {}
        pairs = {key: value for key, value in known.items() if key not in frame.keys}
        if frame.state == "next" and not pairs:
            name = next((name for name in _SPARE if name not in frame.keys), "last")
            pairs = {name: self._invent(name)}
        more = compact(pairs)[1:-1] if pairs else ""
        return f"{text}{lead if more else ''}{more}}}"

    def _array(self, frame: _Frame) -> str:
        items = as_list(frame.guide) or []
        left = items[frame.items :]
        if frame.state == "next" and not left:
            left = [self._value_here()]
        more = compact(left)[1:-1] if left else ""
        return f"{',' if frame.state == 'done' and more else ''}{more}]"


_SPARE = ("summary", "detail", "note", "remark", "comment", "more")
"""Keys for an object that wants one more, of which no guide is known."""


def _decoded(text: str) -> str:
    try:
        decoded: str = orjson.loads(f'"{text}"')
    except orjson.JSONDecodeError:
        return text
    return decoded
