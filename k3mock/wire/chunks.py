"""Turns a generated reply into the frames of a stream; rules layer.

What all frames share is written once; an ordinary frame is prefix + delta + suffix. Hosts and
events that need more than that are left to `k3mock.wire.dialect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.policy import Absent, DeltaReasoning, Escape, ReasoningField, WirePolicy
from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
)
from k3mock.wire import sse
from k3mock.wire.dialect import Dialect
from k3mock.wire.frame import DONE, Frame, FrameKind
from k3mock.wire.text import encode
from k3mock.wire.usage import shows_usage, usage_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.reply import Reply
    from k3mock.seed import Chance
    from k3mock.wire.envelope import Envelope

__all__ = ["DONE", "Frame", "FrameKind", "encode_frames", "shows_usage", "takes_the_short_way"]

_Plain: TypeAlias = "ReasoningDelta | ContentDelta | ToolCallStart | ToolArgumentsDelta"
_PLAIN_EVENTS = frozenset((ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta))
_USUAL = WirePolicy()
_AS_USUAL = (
    "delta_content", "content_encoding", "role", "first_content", "finish_delta",
    "pending_finish", "finish_chunks", "done", "null_keys", "extra", "extra_message",
    "usage_elsewhere", "tool_index", "tool_index_base", "continuation_id", "continuation_type",
    "continuation_name", "tool_arguments", "parallel_order", "ascii",
)  # fmt: skip
"""The knobs that the short way does not know."""


def encode_frames(
    reply: Reply,
    envelope: Envelope,
    policy: WirePolicy,
    *,
    include_usage: bool | None,
    chance: Chance | None = None,
) -> tuple[Frame, ...]:
    """Write a stream: role, reasoning, content, tool calls, finish, usage on request, `[DONE]`.

    `include_usage` is what the caller asked for, None when it did not say. Reasoning that the host
    hides becomes frames without bytes, which still take their time. `chance` decides on the order
    of parallel calls where the host has none; without it the calls themselves do.

    Key order of a chunk `id, object, created, model, choices, system_fingerprint`; the finish chunk
    carries usage in its choice, ordinary chunks carry none (raw capture of 2026-07-17).
    """
    if takes_the_short_way(reply, policy):
        frames = tuple(_Encoder(envelope, policy).frames(reply, include_usage=include_usage))
    else:
        dialect = Dialect(reply, envelope, policy)
        frames = tuple(dialect.frames(include_usage=include_usage, chance=chance))
    return sse.reframe(frames, policy) if sse.deviates(policy) else frames


def takes_the_short_way(reply: Reply, policy: WirePolicy) -> bool:
    """Say whether prefix, delta and suffix are enough for this reply at this host."""
    return (
        _PLAIN_EVENTS.issuperset(map(type, reply.events))
        and not (reply.omit or reply.null_finish)
        and policy.reasoning_field in {ReasoningField.REASONING_CONTENT, ReasoningField.HIDDEN}
        and _shows_no_reasoning_beside_content(policy)
        and all(getattr(policy, knob) == getattr(_USUAL, knob) for knob in _AS_USUAL)
    )


def _shows_no_reasoning_beside_content(policy: WirePolicy) -> bool:
    if policy.delta_reasoning is DeltaReasoning.SAME:
        return policy.absent_channel is Absent.OMIT
    return policy.delta_reasoning is DeltaReasoning.OMIT


class _Encoder:
    def __init__(self, envelope: Envelope, policy: WirePolicy) -> None:
        self._policy = policy
        self._escape = policy.html_escape is Escape.ALL
        self._hidden = policy.reasoning_field is ReasoningField.HIDDEN
        self._marks_the_end = policy.reasoning_end_mark and not self._hidden
        head: JSONObject = {
            "id": envelope.id,
            "object": "chat.completion.chunk",
            "created": envelope.created,
            "model": envelope.model,
        }
        self._head = b"data: " + self._json(head)[:-1]
        self._prefix = self._head + b',"choices":[{"index":0,"delta":'
        fingerprint: JSONObject = {"system_fingerprint": envelope.fingerprint}
        self._tail = b"," + self._json(fingerprint)[1:] if policy.fingerprint else b"}"
        self._suffix = b',"finish_reason":null}]' + self._tail + b"\n\n"
        self._reasoning = self._prefix + b'{"reasoning_content":'
        self._content = self._prefix + b'{"content":'
        self._closed = b"}" + self._suffix

    def frames(self, reply: Reply, *, include_usage: bool | None) -> Iterator[Frame]:
        yield self._frame(b'{"role":"assistant","content":""}', FrameKind.ROLE)
        thinking = False
        events: Sequence[_Plain] = reply.events  # type: ignore[assignment]  # checked before
        for event in events:
            if thinking and not isinstance(event, ReasoningDelta):
                thinking = False
                if self._marks_the_end:
                    yield self._frame(b'{"reasoning_content":""}', FrameKind.REASONING)
            thinking = thinking or isinstance(event, ReasoningDelta)
            yield self._event(event)
        yield self._finish(reply)
        if reply.usage is not None and shows_usage(self._policy, include_usage):
            usage = self._json(usage_object(reply.usage, self._policy, reply.shown_usage))
            data = self._head + b',"choices":[],"usage":' + usage + b"}\n\n"
            yield Frame(data, FrameKind.USAGE)
        yield Frame(DONE, FrameKind.DONE)

    def _event(self, event: _Plain) -> Frame:
        match event:
            case ReasoningDelta() if self._hidden:
                return Frame(b"", FrameKind.REASONING, event.tokens)
            case ReasoningDelta():
                text = encode(event.text, escape=self._escape)
                data = self._reasoning + text + self._closed
                return Frame(data, FrameKind.REASONING, event.tokens)
            case ContentDelta():
                text = encode(event.text, escape=self._escape)
                data = self._content + text + self._closed
                return Frame(data, FrameKind.CONTENT, event.tokens)
            case ToolCallStart():
                call: JSONObject = {
                    "index": event.index,
                    "id": event.id,
                    "type": "function",
                    "function": {"name": event.name, "arguments": ""},
                }
                return self._tool(call, event.tokens)
            case ToolArgumentsDelta():
                more: JSONObject = {"index": event.index, "function": {"arguments": event.text}}
                return self._tool(more, event.tokens)

    def _tool(self, call: JSONObject, tokens: int) -> Frame:
        return self._frame(b'{"tool_calls":[' + self._json(call) + b"]}", FrameKind.TOOL, tokens)

    def _frame(self, delta: bytes, kind: FrameKind, tokens: int = 0) -> Frame:
        return Frame(self._prefix + delta + self._suffix, kind, tokens)

    def _finish(self, reply: Reply) -> Frame:
        choice = b'{},"finish_reason":' + self._json(reply.finish)
        if reply.usage is not None and self._policy.usage_in_choice:
            choice += b',"usage":' + self._json(
                usage_object(reply.usage, self._policy, reply.shown_usage)
            )
        return Frame(self._prefix + choice + b"}]" + self._tail + b"\n\n", FrameKind.FINISH)

    def _json(self, value: JSONObject | str | None) -> bytes:
        return encode(value, escape=self._escape)
