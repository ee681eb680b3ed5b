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
        code: ISO 639-1.
        locale: the locale of names and places.
        script: matches one letter or word of the language.
        weight: how many words one match of `script` is worth.
        word: matches a word that may be a keyword.
        gap: stands between two sentences.
        comma: stands between listed things; `last` before the last of them.
        ends: characters that end a sentence.
        stop: words that are no keywords.
        breaks: what a run of letters is split at, for scripts without spaces.
        phrases: sentence patterns by situation.
        exact: sentences by length in words (letters, where a script has no spaces).
        asks: how a form of answer is asked for, by form.
        numbers: number words.
        facts: what is known of a thing, by kind and thing.
        places: place names that are recognised without capitals.
        place: matches a place in a text (group 1).
        items: what things a list is made of, by the noun that asks for it.
        glosses: words by the English words that tools use for them.
    """

    code: str
    locale: str
    script: re.Pattern[str]
    weight: float
    word: re.Pattern[str]
    gap: str
    comma: str
    last: str
    ends: str
    stop: frozenset[str]
    phrases: Mapping[str, tuple[Phrase, ...]]
    exact: Mapping[int, tuple[Phrase, ...]]
    asks: Mapping[str, tuple[re.Pattern[str], ...]]
    numbers: Mapping[str, int]
    facts: Mapping[str, Mapping[str, str]]
    place: re.Pattern[str]
    breaks: re.Pattern[str] | None = None
    places: tuple[str, ...] = ()
    items: Mapping[str, str] = field(default_factory=dict)
    glosses: Mapping[str, str] = field(default_factory=dict)
    not_places: frozenset[str] = frozenset()

    def share(self, text: str) -> float:
        """Return how many words of a text are of this language's script."""
        return self.weight * len(self.script.findall(text))

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
