"""Turns sentence patterns and the words of a request into sentences; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from k3mock.seed import Chance


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence with named slots; `needs` are the names."""

    text: str
    needs: frozenset[str]


def phrases(*texts: str) -> tuple[Phrase, ...]:
    """Return sentence patterns; slots are written as `{name}`."""
    return tuple(
        Phrase(text, frozenset(name for _, name, _, _ in Formatter().parse(text) if name))
        for text in texts
    )


def vocabulary(text: str) -> frozenset[str]:
    """Return the words of a text that lists them."""
    return frozenset(text.split())


class Slots:
    """Words by slot name; those of `made` are only drawn when a sentence uses them."""

    def __init__(self, known: Mapping[str, str], made: Mapping[str, Callable[[], str]]) -> None:
        self._known = {name: word for name, word in known.items() if word}
        self._made = dict(made)

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self._made

    def __getitem__(self, name: str) -> str:
        word = self._known.get(name)
        if word is None:
            word = self._known[name] = self._made[name]()
        return word

    def fill(self, phrase: Phrase, *, capital: bool = True) -> str:
        """Return the sentence with its slots filled; it starts with a capital letter or not."""
        if not phrase.needs:
            return phrase.text
        text = phrase.text.format_map({name: self[name] for name in sorted(phrase.needs)})
        return upper_first(text) if capital else text

    def fits(self, phrase: Phrase) -> bool:
        """Tell whether every slot of a sentence can be filled."""
        return all(name in self for name in phrase.needs)


def upper_first(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def drawn(
    pool: Iterable[Phrase], slots: Slots, chance: Chance, *, capital: bool = True
) -> Iterator[str]:
    """Yield the sentences of a pool that can be filled, in drawn order, each filled when due."""
    usable = [phrase for phrase in pool if slots.fits(phrase)]
    chance.shuffle(usable)
    for phrase in usable:
        yield slots.fill(phrase, capital=capital)


def one(pool: Iterable[Phrase], slots: Slots, chance: Chance, *, capital: bool = True) -> str:
    """Return one sentence of a pool, or nothing if none can be filled."""
    return next(drawn(pool, slots, chance, capital=capital), "")
