"""Turns a reply into frames by building every chunk from the host's knobs; rules layer.

The general way, for hosts and events that leave the beaten track of `k3mock.wire.chunks`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.protocol.policy import (
    Absent,
    Continuation,
    DeltaReasoning,
    Escape,
    FinishDelta,
    PendingFinish,
    Role,
    ToolIndex,
    UsageElsewhere,
)
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
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
)
from k3mock.wire import channels, sse
from k3mock.wire.calls import Held, WholeCall, arguments_value, arranged
from k3mock.wire.closing import closed
from k3mock.wire.failure import error_bytes
from k3mock.wire.frame import DONE, Frame, FrameKind
from k3mock.wire.text import encode
from k3mock.wire.usage import usage_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import FrameEvent, Reply
    from k3mock.seed import Chance
    from k3mock.wire.calls import Word
    from k3mock.wire.envelope import Envelope

_SPOKEN = (
    ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta, ToolDelta, Held, WholeCall,
)  # fmt: skip

_PENDING: Mapping[PendingFinish, JSONObject] = {
    PendingFinish.NULL: {"finish_reason": None},
    PendingFinish.OMIT: {},
    PendingFinish.EMPTY: {"finish_reason": ""},
    PendingFinish.TEXT: {"finish_reason": "null"},
}


class Dialect:
    """Writes the frames of one reply."""

    def __init__(self, reply: Reply, envelope: Envelope, policy: WirePolicy) -> None:
        self._reply = reply
        self._policy = policy
        self._head: JSONObject = {
            "id": envelope.id,
            "object": "chat.completion.chunk",
            "created": envelope.created,
            "model": envelope.model,
        }
        self._tail: JSONObject = (
            {"system_fingerprint": envelope.fingerprint} if policy.fingerprint else {}
        )
        self._hidden = channels.hides_reasoning(policy)
        self._beside_content = channels.absent_reasoning(_delta_reasoning(policy), policy)
        self._beside_reasoning = channels.absent_content(policy.delta_content, policy)
        self._nulls: JSONObject = {}
        if policy.null_keys:
            self._nulls = dict.fromkeys(("content", *channels.reasoning_keys(policy), "tool_calls"))
        self._heads: dict[int, ToolCallStart] = {}
        self._completion = self._thought = 0.0

    def frames(
        self, *, include_usage: bool | None, chance: Chance | None = None
    ) -> Iterator[Frame]:
        """Yield the frames in order, none after the connection's end."""
        reply = self._reply
        if "role" not in reply.omit:
            content = channels.absent_content(self._policy.first_content, self._policy)
            yield Frame(self._chunk(self._delta(content, first=True)), FrameKind.ROLE)
        whole = closed(reply, self._policy, include_usage=include_usage)
        events = arranged(whole, self._policy, chance, literal=reply.literal)
        left = sum(isinstance(event, _SPOKEN) for event in events)
        thinking = False
        for event in events:
            if isinstance(event, _SPOKEN):
                left -= 1
                if thinking and not isinstance(event, ReasoningDelta) and self._marks_the_end():
                    yield Frame(self._reasoning(""), FrameKind.REASONING)
                thinking = isinstance(event, ReasoningDelta)
                self._count(event.tokens if left else math.inf, thinking=thinking)
                yield self._word(event)
            else:
                yield self._aside(event)
            if isinstance(event, Disconnect):
                return

    def _marks_the_end(self) -> bool:
        return self._policy.reasoning_end_mark and not self._hidden

    # What the model says.

    def _word(self, event: Word) -> Frame:
        match event:
            case ReasoningDelta():
                data = b"" if self._hidden else self._reasoning(event.text)
                return Frame(data, FrameKind.REASONING, event.tokens)
            case ContentDelta():
                said = channels.content_value(event.text, self._policy)
                data = self._chunk(self._delta({**said, **self._beside_content}))
                return Frame(data, FrameKind.CONTENT, event.tokens)
            case ToolDelta():
                return self._tool(event.fields, event.tokens)
            case ToolCallStart():
                self._heads[event.index] = event
                return self._tool(self._opening(event, ""), event.tokens)
            case ToolArgumentsDelta():
                return self._tool(self._continuation(event.index, event.text), event.tokens)
            case Held():
                return Frame(b"", FrameKind.TOOL, event.tokens)
            case WholeCall():
                shown = arguments_value(event.arguments, self._policy)
                start = event.start
                item = (
                    self._continuation(event.index, shown)
                    if start is None
                    else self._opening(start, shown)
                )
                return self._tool(item, event.tokens)

    def _reasoning(self, text: str) -> bytes:
        said = channels.reasoning_values(text, self._policy)
        return self._chunk(self._delta({**self._beside_reasoning, **said}))

    def _tool(self, item: JSONObject, tokens: int) -> Frame:
        data = self._chunk(self._delta({"tool_calls": [item]}))
        return Frame(data, FrameKind.TOOL, tokens)

    def _opening(self, start: ToolCallStart, arguments: JSONValue) -> JSONObject:
        return {
            **self._index(start.index),
            "id": start.id,
            "type": "function",
            "function": {"name": start.name, "arguments": arguments},
        }

    def _continuation(self, index: int, arguments: JSONValue) -> JSONObject:
        policy, head = self._policy, self._heads.get(index)
        call_id, name = (head.id, head.name) if head is not None else (None, None)
        return {
            **self._index(index),
            **_again("id", policy.continuation_id, call_id),
            **_again("type", policy.continuation_type, "function"),
            "function": {
                **_again("name", policy.continuation_name, name),
                "arguments": arguments,
            },
        }

    def _index(self, index: int) -> JSONObject:
        match self._policy.tool_index:
            case ToolIndex.PRESENT:
                return {"index": index + self._policy.tool_index_base}
            case ToolIndex.NULL:
                return {"index": None}
            case ToolIndex.OMIT:
                return {}

    # What stands beside it.

    def _aside(self, event: FrameEvent) -> Frame:
        match event:
            case Chunk():
                return Frame(self._data({**self._head, **event.fields}), FrameKind.OTHER)
            case Raw():
                return Frame(event.data, FrameKind.OTHER, literal=True)
            case Comment():
                return Frame(sse.comment(event.text), FrameKind.OTHER)
            case ErrorEvent():
                data = sse.event(error_bytes(event.error, self._policy), event.event)
                return Frame(data, FrameKind.ERROR)
            case Stall():
                ms = math.inf if event.ms is None else event.ms
                return Frame(b"", FrameKind.STALL, stall_ms=ms)
            case Disconnect():
                return Frame(b"", FrameKind.END, ending=event.how)
            case FinishEvent() | UsageEvent() | DoneEvent():
                return self._closing(event)

    def _closing(self, event: FinishEvent | UsageEvent | DoneEvent) -> Frame:
        match event:
            case FinishEvent():
                return Frame(self._finish(event.reason), FrameKind.FINISH)
            case UsageEvent():
                usage = event.usage if event.usage is not None else self._usage(math.inf)
                chunk: JSONObject = {**self._head, "choices": [], "usage": usage}
                return Frame(self._data({**chunk, **self._policy.extra}), FrameKind.USAGE)
            case DoneEvent():
                return Frame(DONE, FrameKind.DONE)

    def _finish(self, reason: str | None) -> bytes:
        choice: JSONObject = {"index": 0}
        if self._policy.finish_delta is FinishDelta.OBJECT:
            choice["delta"] = self._delta({})
        elif self._policy.finish_delta is FinishDelta.NULL:
            choice["delta"] = None
        choice["finish_reason"] = reason
        if self._reply.usage is not None and self._policy.usage_in_choice:
            choice["usage"] = self._usage(math.inf)
        self._count(math.inf, thinking=False)
        return self._enclosed(choice)

    # What all chunks share.

    def _delta(self, said: JSONObject, *, first: bool = False) -> JSONObject:
        role: JSONObject = {}
        match self._policy.role:
            case Role.FIRST | Role.NULL_LATER if first:
                role = {"role": "assistant"}
            case Role.EVERY:
                role = {"role": "assistant"}
            case Role.NULL_LATER:
                role = {"role": None}
            case Role.FIRST | Role.OMIT:
                role = {"role": None} if self._policy.null_keys else {}
        return {**role, **self._nulls, **said, **self._policy.extra_message}

    def _chunk(self, delta: JSONObject) -> bytes:
        return self._enclosed({"index": 0, "delta": delta, **_PENDING[self._policy.pending_finish]})

    def _enclosed(self, choice: JSONObject) -> bytes:
        chunk: JSONObject = {**self._head, "choices": [choice], **self._tail}
        match self._policy.usage_elsewhere:
            case UsageElsewhere.NULL:
                chunk["usage"] = None
            case UsageElsewhere.CUMULATIVE if self._reply.usage is not None:
                chunk["usage"] = self._usage(self._completion)
            case UsageElsewhere.OMIT | UsageElsewhere.CUMULATIVE:
                pass
        return self._data({**chunk, **self._policy.extra})

    def _data(self, value: JSONObject) -> bytes:
        escape = self._policy.html_escape is Escape.ALL
        return sse.event(encode(value, escape=escape, only_ascii=self._policy.ascii))

    def _count(self, tokens: float, *, thinking: bool) -> None:
        """Add tokens to the growing usage; infinitely many stand for all that were counted."""
        self._completion += tokens
        if thinking or tokens == math.inf:
            self._thought += tokens

    def _usage(self, completion: float) -> JSONObject | None:
        """Return the usage object after so many tokens of the answer."""
        total = self._reply.usage
        if total is None:
            return None
        thought = math.inf if completion == math.inf else self._thought
        spent = int(min(completion, total.completion))
        usage = replace(
            total, completion=spent, reasoning=int(min(thought, total.reasoning, spent))
        )
        return usage_object(usage, self._policy, self._reply.shown_usage)


def _delta_reasoning(policy: WirePolicy) -> Absent:
    if policy.delta_reasoning is DeltaReasoning.SAME:
        return policy.absent_channel
    return Absent(policy.delta_reasoning)


def _again(key: str, how: Continuation, value: str | None) -> JSONObject:
    if how is Continuation.EMPTY:
        return {key: ""}
    return {key: value} if how is Continuation.REPEAT and value is not None else {}
