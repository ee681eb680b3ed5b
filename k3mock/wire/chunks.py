"""Turns a generated reply into the frames of a stream; rules layer.

What all frames share is written once; an ordinary frame is prefix + delta + suffix. Hosts and
events that need more than that are left to `k3mock.wire.dialect`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias, cast

from k3mock.protocol.policy import Absent, DeltaReasoning, Escape, ReasoningField, WirePolicy
from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
)
from k3mock.wire import sse
from k3mock.wire.dialect import Dialect
from k3mock.wire.frame import DONE, Deltas, Frame, FrameKind, PlainFrames
from k3mock.wire.text import encode
from k3mock.wire.usage import shows_usage, usage_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.reply import Events, Reply
    from k3mock.seed import Chance
    from k3mock.wire.envelope import Envelope

__all__ = [
    "DONE", "Frame", "FrameKind", "PlainFrames", "encode_frames", "shows_usage",
    "takes_the_short_way",
]  # fmt: skip

_Plain: TypeAlias = "ReasoningDelta | ContentDelta | ToolCallStart | ToolArgumentsDelta"
_PLAIN_EVENTS = frozenset((ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta))
_KINDS: Mapping[type, FrameKind] = {
    ReasoningDelta: FrameKind.REASONING,
    ContentDelta: FrameKind.CONTENT,
    ToolCallStart: FrameKind.TOOL,
    ToolArgumentsDelta: FrameKind.TOOL,
}
_LAST = Frame(DONE, FrameKind.DONE)
_USUAL = WirePolicy()
_as_usual = attrgetter(
    "delta_content", "content_encoding", "role", "first_content", "finish_delta",
    "pending_finish", "finish_chunks", "done", "null_keys", "extra", "extra_message",
    "usage_elsewhere", "tool_index", "tool_index_base", "continuation_id", "continuation_type",
    "continuation_name", "tool_arguments", "parallel_order", "ascii",
)  # fmt: skip
"""Gives the knobs that the short way does not know."""


def encode_frames(
    reply: Reply,
    envelope: Envelope,
    policy: WirePolicy,
    *,
    include_usage: bool | None,
    chance: Chance | None = None,
) -> Sequence[Frame]:
    """Write a stream: role, reasoning, content, tool calls, finish, usage on request, `[DONE]`.

    `include_usage` is what the caller asked for, None when it did not say. Reasoning that the host
    hides becomes frames without bytes, which still take their time. `chance` decides on the order
    of parallel calls where the host has none; without it the calls themselves do.

    Key order of a chunk `id, object, created, model, choices, system_fingerprint`; the finish chunk
    carries usage in its choice, ordinary chunks carry none (raw capture of 2026-07-17).
    """
    frames: Sequence[Frame]
    if takes_the_short_way(reply, policy):
        frames = _Encoder(envelope, policy).frames(reply, include_usage=include_usage)
    else:
        dialect = Dialect(reply, envelope, policy)
        frames = tuple(dialect.frames(include_usage=include_usage, chance=chance))
    return sse.reframe(frames, policy) if sse.deviates(policy) else frames


def takes_the_short_way(reply: Reply, policy: WirePolicy) -> bool:
    """Say whether prefix, delta and suffix are enough for this reply at this host."""
    return (
        _PLAIN_EVENTS.issuperset(reply.said.kinds)
        and not (reply.omit or reply.null_finish)
        and policy.reasoning_field in {ReasoningField.REASONING_CONTENT, ReasoningField.HIDDEN}
        and _shows_no_reasoning_beside_content(policy)
        and _as_usual(policy) == _as_usual(_USUAL)
    )


def _shows_no_reasoning_beside_content(policy: WirePolicy) -> bool:
    if policy.delta_reasoning is DeltaReasoning.SAME:
        return policy.absent_channel is Absent.OMIT
    return policy.delta_reasoning is DeltaReasoning.OMIT


@dataclass(frozen=True, slots=True)
class _Delta:
    """Writes the deltas of one host, without what stands around them."""

    escape: bool
    hidden: bool
    marks_the_end: bool

    def all(self, events: Events) -> Deltas:
        """Write all deltas of an answer, the role first."""
        data = [b'{"role":"assistant","content":""}']
        kinds, tokens = [FrameKind.ROLE], [0]
        thinking = False
        for event in cast("Sequence[_Plain]", events):
            reasons = isinstance(event, ReasoningDelta)
            if thinking and not reasons and self.marks_the_end:
                data.append(b'{"reasoning_content":""}')
                kinds.append(FrameKind.REASONING)
                tokens.append(0)
            thinking = reasons
            data.append(self._one(event))
            kinds.append(_KINDS[type(event)])
            tokens.append(event.tokens)
        return Deltas(tuple(data), tuple(kinds), tuple(tokens), sum(tokens))

    def _one(self, event: _Plain) -> bytes:
        match event:
            case ReasoningDelta():
                text = encode(event.text, escape=self.escape)
                return b'{"reasoning_content":' + text + b"}"
            case ContentDelta():
                return b'{"content":' + encode(event.text, escape=self.escape) + b"}"
            case ToolCallStart():
                call: JSONObject = {
                    "index": event.index,
                    "id": event.id,
                    "type": "function",
                    "function": {"name": event.name, "arguments": ""},
                }
                return self._tool(call)
            case ToolArgumentsDelta():
                return self._tool({"index": event.index, "function": {"arguments": event.text}})

    def _tool(self, call: JSONObject) -> bytes:
        return b'{"tool_calls":[' + encode(call, escape=self.escape) + b"]}"


class _Encoder:
    def __init__(self, envelope: Envelope, policy: WirePolicy) -> None:
        self._policy = policy
        self._escape = policy.html_escape is Escape.ALL
        self._hidden = policy.reasoning_field is ReasoningField.HIDDEN
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

    def frames(self, reply: Reply, *, include_usage: bool | None) -> Sequence[Frame]:
        marks = self._policy.reasoning_end_mark and not self._hidden
        written = _Delta(self._escape, self._hidden, marks)
        deltas = reply.said.once(written, written.all)
        closing = tuple(self._closing(reply, include_usage=include_usage))
        plain = PlainFrames(self._prefix, deltas, self._suffix, closing)
        if not self._hidden or ReasoningDelta not in reply.said.kinds:
            return plain
        return tuple(
            replace(frame, data=b"") if frame.kind is FrameKind.REASONING else frame
            for frame in plain
        )

    def _closing(self, reply: Reply, *, include_usage: bool | None) -> Iterator[Frame]:
        yield self._finish(reply)
        if reply.usage is not None and shows_usage(self._policy, include_usage):
            usage = self._json(usage_object(reply.usage, self._policy, reply.shown_usage))
            data = self._head + b',"choices":[],"usage":' + usage + b"}\n\n"
            yield Frame(data, FrameKind.USAGE)
        yield _LAST

    def _finish(self, reply: Reply) -> Frame:
        choice = b'{},"finish_reason":' + self._json(reply.finish)
        if reply.usage is not None and self._policy.usage_in_choice:
            choice += b',"usage":' + self._json(
                usage_object(reply.usage, self._policy, reply.shown_usage)
            )
        return Frame(self._prefix + choice + b"}]" + self._tail + b"\n\n", FrameKind.FINISH)

    def _json(self, value: JSONObject | str | None) -> bytes:
        return encode(value, escape=self._escape)
