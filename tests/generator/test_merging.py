from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.merging import Flattener, number, pointed

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue


@pytest.mark.parametrize(
    ("value", "read"),
    [(1, 1), (1.5, 1.5), (True, None), ("1", None), (float("nan"), None), (1e301, None)],
)
def test_only_sane_numbers_are_numbers(value: JSONValue, read: float | None) -> None:
    assert number(value) == read


def test_local_references_are_followed() -> None:
    root: JSONValue = {"$defs": {"a/b": [{"x": 1}]}, "n": 3}
    assert pointed(root, "#") == root
    assert pointed(root, "#/$defs/a~1b/0/x") == 1
    assert pointed(root, "#/$defs/a~1b/7") is None
    assert pointed(root, "#/n/deeper") is None
    assert pointed(root, "https://example.org/schema") is None


def test_references_and_all_of_are_merged() -> None:
    schema: JSONObject = {
        "$ref": "#/$defs/base",
        "allOf": [{"required": ["b", "a"], "minLength": 3}, True],
        "required": ["a"],
        "$defs": {"base": {"minLength": 5, "maxLength": 9}},
    }
    flat = Flattener(schema).flat(schema)
    assert flat["required"] == ["a", "b"]
    assert flat["minLength"] == 5
    assert flat["maxLength"] == 9


def test_an_endless_reference_ends() -> None:
    schema: JSONObject = {"$ref": "#", "type": "object"}
    assert Flattener(schema).flat(schema)["type"] == "object"


def test_a_condition_takes_the_wanted_branch() -> None:
    schema: JSONObject = {
        "if": {"properties": {"a": {"const": 1}}},
        "then": {"required": ["a"]},
        "else": {"required": ["b"]},
    }
    assert Flattener(schema).flat(schema)["required"] == ["a"]
    assert Flattener(schema, otherwise=True).flat(schema)["required"] == ["b"]


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        pytest.param({"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [2]}, id="enum"),
        pytest.param({"enum": [1]}, {"enum": [3]}, {"enum": [3]}, id="contradictory enum"),
        pytest.param(
            {"type": ["string", "null"]}, {"type": "string"}, {"type": ["string"]}, id="type"
        ),
        pytest.param({"type": "number"}, {"type": "integer"}, {"type": ["integer"]}, id="integer"),
        pytest.param({"maximum": 3}, {"maximum": 2}, {"maximum": 2}, id="smaller"),
        pytest.param({"minimum": "x"}, {"minimum": 2}, {"minimum": 2}, id="odd left"),
        pytest.param({"minimum": 2}, {"minimum": "x"}, {"minimum": 2}, id="odd right"),
        pytest.param({"title": "a"}, {"title": "b"}, {"title": "b"}, id="other"),
        pytest.param(
            {"anyOf": [{"a": 1}]}, {"anyOf": [{"b": 2}]},
            {"anyOf": [{"allOf": [{"a": 1}, {"b": 2}]}]}, id="alternatives",
        ),
        pytest.param({"anyOf": 1}, {"anyOf": []}, {"anyOf": []}, id="odd alternatives"),
        pytest.param(
            {"items": {"a": 1}}, {"items": {"b": 2}},
            {"items": {"allOf": [{"a": 1}, {"b": 2}]}}, id="items",
        ),
        pytest.param({"items": {"a": 1}}, {"items": {"a": 1}}, {"items": {"a": 1}}, id="same"),
        pytest.param(
            {"properties": {"x": True, "y": 1}}, {"properties": {"x": {"a": 1}, "y": 1, "z": 2}},
            {"properties": {"x": {"allOf": [True, {"a": 1}]}, "y": 1, "z": 2}}, id="properties",
        ),
        pytest.param({"required": None}, {"required": ["a"]}, {"required": ["a"]}, id="odd"),
    ],
)  # fmt: skip
def test_two_schemas_become_one(left: JSONObject, right: JSONObject, both: JSONObject) -> None:
    assert Flattener({}).merge(left, right) == both
