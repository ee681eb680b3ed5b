from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.amounts import amount
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONObject
    from k3mock.seed import Chance

LIMIT = st.integers(-(10**6), 10**6)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(LIMIT, LIMIT, st.booleans(), st.booleans(), st.integers(0, 99))
def test_a_number_is_within_its_limits(a: int, b: int, whole: bool, open_: bool, n: int) -> None:
    low, high = min(a, b), max(a, b) + 2
    names = ("exclusiveMinimum", "exclusiveMaximum") if open_ else ("minimum", "maximum")
    schema: JSONObject = {names[0]: low, names[1]: high}
    value = amount(schema, "", whole=whole, chance=Seed(value=n).chance(b"x"), hints=None)
    assert low <= value <= high
    assert not open_ or low < value < high
    assert not whole or isinstance(value, int)


@pytest.mark.parametrize(
    "schema",
    [
        {"multipleOf": 7},
        {"multipleOf": 0.5, "minimum": 3},
        {"multipleOf": 0.01},
        {"multipleOf": 500, "maximum": 1},
        {"multipleOf": 500, "minimum": 3},
        {"multipleOf": 10**9},
        {"multipleOf": 4, "minimum": 4, "maximum": 4},
        {"multipleOf": 3, "minimum": 0, "maximum": 0},
    ],
)
def test_a_number_is_a_multiple(schema: JSONObject, chance: Chance) -> None:
    value = amount(schema, "", whole=False, chance=chance, hints=None)
    step = schema["multipleOf"]
    assert isinstance(step, int | float)
    assert (value / step).is_integer()


@pytest.mark.parametrize("step", [0.3, 2.5])
def test_an_integer_takes_a_step_that_keeps_it_whole_if_it_can(step: float, chance: Chance) -> None:
    value = amount({"multipleOf": step}, "", whole=True, chance=chance, hints=None)
    assert isinstance(value, int)


def test_old_exclusive_limits_are_understood(chance: Chance) -> None:
    schema: JSONObject = {
        "minimum": 3, "maximum": 5, "exclusiveMinimum": True, "exclusiveMaximum": True,
    }  # fmt: skip
    assert amount(schema, "", whole=True, chance=chance, hints=None) == 4


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": 5, "maximum": 3},
        {"minimum": 1e299},
        {"maximum": -1e299},
        {"minimum": 10**30},
        {"minimum": 5, "maximum": 3, "multipleOf": 2},
        {"minimum": -1, "maximum": 1e-9, "multipleOf": 1e-300},
    ],
)
def test_what_cannot_be_satisfied_still_gives_a_number(schema: JSONObject, chance: Chance) -> None:
    for whole in (True, False):
        assert isinstance(amount(schema, "", whole=whole, chance=chance, hints=None), int | float)


def test_narrow_limits_are_kept(chance: Chance) -> None:
    value = amount({"minimum": 3.001, "maximum": 3.002}, "", whole=False, chance=chance, hints=None)
    assert 3.001 <= value <= 3.002


def test_a_mentioned_number_is_taken_once(chance: Chance, hint: Callable[..., Hints]) -> None:
    hints = hint("Book 3 seats for 250 euro")
    schema: JSONObject = {"minimum": 100}
    assert amount(schema, "price", whole=True, chance=chance, hints=hints) == 250
    assert amount({}, "seats", whole=True, chance=chance, hints=hints) == 3
    assert hints.all("number") == []


def test_a_mentioned_number_is_no_latitude(chance: Chance, hint: Callable[..., Hints]) -> None:
    hints = hint("Book 3 seats")
    amount({"description": "latitude"}, "latitude", whole=False, chance=chance, hints=hints)
    assert hints.all("number") == ["3"]


def test_the_key_tells_what_is_usual(chance: Chance) -> None:
    assert 18 <= amount({}, "age", whole=True, chance=chance, hints=None) <= 79
    told: JSONObject = {"description": "age"}
    assert 18 <= amount(told, "x", whole=True, chance=chance, hints=None) <= 79
