from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.pattern import checkable, found_in, matching

if TYPE_CHECKING:
    from k3mock.seed import Chance

COMMON = [
    r"^[A-Z]{3}-\d{4}$",
    r"^\d{3}-\d{3}-\d{4}$",
    r"^[a-z0-9_-]{3,16}$",
    r"^(foo|bar)+$",
    r"^(?:red|green|blue)$",
    r"^(?P<year>\d{4})-(0[1-9]|1[0-2])$",
    r"^#[0-9a-fA-F]{6}$",
    r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
    r"^v\d+\.\d+\.\d+(-\w+)?$",
    r"^[\u4e00-\u9fa5]{2,4}$",
    r"^[\w.-]+$",
    r"^[+-]?\d+?$",
    r"^\x41\t\n?$",
    r"^[\x41-\x43]\.\/$",
    r"colou?r",
    r"\bword\b",
    r"^a{2,}$",
    r"^[]a]$",
    r"^.{5}$",
    r"^\D\W\S\s$",
    "^$",
    "^()a$",
    "^a(?:bc|d)+(x|)$",
    "^(?:(?:a|b)c|d)$",
    "",
]


@pytest.mark.parametrize("pattern", COMMON)
def test_common_expressions_are_written(pattern: str, chance: Chance) -> None:
    text = matching(pattern, chance)
    assert text is not None
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("^(a+)+$", id="nested repetition"),
        pytest.param("^(a*)*$", id="repetition of nothing"),
        pytest.param("(((){64}){64}){64}", id="empty groups"),
        pytest.param("^(.+)(.+)(.+)(.+)$", id="many ways"),
        pytest.param(r"(a)\1", id="back reference"),
        pytest.param(r"(?=a)b", id="look ahead"),
        pytest.param(r"(?P=a)", id="named back reference"),
        pytest.param(r"(?P<a", id="unclosed name"),
        pytest.param(r"\p{L}", id="property"),
        pytest.param(r"\u12", id="short escape"),
        pytest.param("(", id="unclosed group"),
        pytest.param("(a", id="unclosed group with text"),
        pytest.param("a)", id="unopened group"),
        pytest.param("[a", id="unclosed class"),
        pytest.param("[z-a]", id="backward range"),
        pytest.param("[^ -~]", id="nothing left"),
        pytest.param("*a", id="repetition of a start"),
        pytest.param("a**", id="double repetition"),
        pytest.param("a{x}", id="odd braces"),
        pytest.param("a{3,2}", id="backward braces"),
        pytest.param("a" * 301, id="too long an expression"),
        pytest.param("ab" * 149 + "(" * 2, id="almost too long"),
        pytest.param("(" * 25 + "a" + ")" * 25, id="too deep"),
        pytest.param("[ab]" * 60 + "(?P<1>a)", id="not compilable"),
    ],
)
def test_what_is_not_understood_or_not_safe_is_left_alone(pattern: str, chance: Chance) -> None:
    assert matching(pattern, chance) is None
    assert not checkable(pattern)
    assert found_in(pattern, ["aaaa"], 0, 10) is None


def test_a_group_name_that_cannot_be_compiled_is_not_safe(chance: Chance) -> None:
    assert matching("(?P<1>a)", chance) is None
    assert not checkable("(?P<1>a)")


def test_too_many_parts_are_not_understood() -> None:
    assert not checkable("a?" * 149 + "[a]")


def test_length_is_kept(chance: Chance) -> None:
    text = matching("^[a-z]+$", chance, 20, 30)
    assert text is not None
    assert 20 <= len(text) <= 30
    assert matching("^[a-z]{3}$", chance, 5, 9) is None
    assert matching("^[a-z]{100}$", chance) is None
    assert matching("^([a-z]{30}){9}$", chance) is None


def test_an_anchor_in_the_wrong_place_cannot_be_satisfied(chance: Chance) -> None:
    assert matching("a^b", chance) is None


def test_only_texts_are_checkable() -> None:
    assert not checkable(3)
    assert checkable("a|b|")


def test_the_first_fitting_candidate_is_found() -> None:
    assert found_in(r"^[A-Z]+-\d+$", ["x", "AB-123456789", "AB-12"], 0, 6) == "AB-12"
    assert found_in(r"^[A-Z]+-\d+$", ["x"], 0, 6) is None
