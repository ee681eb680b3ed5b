from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.reading import Result, read
from k3mock.generator.results import answer_from, source_name, told
from k3mock.protocol.request import MediaPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("  ", ""),
        ("31 degrees.", "31 degrees"),
        ('"sunny"', "sunny"),
        ("42", "42"),
        ("null", "null"),
        ("{}", "{}"),
        ("...", "..."),
        ('{"temp_c": 31, "sky": "sunny."}', "temp c is 31 and sky is sunny"),
        ('{"a": {"b": true}, "c": [1, null]}', "b is true, c is 1 and c is null"),
        ('["x", "y"]', "x and y"),
        ("[[[[[[[[1]]]]]]]]", "[[[[[[[[1]]]]]]]]"),
        ('{"broken": ', '{"broken":'),
    ],
)
def test_a_result_is_told_in_a_few_words(text: str, said: str, counter: TokenCounter) -> None:
    assert told(Result(tool="t", text=text), ENGLISH, counter, 40) == said


def test_a_big_result_is_told_in_part(counter: TokenCounter) -> None:
    text = "[" + ",".join(f'{{"name": "item {n}"}}' for n in range(500)) + "]"
    said = told(Result(tool="t", text=text), ENGLISH, counter, 20)
    assert said.startswith("name is item 0")
    assert counter.count(said) <= 20


def test_an_unnamed_tool_is_just_the_tool() -> None:
    assert source_name(Result(tool="", text=""), ENGLISH) == "the tool"
    assert source_name(Result(tool="x", text=""), CHINESE) == "x"


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (['{"temp": 31}'], ["31"]),
        (['{"temp": 31}', '{"temp": 12}'], ["31", "12"]),
        (["Error: city not found"], ["city not found"]),
        ([""], ["no data"]),
        (["long text " * 1_000] * 8, ["long text"]),
    ],
)
def test_the_answer_uses_every_result(
    results: list[str],
    words: list[str],
    chat: Callable[..., ChatRequest],
    chance: Chance,
    counter: TokenCounter,
) -> None:
    request = chat("Compare the weather", *[("tool", result) for result in results])
    text = answer_from(read(request, counter), chance, counter)
    assert all(word in text for word in words)
    assert counter.count(text) <= 150


def test_the_answer_is_in_the_language_of_the_question(
    chat: Callable[..., ChatRequest], chance: Chance, counter: TokenCounter
) -> None:
    request = chat("北京天气怎么样？", ("tool", '{"气温": 31}'))
    text = answer_from(read(request, counter), chance, counter)
    assert "气温 是 31" in text


def test_images_in_a_result_are_told(counter: TokenCounter) -> None:
    image = MediaPart("image", "https://example.org/a.png")
    assert told(Result(tool="t", text="", media=(image,)), ENGLISH, counter, 40) == "an image (PNG)"
    both = Result(tool="t", text="A cat.", media=(image, image))
    assert told(both, ENGLISH, counter, 40) == "A cat, 2 images (PNG; PNG)"


@pytest.mark.parametrize("result", ["1", "ok", ""])
def test_a_short_result_still_makes_an_answer(
    result: str, chat: Callable[..., ChatRequest], chance: Chance, counter: TokenCounter
) -> None:
    text = answer_from(read(chat("x", ("tool", result)), counter), chance, counter)
    assert 20 <= counter.count(text) <= 150
