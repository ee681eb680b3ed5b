"""Turns a body's top-level fields into findings: types, fixed values, ranges, caps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from k3mock.contract.checks.subject import Check, Finding, always, of_field, of_fields
from k3mock.contract.forward import lookup
from k3mock.jsonvalue import as_int, as_list, as_object, as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONValue

_TYPES: Mapping[str, tuple[str, ...]] = {
    "string": ("string",),
    "bool": ("bool",),
    "number": ("number",),
    "integer": ("number",),
    "object": ("object",),
    "array": ("array",),
    "string or array": ("string", "array"),
    "string or object": ("string", "object"),
}
TYPE_NAMES = tuple(_TYPES)


def _arg(rule: Rule, name: str) -> str:
    return as_text(rule.args.get(name)) or ""


def has_type(value: JSONValue, expected: str) -> bool:
    """Say whether a value has a type of the contract; null counts as absent."""
    if value is None:
        return True
    if expected == "integer":
        return as_int(value) is not None
    return type_name(value) in _TYPES[expected]


def _types(subject: Subject, rule: Rule) -> Iterator[Finding]:
    body, fields = subject.body, as_object(rule.args.get("fields")) or {}
    if all(name not in fields or has_type(body[name], str(fields[name])) for name in body):
        return
    for name, expected in fields.items():
        value = body.get(name)
        if not has_type(value, str(expected)):
            values = {"field": name, "type": str(expected), "got": type_name(value)}
            yield Finding(name, values)


def _not_empty(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    if not subject.body.get(name):
        yield Finding(name, {"field": name})


def _known_model(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    model = subject.request.model
    if model not in subject.models:
        yield Finding("model", {"model": model})


def _only(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name, allowed = _arg(rule, "field"), rule.args.get("value")
    value = subject.body.get(name)
    if rule.args.get("thinking") == ("disabled" if subject.request.thinking else "enabled"):
        return
    if value is not None and (isinstance(value, bool) != isinstance(allowed, bool)
                              or value != allowed):  # fmt: skip
        yield _only_finding(name, allowed, value)


def _always(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    yield _only_finding(name, rule.args.get("value"), subject.body.get(name))


def _only_finding(name: str, allowed: JSONValue, value: JSONValue) -> Finding:
    shown = str(allowed).lower() if isinstance(allowed, bool) else str(allowed)
    return Finding(name, {"field": name, "value": shown, "got": shown_value(value)})


def _refused(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    if subject.body.get(name) is not None:
        yield Finding(name, {"field": name})


def _needs(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name, other = _arg(rule, "field"), _arg(rule, "other")
    if subject.body.get(name) is not None and subject.body.get(other) is not True:
        yield Finding(name, {"field": name, "other": other})


def _range(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    value = subject.body.get(name)
    low, high = rule.args.get("min"), rule.args.get("max")
    if isinstance(value, int | float) and not isinstance(value, bool):
        too_low = isinstance(low, int | float) and value < low
        too_high = isinstance(high, int | float) and value > high
        if too_low or too_high:
            yield Finding(name, {"field": name, "min": str(low), "max": str(high)})


def shown_value(value: JSONValue) -> str:
    """Write a value for a refusal: text as it is, all else as JSON."""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text[:100]


def _one_of(subject: Subject, rule: Rule) -> Iterator[Finding]:
    name = _arg(rule, "field")
    value = lookup(subject.body, name)
    allowed = as_list(rule.args.get("values")) or []
    if value is not None and value not in allowed:
        listed = ", ".join(str(item) for item in allowed)
        yield Finding(name, {"field": name, "values": listed, "got": shown_value(value)})


def _stop_count(subject: Subject, rule: Rule) -> Iterator[Finding]:
    most = as_int(rule.args.get("max")) or 0
    if len(as_list(subject.body.get("stop")) or []) > most:
        yield Finding("stop", {"max": str(most)})


def _stop_items(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    for index, word in enumerate(as_list(subject.body.get("stop")) or []):
        if not isinstance(word, str):
            yield Finding(f"stop.{index}", {"got": type_name(word)})


def _stop_bytes(subject: Subject, rule: Rule) -> Iterator[Finding]:
    most = as_int(rule.args.get("max")) or 0
    stop = subject.body.get("stop")
    words = [stop] if isinstance(stop, str) else as_list(stop) or []
    for word in words:
        if isinstance(word, str) and len(word.encode("utf-8", "replace")) > most:
            yield Finding("stop", {"max": str(most)})


def _thinking_type(subject: Subject, rule: Rule) -> Iterator[Finding]:
    thinking = as_object(subject.body.get("thinking")) or {}
    kind = thinking.get("type")
    if kind is not None and kind != rule.args.get("value"):
        yield Finding("thinking.type", {"value": _arg(rule, "value")})


def _cap(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    cap = subject.request.cap
    if cap is None:
        return
    most = subject.limits.max_cap_tokens
    if cap < 1 or cap > most:
        asked = subject.prompt_tokens() + cap
        limit = str(subject.limits.window_tokens)
        name = "max_completion_tokens"
        if subject.body.get(name) is None:
            name = "max_tokens"
        yield Finding(name, {"limit": limit, "requested": str(asked), "max": str(most)})


def _window(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    prompt = subject.prompt_tokens()
    window = subject.limits.window_tokens
    if prompt >= window:
        asked = prompt + (subject.request.cap or subject.limits.default_cap_tokens)
        yield Finding("messages", {"limit": str(window), "requested": str(asked)})


def _total_size(subject: Subject, rule: Rule) -> Iterator[Finding]:
    most = as_int(rule.args.get("max")) or 0
    if 0 < subject.size <= most:
        # What is written in a body is at least as long as what it says.
        return
    size = sum(
        len(part.text.encode("utf-8", "replace"))
        for message in subject.request.messages
        for part in message.parts
        if hasattr(part, "text")
    )
    if size > most:
        yield Finding("messages", {"size": str(size), "limit": str(most)})


def _response_format(subject: Subject, rule: Rule) -> Iterator[Finding]:
    chosen = as_object(subject.body.get("response_format"))
    if chosen is None:
        return
    kinds = as_list(rule.args.get("values")) or []
    if chosen.get("type") not in kinds:
        listed = ", ".join(str(kind) for kind in kinds)
        yield _format_finding("type", f"must be one of {listed}")
        return
    if chosen.get("type") != "json_schema":
        return
    declared = as_object(chosen.get("json_schema"))
    if declared is None:
        yield _format_finding("json_schema", "must be an object")
        return
    if not as_text(declared.get("name")):
        yield _format_finding("json_schema.name", "is required")
    elif as_object(declared.get("schema")) is None:
        yield _format_finding("json_schema.schema", "must be an object")
    elif not has_type(declared.get("strict"), "bool"):
        yield _format_finding("json_schema.strict", "must be a boolean")


def _format_finding(field: str, problem: str) -> Finding:
    path = f"response_format.{field}"
    return Finding(path, {"field": path, "problem": problem})


_FIELD: Mapping[str, type | tuple[type, ...]] = {"field": str}
_FILLS = frozenset({"field"})
_FIXED: Mapping[str, type | tuple[type, ...]] = {**_FIELD, "value": (int, float, bool, str)}
_FIXED_FILLS = frozenset({"field", "value", "got"})

CHECKS = (
    Check(name="types", about="each listed field has its type", look=_types,
          args={"fields": dict}, words={"fields": TYPE_NAMES},
          fills=frozenset({"field", "type", "got"}), needs=of_fields),
    Check(name="not_empty", about="the field is there and not empty", look=_not_empty,
          args=_FIELD, fills=_FILLS),
    Check(name="known_model", about="the model is one that the profile serves",
          look=_known_model, fills=frozenset({"model"})),
    Check(name="only", about="the field has its one allowed value, if it is sent", look=_only,
          args=_FIXED, optional={"thinking": str}, words={"thinking": ("enabled", "disabled")},
          fills=_FIXED_FILLS, needs=of_field),
    Check(name="always", about="the field is refused whatever it holds, even when it is not sent",
          look=_always, args=_FIXED, fills=_FIXED_FILLS),
    Check(name="refused", about="the field is not sent", look=_refused, args=_FIELD, fills=_FILLS,
          needs=of_field),
    Check(name="needs", about="the field is only sent when the other is true", look=_needs,
          args={**_FIELD, "other": str}, fills=frozenset({"field", "other"}), needs=of_field),
    Check(name="range", about="the number lies within min and max", look=_range,
          args={**_FIELD, "min": (int, float), "max": (int, float)},
          fills=frozenset({"field", "min", "max"}), needs=of_field),
    Check(name="one_of", about="the field has one of the listed values", look=_one_of,
          args={**_FIELD, "values": list}, fills=frozenset({"field", "values", "got"}),
          needs=of_field),
    Check(name="stop_count", about="there are not too many stop words", look=_stop_count,
          args={"max": int}, fills=frozenset({"max"}), needs=always("stop")),
    Check(name="stop_items", about="every stop word is a string", look=_stop_items,
          fills=frozenset({"got"}), needs=always("stop")),
    Check(name="stop_bytes", about="no stop word is too long, in bytes", look=_stop_bytes,
          args={"max": int}, fills=frozenset({"max"}), needs=always("stop")),
    Check(name="thinking_type", about="`thinking.type` has its one allowed value",
          look=_thinking_type, args={"value": str}, fills=frozenset({"value"}),
          needs=always("thinking")),
    Check(name="cap", about="the effective output cap is positive and within the limit", look=_cap,
          fills=frozenset({"limit", "requested", "max"}),
          needs=always("max_completion_tokens", "max_tokens")),
    Check(name="window", about="the prompt leaves room in the context window", look=_window,
          fills=frozenset({"limit", "requested"})),
    Check(name="total_size", about="all message texts together are not too large",
          look=_total_size, args={"max": int}, fills=frozenset({"size", "limit"})),
    Check(name="response_format", about="`response_format` is complete", look=_response_format,
          args={"values": list}, fills=frozenset({"field", "problem"}),
          needs=always("response_format")),
)  # fmt: skip
