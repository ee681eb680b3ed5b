from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.reasoning import LIMITS
from k3mock.generator.source import GeneratorSource
from k3mock.protocol.request import (
    ChatRequest,
    ChoiceMode,
    MediaPart,
    Message,
    OtherPart,
    ResponseFormat,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
)
from k3mock.seed import Seed
from k3mock.state import Session
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.reply import Reply

COUNTER = TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))
SOURCE = GeneratorSource(Seed(value=3), COUNTER)
SESSION = Session("test")
WEATHER = Tool(
    name="get_weather",
    description="Get the weather of a city",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
    declared={},
)
JSON_OBJECT = ResponseFormat(kind="json_object")


def answer(request: ChatRequest) -> Reply:
    return SOURCE.reply(request)


def partial(text: str) -> Message:
    return Message(position=1, role="assistant", parts=(TextPart(text),), partial=True)


TEXTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "Weather in Paris", "say hi", "", "Reply with one word: x", "列出三条建议", "2*3",
            "JSON with keys a and b", "3 bullet points", "\ud800 odd", "{" * 50, "five words",
            '{"a": [1,', "```json\n{", "x" * 7_000,
        ]
    ),
)  # fmt: skip
PARTS = st.one_of(
    st.builds(TextPart, TEXTS),
    st.builds(MediaPart, st.sampled_from(["image", "video", "odd"]), st.sampled_from(["", "x"])),
    st.builds(OtherPart, st.text(max_size=3)),
)
SCHEMAS: st.SearchStrategy[JSONObject] = st.sampled_from(
    [
        {},
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        {"type": "string"},
        {"$ref": "#"},
        {"type": "array", "items": {"type": "integer"}, "minItems": 10**9},
        {"type": 5, "properties": [], "required": {}},
        {"type": "object", "properties": {"n": {"type": "integer", "minimum": 5}}},
    ]
)
TOOLS = st.builds(
    lambda name, about, schema: Tool(
        name=name, description=about, parameters=schema, declared={}
    ),
    st.text(max_size=8), TEXTS, SCHEMAS,
)  # fmt: skip
CALLS = st.builds(
    lambda name, given: ToolCall(id="a", name=name, arguments=given),
    st.text(max_size=4), st.sampled_from(["{}", "{", "", '{"city":"Paris"}']),
)  # fmt: skip
MESSAGES = st.lists(
    st.builds(
        Message,
        position=st.just(0),
        role=st.sampled_from(["user", "assistant", "system", "tool", "odd"]),
        parts=st.lists(PARTS, max_size=3).map(tuple),
        partial=st.booleans(),
        tool_calls=st.lists(CALLS, max_size=2).map(tuple),
        tool_call_id=st.sampled_from([None, "a", "b"]),
        tools=st.lists(TOOLS, max_size=1).map(tuple),
    ),
    max_size=4,
)
REQUESTS = st.builds(
    ChatRequest,
    body=st.just({}),
    digest=st.binary(max_size=4),
    model=st.just("kimi-k3"),
    messages=MESSAGES.map(tuple),
    tools=st.lists(TOOLS, max_size=2).map(tuple),
    tool_choice=st.builds(
        ToolChoice, mode=st.sampled_from(ChoiceMode), name=st.one_of(st.none(), st.text(max_size=2))
    ),
    response_format=st.builds(
        ResponseFormat,
        kind=st.sampled_from(["text", "json_object", "json_schema", "odd"]),
        schema=st.one_of(st.none(), SCHEMAS),
    ),
    effort=st.sampled_from(["low", "high", "max", "odd"]),
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(REQUESTS)
def test_any_request_gets_an_answer_that_keeps_the_rules(request: ChatRequest) -> None:
    reply = SOURCE.reply(request)
    least, most = LIMITS.get(request.effort, LIMITS["max"])
    assert SOURCE.reply(request) == reply
    if request.partial is None:
        assert least <= COUNTER.count(reply.reasoning) <= most
        assert reply.content or reply.calls
    else:
        assert reply.reasoning == ""
    mode = request.tool_choice.mode
    if mode is ChoiceMode.NONE or not request.offered_tools:
        assert not reply.calls
    if mode is ChoiceMode.REQUIRED and request.offered_tools:
        assert reply.calls
    for call in reply.calls:
        assert isinstance(orjson.loads(call.arguments), dict)
        assert orjson.dumps(orjson.loads(call.arguments)).decode() == call.arguments
    if request.response_format.kind != "text" and request.partial is None and not reply.calls:
        orjson.loads(reply.content)


def test_the_seed_decides(chat: Callable[..., ChatRequest]) -> None:
    request = chat("Tell me about tea")
    assert answer(request) == GeneratorSource(Seed(value=3), COUNTER).reply(request)
    assert answer(request) != GeneratorSource(Seed(value=4), COUNTER).reply(request)


def test_answers_do_not_depend_on_earlier_ones(chat: Callable[..., ChatRequest]) -> None:
    requests = [chat(text) for text in ("List 5 names", "列出五个名字", "Tell me about tea")]
    forward = [answer(request) for request in requests]
    backward = [answer(request) for request in reversed(requests)]
    assert forward == backward[::-1]


def test_a_prompt_of_two_megabytes_is_answered(chat: Callable[..., ChatRequest]) -> None:
    reply = answer(chat("word " * 400_000 + "Reply with exactly one word: hello.", effort="low"))
    assert reply.content == "hello"


def test_a_fitting_tool_is_called_without_content(chat: Callable[..., ChatRequest]) -> None:
    reply = answer(chat("What's the weather in Izmir?", tools=(WEATHER,), effort="low"))
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("get_weather", '{"city":"Izmir"}')
    ]
    assert reply.content == ""
    assert "get_weather" in reply.reasoning


def test_a_tool_without_arguments_is_thought_about(chat: Callable[..., ChatRequest]) -> None:
    ping = Tool(name="ping", description="", parameters={"type": "object"}, declared={})
    choice = ToolChoice(mode=ChoiceMode.REQUIRED)
    reply = answer(chat("Ping it", tools=(ping,), tool_choice=choice))
    assert reply.calls[0].arguments == "{}"


def test_a_result_is_used(chat: Callable[..., ChatRequest]) -> None:
    call = ToolCall(id="a", name="get_weather", arguments='{"city":"Izmir"}')
    request = chat(
        "Weather in Izmir?",
        Message(position=1, role="assistant", tool_calls=(call,)),
        Message(position=2, role="tool", parts=(TextPart('{"temp": 31}'),), tool_call_id="a"),
        tools=(WEATHER,),
    )
    reply = answer(request)
    assert reply.calls == ()
    assert "31" in reply.content
    assert "get_weather" in reply.reasoning


def test_json_object_after_a_result_holds_it(chat: Callable[..., ChatRequest]) -> None:
    request = chat("Weather?", ("tool", '{"temp": 31}'), response_format=JSON_OBJECT)
    assert orjson.loads(answer(request).content) == {"the tool": "temp is 31"}
    keyed = chat("JSON with the key temp", ("tool", "It is 31"), response_format=JSON_OBJECT)
    assert list(orjson.loads(answer(keyed).content)) == ["temp"]


def test_a_schema_after_a_result_is_filled_from_it(chat: Callable[..., ChatRequest]) -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["city", "count"],
    }
    form = ResponseFormat(kind="json_schema", schema=schema)
    request = chat("How many?", ("tool", "There are 12 in Oslo"), response_format=form)
    assert orjson.loads(answer(request).content) == {"city": "Oslo", "count": 12}


def test_a_schema_is_kept(chat: Callable[..., ChatRequest]) -> None:
    schema: JSONObject = {
        "type": "object",
        "properties": {"age": {"type": "integer", "minimum": 3}, "tags": {"type": "array"}},
        "required": ["age", "tags"],
        "additionalProperties": False,
    }
    form = ResponseFormat(kind="json_schema", schema=schema)
    content = answer(chat("A person", response_format=form)).content
    jsonschema.validate(orjson.loads(content), schema)
    assert orjson.dumps(orjson.loads(content)).decode() == content


@pytest.mark.parametrize("beginning", ["{", '{"city": "Rome"', '{"ci', '{\n  "city":'])
def test_a_partial_schema_is_finished(beginning: str, chat: Callable[..., ChatRequest]) -> None:
    schema = WEATHER.parameters
    form = ResponseFormat(kind="json_schema", schema=schema)
    reply = answer(chat("Which city?", partial(beginning), response_format=form))
    jsonschema.validate(orjson.loads(beginning + reply.content), schema)
    assert reply.reasoning == ""


def test_partial_json_is_finished_with_the_keys_that_are_asked_for(
    chat: Callable[..., ChatRequest],
) -> None:
    reply = answer(chat("JSON with keys city and age", partial('{"city":"Rome"')))
    assert list(orjson.loads('{"city":"Rome"' + reply.content)) == ["city", "age"]
    plain = answer(chat("Go on", partial('{"city":"Rome"'))).content
    assert plain == "}"


def test_a_partial_that_is_no_json_is_followed_by_json_if_that_is_demanded(
    chat: Callable[..., ChatRequest],
) -> None:
    request = chat("JSON with keys a and b", partial("Sure: "), response_format=JSON_OBJECT)
    orjson.loads(answer(request).content)


def test_an_empty_partial_is_a_whole_answer(chat: Callable[..., ChatRequest]) -> None:
    reply = answer(chat("Say hello", partial("")))
    assert reply.content == "hello"
    assert reply.reasoning == ""


def test_a_partial_sentence_goes_on(chat: Callable[..., ChatRequest]) -> None:
    reply = answer(chat("Tell me about kings", partial("The king is")))
    assert reply.content.startswith(" ")
    assert 20 <= COUNTER.count(reply.content) <= 150


def test_warming_makes_everything_ready(chat: Callable[..., ChatRequest]) -> None:
    source = GeneratorSource(Seed(value=3), COUNTER)
    source.warm()
    assert source.reply(chat("List 3 names")) == SOURCE.reply(chat("List 3 names"))


def test_what_was_looked_up_before_is_answered_from_memory(
    chat: Callable[..., ChatRequest],
) -> None:
    call = ToolCall(id="a", name="get_weather", arguments='{"city":"Izmir"}')
    reply = answer(
        chat(
            "Weather in Izmir?",
            Message(position=1, role="assistant", tool_calls=(call,)),
            Message(position=2, role="tool", parts=(TextPart('{"temp": 31}'),), tool_call_id="a"),
            ("assistant", "31"),
            "Weather in Izmir?",
            tools=(WEATHER,),
        )
    )
    assert reply.calls == ()
    assert "31" in reply.content


def test_an_image_that_a_tool_returned_is_reported(chat: Callable[..., ChatRequest]) -> None:
    image = MediaPart("image", "https://example.org/a.png")
    reply = answer(chat("Draw", Message(position=1, role="tool", parts=(image,))))
    assert "an image (PNG)" in reply.content


def test_names_are_the_same_whatever_the_hash_seed() -> None:
    code = (
        "from tests.project.gallery import answers; "
        "print([reply.content for _, reply in answers()[10:13]])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(__file__).parents[2])},
        ).stdout
        for seed in range(3)
    }  # fmt: skip
    assert len(outputs) == 1
