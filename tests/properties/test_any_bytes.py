"""Whatever arrives, the server answers as a server does: JSON or a stream, never a 5xx."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import hypothesis
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import chat_requests, json_values, texts
from tests.support import Answer, call, request, sse_events, tool

if TYPE_CHECKING:
    from k3mock.serving import MockServer

SESSION = "/with/session=any-bytes{}/v1/chat/completions"


def answered(server: MockServer, body: bytes, options: str = "") -> Answer:
    answer = call(server, SESSION.format(options), body)
    assert answer.status < 500, answer.body
    assert b"Traceback" not in answer.body
    if answer.headers["content-type"].startswith("text/event-stream"):
        assert answer.status == 200
        assert sse_events(answer.body)[-1] == "[DONE]"
    else:
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        keys = list(answer.json)
        assert keys == ["error"] or keys[0] == "id"
        if answer.status != 200:
            assert answer.error["message"]
            assert answer.error["type"]
    return answer


@given(body=st.binary(max_size=200))
def test_any_bytes_are_answered(server: MockServer, body: bytes) -> None:
    assert answered(server, body).status == 400


@given(value=json_values())
@hypothesis.example(value=None)
@hypothesis.example(value=[])
@hypothesis.example(value={})
@hypothesis.example(value=0)
def test_any_json_is_answered(server: MockServer, value: object) -> None:
    assert answered(server, orjson.dumps(value)).status in {400, 404}


@given(text=texts())
def test_any_text_is_answered(server: MockServer, text: str) -> None:
    answered(server, text.encode())


CALL = {"id": "x", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
FULL: dict[str, Any] = {
    **request(tools=[tool()], tool_choice="auto"),
    "messages": [
        {"role": "system", "content": "Be short."},
        {"role": "system", "tools": [tool("get_time")]},
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {
            "type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]},
        {"role": "assistant", "content": "", "reasoning_content": "r", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "x", "content": "sunny"},
    ],
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "n",
            "strict": True,
            "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
    },
    "stream": True,
    "stream_options": {"include_usage": True},
    "max_completion_tokens": 40,
    "stop": ["zebra"],
    "reasoning_effort": "low",
    "thinking": {"type": "enabled", "keep": "all"},
    "temperature": 1,
    "top_p": 0.95,
    "n": 1,
    "logprobs": False,
}  # fmt: skip


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every value inside a value."""
    found: list[tuple[str | int, ...]] = [path] if path else []
    if isinstance(value, dict):
        for key, child in value.items():
            found += places(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            found += places(child, (*path, index))
    return found


def put(body: dict[str, Any], path: tuple[str | int, ...], value: object) -> None:
    holder: Any = body
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value


def drop(body: dict[str, Any], path: tuple[str | int, ...]) -> None:
    holder: Any = body
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]


PLACES = places(FULL)
_NUMBERS = (0, -1, 1.5, 1e308, 2**63)
_EMPTY: tuple[object, ...] = (None, True, False, "", " ", [], {}, [None], [[]], {"a": 1}, "x" * 300)
ODD = st.sampled_from((*_NUMBERS, *_EMPTY)) | json_values(leaves=4)


def test_the_request_to_be_changed_is_a_good_one(server: MockServer) -> None:
    answer = answered(server, json.dumps(FULL).encode())
    assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")


@pytest.mark.parametrize("mode", ["enforce", "warn", "off"])
@hypothesis.settings(max_examples=90)
@given(place=st.sampled_from(PLACES), value=ODD)
def test_any_value_at_any_place_of_a_request_is_answered(
    server: MockServer, mode: str, place: tuple[str | int, ...], value: object
) -> None:
    body = copy.deepcopy(FULL)
    put(body, place, value)
    answered(server, orjson.dumps(body), f";contract={mode}")


@given(body=chat_requests(), data=st.data(), stream=st.booleans(), lenient=st.booleans())
def test_several_changes_at_once_are_answered(
    server: MockServer, body: dict[str, Any], data: st.DataObject, *, stream: bool, lenient: bool
) -> None:
    body = {**copy.deepcopy(body), "stream": stream}
    for _ in range(data.draw(st.integers(1, 4))):
        there = places(body)
        if not there:
            return
        place = data.draw(st.sampled_from(there))
        if data.draw(st.booleans()):
            put(body, place, data.draw(ODD))
        else:
            drop(body, place)
    answered(server, orjson.dumps(body), ";contract=off" if lenient else "")


@given(at=st.integers(0, 2000), junk=st.binary(max_size=4), length=st.integers(0, 20))
def test_a_request_that_was_damaged_on_the_way_is_answered(
    server: MockServer, at: int, junk: bytes, length: int
) -> None:
    whole = json.dumps(FULL, ensure_ascii=False).encode()
    at %= len(whole)
    answered(server, whole[:at] + junk + whole[at + length :])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[" * 100_000, id="deep-array"),
        pytest.param(b'{"a":' * 50_000, id="deep-object"),
        pytest.param(b'{"model":"kimi-k3","messages":' + b"[" * 199 + b"]" * 199 + b"}", id="deep"),
        pytest.param(b"\xef\xbb\xbf{}", id="byte-order-mark"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="utf-16"),
        pytest.param(b'{"a":NaN}', id="not-a-number"),
        pytest.param(b'{"a":1e999}', id="infinite"),
        pytest.param(b'{"a":' + b"9" * 10_000 + b"}", id="huge-number"),
        pytest.param(b'{"messages":"\\ud800"}', id="half-a-pair"),
        pytest.param(b'{"model":"kimi-k3","messages":[{"role":"user","content":"\\ud83d"}]}',
                     id="half-a-pair-in-a-message"),
        pytest.param(b'{"model":"kimi-k3","model":"x"}', id="key-twice"),
        pytest.param(b"\x00", id="nul"),
        pytest.param(b'{"a":"' + b"a" * 300_000 + b'"}', id="long-text"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["enforce", "off"])
def test_hostile_bodies_are_answered(server: MockServer, body: bytes, mode: str) -> None:
    answered(server, body, f";contract={mode}")


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(" " * 400_000, id="spaces"),
        pytest.param("a" * 400_000, id="one-letter"),
        pytest.param("的" * 200_000, id="one-character"),
        pytest.param("[{" * 150_000, id="brackets"),
        pytest.param("\n" * 200_000, id="lines"),
    ],
)
def test_long_runs_of_one_character_are_answered_in_time(server: MockServer, content: str) -> None:
    body = request(content, max_tokens=5)
    assert answered(server, orjson.dumps(body)).status == 200
