"""Text matchers: what fits, what does not, and how they say what they want."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.matching.text import NORMALISERS, text_matcher
from k3mock.matching.view import Memo

UUID = "0b5d7a60-9d5c-4b5a-8f52-0c1b2a3d4e5f"


@pytest.mark.parametrize(
    ("spec", "fitting", "others"),
    [
        pytest.param("hi", ["hi"], ["Hi", "hi ", ""], id="bare-is-equal"),
        pytest.param({"equals": ""}, [""], [" "], id="empty"),
        pytest.param({"equals": "Hi", "ignore_case": True}, ["hI"], ["hi!"], id="equals-any-case"),
        pytest.param({"equals": "STRASSE", "ignore_case": True}, ["straße"], [], id="folded"),
        pytest.param({"contains": "sun"}, ["a sunny day"], ["a Sunny day"], id="contains"),
        pytest.param({"contains": "SUN", "ignore_case": True}, ["a sunny day"], ["moon"],
                     id="contains-any-case"),
        pytest.param({"starts_with": "Dear"}, ["Dear Ann"], ["My Dear"], id="starts-with"),
        pytest.param({"starts_with": "dear", "ignore_case": True}, ["DEAR Ann"], [],
                     id="starts-with-any-case"),
        pytest.param({"matches": r"\bcat\b"}, ["the cat sat"], ["concatenate"], id="matches"),
        pytest.param({"matches": r"^\S+$"}, ["one"], ["two words"], id="anchored"),
        pytest.param({"matches": "A.C", "ignore_case": True}, ["xabcx"], ["xab"],
                     id="matches-any-case"),
        pytest.param({"starts_with": "a", "contains": "b", "matches": "c$"}, ["a b c"],
                     ["a b", "a c", "b c"], id="all-that-is-given"),
        pytest.param({"equals": "a b", "normalise": "whitespace"}, ["a\n\n  b ", "a b"], ["ab"],
                     id="whitespace"),
        pytest.param({"equals": "order 12", "normalise": ["digits"]},
                     ["order 7", "order 1,234.5"], ["order x"], id="digits"),
        pytest.param({"contains": f"id {UUID}", "normalise": ["uuids"]},
                     [f"the id {UUID.upper().replace('A', 'B')} is new"], ["the id 7"],
                     id="uuids"),
        pytest.param({"equals": "on 2026-09-01", "normalise": ["dates"]},
                     ["on 2025-01-31", "on 2026-09-01T10:00:00Z", "on 3.4.2026", "on 4/3/26",
                      "on September 1, 2026", "on 1 Sep 2026", "on 2026年9月1日"],
                     ["on Monday", "on 2026"], id="dates"),
        pytest.param({"equals": "at 9:30", "normalise": ["dates"]}, ["at 14:05:59", "at 2:00 pm"],
                     ["at 9"], id="times-of-day"),
        pytest.param({"matches": "^ID <uuid> of 0$", "normalise": [*NORMALISERS],
                      "ignore_case": True}, [f"id  {UUID}\tof 42"], ["id 7 of 42"],
                     id="patterns-see-the-normalised-text"),
    ],
)  # fmt: skip
def test_a_text_fits_or_not(spec: Any, fitting: list[str], others: list[str]) -> None:
    matcher = text_matcher(spec)
    assert [text for text in fitting if not matcher.holds(text, Memo())] == []
    assert [text for text in others if matcher.holds(text, Memo())] == []


@pytest.mark.parametrize(
    ("spec", "bare", "words"),
    [
        pytest.param("hi", "equals", "equals 'hi'", id="bare"),
        pytest.param("hi", "contains", "contains 'hi'", id="bare-where-contained"),
        pytest.param({"contains": "a", "matches": "b"}, "equals", "contains 'a' and matches 'b'",
                     id="two"),
        pytest.param({"equals": "a", "ignore_case": True, "normalise": "digits"}, "equals",
                     "equals 'a' (whatever the case, normalised)", id="asides"),
        pytest.param({"equals": "a", "ignore_case": False}, "equals", "equals 'a'", id="no-aside"),
    ],
)  # fmt: skip
def test_a_matcher_says_what_it_wants(spec: Any, bare: str, words: str) -> None:
    assert text_matcher(spec, bare=bare).wanted == words


def test_only_a_plain_equal_text_is_literal() -> None:
    assert text_matcher("hi").literal == "hi"
    assert text_matcher({"equals": "hi"}).literal == "hi"
    assert text_matcher({"equals": "hi", "ignore_case": True}).literal is None
    assert text_matcher({"contains": "hi"}).literal is None


def test_a_text_is_normalised_once_for_many_matchers() -> None:
    memo = Memo()
    for wanted in ("a", "b", "c"):
        text_matcher({"contains": wanted, "ignore_case": True}).holds("A B", memo)
    assert list(memo.values()) == ["a b"]


def test_normalising_with_and_without_case_are_kept_apart() -> None:
    memo = Memo()
    both: Any = {"normalise": ["whitespace"], "ignore_case": True}
    assert text_matcher({"equals": "A B", **both}).holds("a  b", memo)
    assert text_matcher({"matches": "a b", **both}).holds("A  B", memo)
    assert not text_matcher({"equals": "A B", "normalise": ["whitespace"]}).holds("a  b", memo)
