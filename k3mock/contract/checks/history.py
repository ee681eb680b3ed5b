"""Turns what a client sends back of earlier turns into findings: reasoning, ids, order, words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.contract.checks.messages import (
    SHOWN_CHARS,
    by_shape,
    call_id_of,
    calls_of,
    given,
    here,
    of_session,
    one,
)
from k3mock.jsonvalue import as_list, as_text
from k3mock.protocol.policy import ToolIds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Finding, Subject
    from k3mock.contract.rule import Rule

_REASONING = "reasoning_content"

_FORMS: Mapping[ToolIds, str] = {
    ToolIds.K3: r"{name}_\d+",
    ToolIds.KIMI_FUNCTIONS: r"functions\.{name}:\d+",
    ToolIds.KIMI_SHORT: r"{name}:\d+",
    ToolIds.OPENAI: r"call_[A-Za-z0-9]+",
    ToolIds.UUID: r"[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}",
}


def has_form(form: ToolIds, name: str, call_id: str) -> bool:
    """Say whether the id of a call of `name` has a form."""
    pattern = _FORMS[form].format(name=re.escape(name))
    return re.fullmatch(pattern, call_id) is not None


def _is_replayed(subject: Subject) -> bool:
    """Say whether the message is an earlier answer whose reasoning is looked at."""
    message = subject.message
    if message.get("role") != "assistant" or message.get("partial") is True:
        return False
    return subject.switch("reasoning_messages") == "all" or bool(message.get("tool_calls"))


def reasoning_missing(subject: Subject) -> Iterator[Finding]:
    """Yield the message if its reasoning did not come back."""
    if not _is_replayed(subject):
        return
    value = subject.message.get(_REASONING)
    match subject.switch("reasoning_presence"):
        case "key":
            there = _REASONING in subject.message
        case "non_null":
            there = value is not None
        case _:
            there = bool(as_text(value))
    if not there:
        yield here(subject, _REASONING)


def reasoning_is_replayed(subject: Subject) -> bool:
    """Say whether the message is an earlier answer that comes back with its reasoning."""
    return _REASONING in subject.message and _is_replayed(subject)


def reasoning_changed(subject: Subject) -> Iterator[Finding]:
    """Yield the message if its reasoning is not the one that was given."""
    message = subject.request.messages[subject.position]
    if not reasoning_is_replayed(subject):
        return
    calls = [(call.id, call.name) for call in message.tool_calls]
    if subject.issued.same_reasoning(message.text, calls, message.reasoning or "") is False:
        yield here(subject, _REASONING)


def _reasoning_there(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    return reasoning_missing(subject)


def _reasoning_issued(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    return reasoning_changed(subject)


def _call_issued(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    names = subject.request.messages[subject.position].tool_calls
    by_form = subject.switch("tool_id_provenance") == "shape"
    for index, item in calls_of(subject.message):
        call_id = call_id_of(item)
        if by_form:
            known = has_form(subject.tool_ids, names[index].name, call_id)
        else:
            known = subject.issued.issued_call(call_id)
        if not known:
            yield here(subject, "tool_calls", index, "id", id=call_id[:SHOWN_CHARS])


def _alternation(subject: Subject, _rule: Rule) -> Iterator[Finding]:
    role = subject.message.get("role")
    before = subject.position - 1
    if before >= 0 and role in {"user", "assistant"}:
        earlier = subject.request.messages[before]
        if earlier.role == role:
            model = subject.request.model[:SHOWN_CHARS]
            yield here(subject, "role", before=str(before), model=model)


def _content_key(subject: Subject, rule: Rule) -> Iterator[Finding]:
    roles = as_list(rule.args.get("values")) or []
    if subject.message.get("role") in roles and "content" not in subject.message:
        yield here(subject, "content")


def _text_free_of(subject: Subject, rule: Rule) -> Iterator[Finding]:
    text = subject.request.messages[subject.position].text
    if any(str(word) in text for word in as_list(rule.args.get("values")) or []):
        yield here(subject, "content")


_VALUES: Mapping[str, type | tuple[type, ...]] = {"values": list}

CHECKS = (
    by_shape(one("reasoning_there", "assistant messages keep their reasoning", _reasoning_there,
                 switches=("reasoning_messages", "reasoning_presence"))),
    of_session(
        given("reasoning_content",
              one("reasoning_issued", "reasoning comes back as this session gave it",
                  _reasoning_issued, switches=("reasoning_messages",)))),
    of_session(
        given("tool_calls",
              one("call_issued",
                  "call ids have the host's form, or were given out in this session",
                  _call_issued, fills=frozenset({"id"})))),
    one("alternation", "no two messages of the user or the assistant follow each other",
        _alternation, fills=frozenset({"before", "model"})),
    by_shape(one("content_key",
                 "messages of the listed roles have the key `content`, which may be null",
                 _content_key, _VALUES)),
    one("text_free_of", "no message holds a listed text", _text_free_of, _VALUES),
)  # fmt: skip
