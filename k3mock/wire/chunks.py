"""Turns a generated reply into the frames of a stream; rules layer.

What all frames share is written once; an ordinary frame is prefix + delta + suffix.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.protocol.policy import Escape, ReasoningField, UsageChunk
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    ErrorEvent,
    FinishEvent,
    Raw,
    ReasoningDelta,
    ReplyEvent,
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
)
from k3mock.wire.text import encode
from k3mock.wire.usage import usage_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Ending, Reply
    from k3mock.wire.envelope import Envelope

DONE = b"data: [DONE]\n\n"


class FrameKind(StrEnum):
    """What a frame carries, which decides its pace."""

    ROLE = "role"
    REASONING = "reasoning"
    CONTENT = "content"
    TOOL = "tool"
    FINISH = "finish"
    USAGE = "usage"
    DONE = "done"
    ERROR = "error"
    OTHER = "other"
    STALL = "stall"
    END = "end"


@dataclass(frozen=True, slots=True)
class Frame:
    """The bytes of one SSE event; `tokens` is what the model spent on it.

    A frame of the kind `stall` has no bytes and `stall_ms` of silence (infinite: for ever); one of
    the kind `end` has none either, and `ending` says how the connection ends there.
    """

    data: bytes
    kind: FrameKind
    tokens: int = 0
    stall_ms: float = 0.0
    ending: Ending | None = None


def encode_frames(
    reply: Reply, envelope: Envelope, policy: WirePolicy, *, include_usage: bool | None
) -> tuple[Frame, ...]:
    """Write a stream: role, reasoning, content, tool calls, finish, usage on request, `[DONE]`.

    `include_usage` is what the caller asked for, None when it did not say. Reasoning that the host
    hides becomes frames without bytes, which still take their time.

    Key order of a chunk `id, object, created, model, choices, system_fingerprint`; the finish chunk
    carries usage in its choice, ordinary chunks carry none (raw capture of 2026-07-17).
    """
    return tuple(_Encoder(envelope, policy).frames(reply, include_usage=include_usage))


def shows_usage(policy: WirePolicy, include_usage: bool | None) -> bool:
    """Say whether a stream ends with a chunk of usage alone."""
    match policy.usage_chunk:
        case UsageChunk.OFF:
            return False
        case UsageChunk.REQUESTED:
            return include_usage is True
        case UsageChunk.UNLESS_FALSE:
            return include_usage is not False
        case UsageChunk.FORCED:
            return True


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

    def frames(self, reply: Reply, *, include_usage: bool | None) -> Iterator[Frame]:
        yield self._frame(b'{"role":"assistant","content":""}', FrameKind.ROLE)
        thinking = False
        for event in reply.events:
            if thinking and not isinstance(event, ReasoningDelta):
                thinking = False
                if self._marks_the_end:
                    yield self._frame(b'{"reasoning_content":""}', FrameKind.REASONING)
            thinking = thinking or isinstance(event, ReasoningDelta)
            yield self._event(event)
        yield self._finish(reply)
        if reply.usage is not None and shows_usage(self._policy, include_usage):
            usage = self._json(usage_object(reply.usage, self._policy))
            data = self._head + b',"choices":[],"usage":' + usage + b"}\n\n"
            yield Frame(data, FrameKind.USAGE)
        yield Frame(DONE, FrameKind.DONE)

    def _event(self, event: ReplyEvent) -> Frame:
        match event:
            case ReasoningDelta() if self._hidden:
                return Frame(b"", FrameKind.REASONING, event.tokens)
            case ReasoningDelta():
                delta = b'{"reasoning_content":' + self._json(event.text) + b"}"
                return self._frame(delta, FrameKind.REASONING, event.tokens)
            case ContentDelta():
                delta = b'{"content":' + self._json(event.text) + b"}"
                return self._frame(delta, FrameKind.CONTENT, event.tokens)
            case ToolCallStart():
                call: JSONObject = {
                    "index": event.index,
                    "id": event.id,
                    "type": "function",
                    "function": {"name": event.name, "arguments": ""},
                }
                return self._tool(call, event.tokens)
            case (
                ToolDelta() | Chunk() | Raw() | Comment() | ErrorEvent() | Stall()
                | FinishEvent() | UsageEvent() | DoneEvent() | Disconnect()
            ):  # fmt: skip
                raise NotImplementedError
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
            choice += b',"usage":' + self._json(usage_object(reply.usage, self._policy))
        return Frame(self._prefix + choice + b"}]" + self._tail + b"\n\n", FrameKind.FINISH)

    def _json(self, value: JSONObject | str | None) -> bytes:
        return encode(value, escape=self._escape)
