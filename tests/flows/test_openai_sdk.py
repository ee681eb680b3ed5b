"""The official SDK, unchanged but for its base URL, over a real socket."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import openai
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    from k3mock.serving import MockServer

WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
}
HELLO: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Tell me about bees."}]
ASK: list[ChatCompletionMessageParam] = [
    {"role": "user", "content": "What is the weather in Izmir right now?"}
]


@pytest.fixture
def client(server: MockServer, request: pytest.FixtureRequest) -> Iterator[openai.OpenAI]:
    base_url = f"{server.address}/with/session={request.node.name[:60]}/v1"
    with openai.OpenAI(base_url=base_url, api_key="sk-any", max_retries=0, timeout=30) as made:
        yield made


def _reasoning(holder: Any) -> str:
    return str(getattr(holder, "reasoning_content", None) or "")


def test_a_plain_call_gives_reasoning_content_and_usage(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="kimi-k3", messages=HELLO)
    message = answer.choices[0].message
    assert message.role == "assistant"
    assert message.content
    assert _reasoning(message)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.id.startswith("chatcmpl-")
    usage = answer.usage
    assert usage is not None
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert usage.completion_tokens_details is not None
    assert 0 < (usage.completion_tokens_details.reasoning_tokens or 0) < usage.completion_tokens


def test_a_stream_gives_the_same_answer_as_a_whole_body(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="kimi-k3", messages=HELLO)
    reasoning, content, finishes = "", "", []
    with client.chat.completions.create(model="kimi-k3", messages=HELLO, stream=True) as stream:
        for chunk in stream:
            delta = chunk.choices[0].delta
            reasoning += _reasoning(delta)
            content += delta.content or ""
            if chunk.choices[0].finish_reason:
                finishes.append(chunk.choices[0].finish_reason)
    assert content == whole.choices[0].message.content
    assert reasoning == _reasoning(whole.choices[0].message)
    assert finishes == ["stop"]


def test_include_usage_adds_a_chunk_without_choices(client: openai.OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="kimi-k3", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
    )
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens > 0
    assert all(chunk.usage is None for chunk in chunks[:-1])
    finish: Any = chunks[-2].choices[0]
    assert finish.usage["total_tokens"] == chunks[-1].usage.total_tokens


def test_a_tool_round_trip_ends_with_an_answer(client: openai.OpenAI) -> None:
    messages = list(ASK)
    first = client.chat.completions.create(
        model="kimi-k3", messages=messages, tools=[WEATHER], tool_choice="auto"
    )
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == ""
    assert choice.message.tool_calls
    call: Any = choice.message.tool_calls[0]
    assert call.id == "get_weather_0"
    assert json.loads(call.function.arguments)["city"] == "Izmir"
    replayed: Any = choice.message.model_dump(exclude_none=True)
    messages += [
        replayed,
        {"role": "tool", "tool_call_id": call.id, "content": '{"temperature": 31, "sky": "clear"}'},
    ]
    second = client.chat.completions.create(model="kimi-k3", messages=messages, tools=[WEATHER])
    assert second.choices[0].finish_reason == "stop"
    assert "31" in (second.choices[0].message.content or "")
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.prompt_tokens_details is not None
    assert second.usage.prompt_tokens_details.cached_tokens == first.usage.prompt_tokens


def test_streamed_tool_arguments_arrive_in_fragments_that_join(client: openai.OpenAI) -> None:
    starts, fragments = [], []
    for chunk in client.chat.completions.create(
        model="kimi-k3", messages=ASK, tools=[WEATHER], tool_choice="required", stream=True
    ):
        for call in chunk.choices[0].delta.tool_calls or []:
            assert call.index == 0
            assert call.function is not None
            if call.id:
                starts.append((call.id, call.function.name, call.function.arguments))
            else:
                fragments.append(call.function.arguments or "")
    assert starts == [("get_weather_0", "get_weather", "")]
    assert len(fragments) > 2
    assert json.loads("".join(fragments))["city"] == "Izmir"


def test_response_formats_give_valid_json(client: openai.OpenAI) -> None:
    loose = client.chat.completions.create(
        model="kimi-k3",
        messages=[{"role": "user", "content": "Describe a bee as JSON with keys name and legs."}],
        response_format={"type": "json_object"},
    )
    assert {"name", "legs"} <= set(json.loads(loose.choices[0].message.content or ""))
    schema = {
        "type": "object",
        "properties": {"capital": {"type": "boolean"}},
        "required": ["capital"],
        "additionalProperties": False,
    }
    strict = client.chat.completions.create(
        model="kimi-k3",
        messages=[{"role": "user", "content": "Is Ankara a capital? Answer in JSON."}],
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        },
    )
    assert set(json.loads(strict.choices[0].message.content or "")) == {"capital"}


def test_the_raw_response_shows_the_vendors_headers(client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(model="kimi-k3", messages=HELLO)
    assert raw.headers["msh-trace-mode"] == "on"
    assert len(raw.headers["x-msh-trace-id"]) == 32
    assert raw.headers["x-k3mock-source"] == "generator"
    assert raw.parse().choices[0].message.content


def test_a_refusal_is_the_sdks_bad_request_with_the_vendors_text(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="kimi-k3", messages=HELLO, temperature=0.7)
    assert caught.value.body == {
        "message": "invalid temperature: only 1 is allowed for this model",
        "type": "invalid_request_error",
    }
    with pytest.raises(openai.NotFoundError, match="Not found the model gpt-4o or Permission"):
        client.chat.completions.create(model="gpt-4o", messages=HELLO)


def test_a_missing_key_is_the_sdks_authentication_error(server: MockServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key=" ", max_retries=0) as client:
        with pytest.raises(openai.AuthenticationError, match="Invalid Authentication"):
            client.chat.completions.create(
                model="kimi-k3", messages=HELLO, extra_headers={"Authorization": "Bearer"}
            )


def test_a_mock_made_error_is_never_retried(server: MockServer) -> None:
    base_url = f"{server.address}/with/session=never-retried;fault=no_such_fault/v1"
    with openai.OpenAI(base_url=base_url, api_key="sk-any", max_retries=3) as client:
        with pytest.raises(openai.UnprocessableEntityError, match="k3mock: unknown fault"):
            client.chat.completions.create(model="kimi-k3", messages=HELLO)
    assert len(server.app.journal.entries("never-retried")) == 1


def test_models_list_and_record(client: openai.OpenAI) -> None:
    listed: Any = client.models.list().data
    assert [model.id for model in listed] == ["kimi-k3"]
    record: Any = client.models.retrieve("kimi-k3")
    assert record.context_length == 1_048_576
    assert record.think_efforts["valid_efforts"] == ["low", "high", "max"]
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("kimi-k9")


@pytest.mark.anyio
async def test_the_async_client_streams_and_answers(server: MockServer) -> None:
    async with openai.AsyncOpenAI(
        base_url=server.base_url, api_key="sk-any", max_retries=0
    ) as client:
        whole = await client.chat.completions.create(model="kimi-k3", messages=HELLO)
        content = ""
        stream = await client.chat.completions.create(model="kimi-k3", messages=HELLO, stream=True)
        async for chunk in stream:
            content += chunk.choices[0].delta.content or ""
    assert content == whole.choices[0].message.content


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
