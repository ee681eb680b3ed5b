from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.protocol.policy import (
    Absent,
    CachedTokens,
    DeltaReasoning,
    Escape,
    ReasoningField,
    UsageChunk,
    WirePolicy,
)
from k3mock.protocol.reply import (
    Comment,
    ContentDelta,
    FinishReason,
    ReasoningDelta,
    Reply,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    written,
)
from k3mock.protocol.usage import Usage
from k3mock.wire.chunks import (
    DONE,
    Frame,
    FrameKind,
    encode_frames,
    shows_usage,
    takes_the_short_way,
)
from tests.wire.golden import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = Usage(prompt=89, completion=67, reasoning=26)
REPLY = Reply(
    events=(
        ReasoningDelta("The"),
        ReasoningDelta(" end", tokens=2),
        ContentDelta("Fine."),
        ToolCallStart("get_weather", id="get_weather_0", tokens=9),
        ToolArgumentsDelta('{"ci'),
    ),
    finish=FinishReason.TOOL_CALLS,
    usage=USAGE,
)
PREFIX = (
    b'data: {"id":"chatcmpl-6a980000c0ffee0123456789","object":"chat.completion.chunk",'
    b'"created":1788346368,"model":"kimi-k3","choices":'
)
SUFFIX = b',"system_fingerprint":"fpv0_0a1b2c3d"}\n\n'
SHOWN_USAGE = (
    b'{"prompt_tokens":89,"completion_tokens":67,"total_tokens":156,'
    b'"completion_tokens_details":{"reasoning_tokens":26}}'
)


def frames(
    reply: Reply = REPLY, *, include_usage: bool | None = None, **policy: Any
) -> Sequence[Frame]:
    return encode_frames(reply, ENVELOPE, WirePolicy(**policy), include_usage=include_usage)


def delta(shown: bytes) -> bytes:
    return PREFIX + b'[{"index":0,"delta":' + shown + b',"finish_reason":null}]' + SUFFIX


def finish(shown: bytes) -> bytes:
    return PREFIX + b'[{"index":0,"delta":{},"finish_reason":' + shown + b"}]" + SUFFIX


def chunks(found: Sequence[Frame]) -> list[Any]:
    return [json.loads(frame.data.removeprefix(b"data: ")) for frame in found[:-1]]


def test_a_stream_is_as_captured_byte_for_byte() -> None:
    """Raw capture of 2026-07-17 for text; the vendor's stream specification for tool calls."""
    assert [frame.data for frame in frames()] == [
        delta(b'{"role":"assistant","content":""}'),
        delta(b'{"reasoning_content":"The"}'),
        delta(b'{"reasoning_content":" end"}'),
        delta(b'{"content":"Fine."}'),
        delta(
            b'{"tool_calls":[{"index":0,"id":"get_weather_0","type":"function",'
            b'"function":{"name":"get_weather","arguments":""}}]}'
        ),
        delta(b'{"tool_calls":[{"index":0,"function":{"arguments":"{\\"ci"}}]}'),
        finish(b'"tool_calls","usage":' + SHOWN_USAGE),
        b"data: [DONE]\n\n",
    ]


def test_a_chunk_of_usage_alone_comes_on_request_and_has_no_fingerprint() -> None:
    """Raw capture of 2026-07-17 with `include_usage`."""
    found = frames(include_usage=True)
    assert [frame.data for frame in found[-2:]] == [
        PREFIX + b'[],"usage":' + SHOWN_USAGE + b"}\n\n",
        DONE,
    ]
    assert found[:-2] == frames()[:-1]


def test_frames_say_what_they_carry_and_what_it_cost() -> None:
    assert [(str(frame.kind), frame.tokens) for frame in frames(include_usage=True)] == [
        ("role", 0),
        ("reasoning", 1),
        ("reasoning", 2),
        ("content", 1),
        ("tool", 9),
        ("tool", 1),
        ("finish", 0),
        ("usage", 0),
        ("done", 0),
    ]


@pytest.mark.parametrize(
    ("choice", "include_usage", "there"),
    [
        (UsageChunk.REQUESTED, None, False),
        (UsageChunk.REQUESTED, False, False),
        (UsageChunk.REQUESTED, True, True),
        (UsageChunk.UNLESS_FALSE, None, True),
        (UsageChunk.UNLESS_FALSE, False, False),
        (UsageChunk.UNLESS_FALSE, True, True),
        (UsageChunk.OFF, None, False),
        (UsageChunk.OFF, True, False),
        (UsageChunk.FORCED, None, True),
        (UsageChunk.FORCED, False, True),
        (UsageChunk.FORCED, True, True),
    ],
)
def test_a_host_decides_on_the_chunk_of_usage(
    choice: UsageChunk, *, include_usage: bool | None, there: bool
) -> None:
    assert shows_usage(WirePolicy(usage_chunk=choice), include_usage) is there
    kinds = [frame.kind for frame in frames(include_usage=include_usage, usage_chunk=choice)]
    assert (FrameKind.USAGE in kinds) is there
    assert kinds[-1] is FrameKind.DONE


def test_a_host_may_keep_usage_out_of_the_finish_chunk() -> None:
    found = frames(usage_in_choice=False)
    assert found[-2].data == finish(b'"tool_calls"')


def test_a_host_may_send_no_fingerprint() -> None:
    found = frames(include_usage=True, fingerprint=False)
    assert all(b"system_fingerprint" not in frame.data for frame in found)
    assert all(list(chunk)[-1] in {"choices", "usage"} for chunk in chunks(found))
    first = delta(b'{"role":"assistant","content":""}').replace(SUFFIX, b"}\n\n")
    assert found[0].data == first


def test_a_host_may_mark_the_end_of_thinking() -> None:
    """The vendor's stream specification asks other hosts for it; no capture has it."""
    found = frames(reasoning_end_mark=True)
    assert found[3] == Frame(delta(b'{"reasoning_content":""}'), FrameKind.REASONING)
    assert (*found[:3], *found[4:]) == frames()


def test_the_end_of_thinking_is_not_marked_when_thinking_never_ended() -> None:
    cut = Reply(events=(ReasoningDelta("The"),), finish=FinishReason.LENGTH, usage=USAGE)
    assert frames(cut, reasoning_end_mark=True) == frames(cut)
    silent = replace(written(content="x", finish=FinishReason.STOP), usage=USAGE)
    assert frames(silent, reasoning_end_mark=True) == frames(silent)


@pytest.mark.parametrize("mark", [False, True])
def test_reasoning_that_a_host_hides_has_no_bytes_and_still_takes_its_time(*, mark: bool) -> None:
    hidden = frames(reasoning_field=ReasoningField.HIDDEN, reasoning_end_mark=mark)
    shown = [frame for frame in hidden if frame.data]
    assert shown == [frame for frame in frames() if frame.kind is not FrameKind.REASONING]
    assert [(frame.kind, frame.tokens) for frame in hidden] == [
        (frame.kind, frame.tokens) for frame in frames()
    ]


@pytest.mark.parametrize(
    ("escape", "shown"),
    [
        pytest.param(Escape.ALL, rb"\u003cb\u003e", id="all"),
        pytest.param(Escape.ERRORS, b"<b>", id="errors"),
        pytest.param(Escape.OFF, b"<b>", id="off"),
    ],
)
@pytest.mark.parametrize(
    "event",
    [
        pytest.param(ReasoningDelta("<b>"), id="reasoning"),
        pytest.param(ContentDelta("<b>"), id="content"),
        pytest.param(ToolArgumentsDelta("<b>"), id="arguments"),
        pytest.param(ToolCallStart("<b>", id="x"), id="name"),
    ],
)
def test_marks_are_escaped_in_every_kind_of_delta(
    event: ReasoningDelta | ContentDelta | ToolArgumentsDelta | ToolCallStart,
    escape: Escape,
    shown: bytes,
) -> None:
    found = frames(Reply(events=(event,)), html_escape=escape)
    assert b'"' + shown + b'"' in found[1].data


def test_usage_follows_the_policy_in_both_places() -> None:
    hit = replace(REPLY, usage=Usage(prompt=9, completion=9, cached=9))
    found = frames(hit, include_usage=True, cached_tokens=CachedTokens.NESTED, zero_details=True)
    finished, last = chunks(found)[-2:]
    assert finished["choices"][0]["usage"] == last["usage"]
    assert last["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": 9,
        "total_tokens": 18,
        "completion_tokens_details": {"reasoning_tokens": 0},
        "prompt_tokens_details": {"cached_tokens": 9},
    }


def test_a_reply_that_was_never_generated_streams_without_usage() -> None:
    found = frames(written(content="x"), include_usage=True, usage_chunk=UsageChunk.FORCED)
    assert [frame.data for frame in found] == [
        delta(b'{"role":"assistant","content":""}'),
        delta(b'{"content":"x"}'),
        finish(b"null"),
        DONE,
    ]


def test_an_empty_reply_is_still_a_whole_stream() -> None:
    kinds = [str(frame.kind) for frame in frames(Reply(events=(), finish=FinishReason.STOP))]
    assert kinds == ["role", "finish", "done"]


@pytest.mark.parametrize("text", ["a\nb", "a\r\n\r\nb", "\n\ndata: x", "\u2028", "🙂", "\x00"])
def test_no_text_breaks_the_framing(text: str) -> None:
    for frame in frames(written(reasoning=text, content=text, calls=(("f", text),))):
        assert frame.data.startswith(b"data: ")
        assert frame.data.endswith(b"\n\n")
        assert b"\n" not in frame.data[:-2]
        assert b"\r" not in frame.data


@pytest.mark.parametrize(
    ("changed", "short"),
    [
        pytest.param({}, True, id="plain"),
        pytest.param({"events": (*REPLY.events, Comment("x"))}, False, id="frame-event"),
        pytest.param({"events": (ToolDelta({}),)}, False, id="literal-delta"),
        pytest.param({"omit": frozenset({"done"})}, False, id="omission"),
        pytest.param({"null_finish": True}, False, id="null-finish"),
        pytest.param({"shown_usage": {"x": 1}}, True, id="scripted-usage"),
    ],
)
def test_only_plain_replies_take_the_short_way(changed: dict[str, Any], *, short: bool) -> None:
    assert takes_the_short_way(replace(REPLY, **changed), WirePolicy()) is short


@pytest.mark.parametrize("profile", NAMES)
def test_every_built_in_host_takes_the_short_way(profile: str) -> None:
    assert takes_the_short_way(REPLY, load_profile(profile).wire)


def test_a_channel_beside_content_is_not_for_the_short_way() -> None:
    null = WirePolicy(absent_channel=Absent.NULL)
    assert not takes_the_short_way(REPLY, null)
    assert takes_the_short_way(REPLY, replace(null, delta_reasoning=DeltaReasoning.OMIT))
    assert not takes_the_short_way(REPLY, WirePolicy(delta_reasoning=DeltaReasoning.EMPTY))
