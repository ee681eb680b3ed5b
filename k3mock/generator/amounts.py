"""Turns a schema's limits into a number within them; source layer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from k3mock.generator.keyed import kind_of, range_for
from k3mock.generator.merging import number

if TYPE_CHECKING:
    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONObject
    from k3mock.seed import Chance

_FAR = 2.0**53
_UNMENTIONED = frozenset(("latitude", "longitude", "score"))


def amount(
    schema: JSONObject, key: str, *, whole: bool, chance: Chance, hints: Hints | None
) -> int | float:
    """Return a number within a schema's limits.

    A number that the text mentions is taken where it fits, else one that is usual for the key.
    """
    low, high = _limits(schema, whole=whole)
    step = number(schema.get("multipleOf"))
    if step is None or step <= 0:
        step = 1.0 if whole else 0.0
    elif whole and not float(step).is_integer():
        step = float(math.ceil(step)) if step < 1 else step
    if hints is not None and kind_of(key) not in _UNMENTIONED:
        for mention in hints.all("number"):
            value = _plain(float(mention), whole=whole)
            if low <= value <= high and _is_step(value, step):
                hints.all("number").remove(mention)
                return value
    text = schema.get("description")
    usual = range_for(key, text if isinstance(text, str) and len(text) < 40 else "")
    return _within(low, high, step, usual=usual, whole=whole, chance=chance)


def _limits(schema: JSONObject, *, whole: bool) -> tuple[float, float]:
    """Return the least and the greatest value; exclusive limits are moved inwards."""
    low, high = number(schema.get("minimum")), number(schema.get("maximum"))
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    lows = [] if low is None else [_inside(low, 1, whole=whole) if over is True else low]
    highs = [] if high is None else [_inside(high, -1, whole=whole) if under is True else high]
    above, below = number(over), number(under)
    if above is not None:
        lows.append(_inside(above, 1, whole=whole))
    if below is not None:
        highs.append(_inside(below, -1, whole=whole))
    return max(lows, default=-math.inf), min(highs, default=math.inf)


def _inside(limit: float, direction: int, *, whole: bool) -> float:
    """Return a value a little beyond an exclusive limit, in the allowed direction."""
    if whole:
        return math.floor(limit) + 1 if direction > 0 else math.ceil(limit) - 1
    return math.nextafter(limit, math.inf * direction)


def _within(
    low: float, high: float, step: float, *, usual: tuple[float, float], whole: bool, chance: Chance
) -> int | float:
    """Draw a value: the usual range as far as the limits allow it."""
    start, end = max(low, usual[0]), min(high, usual[1])
    if start > end:
        if low > usual[1]:
            start, end = low, min(high, low + usual[1] - usual[0])
        else:
            start, end = max(low, high - (usual[1] - usual[0])), high
    start, end = max(start, -_FAR * 512), min(end, _FAR * 512)
    if start > end:
        return _plain(start, whole=whole)
    if step > 0:
        return _stepped(start, end, step, whole=whole, chance=chance, limits=(low, high))
    drawn = round(chance.uniform(start, end), 2)
    value = drawn if low <= drawn <= high else start + (end - start) * chance.random()
    return _plain(value, whole=False) if low <= value <= high else start


def _stepped(
    start: float, end: float, step: float, *, whole: bool, chance: Chance,
    limits: tuple[float, float],
) -> int | float:  # fmt: skip
    """Draw a multiple of `step`; the next one above `start` if none is between the two."""
    first, last = math.ceil(start / step), math.floor(end / step)
    if first > last:
        last = first if first * step <= limits[1] else math.floor(limits[1] / step)
        first = last
    for _ in range(8):
        times = chance.randint(first, last)
        value = round(times * step, 10)
        if value and _is_step(value, step):
            return _plain(value, whole=whole)
    return _plain(first * step, whole=whole)


def _is_step(value: float, step: float) -> bool:
    return step <= 0 or (value / step).is_integer()


def _plain(value: float, *, whole: bool) -> int | float:
    """Return a whole number as an int, which must fit 64 bits."""
    if math.isfinite(value) and (whole or float(value).is_integer()):
        return max(-(2**63), min(int(value), 2**63 - 1))
    return value
