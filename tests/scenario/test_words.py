"""Made-up words of exactly so many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.scenario.words import words
from k3mock.seed import Seed

if TYPE_CHECKING:
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter


def chance(name: str = "x") -> Chance:
    return Seed(1).chance(name.encode())


@pytest.mark.parametrize("tokens", [0, 1, 2, 3, 7, 50, 333, 4096, 20_000])
def test_there_are_exactly_so_many(counter: TokenCounter, tokens: int) -> None:
    text = words(tokens, counter, chance(str(tokens)))
    assert counter.count(text) == tokens
    assert text == text.strip()


def test_every_small_number_comes_out(counter: TokenCounter) -> None:
    assert all(counter.count(words(n, counter, chance(str(n)))) == n for n in range(120))


def test_the_same_chance_says_the_same_and_another_something_else(counter: TokenCounter) -> None:
    assert words(30, counter, chance()) == words(30, counter, chance())
    assert words(30, counter, chance()) != words(30, counter, chance("y"))


def test_words_look_like_sentences(counter: TokenCounter) -> None:
    text = words(100, counter, chance())
    assert text[0].isupper()
    assert ". " in text
    assert all(word.rstrip(".").isalpha() for word in text.split())


class _ByLetters:
    """A vocabulary in which each letter is a token."""

    def count(self, text: str) -> int:
        return len(text)


class _Odd:
    """A vocabulary in which texts that end in a full stop cost one more than their words."""

    def count(self, text: str) -> int:
        return len(text.split()) + text.endswith(".") if text not in {".", ""} else len(text)


class _Doubled:
    """A vocabulary in which words beside each other cost twice as much."""

    def count(self, text: str) -> int:
        spoken = text.replace(".", "").split()
        return len(spoken) * (1 + (len(spoken) > 1)) or len(text)


class _Even:
    """A vocabulary in which each letter is two tokens: odd numbers cannot be had."""

    def count(self, text: str) -> int:
        return 2 * len(text)


def test_what_cannot_be_had_exactly_comes_near() -> None:
    counter: Any = _Even()
    assert 7 <= counter.count(words(7, counter, chance())) <= 13


@pytest.mark.parametrize("tokens", [4, 10, 30])
def test_words_that_cost_more_together_are_taken_away(tokens: int) -> None:
    counter: Any = _Doubled()
    assert counter.count(words(tokens, counter, chance())) == tokens


@pytest.mark.parametrize("tokens", [1, 5, 6, 100])
@pytest.mark.parametrize("kind", [_ByLetters, _Odd])
def test_other_vocabularies_are_met_too(kind: type, tokens: int) -> None:
    counter = kind()
    assert counter.count(words(tokens, counter, chance())) == tokens
