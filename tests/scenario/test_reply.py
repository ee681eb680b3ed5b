"""Replies in short form: what each key becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.protocol.style import Draw, FaultCall
from tests.matching.asking import asked
from tests.scenario.loading import hit, reply, source, style_and_reply
from tests.support import tool

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.text.counter import TokenCounter


def function(**fields: Any) -> dict[str, Any]:
    return {"index": 0, "id": "f_0", "type": "function", "function": {"name": "f", **fields}}


@pytest.mark.parametrize(
    ("text", "events"),
    [
        pytest.param("content: hi", [ContentDelta("hi")], id="content"),
        pytest.param("reasoning: hm", [ReasoningDelta("hm")], id="reasoning"),
        pytest.param("content: hi\nreasoning: hm", [ReasoningDelta("hm"), ContentDelta("hi")],
                     id="thinking-comes-first"),
        pytest.param('content: ""', [], id="empty"),
        pytest.param("content: {json: {a: [1, null, ä]}}", [ContentDelta('{"a":[1,null,"ä"]}')],
                     id="json"),
        pytest.param("content: {json: null}", [ContentDelta("null")], id="json-null"),
        pytest.param(f"content: {{json: {1 << 70}}}", [ContentDelta(str(1 << 70))], id="big"),
        pytest.param("content: {generate: true}\nreasoning: hm",
                     [ReasoningDelta("hm"), ContentDelta("made-up words")], id="content-made"),
        pytest.param("reasoning: {generate: true}\ncontent: hi",
                     [ReasoningDelta("made-up thoughts"), ContentDelta("hi")],
                     id="reasoning-made"),
        pytest.param('content: {template: "You said {{ last.content }}."}',
                     [ContentDelta("You said hi.")], id="template"),
        pytest.param('content: "{{ last.content }}"', [ContentDelta("{{ last.content }}")],
                     id="braces-are-text-elsewhere"),
        pytest.param("tool_calls: [{name: f, force: true, arguments: {b: 1, a: x y}}]",
                     [ToolCallStart("f"), ToolArgumentsDelta('{"b":1,"a":"x y"}')], id="call"),
        pytest.param("tool_calls: [{name: f, force: true, arguments: {}, id: call_9}]",
                     [ToolCallStart("f", "call_9"), ToolArgumentsDelta("{}")], id="call-id"),
        pytest.param("tool_calls: [{name: f, force: true, arguments: '{\"a\": '}]",
                     [ToolCallStart("f"), ToolArgumentsDelta('{"a": ')], id="literal-arguments"),
        pytest.param('tool_calls: [{name: f, force: true, arguments: ""}]', [ToolCallStart("f")],
                     id="empty-arguments"),
        pytest.param("tool_calls: [{name: f, force: true, arguments: null}]",
                     [ToolDelta(function(arguments=None))], id="null-arguments"),
        pytest.param("tool_calls: [{name: f, force: true}]", [ToolDelta(function())],
                     id="no-arguments"),
        pytest.param('tool_calls: [{name: "", force: true, arguments: {}}]',
                     [ToolCallStart(""), ToolArgumentsDelta("{}")], id="no-name"),
        pytest.param(
            'tool_calls: [{name: f, force: true, arguments_template: \'{"q":{{ last.content | '
            "tojson }}}'}]", [ToolCallStart("f"), ToolArgumentsDelta('{"q":"hi"}')],
            id="arguments-template"),
        pytest.param(
            "tool_calls:\n- {name: f, force: true, arguments: {}}\n"
            "- {name: g, force: true, arguments: {a: 1}}",
            [ToolCallStart("f"), ToolArgumentsDelta("{}"), ToolCallStart("g", index=1),
             ToolArgumentsDelta('{"a":1}', 1)], id="two-calls"),
        pytest.param(
            "tool_calls:\n- {name: f, force: true}\n- {name: g, force: true, arguments: {a: 1}}",
            [ToolDelta(function()),
             ToolDelta({"index": 1, "id": "g_1", "type": "function",
                        "function": {"name": "g", "arguments": '{"a":1}'}})],
            id="indexes-agree-beside-a-literal-call"),
        pytest.param("finish_reason: length", [ReasoningDelta("made-up thoughts"),
                                               ContentDelta("made-up words")], id="made-and-cut"),
    ],
)  # fmt: skip
def test_words_become_events(
    tmp_path: Path, counter: TokenCounter, text: str, events: list[Any]
) -> None:
    assert list(reply(tmp_path, counter, text).events) == events


def test_a_reply_that_is_a_text_is_its_content(tmp_path: Path, counter: TokenCounter) -> None:
    assert reply(tmp_path, counter, "Hello there.").events == (ContentDelta("Hello there."),)


@pytest.mark.parametrize("text", ["{}", "pace: instant", "wire: {usage: off}", "usage: null"])
def test_a_reply_without_words_leaves_them_to_the_generator(
    tmp_path: Path, counter: TokenCounter, text: str
) -> None:
    assert style_and_reply(tmp_path, counter, text).write is None


@pytest.mark.parametrize(
    ("text", "finish", "null"),
    [
        pytest.param("content: hi", None, False, id="usual"),
        pytest.param("content: hi\nfinish_reason: content_filter", "content_filter", False,
                     id="named"),
        pytest.param("content: hi\nfinish_reason: nonsense", "nonsense", False, id="any-word"),
        pytest.param("content: hi\nfinish_reason: null", None, True, id="null"),
        pytest.param("finish_reason: length", "length", False, id="generated-words"),
        pytest.param("finish_reason: null", None, True, id="generated-words-null"),
    ],
)  # fmt: skip
def test_the_finish_reason(
    tmp_path: Path, counter: TokenCounter, text: str, finish: str | None, *, null: bool
) -> None:
    found = reply(tmp_path, counter, text)
    assert (found.finish, found.null_finish) == (finish, null)


def test_frames_can_be_left_out(tmp_path: Path, counter: TokenCounter) -> None:
    assert reply(tmp_path, counter, "content: a\nomit: [done, role]").omit == {"done", "role"}
    generated = reply(tmp_path, counter, "omit: [usage]")
    assert generated.omit == {"usage"}
    assert generated.content == "made-up words"


def test_words_of_so_many_tokens(tmp_path: Path, counter: TokenCounter) -> None:
    found = reply(tmp_path, counter, "reasoning: {tokens: 300}\ncontent: {tokens: 40}")
    assert counter.count(found.reasoning) == 300
    assert counter.count(found.content) == 40
    again = reply(tmp_path, counter, "reasoning: {tokens: 300}\ncontent: {tokens: 40}")
    assert again == found
    other = reply(tmp_path, counter, "content: {tokens: 40}", asked("something else"))
    assert other.content != found.content


def test_a_file_beside_the_scenario_is_the_content(tmp_path: Path, counter: TokenCounter) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "long.txt").write_text("Grün.\n", encoding="utf-8")
    assert reply(tmp_path, counter, "content: {file: texts/long.txt}").content == "Grün.\n"


@pytest.mark.parametrize(
    ("text", "style"),
    [
        pytest.param("content: a", {}, id="none"),
        pytest.param("pace: instant", {"pace": "instant"}, id="pace"),
        pytest.param("pace: 80", {"pace": "80"}, id="rate"),
        pytest.param("pace: {ttft_ms: 5, content_tps: 40}",
                     {"pace": "ttft_ms=5,content_tps=40"}, id="pace-mapping"),
        pytest.param("wire: {reasoning_field: reasoning, usage: off}",
                     {"wire": {"reasoning_field": "reasoning", "usage_in_choice": False,
                               "usage_chunk": "off", "usage_elsewhere": "omit"}}, id="wire"),
        pytest.param("usage: {total_tokens: 7}", {"usage": {"total_tokens": 7}}, id="usage"),
        pytest.param("usage: null", {"show_usage": False}, id="no-usage"),
        pytest.param("usage: false", {"show_usage": False}, id="usage-false"),
        pytest.param("cached_tokens: 9", {"cached": 9}, id="cached"),
        pytest.param("headers: {X-A: b, x-n: 1}", {"headers": (("X-A", "b"), ("x-n", "1"))},
                     id="headers"),
        pytest.param("faults: crlf", {"faults": (FaultCall(name="crlf"),)}, id="fault"),
        pytest.param("faults: [crlf, 'cut_mid_stream(after:3)']",
                     {"faults": (FaultCall(name="crlf"),
                                 FaultCall(name="cut_mid_stream", parameters={"after": 3}))},
                     id="faults"),
        pytest.param("faults: [{name: cut_mid_stream, after: {content_tokens: 3}, how: reset}]",
                     {"faults": (FaultCall(name="cut_mid_stream", parameters={
                         "after": {"content_tokens": 3}, "how": "reset"}),)}, id="fault-mapping"),
        pytest.param("error: rate_limited", {"faults": (FaultCall(name="rate_limited"),)},
                     id="error-name"),
        pytest.param("error: {name: rate_limited, seconds: 9}",
                     {"faults": (FaultCall(name="rate_limited", parameters={"seconds": 9}),)},
                     id="error-with-changes"),
        pytest.param("error: {status: 418, message: no}\nfaults: crlf",
                     {"faults": (FaultCall(name="error", parameters={
                         "status": 418, "message": "no"}), FaultCall(name="crlf"))},
                     id="error-written-out-comes-first"),
    ],
)  # fmt: skip
def test_the_way_an_answer_is_given(
    tmp_path: Path, counter: TokenCounter, text: str, style: dict[str, Any]
) -> None:
    found = style_and_reply(tmp_path, counter, text).style
    assert found == replace(type(found)(), **style)


def test_a_scenario_has_defaults_for_its_turns(tmp_path: Path, counter: TokenCounter) -> None:
    scenario = """
        name: t
        wire: {bom: true, newline: crlf}
        pace: 10
        faults: [no_done]
        headers: {x-a: b}
        chaos: [{fault: stall, probability: 0.5, ms: 7}]
        turns:
          - reply: {content: hi, pace: 20, wire: {newline: cr}, faults: [crlf]}
    """
    style = hit(source(tmp_path, counter, scenario), asked()).style
    assert style.wire == {"bom": True, "newline": "cr"}
    assert style.pace == "20"
    assert [call.name for call in style.faults] == ["no_done", "crlf"]
    assert style.headers == (("x-a", "b"),)
    assert style.chaos == (
        Draw(fault=FaultCall(name="stall", parameters={"ms": 7}), probability=0.5),
    )


def test_an_error_leaves_no_words(tmp_path: Path, counter: TokenCounter) -> None:
    assert style_and_reply(tmp_path, counter, "error: rate_limited").write is None


def test_a_call_that_is_offered_needs_no_force(tmp_path: Path, counter: TokenCounter) -> None:
    text = "tool_calls: [{name: f, arguments: {}}]"
    found = reply(tmp_path, counter, text, asked(tools=[tool("f")]))
    assert [call.name for call in found.calls] == ["f"]


@pytest.mark.parametrize(
    ("text", "long"),
    [
        pytest.param("content: hi", False, id="text"),
        pytest.param("content: {tokens: 10}", False, id="few-words"),
        pytest.param("content: {tokens: 10000}", True, id="many-words"),
        pytest.param("reasoning: {template: hi}", True, id="template"),
        pytest.param("tool_calls: [{name: f, force: true, arguments_template: '{}'}]", True,
                     id="arguments"),
        pytest.param("events: [{content: {template: hi}}]", True, id="event"),
        pytest.param("events: [{tool_call: {name: f, force: true, arguments_template: '{}'}}]",
                     True, id="event-call"),
        pytest.param("events: [{content: hi}, done]", False, id="events"),
    ],
)  # fmt: skip
def test_what_is_worked_out_at_length_says_so(
    tmp_path: Path, counter: TokenCounter, text: str, *, long: bool
) -> None:
    assert style_and_reply(tmp_path, counter, text).long is long


def test_no_more_words_are_made_up_than_the_request_takes(
    tmp_path: Path, counter: TokenCounter
) -> None:
    question = asked(cap=10)
    cut = reply(tmp_path, counter, "content: {tokens: 100000}", question)
    assert 10 < counter.count(cut.content) < 100
    whole = reply(tmp_path, counter, "events: [{content: {tokens: 200}}]", question)
    assert counter.count(whole.content) == 200
