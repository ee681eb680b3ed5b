"""Turns a regular expression into a text that it matches; source layer.

Common expressions only: literals, classes, groups, alternatives, repetitions, anchors. What is not
understood gives None, and is not checked either: a hostile expression can cost unbounded time.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.seed import Chance

MOST_CHARS = 64
"""No text longer than this is made for an expression, or checked against one."""

_MOST_NODES = 400
_MOST_DEPTH = 20
_SAFE_BITS = 18.1
_PLAIN = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_LETTERS = _PLAIN + _PLAIN.upper()
_ALL = "".join(chr(code) for code in range(33, 127)) + " "
_CLASSES = {
    "d": _DIGITS, "w": _LETTERS + _DIGITS + "_", "s": " ",
    "D": _LETTERS, "W": "-. ", "S": _LETTERS + _DIGITS,
}  # fmt: skip
_ESCAPED_CLASS = re.compile(r"\\[dwsDWS]")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class _Letters:
    """One of some letters; not `whole` if the expression means more than these."""

    choices: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Repeat:
    node: _Node
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class _Row:
    nodes: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Either:
    nodes: tuple[_Node, ...]


_Node: TypeAlias = "_Letters | _Repeat | _Row | _Either"


class _NotUnderstoodError(Exception):
    """The expression uses something that this module does not know."""


def matching(pattern: str, chance: Chance, least: int = 0, most: int = MOST_CHARS) -> str | None:
    """Return a text that an expression finds, of a wanted length, or None if none was found."""
    node = _understood(pattern)
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
    node = _understood(pattern) if isinstance(pattern, str) else None
    return node is not None and _is_safe(node) and _compiled(str(pattern)) is not None


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _understood(pattern: str) -> _Node | None:
    if len(pattern) > 300:
        return None
    reader = _Reader(pattern)
    try:
        node = reader.either(0)
    except (_NotUnderstoodError, IndexError):
        return None
    return node if reader.at == len(pattern) else None


def _is_safe(node: _Node) -> bool:
    return _bits(node) <= _SAFE_BITS


def _bits(node: _Node) -> float:
    """Return an upper bound of the ways to match a short text, as a power of two."""
    match node:
        case _Letters():
            return 0.0
        case _Repeat():
            inner = _bits(node.node) * min(node.most, MOST_CHARS)
            spread = min(node.most, MOST_CHARS) - min(node.least, MOST_CHARS) + 1
            return inner + math.log2(spread)
        case _Row():
            return sum(_bits(each) for each in node.nodes)
        case _Either():
            costs = [min(_bits(each), 40.0) for each in node.nodes]
            return (
                max(costs) if _are_unlike(node.nodes) else math.log2(sum(2**bits for bits in costs))
            )


def _are_unlike(nodes: tuple[_Node, ...]) -> bool:
    """Tell whether the first letter decides between alternatives."""
    seen: set[str] = set()
    for node in nodes:
        first = _first(node)
        if first is None or not seen.isdisjoint(first):
            return False
        seen |= first
    return True


def _first(node: _Node) -> set[str] | None:
    """Return the letters that a text may start with; None if that is not simple to say."""
    match node:
        case _Letters():
            return set(node.choices) if node.whole else None
        case _Repeat():
            return _first(node.node) if node.least else None
        case _Row():
            return _first(node.nodes[0]) if node.nodes else None
        case _Either():
            return None


def _may_be_empty(node: _Node) -> bool:
    match node:
        case _Letters():
            return False
        case _Repeat():
            return node.least == 0 or _may_be_empty(node.node)
        case _Row():
            return all(_may_be_empty(each) for each in node.nodes)
        case _Either():
            return any(_may_be_empty(each) for each in node.nodes)


def _written(node: _Node, chance: Chance, stretch: int) -> str:
    match node:
        case _Letters():
            return chance.choice(node.choices)
        case _Row():
            return "".join(_written(each, chance, stretch) for each in node.nodes)
        case _Either():
            return _written(chance.choice(node.nodes), chance, stretch)
        case _Repeat():
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


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0
        self._nodes = 0

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def _next(self) -> str:
        letter = self._pattern[self.at]
        self.at += 1
        return letter

    def _taken(self, letter: str) -> bool:
        if self._peek() != letter:
            return False
        self.at += 1
        return True

    def either(self, depth: int) -> _Node:
        """Read alternatives up to the end of the group."""
        if depth > _MOST_DEPTH:
            raise _NotUnderstoodError
        nodes = [self._row(depth)]
        while self._taken("|"):
            nodes.append(self._row(depth))
        return nodes[0] if len(nodes) == 1 else _Either(tuple(nodes))

    def _row(self, depth: int) -> _Node:
        nodes: list[_Node] = []
        while self._peek() not in {"", "|", ")"}:
            node = self._one(depth)
            if node is None:
                continue
            nodes.append(self._repeated(node))
            self._nodes += 1
            if self._nodes > _MOST_NODES:
                raise _NotUnderstoodError
        return nodes[0] if len(nodes) == 1 else _Row(tuple(nodes))

    def _one(self, depth: int) -> _Node | None:
        """Read one thing; anchors give None."""
        letter = self._next()
        match letter:
            case "^" | "$":
                return None
            case ".":
                return _Letters(_PLAIN, whole=False)
            case "[":
                return self._class()
            case "(":
                return self._group(depth)
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{":
                raise _NotUnderstoodError
            case _:
                return _Letters(letter)

    def _group(self, depth: int) -> _Node:
        if self._taken("?"):
            if self._taken("P"):
                if not self._taken("<"):
                    raise _NotUnderstoodError
                self.at = self._pattern.find(">", self.at) + 1
                if self.at == 0:
                    raise _NotUnderstoodError
            elif not self._taken(":"):
                raise _NotUnderstoodError
        node = self.either(depth + 1)
        if not self._taken(")"):
            raise _NotUnderstoodError
        return node

    def _escaped(self) -> _Node | None:
        letter = self._next()
        if letter in "bAZ":
            return None
        known = _CLASSES.get(letter)
        return _Letters(known or self._literal(letter), whole=known is None)

    def _literal(self, letter: str) -> str:
        """Return the character that an escape stands for."""
        if letter in {"u", "x"}:
            width = 4 if letter == "u" else 2
            digits = self._pattern[self.at : self.at + width]
            if not re.fullmatch(r"[0-9a-fA-F]{2,4}", digits) or len(digits) != width:
                raise _NotUnderstoodError
            self.at += width
            return chr(int(digits, 16))
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isalnum():
            raise _NotUnderstoodError
        return letter

    def _class(self) -> _Letters:
        whole = not self._taken("^")
        start, chosen = self.at, ""
        first = True
        while first or self._peek() != "]":
            first = False
            letter = self._next()
            if letter == "\\":
                escape = self._next()
                if escape in _CLASSES:
                    chosen += _CLASSES[escape]
                    continue
                letter = self._literal(escape)
            if self._peek() == "-" and self._pattern[self.at + 1] != "]":
                self.at += 1
                chosen += self._span(letter)
            else:
                chosen += letter
        self.at += 1
        if not whole:
            chosen = "".join(letter for letter in _ALL if letter not in chosen)
        if not chosen:
            raise _NotUnderstoodError
        simple = not _ESCAPED_CLASS.search(self._pattern, start, self.at)
        return _Letters(chosen, whole=whole and simple and chosen.isascii())

    def _span(self, low: str) -> str:
        high = self._next()
        if high == "\\":
            high = self._literal(self._next())
        if ord(high) < ord(low):
            raise _NotUnderstoodError
        return "".join(chr(code) for code in range(ord(low), min(ord(high), ord(low) + 127) + 1))

    def _repeated(self, node: _Node) -> _Node:
        letter = self._peek()
        many = 10_000
        bounds = {"*": (0, many), "+": (1, many), "?": (0, 1)}.get(letter)
        if bounds is not None:
            self.at += 1
        elif letter == "{":
            found = re.compile(r"\{(\d{1,5})(,?)(\d{0,5})\}").match(self._pattern, self.at)
            if found is None:
                raise _NotUnderstoodError
            self.at = found.end()
            least = int(found.group(1))
            bounds = least, int(found.group(3) or (many if found.group(2) else least))
            if bounds[1] < least:
                raise _NotUnderstoodError
        else:
            return node
        self._taken("?")
        if self._peek() in {"*", "+", "{"} or (bounds[1] > 1 and _may_be_empty(node)):
            raise _NotUnderstoodError
        return _Repeat(node, *bounds)
