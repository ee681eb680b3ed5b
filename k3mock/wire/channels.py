"""Turns reasoning and content into the keys that show them in a message or delta; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import Absent, ContentEncoding, ReasoningField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.policy import WirePolicy

DETAILS = "reasoning_details"

_NAMES: Mapping[ReasoningField, tuple[str, ...]] = {
    ReasoningField.REASONING_CONTENT: ("reasoning_content",),
    ReasoningField.REASONING: ("reasoning",),
    ReasoningField.BOTH: ("reasoning_content", "reasoning"),
    ReasoningField.DETAILS: ("reasoning", DETAILS),
    ReasoningField.HIDDEN: (),
}


def in_blocks(policy: WirePolicy) -> bool:
    """Say whether text travels as a list of typed blocks, reasoning among them."""
    return policy.content_encoding is ContentEncoding.TYPED_BLOCKS


def hides_reasoning(policy: WirePolicy) -> bool:
    """Say whether the host keeps its reasoning to itself."""
    return policy.reasoning_field is ReasoningField.HIDDEN


def reasoning_keys(policy: WirePolicy) -> tuple[str, ...]:
    """Return the keys of reasoning; none when it is hidden or stands in blocks of content."""
    return () if in_blocks(policy) else _NAMES[policy.reasoning_field]


def reasoning_values(text: str, policy: WirePolicy) -> JSONObject:
    """Return the keys of reasoning with this text; in a host of blocks it is one of content."""
    if in_blocks(policy):
        return {"content": [thinking_block(text)]}
    detail: JSONObject = {"type": "reasoning.text", "text": text, "format": None, "index": 0}
    return {key: [detail] if key == DETAILS else text for key in reasoning_keys(policy)}


def absent_reasoning(absent: Absent, policy: WirePolicy) -> JSONObject:
    """Return the keys of reasoning that has nothing to say."""
    if absent is Absent.OMIT:
        return {}
    null = absent is Absent.NULL
    return {
        key: None if null else [] if key == DETAILS else "" for key in reasoning_keys(policy)
    }  # fmt: skip


def absent_content(absent: Absent, policy: WirePolicy) -> JSONObject:
    """Return `content` that has nothing to say; where text is a list, it is an empty one."""
    if absent is Absent.OMIT:
        return {}
    if absent is Absent.NULL:
        return {"content": None}
    return {"content": [] if in_blocks(policy) else ""}


def content_value(text: str, policy: WirePolicy) -> JSONObject:
    """Return `content` with this text."""
    return {"content": [text_block(text)] if in_blocks(policy) else text}


def text_block(text: str) -> JSONObject:
    """Return a typed block of text."""
    return {"type": "text", "text": text}


def thinking_block(text: str) -> JSONObject:
    """Return a typed block of reasoning."""
    return {"type": "thinking", "thinking": [text_block(text)]}


def message_values(reasoning: str, content: str, policy: WirePolicy) -> JSONObject:
    """Return the keys of both channels of a whole message."""
    if in_blocks(policy):
        blocks: list[JSONValue] = []
        if reasoning and not hides_reasoning(policy):
            blocks.append(thinking_block(reasoning))
        if content:
            blocks.append(text_block(content))
        return {"content": blocks} if blocks else absent_content(policy.absent_content, policy)
    shown: JSONObject = (
        {"content": content} if content else absent_content(policy.absent_content, policy)
    )
    if reasoning:
        return {**shown, **reasoning_values(reasoning, policy)}
    return {**shown, **absent_reasoning(policy.absent_channel, policy)}
