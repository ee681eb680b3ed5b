"""Turns tool parameters into findings under the rules of the Moonshot flavoured JSON schema.

Only the rules that users report and the vendor's numeric limits are enforced; keywords beyond the
flavour are let through, as the platform does in all reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from k3mock.contract.checks.subject import Check, Finding
from k3mock.contract.checks.tools import functions
from k3mock.jsonvalue import as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject, JSONValue

ROOT = "root"
_TYPES = {"null", "boolean", "object", "array", "number", "integer", "string"}

LIMITS: Mapping[str, int] = {
    "enum_items": 1000,
    "enum_chars": 75_000,
    "enum_checked_above": 2500,
    "anyof_branches": 500,
    "depth": 30,
    "size": 120_000,
    "property_keys": 3000,
}
"""The vendor's validator (walle, `conf.go`, 2026-06-29)."""


def _schemas(subject: Subject) -> Iterator[tuple[str, JSONValue]]:
    for path, function in functions(subject):
        if function.get("parameters") is not None:
            yield f"{path}.parameters", function["parameters"]


def _nodes(
    schema: JSONValue, path: str = "", depth: int = 1
) -> Iterator[tuple[str, JSONValue, int]]:
    """Yield (path, node, depth) of a schema and its parts; paths are the vendor's (`root`)."""
    yield path or ROOT, schema, depth
    node = as_object(schema)
    if node is None:
        return
    lead = f"{path}." if path else ""
    for group in ("properties", "$defs"):
        for name, child in (as_object(node.get(group)) or {}).items():
            yield from _nodes(child, f"{lead}{group}.{name}", depth + 1)
    for branch in as_list(node.get("anyOf")) or []:
        yield from _nodes(branch, f"{lead}anyOf", depth + 1)
    if as_object(node.get("items")) is not None:
        yield from _nodes(node["items"], f"{lead}items", depth + 1)
    if as_object(node.get("additionalProperties")):
        yield from _nodes(node["additionalProperties"], f"{lead}additionalProperties", depth + 1)


def _type_problem(path: str, value: JSONValue) -> str | None:
    node = as_object(value)
    if node is None:
        return "schema must be an object"
    if (path == ROOT and not node) or "anyOf" in node or "$ref" in node:
        return None
    if "type" not in node:
        return "type is not defined"
    kinds = as_list(node["type"]) or [node["type"]]
    unknown = [kind for kind in kinds if kind not in _TYPES]
    return f"invalid type {as_text(unknown[0]) or unknown[0]}" if unknown else None


def _ref_problem(_path: str, value: JSONValue) -> str | None:
    reference = (as_object(value) or {}).get("$ref")
    if reference is None or reference == "#":
        return None
    inside = isinstance(reference, str) and reference.startswith("#/$defs/")
    return None if inside else "references must start with #/$defs/"


def _anyof_problem(_path: str, value: JSONValue) -> str | None:
    node = as_object(value) or {}
    beside = "anyOf" in node and "type" in node
    text = "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    return text if beside else None


def _enum_problem(node: JSONObject) -> str | None:
    words = as_list(node.get("enum")) or []
    if len(words) > LIMITS["enum_items"]:
        return f"enum has more than {LIMITS['enum_items']} items"
    chars = sum(len(word) for word in words if isinstance(word, str))
    if chars > max(LIMITS["enum_chars"], LIMITS["enum_checked_above"]):
        return f"enum text is longer than {LIMITS['enum_chars']} characters"
    return None


def _limit_problems(schema: JSONValue) -> Iterator[tuple[str, str]]:
    if len(orjson.dumps(schema)) > LIMITS["size"]:
        yield ROOT, f"schema is larger than {LIMITS['size']}"
    keys = 0
    for path, value, depth in _nodes(schema):
        node = as_object(value) or {}
        keys += len(as_object(node.get("properties")) or {})
        problem = _enum_problem(node)
        if problem is not None:
            yield path, problem
        if len(as_list(node.get("anyOf")) or []) > LIMITS["anyof_branches"]:
            yield path, f"anyOf has more than {LIMITS['anyof_branches']} items"
        if depth > LIMITS["depth"]:
            yield path, f"schema is nested more than {LIMITS['depth']} levels deep"
    if keys > LIMITS["property_keys"]:
        yield ROOT, f"schema has more than {LIMITS['property_keys']} properties"


_PROBLEMS = {"type": _type_problem, "ref": _ref_problem, "anyof": _anyof_problem}
KINDS = (*_PROBLEMS, "limits")


def _look(subject: Subject, rule: Rule) -> Iterator[Finding]:
    kind = as_text(rule.args.get("problem")) or ""
    for place, schema in _schemas(subject):
        if kind == "limits":
            found = _limit_problems(schema)
        else:
            look = _PROBLEMS[kind]
            found = (
                (path, problem)
                for path, node, _ in _nodes(schema)
                if (problem := look(path, node)) is not None
            )
        for path, problem in found:
            yield Finding(place, {"details": f"<At path '{path}': {problem}>"})


CHECKS = (
    Check(name="tool_schema", about="parameters are a Moonshot flavoured JSON schema", look=_look,
          args={"problem": str}, fills=frozenset({"details"})),
)  # fmt: skip
