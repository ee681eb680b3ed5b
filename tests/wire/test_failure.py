from __future__ import annotations

import json
from typing import Any

import pytest

from k3mock.protocol.failure import ApiError, mock_error
from k3mock.protocol.policy import ErrorChoices, ErrorEnvelope, Escape, WirePolicy
from k3mock.wire.failure import JSON_TYPE, encode_error, error_bytes

LEAN = ApiError(status=400, message="no <b> & c", type="bad")
FULL = ApiError(status=400, message="no", type="bad", code="c", param="p")
FOUR_KEYS = ("message", "type", "param", "code")


def body(error: ApiError, **policy: Any) -> bytes:
    data, content_type = encode_error(error, WirePolicy(**policy))
    assert content_type == JSON_TYPE == "application/json; charset=utf-8"
    return data


@pytest.mark.parametrize(
    ("error", "policy", "shown"),
    [
        pytest.param(FULL, {}, b'{"error":{"message":"no","type":"bad"}}', id="two-keys"),
        pytest.param(
            FULL,
            {"error_keys": FOUR_KEYS},
            b'{"error":{"message":"no","type":"bad","param":"p","code":"c"}}',
            id="four-keys-in-order",
        ),
        pytest.param(
            ApiError(status=400, message="no", type="bad"),
            {"error_keys": FOUR_KEYS},
            b'{"error":{"message":"no","type":"bad"}}',
            id="keys-without-a-value-are-left-out",
        ),
        pytest.param(
            ApiError(status=400, message="no", type="bad"),
            {"error_keys": FOUR_KEYS, "error_nulls": True},
            b'{"error":{"message":"no","type":"bad","param":null,"code":null}}',
            id="or-shown-as-null",
        ),
        pytest.param(
            ApiError(status=400, message="no", type="bad", code=0, param=""),
            {"error_keys": FOUR_KEYS},
            b'{"error":{"message":"no","type":"bad","param":"","code":0}}',
            id="zero-and-empty-are-values",
        ),
        pytest.param(
            ApiError(status=400, message="no", type="bad", code=400, keys=("code", "message")),
            {"error_keys": FOUR_KEYS},
            b'{"error":{"code":400,"message":"no"}}',
            id="an-errors-own-keys-win",
        ),
        pytest.param(
            LEAN,
            {"html_escape": Escape.ALL},
            rb'{"error":{"message":"no \u003cb\u003e \u0026 c","type":"bad"}}',
            id="escape-all",
        ),
        pytest.param(
            LEAN,
            {"html_escape": Escape.ERRORS},
            rb'{"error":{"message":"no \u003cb\u003e \u0026 c","type":"bad"}}',
            id="escape-errors",
        ),
        pytest.param(
            LEAN,
            {"html_escape": Escape.OFF},
            b'{"error":{"message":"no <b> & c","type":"bad"}}',
            id="escape-off",
        ),
    ],
)
def test_errors_have_the_hosts_keys_and_escapes(
    error: ApiError, policy: dict[str, Any], shown: bytes
) -> None:
    """Raw captures: message and type, no other key, marks escaped."""
    assert body(error, **policy) == shown


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param({}, id="moonshot"),
        pytest.param({"error_keys": ("code", "type"), "error_nulls": True}, id="another-host"),
    ],
)
def test_the_mocks_own_errors_look_the_same_everywhere(policy: dict[str, Any]) -> None:
    error = mock_error("nobody answers")
    assert body(error, **policy) == (
        b'{"error":{"message":"k3mock: nobody answers","type":"k3mock_error"}}'
    )


def test_a_literal_body_replaces_the_envelope() -> None:
    page = "<html>524</html>"
    error = ApiError(status=524, message="m", type="t", body=page)
    assert encode_error(error, WirePolicy()) == (page.encode(), "text/html")
    typed = ApiError(status=524, message="m", type="t", body=page, content_type="text/plain")
    assert encode_error(typed, WirePolicy()) == (page.encode(), "text/plain")


def test_any_message_survives() -> None:
    message = 'Überlänge "x"\n<y> 你好 🙂 \u2028'
    error = ApiError(status=400, message=message, type="t")
    assert json.loads(body(error)) == {"error": {"message": message, "type": "t"}}


ENVELOPES = {
    "moonshot": b'{"error":{"message":"no","type":"bad"}}',
    "openai": b'{"error":{"message":"no","type":"bad","param":"p","code":"c"}}',
    "anthropic": b'{"type":"error","error":{"type":"bad","message":"no"}}',
    "flat": b'{"code":"c","message":"no","data":null}',
    "aggregator": (
        b'{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":'
        b'"{\\"error\\":{\\"message\\":\\"no\\",\\"type\\":\\"bad\\"}}",'
        b'"provider_name":"Moonshot AI"}}}'
    ),
    "vllm": b'{"object":"error","message":"no","type":"bad","param":"p","code":400}',
    "detail": (
        b'{"detail":"bad: Error code: 400 - {\\"object\\":\\"error\\",\\"message\\":\\"no\\",'
        b'\\"type\\":\\"bad\\",\\"param\\":\\"p\\",\\"code\\":400}"}'
    ),
    "string": b'{"error":"no"}',
    "message_only": b'{"message":"no"}',
    "success_false": b'{"success":false,"error":{"code":"BAD","status":400,"message":"no"}}',
}


def test_every_envelope_is_in_the_table() -> None:
    assert set(ENVELOPES) == set(ErrorEnvelope)


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_an_error_has_the_hosts_envelope(envelope: str) -> None:
    assert body(FULL, error_envelope=ErrorEnvelope(envelope)) == ENVELOPES[envelope]


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_the_mocks_own_errors_keep_their_shape_in_every_envelope(envelope: str) -> None:
    error = mock_error("nobody answers")
    policy = {"error_envelope": ErrorEnvelope(envelope), "error_choices": ErrorChoices.NULL}
    assert body(error, bom=True, **policy) == (
        b'{"error":{"message":"k3mock: nobody answers","type":"k3mock_error"}}'
    )


def test_envelopes_say_what_an_error_lacks_in_their_own_way() -> None:
    assert body(LEAN, error_envelope=ErrorEnvelope.OPENAI, html_escape=Escape.OFF) == (
        b'{"error":{"message":"no <b> & c","type":"bad","param":null,"code":null}}'
    )
    assert json.loads(body(LEAN, error_envelope=ErrorEnvelope.FLAT))["code"] == 400
    assert json.loads(body(LEAN, error_envelope=ErrorEnvelope.VLLM))["param"] is None


def test_a_wrapped_body_is_the_one_that_moonshot_sends() -> None:
    keys = {"error_keys": FOUR_KEYS, "error_nulls": True}
    shown = json.loads(body(LEAN, error_envelope=ErrorEnvelope.AGGREGATOR, **keys))
    assert shown["error"]["metadata"]["raw"].encode() == body(LEAN, **keys)


@pytest.mark.parametrize(
    ("choices", "shown"),
    [
        (ErrorChoices.OMIT, b'{"error":"no"}'),
        (ErrorChoices.NULL, b'{"choices":null,"error":"no"}'),
        (ErrorChoices.EMPTY, b'{"choices":[],"error":"no"}'),
    ],
)
def test_an_error_body_may_show_choices(choices: ErrorChoices, shown: bytes) -> None:
    assert body(FULL, error_envelope=ErrorEnvelope.STRING, error_choices=choices) == shown


def test_an_error_body_follows_the_hosts_habits_of_bytes() -> None:
    error = ApiError(status=400, message="é", type="t")
    assert body(error, ascii=True, bom=True) == (
        b'\xef\xbb\xbf{"error":{"message":"\\u00e9","type":"t"}}'
    )


def test_a_literal_body_has_no_envelope_in_a_stream_either() -> None:
    error = ApiError(status=524, message="m", type="t", body="<p>")
    assert error_bytes(error, WirePolicy(bom=True)) == b"<p>"
    assert error_bytes(FULL, WirePolicy(bom=True)) == ENVELOPES["moonshot"]
