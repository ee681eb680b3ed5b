"""Turns tool parameters into findings under the rules of the Moonshot flavoured JSON schema.

Only the rules that users report and the vendor's numeric limits are enforced; keywords beyond the
flavour are let through, as the platform does in all reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from k3mock.contract.checks.subject import Check, Finding
from k3mock.contract.checks.tools import TOOLS, functions
from k3mock.jsonvalue import as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONValue

ROOT = "root"
_TYPES = ("null", "boolean", "object", "array", "number", "integer", "string")

LIMITS: Mapping[str, int] = {
    "enum_items": 1000,
    "anyof_branches": 500,
    "depth": 30,
    "size": 120_000,
    "property_keys": 3000,
}
"""The vendor's validator (walle, `conf.go`, 2026-06-29). Its limit on the text of an enum starts at
2,500 values, which the limit on items never lets through."""


def _schemas(subject: Subject) -> Iterator[tuple[str, JSONValue]]:
    for path, function in functions(subject):
        if function.get("parameters") is not None:
            yield f"{path}.parameters", function["parameters"]


def _nodes(
    schema: JSONValue, path: str = "", depth: int = 0
) -> Iterator[tuple[str, JSONValue, int]]:
    """Yield (path, node, depth) of a schema and its parts.

    Paths and depths are those of the vendor's validator: the root is `root`, branches of `anyOf`
    have no number, and only a step into `properties` goes deeper.
    """
    yield path or ROOT, schema, depth
    node = as_object(schema)
    if node is None:
        return
    lead = f"{path}." if path else ""
    for group, step in (("properties", 1), ("$defs", 0)):
        for name, child in (as_object(node.get(group)) or {}).items():
            yield from _nodes(child, f"{lead}{group}.{name}", depth + step)
    for branch in as_list(node.get("anyOf")) or []:
        yield from _nodes(branch, f"{lead}anyOf", depth)
    if as_object(node.get("items")) is not None:
        yield from _nodes(node["items"], f"{lead}items", depth)
    if as_object(node.get("additionalProperties")):
        yield from _nodes(node["additionalProperties"], f"{lead}additionalProperties", depth)


def _type_problem(path: str, value: JSONValue) -> str | None:
    node = as_object(value)
    if node is None:
        return "schema must be an object"
    if (path == ROOT and not node) or "anyOf" in node or "$ref" in node:
        return None
    if "type" not in node:
        return "type is not defined"
    kind = node["type"]
    if isinstance(kind, str):
        return None if kind in _TYPES else "invalid type"
    kinds = as_list(kind)
    if kinds is None:
        return "type must be string or array of strings"
    if not kinds:
        return "type array cannot be empty"
    return None if all(item in _TYPES for item in kinds) else "invalid type in type array"


def _ref_problem(_path: str, value: JSONValue) -> str | None:
    reference = (as_object(value) or {}).get("$ref")
    if reference is None or reference == "#":
        return None
    if not isinstance(reference, str):
        return "$ref must be a string"
    inside = reference.startswith("#/$defs/")
    return None if inside else "references must start with #/$defs/"


def _anyof_problem(_path: str, value: JSONValue) -> str | None:
    node = as_object(value) or {}
    beside = "anyOf" in node and "type" in node
    text = "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    return text if beside else None


def _limit_problems(schema: JSONValue) -> Iterator[tuple[str, str]]:
    """Find what is larger than the vendor's validator allows; texts and paths are its own."""
    if len(orjson.dumps(schema)) > LIMITS["size"]:
        yield ROOT, "schema exceeds maximum allowed size"
    keys = 0
    for path, value, depth in _nodes(schema):
        node = as_object(value) or {}
        lead = "" if path == ROOT else f"{path}."
        if depth > LIMITS["depth"]:
            yield path, f"schema depth exceeds maximum limit of {LIMITS['depth']}"
        if len(as_list(node.get("anyOf")) or []) > LIMITS["anyof_branches"]:
            yield f"{lead}anyOf", f"anyOf must have 1-{LIMITS['anyof_branches']} items"
        if len(as_list(node.get("enum")) or []) > LIMITS["enum_items"]:
            yield f"{lead}enum", f"enum array cannot have more than {LIMITS['enum_items']} items"
        keys += len(as_object(node.get("properties")) or {})
        if keys > LIMITS["property_keys"]:
            yield path, (f"total number of properties keys({keys}) across all objects exceeds "
                         f"maximum limit of {LIMITS['property_keys']}")  # fmt: skip
            return


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
          args={"problem": str}, words={"problem": KINDS}, fills=frozenset({"details"}),
          needs=TOOLS),
)  # fmt: skip
