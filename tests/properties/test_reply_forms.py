"""One reply, two forms: a body and a stream say the same."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from k3mock.protocol.policy import (
    Absent,
    CachedTokens,
    DeltaReasoning,
    Escape,
    UsageChunk,
    WirePolicy,
)
from k3mock.protocol.reply import FinishReason, Reply
from k3mock.protocol.usage import Usage
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter
from k3mock.text.template import Template
from k3mock.text.turn import generate
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import Frame, encode_frames, shows_usage
from tests.strategies import crumbled, replies
from tests.wire.golden import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("reasoning_content", "content", "tool_calls")
_TEMPLATE: list[Template] = []

POLICIES = st.builds(
    WirePolicy,
    absent_channel=st.sampled_from(Absent),
    delta_reasoning=st.just(DeltaReasoning.OMIT),
    usage_in_choice=st.booleans(),
    usage_chunk=st.sampled_from(UsageChunk),
    cached_tokens=st.sampled_from(CachedTokens),
    zero_details=st.booleans(),
    fingerprint=st.booleans(),
    reasoning_end_mark=st.booleans(),
    html_escape=st.sampled_from(Escape),
)


def template() -> Template:
    if not _TEMPLATE:
        _TEMPLATE.append(Template(TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))))
    return _TEMPLATE[0]


@dataclass
class Collapsed:
    """A stream put together again, strictly."""

    reasoning: str = ""
    content: str = ""
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    finish: list[str] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    usages: list[Any] = field(default_factory=list)

    @staticmethod
    def of(frames: Sequence[Frame]) -> Collapsed:
        found = Collapsed()
        *chunks, done = [frame.data for frame in frames]
        assert done == b"data: [DONE]\n\n"
        for number, data in enumerate(chunks):
            text = data.decode()
            assert text.startswith("data: ")
            assert text.endswith("\n\n")
            assert "\n" not in text[:-2]
            found.take(number, json.loads(text.removeprefix("data: ")))
        return found

    def take(self, number: int, chunk: dict[str, Any]) -> None:
        if not chunk["choices"]:
            self.usages.append(chunk["usage"])
            return
        assert "usage" not in chunk
        (choice,) = chunk["choices"]
        delta = choice["delta"]
        if "role" in delta:
            self.roles.append(number)
        else:
            assert sum(kind in delta for kind in KINDS) <= 1, "one kind of increment per frame"
        if choice["finish_reason"] is not None:
            assert delta == {}
            self.finish.append(choice["finish_reason"])
        if "usage" in choice:
            assert choice["finish_reason"] is not None
            self.usages.append(choice["usage"])
        self.reasoning += delta.get("reasoning_content", "")
        self.content += delta.get("content", "")
        for part in delta.get("tool_calls", ()):
            self.call(part)

    def call(self, part: dict[str, Any]) -> None:
        index, function = part["index"], part["function"]
        if "id" in part:
            assert index == len(self.calls), "calls start in order"
            assert function["arguments"] == ""
            self.calls[index] = {"id": part["id"], "name": function["name"], "arguments": ""}
        else:
            assert set(part) == {"index", "function"}
            assert set(function) == {"arguments"}
            assert index == len(self.calls) - 1, "a call is complete before the next one starts"
            self.calls[index]["arguments"] += function["arguments"]


@given(
    data=st.data(),
    policy=POLICIES,
    cap=st.integers(1, 400),
    stop=st.sampled_from(((), ("e",), ("世界",), (" ", "🙂"))),
    cached=st.sampled_from((0, 90)),
    include_usage=st.sampled_from((None, False, True)),
)
def test_a_body_and_a_stream_of_a_reply_say_the_same(
    data: st.DataObject,
    policy: WirePolicy,
    cap: int,
    stop: tuple[str, ...],
    cached: int,
    *,
    include_usage: bool | None,
) -> None:
    reply = data.draw(replies().flatmap(crumbled))
    turn = generate(reply, template(), cap=cap, stop=stop)
    counts = turn.counts
    usage = Usage(
        prompt=90,
        completion=counts.generated,
        reasoning=counts.reasoning,
        cached=cached,
    )
    compare(replace(turn.reply, usage=usage), policy, include_usage=include_usage)


def compare(reply: Reply, policy: WirePolicy, *, include_usage: bool | None) -> None:
    body = json.loads(encode_body(reply, ENVELOPE, policy))
    found = Collapsed.of(encode_frames(reply, ENVELOPE, policy, include_usage=include_usage))
    (choice,) = body["choices"]
    message = choice["message"]
    assert found.content == message["content"] == reply.content
    assert found.reasoning == (message.get("reasoning_content") or "") == reply.reasoning
    whole = [
        {"id": call["id"], **call["function"]} for call in message.get("tool_calls", ())
    ]  # fmt: skip
    assert list(found.calls.values()) == whole
    assert found.finish == [choice["finish_reason"]]
    assert found.roles == [0]
    assert all(usage == body["usage"] for usage in found.usages)
    asked = shows_usage(policy, include_usage)
    assert len(found.usages) == asked + policy.usage_in_choice


@given(reply=replies(), include_usage=st.booleans())
def test_every_frame_repeats_the_same_envelope_in_the_same_order(
    reply: Reply, *, include_usage: bool
) -> None:
    turn = generate(reply, template(), cap=1000)
    usage = Usage(prompt=90, completion=turn.counts.generated)
    whole = replace(turn.reply, usage=usage)
    frames = encode_frames(whole, ENVELOPE, WirePolicy(), include_usage=include_usage)
    for frame in frames[:-1]:
        chunk = json.loads(frame.data.removeprefix(b"data: "))
        last = "system_fingerprint" if chunk["choices"] else "usage"
        assert list(chunk) == ["id", "object", "created", "model", "choices", last]
        assert (chunk["id"], chunk["created"]) == (ENVELOPE.id, ENVELOPE.created)


@given(reply=replies())
def test_the_tokens_of_the_frames_are_those_of_the_turn(reply: Reply) -> None:
    """Pace is made from them; what closes and opens blocks has no frame of its own."""
    turn = generate(reply, template(), cap=100_000)
    frames = encode_frames(turn.reply, ENVELOPE, WirePolicy(), include_usage=False)
    spent = sum(frame.tokens for frame in frames)
    counts = turn.counts
    assert counts.reasoning + counts.content <= spent <= counts.generated


@given(reply=replies())
def test_a_finish_reason_fits_what_was_said(reply: Reply) -> None:
    turn = generate(reply, template(), cap=100_000)
    called = bool(turn.reply.calls)
    assert turn.reply.finish is (FinishReason.TOOL_CALLS if called else FinishReason.STOP)
