from __future__ import annotations

import json
from typing import Any

import pytest

from k3mock.protocol.failure import ApiError, mock_error
from k3mock.protocol.policy import Escape, WirePolicy
from k3mock.wire.failure import JSON_TYPE, encode_error

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
