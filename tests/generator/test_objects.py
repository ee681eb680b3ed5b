from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.objects import compact, keys_of, made_object, schema_text, wanted_schema
from k3mock.generator.reading import read
from k3mock.protocol.request import ResponseFormat

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter


def test_json_is_compact_and_never_fails() -> None:
    assert compact({"a": [1, "é"]}) == '{"a":[1,"é"]}'
    assert compact(10**30) == "{}"


def test_only_a_json_schema_wants_a_schema(chat: Callable[..., ChatRequest]) -> None:
    schema: JSONObject = {"type": "object"}
    wants = ResponseFormat(kind="json_schema", schema=schema)
    assert wanted_schema(chat("x", response_format=wants)) is schema
    other = ResponseFormat(kind="json_object", schema=schema)
    assert wanted_schema(chat("x", response_format=other)) is None


def test_a_schema_becomes_text(chance: Chance, hint: Callable[..., Hints]) -> None:
    assert schema_text({"const": {"a": 1}}, chance, hint("")) == '{"a":1}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("capital of France as JSON with the key capital", {"capital": "Paris"}),
        ("capital of France: keys country, capital", {"country": "France", "capital": "Paris"}),
        ("What is 17*23? JSON with the key answer", {"answer": 391}),
        ("Ann is 37: JSON with keys age", {"age": 37}),
    ],
)
def test_what_is_known_is_filled_in(
    text: str,
    expected: JSONObject,
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> None:
    assert made_object(read(chat(text), counter), chance, hint(text)) == expected


def test_the_system_may_name_the_keys(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> None:
    request = chat(("system", "Answer as JSON with keys one and two"), "Hello")
    assert keys_of(read(request, counter)) == ("one", "two")


@pytest.mark.parametrize("text", ["Tell me about tea", "", "42", "介绍一下茶"])
def test_without_keys_there_is_a_sensible_object(
    text: str,
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> None:
    made = made_object(read(chat(text), counter), chance, hint(text))
    assert len(made) > 3
    assert 20 <= counter.count(compact(made)) <= 150
