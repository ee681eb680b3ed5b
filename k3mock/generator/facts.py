"""Turns questions that have one right answer into that answer; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.generator.language import Language

_CAPITAL = re.compile(
    r"(?:capital(?:\s+city)?\s+of|Hauptstadt\s+(?:von|der|des)|capitale\s+(?:de|du)|capital\s+del?"
    r"|столиц[аыуе])\s+(?:the\s+|der\s+|la\s+|l['’]|los\s+|el\s+)?"
    r"([A-Za-zÀ-ÿА-яЁё]+(?:\s[A-Za-zÀ-ÿ]+)?)"
    r"|capitale\s+(?:de\s+l|d)['’]([A-Za-zÀ-ÿ]+)"
    r"|([\u30a1-\u30fa\u30fc\u4e00-\u9fff]{2,8})[的の]首都",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"(?<![\w.(+*/×÷-])(?<![+*/×÷-]\s)(-?\d{1,12})\s?([-+*/×÷x])\s?(-?\d{1,12})"
    r"(?![\w)]|\.\d|\s?[-+*/×÷x]\s?[\d(])"
)

_EFFORT = re.compile(r"\b(?:thinking|reasoning)[ _-]?effort\b[^\n.。]{0,40}?[?？]", re.IGNORECASE)
"""The model reads its effort in its prompt, and says it when asked; the verifier asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A question's `kind` (`fact` or `sum`), what is asked `of`, and the answer."""

    kind: str
    of: str
    answer: str


def known(text: str, language: Language) -> Fact | None:
    """Return a capital or the result of a calculation that a text asks for."""
    return _capital(text, language) or _sum(text)


def asks_for_effort(text: str) -> bool:
    """Tell whether a text asks how hard the model is thinking."""
    return _EFFORT.search(text[:1_000]) is not None


def _capital(text: str, language: Language) -> Fact | None:
    capitals = language.facts["capital"]
    for match in _CAPITAL.finditer(text):
        asked_of = next(group for group in match.groups() if group is not None)
        for of in (asked_of, asked_of.split(" ")[0], asked_of[-3:], asked_of[-2:]):
            if of.lower() in capitals:
                return Fact(kind="fact", of=of, answer=capitals[of.lower()])
    return None


def _sum(text: str) -> Fact | None:
    match = _SUM.search(text)
    if match is None:
        return None
    left, sign, right = int(match.group(1)), match.group(2), int(match.group(3))
    match sign:
        case "+":
            value: float = left + right
        case "-":
            value = left - right
        case "/" | "÷":
            if right == 0:
                return None
            value = left // right if left % right == 0 else round(left / right, 6)
        case _:
            value = left * right
    return Fact(kind="sum", of=match.group(), answer=str(value))
