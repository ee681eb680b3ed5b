"""Turns a language into data: its script, stop words, phrases and ways of asking; source layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from k3mock.generator.phrases import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything that the generator knows of one language.

    Attributes:
        code: BCP 47, as short as it can be.
        locale: the locale of names and places.
        script: matches one letter or word of the script; languages may share a script.
        weight: how many words one match of `script` is worth.
        marks: what tells the language from others of its script: words, letters in a word.
        mark_weight: how much one of `marks` counts.
        word: matches a word that may be a keyword.
        nouns: whether nouns have capitals, so that only those are keywords.
        gap: stands between two sentences.
        comma: stands between listed things; `last` before the last of them.
        ends: characters that end a sentence.
        stop: words that are no keywords.
        breaks: what a run of letters is split at, for scripts without spaces.
        phrases: sentence patterns by situation.
        exact: sentences by length in words (letters, where a script has no spaces).
        haiku: its lines: 0 a first line, 1 to 4 first lines that begin with a topic of so many
            syllables (letters), 5 last lines, 7 middle lines.
        asks: how a form of answer is asked for, by form; groups `count`, `noun`, `low`, `under`.
        numbers: number words.
        facts: what is known of a thing, by kind and thing.
        aspects: rows of a table that compares things, with what may stand in a cell.
        places: place names that are recognised without capitals.
        inflected: whether the end of a place's name changes with its case.
        place: matches a place in a text (group 1).
        items: what things a list is made of, by the noun that asks for it.
        things: what may stand in a list of fruits, animals or colours.
        glosses: words by the English words that tools use for them.
        not_places: words with a capital that name no place.
    """

    code: str
    locale: str
    script: re.Pattern[str]
    weight: float
    marks: frozenset[str]
    mark_weight: float = 1.0
    word: re.Pattern[str]
    nouns: bool = False
    gap: str
    comma: str
    last: str
    ends: str
    stop: frozenset[str]
    phrases: Mapping[str, tuple[Phrase, ...]]
    exact: Mapping[int, tuple[Phrase, ...]]
    haiku: Mapping[int, tuple[Phrase, ...]]
    asks: Mapping[str, tuple[re.Pattern[str], ...]]
    numbers: Mapping[str, int]
    facts: Mapping[str, Mapping[str, str]]
    aspects: tuple[tuple[str, tuple[str, ...]], ...]
    place: re.Pattern[str]
    breaks: re.Pattern[str] | None = None
    places: tuple[str, ...] = ()
    inflected: bool = False
    items: Mapping[str, str] = field(default_factory=dict)
    things: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    glosses: Mapping[str, str] = field(default_factory=dict)
    not_places: frozenset[str] = frozenset()

    def listed(self, things: tuple[str, ...] | list[str]) -> str:
        """Join things as a sentence lists them."""
        if len(things) < 2:
            return "".join(things)
        return self.comma.join(things[:-1]) + self.last + things[-1]

    def number(self, word: str | None) -> int | None:
        """Read a number written in digits or as a word."""
        if not word:
            return None
        if word.isdecimal():
            return int(word[:9])
        return self.numbers.get(word.lower())
