from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import (
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
from k3mock.seed import Chance
from k3mock.wire.chunks import DONE, Frame, FrameKind, encode_frames
from tests.wire.golden import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.jsonvalue import JSONObject

USAGE = Usage(prompt=90, completion=20, reasoning=5)
REPLY = Reply(
    events=(
        ReasoningDelta("Hm"),
        ContentDelta("Yes"),
        ToolCallStart("f", id="f_0"),
        ToolArgumentsDelta('{"a"'),
        ToolArgumentsDelta(":1}"),
    ),
    finish=FinishReason.TOOL_CALLS,
    usage=USAGE,
)
COUNTED = {
    "prompt_tokens": 90,
    "completion_tokens": 20,
    "total_tokens": 110,
    "completion_tokens_details": {"reasoning_tokens": 5},
}
USUAL: list[dict[str, Any]] = [
    {"role": "assistant", "content": ""},
    {"reasoning_content": "Hm"},
    {"content": "Yes"},
    {
        "tool_calls": [
            {
                "index": 0,
                "id": "f_0",
                "type": "function",
                "function": {"name": "f", "arguments": ""},
            }
        ]
    },
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
    {},
]
ROLE, THOUGHT, SAID, HEAD, MORE, REST, END = range(7)


def frames(reply: Reply = REPLY, **knobs: Any) -> Sequence[Frame]:
    policy = apply_knobs(WirePolicy(), knobs)
    return encode_frames(reply, ENVELOPE, policy, include_usage=None)


def chunks(reply: Reply = REPLY, **knobs: Any) -> list[dict[str, Any]]:
    shown = [frame.data for frame in frames(reply, **knobs) if frame.data not in {b"", DONE}]
    return [json.loads(data.removeprefix(b"data: ")) for data in shown]


def choices(reply: Reply = REPLY, **knobs: Any) -> list[dict[str, Any]]:
    return [chunk["choices"][0] for chunk in chunks(reply, **knobs) if chunk["choices"]]


def deltas(reply: Reply = REPLY, **knobs: Any) -> list[Any]:
    return [choice["delta"] for choice in choices(reply, **knobs)]


def calls(reply: Reply = REPLY, **knobs: Any) -> list[dict[str, Any]]:
    found = [delta.get("tool_calls", ()) for delta in deltas(reply, **knobs)]
    return [call for items in found for call in items]


def ordered(value: Any) -> str:
    """JSON text, so that the order of keys counts."""
    return json.dumps(value)


def test_nothing_turned_is_the_usual_stream() -> None:
    assert ordered(deltas()) == ordered(USUAL)


@pytest.mark.parametrize(
    ("knobs", "shown"),
    [
        pytest.param({"reasoning_field": "reasoning"}, {THOUGHT: {"reasoning": "Hm"}},
                     id="other-name"),
        pytest.param({"reasoning_field": "both"},
                     {THOUGHT: {"reasoning_content": "Hm", "reasoning": "Hm"}}, id="both-names"),
        pytest.param(
            {"reasoning_field": "details"},
            {THOUGHT: {"reasoning": "Hm", "reasoning_details": [
                {"type": "reasoning.text", "text": "Hm", "format": None, "index": 0}]}},
            id="details",
        ),
        pytest.param({"delta_content": "null"},
                     {THOUGHT: {"content": None, "reasoning_content": "Hm"}}, id="content-null"),
        pytest.param({"delta_content": "empty"},
                     {THOUGHT: {"content": "", "reasoning_content": "Hm"}}, id="content-empty"),
        pytest.param({"delta_reasoning": "null"},
                     {SAID: {"content": "Yes", "reasoning_content": None}}, id="reasoning-null"),
        pytest.param({"delta_reasoning": "empty", "reasoning_field": "reasoning"},
                     {SAID: {"content": "Yes", "reasoning": ""}, THOUGHT: {"reasoning": "Hm"}},
                     id="reasoning-empty-under-its-name"),
        pytest.param({"absent_channel": "null"},
                     {SAID: {"content": "Yes", "reasoning_content": None}}, id="same-as-absent"),
        pytest.param({"absent_channel": "null", "delta_reasoning": "omit"}, {}, id="not-the-same"),
        pytest.param(
            {"delta_reasoning": "empty", "reasoning_field": "details"},
            {THOUGHT: {"reasoning": "Hm", "reasoning_details": [
                {"type": "reasoning.text", "text": "Hm", "format": None, "index": 0}]},
             SAID: {"content": "Yes", "reasoning": "", "reasoning_details": []}},
            id="no-details",
        ),
        pytest.param(
            {"content_encoding": "typed_blocks"},
            {ROLE: {"role": "assistant", "content": []},
             THOUGHT: {"content": [{"type": "thinking",
                                    "thinking": [{"type": "text", "text": "Hm"}]}]},
             SAID: {"content": [{"type": "text", "text": "Yes"}]}},
            id="typed-blocks",
        ),
        pytest.param({"first_content": "null"}, {ROLE: {"role": "assistant", "content": None}},
                     id="first-content-null"),
        pytest.param({"first_content": "omit"}, {ROLE: {"role": "assistant"}},
                     id="first-content-absent"),
        pytest.param({"role": "omit"}, {ROLE: {"content": ""}}, id="no-role"),
        pytest.param({"role": "every"},
                     {at: {"role": "assistant", **delta} for at, delta in enumerate(USUAL)},
                     id="role-everywhere"),
        pytest.param({"role": "null_later"},
                     {at: {"role": None, **delta} for at, delta in enumerate(USUAL) if at},
                     id="role-null-later"),
        pytest.param(
            {"null_keys": True},
            {at: {"role": None, "content": None, "reasoning_content": None, "tool_calls": None,
                  **delta} for at, delta in enumerate(USUAL)},
            id="null-keys",
        ),
        pytest.param({"extra_message": {"refusal": None}},
                     {at: {**delta, "refusal": None} for at, delta in enumerate(USUAL)},
                     id="extra-message"),
        pytest.param({"finish_delta": "null"}, {END: None}, id="finish-delta-null"),
    ],
)  # fmt: skip
def test_a_knob_of_deltas_changes_these_and_no_others(
    knobs: dict[str, Any], shown: dict[int, Any]
) -> None:
    expected = [shown.get(at, delta) for at, delta in enumerate(USUAL)]
    assert ordered(deltas(**knobs)) == ordered(expected)


def test_a_finish_chunk_may_have_no_delta() -> None:
    *others, last = choices(finish_delta="omit")
    assert list(last) == ["index", "finish_reason", "usage"]
    assert all("delta" in choice for choice in others)


@pytest.mark.parametrize(
    ("pending", "shown"),
    [("null", None), ("omit", "absent"), ("empty", ""), ("text", "null")],
)
def test_what_is_not_finished_says_so_in_the_hosts_way(pending: str, shown: Any) -> None:
    found = [choice.get("finish_reason", "absent") for choice in choices(pending_finish=pending)]
    assert found == [shown] * 6 + ["tool_calls"]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_finish_chunks_are_sent_as_often_as_the_host_does(count: int) -> None:
    found = frames(finish_chunks=count)
    finishes = [frame for frame in found if frame.kind is FrameKind.FINISH]
    assert finishes == [frames()[END]] * count
    assert [frame.data for frame in found[6 + count :]] == [DONE]


def test_a_host_may_send_no_done() -> None:
    assert frames(done=False) == frames()[:-1]


def test_extra_keys_stand_at_the_end_of_every_chunk() -> None:
    shown = chunks(extra={"provider": "p", "model": "other"}, usage_chunk="forced")
    assert [list(chunk)[-1] for chunk in shown] == ["provider"] * 8
    assert {chunk["model"] for chunk in shown} == {"other"}
    assert shown[-1]["choices"] == []


def test_hidden_reasoning_takes_its_time_in_every_dialect() -> None:
    found = frames(reasoning_field="hidden", ascii=True, reasoning_end_mark=True)
    assert found[THOUGHT] == Frame(b"", FrameKind.REASONING, 1)
    assert b"reasoning_content" not in b"".join(frame.data for frame in found)
    blocks = frames(reasoning_field="hidden", content_encoding="typed_blocks")
    assert blocks[THOUGHT] == Frame(b"", FrameKind.REASONING, 1)


def test_the_end_of_thinking_is_marked_in_the_hosts_shape() -> None:
    shown = deltas(reasoning_end_mark=True, reasoning_field="both")
    assert shown[SAID] == {"reasoning_content": "", "reasoning": ""}
    assert shown[SAID + 1 :] == USUAL[SAID:]


# Usage.


def test_usage_may_be_null_in_all_other_chunks() -> None:
    shown = chunks(usage="null_elsewhere")
    assert [chunk["usage"] for chunk in shown] == [None] * 7 + [COUNTED]
    assert all(list(chunk)[-1] == "usage" for chunk in shown)


def test_usage_may_grow_from_chunk_to_chunk_and_ends_at_the_total() -> None:
    shown = [chunk["usage"] for chunk in chunks(usage="every_chunk")]
    assert [usage["completion_tokens"] for usage in shown] == [0, 1, 2, 3, 4, 20, 20, 20]
    assert [usage["total_tokens"] for usage in shown] == [90, 91, 92, 93, 94, 110, 110, 110]
    assert shown[0].get("completion_tokens_details") is None
    assert shown[1]["completion_tokens_details"] == {"reasoning_tokens": 1}
    assert shown[-1] == shown[-2] == shown[-3] == COUNTED


def test_growing_usage_never_passes_the_total() -> None:
    small = replace(REPLY, usage=Usage(prompt=90, completion=2, reasoning=0))
    shown = [chunk["usage"]["completion_tokens"] for chunk in chunks(small, usage="every_chunk")]
    assert shown == [0, 1, 2, 2, 2, 2, 2, 2]


def test_without_counts_nothing_grows() -> None:
    shown = chunks(replace(REPLY, usage=None), usage="every_chunk")
    assert all("usage" not in chunk for chunk in shown)


@pytest.mark.parametrize("knobs", [{}, {"ascii": True}], ids=["short-way", "general-way"])
def test_scripted_counts_replace_the_counted_ones_everywhere(knobs: dict[str, Any]) -> None:
    told = replace(
        REPLY, shown_usage={"prompt_tokens": 7, "completion_tokens_details": None, "cost": 1}
    )
    expected = {"prompt_tokens": 7, "completion_tokens": 20, "total_tokens": 110, "cost": 1}
    shown = chunks(told, usage_chunk="forced", **knobs)
    assert shown[-1]["usage"] == shown[-2]["choices"][0]["usage"] == expected


# Tool calls.


@pytest.mark.parametrize(
    ("knobs", "shown"),
    [
        pytest.param({"tool_index": "omit"}, "absent", id="absent"),
        pytest.param({"tool_index": "null"}, None, id="null"),
        pytest.param({"tool_index_base": 2}, 2, id="from-two"),
        pytest.param({"tool_index": "null", "tool_index_base": 2}, None, id="null-has-no-base"),
    ],
)
def test_the_index_of_calls_is_the_hosts(knobs: dict[str, Any], shown: Any) -> None:
    assert [call.get("index", "absent") for call in calls(**knobs)] == [shown] * 3


@pytest.mark.parametrize(
    ("knobs", "shown"),
    [
        pytest.param({"tool_continuation": "empty"}, {"id": "", "type": "", "name": ""},
                     id="all-empty"),
        pytest.param({"tool_continuation": "repeat"},
                     {"id": "f_0", "type": "function", "name": "f"}, id="all-repeated"),
        pytest.param({"continuation_id": "empty"}, {"id": ""}, id="id"),
        pytest.param({"continuation_type": "repeat"}, {"type": "function"}, id="type"),
        pytest.param({"continuation_name": "empty"}, {"name": ""}, id="name"),
    ],
)  # fmt: skip
def test_later_deltas_of_a_call_show_what_the_host_shows(
    knobs: dict[str, Any], shown: dict[str, str]
) -> None:
    head, *later = calls(**knobs)
    assert head == USUAL[HEAD]["tool_calls"][0]
    name = {key: shown[key] for key in ("name",) if key in shown}
    beside = {key: value for key, value in shown.items() if key != "name"}
    assert [ordered(call) for call in later] == [
        ordered({"index": 0, **beside, "function": {**name, "arguments": text}})
        for text in ('{"a"', ":1}")
    ]


def test_arguments_that_nothing_opened_have_nothing_to_repeat() -> None:
    lone = Reply(events=(ToolArgumentsDelta("{}", index=3),))
    assert calls(lone, tool_continuation="repeat") == [
        {"index": 3, "type": "function", "function": {"arguments": "{}"}}
    ]


@pytest.mark.parametrize(
    ("how", "arguments"), [("whole", '{"a":1}'), ("object", {"a": 1})], ids=["whole", "object"]
)
def test_a_call_may_come_in_one_delta_when_it_is_complete(how: str, arguments: Any) -> None:
    found = frames(tool_arguments=how)
    assert found[HEAD : HEAD + 2] == (Frame(b"", FrameKind.TOOL, 1), Frame(b"", FrameKind.TOOL, 1))
    assert calls(tool_arguments=how) == [
        {
            "index": 0,
            "id": "f_0",
            "type": "function",
            "function": {"name": "f", "arguments": arguments},
        }
    ]
    assert sum(frame.tokens for frame in found) == sum(frame.tokens for frame in frames())


def test_literal_deltas_of_calls_are_left_alone() -> None:
    item: JSONObject = {"index": None, "id": "", "function": {"arguments": {"x": 1}}, "odd": [1]}
    told = Reply(events=(ToolDelta(item, tokens=4),))
    knobs = {"tool_index_base": 4, "tool_continuation": "repeat", "tool_arguments": "whole"}
    assert deltas(told, **knobs)[1] == {"tool_calls": [item]}
    assert frames(told, **knobs)[1].tokens == 4


TWO = Reply(
    events=(
        ToolCallStart("f", id="f_0"),
        *(ToolArgumentsDelta(text) for text in "abc"),
        ToolCallStart("g", id="g_1", index=1),
        *(ToolArgumentsDelta(text, index=1) for text in "xy"),
    )
)


def order(**knobs: Any) -> str:
    return "".join(call["function"]["arguments"] or call["id"][0] for call in calls(TWO, **knobs))


def test_parallel_calls_come_one_after_the_other_unless_the_host_mixes_them() -> None:
    assert order() == "fabcgxy"
    assert order(parallel_order="round_robin") == "fgaxbyc"


def test_parallel_calls_in_random_order_repeat_and_keep_each_calls_own_order() -> None:
    once = order(parallel_order="random")
    assert once == order(parallel_order="random")
    assert once[:2] == "fg"
    assert [part for part in once[2:] if part in "abc"] == ["a", "b", "c"]
    assert [part for part in once[2:] if part in "xy"] == ["x", "y"]


def test_a_passed_chance_decides_on_the_random_order() -> None:
    policy = apply_knobs(WirePolicy(), {"parallel_order": "random"})
    shown = {
        encode_frames(TWO, ENVELOPE, policy, include_usage=None, chance=Chance(seed))
        for seed in range(12)
    }
    assert len(shown) > 3


def test_what_stands_between_calls_stays_where_it_is() -> None:
    mixed = replace(TWO, events=(*TWO.events[:2], ContentDelta("!"), *TWO.events[2:]))
    shown = deltas(mixed, parallel_order="round_robin")
    assert shown[3] == {"content": "!"}


def test_events_in_their_own_order_are_not_mixed() -> None:
    literal = replace(TWO, literal=True)
    assert frames(literal, parallel_order="round_robin") == frames(literal)


# Bytes.


def test_everything_beyond_ascii_may_be_escaped() -> None:
    told = written(reasoning="é", content="你🙂")
    data = b"".join(frame.data for frame in frames(told, ascii=True))
    assert rb'"reasoning_content":"\u00e9"' in data
    assert rb'"content":"\u4f60\ud83d\ude42"' in data
    assert deltas(told, ascii=True) == deltas(told)


@pytest.mark.parametrize(("how", "shown"), [("all", rb"\u003c"), ("errors", b"<"), ("off", b"<")])
def test_marks_are_escaped_by_the_hosts_habit(how: str, shown: bytes) -> None:
    found = frames(written(content="<"), html_escape=how, extra={"x": "<"})
    assert b'"content":"' + shown + b'"' in found[1].data
    assert b'"x":"' + shown + b'"' in found[1].data


def test_the_framing_is_laid_over_both_ways() -> None:
    both: tuple[dict[str, Any], ...] = ({}, {"role": "every"})
    for knobs in both:
        usual = [frame.data for frame in frames(**knobs)]
        shown = [frame.data for frame in frames(newline="crlf", **knobs)]
        assert shown == [data.replace(b"\n", b"\r\n") for data in usual]
