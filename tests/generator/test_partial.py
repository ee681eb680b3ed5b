from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from k3mock.generator.partial import json_rest, prose_rest
from k3mock.generator.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter


@pytest.mark.parametrize(
    "beginning",
    ["{", ' {"a": ', "[1,", '```json\n{"a"', "```\n[", "text\n```json\n", '```json\n{"x":1,'],
)
def test_open_json_is_closed(beginning: str, chance: Chance, hint: Callable[..., Hints]) -> None:
    rest = json_rest(beginning, {"a": 1}, chance, hint("tea"))
    assert rest is not None
    body = (beginning + rest).rpartition("```json\n")[2].removeprefix("```\n")
    orjson.loads(body.removesuffix("\n```"))
    assert rest.endswith("```") is ("```" in beginning)


@pytest.mark.parametrize(
    "beginning", ["Sure", "[Note: this", "```python\n{", "```json", "```json\n{}\n``` and {"]
)
def test_other_texts_are_not_json(
    beginning: str, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert json_rest(beginning, None, chance, hint("tea")) is None


@pytest.mark.parametrize("question", ["Tell me about kings and castles", "介绍一下长城的历史", ""])
@pytest.mark.parametrize(
    "beginning",
    [
        "The point is", "It is the", "Dear Ann,", "Here it is:", "All done.", "All done. ", "So (",
        "Kings", "Line\n", "从前有一座山，", "重点是",
        "这是我的", "如下：", "完成了。", "山", "   ", "—",
    ],
)  # fmt: skip
def test_a_text_goes_on_wherever_it_stops(
    beginning: str,
    question: str,
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> None:
    reading = read(chat(question), counter)
    rest = prose_rest(beginning, reading, hint(question), chance=chance, counter=counter)
    assert 10 <= counter.count(rest) <= 150
    assert not rest.startswith(beginning)
    assert "{" not in rest
    if beginning[-1].isascii() and beginning[-1].isalnum():
        assert rest[0] in " ，以一"


@pytest.mark.parametrize(
    ("beginning", "start"),
    [("```python\n", "def "), ("```python", "\ndef "), ("Look:\n```rust\n", "use ")],
)
def test_open_code_is_closed(
    beginning: str,
    start: str,
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> None:
    reading = read(chat("count words"), counter)
    rest = prose_rest(beginning, reading, hint(""), chance=chance, counter=counter)
    assert rest.startswith(start)
    assert rest.endswith("\n```")
