"""Turns a JSON body into a `ChatRequest`, leniently; rules layer.

Whatever has the wrong type is read as absent: the checks complain about it, and a scripted answer
can still be given when the contract is switched to warnings.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson

from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text
from k3mock.past import Step
from k3mock.protocol.request import (
    ChatRequest,
    ChoiceMode,
    MediaPart,
    Message,
    OtherPart,
    Part,
    ResponseFormat,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
)

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.past import Past

_TRANSPORT_FIELDS = ("stream", "stream_options")
"""Fields that say how the answer travels, not what it is."""


_MODES = frozenset(set(ChoiceMode) - {ChoiceMode.NAMED})
_FREE = ToolChoice()
_TEXT = ResponseFormat()
_READ: Step[Message] = Step("read")


def read_request(
    body: JSONObject, profile: Profile, digest: bytes = b"", past: Past | None = None
) -> ChatRequest:
    """Read a body into typed values, with the profile's defaults filled in.

    `digest` identifies the body, where that was worked out before; `past` is what is known of its
    messages.
    """
    included = (as_object(body.get("stream_options")) or {}).get("include_usage")
    return ChatRequest(
        body=body,
        digest=digest or request_digest(body),
        model=as_text(body.get("model")) or "",
        messages=_messages(as_list(body.get("messages")) or [], past),
        tools=_tools(body.get("tools")),
        tool_choice=_tool_choice(body.get("tool_choice")),
        response_format=_response_format(body.get("response_format")),
        effort=_effort(body, profile),
        thinking=_thinks(body, profile),
        cap=_cap(body),
        stop=_stop(body.get("stop")),
        stream=body.get("stream") is True,
        include_usage=included if isinstance(included, bool) else None,
    )


def _messages(items: list[JSONValue], past: Past | None) -> tuple[Message, ...]:
    read = [] if past is None else _READ.lane(past)
    for position in range(len(read), len(items)):
        read.append(_message(position, as_object(items[position]) or {}))
    return tuple(read)


def request_digest(body: JSONObject, past: Past | None = None) -> bytes:
    """Identify a request by all its fields except those that only say how the answer travels."""
    kept = {key: value for key, value in body.items() if key not in _TRANSPORT_FIELDS}
    messages = kept.get("messages")
    if past is not None and isinstance(messages, list) and len(messages) > 1:
        return _long_digest(kept, messages, past)
    return hashlib.blake2b(_sorted(kept), digest_size=16).digest()


def _sorted(value: JSONValue) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _long_digest(kept: JSONObject, messages: list[JSONValue], past: Past) -> bytes:
    """Return what the digest of all is, piece by piece: that of known messages is known."""
    before = {key: value for key, value in kept.items() if key < "messages"}
    after = {key: value for key, value in kept.items() if key > "messages"}
    head = _sorted(before)[:-1] + (b',"messages":[' if before else b'"messages":[')
    named = past.digest(head)
    at = past.known
    if named is None:
        named, at = hashlib.blake2b(head, digest_size=16), 0
    for end in (len(messages) - 1, len(messages)):
        if at < end:
            named.update((b"," if at else b"") + _sorted(messages[at:end])[1:-1])
            at = end
        past.digests[head, end] = named.copy()
    named.update(b"]" + (b"," if after else b"") + _sorted(after)[1:])
    return named.digest()


def _effort(body: JSONObject, profile: Profile) -> str:
    """Return the effective effort; `thinking.effort` wins over `reasoning_effort`.

    Evidence: the vendor's verifier tests, written against the online endpoint, assert it. With the
    switch `thinking: ignore` the object has no effect at all.
    """
    ignored = profile.switches.get("thinking") == "ignore"
    thinking = {} if ignored else as_object(body.get("thinking")) or {}
    for asked in (thinking.get("effort"), body.get("reasoning_effort")):
        if isinstance(asked, str) and asked in profile.efforts:
            return asked
    return profile.default_effort


def _thinks(body: JSONObject, profile: Profile) -> bool:
    """Say whether the answer thinks; only a host that honours it lets a request say no."""
    kind = (as_object(body.get("thinking")) or {}).get("type")
    return profile.switches.get("thinking") != "honour" or kind != "disabled"


def _cap(body: JSONObject) -> int | None:
    """Return the requested cap; `max_completion_tokens` wins over the deprecated `max_tokens`."""
    preferred = as_int(body.get("max_completion_tokens"))
    return preferred if preferred is not None else as_int(body.get("max_tokens"))


def _stop(value: JSONValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(word for word in as_list(value) or [] if isinstance(word, str))


def _message(position: int, item: JSONObject) -> Message:
    return Message(
        position=position,
        role=as_text(item.get("role")) or "",
        parts=tuple(_parts(item.get("content"))),
        name=as_text(item.get("name")),
        reasoning=as_text(item.get("reasoning_content")),
        tool_calls=tuple(
            _call(as_object(call) or {}) for call in as_list(item.get("tool_calls")) or []
        ),
        tool_call_id=as_text(item.get("tool_call_id")),
        tools=_tools(item.get("tools")) if item.get("role") == "system" else (),
        partial=item.get("partial") is True,
    )


def _parts(content: JSONValue) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    return [_part(as_object(item) or {}) for item in as_list(content) or []]


def _part(item: JSONObject) -> Part:
    kind = as_text(item.get("type")) or ""
    if kind == "text":
        return TextPart(as_text(item.get("text")) or "")
    return media_part(item) or OtherPart(kind)


def media_part(item: JSONObject) -> MediaPart | None:
    """Read an image or video part, whose URL may stand in an object or alone."""
    kind = as_text(item.get("type")) or ""
    if kind not in {"image_url", "video_url"}:
        return None
    holder = item.get(kind)
    url = holder if isinstance(holder, str) else (as_object(holder) or {}).get("url")
    return MediaPart(kind.removesuffix("_url"), as_text(url) or "")


def _call(item: JSONObject) -> ToolCall:
    function = as_object(item.get("function")) or {}
    return ToolCall(
        id=as_text(item.get("id")) or "",
        name=as_text(function.get("name")) or "",
        arguments=as_text(function.get("arguments")) or "",
    )


def _tools(value: JSONValue) -> tuple[Tool, ...]:
    declared = [as_object(item) for item in as_list(value) or []]
    return tuple(_tool(item) for item in declared if item is not None)


def _tool(item: JSONObject) -> Tool:
    function = as_object(item.get("function")) or {}
    return Tool(
        name=as_text(function.get("name")) or "",
        description=as_text(function.get("description")) or "",
        parameters=as_object(function.get("parameters")) or {},
        declared=item,
    )


def _tool_choice(value: JSONValue) -> ToolChoice:
    if value is None:
        return _FREE
    if isinstance(value, str) and value in _MODES:
        return ToolChoice(mode=ChoiceMode(value))
    function = as_object((as_object(value) or {}).get("function")) or {}
    name = as_text(function.get("name"))
    return ToolChoice(mode=ChoiceMode.NAMED, name=name) if name else _FREE


def _response_format(value: JSONValue) -> ResponseFormat:
    chosen = as_object(value)
    if chosen is None:
        return _TEXT
    match chosen.get("type"):
        case "json_object":
            return ResponseFormat(kind="json_object")
        case "json_schema":
            declared = as_object(chosen.get("json_schema")) or {}
            schema = as_object(declared.get("schema"))
            if schema is None:
                return _TEXT
            strict = declared.get("strict") is not False
            return ResponseFormat(kind="json_schema", schema=schema, strict=strict)
        case _:
            return _TEXT
