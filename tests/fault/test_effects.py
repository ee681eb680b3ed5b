"""Every fault by name, without parameters, does what the catalogue says of it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from k3mock.fault.bend import Before, Bend
from k3mock.fault.catalogue import (
    CATALOGUE,
)
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    Disconnect,
    DoneEvent,
    Ending,
    ErrorEvent,
    Stall,
    ToolArgumentsDelta,
    ToolDelta,
    written,
)
from k3mock.wire.chunks import FrameKind
from tests.fault.effects import CALLS, CONTENT, REASONING, Effect, chunk, effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.text.template import Template


def instead(status: int, text: str = "", content_type: str | None = None) -> Callable[..., None]:
    """Expect an error in place of the answer."""

    def check(found: Effect) -> None:
        error = found.bend.instead
        assert error is not None
        assert error.status == status
        assert text in (error.body if error.body is not None else error.message)
        if content_type:
            assert error.content_type == content_type

    return check


def happens(data: bytes, how: Ending, silence_ms: float | None = 0.0) -> Callable[..., None]:
    """Expect something on the connection in place of an answer."""

    def check(found: Effect) -> None:
        assert found.bend.before == Before(silence_ms=silence_ms, data=data, how=how)

    return check


def cut(how: Ending, *, after: str) -> Callable[..., None]:
    """Expect the end of the connection behind the text."""

    def check(found: Effect) -> None:
        assert found.new == [Disconnect(how)]
        text = "".join(getattr(event, "text", "") for event in found.before(Disconnect))
        assert text == after
        assert not found.bend.cut

    return check


def silent(ms: float | None, *, after: str) -> Callable[..., None]:
    def check(found: Effect) -> None:
        assert found.new == [Stall(ms)]
        assert "".join(event.text for event in found.before(Stall)) == after

    return check


def wire(**knobs: object) -> Callable[..., None]:
    """Expect a preset of knobs and nothing else."""

    def check(found: Effect) -> None:
        assert dict(found.bend.wire) == knobs
        names = found.bend.names
        assert found.bend == Bend(names=names, wire=knobs, rewrites=found.bend.rewrites)  # type: ignore[arg-type]

    return check


def call_knob(least: int, **knobs: object) -> Callable[..., None]:
    """Expect a preset of knobs and so many calls that it shows in."""

    def check(found: Effect) -> None:
        wire(**knobs)(found)
        assert [call.name for call in found.calls] == ["get_weather"] * least
        assert found.reply.finish == "tool_calls"

    return check


FIRST = REASONING + "It"


def half_json(found: Effect) -> None:
    plain, broken = found.frames(changed=False), found.frames()
    [index] = [at for at, pair in enumerate(zip(plain, broken, strict=True)) if pair[0] != pair[1]]
    with pytest.raises(orjson.JSONDecodeError):
        chunk(broken[index])
    assert broken[index].data.startswith(b'data: {"id"')
    assert broken[index].data.endswith(b"\n\n")
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(found.body())


def in_character(found: Effect) -> None:
    assert found.reply.content == CONTENT + " 你好"
    frames = found.frames()
    assert frames[-1].ending is Ending.UNTERMINATED
    with pytest.raises(UnicodeDecodeError):
        frames[-2].data.decode()
    assert b"".join(frame.data for frame in frames[:-2]).isascii()


def in_line(found: Effect) -> None:
    frames, plain = found.frames(), found.frames(changed=False)
    assert frames[-1].ending is Ending.UNTERMINATED
    assert plain[len(frames) - 2].data.startswith(frames[-2].data)
    assert b"\n" not in frames[-2].data
    assert frames[-3].kind is FrameKind.CONTENT


def before_done(found: Effect) -> None:
    kinds = [frame.kind for frame in found.frames()]
    assert kinds[-2:] == [FrameKind.FINISH, FrameKind.END]


def error_inside(event: str) -> Callable[..., None]:
    def check(found: Effect) -> None:
        error, done = found.new
        assert isinstance(error, ErrorEvent)
        assert (error.event, error.error.status) == (event, 503)
        assert error.error.type == "server_unavailable"
        assert done == DoneEvent()
        assert {"finish", "usage"} <= found.reply.omit
        assert found.reply.content == "It"

    return check


def error_chunk(found: Effect) -> None:
    shown, done = found.new
    assert shown.fields["choices"] == []
    assert shown.fields["error"]["code"] == 503
    assert done == DoneEvent()


def finish_error(found: Effect) -> None:
    [shown] = found.new
    assert shown.fields["error"]["code"] == 503
    assert (found.reply.finish, found.reply.content) == ("error", "It")
    assert found.turn.counts.content == 1


def keepalive(text: str) -> Callable[..., None]:
    def check(found: Effect) -> None:
        assert found.new == [Comment(text), Comment(text)]
        assert found.reply.events[0] == Comment(text)
        assert dict(found.bend.wire) == {"keepalive_ms": 1000, "keepalive_text": text}

    return check


def comments(found: Effect) -> None:
    said = [event for event in found.reply.events if not isinstance(event, Comment)]
    assert len(found.new) == len(said)
    assert set(found.new) == {Comment(" OPENROUTER PROCESSING")}


def null_delta(found: Effect) -> None:
    assert found.new == [
        Chunk({"choices": [{"index": 0, "delta": None, "finish_reason": None}]})
    ]  # fmt: skip


def duplicate(found: Effect) -> None:
    frames, plain = found.frames(), found.frames(changed=False)
    assert len(frames) == len(plain) + 1
    [again] = [second for first, second in pairwise(frames) if first.data == second.data]
    assert (chunk(again)["choices"][0]["delta"], again.tokens) == ({"content": "It"}, 0)


def dropped(found: Effect) -> None:
    frames, plain = found.frames(), found.frames(changed=False)
    at = next(at for at, pair in enumerate(zip(plain, frames, strict=False)) if pair[0] != pair[1])
    assert chunk(plain[at])["choices"][0]["delta"] == {"content": " is"}
    assert frames == plain[:at] + plain[at + 1 :]


def reordered(found: Effect) -> None:
    said = [chunk(frame)["choices"][0]["delta"].get("content")
            for frame in found.frames() if frame.kind is FrameKind.CONTENT]  # fmt: skip
    assert said[:3] == ["It", " sunny", " is"]


def wrong_model(found: Effect) -> None:
    models = {chunk(frame)["model"] for frame in found.frames() if frame.kind is not FrameKind.DONE}
    assert models == {"kimi-k2.6"}
    assert orjson.loads(found.body())["model"] == "kimi-k2.6"


def leaked(found: Effect) -> None:
    reply = found.reply
    assert (reply.content, reply.calls, reply.finish) == ("", (), "stop")
    assert reply.reasoning.startswith(REASONING + '<|open|>tools<|sep|><|open|>call tool="get')
    assert '<|open|>argument key="city" type="string"<|sep|>example<|close|>' in reply.reasoning
    split = re.search(r"<\|[a-z]*$", _longest_piece(reply.events))
    assert split is None or split.group() != reply.reasoning


def _longest_piece(events: Any) -> str:
    return str(max((event.text for event in events), key=len))


def trailing(found: Effect) -> None:
    assert found.reply.reasoning == (
        REASONING + "<|close|>response<|sep|><|close|>message<|sep|>"
    )  # fmt: skip
    assert (found.reply.content, found.reply.finish) == ("", "stop")


def said(reasoning: str, content: str, finish: str = "stop") -> Callable[..., None]:
    def check(found: Effect) -> None:
        reply = found.reply
        assert (reply.reasoning, reply.content, reply.finish) == (reasoning, content, finish)
        assert found.new == []

    return check


def first_arguments(text: str) -> Callable[..., None]:
    def check(found: Effect) -> None:
        [call] = found.calls
        assert (call.name, call.arguments, found.reply.finish) == (
            "get_weather", text, "tool_calls",
        )  # fmt: skip

    return check


def no_fragments(found: Effect) -> None:
    first_arguments("")(found)
    assert not any(isinstance(event, ToolArgumentsDelta) for event in found.reply.events)


def in_bytes(*, key: bool) -> Callable[..., None]:
    """Expect null arguments, or none, in the one delta of the call and in the body."""

    def check(found: Effect) -> None:
        [frame] = [frame for frame in found.frames() if frame.kind is FrameKind.TOOL]
        message = orjson.loads(found.body())["choices"][0]["message"]
        for holder in (chunk(frame)["choices"][0]["delta"], message):
            function = holder["tool_calls"][0]["function"]
            assert function == {"name": "get_weather", **({"arguments": None} if key else {})}

    return check


def duplicate_ids(found: Effect) -> None:
    assert [call.id for call in found.calls] == ["get_weather_0", "get_weather_0"]


def colliding(found: Effect) -> None:
    head, *rest = found.new
    assert head == ToolDelta(
        {"index": 0, "id": "get_weather_1", "type": "function",
         "function": {"name": "get_weather", "arguments": ""}}, head.tokens,
    )  # fmt: skip
    assert {event.fields["index"] for event in rest} == {1}
    text = "".join(event.fields["function"]["arguments"] for event in rest)
    assert orjson.loads(text) == {"city": "example"}


def cut_length(found: Effect) -> None:
    assert found.reply.finish == "length"


def length_in_reasoning(found: Effect) -> None:
    cut_length(found)
    counts = found.turn.counts
    assert (found.reply.content, counts.closed) == ("", False)
    assert counts.reasoning == counts.generated - 3
    assert REASONING.startswith(found.reply.reasoning)
    assert 0 < len(found.reply.reasoning) < len(REASONING)


def length_in_content(found: Effect) -> None:
    cut_length(found)
    assert found.reply.reasoning == REASONING
    assert 0 < len(found.reply.content) < len(CONTENT)
    assert CONTENT.startswith(found.reply.content)
    counts = found.turn.counts
    assert counts.generated == 3 + counts.reasoning + 3 + 3 + counts.content


def length_in_arguments(found: Effect) -> None:
    cut_length(found)
    [call] = found.calls
    assert call.arguments == '{"city":"'


def leads(found: Effect) -> None:
    assert found.bend == Bend(names=("leading_blank_lines",), lead=((0, b"\n"),) * 3)


def early(found: Effect) -> None:
    instead(413, "<h1>413 Request Entity Too Large</h1>", "text/html")(found)
    assert found.bend.early


def slow(found: Effect) -> None:
    assert found.bend == Bend(names=("slow_headers",), delay_ms=1000)


def no_usage(found: Effect) -> None:
    assert found.reply.usage is None
    assert "usage" not in orjson.loads(found.body())


def zero_usage(found: Effect) -> None:
    usage = orjson.loads(found.body())["usage"]
    assert usage == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def null_finish(found: Effect) -> None:
    assert found.reply.null_finish


def empty_stream(found: Effect) -> None:
    assert (found.reply.events, found.reply.finish) == ((), "stop")


def nameless(found: Effect) -> None:
    assert [call.name for call in found.calls] == [""]
    assert found.reply.finish == "tool_calls"


def filtered(found: Effect) -> None:
    said(REASONING, "It", "content_filter")(found)
    assert found.turn.counts.content == 1


HTML, HTML_UTF8, JSON = "text/html", "text/html; charset=UTF-8", "application/json; charset=utf-8"
UNTERMINATED, RESET, CLEAN = Ending.UNTERMINATED, Ending.RESET, Ending.CLEAN
USAGE = {"usage_in_choice": False, "usage_chunk": "forced"}

EFFECTS: dict[str, Callable[[Effect], None]] = {
    "bad_gateway_html": instead(502, "<center><h1>502 Bad Gateway</h1></center>", HTML),
    "service_unavailable_html": instead(503, "<title>503 Service Temporarily", HTML),
    "gateway_timeout_html": instead(504, "<title>504 Gateway Time-out</title>", HTML),
    "request_too_large_html": instead(413, "413 Request Entity Too Large", HTML),
    "cloudflare_520": instead(520, "<span>Error code 520</span>", HTML_UTF8),
    "cloudflare_524": instead(524, "524: A timeout occurred"),
    "cloudflare_403": instead(403, "Attention Required!", HTML_UTF8),
    "error": instead(500, "The server had an error"),
    "error_200": instead(200, "The server had an error"),
    "bad_gateway": instead(502, "The upstream provider failed"),
    "unavailable_retry_after": instead(503, "currently unavailable"),
    "request_timeout": instead(408, "timed out"),
    "credits_402": instead(402, "Insufficient credits"),
    "spend_cap_402": instead(402, "spending limit"),
    "context_overflow_403": instead(403, "exceed 1048576 tokens"),
    "forbidden_user_agent": instead(403, "only available to coding agents"),
    "transient_400": instead(400, "could not parse the JSON body"),
    "reasoning_missing": instead(400, "in assistant tool call message at index 2"),
    "aggregator_error": instead(400, "tool_call_id  is not found"),
    "error_string": instead(401, "invalid api key"),
    "overflow_detail": instead(400, "(1179648 tokens) is longer than the model's context"),
    "empty_body": instead(200, "", JSON),
    "empty_200_stream": instead(200, "", "text/event-stream"),
    "blank_lines": instead(200, "\n\n\n", JSON),
    "leading_blank_lines": leads,
    "silence_before_headers": happens(b"", UNTERMINATED, None),
    "slow_headers": slow,
    "reset_before_headers": happens(b"", RESET),
    "close_before_headers": happens(b"", UNTERMINATED),
    "half_status_line": happens(b"HTTP/1.1 20", UNTERMINATED),
    "half_headers": happens(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-", UNTERMINATED
    ),
    "garbage_status_line": happens(b"SSH-2.0-OpenSSH_9.6\r\n", UNTERMINATED),
    "body_refused_halfway": early,
    "cut_mid_stream": cut(UNTERMINATED, after=FIRST),
    "clean_close": cut(CLEAN, after=FIRST),
    "reset_mid_stream": cut(RESET, after=FIRST),
    "unterminated_chunk": cut(UNTERMINATED, after=FIRST),
    "cut_after_reasoning": cut(UNTERMINATED, after=REASONING),
    "cut_in_reasoning": cut(UNTERMINATED, after="The user asks about the weather in Izmir"),
    "cut_in_tool_arguments": cut(UNTERMINATED, after=REASONING + CONTENT + '{"city":"'),
    "cut_before_finish": cut(UNTERMINATED, after=REASONING + CONTENT),
    "cut_before_done": before_done,
    "cut_in_character": in_character,
    "cut_in_line": in_line,
    "stall": silent(10_000, after=FIRST),
    "stall_forever": silent(None, after=FIRST),
    "long_silence": silent(60_000, after=""),
    "second_silence": silent(60_000, after=REASONING),
    "error_event": error_inside(""),
    "named_error_event": error_inside("error"),
    "error_chunk": error_chunk,
    "finish_error": finish_error,
    "null_delta": null_delta,
    "keepalive": keepalive(" keep-alive"),
    "keepalive_bare": keepalive(""),
    "comments": comments,
    "duplicate_frame": duplicate,
    "dropped_frame": dropped,
    "reordered_frames": reordered,
    "broken_json": half_json,
    "repeated_text": said(REASONING, CONTENT + CONTENT),
    "wrong_model": wrong_model,
    "leaked_markers": leaked,
    "trailing_markers": trailing,
    "reasoning_only": said(REASONING, ""),
    "answer_in_reasoning": said(f"{REASONING}\n\n{CONTENT}", ""),
    "thinking_in_content": said("", f"<think>{REASONING}</think>\n\n{CONTENT}"),
    "placeholder_reasoning": said("[reasoning unavailable]", CONTENT),
    "empty_stream": empty_stream,
    "fenced_json": said(REASONING, f'```json\n{{"answer":"{CONTENT}"}}\n```'),
    "schema_violation": said(REASONING, f'{{"unexpected":"{CONTENT}"}}'),
    "truncated_json": said(REASONING, f'{{"answer":"{CONTENT}"}}'[:36]),
    "content_filter_finish": filtered,
    "unknown_finish": said(REASONING, CONTENT, "unexpected_state"),
    "null_finish": null_finish,
    "no_usage": no_usage,
    "zero_usage": zero_usage,
    "length_in_reasoning": length_in_reasoning,
    "length_in_content": length_in_content,
    "length_in_tool_arguments": length_in_arguments,
    "wrong_finish": said(REASONING, CONTENT, "stop"),
    "nameless_tool_call": nameless,
    "empty_arguments": no_fragments,
    "null_arguments": in_bytes(key=True),
    "absent_arguments": in_bytes(key=False),
    "invalid_arguments": first_arguments('{"path":"C:\\users\\Home"}'),
    "duplicate_tool_ids": duplicate_ids,
    "colliding_index": colliding,
    "object_arguments": call_knob(1, tool_arguments="object"),
    "whole_arguments": call_knob(1, tool_arguments="whole"),
    "missing_tool_index": call_knob(2, tool_index="omit"),
    "null_tool_index": call_knob(2, tool_index="null"),
    "sparse_tool_index": call_knob(1, tool_index_base=1),
    "empty_continuations": call_knob(
        1, continuation_id="empty", continuation_type="repeat", continuation_name="empty"
    ),
    "repeated_continuations": call_knob(
        1, continuation_id="repeat", continuation_type="repeat", continuation_name="repeat"
    ),
    "interleaved_tool_calls": call_knob(2, parallel_order="round_robin"),
    "kimi_tool_ids": call_knob(1, tool_ids="kimi_functions"),
    "openai_tool_ids": call_knob(1, tool_ids="openai"),
    "split_utf8": wire(writes="split_utf8", write_gap_ms=2),
    "split_line": wire(writes="split_line", write_gap_ms=2),
    "one_byte_writes": wire(writes="one_byte", write_gap_ms=2),
    "seven_byte_writes": wire(writes="bytes:7", write_gap_ms=2),
    "coalesced_writes": wire(writes="coalesced"),
    "crlf": wire(newline="crlf"),
    "cr_lines": wire(newline="cr"),
    "no_space_after_colon": wire(space_after_colon=False),
    "split_data_lines": wire(split_data_lines=True),
    "no_final_blank_line": wire(final_blank_line=False),
    "bom": wire(bom=True),
    "named_events": wire(event_name="message"),
    "ascii_only": wire(ascii=True),
    "wrong_content_type": wire(content_type="text/plain"),
    "no_content_type": wire(content_type="none"),
    "json_instead_of_stream": wire(streaming="never"),
    "stream_instead_of_json": wire(streaming="always"),
    "no_done": wire(done=False),
    "no_finish": wire(finish_chunks=0),
    "neither": wire(finish_chunks=0, done=False),
    "duplicate_finish": wire(finish_chunks=2),
    "null_finish_delta": wire(finish_delta="null"),
    "no_finish_delta": wire(finish_delta="omit"),
    "empty_finish": wire(pending_finish="empty"),
    "text_null_finish": wire(pending_finish="text"),
    "role_everywhere": wire(role="every"),
    "null_role_later": wire(role="null_later"),
    "null_first_content": wire(first_content="null"),
    "null_channels": wire(
        absent_channel="null", delta_reasoning="null", delta_content="null", absent_content="null"
    ),
    "null_keys": wire(null_keys=True),
    "reasoning_field_reasoning": wire(reasoning_field="reasoning"),
    "reasoning_twice": wire(reasoning_field="both"),
    "reasoning_details": wire(reasoning_field="details"),
    "hidden_reasoning": wire(reasoning_field="hidden"),
    "typed_blocks": wire(content_encoding="typed_blocks"),
    "repeated_prefix": wire(partial_result="repeat_prefix"),
    "empty_partial": wire(partial_result="empty"),
    "usage_in_choice": wire(usage_in_choice=True, usage_chunk="off", usage_elsewhere="omit"),
    "usage_forced": wire(**USAGE, usage_elsewhere="omit"),
    "usage_everywhere": wire(**USAGE, usage_elsewhere="cumulative"),
    "usage_null_elsewhere": wire(**USAGE, usage_elsewhere="null"),
    "cached_top": wire(cached_tokens="top"),
    "cached_nested": wire(cached_tokens="nested"),
    "cached_deepseek": wire(cached_tokens="deepseek"),
    "cached_devotel": wire(cached_tokens="devotel"),
    "cached_off": wire(cached_tokens="off"),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_fault_without_parameters_does_what_it_says(name: str, template: Template) -> None:
    EFFECTS[name](effect(template, name))


def test_every_fault_of_the_catalogue_stands_in_the_table() -> None:
    assert set(EFFECTS) == set(CATALOGUE)


def test_a_cut_in_arguments_leaves_half_of_them(template: Template) -> None:
    found = effect(template, "cut_in_tool_arguments", answer=written(calls=CALLS))
    text = "".join(e.text for e in found.before(Disconnect) if isinstance(e, ToolArgumentsDelta))
    assert text == '{"city":'
