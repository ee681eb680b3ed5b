"""Turns the keywords of a schema into plain answers about it; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.generator.merging import number
from k3mock.jsonvalue import as_list, as_object

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue

MOST_ITEMS = 200
"""No array gets more items than this, whatever its schema says."""


def type_of(schema: JSONObject, branch: int | None) -> str:
    """Name the type to build; of several, one that is not null."""
    told = schema.get("type")
    if isinstance(told, list):
        names = [name for name in told if isinstance(name, str)]
        usable = [name for name in names if name != "null"] or names
        told = usable[(branch or 0) % len(usable)] if usable else None
    if isinstance(told, str):
        return told
    for name, keywords in _SIGNS.items():
        if any(keyword in schema for keyword in keywords):
            return name
    return ""


_SIGNS = {
    "object": ("properties", "required", "additionalProperties", "minProperties",
               "patternProperties", "propertyNames"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}  # fmt: skip
"""What type a schema without one is of, by the keywords it uses."""


def additional(schema: JSONObject) -> JSONValue:
    """Return the schema of a property that is not listed."""
    patterns = as_object(schema.get("patternProperties"))
    if patterns:
        return next(iter(patterns.values()))
    return schema.get("additionalProperties", True)


def goes_deeper(schema: JSONObject) -> bool:
    """Tell whether a schema may lead to ever deeper instances."""
    return any(name in schema for name in ("$ref", "$dynamicRef")) or any(
        isinstance(inner, dict) and ("$ref" in inner or "items" in inner)
        for inner in (schema.get("items"), *_branches(schema))
    )


def _branches(schema: JSONObject) -> list[JSONValue]:
    return [
        branch for name in ("anyOf", "oneOf", "allOf") for branch in as_list(schema.get(name)) or []
    ]


def count(value: JSONValue, missing: int, most: int = MOST_ITEMS) -> int:
    """Return a count that a keyword gives, between 0 and `most`."""
    told = number(value)
    return missing if told is None else max(0, min(int(told), most))


def texts(value: JSONValue) -> list[str]:
    """Return the texts of a list."""
    return [each for each in as_list(value) or [] if isinstance(each, str)]
