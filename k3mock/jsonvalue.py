"""Turns untyped JSON into narrowed Python values; ground layer.

Wrong types become None instead of errors: the contract says what is wrong, in the vendor's words,
and lenient reading lets a scripted answer be given to a request that the contract would refuse.
"""

from __future__ import annotations

from typing import TypeAlias

JSONValue: TypeAlias = "bool | int | float | str | list[JSONValue] | dict[str, JSONValue] | None"
JSONObject: TypeAlias = "dict[str, JSONValue]"


def as_text(value: JSONValue) -> str | None:
    """Return `value` if it is a string."""
    return value if isinstance(value, str) else None


def as_object(value: JSONValue) -> JSONObject | None:
    """Return `value` if it is an object."""
    return value if isinstance(value, dict) else None


def as_list(value: JSONValue) -> list[JSONValue] | None:
    """Return `value` if it is an array."""
    return value if isinstance(value, list) else None


def as_int(value: JSONValue) -> int | None:
    """Return `value` as an int if it is a number without a fraction (booleans are not numbers)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def type_name(value: JSONValue) -> str:
    """Name the JSON type of `value` as the vendor's type errors do (`bool`, `string`, ...)."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
