"""Turns the layout of scenario and profile files into JSON Schemas for editors; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.contract import shape as profiles
from k3mock.scenario.kinds import (
    Anything,
    Either,
    Flag,
    Items,
    Null,
    Number,
    Record,
    Ref,
    Text,
)
from k3mock.scenario.shape import ROOT, names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.scenario.kinds import Shape

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def scenario_schema() -> JSONObject:
    """Return the JSON Schema of scenario files."""
    return {
        "$schema": DIALECT,
        "title": "k3mock scenario",
        **_schema(ROOT),
        "if": {"required": ["scenarios"]},
        "then": {"maxProperties": 1},
        "$defs": {name: _schema(shape) for name, shape in names().items()},
    }


def profile_schema() -> JSONObject:
    """Return the JSON Schema of profile files."""
    return {
        "$schema": DIALECT,
        "title": "k3mock profile",
        **_profile_part(profiles.PROFILE),
        "$defs": {"wire": _schema(names()["wire"])},
    }


def _schema(shape: Shape) -> JSONObject:
    told: JSONObject = {"description": shape.about} if shape.about else {}
    return told | _kind(shape)


def _kind(shape: Shape) -> JSONObject:
    match shape:
        case Ref():
            return {"$ref": f"#/$defs/{shape.name}"}
        case Either():
            return {"anyOf": [_schema(option) for option in shape.options]}
        case Text():
            return _text(shape)
        case Number():
            return _number(shape)
        case Flag():
            return {"type": "boolean"} if shape.only is None else {"const": shape.only}
        case Items():
            least: JSONObject = {"minItems": shape.least} if shape.least else {}
            return {"type": "array", "items": _schema(shape.item), **least}
        case Record():
            return _record(shape)
        case Null() | Anything():
            return {"type": "null"} if isinstance(shape, Null) else {}


def _text(shape: Text) -> JSONObject:
    if shape.choices:
        return {"enum": [*shape.choices]}
    form = shape.pattern or shape.form
    pattern: JSONObject = {} if form is None else {"pattern": f"^(?:{form})$"}
    return {"type": "string", **pattern}


def _number(shape: Number) -> JSONObject:
    limits: JSONObject = {"type": "integer" if shape.whole else "number"}
    if shape.least is not None:
        limits["minimum"] = shape.least
    if shape.most is not None:
        limits["maximum"] = shape.most
    return limits


def _record(shape: Record) -> JSONObject:
    result: JSONObject = {"type": "object"}
    if shape.fields:
        result["properties"] = {key: _schema(item) for key, item in shape.fields.items()}
    result["additionalProperties"] = False if shape.others is None else _schema(shape.others)
    if shape.least:
        result["minProperties"] = shape.least
    if shape.required:
        result["required"] = [*shape.required]
    if shape.some_of:
        # One that is there, whatever its value; with `single`, exactly one.
        word = "oneOf" if shape.single else "anyOf"
        result[word] = [{"required": [key]} for key in shape.some_of]
    return result


_PROFILE_KINDS: Mapping[str, JSONObject] = {
    "text": {"type": "string"},
    "whole number": {"type": "integer"},
    "number": {"type": "number"},
    "true or false": {"type": "boolean"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "mapping": {"type": "object"},
    "text or whole number": {"type": ["string", "integer"]},
}


def _profile_part(part: profiles.Shape) -> JSONObject:
    if isinstance(part, profiles.Leaf):
        return _leaf(part)
    properties: dict[str, JSONValue] = {}
    special = _special()
    for key, inner in part.items():
        properties[key] = special.get(key) or _profile_part(inner)
    # A null takes a key of the extended profile away.
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _leaf(leaf: profiles.Leaf) -> JSONObject:
    kind = dict(_PROFILE_KINDS[leaf.kind])
    if leaf.choices and leaf.kind == "list of texts":
        kind["items"] = {"enum": [*leaf.choices]}
    elif leaf.choices:
        kind = {"enum": [*leaf.choices]}
    return {"anyOf": [kind, {"type": "null"}]}


def _table(keys: Mapping[str, profiles.Leaf], *, others: bool) -> JSONObject:
    entry: JSONObject = {
        "type": ["object", "null"],
        "properties": {key: _leaf(leaf) for key, leaf in keys.items()},
        "additionalProperties": others,
    }
    return {"type": "object", "additionalProperties": entry}


def _special() -> Mapping[str, JSONObject]:
    """Return the parts of a profile that other tables describe."""
    return {
        "wire": {"$ref": "#/$defs/wire"},
        # A check adds keys of its own to a rule.
        "rules": _table(profiles.RULE, others=True),
        "errors": _table(profiles.ERROR, others=False),
    }
