"""Turns a body into findings in the words of a gateway's parameter table or schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.contract.checks.fields import TYPE_NAMES, has_type
from k3mock.contract.checks.subject import Check, Finding, Stage, always, of_field
from k3mock.contract.checks.tools import TOOLS, functions
from k3mock.contract.forward import lookup
from k3mock.jsonvalue import as_list, as_object, as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject, JSONValue

_ARTICLES = {"integer": "an integer", "object": "an object", "array": "an array"}


def _arg(rule: Rule, name: str) -> str:
    return as_text(rule.args.get(name)) or ""


def expected_words(kind: str, low: JSONValue = None, high: JSONValue = None) -> str:
    """Say what a parameter takes: `a number between 0 and 2`, `an integer of at least 1`."""
    words = " or ".join(
        _ARTICLES.get(word, f"a {'boolean' if word == 'bool' else word}")
        for word in kind.split(" or ")
    )
    if low is not None and high is not None:
        return f"{words} between {low} and {high}"
    if low is not None:
        return f"{words} of at least {low}"
    return words if high is None else f"{words} of at most {high}"


def _present(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name, kind = _arg(rule, "field"), _arg(rule, "type_name")
    value = subject.body.get(name)
    if value is None or not has_type(value, kind):
        yield Finding(name, {"field": name, "expected": expected_words(kind)})


def _typed(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name, kind = _arg(rule, "field"), _arg(rule, "type_name")
    low, high = rule.args.get("min"), rule.args.get("max")
    value = lookup(subject.body, name)
    if value is None:
        return
    fits = has_type(value, kind)
    if fits and isinstance(value, int | float) and not isinstance(value, bool):
        fits = (not isinstance(low, int | float) or value >= low) and (
            not isinstance(high, int | float) or value <= high
        )
    if not fits:
        yield Finding(name, {"field": name, "expected": expected_words(kind, low, high)})


def _agree(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name, other = _arg(rule, "field"), _arg(rule, "other")
    one, two = lookup(subject.body, name), lookup(subject.body, other)
    if one is not None and two is not None and one != two:
        yield Finding(name, {"field": name, "other": other})


def _words(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    value = subject.body.get(name)
    allowed = [str(word) for word in as_list(rule.args.get("values")) or []]
    if isinstance(value, str) and value not in allowed:
        yield Finding(name, {"field": name, "values": ", ".join(allowed), "got": value[:100]})


def _here(subject: Subject, *more: str, **values: str) -> Finding:
    path = ".".join(str(step) for step in ("messages", subject.position, *more))
    return Finding(path, {"position": str(subject.position), **values})


def _message_keys(subject: Subject, rule: Rule) -> Iterator[Finding]:
    for key in as_list(rule.args.get("keys")) or []:
        if str(key) not in subject.message:
            yield _here(subject, str(key), field=str(key))


def _content_present(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    calls = message.get("role") == "assistant" and bool(message.get("tool_calls"))
    if message.get("content") is None and not calls:
        yield _here(subject, "content")


def _tool_call_id(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    if message.get("role") == "tool" and not as_text(message.get("tool_call_id")):
        yield _here(subject, "tool_call_id")


def _function_keys(subject: Subject, rule: Rule) -> Iterator[Finding]:
    keys = as_object(rule.args.get("keys")) or {}
    for path, function in functions(subject):
        for key, kind in keys.items():
            value = function.get(key)
            if value is None or value == "" or not has_type(value, str(kind)):
                yield Finding(f"{path}.{key}", {"field": key, "type": str(kind)})


def _function_types(subject: Subject, rule: Rule) -> Iterator[Finding]:
    fields = as_object(rule.args.get("fields")) or {}
    for path, function in functions(subject):
        for key, kind in fields.items():
            value = function.get(key)
            if not has_type(value, str(kind)):
                values = {"field": key, "type": str(kind), "got": type_name(value)}
                yield Finding(f"{path}.{key}", values)


def _chosen_offered(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    choice = as_object(subject.body.get("tool_choice")) or {}
    name = as_text((as_object(choice.get("function")) or {}).get("name"))
    offered = {as_text(function.get("name")) for _, function in functions(subject)}
    if name is not None and name not in offered:
        yield Finding("tool_choice", {"name": name[:100]})


def _calls(subject: Subject) -> Iterator[tuple[int, JSONObject]]:
    for index, item in enumerate(as_list(subject.message.get("tool_calls")) or []):
        call = as_object(item)
        if call is not None:
            yield index, call


def _call_keys(subject: Subject, rule: Rule) -> Iterator[Finding]:
    keys = as_object(rule.args.get("keys")) or {}
    for index, call in _calls(subject):
        for key, kind in keys.items():
            value = call.get(key)
            if value is None or not has_type(value, str(kind)):
                yield _here(subject, "tool_calls", str(index), key, field=key, type=str(kind))


def _call_type(subject: Subject, rule: Rule) -> Iterator[Finding]:
    kinds = as_list(rule.args.get("values")) or []
    for index, call in _calls(subject):
        if call.get("type") not in kinds:
            yield _here(subject, "tool_calls", str(index), "type")


_FIELD: Mapping[str, type | tuple[type, ...]] = {"field": str}
_TYPED: Mapping[str, type | tuple[type, ...]] = {**_FIELD, "type_name": str}
_NUMBER = (int, float)
_KINDS: Mapping[str, tuple[str, ...]] = {"type_name": TYPE_NAMES}
_EXPECTED = frozenset({"field", "expected"})
_PLACE = frozenset({"position"})

CHECKS = (
    Check(name="present", about="the field is there and has its type", look=_present,
          args=_TYPED, words=_KINDS, fills=_EXPECTED),
    Check(name="typed", about="the field has its type and lies within its bounds, if it is sent",
          look=_typed, args=_TYPED, optional={"min": _NUMBER, "max": _NUMBER}, words=_KINDS,
          fills=_EXPECTED, needs=of_field),
    Check(name="agree", about="two fields have one value where both are sent", look=_agree,
          args={**_FIELD, "other": str}, fills=frozenset({"field", "other"}), needs=of_field),
    Check(name="one_of_words", about="the field, where it is a text, is one of the listed",
          look=_words, args={**_FIELD, "values": list},
          fills=frozenset({"field", "values", "got"}), needs=of_field),
    Check(name="message_keys", about="every message has the listed keys", look=_message_keys,
          stage=Stage.MESSAGE, args={"keys": list}, fills=_PLACE | {"field"}, by_shape=True),
    Check(name="content_present", about="content is null only beside tool calls",
          look=_content_present, stage=Stage.MESSAGE, fills=_PLACE, by_shape=True),
    Check(name="tool_call_id_present", about="a tool message has a `tool_call_id`",
          look=_tool_call_id, stage=Stage.MESSAGE, fills=_PLACE, by_shape=True),
    Check(name="tool_function_keys", about="every function has the listed keys",
          look=_function_keys, args={"keys": dict}, fills=frozenset({"field", "type"}),
          needs=TOOLS),
    Check(name="tool_function_types", about="keys of a function have their types, if sent",
          look=_function_types, args={"fields": dict},
          fills=frozenset({"field", "type", "got"}), needs=TOOLS),
    Check(name="tool_choice_offered", about="a function that `tool_choice` names is offered",
          look=_chosen_offered, fills=frozenset({"name"}), needs=always("tool_choice")),
    Check(name="call_keys", about="every call has the listed keys", look=_call_keys,
          stage=Stage.MESSAGE, args={"keys": dict}, fills=_PLACE | {"field", "type"},
          needs=always("tool_calls")),
    Check(name="call_type", about="every call has a listed type", look=_call_type,
          stage=Stage.MESSAGE, args={"values": list}, fills=_PLACE, needs=always("tool_calls")),
)  # fmt: skip
