from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.denying import allowed, heeding

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue


@pytest.mark.parametrize(
    ("schema", "heeded"),
    [
        ({}, {}),
        ({"not": {"type": "string"}}, {"type": "integer"}),
        ({"not": {"type": ["string", "number"]}}, {"type": "boolean"}),
        ({"not": {"type": "string", "minLength": 2}}, {}),
        ({"not": True}, {}),
    ],
)
def test_a_forbidden_type_is_answered_by_another(schema: JSONObject, heeded: JSONObject) -> None:
    assert heeding(schema) == schema | heeded


def test_every_type_forbidden_leaves_one() -> None:
    every: list[JSONValue] = ["string", "integer", "boolean", "object", "array", "number", "null"]
    assert heeding({"not": {"type": every}})["type"] == "string"


def test_properties_that_must_not_be_there_are_left_out() -> None:
    schema: JSONObject = {
        "properties": {"a": {}, "b": {}, "c": {}},
        "required": ["a"],
        "not": {"required": ["b"]},
        "dependentSchemas": {"c": {"required": ["d"]}, "a": {}},
    }
    assert heeding(schema)["properties"] == {"a": {}}


def test_values_are_made_until_one_is_allowed() -> None:
    numbers = count()
    root: JSONObject = {"$defs": {"low": {"maximum": 3}}}
    schema: JSONObject = {"not": {"$ref": "#/$defs/low"}}
    assert allowed(schema, root, lambda: next(numbers)) == 4
    assert allowed({}, root, lambda: 1) == 1
    assert allowed({"not": {}}, root, lambda: 1) == 1
