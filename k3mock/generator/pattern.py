"""Turns a regular expression into a text that it matches; source layer.

What is not understood gives None, and is not checked either: a hostile expression can cost
unbounded time.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from k3mock.generator.expression import Either, Letters, Node, Repeat, Row, understood

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.seed import Chance

MOST_CHARS = 64
"""No text longer than this is made for an expression, or checked against one."""

_SAFE_BITS = 18.1
"""An expression with more ways to match a short text, as a power of two, is never run."""


def matching(pattern: str, chance: Chance, least: int = 0, most: int = MOST_CHARS) -> str | None:
    """Return a text that an expression finds, of a wanted length, or None if none was found."""
    node = understood(pattern)
    if node is None or not _is_safe(node):
        return None
    expression = _compiled(pattern)
    if expression is None:
        return None
    for stretch in (2, 4, 0, 8, 1, 16, least, 32):
        text = _written(node, chance, stretch)
        if least <= len(text) <= min(most, MOST_CHARS) and expression.search(text):
            return text
    return None


def found_in(pattern: str, candidates: Iterable[str], least: int, most: int) -> str | None:
    """Return the first candidate that an expression finds; None if trying is not safe."""
    if not checkable(pattern):
        return None
    expression = re.compile(pattern)
    fitting = (each for each in candidates if least <= len(each) <= min(most, MOST_CHARS))
    return next((each for each in fitting if expression.search(each)), None)


def checkable(pattern: object) -> bool:
    """Tell whether checking a short text against an expression is sure to be quick."""
    node = understood(pattern) if isinstance(pattern, str) else None
    return node is not None and _is_safe(node) and _compiled(str(pattern)) is not None


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _is_safe(node: Node) -> bool:
    return _bits(node) <= _SAFE_BITS


def _bits(node: Node) -> float:
    """Return an upper bound of the ways to match a short text, as a power of two."""
    match node:
        case Letters():
            return 0.0
        case Repeat():
            inner = _bits(node.node) * min(node.most, MOST_CHARS)
            spread = min(node.most, MOST_CHARS) - min(node.least, MOST_CHARS) + 1
            return inner + math.log2(spread)
        case Row():
            following = [*node.nodes[1:], None][: len(node.nodes)]
            return sum(
                0.0 if _is_decided(each, after) else _bits(each)
                for each, after in zip(node.nodes, following, strict=True)
            )
        case Either():
            costs = [min(_bits(each), 40.0) for each in node.nodes]
            decided = _are_unlike([_first(each) for each in node.nodes])
            return max(costs) if decided else math.log2(sum(2**bits for bits in costs))


def _is_decided(node: Node, after: Node | None) -> bool:
    """Tell whether what follows a repeated letter can only start where the letters end."""
    if after is None or not isinstance(node, Repeat) or not isinstance(node.node, Letters):
        return False
    return _are_unlike([node.node, _first(after)])


def _are_unlike(firsts: list[Letters | None]) -> bool:
    """Tell whether the first letter decides between alternatives."""
    for at, first in enumerate(firsts):
        if first is None or any(
            other is None or not first.is_unlike(other) for other in firsts[:at]
        ):
            return False
    return True


def _first(node: Node) -> Letters | None:
    """Return what a text must start with; None if that is not simple to say."""
    match node:
        case Letters():
            return node
        case Repeat():
            return _first(node.node) if node.least else None
        case Row():
            return _first(node.nodes[0]) if node.nodes else None
        case Either():
            return None


def _written(node: Node, chance: Chance, stretch: int) -> str:
    match node:
        case Letters():
            return chance.choice(node.choices)
        case Row():
            return "".join(_written(each, chance, stretch) for each in node.nodes)
        case Either():
            return _written(chance.choice(node.nodes), chance, stretch)
        case Repeat():
            times = min(node.most, max(node.least, stretch))
            if node.most <= 1:
                times = node.most if node.least or chance.random() < 0.5 else 0
            times = min(times, MOST_CHARS + 1)
            text = ""
            for _ in range(times):
                text += _written(node.node, chance, stretch)
                if len(text) > MOST_CHARS:
                    break
            return text
