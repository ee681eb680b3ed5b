"""The official SDK at each of the five profiles, unchanged but for its base URL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import openai
import pytest

from tests.gateways.table import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    from k3mock.serving import MockServer

WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
HELLO: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Tell me about bees."}]
ASK: list[ChatCompletionMessageParam] = [
    {"role": "user", "content": "What is the weather in Izmir right now?"}
]


@pytest.fixture
def connect(server: MockServer) -> Iterator[Callable[..., openai.OpenAI]]:
    """Return a maker of clients; more options go into the base URL."""
    made: list[openai.OpenAI] = []

    def client(profile: str, session: str, **options: str) -> openai.OpenAI:
        chosen = {"profile": profile, "session": f"sdk-{profile}-{session}", **options}
        text = ";".join(f"{name}={value}" for name, value in chosen.items())
        base_url = f"{server.address}/with/{text}/v1"
        made.append(openai.OpenAI(base_url=base_url, api_key="sk-any", max_retries=0, timeout=30))
        return made[-1]

    yield client
    for used in made:
        used.close()


def reasoning(holder: Any) -> str:
    return str(getattr(holder, "reasoning_content", None) or "")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_plain_call_gives_answer_and_usage(
    profile: str, connect: Callable[..., openai.OpenAI]
) -> None:
    client = connect(profile, "plain")
    answer = client.chat.completions.create(model="kimi-k3", messages=HELLO)
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert bool(reasoning(answer.choices[0].message)) is (profile != "hotrouter")
    usage = answer.usage
    assert usage is not None
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert (usage.completion_tokens_details is None) is (profile == "hotrouter")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_stream_with_usage_says_the_same_as_the_whole(
    profile: str, connect: Callable[..., openai.OpenAI]
) -> None:
    client = connect(profile, "stream")
    *chunks, last = client.chat.completions.create(
        model="kimi-k3", messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    assert last.choices == []
    assert last.usage is not None
    assert all(chunk.usage is None for chunk in chunks)
    whole = client.chat.completions.create(model="kimi-k3", messages=HELLO)
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert "".join(map(reasoning, deltas)) == reasoning(whole.choices[0].message)
    assert whole.usage is not None
    assert last.usage.completion_tokens == whole.usage.completion_tokens
    assert chunks[-1].choices[0].finish_reason == "stop"


@pytest.mark.parametrize("sparse", [True, False], ids=["without-nulls", "with-nulls"])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_tool_round_ends_with_an_answer(
    profile: str, *, sparse: bool, connect: Callable[..., openai.OpenAI]
) -> None:
    """The message goes back as the SDK has it; its fields that are null stay harmless."""
    client = connect(profile, f"tools-{sparse}")
    messages = list(ASK)
    first = client.chat.completions.create(
        model="kimi-k3", messages=messages, tools=[WEATHER], tool_choice="auto"
    )
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.tool_calls
    call: Any = choice.message.tool_calls[0]
    assert call.type == "function"
    assert json.loads(call.function.arguments) == {"city": "Izmir"}
    replayed: Any = choice.message.model_dump(exclude_none=sparse)
    result: Any = {
        "role": "tool",
        "tool_call_id": call.id,
        "content": '{"temperature": 31, "sky": "clear"}',
    }
    messages += [replayed, result]
    second = client.chat.completions.create(model="kimi-k3", messages=messages, tools=[WEATHER])
    assert second.choices[0].finish_reason == "stop"
    assert "31" in (second.choices[0].message.content or "")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_streamed_call_joins_to_arguments(
    profile: str, connect: Callable[..., openai.OpenAI]
) -> None:
    client = connect(profile, "fragments")
    name, arguments = "", ""
    for chunk in client.chat.completions.create(
        model="kimi-k3", messages=ASK, tools=[WEATHER], tool_choice="required", stream=True
    ):
        for call in chunk.choices[0].delta.tool_calls or [] if chunk.choices else []:
            assert call.function is not None
            name += call.function.name or ""
            arguments += call.function.arguments or ""
    assert name == "get_weather"
    assert json.loads(arguments) == {"city": "Izmir"}


TEXTS = {
    "moonshot": ("Invalid request: messages must not be empty", None, None),
    "devotel": ("Invalid value for 'messages': expected at least one message.", "invalid_value",
                "messages"),
    "apiany": ("messages must contain at least one message", "invalid_value", "messages"),
    "hotrouter": ("messages must not be empty", "invalid_value", "messages"),
    "evolink": ("messages must have at least 1 item", "invalid_parameter", None),
}  # fmt: skip


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_refusal_is_a_bad_request_with_the_host_s_words(
    profile: str, *, stream: bool, connect: Callable[..., openai.OpenAI]
) -> None:
    client: Any = connect(profile, "refused")
    message, code, param = TEXTS[profile]
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="kimi-k3", messages=[], stream=stream)
    error = caught.value
    body: Any = error.body
    assert (body["message"], error.code, error.param) == (message, code, param)
    assert error.type == "invalid_request_error"
    has_id = {"apiany": "x-request-id"}.get(profile)
    assert (error.request_id is not None) is (has_id is not None)


@pytest.mark.parametrize(
    ("profile", "kind", "status"),
    [
        ("moonshot", openai.NotFoundError, 404),
        ("devotel", openai.NotFoundError, 404),
        ("apiany", openai.NotFoundError, 404),
        ("hotrouter", openai.BadRequestError, 400),
        ("evolink", openai.BadRequestError, 400),
    ],
)
def test_an_unknown_model_is_the_host_s_kind_of_error(
    profile: str,
    kind: type[openai.APIStatusError],
    status: int,
    connect: Callable[..., openai.OpenAI],
) -> None:
    with pytest.raises(kind) as caught:
        connect(profile, "model").chat.completions.create(model="gpt-4o", messages=HELLO)
    assert caught.value.status_code == status


@pytest.mark.parametrize(
    ("profile", "fault", "kind", "status"),
    [
        ("devotel", "rate_limited", openai.RateLimitError, 429),
        ("devotel", "quota_exhausted", openai.APIStatusError, 402),
        ("devotel", "bad_gateway", openai.InternalServerError, 502),
        ("devotel", "request_too_large", openai.APIStatusError, 413),
        ("apiany", "quota_exhausted", openai.APIStatusError, 402),
        ("apiany", "rate_limited", openai.RateLimitError, 429),
        ("apiany", "forbidden", openai.PermissionDeniedError, 403),
        ("apiany", "gateway_timeout", openai.InternalServerError, 504),
        ("hotrouter", "server_unavailable", openai.InternalServerError, 503),
        ("hotrouter", "invalid_key", openai.AuthenticationError, 401),
        ("evolink", "quota_exhausted", openai.RateLimitError, 429),
        ("evolink", "server_error", openai.InternalServerError, 500),
    ],
)
def test_a_named_error_is_the_sdk_s_class_of_its_status(
    profile: str,
    fault: str,
    kind: type[openai.APIStatusError],
    status: int,
    connect: Callable[..., openai.OpenAI],
) -> None:
    with pytest.raises(kind) as caught:
        connect(profile, "named", fault=fault).chat.completions.create(
            model="kimi-k3", messages=HELLO
        )
    assert type(caught.value) is kind
    assert caught.value.status_code == status


@pytest.mark.parametrize("profile", PROFILES)
def test_a_missing_key_is_an_authentication_error(
    profile: str, connect: Callable[..., openai.OpenAI]
) -> None:
    with pytest.raises(openai.AuthenticationError):
        connect(profile, "keyless").chat.completions.create(
            model="kimi-k3", messages=HELLO, extra_headers={"Authorization": "Bearer"}
        )


@pytest.mark.parametrize("profile", PROFILES)
def test_the_list_of_models_is_read(profile: str, connect: Callable[..., openai.OpenAI]) -> None:
    client = connect(profile, "models")
    assert [model.id for model in client.models.list().data] == ["kimi-k3"]
    assert client.models.retrieve("kimi-k3").object == "model"
