"""Regular expressions: they mean what Python's own mean, and none takes for ever."""

from __future__ import annotations

import re
import time
import warnings

import pytest

from k3mock.matching.search import may_take_long, read_expression
from k3mock.matching.view import Memo

TEXTS = (
    "",
    "a",
    "aaa",
    "foo bar",
    "a{e}",
    "a{2}",
    "{x}",
    "x}",
    "—",
    "Ünï",
    "a\nb",
    "[a]",
    "A1",
    "ab12",
)


@pytest.mark.parametrize(
    "expression",
    ["a+", "^a*$", "a{2}", "a{e}?", "a{2,}", "a{,2}$", "{x}+", r"\{x\}+", r"\N{EM DASH}+", "[{e}]+",
     "(?i)ü.*", "a.b?", "(?s)a.b?", r"\w+\d*$", "[^\\W\\d]+", "(?:foo|bar) ?", "(a)\\1+", "a?b+",
     "(?m)^b*$", r"\\{e}+", "(?<=a)b*", "x{}}?", "[]a]+", "[[a]+"],
)  # fmt: skip
@pytest.mark.parametrize("ignore_case", [True, False])
def test_an_expression_means_what_pythons_own_means(expression: str, *, ignore_case: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = re.compile(expression, re.IGNORECASE if ignore_case else 0)
    found_in = read_expression(expression, ignore_case=ignore_case).found_in
    for text in TEXTS:
        assert found_in(text, Memo()) is (expected.search(text) is not None), text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        pytest.param("^(a|a)*$", "a" * 40 + "!", id="either"),
        pytest.param("^(a|aa)+$", "a" * 60 + "!", id="either-longer"),
    ],
)
def test_an_endless_search_is_given_up(expression: str, text: str) -> None:
    memo = Memo()
    found_in = read_expression(expression).found_in
    before = time.thread_time()
    assert not found_in(text, memo)
    assert memo.gave_up
    assert time.thread_time() - before < 2


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        pytest.param("^(a+)+$", "a" * 40 + "!", id="nested"),
        pytest.param("(a?){40}a{40}b", "a" * 40, id="counted"),
        pytest.param(".*.*.*.*=", "a" * 5000, id="many"),
    ],
)
def test_no_search_takes_long(expression: str, text: str) -> None:
    before = time.thread_time()
    assert not read_expression(expression).found_in(text, Memo())
    assert time.thread_time() - before < 2


def test_once_given_up_no_expression_that_repeats_is_searched_for_in_that_request() -> None:
    memo = Memo()
    memo.patience_ms = 0
    assert not read_expression("a+").found_in("a", memo)
    assert read_expression("a").found_in("a", memo)


@pytest.mark.parametrize(
    ("expression", "long"),
    [("(a+)+", True), ("(a*)*", True), ("((?:ab+)c)*", True), ("(a+){3}", True), ("(a+)?", False),
     ("a+b+", False), ("(ab)+", False), (r"(\(a\+)+", False), ("[(a+)+]+", False), ("a)+", False),
     ("((ab)+c)+", True), ("(a+)(b)+", False)],
)  # fmt: skip
def test_repeated_repeats_are_known(expression: str, *, long: bool) -> None:
    assert may_take_long(expression) is long


def test_doubts_are_kept_and_not_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert "nested set" in read_expression("[[a]]").doubts[0]
        assert read_expression("[a]").doubts == ()
