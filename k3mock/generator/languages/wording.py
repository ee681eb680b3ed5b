"""Turns the words of a language with spaces into the patterns that ask for a form; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = r"[\"'`“«„]?[A-Za-z_][\w-]{0,40}[\"'`”»“]?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Words of a language, each as alternatives of a regular expression.

    Attributes:
        numbers: number words that count things.
        say: verbs that ask for an answer or to repeat something.
        only: words that insist on nothing but that.
        write: verbs that ask to make something.
        conjunction: the word for "and".
        between: how a range begins; `to` stands between its ends.
        under: words before a number that must not be exceeded.
        greeting: whole greetings.
        things: what a list is made of, where a number stands before it.
        listing: words for a list without a number.
        numbered: words for a list with numbers.
        word: the word for "word"; likewise `sentence`, `paragraph`, `table`, `haiku`, `poem`,
            `story`, `joke`, `mail`.
        code: words for code and pieces of it.
        keys: words for the keys of an object.
        how: how one asks for a way, likewise `why` for a reason, `compare` for a comparison.
    """

    numbers: Mapping[str, int]
    say: str
    only: str
    write: str
    conjunction: str
    between: str
    to: str
    under: str
    greeting: str
    things: str
    listing: str
    numbered: str
    word: str
    sentence: str
    paragraph: str
    table: str
    haiku: str
    poem: str
    story: str
    joke: str
    mail: str
    code: str
    keys: str
    how: str
    why: str
    compare: str


def asks_of(words: Wording) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns by form."""
    count = rf"(?P<count>\d{{1,6}}|{'|'.join(words.numbers)})"
    length = (
        rf"(?:(?:{words.between})\s+(?P<low>\d{{1,6}})\s+(?:{words.to})\s+"
        rf"|(?P<under>{words.under})\s+)?\b{count}"
    )
    quoted = (
        rf"\b(?:{words.say})\b[^\n.:\"“«„]{{0,40}}:?\s*[\"“«„]\s*"
        r"(?P<literal>[^\"”»“\n]{1,300}?)\s*[\"”»“]"
    )
    announced = (
        rf"\b(?:{words.say})\b[^\n.:]{{0,30}}\b(?:{words.only}|{words.word})\b[^\n.:]{{0,20}}:"
        r"\s*(?P<literal>[^\n]{1,200}?)\s*[.!]?\s*(?:\n|$)"
    )
    alone = (
        rf"^\s*(?:{words.say})\s+(?:(?:{words.only})\s+)?(?P<literal>[\w'-]{{1,40}})\s*[.!]?\s*$"
    )
    keys = (
        rf"\b(?:{words.keys})\b\s*:?\s*((?:{_KEY}(?:\s*\([^)\n]{{0,40}}\))?"
        rf"(?:\s*[,/&]\s*(?:(?:{words.conjunction})\s+)?|\s+(?:{words.conjunction})\s+"
        r"|(?=[^\w]|$))){1,12})"
    )
    json = (
        r"\b(?:als|en|como|im|ein|einen|un|в\s+виде|в\s+формате|formato|au\s+format)\s+json\b"
        r"|\bjson\b[^.\n]{0,20}\b(?:mit|avec|con|с|со)\b"
    )
    sources = {
        "literal": [quoted, announced, alone],
        "greeting": [rf"^\s*(?:{words.greeting})(?:\s+kimi)?\s*[.!?,]*\s*$"],
        "json": [json],
        "haiku": [rf"\b(?:{words.haiku})\b"],
        "poem": [rf"\b(?:{words.poem})\b"],
        "story": [rf"\b(?:{words.story})\b"],
        "joke": [rf"\b(?:{words.joke})\b"],
        "mail": [rf"\b(?:{words.write})\b[^.\n]{{0,40}}?\b(?:{words.mail})\b"],
        "code": [
            rf"\b(?:{words.write})\b[^.\n]{{0,60}}?\b(?:{words.code})\b",
            r"\b(?:in|en|auf|на)\s(?:python|javascript|typescript|rust|bash|java|sql|go|yaml|html)\b",
        ],
        "table": [rf"\b(?:{words.table})\b"],
        "list": [
            rf"\b{count}\s+(?:[\w-]{{1,20}}\s+){{0,2}}?(?P<noun>{words.things})\b",
            rf"\b(?P<noun>{words.listing})\b",
        ],
        "numbered": [rf"\b(?:{words.numbered})\b"],
        "paragraphs": [rf"\b{count}\s+(?:[\w-]{{1,14}}\s+)?(?:{words.paragraph})\b"],
        "sentences": [rf"\b{count}\s+(?:[\w-]{{1,14}}\s+)?(?:{words.sentence})\b"],
        "words": [rf"{length}[\s-]+(?:{words.word})\b"],
        "keys": [keys],
        "compare": [rf"\b(?:{words.compare})\b"],
        "why": [rf"\b(?:{words.why})\b"],
        "how": [rf"\b(?:{words.how})\b"],
    }
    return {
        form: tuple(re.compile(source, re.IGNORECASE) for source in each)
        for form, each in sources.items()
    }
