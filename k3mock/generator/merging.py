"""Turns a schema with references and combinations into a plain one; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.jsonvalue import as_list, as_object

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue

_MOST_HOPS = 24
_MOST_PARTS = 64
_LARGER = frozenset(
    ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
)
_SMALLER = frozenset(
    ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
)


def number(value: JSONValue) -> float | None:
    """Return a finite number of a sane size; booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= 1e300 else None


def pointed(root: JSONValue, reference: str) -> JSONValue:
    """Return what a local reference (`#`, `#/…`) points at, or None."""
    if not reference.startswith("#"):
        return None
    found = root
    for part in reference[1:].split("/")[1:_MOST_PARTS]:
        name = part.replace("~1", "/").replace("~0", "~").replace("%25", "%").replace("%20", " ")
        if isinstance(found, dict):
            found = found.get(name)
        elif isinstance(found, list) and name.isdecimal() and int(name[:6]) < len(found):
            found = found[int(name[:6])]
        else:
            return None
    return found


class Flattener:
    """Resolves `$ref`, `allOf` and `if`/`then` of schemas under one root.

    `otherwise` takes the `else` branch of conditions. Steps are limited for hostile schemas.
    """

    def __init__(self, root: JSONValue, *, otherwise: bool = False) -> None:
        self._root = root
        self._otherwise = otherwise

    def flat(self, schema: JSONObject) -> JSONObject:
        """Return the schema without references and `allOf`; alternatives stay."""
        waiting: list[JSONObject] = [schema]
        merged: JSONObject = {}
        for _ in range(_MOST_HOPS):
            if not waiting:
                break
            part = waiting.pop(0)
            own = {key: value for key, value in part.items() if key not in _TAKEN_APART}
            merged = self.merge(merged, own)
            waiting += self._others(part)
        return merged

    def _others(self, part: JSONObject) -> list[JSONObject]:
        others: list[JSONValue] = []
        reference = part.get("$ref", part.get("$dynamicRef"))
        if isinstance(reference, str):
            others.append(pointed(self._root, reference))
        others += (as_list(part.get("allOf")) or [])[:_MOST_HOPS]
        tied = as_object(part.get("dependentSchemas")) or {}
        required = as_list(part.get("required")) or []
        others += [inner for name, inner in tied.items() if name in required][:_MOST_HOPS]
        if "if" in part:
            others += [part.get("else")] if self._otherwise else [part["if"], part.get("then")]
        return [other for other in others if isinstance(other, dict)]

    def merge(self, left: JSONObject, right: JSONObject) -> JSONObject:
        """Return a schema that asks for what both ask for, as far as that is easy to say."""
        if not left:
            return right
        merged = dict(left)
        for key, value in right.items():
            merged[key] = _both(key, merged[key], value) if key in merged else value
        return merged


_TAKEN_APART = frozenset(("$ref", "$dynamicRef", "allOf", "if", "then", "else"))


def _both(key: str, left: JSONValue, right: JSONValue) -> JSONValue:
    if left == right:
        return left
    if key in {"properties", "patternProperties"}:
        return _properties(as_object(left) or {}, as_object(right) or {})
    if key in _LARGER | _SMALLER:
        return _tighter(key, left, right)
    if key == "required":
        wanted = [*(as_list(left) or []), *(as_list(right) or [])]
        return [name for at, name in enumerate(wanted) if name not in wanted[:at]]
    if key in {"enum", "type"}:
        ours = left if isinstance(left, list) else [left]
        theirs = right if isinstance(right, list) else [right]
        common = [value for value in ours if value in theirs]
        if key == "type" and "integer" in (*ours, *theirs) and "number" in (*ours, *theirs):
            common.append("integer")
        return common or right
    if key == "not":
        return {"anyOf": [left, right]}
    if key in {"anyOf", "oneOf"} or (key == "items" and isinstance(left, dict)):
        return _combined(key, left, right)
    return right


def _combined(key: str, left: JSONValue, right: JSONValue) -> JSONValue:
    """Combine two lists of alternatives, or two item schemas."""
    if key == "items":
        return {"allOf": [left, right]}
    pairs: list[JSONValue] = [
        {"allOf": [one, other]}
        for one in (as_list(left) or [])[:6]
        for other in (as_list(right) or [])[:6]
    ]
    return pairs or right


def _properties(left: JSONObject, right: JSONObject) -> JSONObject:
    merged = dict(left)
    for name, schema in right.items():
        if name not in merged or merged[name] == schema:
            merged[name] = schema
        else:
            merged[name] = {"allOf": [merged[name], schema]}
    return merged


def _tighter(key: str, left: JSONValue, right: JSONValue) -> JSONValue:
    ours, theirs = number(left), number(right)
    if ours is None or theirs is None:
        return right if ours is None else left
    return max(ours, theirs) if key in _LARGER else min(ours, theirs)
