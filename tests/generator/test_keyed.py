from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.keyed import kind_of, range_for, sentence, text_for, value_for
from k3mock.generator.languages.chinese import CHINESE

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.seed import Chance


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("city", "place"),
        ("departure_city", "place"),
        ("userName", "person"),
        ("created_at", "datetime"),
        ("isReady", "flag"),
        ("has_children", "flag"),
        ("目的城市", "place"),
        ("unheard", ""),
        ("", ""),
    ],
)
def test_a_key_tells_its_kind(key: str, kind: str) -> None:
    assert kind_of(key) == kind


KEYS = [
    "city", "country", "name", "company", "job", "street", "query", "expression", "date", "time",
    "created_at", "email", "url", "path", "phone", "order_id", "language", "summary", "unit",
    "currency", "color", "sentiment", "priority", "status", "weather", "tags", "count", "whatever",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_every_kind_has_a_text(key: str, chance: Chance, hint: Callable[..., Hints]) -> None:
    assert text_for(key, chance, hint("Tell me about green tea"))
    assert text_for(key, chance, hint(""))


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("city", "weather in Izmir", "Izmir"),
        ("email", "write to ann@example.org", "ann@example.org"),
        ("url", "open https://example.org/a.", "https://example.org/a"),
        ("file", "read ./src/main.py now", "./src/main.py"),
        ("date", "remind me tomorrow", "tomorrow"),
        ("time", "at 10:30", "10:30"),
        ("expression", "what is 2 + 3?", "2 + 3"),
        ("unit", "in metric please", "metric"),
        ("message", 'tell her "on my way"', "on my way"),
        ("country", "the Paris office", "Paris"),
    ],
)
def test_mentions_are_taken(
    key: str, text: str, value: str, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert text_for(key, chance, hint(text)) == value


def test_the_country_of_a_mentioned_capital_is_known(
    chance: Chance, hint: Callable[..., Hints]
) -> None:
    hints = hint("Paris")
    hints.take("place")
    assert text_for("country", chance, hints) == "France"


def test_an_id_is_made_of_the_keys_letters(chance: Chance, hint: Callable[..., Hints]) -> None:
    assert text_for("orderId", chance, hint("")).startswith("OI-")
    assert text_for("编号", chance, hint("")).startswith("N-")


def test_a_path_is_named_after_the_topic(chance: Chance, hint: Callable[..., Hints]) -> None:
    assert text_for("path", chance, hint("gardening")) == "./gardening.txt"
    assert text_for("path", chance, hint("园艺知识", CHINESE)) == "./notes.txt"


def test_ranges_depend_on_key_and_description() -> None:
    assert range_for("age") == (18, 79)
    assert range_for("x", "age") == (18, 79)
    assert range_for("x") == (1, 100)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("age", int),
        ("price", float),
        ("latitude", float),
        ("temperature", int),
        ("is_ok", bool),
        ("tags", list),
        ("name", str),
    ],
)
def test_a_value_has_the_type_that_the_key_suggests(
    key: str, kind: type, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert type(value_for(key, chance, hint("green tea"))) is kind


def test_a_mentioned_age_is_taken(chance: Chance, hint: Callable[..., Hints]) -> None:
    assert value_for("age", chance, hint("Ann is 37")) == 37
    assert isinstance(value_for("age", chance, hint("Ann is 37.5")), int)


def test_a_sentence_is_on_the_topic(chance: Chance, hint: Callable[..., Hints]) -> None:
    assert "tea" in sentence(chance, hint("tea tea")).lower() + "tea"
    assert sentence(chance, hint(""))
