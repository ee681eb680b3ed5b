from __future__ import annotations

from typing import TYPE_CHECKING

import jsonschema
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.keywords import MOST_ITEMS
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.mentions import Hints
from k3mock.generator.names import Vocabularies
from k3mock.generator.phrases import vocabulary
from k3mock.generator.schema import instance
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.seed import Chance

VOCABULARIES = Vocabularies()
TEXT = 'Book 3 seats from Paris to Rome on 2026-05-01 for "Ann Lee", order AB-1234'


def make(schema: JSONObject, seed: int = 1, text: str = TEXT) -> JSONValue:
    chance = Seed(value=seed).chance(b"schema")
    hints = Hints(text, ENGLISH, VOCABULARIES.seeded(ENGLISH, chance), ("seats", "order"))
    return instance(schema, chance, hints)


def is_valid(schema: JSONObject, value: JSONValue) -> bool:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return bool(jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value))


NODE: JSONObject = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
        "other": {"$ref": "#/$defs/node"},
    },
    "required": ["value", "children", "next"],
}

PLAIN = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "email"},
        {"type": "string", "pattern": r"^[A-Z]{2}-\d{4}$"},
        {"type": "integer", "minimum": -3, "maximum": 3},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "integer", "multipleOf": 7},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"enum": [None, "a", 2]},
        {"const": {"a": 1}},
        {},
        True,
        {"$ref": "#/$defs/node"},
    ]
)
NAMES = st.sampled_from(
    ["city", "age", "name", "email", "tags", "date", "url", "count", "is_ok", "price", "note"]
)


def _object(properties: dict[str, JSONValue], closed: bool) -> JSONObject:
    schema: JSONObject = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name < "e"],
    }
    return {**schema, "additionalProperties": False} if closed else schema


def _array(items: JSONValue, least: int, more: int) -> JSONObject:
    return {"type": "array", "items": items, "minItems": least, "maxItems": least + more}


SCHEMAS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.builds(_object, st.dictionaries(NAMES, inner, max_size=5), st.booleans()),
        st.builds(_array, inner, st.integers(0, 4), st.integers(0, 4)),
        st.builds(lambda some: {"anyOf": some}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=10,
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(SCHEMAS, st.integers(0, 1000))
def test_instances_are_valid_under_their_schema(schema: JSONValue, seed: int) -> None:
    known = {**schema} if isinstance(schema, dict) else {}
    full: JSONObject = {**known, "$defs": {"node": NODE}}
    assert is_valid(full, make(full, seed))


KEYWORDS = st.sampled_from(
    sorted(
        vocabulary(
            """type properties required items prefixItems enum const anyOf oneOf allOf $ref $defs
            minItems maxItems minLength maxLength minimum maximum exclusiveMinimum multipleOf
            pattern format default uniqueItems minProperties additionalProperties if then else not
            patternProperties contains minContains propertyNames dependentRequired a"""
        )
    )
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["object", "array", "string", "integer", "#", "#/$defs/a", "^(a+)+$", "date"]),
)
GARBAGE = st.dictionaries(
    KEYWORDS,
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(KEYWORDS, inner, max_size=4)
        ),
        max_leaves=15,
    ),
    max_size=6,
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(GARBAGE)
def test_garbage_still_gives_something_that_can_be_written(schema: JSONObject) -> None:
    orjson.dumps(make(schema))


def _deep(levels: int) -> JSONObject:
    schema: JSONObject = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


HOSTILE: dict[str, JSONObject] = {
    "many items": {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
    "long text": {"type": "string", "minLength": 10**9},
    "many keys": {"type": "object", "minProperties": 10**9},
    "needs itself": {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    "wide and deep": {
        "type": "array", "minItems": 50, "items": {"$ref": "#"},
    },
    "is itself": {"$ref": "#"},
    "contradiction": {"type": "string", "allOf": [{"type": "integer"}]},
    "nothing": {"not": {}},
    "deep": _deep(900),
    "equal and deep": {"allOf": [_deep(900), _deep(900)]},
    "deep constant": {"const": _deep(900)},
    "hostile pattern": {"type": "string", "pattern": "^(a+)+$"},
    "unlike items": {"type": "array", "minItems": 5, "uniqueItems": True, "items": {"const": 1}},
    "huge enum": {"enum": list(range(100_000))},
    "huge object": {"type": "object", "properties": {f"p{n}": {} for n in range(20_000)}},
    "unwritable": {"const": 10**30},
    "false": {"type": "object", "properties": {"a": False}, "required": ["a"]},
    "odd type": {"type": "thing"},
    "no types": {"type": []},
    "odd items": {"type": "array", "items": [{"type": "string"}, 5], "additionalItems": False},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_end_soon(name: str) -> None:
    assert len(orjson.dumps(make(HOSTILE[name]))) < 300_000


VALID: dict[str, JSONObject] = {
    "tuple": {
        "type": "array", "prefixItems": [{"type": "integer"}, {"const": "x"}], "items": False,
    },
    "tuple and more": {"prefixItems": [{"type": "integer"}], "minItems": 3},
    "unlike": {"type": "array", "items": {"type": "string"}, "minItems": 6, "uniqueItems": True},
    "unlike words": {
        "type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 2,
        "uniqueItems": True,
    },
    "contains": {"type": "array", "items": {"type": "integer"}, "contains": {"const": 4}},
    "contains only": {"type": "array", "contains": {"const": 4}, "minContains": 2, "maxItems": 2},
    "contains too many": {"contains": {"const": 4}, "minContains": 1, "maxItems": 1},
    "least keys": {"type": "object", "minProperties": 3, "properties": {"a": {}}},
    "named keys": {
        "type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[a-z]{4}$"},
        "additionalProperties": {"type": "integer"},
    },
    "patterned keys": {
        "minProperties": 1, "patternProperties": {"^x_[a-z]+$": {"type": "boolean"}},
        "additionalProperties": False,
    },
    "depending": {
        "type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"],
        "dependentRequired": {"a": ["b"], "c": ["d"]},
    },
    "condition": {
        "properties": {"kind": {"enum": ["x", "y"]}}, "required": ["kind"],
        "if": {"properties": {"kind": {"const": "x"}}},
        "then": {"required": ["only_x"]}, "else": {"required": ["only_y"]},
    },
    "impossible items": {"type": "array", "items": {"allOf": [{"const": 1}, {"const": 2}]}},
    "impossible option": {"type": "object", "properties": {"a": {"not": {}}, "b": False}},
    "deep alternatives": {"anyOf": [{"anyOf": [{"anyOf": [{"anyOf": [
        {"anyOf": [{"type": "null"}]}]}]}]}]},
    "contains nothing": {"contains": {}, "minContains": 0, "maxItems": 0},
    "one of": {"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 3}]},
    "alternatives of alternatives": {"anyOf": [{"oneOf": [{"type": "null"}, {"type": "boolean"}]}]},
    "no real alternatives": {"anyOf": [], "type": "string"},
    "only null": {"type": ["null"]},
    "bad default": {"type": "integer", "default": "many"},
    "format and pattern": {"type": "string", "format": "date", "pattern": "^[0-9]{4}-01-0[1-9]$"},
    "unknown format": {"type": "string", "format": "colour"},
    "untyped number": {"minimum": 3, "maximum": 4},
    "untyped text": {"minLength": 3, "maxLength": 4},
    "definitions": {"$ref": "#/definitions/a", "definitions": {"a": {"type": "boolean"}}},
    "unknown reference": {"properties": {"a": {"type": "object", "properties": {"x": {}}}}},
    "most items": {"type": "array", "items": {"type": "string"}, "maxItems": 0},
    "list of trees": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/n"},
                      "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}},
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("seed", range(4))
def test_less_common_keywords_are_satisfied(name: str, seed: int) -> None:
    text = "" if name == "bad default" else TEXT
    value = make(VALID[name], seed, text)
    assert is_valid({**VALID[name], "anyOf": VALID[name].get("anyOf") or [{}]}, value)


def test_values_come_from_the_text() -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {
            "origin": {"type": "string"},
            "destination": {"type": "string"},
            "date": {"type": "string", "format": "date"},
            "seats": {"type": "integer"},
            "passenger": {"type": "string"},
            "order": {"type": "string", "pattern": r"^[A-Z]{2}-\d{4}$"},
        },
        "required": ["origin", "destination", "date", "seats", "passenger", "order"],
    }
    assert make(schema) == {
        "origin": "Paris",
        "destination": "Rome",
        "date": "2026-05-01",
        "seats": 3,
        "passenger": "Ann Lee",
        "order": "AB-1234",
    }


def test_an_enumerated_value_that_the_text_mentions_is_chosen() -> None:
    schema: JSONObject = {"enum": ["train", "bus", "plane", 4]}
    assert {make(schema, seed, "Take the BUS") for seed in range(8)} == {"bus"}


def test_a_default_stands_when_the_text_has_nothing_better() -> None:
    schema: JSONObject = {"type": "integer", "default": 42}
    assert make(schema, text="no numbers") == 42
    assert make(schema, text="take 3") == 3
    place: JSONObject = {
        "type": "object", "required": ["city"],
        "properties": {"city": {"type": "string", "default": "Oslo"}},
    }  # fmt: skip
    assert make(place, text="nothing") == {"city": "Oslo"}
    assert make(place, text="in Rome") == {"city": "Rome"}


def test_optional_values_are_mostly_there() -> None:
    schema: JSONObject = {"properties": {f"p{n}": {"type": "boolean"} for n in range(20)}}
    value = make(schema)
    assert isinstance(value, dict)
    assert 10 <= len(value) <= 20


def test_absurd_sizes_give_a_small_array() -> None:
    value = make(HOSTILE["many items"])
    assert isinstance(value, list)
    assert len(value) == MOST_ITEMS


def test_the_same_chance_gives_the_same_instance(
    chance: Chance, hint: Callable[..., Hints]
) -> None:
    del chance
    schema: JSONObject = {"type": "array", "items": NODE, "minItems": 3, "$defs": {"node": NODE}}
    first = instance(schema, Seed(value=5).chance(b"x"), hint(TEXT))
    assert instance(schema, Seed(value=5).chance(b"x"), hint(TEXT)) == first


def test_a_list_of_tags_is_filled_with_keywords() -> None:
    schema: JSONObject = {
        "properties": {"tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}},
        "required": ["tags"],
    }
    value = make(schema, text="Book seats")
    assert isinstance(value, dict)
    assert value["tags"] in (["seats", "order"], ["seats", "order", "seats"])
