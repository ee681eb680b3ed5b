"""Whatever a host's habits are, a reply keeps its words, as a stream and as a whole body."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from k3mock.protocol.policy import (
    CachedTokens,
    Continuation,
    Escape,
    FinishDelta,
    Newline,
    ParallelOrder,
    PendingFinish,
    ReasoningField,
    Role,
    ToolArguments,
    ToolIndex,
    UsageElsewhere,
    WirePolicy,
)
from k3mock.protocol.reply import Reply, ToolArgumentsDelta, ToolCallStart
from k3mock.protocol.usage import Usage
from k3mock.seed import Chance
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames, shows_usage, takes_the_short_way
from k3mock.wire.dialect import Dialect
from k3mock.wire.sse import BOM, decode
from tests.strategies import crumbled, replies, wire_policies
from tests.wire.golden import ENVELOPE

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject

PENDING = {
    PendingFinish.NULL: None,
    PendingFinish.OMIT: "absent",
    PendingFinish.EMPTY: "",
    PendingFinish.TEXT: "null",
}
ENDS = {Newline.LF: b"\n", Newline.CRLF: b"\r\n", Newline.CR: b"\r"}

SHORT_WAY = st.builds(
    WirePolicy,
    reasoning_field=st.sampled_from((ReasoningField.REASONING_CONTENT, ReasoningField.HIDDEN)),
    usage_in_choice=st.booleans(),
    cached_tokens=st.sampled_from(CachedTokens),
    zero_details=st.booleans(),
    fingerprint=st.booleans(),
    reasoning_end_mark=st.booleans(),
    html_escape=st.sampled_from(Escape),
)


@st.composite
def generated(draw: st.DrawFn) -> Reply:
    """Replies in pieces with ids, a finish reason and counted tokens."""
    reply = draw(replies().flatmap(crumbled))
    events = tuple(
        replace(event, id=f"{event.name}_{event.index}")
        if isinstance(event, ToolCallStart)
        else event
        for event in reply.events
    )
    spent = sum(event.tokens for event in events)
    usage = Usage(
        prompt=90,
        completion=spent + draw(st.integers(0, 5)),
        reasoning=draw(st.integers(0, spent)),
        cached=draw(st.sampled_from((0, 64))),
    )
    shown: JSONObject = {"total_tokens": 1, "cached_tokens": None, "cost": 0.5}
    return replace(
        reply,
        events=events,
        finish=draw(st.sampled_from(("stop", "length", "tool_calls", "other"))),
        usage=usage,
        null_finish=draw(st.booleans()),
        shown_usage=shown if draw(st.booleans()) else None,
    )


@dataclass
class Said:
    """What a client that knows every dialect reads."""

    reasoning: str = ""
    content: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)

    def take(self, shown: dict[str, Any], policy: WirePolicy) -> None:
        if policy.reasoning_field is ReasoningField.BOTH:
            assert shown.get("reasoning") == shown.get("reasoning_content")
        reasoning = shown.get("reasoning_content") or shown.get("reasoning") or ""
        if policy.reasoning_field is ReasoningField.DETAILS:
            details = shown.get("reasoning_details") or ()
            assert reasoning == "".join(detail["text"] for detail in details)
        self.reasoning += reasoning
        content = shown.get("content") or ""
        if isinstance(content, str):
            self.content += content
            return
        for block in content:
            if block["type"] == "thinking":
                self.reasoning += "".join(part["text"] for part in block["thinking"])
            else:
                self.content += block["text"]

    def call(self, part: dict[str, Any], base: int) -> None:
        function = part["function"]
        slot = part["index"] - base if part.get("index") is not None else self._slot(part)
        if slot == len(self.calls):
            self.calls.append({"id": part["id"], "name": function["name"], "arguments": ""})
        call = self.calls[slot]
        assert part.get("id") in {None, "", call["id"]}
        assert function.get("name") in {None, "", call["name"]}
        if isinstance(function["arguments"], dict):
            assert call["arguments"] == ""
            call["arguments"] = function["arguments"]
        else:
            call["arguments"] += function["arguments"]

    def _slot(self, part: dict[str, Any]) -> int:
        for at, call in enumerate(self.calls):
            if call["id"] == part.get("id"):
                return at
        return len(self.calls) if part.get("id") else len(self.calls) - 1


def can_be_told_apart(policy: WirePolicy) -> bool:
    """Whether deltas of calls say to which one they belong."""
    return (
        policy.tool_index is ToolIndex.PRESENT
        or policy.parallel_order is ParallelOrder.SEQUENTIAL
        or policy.continuation_id is Continuation.REPEAT
        or policy.tool_arguments is not ToolArguments.FRAGMENTS
    )


def in_sequence(reply: Reply) -> Reply:
    """Return the reply with each call complete before the next one, as generated replies are."""
    texts = [event for event in reply.events
             if not isinstance(event, ToolCallStart | ToolArgumentsDelta)]  # fmt: skip
    calls = [event for event in reply.events
             if isinstance(event, ToolCallStart | ToolArgumentsDelta)]  # fmt: skip
    calls.sort(key=lambda event: event.index)
    return replace(reply, events=(*texts, *calls))


def expected_calls(reply: Reply, policy: WirePolicy) -> list[dict[str, Any]]:
    calls = []
    for call in reply.calls:
        shown: Any = call.arguments
        if policy.tool_arguments is ToolArguments.OBJECT:
            try:
                value = orjson.loads(call.arguments)
            except ValueError:
                value = None
            shown = value if isinstance(value, dict) else shown
        calls.append({"id": call.id, "name": call.name, "arguments": shown})
    return calls


def hides(policy: WirePolicy) -> bool:
    return policy.reasoning_field is ReasoningField.HIDDEN


@given(
    reply=generated().map(in_sequence),
    policy=wire_policies(),
    include_usage=st.sampled_from((None, False, True)),
)
@example(
    reply=Reply(events=(), finish="stop", usage=Usage(prompt=1, completion=0)),
    policy=WirePolicy(bom=True, newline=Newline.CR, final_blank_line=False),
    include_usage=True,
)
def test_a_stream_in_any_dialect_says_what_the_reply_says(
    reply: Reply, policy: WirePolicy, *, include_usage: bool | None
) -> None:
    frames = encode_frames(reply, ENVELOPE, policy, include_usage=include_usage, chance=Chance(1))
    assert sum(frame.tokens for frame in frames) == sum(event.tokens for event in reply.events)
    data = b"".join(frame.data for frame in frames)
    assert data.startswith(BOM) is policy.bom
    assert not (policy.ascii and not data.removeprefix(BOM).isascii())
    if policy.html_escape is Escape.ALL:
        assert not set(b"<>&") & set(data)
    events = decode(data if policy.final_blank_line else data + ENDS[policy.newline])
    chunks = [json.loads(event.data) for event in events if event.data != "[DONE]"]
    assert [event.data for event in events[len(chunks):]] == ["[DONE]"] * policy.done  # fmt: skip
    assert {event.event for event in events[: len(chunks)]} <= {policy.event_name}
    compare(reply, policy, chunks, include_usage=include_usage)


def compare(
    reply: Reply, policy: WirePolicy, chunks: list[Any], *, include_usage: bool | None
) -> None:
    total = json.loads(encode_body(reply, ENVELOPE, policy).removeprefix(BOM)).get("usage")
    usages = []
    if shows_usage(policy, include_usage):
        last = chunks.pop()
        assert last["choices"] == []
        usages.append(last["usage"])
    finishes = chunks[len(chunks) - policy.finish_chunks :] if policy.finish_chunks else []
    for chunk in finishes:
        (choice,) = chunk["choices"]
        assert choice["finish_reason"] == (None if reply.null_finish else reply.finish)
        assert ("delta" in choice) is (policy.finish_delta is not FinishDelta.OMIT)
        assert ("usage" in choice) is policy.usage_in_choice
        usages += [choice["usage"]] if policy.usage_in_choice else []
    spoken = chunks[: len(chunks) - len(finishes)]
    said = Said()
    for chunk in spoken:
        (choice,) = chunk["choices"]
        assert choice.get("finish_reason", "absent") == PENDING[policy.pending_finish]
        said.take(choice["delta"], policy)
        if can_be_told_apart(policy):
            for part in choice["delta"].get("tool_calls") or ():
                said.call(part, policy.tool_index_base)
    check_roles(policy, [chunk["choices"][0]["delta"] for chunk in spoken])
    check_shared(policy, [*spoken, *finishes])
    check_usage_elsewhere(policy, [*spoken, *finishes], total)
    assert said.content == reply.content
    assert said.reasoning == ("" if hides(policy) else reply.reasoning)
    if can_be_told_apart(policy):
        assert said.calls == expected_calls(reply, policy)
    assert all(usage == total for usage in usages)


def check_roles(policy: WirePolicy, deltas: list[Any]) -> None:
    shown = [delta.get("role", "absent") for delta in deltas]
    later = {Role.EVERY: "assistant", Role.NULL_LATER: None}
    rest = later.get(policy.role, None if policy.null_keys else "absent")
    first = "assistant" if policy.role is not Role.OMIT else rest
    assert shown == [first, *[rest] * (len(shown) - 1)]
    if policy.null_keys:
        assert all({"role", "content", "tool_calls"} <= set(delta) for delta in deltas)
    for key, value in policy.extra_message.items():
        assert all(delta[key] == value for delta in deltas)


def check_shared(policy: WirePolicy, chunks: list[Any]) -> None:
    for chunk in chunks:
        assert list(chunk)[:5] == ["id", "object", "created", "model", "choices"]
        assert ("system_fingerprint" in chunk) is policy.fingerprint
        assert all(chunk[key] == value for key, value in policy.extra.items())


def check_usage_elsewhere(policy: WirePolicy, chunks: list[Any], total: Any) -> None:
    if policy.usage_elsewhere is UsageElsewhere.CUMULATIVE:
        counts = [chunk["usage"]["completion_tokens"] for chunk in chunks]
        assert counts == sorted(counts)
        if len(chunks) > 1:
            assert chunks[-1]["usage"] == total
    else:
        shown = {chunk.get("usage", "absent") for chunk in chunks}
        usual = policy.usage_elsewhere is UsageElsewhere.OMIT
        assert shown <= {"absent" if usual else None}


@given(reply=generated(), policy=wire_policies())
def test_a_body_in_any_dialect_says_what_the_reply_says(reply: Reply, policy: WirePolicy) -> None:
    data = encode_body(reply, ENVELOPE, policy)
    assert data.startswith(BOM) is policy.bom
    assert data.removeprefix(BOM).isascii() or not policy.ascii
    body = json.loads(data.removeprefix(BOM))
    (choice,) = body["choices"]
    said = Said()
    said.take(choice["message"], policy)
    assert said.content == reply.content
    assert said.reasoning == ("" if hides(policy) else reply.reasoning)
    calls = choice["message"].get("tool_calls") or ()
    assert [{"id": call["id"], **call["function"]} for call in calls] == expected_calls(
        reply, policy
    )
    assert all(("index" in call) is policy.tool_index_in_body for call in calls)
    assert choice["finish_reason"] == (None if reply.null_finish else reply.finish)
    assert all(body[key] == value for key, value in policy.extra.items())
    assert all(choice["message"][key] == value for key, value in policy.extra_message.items())


@given(reply=generated(), policy=SHORT_WAY, include_usage=st.booleans())
def test_the_short_way_and_the_general_one_write_the_same_bytes(
    reply: Reply, policy: WirePolicy, *, include_usage: bool
) -> None:
    plain = replace(reply, null_finish=False)
    assert takes_the_short_way(plain, policy)
    dialect = Dialect(plain, ENVELOPE, policy)
    assert encode_frames(plain, ENVELOPE, policy, include_usage=include_usage) == tuple(
        dialect.frames(include_usage=include_usage)
    )
