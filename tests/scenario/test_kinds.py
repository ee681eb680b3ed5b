"""Shapes: what they take, and how messages say it."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.scenario.kinds import (
    Anything,
    Either,
    Flag,
    Items,
    Null,
    Number,
    Record,
    Ref,
    Shape,
    Text,
    accepts,
    takes,
)

NAMES: dict[str, Shape] = {"word": Text(choices=("a", "b"))}


@pytest.mark.parametrize(
    ("shape", "words", "taken", "refused"),
    [
        pytest.param(Text(), "text", ["", "a"], [1, None, True, [], {}], id="text"),
        pytest.param(Text(choices=("a", "b")), "one of a, b", ["a", "z"], [1], id="choices"),
        pytest.param(Number(), "a whole number", [1, 0.5], ["1", True, None], id="number"),
        pytest.param(Number(least=1), "a whole number from 1 up", [1], ["1"], id="least"),
        pytest.param(Number(whole=False, least=0, most=1), "a number from 0 to 1", [1], [False],
                     id="share"),
        pytest.param(Flag(), "true or false", [True, False], [0, "true", None], id="flag"),
        pytest.param(Flag(only=False), "false", [False], [True, 0], id="only-false"),
        pytest.param(Null(), "null", [None], [0, "", False], id="null"),
        pytest.param(Anything(), "any value", [None, 1, "a", [], {}], [], id="anything"),
        pytest.param(Items(item=Text()), "a list", [[], [1]], ["a", {}], id="list"),
        pytest.param(Record(), "a mapping", [{}], [[], "a"], id="mapping"),
        pytest.param(Record(fields={"a": Text(), "b": Text()}), "a mapping with a, b", [{}],
                     [None], id="record"),
        pytest.param(Either(options=(Text(), Null())), "text; or null", ["a", None], [1],
                     id="either"),
        pytest.param(Ref(name="word"), "one of a, b", ["a"], [1], id="ref"),
    ],
)  # fmt: skip
def test_a_shape_takes_types_and_says_so(
    shape: Shape, words: str, taken: list[Any], refused: list[Any]
) -> None:
    assert accepts(shape, NAMES) == words
    assert [value for value in taken if not takes(shape, value, NAMES)] == []
    assert [value for value in refused if takes(shape, value, NAMES)] == []
