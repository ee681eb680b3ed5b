"""Turns messages, one by one and as a history, into findings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Check, Finding, Stage, always
from k3mock.contract.read import media_part
from k3mock.jsonvalue import as_list, as_object, as_text, type_name
from k3mock.past import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Looking, Subject
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject, JSONValue

SHOWN_CHARS = 100

_ANSWERABLE: Step[frozenset[str]] = Step("answerable")
_SETTLED: Step[None] = Step("settled")


def here(subject: Subject, *more: str | int, **values: str) -> Finding:
    """Return a finding at the message under examination."""
    path = ".".join(str(step) for step in ("messages", subject.position, *more))
    role = (as_text(subject.message.get("role")) or "")[:SHOWN_CHARS]
    return Finding(path, {"position": str(subject.position), "role": role, **values})


def _object(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    item = subject.messages[subject.position]
    if as_object(item) is None:
        yield here(subject, got=type_name(item))


def _role(subject: Subject, rule: Rule) -> Iterator[Finding]:
    if subject.message.get("role") not in (as_list(rule.args.get("values")) or []):
        yield here(subject, "role")


def _fields(subject: Subject, rule: Rule) -> Iterator[Finding]:
    expected = as_object(rule.args.get("fields")) or {}
    for name, kinds in expected.items():
        value = subject.message.get(name)
        allowed = [str(kind) for kind in as_list(kinds) or [kinds]]
        if value is not None and type_name(value) not in allowed:
            values = {"field": name, "type": " or ".join(allowed), "got": type_name(value)}
            yield here(subject, name, **values)


def _parts(subject: Subject) -> Iterator[tuple[int, JSONValue]]:
    yield from enumerate(as_list(subject.message.get("content")) or [])


def _part_type(subject: Subject, rule: Rule) -> Iterator[Finding]:
    known = as_list(rule.args.get("values")) or []
    for index, item in _parts(subject):
        kind = (as_object(item) or {}).get("type")
        if kind not in known:
            shown = as_text(kind) or type_name(item if kind is None else kind)
            yield here(subject, "content", index, part=shown[:SHOWN_CHARS])


def _text_empty(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    for index, item in _parts(subject):
        part = as_object(item) or {}
        if part.get("type") == "text" and not as_text(part.get("text")):
            yield here(subject, "content", index)


def _urls(subject: Subject) -> Iterator[tuple[int, str, str]]:
    """Yield (index, `image` or `video`, url) of every media part; no url is an empty one."""
    for index, item in _parts(subject):
        part = media_part(as_object(item) or {})
        if part is not None:
            yield index, part.kind, part.url


def _media_url(subject: Subject, rule: Rule) -> Iterator[Finding]:
    leads = tuple(str(lead) for lead in as_list(rule.args.get("values")) or [])
    for index, kind, url in _urls(subject):
        inline = url.startswith("data:")
        if not url.startswith(leads) or (inline and ";base64," not in url[:SHOWN_CHARS]):
            yield here(subject, "content", index, kind=kind, url=url[:SHOWN_CHARS])


def _media_type(subject: Subject, rule: Rule) -> Iterator[Finding]:
    types = as_object(rule.args.get("types")) or {}
    for index, kind, url in _urls(subject):
        found = re.match(r"data:([^;,]*)", url)
        if found is not None and found[1].lower() not in (as_list(types.get(kind)) or []):
            yield here(subject, "content", index, kind=kind, mime=found[1][:SHOWN_CHARS])


def _is_empty(message: JSONObject) -> bool:
    return not message.get("content")


def _assistant_empty(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    excused = message.get("tool_calls") or message.get("partial") is True
    if message.get("role") == "assistant" and _is_empty(message) and not excused:
        yield here(subject)


def _content_required(subject: Subject, rule: Rule) -> Iterator[Finding]:
    message = subject.message
    roles = as_list(rule.args.get("values")) or []
    excused = message.get("tools") is not None
    if message.get("role") in roles and _is_empty(message) and not excused:
        yield here(subject, "content")


def _tool_content(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    if message.get("role") == "tool" and message.get("content") is None:
        yield here(subject, "content")


def _tools_role(subject: Subject, rule: Rule) -> Iterator[Finding]:
    message = subject.message
    if message.get("tools") is not None and message.get("role") != rule.args.get("value"):
        yield here(subject, "tools")


def _tools_alone(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    if message.get("tools") is not None and not _is_empty(message):
        yield here(subject, "content")


def calls_of(message: JSONValue) -> Iterator[tuple[int, JSONValue]]:
    """Yield the tool calls of an assistant message with their places."""
    holder = as_object(message) or {}
    if holder.get("role") == "assistant":
        yield from enumerate(as_list(holder.get("tool_calls")) or [])


def call_id_of(call: JSONValue) -> str:
    """Return the id of a call, empty where there is none."""
    return as_text((as_object(call) or {}).get("id")) or ""


def _call_shape(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    for index, item in calls_of(subject.message):
        call = as_object(item)
        function = as_object(call.get("function")) if call is not None else None
        if call is None or function is None:
            got = type_name(item if call is None else call.get("function"))
            field = "tool_calls" if call is None else "tool_calls.function"
            values = {"field": field, "type": "object", "got": got}
            yield here(subject, "tool_calls", index, **values)
            continue
        for key in ("name", "arguments"):
            value = function.get(key)
            if value is not None and not isinstance(value, str):
                values = {"field": f"tool_calls.function.{key}", "type": "string"}
                values["got"] = type_name(value)
                yield here(subject, "tool_calls", index, "function", key, **values)


def _call_unique(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, call in calls_of(subject.message):
        call_id = call_id_of(call)
        if call_id in seen:
            yield here(subject, "tool_calls", index, id=call_id[:SHOWN_CHARS])
        seen.add(call_id)


def _result_known(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    message = subject.message
    if message.get("role") != "tool":
        return
    asked = as_text(message.get("tool_call_id")) or ""
    if not asked or asked not in answerable_calls(subject, subject.position):
        yield here(subject, "tool_call_id", id=asked[:SHOWN_CHARS])


def answerable_calls(subject: Subject, position: int) -> frozenset[str]:
    """Return the ids of the calls in the last assistant message before one."""
    messages = subject.messages
    calls = _ANSWERABLE.lane(subject.past)
    for at in range(len(calls), position + 1):
        before = messages[at - 1] if at else None
        if isinstance(before, dict) and before.get("role") == "assistant":
            calls.append(frozenset(call_id_of(call) for _, call in calls_of(before)))
        else:
            calls.append(calls[-1] if calls else frozenset())
    return calls[position]


def _all_answered(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    messages = subject.messages
    # Everything before this place was asked and answered.
    settled = _SETTLED.found(subject.past)
    asking = -1
    missing: dict[str, None] = {}
    clean = True
    for position in range(settled.upto, len(messages) + 1):
        message = messages[position] if position < len(messages) else None
        answer = as_object(message) or {}
        if answer.get("role") == "tool":
            missing.pop(as_text(answer.get("tool_call_id")) or "", None)
            continue
        if missing:
            clean = False
            listed = ", ".join(call_id[:SHOWN_CHARS] for call_id in missing)
            yield Finding(f"messages.{asking}.tool_calls", {"ids": listed})
        elif clean and position < len(messages):
            settled.upto = position
        asking = position
        missing = dict.fromkeys(call_id_of(call) for _, call in calls_of(message))


_PLACE = frozenset({"position", "role"})
_NO_ARGS: Mapping[str, type | tuple[type, ...]] = {}


def one(
    name: str,
    about: str,
    look: Looking,
    args: Mapping[str, type | tuple[type, ...]] = _NO_ARGS,
    fills: frozenset[str] = frozenset(),
    switches: tuple[str, ...] = (),
    **words: tuple[str, ...],
) -> Check:
    """Return a check of one message at a time."""
    return Check(name=name, about=about, look=look, stage=Stage.MESSAGE, args=args, words=words,
                 fills=fills | _PLACE, switches=switches)  # fmt: skip


def by_shape(check: Check) -> Check:
    """Return a check that looks at the shape of a message only."""
    return replace(check, by_shape=True)


def of_session(check: Check) -> Check:
    """Return a check that finds other things once the session's answers have held others."""
    return replace(check, of_session=True)


def given(needed: str, check: Check) -> Check:
    """Return a check that finds nothing in messages without a field or of another kind."""
    return replace(check, needs=always(needed))


_VALUES: Mapping[str, type | tuple[type, ...]] = {"values": list}
_TYPED = frozenset({"field", "type", "got"})

CHECKS = (
    by_shape(one("message_object", "the message is an object", _object,
                 fills=frozenset({"got"}))),
    by_shape(one("message_role", "the role is one of the listed", _role, _VALUES)),
    by_shape(one("message_fields", "each listed field has one of its types", _fields,
                 {"fields": dict}, _TYPED,
                 fields=("string", "bool", "number", "object", "array"))),
    given("content.parts",
          one("part_type", "every content part has a listed type", _part_type, _VALUES,
              frozenset({"part"}))),
    given("content.parts", one("text_not_empty", "no text part is empty", _text_empty)),
    given("content.parts",
          one("media_url", "media come in a listed way", _media_url, _VALUES,
              frozenset({"kind", "url"}))),
    given("content.parts",
          one("media_type", "inline media have a listed type", _media_type, {"types": dict},
              frozenset({"kind", "mime"}))),
    by_shape(one("assistant_not_empty", "an assistant message says or calls something",
                 _assistant_empty)),
    by_shape(one("content_required", "messages of the listed roles have content",
                 _content_required, _VALUES)),
    by_shape(one("tool_content", "a tool result has content, which may be empty",
                 _tool_content)),
    by_shape(one("tools_role", "dynamic tools stand on messages of one role", _tools_role,
                 {"value": str})),
    by_shape(one("tools_alone", "dynamic tools stand without content", _tools_alone)),
    given("tool_calls",
          one("call_shape", "every call has a function with name and arguments as text",
              _call_shape, fills=_TYPED)),
    given("tool_calls",
          one("call_unique", "no call id stands twice in a message", _call_unique,
              fills=frozenset({"id"}))),
    given("role.tool",
          one("result_known", "a tool result answers a call of the assistant before it",
              _result_known, fills=frozenset({"id"}))),
    Check(name="calls_answered", about="every call has its result right behind it",
          look=_all_answered, fills=frozenset({"ids"}), needs=always("messages.tool_calls")),
)  # fmt: skip
