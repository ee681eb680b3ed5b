"""Turns what a schema forbids or ties together into what to build; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.generator.keywords import texts
from k3mock.generator.verify import Verdict, verdict
from k3mock.jsonvalue import as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.jsonvalue import JSONObject, JSONValue

_TYPES = ("string", "integer", "boolean", "object", "array", "number", "null")
_TRIES = 10
_DEFINITIONS = ("$defs", "definitions")


def heeding(schema: JSONObject) -> JSONObject:
    """Return a schema that leads away from what `not` and `dependentSchemas` speak of.

    A forbidden type is answered by another one; an optional property that must not be there, or
    that brings in a schema of its own, is left out.
    """
    denied = as_object(schema.get("not")) or {}
    wanted = texts(schema.get("required"))
    unwanted = [name for name in texts(denied.get("required")) if name not in wanted]
    unwanted += [
        name for name in as_object(schema.get("dependentSchemas")) or {} if name not in wanted
    ]
    properties = as_object(schema.get("properties")) or {}
    if unwanted and properties:
        kept = {name: inner for name, inner in properties.items() if name not in unwanted}
        schema = {**schema, "properties": kept}
    forbidden = denied.get("type")
    if forbidden is not None and "type" not in schema and len(denied) == 1:
        named = [forbidden] if isinstance(forbidden, str) else texts(forbidden)
        if "number" in named:
            named.append("integer")
        usable = [name for name in _TYPES if name not in named]
        schema = {**schema, "type": usable[0] if usable else "string"}
    return schema


def allowed(schema: JSONObject, root: JSONObject, make: Callable[[], JSONValue]) -> JSONValue:
    """Make a value, again and again while `not` forbids it; the last one if nothing helps."""
    value = make()
    if "not" not in schema:
        return value
    rule: JSONObject = {"not": schema["not"]}
    for name in _DEFINITIONS:
        if name in root:
            rule[name] = root[name]
    for _ in range(_TRIES):
        if verdict(rule, value) is not Verdict.INVALID:
            break
        value = make()
    return value
