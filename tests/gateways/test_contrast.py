"""The same request at each of the gateways: where their pages contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.gateways.table import (
    FUNCTION,
    GATEWAYS,
    JPEG_URL,
    PNG,
    ask,
    at,
    chat_body,
    check_stream,
    check_whole,
    picture,
    tools,
    turn,
)
from tests.support import CHAT, call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from k3mock.serving import MockServer

ENGINE = "engine:"
DYNAMIC = {"role": "system", "tools": [FUNCTION]}


def contrast(
    name: str, sent: dict[str, Any], *, devotel: str, apiany: str, hotrouter: str, evolink: str
) -> Iterator[ParameterSet]:
    """Yield a row for each gateway: how it is known, and who refuses, if anybody."""
    outcomes = {"devotel": devotel, "apiany": apiany, "hotrouter": hotrouter, "evolink": evolink}
    for gateway, outcome in outcomes.items():
        _mark, _, rule = outcome.partition(" ")
        yield pytest.param(gateway, sent, rule, id=f"{name}-{gateway}-{outcome.replace(' ', '-')}")


def contrasts() -> Iterator[ParameterSet]:
    """A mark alone is an answer, a mark and a rule a refusal."""
    yield from contrast(
        "low-effort", chat_body(reasoning_effort="low"),
        devotel="S", apiany="S", hotrouter="I", evolink="S reasoning_effort.value",
    )  # fmt: skip
    yield from contrast(
        "medium-effort", chat_body(reasoning_effort="medium"),
        devotel="I engine:reasoning_effort.value", apiany="S reasoning_effort.value",
        hotrouter="I", evolink="S reasoning_effort.value",
    )  # fmt: skip
    yield from contrast(
        "hot", chat_body(temperature=2.5),
        devotel="S temperature.range", apiany="S", hotrouter="I", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "wide", chat_body(top_p=1.5),
        devotel="S top_p.range", apiany="S", hotrouter="S top_p.range", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "stop-word", chat_body(stop="END"),
        devotel="S", apiany="I", hotrouter="I types.fields", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "stop-five", chat_body(stop=["q1", "q2", "q3", "q4", "q5"]),
        devotel="S stop.count", apiany="I", hotrouter="S", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "data-url", chat_body(picture(PNG)),
        devotel="S", apiany="S", hotrouter="I", evolink="S message.fields",
    )  # fmt: skip
    yield from contrast(
        "public-url", chat_body(picture(JPEG_URL)),
        devotel="I engine:message.media_url", apiany="S message.media_url",
        hotrouter="I engine:message.media_url", evolink="S message.fields",
    )  # fmt: skip
    yield from contrast(
        "129-tools", chat_body(tools=tools(129)),
        devotel="I engine:tools.count", apiany="I engine:tools.count", hotrouter="I",
        evolink="S tools.count",
    )  # fmt: skip
    yield from contrast(
        "n-2", chat_body(n=2),
        devotel="I engine:n.fixed", apiany="S n.fixed", hotrouter="I", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "dynamic-tools", chat_body(DYNAMIC, turn("user")),
        devotel="S message.content_null", apiany="S", hotrouter="S message.keys", evolink="I",
    )  # fmt: skip
    yield from contrast(
        "thinking-off", chat_body(thinking={"type": "disabled"}),
        devotel="I engine:thinking.disabled", apiany="S thinking.disabled", hotrouter="I",
        evolink="I",
    )  # fmt: skip
    bare = {"type": "function", "function": {"name": "f"}}
    yield from contrast(
        "no-parameters", chat_body(tools=[bare]),
        devotel="I", apiany="I", hotrouter="I", evolink="S tools.function_keys",
    )  # fmt: skip
    yield from contrast(
        "required", chat_body(tools=[FUNCTION], tool_choice="required"),
        devotel="S", apiany="S", hotrouter="I", evolink="S",
    )  # fmt: skip
    yield from contrast(
        "developer", chat_body(turn("developer")),
        devotel="S message.role", apiany="I engine:message.role", hotrouter="I message.role",
        evolink="S message.role",
    )  # fmt: skip
    yield from contrast(
        "zero-cap", chat_body(max_tokens=0),
        devotel="S max_tokens.range", apiany="I cap.range", hotrouter="I engine:cap.range",
        evolink="I",
    )  # fmt: skip
    yield from contrast(
        "huge-newer-cap", chat_body(max_completion_tokens=2_000_000),
        devotel="I engine:cap.range", apiany="S cap.range", hotrouter="I", evolink="S cap.range",
    )  # fmt: skip
    yield from contrast(
        "two-megabytes", chat_body(turn("user", "a b " * 550_000)),
        devotel="S body.size", apiany="I engine:window.exceeded",
        hotrouter="I engine:window.exceeded", evolink="S engine:window.exceeded",
    )  # fmt: skip


@pytest.mark.parametrize(("gateway", "sent", "rule"), list(contrasts()))
def test_each_gateway_answers_or_refuses_as_its_page_says(
    gateway: str, sent: dict[str, Any], rule: str, server: MockServer
) -> None:
    answer = ask(server, gateway, "contrast", sent)
    if not rule:
        check_whole(answer)
        assert len(answer.json["choices"]) == 1
        return
    assert answer.headers["x-k3mock-source"] == f"contract:{rule}", answer.body
    assert answer.status == (413 if rule == "body.size" else 400)
    assert answer.error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("options", "with_usage"),
    [
        pytest.param({}, {"devotel", "apiany"}, id="S-silent"),
        pytest.param({"include_usage": False}, {"devotel"}, id="S-declined"),
        pytest.param({"include_usage": True}, set(GATEWAYS), id="S-wished"),
    ],
)
@pytest.mark.parametrize("gateway", GATEWAYS)
def test_each_gateway_has_its_own_mind_on_usage_in_streams(
    gateway: str, options: dict[str, Any], with_usage: set[str], server: MockServer
) -> None:
    sent = chat_body(stream=True, **({"stream_options": options} if options else {}))
    streamed = check_stream(gateway, ask(server, gateway, "contrast-usage", sent))
    assert (streamed.usage is not None) is (gateway in with_usage)


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_path_and_method_come_before_the_key(gateway: str, server: MockServer) -> None:
    """[I] What is not served is said so to everybody, what is served only with a key."""
    for method, path, status in (
        ("POST", "/v1/embeddings", 404),
        ("GET", "/v1/nope", 404),
        ("GET", CHAT, 405),
        ("POST", "/v1/models", 405),
        ("GET", "/v1/models", 401),
        ("POST", CHAT, 401),
    ):
        answer = call(server, at(gateway, "keyless", path), method=method, key=None)
        assert (answer.status, method, path) == (status, method, path)


@pytest.mark.parametrize("gateway", ["hotrouter", "evolink"])
def test_where_thinking_is_not_turned_off_it_goes_on(gateway: str, server: MockServer) -> None:
    """[I] The object changes nothing."""
    first, second = (
        ask(server, gateway, f"contrast-on-{number}", sent).json["usage"]["completion_tokens"]
        for number, sent in enumerate((chat_body(), chat_body(thinking={"type": "disabled"})))
    )
    assert min(first, second) > 120


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_no_gateway_has_another_s_habits(gateway: str, server: MockServer) -> None:
    """[S] Keys of errors, of usage and of messages, each only where its page has them."""
    repeated = [ask(server, gateway, f"habits-{gateway}", chat_body()).body for _ in range(2)][1]
    assert (b"reasoning" in repeated) is (gateway != "hotrouter")
    assert (b"cache_" in repeated) is (gateway == "devotel")
    assert (b"prompt_tokens_details" in repeated) is (gateway != "hotrouter")
    assert b'"cached_tokens":0' not in repeated
    refusal = ask(server, gateway, f"habits-{gateway}", chat_body(messages=[])).error
    assert ("param" in refusal) is (gateway != "evolink")
    assert set(refusal) - {"param"} == {"message", "type", "code"}


def test_the_same_request_has_the_same_words_everywhere(server: MockServer) -> None:
    """[I] One engine behind all of them; the numbers are each host's own reading."""
    answers = {name: ask(server, name, f"words-{name}", chat_body()) for name in GATEWAYS}
    assert len({answer.message["content"] for answer in answers.values()}) == 1
    prompts = {name: answer.json["usage"]["prompt_tokens"] for name, answer in answers.items()}
    assert prompts == {"apiany": 86, "devotel": 89, "evolink": 86, "hotrouter": 86}
