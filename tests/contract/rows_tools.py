"""Rows about tools at top level and in messages, their schemas, `tool_choice` and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.contract.black_box import (
    PREFIX,
    WRONG,
    body,
    declared,
    function,
    illegal,
    row,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

NAME = (
    "function name is invalid, must start with a letter and can contain letters, numbers, "
    "underscores, and dashes"
)
SCHEMA = (
    f"{PREFIX}tools.function.parameters is not a valid moonshot flavored json schema, details: "
)
UNKNOWN = f"{PREFIX}unknown tool type: {{}}, currently only function and plugin are supported"
ANYOF = "when using anyOf, type should be defined in anyOf items instead of the parent schema"
TOO_MANY_KEYS = (
    "total number of properties keys(3001) across all objects exceeds maximum limit of 3000"
)
REF = "references must start with #/$defs/"


def tools() -> Iterator[ParameterSet]:
    """Top-level and dynamic declarations under the same rules."""
    ways = (("top", lambda items: body(tools=items)), ("dynamic", declared))
    for way, sent in ways:
        for got, value in (("null", None), *WRONG.items()):
            if got != "object":
                message = illegal("tools", "object", got)
                yield row(f"{way}-{got}", "tools.item", "CI", message, sent([value]))
        for kind in ("bogus", "Function", "", "retrieval"):
            message = UNKNOWN.format(kind)
            item = {**function(), "type": kind}
            yield row(f"{way}-{kind}", "tools.type", "R", message, sent([item]))
        message = UNKNOWN.format("")
        odd: dict[str, dict[str, Any]] = {
            "missing": {"function": {"name": "x"}},
            "empty": {},
            "null": {"type": None},
            "number": {"type": 5},
            "object": {"type": {"is": "function"}},
        }
        for name, item in odd.items():
            yield row(f"{way}-{name}", "tools.type", "R", message, sent([item]))
        message = UNKNOWN.format("bogus")
        items = [function(), {"type": "bogus", "function": {"name": "x"}}]
        yield row(f"{way}-second", "tools.type", "R", message, sent(items))
        for name, held in (("null", None), ("text", "find_train"), ("array", [])):
            message = f"{PREFIX}tools.function is required"
            item = {"type": "function", "function": held}
            yield row(f"{way}-{name}", "tools.function", "CI", message, sent([item]))
        names = {"digit-first": "1st_train", "at": "find@train", "empty": "", "257": "t" * 257,
                 "dot": "trains.find", "space": "find train", "dash-first": "-find",
                 "slash": "trains/find", "colon": "trains:find", "dollar": "$find",
                 "accent": "trouvé", "line-end": "find\n", "number": 5, "null": None}  # fmt: skip
        for name, value in names.items():
            sent_now = sent([function(value)])
            yield row(f"{way}-{name}", "tools.name", "CDT", NAME, sent_now)
        nameless = {"type": "function", "function": {"parameters": {"type": "object"}}}
        yield row(f"{way}-missing", "tools.name", "CDT", NAME, sent([nameless]))
        message = "function name dup is duplicated"
        twins = [function("dup"), function("other"), function("dup")]
        yield row(way, "tools.duplicate", "CT", message, sent(twins))
    message = "function name dup is duplicated"
    one = {"role": "system", "tools": [function("dup")]}
    yield row("two-messages", "tools.duplicate", "CT", message, body(one, one, user()))
    sent_now = body(one, user(), tools=[function("dup")])
    yield row("top-and-dynamic", "tools.duplicate", "CT", message, sent_now)
    message = f"{PREFIX}tools must not have more than 128 items"
    many = [function(f"tool_{number}") for number in range(129)]
    yield row("129", "tools.count", "DI", message, body(tools=many))
    sent_now = body({"role": "system", "tools": many[:1]}, user(), tools=many[1:])
    yield row("128-and-1", "tools.count", "DI", message, sent_now)


def schemas() -> Iterator[ParameterSet]:
    """Tool parameters under the Moonshot flavoured JSON schema."""

    def problem(name: str, rule: str, evidence: str, details: str, schema: Any,
                **more: Any) -> ParameterSet:  # fmt: skip
        sent = body(tools=[function(parameters=schema)])
        return row(name, f"tools.schema.{rule}", evidence, f"{SCHEMA}<At path {details}>", sent,
                   **more)  # fmt: skip

    def holding(**properties: Any) -> dict[str, Any]:
        return {"type": "object", "properties": properties}

    missing = "type is not defined"
    bare = {"enum": ["a"]}
    for name, path, schema in (
        ("root", "root", {"properties": {}}),
        ("property", "properties.source", holding(source=bare)),
        ("nested", "properties.a.properties.b", holding(a=holding(b=bare))),
        ("items", "properties.a.items", holding(a={"type": "array", "items": bare})),
        ("branch", "properties.a.anyOf", holding(a={"anyOf": [{"type": "string"}, bare]})),
        ("defs", "$defs.a", {"type": "object", "$defs": {"a": bare}}),
        ("additional", "additionalProperties", {"type": "object", "additionalProperties": bare}),
        ("root-branch", "anyOf", {"anyOf": [{"properties": {}}]}),
    ):
        yield problem(name, "type", "RT", f"'{path}': {missing}", schema)
    wrong: tuple[tuple[str, str, str, Any], ...] = (
        ("unknown", "root", "invalid type", {"type": "dict"}),
        ("any", "properties.a", "invalid type", holding(a={"type": "any"})),
        ("null", "root", "type must be string or array of strings", {"type": None}),
        ("number", "root", "type must be string or array of strings", {"type": 123}),
        ("object", "root", "type must be string or array of strings", {"type": {"a": 1}}),
        ("no-types", "root", "type array cannot be empty", {"type": []}),
        ("odd-types", "root", "invalid type in type array", {"type": ["string", ["number"]]}),
        ("text", "root", "schema must be an object", "object"),
        ("array", "root", "schema must be an object", []),
        ("text-property", "properties.a", "schema must be an object", holding(a="string")),
    )
    for name, path, text, schema in wrong:
        yield problem(name, "type", "RT", f"'{path}': {text}", schema)
    for name, path, text, target in (
        ("root", "root", REF, "#/definitions/a"),
        ("other-file", "root", REF, "other.json#/$defs/a"),
        ("number", "root", "$ref must be a string", 5),
    ):
        yield problem(name, "ref", "TC", f"'{path}': {text}", {"$ref": target})
    nested = holding(a={"type": "array", "items": {"$ref": "#/properties/b"}})
    yield problem("nested", "ref", "TC", f"'properties.a.items': {REF}", nested)
    switched: dict[str, Any] = {"profile": {"switches": {"anyof_rule": "refuse"}}}
    both = {"type": "object", "anyOf": [{"type": "object"}]}
    for name, path, schema in (
        ("root", "root", both),
        ("property", "properties.a", holding(a=both)),
        ("deep", "properties.a.properties.b", holding(a=holding(b=both))),
    ):
        yield problem(name, "anyof", "T", f"'{path}': {ANYOF}", schema, **switched)
    for name, path, text, schema in (
        ("enum", "properties.a.enum", "enum array cannot have more than 1000 items",
         holding(a={"type": "integer", "enum": list(range(1001))})),
        ("root-enum", "enum", "enum array cannot have more than 1000 items",
         {"type": "integer", "enum": list(range(1001))}),
        ("anyof", "anyOf", "anyOf must have 1-500 items", {"anyOf": [{"type": "string"}] * 501}),
        ("size", "root", "schema exceeds maximum allowed size",
         {"type": "object", "description": "x" * 120_001}),
        ("keys", "root", TOO_MANY_KEYS,
         holding(**{f"p{number}": {"type": "null"} for number in range(3001)})),
    ):  # fmt: skip
        yield problem(name, "limits", "C", f"'{path}': {text}", schema)


def tool_choice_and_format() -> Iterator[ParameterSet]:
    """`tool_choice` and `response_format`."""
    offered = {"tools": [function()]}
    message = f"{PREFIX}tool_choice must be one of auto, none, required"
    for choice in ("bogus", "any", "Auto", "", {}, {"type": "function"}, {"type": "auto"},
                   {"type": "function", "function": {}}, {"function": {"name": "find_train"}},
                   {"type": "function", "function": {"name": 5}}):  # fmt: skip
        sent = body(**offered, tool_choice=choice)
        yield row(str(choice), "tool_choice.value", "CI", message, sent)
    message = "tool_choice 'specified' is incompatible with thinking enabled"
    for name in ("find_train", "not_offered"):
        choice = {"type": "function", "function": {"name": name}}
        sent = body(**offered, tool_choice=choice)
        yield row(name, "tool_choice.named", "DT", message, sent)
    message = f"{PREFIX}tool_choice 'required' needs at least one tool"
    for name, fields in (("null", {"tools": None}), ("empty", {"tools": []})):
        sent = body(**fields, tool_choice="required")
        yield row(name, "tool_choice.required_without_tools", "CI", message, sent)
    kinds = "response_format.type must be one of text, json_object, json_schema"
    schema: dict[str, Any] = {"type": "object"}
    for name, problem, value in (
        ("empty", kinds, {}),
        ("bogus", kinds, {"type": "bogus"}),
        ("null", kinds, {"type": None}),
        ("number", kinds, {"type": 5}),
        ("no-json-schema", "response_format.json_schema must be an object",
         {"type": "json_schema"}),
        ("text-json-schema", "response_format.json_schema must be an object",
         {"type": "json_schema", "json_schema": "x"}),
        ("empty-name", "response_format.json_schema.name is required",
         {"type": "json_schema", "json_schema": {"name": "", "schema": schema}}),
        ("number-name", "response_format.json_schema.name is required",
         {"type": "json_schema", "json_schema": {"name": 5, "schema": schema}}),
        ("no-schema", "response_format.json_schema.schema must be an object",
         {"type": "json_schema", "json_schema": {"name": "a"}}),
        ("text-schema", "response_format.json_schema.schema must be an object",
         {"type": "json_schema", "json_schema": {"name": "a", "schema": "x"}}),
        ("word-strict", "response_format.json_schema.strict must be a boolean",
         {"type": "json_schema", "json_schema": {"name": "a", "schema": schema, "strict": "yes"}}),
        ("number-strict", "response_format.json_schema.strict must be a boolean",
         {"type": "json_schema", "json_schema": {"name": "a", "schema": schema, "strict": 1}}),
    ):  # fmt: skip
        sent = body(response_format=value)
        yield row(name, "response_format.value", "CI", f"{PREFIX}{problem}", sent)
