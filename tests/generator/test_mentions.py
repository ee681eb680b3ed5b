from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.languages.russian import RUSSIAN
from k3mock.generator.mentions import first_sentence, mentioned

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ('say "one" and “two”', "quoted", ["one", "two"]),
        ("it's Ann's 'third' thing", "quoted", ["third"]),
        ("see https://a.example/x?y=1, ok", "url", ["https://a.example/x?y=1"]),
        ("a.b+c@example.org and x@y", "email", ["a.b+c@example.org"]),
        ("on 2026-05-01 or 2026年5月2日", "date", ["2026-05-01", "2026年5月2日"]),
        ("at 2026-05-01T10:00:00Z", "datetime", ["2026-05-01T10:00:00Z"]),
        ("from 9:05 to 10:30", "time", ["9:05", "10:30"]),
        ("ping 10.0.0.1", "ipv4", ["10.0.0.1"]),
        ("open /etc/hosts and notes.md", "path", ["/etc/hosts", "notes.md"]),
        ("3 seats, -4.5 degrees, two cats", "number", ["3", "-4.5", "2"]),
        ("12 * (7+3)", "expression", ["12 * (7+3)"]),
        ("Tomorrow or today", "day", ["tomorrow", "today"]),
        ("from New York to Izmir", "place", ["New York", "Izmir"]),
        ("Weather in Paris and London please", "place", ["Paris", "London", "Weather"][:2]),
        ("is Gotham's harbour far?", "place", ["Gotham"]),
        ("Gotham is far", "place", ["Gotham"]),
        ("to Gotham Please now", "place", ["Gotham"]),
        ("Tell me a joke on Monday in English", "place", None),
    ],
)
def test_values_are_found_by_kind(text: str, kind: str, values: list[str] | None) -> None:
    assert mentioned(text, ENGLISH).get(kind) == values


def test_chinese_places_are_found() -> None:
    assert mentioned("从北京到上海的机票", CHINESE)["place"][:2] == ["北京", "上海"]


def test_a_text_with_thousands_of_mentions_gives_few() -> None:
    assert len(mentioned(" ".join(str(n) for n in range(500)), ENGLISH)["number"]) == 40


def test_each_mention_is_handed_out_once(hint: Callable[..., Hints]) -> None:
    hints = hint("3 and 4")
    assert [hints.take("number"), hints.take("number"), hints.take("number")] == ["3", "4", None]
    assert hints.copy().take("number") is None


def test_a_copy_hands_out_what_was_left(hint: Callable[..., Hints]) -> None:
    hints = hint("3 and 4")
    assert hints.copy().take("number") == "3"
    assert hints.take("number") == "3"
    assert hints.copy().all("number") == ["4"]
    assert hints.unmentioned().all("number") == []


def test_a_preferred_mention_is_the_only_one(hint: Callable[..., Hints]) -> None:
    hints = hint("Paris or Rome")
    hints.prefer("place", "Rome")
    assert hints.all("place") == ["Rome"]


def test_keywords_go_round(hint: Callable[..., Hints]) -> None:
    hints = hint("green tea")
    assert [hints.keyword() for _ in range(3)] == ["green", "tea", "green"]
    assert hint("").keyword()


def test_a_query_is_quoted_text_or_keywords(hint: Callable[..., Hints]) -> None:
    assert hint('look up "black tea"').query() == "black tea"
    assert hint("Google the history of tea").query() == "history tea"
    assert hint("泡茶历史", CHINESE).query() == "泡茶历史"
    assert hint("42").query() == "42"
    assert hint("").query()


def test_telling_words_are_quoted_or_have_digits(hint: Callable[..., Hints]) -> None:
    assert hint('the "red" order AB-12.').telling() == ["red", "AB-12"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One"),
        ("v1.2 is out! Yes", "v1.2 is out"),
        ("\n\n line\nnext", "line"),
        ("好吗？是的", "好吗"),
        ("...", ""),
        ("", ""),
    ],
)
def test_the_first_sentence_ends_where_it_ends(text: str, sentence: str) -> None:
    assert first_sentence(text, ENGLISH).strip(".") == sentence


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("run git status -s now", "command", ["git status -s now"]),
        ("just ls", "command", []),
        ("convert 5 USD to EUR", "currency", ["USD", "EUR"]),
        ("price of AAPL and MSFT", "ticker", ["AAPL", "MSFT"]),
        ("order #1234 and AB-77", "code", ["#1234", "AB-77"]),
        ("write to Ann Lee", "person", ["Ann Lee"]),
        ("fly to New York", "person", []),
        ("fly to New York", "place", ["New York"]),
        ("say „ja“ or «oui»", "quoted", ["ja", "oui"]),
    ],
)
def test_more_kinds_are_found(text: str, kind: str, found: list[str]) -> None:
    assert mentioned(text, ENGLISH).get(kind, []) == found


def test_places_with_endings_are_known() -> None:
    assert mentioned("Погода в Москве и в Казани", RUSSIAN)["place"] == ["Москва", "Казань"]
    assert mentioned("три города", RUSSIAN)["number"] == ["3"]
