from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from k3mock.protocol.failure import ApiError
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.policy import Absent, CachedTokens, Escape, ReasoningField, WirePolicy
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    Disconnect,
    DoneEvent,
    ErrorEvent,
    FinishEvent,
    FinishReason,
    Raw,
    Reply,
    Stall,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
    written,
)
from k3mock.protocol.usage import Usage
from k3mock.wire.body import encode_body, message_object
from k3mock.wire.failure import encode_error
from tests.wire.golden import ENVELOPE

RAW = json.loads((Path(__file__).parents[2] / "fixtures/wire/raw_turns.json").read_bytes())
ANSWERS = [pytest.param(raw, id=raw["name"]) for raw in RAW["exchanges"] if raw["status"] == 200]
REFUSALS = [pytest.param(raw, id=raw["name"]) for raw in RAW["exchanges"] if raw["status"] != 200]
USAGE = Usage(prompt=93, completion=25, reasoning=9)
PLAIN = replace(
    written(reasoning="Thought.", content="Said.", finish=FinishReason.STOP), usage=USAGE
)
HEAD = (
    b'{"id":"chatcmpl-6a980000c0ffee0123456789","object":"chat.completion","created":1788346368,'
    b'"model":"kimi-k3","choices":[{"index":0,"message":{"role":"assistant","content":'
)
TAIL = (
    b',"usage":{"prompt_tokens":93,"completion_tokens":25,"total_tokens":118,'
    b'"completion_tokens_details":{"reasoning_tokens":9}}}'
)


def body(reply: Reply, **policy: Any) -> bytes:
    return encode_body(reply, ENVELOPE, WirePolicy(**policy))


def rebuilt(raw: dict[str, Any]) -> bytes:
    """Put the facts of a raw answer back into bytes; ids and times have fixed lengths."""
    reply = written(
        reasoning=raw["reasoning"],
        content=raw["content"],
        finish=FinishReason(raw["finish_reason"]),
    )
    usage = Usage(
        prompt=raw["prompt_tokens"],
        completion=raw["completion_tokens"],
        reasoning=raw["reasoning_tokens"],
        cached=raw["cached_tokens"],
    )
    return body(replace(reply, usage=usage))


def refused(raw: dict[str, Any], escape: Escape) -> bytes:
    error = ApiError(status=raw["status"], **raw["error"])
    return encode_error(error, WirePolicy(html_escape=escape))[0]


@pytest.mark.parametrize("raw", ANSWERS)
def test_a_rebuilt_raw_answer_has_the_recorded_length(raw: dict[str, Any]) -> None:
    """Raw captures of 2026-09: key order, compactness and field set, to the byte."""
    assert len(rebuilt(raw)) == raw["content_length"]


@pytest.mark.parametrize("raw", REFUSALS)
def test_a_rebuilt_raw_error_has_the_recorded_length(raw: dict[str, Any]) -> None:
    """Raw captures of 2026-09: 108, 141 and 216 bytes."""
    assert len(refused(raw, Escape.ALL)) == raw["content_length"] in {108, 141, 216}


def test_fifteen_raw_bodies_fit_without_escapes_and_the_rate_limit_only_with_them() -> None:
    """The one body with `<` and `>` is the evidence that the host escapes them."""
    lengths = [
        raw["content_length"] - len(rebuilt(raw) if "error" not in raw
                                    else refused(raw, Escape.OFF))
        for raw in RAW["exchanges"]
    ]  # fmt: skip
    assert len(lengths) == 16
    assert {raw["name"]: missing for raw, missing in zip(RAW["exchanges"], lengths, strict=True)
            if missing} == {"rate limited": 10}  # fmt: skip


def test_no_raw_answer_says_anything_of_escapes() -> None:
    """None holds `<`, `>` or `&`, so for answers the escape is only the best guess."""
    texts = [raw["reasoning"] + raw["content"] for raw in RAW["exchanges"] if "error" not in raw]
    assert not any(mark in text for text in texts for mark in "<>&")


def test_a_plain_answer_is_one_line_in_the_vendors_key_order() -> None:
    assert body(PLAIN) == (
        HEAD
        + b'"Said.","reasoning_content":"Thought."},"finish_reason":"stop"}]'
        + TAIL
    )  # fmt: skip


def test_an_answer_has_no_fingerprint_and_no_fields_of_other_vendors() -> None:
    """Raw captures of 2026-07 and 2026-09."""
    data = json.loads(body(PLAIN))
    assert list(data) == ["id", "object", "created", "model", "choices", "usage"]
    assert list(data["choices"][0]) == ["index", "message", "finish_reason"]
    assert list(data["choices"][0]["message"]) == ["role", "content", "reasoning_content"]


def test_content_is_a_string_even_when_nothing_was_said() -> None:
    reply = replace(written(reasoning="Cut", finish=FinishReason.LENGTH), usage=USAGE)
    assert body(reply) == (
        HEAD + b'"","reasoning_content":"Cut"},"finish_reason":"length"}]' + TAIL
    )


@pytest.mark.parametrize(
    ("absent", "shown"),
    [
        pytest.param(Absent.OMIT, b'"Said."}', id="omit"),
        pytest.param(Absent.NULL, b'"Said.","reasoning_content":null}', id="null"),
        pytest.param(Absent.EMPTY, b'"Said.","reasoning_content":""}', id="empty"),
    ],
)
def test_a_channel_that_stayed_empty_shows_as_the_host_shows_it(
    absent: Absent, shown: bytes
) -> None:
    reply = replace(written(content="Said.", finish=FinishReason.STOP), usage=USAGE)
    assert body(reply, absent_channel=absent) == (
        HEAD + shown + b',"finish_reason":"stop"}]' + TAIL
    )


def test_reasoning_that_is_there_shows_under_every_policy() -> None:
    for absent in Absent:
        assert b'"reasoning_content":"Thought."' in body(PLAIN, absent_channel=absent)


@pytest.mark.parametrize("absent", list(Absent))
def test_reasoning_that_a_host_hides_leaves_no_trace(absent: Absent) -> None:
    shown = body(PLAIN, reasoning_field=ReasoningField.HIDDEN, absent_channel=absent)
    assert shown == HEAD + b'"Said."},"finish_reason":"stop"}]' + TAIL


def test_a_host_may_leave_out_the_index_of_a_call() -> None:
    called = written(calls=(("f", "{}"), ("g", "{}")))
    calls = json.loads(body(called, tool_index_in_body=False))["choices"][0]["message"][
        "tool_calls"
    ]
    assert [list(call) for call in calls] == [["id", "type", "function"]] * 2


def test_a_tool_call_has_its_index_first() -> None:
    """Raw capture of 2026-07-17."""
    reply = written(
        reasoning="Look.",
        calls=(("get_weather", '{"city":"Paris"}'), ("get_time", "{}")),
        finish=FinishReason.TOOL_CALLS,
    )
    named = Reply(
        events=tuple(
            replace(event, id=f"{event.name}_{event.index}")
            if isinstance(event, ToolCallStart)
            else event
            for event in reply.events
        ),
        finish=reply.finish,
        usage=USAGE,
    )
    assert body(named) == (
        HEAD + b'"","reasoning_content":"Look.","tool_calls":['
        b'{"index":0,"id":"get_weather_0","type":"function","function":'
        b'{"name":"get_weather","arguments":"{\\"city\\":\\"Paris\\"}"}},'
        b'{"index":1,"id":"get_time_1","type":"function","function":'
        b'{"name":"get_time","arguments":"{}"}}]},"finish_reason":"tool_calls"}]' + TAIL
    )


@pytest.mark.parametrize(
    ("escape", "shown"),
    [
        pytest.param(Escape.ALL, rb'"\u003cb\u003e \u0026 \"c\""', id="all"),
        pytest.param(Escape.ERRORS, b'"<b> & \\"c\\""', id="errors"),
        pytest.param(Escape.OFF, b'"<b> & \\"c\\""', id="off"),
    ],
)
def test_marks_in_answers_are_escaped_if_the_host_does(escape: Escape, shown: bytes) -> None:
    assert shown in body(written(content='<b> & "c"'), html_escape=escape)


def test_a_reply_that_was_never_generated_has_no_usage() -> None:
    data = json.loads(body(written(content="x")))
    assert "usage" not in data
    assert data["choices"][0]["finish_reason"] is None


def test_usage_follows_the_policy() -> None:
    hit = replace(PLAIN, usage=Usage(prompt=9, completion=9, cached=9))
    data = json.loads(body(hit, cached_tokens=CachedTokens.TOP, zero_details=True))
    assert data["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": 9,
        "total_tokens": 18,
        "cached_tokens": 9,
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def test_the_message_alone_can_be_had() -> None:
    assert message_object(PLAIN, WirePolicy()) == {
        "role": "assistant",
        "content": "Said.",
        "reasoning_content": "Thought.",
    }


THOUGHTLESS = written(content="Said.", finish=FinishReason.STOP)
SILENT = written(reasoning="Thought.", finish=FinishReason.STOP)
EMPTY = written(finish=FinishReason.STOP)


def message(reply: Reply, **knobs: Any) -> str:
    """The message as JSON text, so that the order of keys counts."""
    return json.dumps(message_object(reply, apply_knobs(WirePolicy(), knobs)))


@pytest.mark.parametrize(
    ("reply", "knobs", "shown"),
    [
        pytest.param(PLAIN, {"reasoning_field": "reasoning"},
                     {"content": "Said.", "reasoning": "Thought."}, id="other-name"),
        pytest.param(PLAIN, {"reasoning_field": "both"},
                     {"content": "Said.", "reasoning_content": "Thought.", "reasoning": "Thought."},
                     id="both-names"),
        pytest.param(
            PLAIN, {"reasoning_field": "details"},
            {"content": "Said.", "reasoning": "Thought.", "reasoning_details": [
                {"type": "reasoning.text", "text": "Thought.", "format": None, "index": 0}]},
            id="details",
        ),
        pytest.param(THOUGHTLESS, {"reasoning_field": "both", "absent_channel": "null"},
                     {"content": "Said.", "reasoning_content": None, "reasoning": None},
                     id="both-null"),
        pytest.param(THOUGHTLESS, {"reasoning_field": "details", "absent_channel": "empty"},
                     {"content": "Said.", "reasoning": "", "reasoning_details": []},
                     id="no-details"),
        pytest.param(SILENT, {"absent_content": "null"},
                     {"content": None, "reasoning_content": "Thought."}, id="content-null"),
        pytest.param(SILENT, {"absent_content": "omit"}, {"reasoning_content": "Thought."},
                     id="content-absent"),
        pytest.param(PLAIN, {"absent_content": "omit"},
                     {"content": "Said.", "reasoning_content": "Thought."},
                     id="content-that-is-there"),
        pytest.param(
            PLAIN, {"content_encoding": "typed_blocks"},
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Thought."}]},
                         {"type": "text", "text": "Said."}]},
            id="typed-blocks",
        ),
        pytest.param(PLAIN, {"content_encoding": "typed_blocks", "reasoning_field": "hidden"},
                     {"content": [{"type": "text", "text": "Said."}]}, id="hidden-block"),
        pytest.param(EMPTY, {"content_encoding": "typed_blocks", "absent_channel": "null"},
                     {"content": []}, id="no-blocks"),
        pytest.param(EMPTY, {"content_encoding": "typed_blocks", "absent_content": "null"},
                     {"content": None}, id="null-instead-of-blocks"),
        pytest.param(THOUGHTLESS, {"null_keys": True},
                     {"content": "Said.", "reasoning_content": None, "tool_calls": None},
                     id="null-keys"),
        pytest.param(SILENT, {"null_keys": True, "absent_content": "omit"},
                     {"content": None, "reasoning_content": "Thought.", "tool_calls": None},
                     id="null-keys-and-no-content"),
        pytest.param(THOUGHTLESS, {"extra_message": {"refusal": None}},
                     {"content": "Said.", "refusal": None}, id="extra-message"),
    ],
)  # fmt: skip
def test_a_message_has_the_hosts_shape(
    reply: Reply, knobs: dict[str, Any], shown: dict[str, Any]
) -> None:
    assert message(reply, **knobs) == json.dumps({"role": "assistant", **shown})


def test_a_body_ends_with_the_hosts_extra_keys() -> None:
    shown = json.loads(body(PLAIN, extra={"provider": "p", "model": "other"}))
    assert list(shown) == ["id", "object", "created", "model", "choices", "usage", "provider"]
    assert shown["model"] == "other"


def test_a_body_may_start_with_a_mark_and_be_ascii() -> None:
    reply = written(content="é🙂")
    shown = body(reply, bom=True, ascii=True)
    assert shown.startswith(b"\xef\xbb\xbf{")
    assert rb'"content":"\u00e9\ud83d\ude42"' in shown
    assert shown[3:].isascii()


def test_a_finish_reason_may_be_null_or_named_by_an_event() -> None:
    def reason(reply: Reply) -> Any:
        return json.loads(body(reply))["choices"][0]["finish_reason"]

    assert reason(replace(PLAIN, null_finish=True)) is None
    twice = (*PLAIN.events, FinishEvent("other"), FinishEvent("stop"))
    assert reason(replace(PLAIN, events=twice)) == "other"
    assert reason(replace(PLAIN, events=(*PLAIN.events, FinishEvent(None)))) is None


def test_usage_may_be_scripted_or_named_by_an_event() -> None:
    def usage(reply: Reply) -> Any:
        return json.loads(body(reply)).get("usage", "absent")

    told = replace(PLAIN, shown_usage={"prompt_tokens": 1, "completion_tokens_details": None})
    assert usage(told) == {"prompt_tokens": 1, "completion_tokens": 25, "total_tokens": 118}
    events = (UsageEvent({"a": 1}), UsageEvent({"b": 2}), UsageEvent())
    assert usage(replace(PLAIN, events=events)) == {"b": 2}
    assert usage(replace(PLAIN, events=(UsageEvent(),), usage=None)) == "absent"


def test_what_stands_beside_the_words_of_a_stream_shows_in_no_body() -> None:
    noisy = (Comment("x"), Raw(b"x"), Chunk({"x": 1}), Stall(1), *PLAIN.events, DoneEvent(),
             ErrorEvent(ApiError(status=500, message="m", type="t")), Disconnect())  # fmt: skip
    omitted = frozenset({"role", "finish", "usage", "done"})
    assert body(replace(PLAIN, events=noisy, omit=omitted)) == body(PLAIN)


def test_literal_calls_show_in_a_body_as_one_call_each() -> None:
    reply = Reply(
        events=(
            ToolDelta({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}),
            ToolDelta({"index": 0, "function": {"arguments": "}"}}),
        )
    )
    shown = json.loads(message(reply))["tool_calls"]
    assert shown == [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]
