"""Whatever arrives at a gateway, it answers or refuses in its own form, never with a 5xx."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import hypothesis
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.contract.load import load_profile
from tests.contract.black_box import JSON_TYPE
from tests.gateways.table import (
    BODY_KEYS,
    CALL,
    FUNCTION,
    GATEWAYS,
    at,
    chat_body,
    check_headers,
    check_stream,
    result,
    turn,
)
from tests.properties.test_any_bytes import ODD, drop, places, put
from tests.strategies import chat_requests, json_values
from tests.support import Answer, call

if TYPE_CHECKING:
    from k3mock.serving import MockServer

ERROR_KEYS = {name: list(load_profile(name).wire.error_keys) for name in GATEWAYS}
FULL: dict[str, Any] = {
    **chat_body(
        turn("system", "Be short."),
        turn("user", "hi"),
        turn("assistant", "", reasoning_content="r", tool_calls=[CALL]),
        result(),
    ),
    "tools": [FUNCTION],
    "tool_choice": "auto",
    "response_format": {"type": "text"},
    "stream": True,
    "stream_options": {"include_usage": True},
    "max_completion_tokens": 40,
    "max_tokens": 40,
    "stop": ["zebra"],
    "reasoning_effort": "max",
    "reasoning": {"effort": "max"},
    "thinking": {"type": "enabled"},
    "temperature": 1,
    "top_p": 0.95,
    "n": 1,
    "user": "u1",
}
PLACES = places(FULL)


def answered(server: MockServer, gateway: str, body: bytes, **options: str) -> Answer:
    """Send bytes, and assert that what comes back is an answer or an error of the gateway's."""
    answer = call(server, at(gateway, f"any-{gateway}", **options), body)
    check_headers(gateway, answer)
    if answer.status != 200:
        assert answer.status in {400, 404, 413}, answer.body
        assert answer.headers["content-type"] == JSON_TYPE
        assert list(answer.json) == ["error"]
        assert list(answer.error) == ERROR_KEYS[gateway]
        assert answer.error["message"]
        assert answer.error["type"] in {"invalid_request_error", "not_found_error"}
        assert answer.headers["x-k3mock-source"].startswith("contract:")
    elif answer.headers["content-type"] == "text/event-stream":
        check_stream(gateway, answer)
    else:
        assert answer.headers["content-type"] == JSON_TYPE
        assert list(answer.json) == BODY_KEYS
    return answer


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_the_request_to_be_changed_is_a_good_one(gateway: str, server: MockServer) -> None:
    assert answered(server, gateway, json.dumps(FULL).encode()).status == 200


@pytest.mark.parametrize("gateway", GATEWAYS)
@given(body=st.binary(max_size=200))
def test_any_bytes_are_refused(gateway: str, server: MockServer, body: bytes) -> None:
    assert answered(server, gateway, body).status == 400


@pytest.mark.parametrize("gateway", GATEWAYS)
@given(value=json_values())
@hypothesis.example(value=None)
@hypothesis.example(value=[])
@hypothesis.example(value={})
def test_any_json_is_refused(gateway: str, server: MockServer, value: object) -> None:
    assert answered(server, gateway, orjson.dumps(value)).status == 400


@pytest.mark.parametrize("gateway", GATEWAYS)
@hypothesis.settings(max_examples=150)
@given(place=st.sampled_from(PLACES), value=ODD)
def test_any_value_at_any_place_is_answered(
    gateway: str, server: MockServer, place: tuple[str | int, ...], value: object
) -> None:
    body = copy.deepcopy(FULL)
    put(body, place, value)
    answered(server, gateway, orjson.dumps(body))


@pytest.mark.parametrize("gateway", GATEWAYS)
@given(body=chat_requests(), data=st.data(), stream=st.booleans(), lenient=st.booleans())
def test_several_changes_at_once_are_answered(
    gateway: str,
    server: MockServer,
    body: dict[str, Any],
    data: st.DataObject,
    *,
    stream: bool,
    lenient: bool,
) -> None:
    body = {**copy.deepcopy(body), "stream": stream}
    for _ in range(data.draw(st.integers(0, 4))):
        there = places(body)
        if not there:
            return
        place = data.draw(st.sampled_from(there))
        if data.draw(st.booleans()):
            put(body, place, data.draw(ODD))
        else:
            drop(body, place)
    options = {"contract": "off"} if lenient else {}
    answer = call(server, at(gateway, f"any-{gateway}", **options), orjson.dumps(body))
    if not lenient:
        answered(server, gateway, orjson.dumps(body))
    assert answer.status < 500


@pytest.mark.parametrize("gateway", GATEWAYS)
@given(at_byte=st.integers(0, 2000), junk=st.binary(max_size=4), length=st.integers(0, 20))
def test_a_request_that_was_damaged_on_the_way_is_answered(
    gateway: str, server: MockServer, at_byte: int, junk: bytes, length: int
) -> None:
    whole = json.dumps(FULL, ensure_ascii=False).encode()
    at_byte %= len(whole)
    answered(server, gateway, whole[:at_byte] + junk + whole[at_byte + length :])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[" * 100_000, id="deep-array"),
        pytest.param(b'{"a":' * 50_000, id="deep-object"),
        pytest.param(b"\xef\xbb\xbf{}", id="byte-order-mark"),
        pytest.param(b'{"a":NaN}', id="not-a-number"),
        pytest.param(b'{"a":1e999}', id="infinite"),
        pytest.param(b'{"model":"kimi-k3","messages":' + b"[" * 199 + b"]" * 199 + b"}", id="deep"),
        pytest.param(b'{"messages":"\\ud800"}', id="half-a-pair"),
        pytest.param(b'{"model":"kimi-k3","model":"x"}', id="key-twice"),
    ],
)
@pytest.mark.parametrize("gateway", GATEWAYS)
def test_hostile_bodies_are_refused(gateway: str, body: bytes, server: MockServer) -> None:
    assert answered(server, gateway, body).status in {400, 404}
