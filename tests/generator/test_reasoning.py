from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.reading import read
from k3mock.generator.reasoning import LIMITS, Decision, thoughts
from k3mock.protocol.request import ChatRequest, Message, TextPart
from k3mock.seed import Seed
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

KIMI = TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))
ESTIMATE = TokenCounter(vocabulary.load("chars"))

TEXTS = st.one_of(
    st.text(max_size=300),
    st.sampled_from(["", "hi", "写一首诗", "🎉" * 400, "x" * 9_000, "ꙮ" * 50, "word " * 2_000]),
)


def _think(text: str, effort: str, seed: int, counter: TokenCounter, decision: Decision) -> str:
    message = Message(position=0, role="user", parts=(TextPart(text),))
    request = ChatRequest(body={}, digest=b"", model="m", messages=(message,))
    chance = Seed(value=seed).chance(b"x")
    return thoughts(read(request, counter), decision, effort, chance=chance, counter=counter)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(TEXTS, st.sampled_from([*LIMITS, "odd"]), st.integers(0, 500), st.booleans())
def test_the_length_is_in_range(text: str, effort: str, seed: int, exact: bool) -> None:
    counter = KIMI if exact else ESTIMATE
    decision = Decision(form=text, tool=text, values=text, tools=text, media=text, result=text)
    least, most = LIMITS.get(effort, LIMITS["max"])
    for each in (Decision(), decision):
        assert least <= counter.count(_think(text, effort, seed, counter, each)) <= most


def test_thoughts_talk_about_the_request() -> None:
    text = _think("Why do cats purr at night?", "max", 1, KIMI, Decision())
    assert "cats" in text
    assert "purr" in text


def test_thoughts_are_in_the_language_of_the_prompt() -> None:
    assert "猫" in _think("猫为什么会打呼噜？", "high", 1, KIMI, Decision())


def test_thoughts_name_the_tool_that_will_be_called() -> None:
    decision = Decision(tool="get_weather", values="{'city':'Rome'}", tools="get_weather")
    assert "get_weather" in _think("Weather in Rome", "low", 2, KIMI, decision)


def test_thoughts_say_that_no_tool_is_needed() -> None:
    found = {
        "tool" in _think("Hi there", "max", seed, KIMI, Decision(tools="a")) for seed in range(9)
    }
    assert True in found


@pytest.mark.parametrize("result", ["31 degrees", ""])
def test_thoughts_use_the_result_of_a_tool(
    result: str, chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    reading = read(chat("Weather?", ("assistant", ""), ("tool", result)), counter)
    decision = Decision(source="get_weather", result=result)
    chance = Seed(value=1).chance(b"x")
    text = thoughts(reading, decision, "high", chance=chance, counter=counter)
    assert "get_weather" in text
    assert result in text
