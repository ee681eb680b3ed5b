from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.protocol.reply import (
    ContentDelta,
    FinishReason,
    ReasoningDelta,
    Reply,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter
from k3mock.text.template import Template
from k3mock.text.turn import Turn, chunks, generate
from tests.strategies import any_text, crumbled, replies, texts
from tests.support import chat, profile_file, serving, tool

RAW = json.loads((Path(__file__).parents[2] / "fixtures/wire/raw_turns.json").read_bytes())
TURNS = [pytest.param(turn, id=turn["name"]) for turn in RAW["exchanges"] if turn["status"] == 200]
WHOLE = [
    pytest.param(turn, id=turn["name"])
    for turn in RAW["exchanges"]
    if turn["status"] == 200 and turn["finish_reason"] == "stop"
]
CALL = RAW["tool_call"]
ENOUGH = 100_000

_TEMPLATE: list[Template] = []


def k3() -> Template:
    """The template over K3's vocabulary, for tests that take no fixture."""
    if not _TEMPLATE:
        _TEMPLATE.append(Template(TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))))
    return _TEMPLATE[0]


def turned(reasoning: str = "", content: str = "", *calls: tuple[str, str], **more: Any) -> Turn:
    reply = written(reasoning=reasoning, content=content, calls=calls)
    return generate(reply, k3(), **{"cap": ENOUGH, **more})


@pytest.mark.parametrize("raw", TURNS)
def test_raw_answers_are_counted_as_captured(raw: dict[str, Any]) -> None:
    """Raw captures of 2026-09: completion = R + C + 16, reasoning = R + 1, R when cut inside."""
    cap = raw["asked"]["max_tokens"]
    turn = turned(raw["reasoning"], raw["content"], cap=cap)
    assert turn.counts.generated == raw["completion_tokens"]
    assert turn.counts.reasoning + turn.counts.closed == raw["reasoning_tokens"]
    assert turn.reply.finish == raw["finish_reason"]
    assert (turn.reply.reasoning, turn.reply.content) == (raw["reasoning"], raw["content"])


@pytest.mark.parametrize("raw", WHOLE)
def test_whole_raw_answers_cost_their_texts_and_sixteen(raw: dict[str, Any]) -> None:
    counts = turned(raw["reasoning"], raw["content"]).counts
    assert counts.generated == counts.reasoning + counts.content + 16
    assert (counts.reasoning, counts.content) == (raw["reasoning_tokens"] - 1, 1)


@pytest.mark.parametrize(("reasoning", "completion"), [(8, 25), (30, 47), (17, 34), (37, 54),
                                                       (28, 45)])  # fmt: skip
def test_published_triples_come_out(reasoning: int, completion: int) -> None:
    """The raw pairs (R, C = 1, completion_tokens)."""
    found = [turn for turn in RAW["exchanges"] if turn.get("completion_tokens") == completion]
    assert found
    for raw in found:
        counts = turned(raw["reasoning"], "hello").counts
        assert (counts.reasoning, counts.content, counts.generated) == (reasoning, 1, completion)


def test_a_longer_raw_answer_is_counted_too() -> None:
    """A raw answer of 2026-07: 180 tokens, 157 of them reasoning, leave 8 for its text."""
    assert turned("", "Hi there! How's it going?").counts.content == 180 - 157 + 1 - 16


def test_the_raw_tool_call_is_counted_as_captured() -> None:
    """Raw answer of 2026-07-17: 85 tokens, 33 of them reasoning."""
    turn = turned(CALL["reasoning"], "", (CALL["tool"], CALL["arguments"]))
    counts = turn.counts
    assert (counts.reasoning, counts.content, counts.tools) == (32, 0, 37)
    assert counts.generated == CALL["completion_tokens"]
    assert counts.reasoning + 1 == CALL["reasoning_tokens"]
    assert turn.reply.finish == CALL["finish_reason"]
    assert [call.id for call in turn.reply.calls] == [CALL["id"]]
    assert turn.reply.calls[0].arguments == CALL["arguments"]


def test_a_cap_of_16_holds_13_tokens_of_reasoning() -> None:
    turn = turned("The user has asked me to reply with exactly one word: hello.", "hello", cap=16)
    assert turn.reply.reasoning == "The user has asked me to reply with exactly one word: hello"
    assert turn.reply.content == ""
    assert (turn.counts.reasoning, turn.counts.generated) == (13, 16)
    assert not turn.counts.closed
    assert turn.reply.finish is FinishReason.LENGTH


def test_a_cap_can_fall_into_the_closing_tokens_so_that_the_text_is_whole() -> None:
    """A raw answer of 2026-09: 64 tokens, `hello` whole, and still `length`."""
    thought = "word " * 47
    whole = turned(thought, "hello")
    cap = whole.counts.generated - 1
    cut = turned(thought, "hello", cap=cap)
    assert cut.reply.content == "hello"
    assert cut.counts.generated == cap
    assert cut.reply.finish is FinishReason.LENGTH
    assert turned(thought, "hello", cap=cap + 1).reply.finish is FinishReason.STOP


def test_64_with_hello_whole_and_finish_length() -> None:
    padding = next(
        text
        for count in range(60)
        if turned(text := "a" + " b" * count, "hello").counts.generated == 65
    )
    turn = turned(padding, "hello", cap=64)
    assert (turn.reply.content, turn.counts.generated) == ("hello", 64)
    assert turn.reply.finish is FinishReason.LENGTH


EVERYTHING = (
    "Think 👩\u200d👩\u200d👧\u200d👦 twice, 再想想。🏳️\u200d🌈",
    'Say 🙂🙂 and "你好" — 𝒳 🇨🇳.',
    ("get_weather", '{"city":"Zürich 🏔️","days":3,"units":["c","f"],"exact":true,"note":null}'),
    ("play", "{}"),
    ("raw", "no JSON 🙂 at all"),
)


def test_every_cap_from_one_up_cuts_cleanly() -> None:
    whole = turned(*EVERYTHING)
    assert whole.reply.finish is FinishReason.TOOL_CALLS
    shown: tuple[str, ...] = ("", "", "")
    for cap in range(1, whole.counts.generated + 2):
        cut = turned(*EVERYTHING, cap=cap)
        assert cut.counts.generated == min(cap, whole.counts.generated)
        done = cap >= whole.counts.generated
        assert cut.reply.finish is (FinishReason.TOOL_CALLS if done else FinishReason.LENGTH)
        before, shown = shown, _texts(cut.reply)
        for earlier, text, full in zip(before, shown, _texts(whole.reply), strict=True):
            assert full.startswith(text)
            assert text.startswith(earlier), "a larger cap never shows less"
            assert "\ufffd" not in text
        spent = cut.counts.reasoning + cut.counts.content + cut.counts.tools
        assert spent <= cut.counts.generated
    assert shown == _texts(whole.reply)


def _texts(reply: Reply) -> tuple[str, ...]:
    calls = "".join(f"[{call.id}]{call.arguments}" for call in reply.calls)
    return reply.reasoning, reply.content, calls


@given(reply=replies(), cap=st.integers(1, 80))
def test_a_cap_is_never_exceeded_and_texts_are_prefixes(reply: Reply, cap: int) -> None:
    whole = generate(reply, k3(), cap=ENOUGH)
    cut = generate(reply, k3(), cap=cap)
    assert cut.counts.generated == min(cap, whole.counts.generated)
    assert sum(event.tokens for event in cut.reply.events) <= cap
    for text, full in zip(_texts(cut.reply), _texts(whole.reply), strict=True):
        assert full.startswith(text)
    limited = cap < whole.counts.generated
    assert (cut.reply.finish is FinishReason.LENGTH) is limited


@given(reply=replies())
def test_nothing_of_a_written_reply_is_lost(reply: Reply) -> None:
    turn = generate(reply, k3(), cap=ENOUGH)
    assert turn.reply.reasoning == reply.reasoning
    assert turn.reply.content == reply.content
    given_calls = [(call.name, call.arguments) for call in reply.calls]
    assert [(call.name, call.arguments) for call in turn.reply.calls] == given_calls
    counts, count = turn.counts, k3().counter.count
    assert (counts.reasoning, counts.content) == (count(reply.reasoning), count(reply.content))
    assert counts.generated == counts.reasoning + counts.content + counts.tools + 16
    assert all(not hasattr(event, "text") or event.text for event in turn.reply.events)


@given(data=st.data())
def test_it_does_not_matter_in_which_pieces_a_reply_was_written(data: st.DataObject) -> None:
    reply = data.draw(replies())
    pieces = data.draw(crumbled(reply))
    assert generate(pieces, k3(), cap=ENOUGH) == generate(reply, k3(), cap=ENOUGH)


@given(text=texts() | any_text())
def test_deltas_are_cut_at_token_borders_and_never_inside_a_character(text: str) -> None:
    found = list(chunks(k3().counter, text))
    assert "".join(piece for piece, _ in found) == text
    assert all(piece for piece, _ in found)
    assert sum(tokens for _, tokens in found) == k3().counter.count(text)


def test_a_character_of_several_tokens_comes_whole_with_its_last_one() -> None:
    found = list(chunks(k3().counter, "🏔"))
    assert len(found) == 1
    assert found[0][1] == k3().counter.count("🏔") > 1


def test_a_plain_answer_has_about_a_token_a_delta() -> None:
    turn = turned("Short thought.", "A short answer.")
    kinds = [type(event) for event in turn.reply.events]
    assert kinds == [ReasoningDelta] * 3 + [ContentDelta] * 4
    assert all(event.tokens == 1 for event in turn.reply.events)


@pytest.mark.parametrize(
    ("stop", "content"),
    [
        pytest.param((), "The cat sat on the mat.", id="none"),
        pytest.param(("cat",), "The ", id="one"),
        pytest.param(("mat", "sat"), "The cat ", id="first-of-several"),
        pytest.param(("the",), "The cat sat on ", id="case-counts"),
        pytest.param(("dog",), "The cat sat on the mat.", id="absent"),
        pytest.param(("",), "The cat sat on the mat.", id="empty-word"),
        pytest.param(("T",), "", id="at-the-start"),
        pytest.param((".",), "The cat sat on the mat", id="at-the-end"),
    ],
)
def test_stop_words_end_the_content_and_are_not_returned(
    stop: tuple[str, ...], content: str
) -> None:
    turn = turned("", "The cat sat on the mat.", stop=stop)
    assert turn.reply.content == content
    assert turn.reply.finish is FinishReason.STOP
    assert turn.counts.content == k3().counter.count(content)


def test_stop_words_do_not_act_on_reasoning() -> None:
    """A raw answer of 2026-09: stop `the`, which stands in its reasoning."""
    turn = turned("The user said the word.", "hello", stop=("the", "hello world"))
    assert (turn.reply.reasoning, turn.reply.content) == ("The user said the word.", "hello")


def test_stop_words_do_not_act_on_arguments() -> None:
    turn = turned("", "", ("f", '{"a":"the end"}'), stop=("the",))
    assert turn.reply.calls[0].arguments == '{"a":"the end"}'
    assert turn.reply.finish is FinishReason.TOOL_CALLS


def test_what_stood_behind_a_stop_word_is_never_said() -> None:
    turn = turned("", "one two", ("f", "{}"), stop=("two",))
    assert (turn.reply.content, turn.reply.calls) == ("one ", ())
    assert turn.reply.finish is FinishReason.STOP


def test_a_stop_word_is_found_across_the_pieces_of_a_text() -> None:
    reply = Reply(events=(ContentDelta("on"), ContentDelta("e tw"), ContentDelta("o")))
    assert generate(reply, k3(), cap=ENOUGH, stop=("e t",)).reply.content == "on"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param("{}", id="empty"),
        pytest.param('{"city":"Paris"}', id="string"),
        pytest.param('{"a":1,"b":[1,2],"c":{"d":null},"e":true,"f":0.5}', id="every-type"),
        pytest.param('{"quote":"say \\"hi\\"\\n\\u0001"}', id="escapes"),
        pytest.param('{"":""}', id="empty-key-and-value"),
        pytest.param('{"键":"值🙂"}', id="other-scripts"),
        pytest.param('{ "city": "Paris" }', id="spaced"),
        pytest.param('{"a":1,"a":2}', id="key-twice"),
        pytest.param('{"a":1.0}', id="float-spelled-out"),
        pytest.param('{"a":"\\u4f60"}', id="escaped-script"),
        pytest.param("[1,2]", id="array"),
        pytest.param('"text"', id="string-alone"),
        pytest.param('{"city": "Par', id="broken"),
        pytest.param("not JSON", id="text"),
        pytest.param("", id="nothing"),
    ],
)
def test_joined_arguments_equal_what_was_written(arguments: str) -> None:
    turn = turned("", "", ("f", arguments))
    assert [call.arguments for call in turn.reply.calls] == [arguments]


def test_arguments_come_in_pieces_of_about_a_token() -> None:
    turn = turned("", "", ("get_weather", '{"city":"New York","days":3}'))
    pieces = [event.text for event in turn.reply.events if isinstance(event, ToolArgumentsDelta)]
    assert pieces == ['{"city":"', "New", " York", '"', ',"days":', "3", "}"]


def test_calls_are_complete_before_the_next_one_starts() -> None:
    turn = turned("", "", ("a", '{"x":"1"}'), ("b", '{"y":"2"}'))
    indexes = [
        event.index
        for event in turn.reply.events
        if isinstance(event, ToolCallStart | ToolArgumentsDelta)
    ]
    assert indexes == sorted(indexes)
    assert set(indexes) == {0, 1}


@pytest.mark.parametrize(
    ("first", "ids"),
    [pytest.param(0, ["a_0", "b_1", "a_2"], id="from-zero"),
     pytest.param(5, ["a_5", "b_6", "a_7"], id="from-five")],
)  # fmt: skip
def test_call_ids_are_name_and_number_counted_over_all_names(first: int, ids: list[str]) -> None:
    """Raw: the first call is `get_weather_0`; a live run shows the count going on over names."""
    turn = turned(
        "",
        "",
        ("a", "{}"),
        ("b", "{}"),
        ("a", "{}"),
        call_id=lambda name, number: f"{name}_{first + number}",
    )
    assert [call.id for call in turn.reply.calls] == ids
    assert [call.index for call in turn.reply.calls] == [0, 1, 2]


@pytest.mark.parametrize(
    ("scope", "call_id"), [("message", "get_weather_0"), ("conversation", "get_weather_1")]
)
def test_a_host_chooses_where_the_number_starts_again(
    scope: str, call_id: str, tmp_path: Path
) -> None:
    """A live run of 18 turns starts again in every message; a stream specification counts on."""
    own = profile_file(
        tmp_path, f"profile: own\nextends: moonshot\nwire:\n  tool_id_scope: {scope}\n"
    )
    called = {"name": "get_weather", "arguments": '{"city":"Rome"}'}
    messages = [
        {"role": "user", "content": "weather in Rome?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "get_weather_0", "type": "function", "function": called}],
        },
        {"role": "tool", "tool_call_id": "get_weather_0", "content": "sunny"},
        {"role": "user", "content": "and in Paris?"},
    ]
    with serving(profile=own) as server:
        answer = chat(server, messages=messages, tools=[tool()], tool_choice="required")
    assert [made["id"] for made in answer.message["tool_calls"]] == [call_id]


def test_an_id_that_was_written_is_kept() -> None:
    reply = Reply(events=(ToolCallStart("a", id="call_own"), ToolCallStart("b", index=1)))
    calls = generate(reply, k3(), cap=ENOUGH).reply.calls
    assert [(call.id, call.arguments) for call in calls] == [("call_own", ""), ("b_1", "")]


def test_calls_of_a_reply_are_numbered_anew() -> None:
    reply = Reply(
        events=(
            ToolCallStart("a", index=4),
            ToolArgumentsDelta('{"x":1}', index=4),
            ToolCallStart("b", index=2),
            ToolArgumentsDelta('{"y":2}', index=2),
        )
    )
    calls = generate(reply, k3(), cap=ENOUGH).reply.calls
    assert [(call.index, call.name, call.arguments) for call in calls] == [
        (0, "a", '{"x":1}'),
        (1, "b", '{"y":2}'),
    ]


def test_arguments_in_several_pieces_are_joined_even_when_calls_are_mixed() -> None:
    reply = Reply(
        events=(
            ToolCallStart("a"),
            ToolCallStart("b", index=1),
            ToolArgumentsDelta('{"x"'),
            ToolArgumentsDelta('{"y"', index=1),
            ToolArgumentsDelta(":1}"),
            ToolArgumentsDelta(":2}", index=1),
        )
    )
    calls = generate(reply, k3(), cap=ENOUGH).reply.calls
    assert [call.arguments for call in calls] == ['{"x":1}', '{"y":2}']


def test_content_is_given_before_calls_whatever_was_written_first() -> None:
    reply = Reply(
        events=(ToolCallStart("f"), ToolArgumentsDelta("{}"), ContentDelta("Let me look."))
    )
    kinds = [type(event) for event in generate(reply, k3(), cap=ENOUGH).reply.events]
    assert kinds[-2:] == [ToolCallStart, ToolArgumentsDelta]


def test_thoughts_that_come_late_are_kept_where_they_stand() -> None:
    reply = Reply(events=(ContentDelta("So"), ReasoningDelta("hm"), ContentDelta(" yes")))
    turn = generate(reply, k3(), cap=ENOUGH)
    assert [type(event) for event in turn.reply.events] == [
        ContentDelta,
        ReasoningDelta,
        ContentDelta,
    ]
    assert (turn.counts.reasoning, turn.counts.content) == (1, 2)


def test_a_continued_answer_opens_no_block() -> None:
    """Partial mode: what remains is the text, the closing of its block and of the message."""
    turn = turned("", "upon a time", partial=True)
    assert turn.counts.stub == 0
    assert turn.counts.closed
    assert turn.counts.generated == turn.counts.content + 3 + 4
    called = turned("", "", ("f", "{}"), partial=True)
    assert called.counts.generated == called.counts.tools + 7


@pytest.mark.parametrize(
    ("cap", "stub", "closed"),
    [(1, 1, False), (2, 2, False), (3, 3, False), (4, 3, True), (16, 3, True)],
)
def test_even_the_smallest_caps_give_a_turn(cap: int, stub: int, *, closed: bool) -> None:
    turn = turned("", "hello", cap=cap)
    assert (turn.counts.stub, turn.counts.closed, turn.counts.generated) == (stub, closed, cap)
    assert turn.reply.finish is FinishReason.LENGTH


def test_a_finish_reason_that_was_written_is_kept_unless_the_cap_comes_first() -> None:
    reply = written(content="hello", finish=FinishReason.CONTENT_FILTER)
    assert generate(reply, k3(), cap=ENOUGH).reply.finish is FinishReason.CONTENT_FILTER
    assert generate(reply, k3(), cap=5).reply.finish is FinishReason.LENGTH


def test_an_empty_reply_costs_its_frame_alone() -> None:
    turn = turned()
    assert turn.reply.events == ()
    assert turn.counts.generated == 16
    assert turn.reply.finish is FinishReason.STOP
