"""Turns a request that no recording matches into the nearest one and what differs; source layer.

Nearness counts equal leaf values and, of longer texts, equal words, wherever in a list they stand:
a message more or less in the history changes little. Nothing is worked out before the first miss.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import orjson

from k3mock.cassette.key import parsed, short_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from k3mock.jsonvalue import JSONValue

LINES = 40
"""A difference is not told in more lines than this."""

_ALIKE = 0.2
"""What has a smaller share in common is not called similar."""

_LINE_CHARS = 300
_VALUE_CHARS = 80
_SHORT_TEXT = 40
_WORDS_EACH_SIDE = 100
_WORD = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.DOTALL)
_SPLIT = re.compile(r"\w+")
_CONTEXT = 6
_CHANGED_CHARS = 4000
_MATCHED_WORDS = 300

Features: TypeAlias = "frozenset[int]"
_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request without its secrets."""

    method: str
    path: str
    body: bytes

    @property
    def place(self) -> str:
        """Method and end of the path."""
        return f"{self.method} {short_path(self.path)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The nearest recording: its place in the library, and the share that is the same."""

    place: int
    share: float


class Nearest:
    """Finds the recording that a request resembles most."""

    def __init__(self, recorded: Sequence[Seen]) -> None:
        self._recorded = recorded

    @cached_property
    def _features(self) -> list[tuple[str, Features]]:
        return [(seen.place, _features(seen)) for seen in self._recorded]

    def find(self, asked: Seen, used: Collection[int] = ()) -> Near | None:
        """Return the nearest recording, of equals one that was not served yet, if any is alike."""
        wanted, place = _features(asked), asked.place
        best: tuple[float, bool, int] | None = None
        for number, (where, found) in enumerate(self._features):
            if where != place:
                continue
            share = len(found & wanted) / (len(found | wanted) or 1)
            ranked = (share, number not in used, -number)
            if best is None or ranked > best:
                best = ranked
        if best is None or (wanted and best[0] < _ALIKE):
            return None
        return Near(place=-best[2], share=best[0])


def _features(seen: Seen) -> Features:
    """Return hashes of what a request consists of; things that stand twice count twice."""
    value = parsed(seen.body)
    if value is None:
        value = seen.body[:_CHANGED_CHARS].decode("utf-8", "replace")
    counted = Counter(_parts(value, ""))
    return frozenset(hash((part, number)) for part, times in counted.items()
                     for number in range(times))  # fmt: skip


def _parts(value: JSONValue, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _parts(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item, path)
    else:
        yield path, value
        if isinstance(value, str) and len(value) > _SHORT_TEXT:
            yield from ((path, word) for word in _edges(value))


def _edges(text: str) -> list[str]:
    """Return the first and last words of a text."""
    room = _WORDS_EACH_SIDE * 10
    if len(text) <= 2 * room:
        return _SPLIT.findall(text)
    first = _SPLIT.findall(text[:room])[:_WORDS_EACH_SIDE]
    return first + _SPLIT.findall(text[-room:])[-_WORDS_EACH_SIDE:]


def differences(recorded: Seen, asked: Seen) -> list[str]:
    """Return what differs, a line each, recorded value first; never more than `LINES`."""
    was, now = parsed(recorded.body), parsed(asked.body)
    if was is None or now is None:
        was = recorded.body.decode("utf-8", "replace")
        now = asked.body.decode("utf-8", "replace")
    lines: list[str] = []
    for line in _changes(was, now, ""):
        if len(lines) == LINES - 1:
            lines.append("and more")
            break
        lines.append(line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…")
    return lines


def _changes(was: JSONValue, now: JSONValue, path: str) -> Iterator[str]:
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*was, *now)):
            inside = f"{path}.{key}" if path else key
            yield from _change(was.get(key, _MISSING), now.get(key, _MISSING), inside)
    elif isinstance(was, list) and isinstance(now, list):
        yield from _list_changes(was, now, path)
    elif isinstance(was, str) and isinstance(now, str):
        if was != now:
            yield f"{path or 'body'}: {_words(was, now)}"
    elif was != now or isinstance(was, bool) is not isinstance(now, bool):
        yield f"{path or 'body'}: recorded {_shown(was)}, asked {_shown(now)}"


def _change(was: object, now: object, path: str) -> Iterator[str]:
    if was is _MISSING:
        yield f"{path}: only asked, {_shown(now)}"
    elif now is _MISSING:
        yield f"{path}: only recorded, {_shown(was)}"
    else:
        yield from _changes(was, now, path)  # type: ignore[arg-type]


def _list_changes(was: list[JSONValue], now: list[JSONValue], path: str) -> Iterator[str]:
    """Tell how lists differ; what is equal at both ends is left out first."""
    start, common = 0, min(len(was), len(now))
    while start < common and was[start] == now[start]:
        start += 1
    end = 0
    while end < common - start and was[-1 - end] == now[-1 - end]:
        end += 1
    left, right = was[start : len(was) - end], now[start : len(now) - end]
    for number in range(max(len(left), len(right))):
        yield from _change(
            left[number] if number < len(left) else _MISSING,
            right[number] if number < len(right) else _MISSING,
            f"{path}[{start + number}]",
        )


def _shown(value: object) -> str:
    text = orjson.dumps(value).decode("utf-8", "replace")
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}… ({len(text)} characters)"


def _words(was: str, now: str) -> str:
    """Return two texts as one: words that are gone in `[-…-]`, new ones in `{+…+}`."""
    start, end = _common(was, now)
    before, after = was[:start], was[len(was) - end :]
    old, new = was[start : len(was) - end], now[start : len(now) - end]
    told = _told(old, new)
    lead = _WORD.findall(before[-200:])[-_CONTEXT:]
    trail = _WORD.findall(after[:200])[:_CONTEXT]
    shown = f"{''.join(lead)}{told}{''.join(trail)}"
    shown = shown if len(before) <= sum(map(len, lead)) else f"…{shown}"
    shown = shown if len(after) <= sum(map(len, trail)) else f"{shown}…"
    return " ".join(shown.split())


def _common(was: str, now: str) -> tuple[int, int]:
    """Return how much of two texts is the same at the start and at the end, in whole words."""
    start = _same(was, now)
    while 0 < start < max(len(was), len(now)) and _inside(was, now, start):
        start -= 1
    left, right = was[start:][::-1], now[start:][::-1]
    end = _same(left, right)
    while 0 < end < max(len(left), len(right)) and _inside(left, right, end):
        end -= 1
    return start, end


def _inside(one: str, other: str, at: int) -> bool:
    """Say whether a place lies inside a word of either text."""
    letters = [text[at - 1].isascii() and text[at - 1].isalnum() and at < len(text)
               and text[at].isascii() and text[at].isalnum() for text in (one, other)]  # fmt: skip
    return any(letters)


def _same(one: str, other: str) -> int:
    """Return how long the common start of two texts is, in steps that double."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _told(old: str, new: str) -> str:
    left = _WORD.findall(old[:_CHANGED_CHARS])
    right = _WORD.findall(new[:_CHANGED_CHARS])
    if max(len(left), len(right)) > _MATCHED_WORDS:
        return _marked(_clipped(old), _clipped(new))
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    told: list[str] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            told.append(_marked("".join(left[a:b]), "".join(right[c:d])))
        elif b - a > 2 * _CONTEXT:
            told += [*left[a : a + _CONTEXT], " … ", *left[b - _CONTEXT : b]]
        else:
            told += left[a:b]
    return "".join(told)


def _marked(old: str, new: str) -> str:
    if not (old.strip() or new.strip()):
        # Spaces and line ends would not be seen.
        old, new = (repr(text)[1:-1].replace(" ", "\u2423") for text in (old, new))
    return (f"[-{old}-]" if old else "") + (f"{{+{new}+}}" if new else "")


def _clipped(text: str) -> str:
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}…"
