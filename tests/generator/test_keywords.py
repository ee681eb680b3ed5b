from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.keywords import (
    MOST_ITEMS,
    additional,
    count,
    goes_deeper,
    texts,
    type_of,
)

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue


@pytest.mark.parametrize(
    ("schema", "branch", "name"),
    [
        ({"type": "string"}, None, "string"),
        ({"type": ["null", "string", "integer"]}, None, "string"),
        ({"type": ["null", "string", "integer"]}, 1, "integer"),
        ({"type": ["null"]}, None, "null"),
        ({"type": []}, None, ""),
        ({"type": 5, "properties": {}}, None, "object"),
        ({"items": {}}, None, "array"),
        ({"pattern": "a"}, None, "string"),
        ({"minimum": 1}, None, "number"),
        ({}, None, ""),
    ],
)
def test_the_type_is_told_or_guessed(schema: JSONObject, branch: int | None, name: str) -> None:
    assert type_of(schema, branch) == name


def test_other_properties_have_a_schema() -> None:
    assert additional({}) is True
    assert additional({"additionalProperties": {"type": "null"}}) == {"type": "null"}
    assert additional({"patternProperties": {"^a": {"type": "null"}}}) == {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "deeper"),
    [
        ({"$ref": "#"}, True),
        ({"items": {"$ref": "#"}}, True),
        ({"anyOf": [True, {"$ref": "#"}]}, True),
        ({"items": {"type": "string"}}, False),
        ({}, False),
    ],
)
def test_what_may_nest_without_end_is_known(schema: JSONObject, deeper: bool) -> None:
    assert goes_deeper(schema) is deeper


@pytest.mark.parametrize(
    ("value", "read"), [(None, 7), ("3", 7), (3, 3), (-1, 0), (10**12, MOST_ITEMS), (2.9, 2)]
)
def test_counts_are_kept_sane(value: JSONValue, read: int) -> None:
    assert count(value, 7) == read


def test_only_texts_are_taken() -> None:
    assert texts(["a", 1, None, "b"]) == ["a", "b"]
    assert texts("a") == []
