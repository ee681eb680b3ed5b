"""What faults do when they are told more than their name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from k3mock.fault.bend import Before, ByteCut, TimeCut
from k3mock.fault.entry import FaultError
from k3mock.protocol.reply import (
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    Ending,
    ErrorEvent,
    ReasoningDelta,
    Reply,
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)
from k3mock.wire.chunks import FrameKind
from tests.fault.effects import CALLS, CONTENT, REASONING, effect, tokens
from tests.support import tool

if TYPE_CHECKING:
    from k3mock.text.template import Template

CALLED = written(reasoning=REASONING, calls=CALLS)
LITERAL = Reply(events=(ContentDelta("plain"),), literal=True)


@pytest.mark.parametrize("how", list(Ending))
@pytest.mark.parametrize("count", [1, 3, 12])
def test_a_cut_comes_behind_so_many_content_tokens(
    count: int, how: Ending, template: Template
) -> None:
    found = effect(template, f"cut_mid_stream(after:{count},how:{how})")
    assert found.new == [Disconnect(how)]
    assert tokens(found.before(Disconnect), ContentDelta) == count


def test_a_cut_at_a_byte_is_the_body_s(template: Template) -> None:
    found = effect(template, "cut_mid_stream(after_bytes:300,how:clean)")
    assert found.bend.cut == ByteCut(at=300, how=Ending.CLEAN)
    assert found.reply.events == found.plain.events


def test_a_cut_at_a_time_is_the_clock_s(template: Template) -> None:
    found = effect(template, "reset_mid_stream(after_ms:250)")
    assert found.bend.cut_ms == TimeCut(at_ms=250, how=Ending.RESET)
    assert effect(template, "stall(after_ms:250,ms:9)").bend.cut_ms == TimeCut(
        at_ms=250, silence_ms=9, how=None
    )
    assert effect(template, "stall_forever(after_ms:250)").bend.cut_ms == TimeCut(
        at_ms=250, silence_ms=None, how=None
    )


def test_of_two_times_the_later_named_counts(template: Template) -> None:
    found = effect(template, "clean_close(after_ms:5)", "clean_close(after_ms:3)")
    assert found.bend.cut_ms == TimeCut(at_ms=3, how=Ending.CLEAN)


@pytest.mark.parametrize(("at", "behind"), [(0, 0), (1, 0), (260, 1), (10**8, 99)])
def test_a_stall_at_a_byte_splits_the_frame(at: int, behind: int, template: Template) -> None:
    found = effect(template, f"stall(after_bytes:{at},ms:7)")
    frames, plain = found.frames(), found.frames(changed=False)
    assert b"".join(frame.data for frame in frames) == b"".join(frame.data for frame in plain)
    [index] = [at for at, frame in enumerate(frames) if frame.kind is FrameKind.STALL]
    assert frames[index].stall_ms == 7
    sent = sum(len(frame.data) for frame in frames[:index])
    assert sent == min(at, sum(len(frame.data) for frame in plain))
    assert index <= behind + 1 or index == len(frames) - 1
    assert sum(frame.tokens for frame in frames) == sum(frame.tokens for frame in plain)


def test_a_stall_for_ever_at_a_byte_never_ends(template: Template) -> None:
    frames = effect(template, "stall_forever(after_bytes:10)").frames()
    assert [frame.stall_ms for frame in frames if frame.kind is FrameKind.STALL] == [float("inf")]


def test_seconds_win_over_milliseconds(template: Template) -> None:
    assert effect(template, "long_silence(seconds:200)").new == [Stall(200_000)]
    assert effect(template, "stall(ms:forever)").new == [Stall(None)]


def test_a_cut_in_reasoning_counts_its_tokens(template: Template) -> None:
    found = effect(template, "cut_in_reasoning(reasoning_tokens:3)")
    assert tokens(found.before(Disconnect), ReasoningDelta) == 3


def test_a_cut_in_arguments_counts_characters(template: Template) -> None:
    found = effect(template, "cut_in_tool_arguments(argument_chars:11)", answer=CALLED)
    text = "".join(e.text for e in found.before(Disconnect) if isinstance(e, ToolArgumentsDelta))
    assert text == '{"city":"Iz'


def test_a_cut_in_a_whole_body_is_left_to_its_middle(template: Template) -> None:
    for name in ("cut_in_line", "cut_in_character"):
        assert effect(template, name, stream=False).new == [Disconnect()]


def test_a_cut_in_a_character_takes_the_one_that_is_there(template: Template) -> None:
    found = effect(template, "cut_in_character", answer=written(reasoning="déjà vu", content="x"))
    assert found.reply.content == "x"
    assert found.frames()[-2].data.endswith(b'"\xc3')


def test_a_cut_in_a_character_of_literal_ascii_is_a_cut_in_its_last_frame(
    template: Template,
) -> None:
    frames = effect(template, "cut_in_character", answer=LITERAL).frames()
    assert frames[-1].ending is Ending.UNTERMINATED
    assert frames[-2].kind is FrameKind.FINISH


def test_silence_before_headers_may_end(template: Template) -> None:
    found = effect(template, "silence_before_headers(ms:50,how:reset)")
    assert found.bend.before == Before(silence_ms=50, how=Ending.RESET)


def test_bytes_past_http_can_be_given(template: Template) -> None:
    found = effect(template, 'half_headers(data:"HTTP/1.1 200",after_ms:5,how:clean)')
    assert found.bend.before == Before(silence_ms=5, data=b"HTTP/1.1 200", how=Ending.CLEAN)


def test_blank_lines_may_come_one_by_one(template: Template) -> None:
    found = effect(template, "blank_lines(count:2,every_ms:30)")
    assert list(found.bend.lead) == [(30, b"\n")] * 2
    error = found.bend.instead
    assert (error.body if error is not None else None) == ""


@pytest.mark.parametrize("name", ["error_event", "named_error_event", "error_chunk"])
def test_an_error_in_a_stream_closes_it_or_goes_on(name: str, template: Template) -> None:
    closed = effect(template, f"{name}(after:2,then:close,how:reset)")
    assert closed.new[1:] == [Disconnect(Ending.RESET)]
    assert closed.reply.content == "It is"
    further = effect(template, f"{name}(after:2,then:continue)")
    assert len(further.new) == 1
    assert (further.reply.content, further.reply.omit) == (CONTENT, frozenset())


@pytest.mark.parametrize("name", ["error_event", "error_chunk"])
def test_in_place_of_a_whole_body_the_error_is_given(name: str, template: Template) -> None:
    found = effect(template, f"{name}(status:502)", stream=False)
    assert isinstance(found.new[0], ErrorEvent)
    assert found.new[0].error.status == 502


def test_a_named_error_is_worded_by_the_host(template: Template) -> None:
    call = "error_event(error:engine_overloaded,message:no,event:oops)"
    error, _ = effect(template, call, profile="apiany").new
    assert (error.event, error.error.message) == ("oops", "no")
    assert error.error.type == "rate_limit_error"


@pytest.mark.parametrize(
    ("profile", "kind"),
    [("moonshot", "server_unavailable"), ("devotel", "api_error"), ("apiany", "api_error"),
     ("evolink", "server_unavailable")],
)  # fmt: skip
def test_without_a_name_the_host_s_upstream_failed(
    profile: str, kind: str, template: Template
) -> None:
    """APIAny's own page asks for an event with `error` and no later `stop` (AA-39)."""
    error, done = effect(template, "error_event", profile=profile).new
    assert (error.error.type, done) == (kind, DoneEvent())


def test_a_named_error_that_the_host_has_not_is_refused(template: Template) -> None:
    with pytest.raises(FaultError) as raised:
        effect(template, "error_event(error:engine_overlode)", profile="evolink")
    assert raised.value.what == "the host 'evolink' has no error 'engine_overlode'"
    assert "did you mean 'engine_overloaded'?" in str(raised.value.accepted)
    with pytest.raises(FaultError):
        effect(template, "finish_error(error:nobody)")


def test_an_error_chunk_may_have_its_own_code(template: Template) -> None:
    chunk, _ = effect(template, "error_chunk(code:502,message:bad)").new
    assert chunk.fields["error"] == {"code": 502, "message": "bad"}


def test_repeated_text_needs_text(template: Template) -> None:
    assert effect(template, "repeated_text", answer=CALLED).new == []


@pytest.mark.parametrize("name", ["finish_error", "content_filter_finish"])
@pytest.mark.parametrize(
    "place", ["start", "reasoning", "half_content", "end", "{events:3}", "{argument_chars:9}"]
)
def test_an_early_finish_counts_what_was_said(name: str, place: str, template: Template) -> None:
    found = effect(template, f"{name}(after:{place})", answer=written(
        reasoning=REASONING, content=CONTENT, calls=CALLS))  # fmt: skip
    counts, events = found.turn.counts, found.reply.events
    assert tokens(events, ReasoningDelta) == counts.reasoning
    assert tokens(events, ContentDelta) == counts.content
    assert found.reply.finish in {"error", "content_filter"}


@pytest.mark.parametrize("name", ["finish_error", "content_filter_finish"])
def test_literal_events_end_early_too(name: str, template: Template) -> None:
    events = (ContentDelta("a", whole=True), ContentDelta("b", whole=True))
    found = effect(template, name, answer=Reply(events=events, literal=True))
    assert found.reply.content == "a"


def test_k2_markers_leak_into_content(template: Template) -> None:
    call = "leaked_markers(channel:content,spelling:k2,finish:tool_calls)"
    found = effect(template, call, answer=CALLED)
    assert found.reply.content.startswith(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        '<|tool_call_argument_begin|>{"city":"Izmir"}<|tool_call_end|>'
    )
    assert (found.reply.reasoning, found.reply.finish) == (REASONING, "tool_calls")
    assert found.calls == ()
    deltas: list[Any] = [*found.reply.events]
    assert not any("<|tool_call_begin|>" in delta.text for delta in deltas)


@pytest.mark.parametrize("spelling", ["k2", "k3"])
def test_markers_that_are_not_split_stand_in_one_delta_each(
    spelling: str, template: Template
) -> None:
    whole = effect(template, f"leaked_markers(spelling:{spelling},split:false)")
    split = effect(template, f"leaked_markers(spelling:{spelling})")
    assert whole.reply.reasoning == split.reply.reasoning
    assert tokens(whole.reply.events, ReasoningDelta) == tokens(split.reply.events, ReasoningDelta)
    marker = {"k2": "<|tool_call_begin|>", "k3": "<|sep|>"}[spelling]
    deltas: list[Any] = [*whole.reply.events]
    assert sum(delta.text.count(marker) for delta in deltas) == whole.reply.reasoning.count(marker)
    assert len(whole.reply.events) < len(split.reply.events)


def test_trailing_markers_follow_the_content(template: Template) -> None:
    found = effect(template, "trailing_markers(channel:content,spelling:k2)")
    assert found.reply.content == CONTENT + "<|im_end|>"


def test_faults_of_reasoning_bring_some(template: Template) -> None:
    plain = written(content=CONTENT)
    assert effect(template, "reasoning_only(finish:tool_calls)", answer=plain).reply.reasoning
    assert effect(template, "leaked_markers", answer=plain).reply.reasoning.startswith("The")
    found = effect(template, "answer_in_reasoning", answer=written(calls=CALLS))
    assert found.reply.reasoning
    assert found.calls == ()


def test_thinking_in_content_has_tags_as_told(template: Template) -> None:
    unopened = effect(template, "thinking_in_content(opened:false)", answer=CALLED)
    assert unopened.reply.content == f"{REASONING}</think>\n\n"
    assert len(unopened.calls) == 2
    bare = effect(template, "thinking_in_content(tags:false)")
    assert bare.reply.content == f"{REASONING}\n\n{CONTENT}"


@pytest.mark.parametrize(
    ("call", "content"),
    [
        ("fenced_json", '```json\n{"a":1,"b":2}\n```'),
        ("schema_violation", '{"unexpected":1,"b":2}'),
        ("truncated_json(finish:length)", '{"a":1'),
    ],
)
def test_content_that_is_json_stays_the_json_it_is(
    call: str, content: str, template: Template
) -> None:
    found = effect(template, call, answer=written(content='{"a":1,"b":2}'))
    assert found.reply.content == content


def test_json_without_keys_violates_a_schema_too(template: Template) -> None:
    found = effect(template, "schema_violation", answer=written(content="[1]"))
    assert orjson.loads(found.reply.content) == {"unexpected": True}


@pytest.mark.parametrize("count", [1, 5, 9])
def test_length_in_reasoning_says_so_many_tokens(count: int, template: Template) -> None:
    found = effect(template, f"length_in_reasoning(tokens:{count})")
    assert (found.turn.counts.reasoning, found.reply.finish) == (count, "length")


@pytest.mark.parametrize("count", [1, 5])
def test_length_in_content_says_so_many_tokens(count: int, template: Template) -> None:
    found = effect(template, f"length_in_content(tokens:{count})")
    assert (found.turn.counts.content, found.reply.finish) == (count, "length")


def test_length_in_a_continued_prefix_is_counted_without_the_stub(template: Template) -> None:
    messages = [{"role": "user", "content": "hi"},
                {"role": "assistant", "content": "It", "partial": True}]  # fmt: skip
    found = effect(template, "length_in_content(tokens:4)", messages=messages,
                   answer=written(content=CONTENT))  # fmt: skip
    assert (found.turn.counts.content, found.turn.counts.generated) == (4, 4)


def test_length_in_arguments_leaves_half_of_all_of_them(template: Template) -> None:
    one = written(calls=(("get_weather", '{"city":"Izmir","note":"' + "sun and sea " * 20 + '"}'),))
    found = effect(template, "length_in_tool_arguments", answer=one)
    [call] = found.calls
    assert 0 < len(call.arguments) < 270
    assert found.reply.finish == "length"
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(call.arguments)


def test_more_than_there_is_cuts_into_the_closing_tokens(template: Template) -> None:
    """A whole text and `length` is legal (raw capture: a cap of 64)."""
    found = effect(template, "length_in_content(tokens:5000)")
    assert (found.reply.content, found.reply.finish) == (CONTENT, "length")


def test_calls_that_are_there_are_the_ones_that_break(template: Template) -> None:
    found = effect(template, "invalid_arguments(text:nonsense)", answer=CALLED)
    assert [call.arguments for call in found.calls] == ["nonsense", '{"city":"Ankara"}']
    bare = written(calls=(("get_weather", "{}"),))
    assert [c.arguments for c in effect(template, "invalid_arguments(text:x)",
                                        answer=bare).calls] == ["x"]  # fmt: skip
    found = effect(template, "wrong_finish(finish:length)", answer=CALLED)
    assert (len(found.calls), found.reply.finish) == (2, "length")


def test_one_call_is_doubled_where_two_are_needed(template: Template) -> None:
    one = written(calls=CALLS[:1])
    found = effect(template, "duplicate_tool_ids", answer=one)
    assert [call.arguments for call in found.calls] == ['{"city":"Izmir"}'] * 2


def test_a_call_is_made_up_from_the_first_tool(template: Template) -> None:
    offered = tool("book", n={"type": "integer"}, kind={"enum": ["a", "b"]}, on={"type": "boolean"},
                   list={"type": "array"}, what={})  # fmt: skip
    found = effect(template, "kimi_tool_ids", tools=[offered])
    [call] = found.calls
    assert call.name == "book"
    assert orjson.loads(call.arguments) == {
        "n": 1, "kind": "a", "on": True, "list": [], "what": "example",
    }  # fmt: skip
    assert [c.name for c in effect(template, "kimi_tool_ids", tools=None).calls] == ["lookup"]


def test_literal_events_get_no_call(template: Template) -> None:
    found = effect(template, "wrong_finish", answer=LITERAL)
    assert (found.calls, found.reply.content) == ((), "plain")


def test_blank_arguments_are_one_delta(template: Template) -> None:
    found = effect(template, 'empty_arguments(text:"  ")', answer=CALLED)
    assert [call.arguments for call in found.calls] == ["  ", "  "]


def test_what_stands_beside_the_calls_stays(template: Template) -> None:
    comment = Comment("x")
    literal = Reply(events=(ToolCallStart("f", "f_0"), comment), literal=True)
    for name in ("empty_arguments", "colliding_index", "nameless_tool_call", "comments"):
        assert comment in effect(template, name, answer=literal).reply.events


def test_an_index_collides_in_streams_only(template: Template) -> None:
    found = effect(template, "colliding_index", answer=CALLED, stream=False)
    assert found.new == []
    assert [call.arguments for call in found.calls] == [arguments for _, arguments in CALLS]
    streamed = effect(template, "colliding_index", answer=CALLED)
    heads = [event for event in streamed.reply.events if isinstance(event, ToolCallStart)]
    assert [head.index for head in heads] == [0]


def test_a_model_s_name_cannot_break_the_json(template: Template) -> None:
    found = effect(template, 'wrong_model(model:"a\\"b\\\\1")')
    assert orjson.loads(found.body())["model"] == "ab1"


def test_writes_have_as_many_bytes_as_told(template: Template) -> None:
    assert dict(effect(template, "seven_byte_writes(bytes:3)").bend.wire) == {
        "writes": "bytes:3", "write_gap_ms": 2,
    }  # fmt: skip
    found = effect(template, "wrong_content_type(type:application/json)")
    assert dict(found.bend.wire) == {"content_type": "application/json"}
