"""Turns the text of a regular expression into a tree; source layer.

Common expressions only: literals, classes, groups, alternatives, repetitions, anchors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_MOST_CHARS = 300
_MOST_DEPTH = 20
_PLAIN = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_LETTERS = _PLAIN + _PLAIN.upper()
_ASCII = frozenset(map(chr, range(128)))
_SHOWN = "".join(chr(code) for code in range(33, 127)) + " "
_CLASSES = {
    "d": _DIGITS, "w": _LETTERS + _DIGITS + "_", "s": " ",
    "D": _LETTERS, "W": "-. ", "S": _LETTERS + _DIGITS,
}  # fmt: skip
_MEANT = {
    letter: frozenset(each for each in _ASCII if re.match(rf"\{letter}", each))
    for letter in _CLASSES
}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Letters:
    """One letter: `choices` may be written, `meant` are all of ASCII that are found.

    `beyond` says that letters outside of ASCII are found, too.
    """

    choices: str
    meant: frozenset[str]
    beyond: bool

    def is_unlike(self, other: Letters) -> bool:
        """Tell whether no letter is found by both."""
        return self.meant.isdisjoint(other.meant) and not (self.beyond and other.beyond)


def _literally(letter: str) -> Letters:
    return Letters(letter, frozenset(letter), beyond=not letter.isascii())


def _of_class(letter: str) -> Letters:
    return Letters(_CLASSES[letter], _MEANT[letter], beyond=True)


@dataclass(frozen=True, slots=True)
class Repeat:
    """Something so many times."""

    node: Node
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Row:
    """Things one after the other."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of several things."""

    nodes: tuple[Node, ...]


Node: TypeAlias = "Letters | Repeat | Row | Either"


class _NotUnderstoodError(Exception):
    """The expression uses something that this module does not know."""


def understood(pattern: str) -> Node | None:
    """Return the tree of an expression; None if it uses something unknown."""
    if len(pattern) > _MOST_CHARS:
        return None
    reader = _Reader(pattern)
    try:
        node = reader.either(0)
    except (_NotUnderstoodError, IndexError):
        return None
    return node if reader.at == len(pattern) else None


def may_be_empty(node: Node) -> bool:
    """Tell whether something finds the empty text."""
    match node:
        case Letters():
            return False
        case Repeat():
            return node.least == 0 or may_be_empty(node.node)
        case Row():
            return all(may_be_empty(each) for each in node.nodes)
        case Either():
            return any(may_be_empty(each) for each in node.nodes)


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

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

    def either(self, depth: int) -> Node:
        """Read alternatives up to the end of the group."""
        if depth > _MOST_DEPTH:
            raise _NotUnderstoodError
        nodes = [self._row(depth)]
        while self._taken("|"):
            nodes.append(self._row(depth))
        return nodes[0] if len(nodes) == 1 else Either(tuple(nodes))

    def _row(self, depth: int) -> Node:
        nodes: list[Node] = []
        while self._peek() not in {"", "|", ")"}:
            node = self._one(depth)
            if node is None:
                continue
            nodes.append(self._repeated(node))
        return nodes[0] if len(nodes) == 1 else Row(tuple(nodes))

    def _one(self, depth: int) -> Node | None:
        """Read one thing; anchors give None."""
        letter = self._next()
        match letter:
            case "^" | "$":
                return None
            case ".":
                return Letters(_PLAIN, _ASCII - {"\n"}, beyond=True)
            case "[":
                return self._class()
            case "(":
                return self._group(depth)
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{":
                raise _NotUnderstoodError
            case _:
                return _literally(letter)

    def _group(self, depth: int) -> Node:
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

    def _escaped(self) -> Node | None:
        letter = self._next()
        if letter in "bAZ":
            return None
        return _of_class(letter) if letter in _CLASSES else _literally(self._literal(letter))

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

    def _class(self) -> Letters:
        negated = self._taken("^")
        parts: list[Letters] = []
        while not parts or self._peek() != "]":
            parts.append(self._class_part())
        self.at += 1
        choices = "".join(part.choices for part in parts)
        meant = frozenset[str]().union(*(part.meant for part in parts))
        if not negated:
            return Letters(choices, meant, beyond=any(part.beyond for part in parts))
        left = "".join(letter for letter in _SHOWN if letter not in meant)
        if not left:
            raise _NotUnderstoodError
        return Letters(left, _ASCII - meant, beyond=True)

    def _class_part(self) -> Letters:
        """Read a letter, a range or a class within brackets."""
        letter = self._next()
        if letter == "\\":
            escape = self._next()
            if escape in _CLASSES:
                return _of_class(escape)
            letter = self._literal(escape)
        if self._peek() == "-" and self._pattern[self.at + 1] != "]":
            self.at += 1
            span = self._span(letter)
            return Letters(span, frozenset(span) & _ASCII, beyond=not span.isascii())
        return _literally(letter)

    def _span(self, low: str) -> str:
        high = self._next()
        if high == "\\":
            high = self._literal(self._next())
        if ord(high) < ord(low):
            raise _NotUnderstoodError
        return "".join(chr(code) for code in range(ord(low), min(ord(high), ord(low) + 127) + 1))

    def _repeated(self, node: Node) -> Node:
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
        if self._peek() in {"*", "+", "{"} or (bounds[1] > 1 and may_be_empty(node)):
            raise _NotUnderstoodError
        return Repeat(node, *bounds)
