from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.languages import ENGLISH, JAPANESE, LANGUAGES
from k3mock.generator.layouts import capitals_table, haiku, poem, table
from k3mock.generator.phrases import Slots

if TYPE_CHECKING:
    from k3mock.generator.language import Language
    from k3mock.seed import Chance

IDS = [language.code for language in LANGUAGES]


def _cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


@pytest.mark.parametrize("language", LANGUAGES, ids=IDS)
@pytest.mark.parametrize("rows", [None, 1, 3, 12])
def test_a_table_has_a_column_for_each_thing(
    language: Language, rows: int | None, chance: Chance
) -> None:
    head, rule, *body = _cells(table(language, ["A|B", "C"], chance, rows=rows))
    assert head[1:] == ["A/B", "C"]
    assert rule == ["---"] * 3
    assert len(body) == (rows or 4)
    assert all(len(line) == 3 and all(line) for line in body)
    assert len({line[0] for line in body}) == len(body)


def test_a_table_about_nothing_has_a_column_for_remarks(chance: Chance) -> None:
    assert _cells(table(ENGLISH, [], chance))[0] == ["Aspect", "Assessment"]


@pytest.mark.parametrize("language", LANGUAGES, ids=IDS)
def test_a_table_of_countries_holds_their_capitals(language: Language, chance: Chance) -> None:
    body = _cells(capitals_table(language, chance, 3))[2:]
    assert len(body) == 3
    for country, capital in body:
        assert language.facts["capital"][country.lower()] == capital


@pytest.mark.parametrize("language", LANGUAGES, ids=IDS)
@pytest.mark.parametrize(
    "topics", [(), ("cat",), ("mountain",), ("extraordinarily long topic",), ("x",)]
)
def test_a_haiku_has_three_lines(
    language: Language, topics: tuple[str, ...], chance: Chance
) -> None:
    lines = haiku(language, topics, chance).splitlines()
    assert len(lines) == 3
    assert all(lines)


def test_a_short_topic_opens_the_haiku(chance: Chance) -> None:
    assert haiku(ENGLISH, ("a very long topic indeed", "maple"), chance).startswith("Maple")
    assert haiku(JAPANESE, ("桜",), chance).startswith("桜")


@pytest.mark.parametrize("language", LANGUAGES, ids=IDS)
def test_a_poem_has_whole_pairs_of_lines(language: Language, chance: Chance) -> None:
    with_topic = poem(language, Slots({"a": "tea", "A": "Tea"}, {}), chance).splitlines()
    without = poem(language, Slots({}, {}), chance).splitlines()
    assert len(with_topic) in {4, 6}
    assert len(without) in {2, 4}
    assert not any(re.search(r"[{}]", line) for line in with_topic + without)
