from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.chinese import CHINESE
from k3mock.generator.english import ENGLISH
from k3mock.generator.reading import SEEN_CHARS, keywords, read, shortened, spoken, topics
from k3mock.protocol.request import MediaPart, Message, TextPart, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.language import Language
    from k3mock.protocol.request import ChatRequest
    from k3mock.text.counter import TokenCounter


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["Hello there"], ENGLISH),
        (["你好"], CHINESE),
        (["用 Python 写一个 quicksort 函数"], CHINESE),
        (["Translate 你好 into English"], ENGLISH),
        (["看看这段代码：```\nfor x in range(10): print(x, y, z)\n```"], CHINESE),
        (["看 https://example.org/a-long-path-of-many-words"], CHINESE),
        (["42", "请用中文回答"], CHINESE),
        (["42", ""], ENGLISH),
    ],
)
def test_the_language_is_chosen_by_script(texts: list[str], language: Language) -> None:
    assert spoken(*texts) is language


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
