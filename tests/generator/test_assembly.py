from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.assembly import Composer, clip
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterable

COUNTER = TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.text(max_size=300), st.integers(1, 40))
def test_a_clipped_text_never_has_too_many_tokens(text: str, tokens: int) -> None:
    assert COUNTER.count(clip(text, tokens, COUNTER)) <= tokens


def test_a_short_text_is_not_clipped() -> None:
    assert clip("two words", 10, COUNTER) == "two words"


def test_a_long_text_is_clipped_between_words() -> None:
    text = "the quick brown fox jumps over the lazy dog again and again"
    short = clip(text, 6, COUNTER)
    assert short.endswith("…")
    assert text.startswith(short[:-1])
    assert text[len(short) - 1] == " "


def test_nothing_is_left_of_a_text_when_not_even_the_mark_fits() -> None:
    assert clip("words and words", 0, COUNTER) == ""
    assert clip("一二三四五六七八九十百千万亿兆", 1, COUNTER, mark=" [and so on]") == ""


def test_stages_stand_in_order_though_they_give_in_turn() -> None:
    composer = Composer(COUNTER, " ", (1, 100))
    stages: list[Iterable[str]] = [["A one.", "A two."], ["B one.", "B two."]]
    text = composer.compose("Start.", stages, "End.", 100)
    assert text == "Start. A one. A two. B one. B two. End."


def test_composing_stops_at_the_target() -> None:
    composer = Composer(COUNTER, " ", (1, 100))
    stages: list[Iterable[str]] = [["A short sentence."] * 20]
    assert COUNTER.count(composer.compose("Start.", stages, "End.", 15)) < 25
    assert composer.compose("Start.", stages, "", 2) == "Start."


def test_a_sentence_that_is_too_long_is_left_out() -> None:
    composer = Composer(COUNTER, " ", (1, 20))
    assert composer.compose("Start.", [["word " * 40, "Fine."]], "End.", 20) == "Start. Fine. End."


@pytest.mark.parametrize("most", [3, 8])
def test_the_most_tokens_hold_even_if_opening_and_closing_are_too_long(most: int) -> None:
    composer = Composer(COUNTER, " ", (1, most))
    text = composer.compose("one two three four five", [[]], "six seven eight nine ten", 5)
    assert 0 < COUNTER.count(text) <= most


def test_sentences_that_cost_more_together_are_dropped_from_the_end() -> None:
    class Odd(TokenCounter):
        """Counts a whole text as more than its sentences."""

        def count(self, text: str) -> int:
            return 50 * text.count(".") if text.count(".") > 2 else 2

    composer = Composer(Odd(COUNTER.vocabulary), " ", (1, 40))
    assert composer.compose("A.", [["B.", "C."]], "D.", 40) == "A. D."
