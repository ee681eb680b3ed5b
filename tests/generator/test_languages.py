from __future__ import annotations

import re

import pytest

from k3mock.generator.languages import LANGUAGES
from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH

SLOTS = {
    "quote", "a", "b", "c", "form", "tool", "values", "tools", "media", "source", "result",
    "facts", "person", "first", "company", "city", "A",
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
class TestEveryLanguage:
    def test_has_the_same_situations(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        assert language.phrases.keys() == ENGLISH.phrases.keys()
        assert language.asks.keys() == ENGLISH.asks.keys()
        assert language.facts.keys() == ENGLISH.facts.keys()
        assert language.facts["word"].keys() == ENGLISH.facts["word"].keys()

    def test_uses_only_known_slots(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        for pool in language.phrases.values():
            for phrase in pool:
                assert phrase.needs <= SLOTS, phrase

    def test_has_a_sentence_without_slots_for_every_place(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        for situation in ("think_plain", "say_lead_plain", "say_close_plain", "go_on_new",
                          "go_on_comma", "go_on_colon", "go_on_verb", "go_on_article",
                          "go_on_other", "think_done", "say_result_close"):  # fmt: skip
            assert any(not phrase.needs for phrase in language.phrases[situation]), situation

    def test_says_exactly_so_many_words(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        for count, pool in language.exact.items():
            for phrase in pool:
                text = phrase.text.format(one="tea")
                letters = re.findall(r"\w", text)
                words = text.split()
                found = len(words) if language.breaks is None else len(letters)
                assert found == count, phrase

    def test_has_the_lines_of_a_haiku(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        assert sorted(language.haiku) == [0, 1, 2, 3, 4, 5, 7]
        for count in (1, 2, 3, 4):
            assert all(line.needs == {"a"} for line in language.haiku[count])
        for count in (0, 5, 7):
            assert not any(line.needs for line in language.haiku[count])

    def test_numbers_are_read(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        assert language.number("12") == 12
        assert language.number(None) is None
        assert language.number("") is None
        assert {2, 3, 5} <= set(language.numbers.values())

    def test_has_rows_for_a_table(self, language: object) -> None:
        assert isinstance(language, type(ENGLISH))
        assert len(language.aspects) >= 5
        assert all(len(cells) > 1 for _, cells in language.aspects)


def test_things_are_listed_as_the_language_lists_them() -> None:
    assert ENGLISH.listed(()) == ""
    assert ENGLISH.listed(("a",)) == "a"
    assert ENGLISH.listed(("a", "b", "c")) == "a, b and c"
    assert CHINESE.listed(["甲", "乙"]) == "甲和乙"


def test_numbers_are_read_in_digits_and_words() -> None:
    assert ENGLISH.number("Five") == 5
    assert ENGLISH.number("12") == 12
    assert ENGLISH.number("9" * 30) == 999_999_999
    assert ENGLISH.number("some") is None
    assert ENGLISH.number(None) is None
    assert CHINESE.number("三") == 3
