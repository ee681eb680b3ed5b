"""Turns `3`, `">=2"`, `{min, max}` and `[1, 2]` into a test of whole numbers; matching layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.jsonvalue import as_int

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

_COMPARED = re.compile(r"\s*(>=|<=|>|<|==|=)?\s*([0-9]{1,15})\s*")
_BETWEEN = re.compile(r"\s*([0-9]{1,15})\s*(?:\.\.|-)\s*([0-9]{1,15})\s*")
ACCEPTED = 'a number, a comparison such as ">=2", {min, max}, or a list of numbers'


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Numbers from `low` to `high`, or only the `members`."""

    low: int = 0
    high: int | None = None
    members: frozenset[int] | None = None

    def holds(self, number: int) -> bool:
        """Say whether a number is among them."""
        if self.members is not None:
            return number in self.members
        return self.low <= number and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.members is not None:
            return "one of " + ", ".join(str(each) for each in sorted(self.members))
        if self.high is None:
            return f"at least {self.low}"
        if self.low == self.high:
            return str(self.low)
        return f"{self.low} to {self.high}" if self.low else f"at most {self.high}"


def read_range(value: JSONValue) -> Range | None:
    """Return the range that was written, or None where it is none, or an empty one."""
    if isinstance(value, str):
        return _compared(value)
    if isinstance(value, list):
        numbers = [number for item in value if (number := as_int(item)) is not None]
        return Range(members=frozenset(numbers)) if numbers and len(numbers) == len(value) else None
    if isinstance(value, dict):
        low, high = as_int(value.get("min", 0)), as_int(value.get("max"))
        wrong = low is None or not value or set(value) - {"min", "max"}
        if wrong or low is None or (high is None and "max" in value):
            return None
        return Range(low=low, high=high) if high is None or low <= high else None
    number = as_int(value)
    return Range(low=number, high=number) if number is not None and number >= 0 else None


def range_of(value: JSONValue) -> Range:
    """Return the range of a value that was checked before."""
    return read_range(value) or Range()


def _compared(text: str) -> Range | None:
    between = _BETWEEN.fullmatch(text)
    if between:
        low, high = int(between[1]), int(between[2])
        return Range(low=low, high=high) if low <= high else None
    found = _COMPARED.fullmatch(text)
    if found is None:
        return None
    number = int(found[2])
    match found[1]:
        case ">=":
            return Range(low=number)
        case ">":
            return Range(low=number + 1)
        case "<=":
            return Range(high=number)
        case "<":
            return Range(high=number - 1) if number else None
        case _:
            return Range(low=number, high=number)
