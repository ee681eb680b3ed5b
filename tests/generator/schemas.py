"""Strategies for JSON schemas that can be satisfied, over the whole of draft 2020-12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject

    Schemas = st.SearchStrategy[Any]

NAMES = st.sampled_from(
    [
        "city",
        "age",
        "name",
        "email",
        "tags",
        "date",
        "url",
        "count",
        "is_ok",
        "price",
        "note",
        "Über",
    ]
)
NODE: JSONObject = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
    "required": ["value", "children"],
    "additionalProperties": False,
}
DEFS: JSONObject = {
    "node": NODE,
    "money": {
        "type": "object",
        "properties": {
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "currency": {"enum": ["EUR", "USD"]},
        },
        "required": ["amount", "currency"],
    },
    "a/b": {"type": "string", "maxLength": 4},
}

STRINGS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "maxLength": 0},
        {"type": "string", "pattern": r"^[A-Z]{2}-\d{4}$"},
        {"type": "string", "pattern": "^(red|green|blue)$"},
        {"type": "string", "pattern": r"^\+?[0-9 ]{5,12}$", "minLength": 6},
        {"type": "string", "enum": ["north", "south"]},
        {"type": "string", "not": {"const": "x"}},
        {"type": "string", "not": {"maxLength": 3}},
        {"type": "string", "minLength": 3, "allOf": [{"maxLength": 8}, {"minLength": 5}]},
        *(
            {"type": "string", "format": name}
            for name in (
                "date", "date-time", "time", "duration", "email", "hostname", "uri", "uuid", "ipv4",
                "ipv6", "json-pointer", "regex", "idn-email", "uri-reference",
            )
        ),
    ]
)  # fmt: skip
NUMBERS = st.one_of(
    st.builds(
        lambda low, wide, kind: {"type": kind, "minimum": low, "maximum": low + wide},
        st.integers(-1_000, 1_000), st.integers(0, 50), st.sampled_from(["integer", "number"]),
    ),
    st.builds(
        lambda low, step: {"type": "integer", "exclusiveMinimum": low, "multipleOf": step},
        st.integers(-50, 50), st.integers(1, 12),
    ),
    st.builds(lambda low: {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + 1},
              st.integers(-5, 5)),
    st.builds(lambda step: {"type": "number",
        "multipleOf": step}, st.sampled_from([0.5, 0.25, 10])),
    st.just({"type": "integer", "minimum": 0, "maximum": 3, "not": {"const": 2}}),
)  # fmt: skip
PLAIN = st.one_of(
    STRINGS,
    NUMBERS,
    st.sampled_from(
        [
            {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]},
            {"type": ["integer", "boolean"]}, {"enum": [None, "a", 2]}, {"const": {"a": [1, None]}},
            {"const": None}, {}, True, {"$ref": "#/$defs/node"}, {"$ref": "#/$defs/money"},
            {"$ref": "#/$defs/a~1b"}, {"not": {"type": "string"}}, {"not": {"type": ["object",
                "null"]}},
            {"not": {"enum": ["a", 1]}},
        ]
    ),
)  # fmt: skip


@st.composite
def _objects(draw: st.DrawFn, inner: Schemas) -> JSONObject:
    properties = draw(st.dictionaries(NAMES, inner, max_size=5))
    names = sorted(properties)
    required = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    schema: JSONObject = {"type": "object", "properties": properties, "required": list(required)}
    extra = draw(st.sampled_from(["open", "closed", "typed", "patterns", "least", "most", "names"]))
    match extra:
        case "closed":
            schema["additionalProperties"] = False
        case "typed":
            schema |= {"additionalProperties": draw(inner), "minProperties": len(names) + 1}
        case "patterns":
            schema |= {
                "patternProperties": {"^x_[a-z]{2,6}$": draw(inner)},
                "additionalProperties": False,
                "minProperties": len(required) + 1,
            }
        case "least":
            schema["minProperties"] = len(names) + 2
        case "most":
            schema["maxProperties"] = len(required)
        case "names":
            schema |= {"propertyNames": {"maxLength": 12}, "minProperties": len(names) + 1}
        case _:
            pass
    if len(names) > 1 and extra not in {"most", "patterns"} and draw(st.booleans()):
        schema["dependentRequired"] = {names[0]: [names[1]]}
    return schema


@st.composite
def _arrays(draw: st.DrawFn, inner: Schemas) -> JSONObject:
    least, more = draw(st.integers(0, 3)), draw(st.integers(1, 4))
    schema: JSONObject = {"type": "array", "minItems": least, "maxItems": least + more}
    match draw(st.sampled_from(["items", "tuple", "rest", "contains", "unique"])):
        case "items":
            schema["items"] = draw(inner)
        case "tuple":
            front = draw(st.lists(inner, min_size=least, max_size=least + more))
            schema |= {"prefixItems": front, "items": not front or least > len(front)}
        case "rest":
            schema |= {"prefixItems": [draw(inner)], "items": draw(inner)}
        case "contains":
            schema |= {"contains": {"const": 4}, "items": {"type": "integer"}}
            if draw(st.booleans()):
                schema |= {"minContains": 1, "maxContains": 2}
        case _:
            kinds: list[JSONObject] = [
                {"type": "string"},
                {"type": "integer"},
                {"enum": list("abcdefgh")},
            ]
            schema |= {"uniqueItems": True, "items": draw(st.sampled_from(kinds))}
    return schema


@st.composite
def _combined(draw: st.DrawFn, inner: Schemas) -> JSONObject:
    match draw(st.sampled_from(["any", "one", "all", "if", "tagged", "not"])):
        case "any":
            return {"anyOf": draw(st.lists(inner, min_size=1, max_size=3))}
        case "one":
            return {
                "oneOf": [{"type": "boolean"}, {"type": "integer", "minimum": 3}, {"type": "array"}]
            }
        case "all":
            left: JSONObject = {"type": "object", "properties": {"left": draw(inner)}}
            right: JSONObject = {"properties": {"right": draw(inner)}, "required": ["right"]}
            return {"allOf": [{**left, "required": ["left"]}, right]}
        case "if":
            return {
                "type": "object",
                "properties": {"kind": {"enum": ["card", "cash"]}, "number": draw(inner)},
                "required": ["kind"],
                "if": {"properties": {"kind": {"const": "card"}}},
                "then": {"required": ["number"]},
                "else": {"properties": {"change": draw(inner)}, "required": ["change"]},
            }
        case "tagged":
            return {
                "oneOf": [
                    {"type": "object", "properties": {"type": {"const": tag}, "value": draw(inner)},
                     "required": ["type", "value"]}
                    for tag in ("circle", "square")
                ]
            }  # fmt: skip
        case _:
            return {
                "type": "object",
                "properties": {"keep": draw(inner), "drop": {"type": "string"}},
                "required": ["keep"],
                "not": {"required": ["drop"]},
            }


SCHEMAS: Schemas = st.recursive(
    PLAIN, lambda inner: st.one_of(_objects(inner), _arrays(inner), _combined(inner)), max_leaves=12
)


def rooted(schema: Any) -> JSONObject:
    """Return a schema with the definitions that it may refer to."""
    return {**(schema if isinstance(schema, dict) else {}), "$defs": DEFS}


PARAMETERS: st.SearchStrategy[JSONObject] = _objects(SCHEMAS).map(rooted)
"""Parameters of a tool: always an object."""
