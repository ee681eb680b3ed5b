from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.reading import SEEN_CHARS, earlier_result, keywords, read, shortened, topics
from k3mock.protocol.request import MediaPart, Message, TextPart, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.protocol.request import ChatRequest
    from k3mock.text.counter import TokenCounter


def test_only_the_ends_of_a_long_text_are_read() -> None:
    short = shortened("a" * 1_000_000 + "b" * 1_000_000)
    assert short == "a" * SEEN_CHARS + "\n" + "b" * SEEN_CHARS
    assert shortened("x\ud800") == "x?"


def test_keywords_are_what_a_text_is_about() -> None:
    assert keywords("Please tell me about Green tea and tea cups", ENGLISH) == (
        "Green",
        "tea",
        "cups",
    )
    assert keywords("Gardening is fun. Roses!", ENGLISH) == ("gardening", "fun", "roses")
    assert keywords("Paris is big", ENGLISH) == ("Paris", "big")
    assert keywords("请介绍一下长城的历史", CHINESE) == ("长城", "历史")
    assert len(keywords(" ".join(f"word{n}" for n in range(50)), ENGLISH)) == 10


def test_neighbours_make_one_topic() -> None:
    assert topics(("green", "tea", "history"), "green tea, history") == ("green tea", "history")


def test_a_request_is_read(chat: Callable[..., ChatRequest], counter: TokenCounter) -> None:
    reading = read(
        chat(
            ("system", "Be kind."),
            Message(
                position=1,
                role="user",
                parts=(TextPart('What is "green tea"? Tell me.'), MediaPart("image", "x")),
            ),
        ),
        counter,
    )
    assert reading.language is ENGLISH
    assert reading.instructions == "Be kind."
    assert reading.quote == "What is 'green tea"
    assert reading.media == (MediaPart("image", "x"),)
    assert reading.turns == 1
    assert reading.results == ()


def test_a_quote_is_short(chat: Callable[..., ChatRequest], counter: TokenCounter) -> None:
    reading = read(chat("word " * 500), counter)
    assert 0 < counter.count(reading.quote) <= 14
    assert read(chat("?!"), counter).quote == ""


def test_words_that_cost_much_are_no_keywords(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    reading = read(chat("zqxj-vkwq-zzxq-jjkq-xqzv tea"), counter)
    assert reading.keywords == ("tea",)


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], ""),
        ([("system", "Only rules")], "Only rules"),
        ([("assistant", "An answer")], "An answer"),
        ([("tool", "A result")], ""),
        ([("user", "Question"), ("assistant", "Answer")], "Question"),
    ],
)
def test_odd_histories_still_have_a_text(
    messages: list[tuple[str, str]],
    text: str,
    chat: Callable[..., ChatRequest],
    counter: TokenCounter,
) -> None:
    assert read(chat(*messages), counter).text == text


def test_results_are_those_that_end_the_history(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    calls = (
        ToolCall(id="a", name="one", arguments="{}"),
        ToolCall(id="b", name="two", arguments=""),
    )
    request = chat(
        ("tool", "old"),
        Message(position=1, role="assistant", tool_calls=calls),
        Message(position=2, role="tool", parts=(TextPart("first"),), tool_call_id="a"),
        Message(position=3, role="tool", parts=(TextPart("second"),), name="named"),
    )
    reading = read(request, counter)
    assert [(result.tool, result.text) for result in reading.results] == [
        ("one", "first"),
        ("named", "second"),
    ]
    assert reading.called == (("one", "{}"), ("two", ""))


def test_a_hundred_results_are_not_all_read(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    assert len(read(chat(*[("tool", "x")] * 100), counter).results) == 8


def test_an_earlier_result_is_found_again(chat: Callable[..., ChatRequest]) -> None:
    call = ToolCall(id="a", name="one", arguments='{"x":1}')
    messages = chat(
        Message(position=0, role="assistant", tool_calls=(call,)),
        Message(position=1, role="tool", parts=(TextPart("found"),), tool_call_id="a"),
        "again",
    ).messages
    found = earlier_result(messages, "one", lambda given: given == '{"x":1}')
    assert found is not None
    assert found.text == "found"
    assert earlier_result(messages, "one", lambda given: given == "") is None
    assert earlier_result(messages, "two", lambda _: True) is None


def test_calls_since_the_last_question_are_counted(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    one, two, three = (ToolCall(id=name, name=name, arguments="{}") for name in "abc")
    reading = read(
        chat(
            Message(position=0, role="assistant", tool_calls=(one,)),
            "question",
            Message(position=2, role="assistant", tool_calls=(two, three)),
            ("tool", "x"),
            Message(position=4, role="assistant", tool_calls=(one,)),
        ),
        counter,
    )
    assert reading.made == ("b", "c", "a")


def test_the_answer_may_be_in_another_language_than_the_request(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    reading = read(chat("Explain tea. Answer in German."), counter)
    assert (reading.heard.code, reading.language.code) == ("en", "de")
    assert reading.topics == ("tea",)
    system = read(chat(("system", "Always answer in French."), "Explain tea."), counter)
    assert (system.heard.code, system.language.code) == ("en", "fr")
