"""EvoLink's answers, chunks and errors hold against a schema, and so do the rules for requests."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import jsonschema
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gateways.table import (
    CALL,
    FUNCTION,
    NAMED,
    at,
    called,
    chat_body,
    picture,
    result,
    tools,
    turn,
    without,
)
from tests.properties.test_any_bytes import ODD, drop, places, put
from tests.strategies import chat_requests
from tests.support import call

if TYPE_CHECKING:
    from k3mock.serving import MockServer

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCHEMA: dict[str, Any] = json.loads((FIXTURES / "gateways" / "evolink.schema.json").read_text())


def validator(name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of one of the schemas."""
    schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


REQUEST, RESPONSE, CHUNK, ERROR = (
    validator(name) for name in ("request", "response", "chunk", "error")
)

ANSWERED = [
    pytest.param(chat_body(), id="plain"),
    pytest.param(chat_body(tools=[FUNCTION], tool_choice="required"), id="required"),
    pytest.param(chat_body(tools=[FUNCTION], tool_choice=NAMED), id="named"),
    pytest.param(chat_body(tools=tools(128)), id="128-tools"),
    pytest.param(chat_body(max_completion_tokens=1), id="one-token"),
    pytest.param(chat_body(max_completion_tokens=8), id="eight-tokens"),
    pytest.param(chat_body(max_tokens=300), id="cut-in-the-answer"),
    pytest.param(chat_body(turn("user"), called(), result()), id="tool-round"),
    pytest.param(chat_body(n=3, temperature=2, x_unknown=1), id="unknown-keys"),
    pytest.param(chat_body(turn("user"), turn("assistant", "Once", partial=True)), id="partial"),
]


@pytest.mark.parametrize("sent", ANSWERED)
def test_answers_hold_against_the_schema(sent: dict[str, Any], server: MockServer) -> None:
    """The second time from the cache."""
    for _ in range(2):
        answer = call(server, at("evolink", "schema"), sent)
        assert answer.status == 200
        RESPONSE.validate(answer.json)
        for made in answer.message.get("tool_calls", []):
            assert isinstance(json.loads(made["function"]["arguments"]), dict)


@pytest.mark.parametrize("usage", [False, True], ids=["plain", "usage"])
@pytest.mark.parametrize("sent", ANSWERED)
def test_chunks_hold_against_the_schema(
    sent: dict[str, Any], *, usage: bool, server: MockServer
) -> None:
    options = {"stream_options": {"include_usage": True}} if usage else {}
    answer = call(server, at("evolink", "schema-stream"), {**sent, "stream": True, **options})
    *chunks, done = answer.events
    assert done == "[DONE]"
    for chunk in chunks:
        CHUNK.validate(chunk)
    assert (chunks[-1]["choices"] == []) is usage


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param(b"", 400, id="nothing"),
        pytest.param(b"[]", 400, id="array"),
        pytest.param(without("model"), 400, id="no-model"),
        pytest.param(chat_body(model="gpt-4o"), 400, id="other-model"),
        pytest.param(chat_body(messages=[]), 400, id="no-messages"),
        pytest.param(chat_body(picture("https://example.com/a.png")), 400, id="picture"),
        pytest.param(chat_body(tools=tools(129)), 400, id="129-tools"),
        pytest.param(chat_body(turn("user", None)), 400, id="the-engine-s"),
    ],
)
def test_refusals_hold_against_the_schema(sent: Any, status: int, server: MockServer) -> None:
    answer = call(server, at("evolink", "schema-refused"), sent)
    assert answer.status == status
    ERROR.validate(answer.json)


@pytest.mark.parametrize(
    "fault", ["rate_limited", "quota_exhausted", "server_error", "invalid_key"]
)
def test_named_errors_hold_against_the_schema(fault: str, server: MockServer) -> None:
    answer = call(server, at("evolink", "schema-fault", fault=fault), chat_body())
    assert answer.status in {401, 429, 500}
    ERROR.validate(answer.json)


@pytest.mark.parametrize(
    ("path", "method", "key"),
    [
        pytest.param("/v1/nope", "POST", "sk-test", id="path"),
        pytest.param("/v1/chat/completions", "GET", "sk-test", id="method"),
        pytest.param("/v1/chat/completions", "POST", None, id="key"),
    ],
)
def test_other_refusals_hold_against_the_schema(
    path: str, method: str, key: str | None, server: MockServer
) -> None:
    ERROR.validate(call(server, at("evolink", "schema", path), method=method, key=key).json)


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        pytest.param("error", {"error": {"message": "m", "type": "t"}}, id="no-code"),
        pytest.param("error", {"error": {"message": "m", "type": "t", "code": 5}}, id="number"),
        pytest.param(
            "error", {"error": {"message": "m", "type": "t", "code": None, "param": None}},
            id="param",
        ),
        pytest.param("request", chat_body(reasoning_effort="low"), id="effort"),
        pytest.param("request", chat_body(turn("user", [])), id="parts"),
    ],
)  # fmt: skip
def test_the_schema_itself_refuses(name: str, broken: dict[str, Any]) -> None:
    assert not validator(name).is_valid(broken)


@pytest.mark.parametrize("host", ["moonshot", "devotel", "apiany", "hotrouter"])
def test_answers_of_other_hosts_do_not_hold(host: str, server: MockServer) -> None:
    answer = call(server, at(host, f"schema-{host}"), chat_body())
    assert not RESPONSE.is_valid(answer.json)
    assert not ERROR.is_valid(call(server, at(host, f"schema-{host}"), {}).json)


FULL: dict[str, Any] = {
    **chat_body(
        turn("system", "Be short."),
        turn("user", "hi"),
        turn("assistant", None, reasoning_content="r", tool_calls=[CALL]),
        result(),
    ),
    "tools": [{**FUNCTION, "function": {**FUNCTION["function"], "description": "d",
               "strict": True}}],
    "tool_choice": NAMED,
    "stream": False,
    "stream_options": {"include_usage": True},
    "max_completion_tokens": 4,
    "reasoning_effort": "max",
}  # fmt: skip
CHOSEN = {"message.tool_call_id", "tools.duplicate", "tool_choice.required_without_tools"}
"""Rules of the profile that the schema does not have; the engine's are not among them either."""


def compare(server: MockServer, body: dict[str, Any]) -> None:
    """Assert that the profile's own rules refuse what the schema does not allow, and only that."""
    answer = call(server, at("evolink", "schema-compare"), orjson.dumps(body))
    source = answer.headers["x-k3mock-source"].removeprefix("contract:")
    if REQUEST.is_valid(body):
        assert source == "generator" or source.startswith("engine:") or source in CHOSEN, body
        return
    assert answer.status == 400, body
    assert source not in CHOSEN
    assert not source.startswith("engine:")
    ERROR.validate(answer.json)


@hypothesis.settings(max_examples=400)
@given(place=st.sampled_from(places(FULL)), value=ODD)
def test_a_changed_request_is_refused_when_it_breaks_the_schema(
    server: MockServer, place: tuple[str | int, ...], value: object
) -> None:
    body = copy.deepcopy(FULL)
    put(body, place, value)
    compare(server, body)


@pytest.mark.parametrize("place", places(FULL), ids=lambda place: ".".join(map(str, place)))
def test_a_request_without_something_is_refused_when_it_breaks_the_schema(
    place: tuple[str | int, ...], server: MockServer
) -> None:
    body = copy.deepcopy(FULL)
    drop(body, place)
    compare(server, body)


@given(body=chat_requests())
def test_requests_of_the_engine_are_refused_when_they_break_the_schema(
    server: MockServer, body: dict[str, Any]
) -> None:
    compare(server, body)
