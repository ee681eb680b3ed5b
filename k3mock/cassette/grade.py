"""Turns a difference between two recordings into a change with a grade; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.jsonvalue import JSONObject

_SHOWN = 60


class Grade(IntEnum):
    """How much a change means, from the least on."""

    WORDS = 1
    """the model said something else"""
    VALUE = 2
    """another value, where the type is the same"""
    ADDED = 3
    """a field, header, event or request that was not there"""
    REMOVED = 4
    """a field, header, event or request is gone"""
    TYPE = 5
    """a field has another type, or JSON became a stream"""
    STATUS = 6
    """another status, or an answer that ended otherwise"""

    @property
    def word(self) -> str:
        return self.name.lower()


GRADES = tuple(grade.word for grade in Grade)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference; `before` and `after` are short texts, empty where there is nothing."""

    grade: Grade
    place: str
    before: str = ""
    after: str = ""

    def as_json(self) -> JSONObject:
        return {"grade": self.grade.word, "place": self.place, "before": self.before,
                "after": self.after}  # fmt: skip

    def __str__(self) -> str:
        was, now = self.before or "nothing", self.after or "nothing"
        return f"{self.grade.word:7}  {self.place}: {was} → {now}"


def text_change(place: str, one: str, other: str, grade: Grade) -> Iterator[Change]:
    """Compare two texts; what is shown of them begins shortly before they part."""
    if one == other:
        return
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)))  # fmt: skip
    begin = max(0, same - 20)
    lead = "…" if begin else ""
    before, after = (f'"{lead}{short(text[begin:])}"' if text else "" for text in (one, other))
    yield Change(grade=grade, place=place, before=before, after=after)


def short(text: str) -> str:
    """Return the beginning of a text on one line."""
    flat = " ".join(text[: 4 * _SHOWN].split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
