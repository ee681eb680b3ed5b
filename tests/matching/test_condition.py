"""Values in messages: short, safe to show, and readable."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.matching.condition import listed, shorter, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a\nb", "'a\\nb'", id="text"),
        pytest.param({"a": [1, None]}, '{"a":[1,null]}', id="json"),
        pytest.param(1 << 70, str(1 << 70), id="beyond-64-bits"),
        pytest.param("Bearer abcdefg1", "'Bearer [redacted]'", id="key"),
        pytest.param("x" * 290 + " sk-abcdefgh1234567", "'" + "x" * 290 + " [redacte…'",
                     id="key-at-the-cut"),
        pytest.param({"a": "x" * 285 + " sk-abcdefgh1234567"}, '{"a":"' + "x" * 285 + " [redacte",
                     id="key-at-the-cut-of-json"),
        pytest.param({"password": "hunter2"}, '{"password":"[redacted]"}', id="secret-field"),
    ],
)  # fmt: skip
def test_a_value_is_shown(value: Any, text: str) -> None:
    assert shown(value) == text


def test_long_values_are_cut() -> None:
    assert len(shown("x" * 1000)) == 302
    assert len(shown(["x" * 1000])) == 300
    assert len(shorter("x" * 1000)) == 300


def test_names_are_listed_sets_in_order() -> None:
    assert listed(["b", "a"]) == "b, a"
    assert listed(frozenset({"b", "a"})) == "a, b"
    assert listed(()) == "none"
    assert listed(None) == "none"
