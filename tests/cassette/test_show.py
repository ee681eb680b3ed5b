"""Rows and views of interactions."""

from __future__ import annotations

from dataclasses import replace

from k3mock.cassette import show
from k3mock.cassette.interaction import End, Timing
from tests.cassette.samples import STREAM, completion, interaction, sse
from tests.support import request, tool


def test_a_row_sums_an_exchange_up() -> None:
    body = request("What is the\nweather?", stream=True, tools=[tool()])
    assert show.row(interaction(body, STREAM)) == {
        "number": 1, "method": "POST", "path": "/v1/chat/completions", "model": "kimi-k3",
        "last": "user: What is the weather?", "stream": True, "tools": 1, "status": 200,
        "tokens": {"prompt": 12, "completion": 7}, "ms": 90.0, "end": "complete",
    }  # fmt: skip


def test_a_row_of_a_foreign_recording_says_what_is_not_known() -> None:
    row = show.row(interaction(b"no json", b"", timing=None))
    assert (row["model"], row["last"], row["tokens"], row["ms"], row["end"]) == (
        None, "", None, None, "unknown",
    )  # fmt: skip


def test_the_table_has_a_line_for_each_interaction() -> None:
    heading, *lines = show.table([
        interaction(request("word " * 40), STREAM, number=9),
        interaction({}, {"error": {}}, number=10, status=429, end=End.TIMEOUT, timing=None),
    ]).splitlines()  # fmt: skip
    assert heading.split() == [
        "#", "request", "model", "last", "message", "stream", "tools", "status", "tokens", "ms",
        "end",
    ]  # fmt: skip
    assert lines[0].startswith("9   POST /v1/chat/completions  kimi-k3  user: word word")
    assert "…" in lines[0]
    assert lines[0].endswith("no      0      200     12+7    90  complete")
    assert lines[1].split() == ["10", "POST", "/v1/chat/completions", "no", "0", "429", "unknown"]


def test_writes_carry_their_times_and_the_events_that_they_complete() -> None:
    first, second = sse("a", "b")
    halves = interaction(answer=[first[:4], first[4:] + second])
    assert [(each.at_us, each.events) for each in show.writes(halves)] == [
        (10_000, ()), (20_000, ("a", "b")),
    ]  # fmt: skip


def test_without_times_each_event_is_a_write_of_its_own() -> None:
    stream = interaction(answer=[b"data: a\n\ndata: b\r\n\r\ndata: c"], timing=None)
    assert [(each.at_us, each.data, each.events) for each in show.writes(stream)] == [
        (None, b"data: a\n\n", ("a",)), (None, b"data: b\r\n\r\n", ("b",)),
        (None, b"data: c", ()),
    ]  # fmt: skip
    edited = replace(stream, timing=Timing(chunks=((5, 5),)))
    assert [each.at_us for each in show.writes(edited)] == [None, None, None]
    whole = interaction(timing=None)
    assert [each.data for each in show.writes(whole)] == [whole.response.body]
    assert show.writes(interaction(answer=b"", timing=None)) == ()


def test_the_view_holds_all_that_is_known() -> None:
    view = show.view(interaction(answer=STREAM, error="ReadError", end=End.UPSTREAM_ERROR))
    assert view["request"] == {
        "method": "POST", "uri": "https://api.moonshot.ai/v1/chat/completions",
        "headers": [["content-type", "application/json"]], "body": request(),
    }  # fmt: skip
    assert view["answer"]["reasoning"] == "I should look it up."  # type: ignore[index,call-overload]
    assert view["timing"] == {
        "seq": 1, "at": "2026-11-29T18:26:09Z", "head_ms": 9.0, "end": "upstream_error",
        "error": "ReadError", "enc": None, "redacted": [],
    }  # fmt: skip
    assert len(view["writes"]) == 9  # type: ignore[arg-type]
    assert show.view(interaction(b"\xff", timing=None))["timing"] is None


def test_people_read_request_answer_and_writes() -> None:
    text = show.text_view(interaction(answer=STREAM))
    assert text.startswith("#1  POST https://api.moonshot.ai/v1/chat/completions\n")
    assert '        "content": "hi"' in text
    assert "  recorded 2026-11-29T18:26:09Z, headers after 9.0 ms, end: complete\n" in text
    assert "  reasoning: I should look it up.\n" in text
    assert '  tool call: get_weather({"city":"Izmir"}) get_weather:0\n' in text
    assert "\nwrites  9, " in text
    said = [line.split(" bytes  ")[1] for line in text.splitlines() if " bytes  " in line]
    assert said == [
        '{"id": "chatcmpl-2", "object": "chat.completion.chunk", "cr…',
        "reasoning: I should", "reasoning: look it up.", "tool call: get_weather(",
        'tool call: {"city":', 'tool call: "Izmir"}', "finish: tool_calls",
        'usage: {"prompt_tokens":12,"completion_tokens":7,"total_tok…', "[DONE]",
    ]  # fmt: skip
    assert "      90.0 ms      14 bytes  [DONE]" in text


def test_people_are_told_of_what_did_not_end_well_and_of_several_events_in_a_write() -> None:
    body = b"".join(STREAM)
    text = show.text_view(interaction(answer=[body[:9], body[9:]], end=End.TIMEOUT, error="E"))
    assert "end: timeout (E)" in text
    assert " (+8)" in text
    several = show.text_view(interaction(b"\x1b[31m", completion("one\ntwo"), timing=None))
    assert "  content:\n    one\n    two\n" in several
    assert "       – ms" in several
    assert "\x1b" not in several
    assert "\\x1b[31m" in several
