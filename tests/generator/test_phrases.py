from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.generator.phrases import Slots, drawn, one, phrases, upper_first, vocabulary

if TYPE_CHECKING:
    from k3mock.seed import Chance


def test_a_phrase_knows_its_slots() -> None:
    (phrase,) = phrases("{a} and {b}.")
    assert phrase.needs == {"a", "b"}


def test_only_sentences_that_can_be_filled_are_drawn(chance: Chance) -> None:
    pool = phrases("{a} works.", "{z} works.", "Plain.")
    assert set(drawn(pool, Slots({"a": "tea", "z": ""}, {}), chance)) == {"Tea works.", "Plain."}


def test_nothing_fits_gives_an_empty_sentence(chance: Chance) -> None:
    assert one(phrases("{a}"), Slots({}, {}), chance) == ""


def test_a_made_word_is_drawn_once_and_kept() -> None:
    calls: list[int] = []

    def make() -> str:
        calls.append(1)
        return "Ann"

    slots = Slots({}, {"person": make})
    (phrase,) = phrases("{person} and {person}")
    assert slots.fill(phrase) == "Ann and Ann"
    assert slots.fill(phrase) == "Ann and Ann"
    assert len(calls) == 1


def test_a_word_with_braces_is_no_slot() -> None:
    (phrase,) = phrases("on {a}")
    assert Slots({"a": "{b}"}, {}).fill(phrase, capital=False) == "on {b}"


def test_capitals_are_given_to_the_first_letter_only() -> None:
    assert upper_first("") == ""
    assert upper_first("aB") == "AB"


def test_a_vocabulary_is_the_words_of_a_text() -> None:
    assert vocabulary("a b  a") == {"a", "b"}
