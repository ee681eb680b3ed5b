"""Turns tool declarations and `tool_choice` into findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Check, Finding, always
from k3mock.jsonvalue import as_int, as_list, as_object, as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject

_BUILTIN = "builtin_function"

TOOLS = always("tools", "messages.tools")
"""Where no tool is declared, at the top or by a message, there is none to look at."""


def _objects(subject: Subject) -> Iterator[tuple[str, JSONObject]]:
    for path, item in subject.declared_tools():
        declared = as_object(item)
        if declared is not None:
            yield path, declared


def functions(subject: Subject) -> Iterator[tuple[str, JSONObject]]:
    """Yield the function of every tool that is not a builtin of the vendor."""
    for path, item in _objects(subject):
        function = as_object(item.get("function"))
        if function is not None and item.get("type") != _BUILTIN:
            yield f"{path}.function", function


def _item(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    for path, item in subject.declared_tools():
        if as_object(item) is None:
            yield Finding(path, {"got": type_name(item)})


def _kind(subject: Subject, rule: Rule) -> Iterator[Finding]:
    kinds = as_list(rule.args.get("values")) or []
    for path, item in _objects(subject):
        kind = item.get("type")
        if kind not in kinds:
            yield Finding(f"{path}.type", {"type": (as_text(kind) or "")[:100]})


def _function(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    for path, item in _objects(subject):
        if as_object(item.get("function")) is None:
            yield Finding(f"{path}.function")


def _name(subject: Subject, rule: Rule) -> Iterator[Finding]:
    pattern = re.compile(as_text(rule.args.get("pattern")) or "")
    for path, function in functions(subject):
        if not pattern.fullmatch(as_text(function.get("name")) or ""):
            yield Finding(f"{path}.name")


def _unique(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, function in functions(subject):
        name = as_text(function.get("name")) or ""
        if name in seen:
            yield Finding(f"{path}.name", {"name": name})
        seen.add(name)


def _count(subject: Subject, rule: Rule) -> Iterator[Finding]:
    most = as_int(rule.args.get("max")) or 0
    if sum(1 for _ in subject.declared_tools()) > most:
        yield Finding("tools", {"max": str(most)})


def _choice(subject: Subject, rule: Rule) -> Iterator[Finding]:
    choice = subject.body.get("tool_choice")
    values = as_list(rule.args.get("values")) or []
    named = as_object(choice)
    if choice is None or choice in values:
        return
    if named is not None and _chosen_name(named) is not None:
        return
    listed = ", ".join(str(value) for value in values)
    yield Finding("tool_choice", {"values": listed})


def _chosen_name(choice: JSONObject) -> str | None:
    function = as_object(choice.get("function"))
    if choice.get("type") != "function" or function is None:
        return None
    return as_text(function.get("name"))


def _choice_named(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    choice = as_object(subject.body.get("tool_choice"))
    if choice is not None and _chosen_name(choice) is not None:
        yield Finding("tool_choice")


def _choice_needs_tools(subject: Subject, rule: Rule) -> Iterator[Finding]:
    if subject.body.get("tool_choice") == rule.args.get("value"):
        offered = any(True for _ in subject.declared_tools())
        if not offered:
            yield Finding("tool_choice")


CHECKS = (
    Check(name="tool_item", about="every tool is an object", look=_item,
          fills=frozenset({"got"}), needs=TOOLS),
    Check(name="tool_type", about="every tool has a known type", look=_kind,
          args={"values": list}, fills=frozenset({"type"}), needs=TOOLS),
    Check(name="tool_function", about="every tool has a `function` object", look=_function,
          needs=TOOLS),
    Check(name="tool_name", about="every function name fits the pattern", look=_name,
          args={"pattern": str}, needs=TOOLS),
    Check(name="tool_unique", about="no function name is declared twice", look=_unique,
          fills=frozenset({"name"}), needs=TOOLS),
    Check(name="tool_count", about="there are not too many tools", look=_count,
          args={"max": int}, fills=frozenset({"max"}), needs=TOOLS),
    Check(name="tool_choice_value", about="`tool_choice` is a listed word or names a function",
          look=_choice, args={"values": list}, fills=frozenset({"values"}),
          needs=always("tool_choice")),
    Check(name="tool_choice_named", about="`tool_choice` does not name a function",
          look=_choice_named, needs=always("tool_choice")),
    Check(name="tool_choice_needs_tools", about="the value is only sent when a tool is offered",
          look=_choice_needs_tools, args={"value": str}, needs=always("tool_choice")),
)  # fmt: skip
