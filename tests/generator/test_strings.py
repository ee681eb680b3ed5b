from __future__ import annotations

import re
from typing import TYPE_CHECKING

import jsonschema
import pytest

from k3mock.generator.strings import drawn_date, drawn_time, fitted, formatted

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.seed import Chance

FORMATS = [
    "date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname",
    "uri", "url", "iri", "uri-reference", "iri-reference", "uri-template", "uuid", "ipv4", "ip",
    "ipv6", "json-pointer", "relative-json-pointer", "regex", "byte", "base64",
]  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_drawn_validly(name: str, chance: Chance) -> None:
    text = formatted(name, chance)
    assert text
    assert jsonschema.Draft202012Validator.FORMAT_CHECKER.conforms(text, name)


def test_an_unknown_format_is_none(chance: Chance) -> None:
    assert formatted("colour", chance) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("date", "2026-05-01"),
        ("email", "ann@example.org"),
        ("uri", "https://example.org/x"),
        ("ipv4", "10.0.0.7"),
        ("uuid", "123e4567-e89b-42d3-a456-426614174000"),
    ],
)
def test_what_the_text_mentions_comes_first(
    name: str, text: str, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert formatted(name, chance, hint(f"Take {text} please")) == text


@pytest.mark.parametrize("text", ["2026-99-01", "2026-1-5", "2026年5月1日"])
def test_a_date_in_another_form_is_not_taken(
    text: str, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert formatted("date", chance, hint(f"on {text}.")) != text


def test_dates_and_times_look_like_it(chance: Chance) -> None:
    assert re.fullmatch(r"202[67]-\d\d-\d\d", drawn_date(chance))
    assert re.fullmatch(r"\d\d:\d\d:00", drawn_time(chance))


@pytest.mark.parametrize(
    ("text", "least", "most", "fit"),
    [
        ("hello world", 0, 20, "hello world"),
        ("hello world", 0, 6, "hello"),
        ("hello world", 6, 6, "hello "),
        ("ab", 5, 9, "ab ab"),
        ("ab", 3, 9, "ab."),
        ("", 2, 9, "te"),
        ("abc", 0, 0, ""),
    ],
)
def test_a_text_is_made_to_fit(text: str, least: int, most: int, fit: str) -> None:
    assert fitted(text, least, most) == fit
