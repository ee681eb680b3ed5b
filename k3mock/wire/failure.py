"""Turns an `ApiError` into the bytes of its body; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.failure import Origin
from k3mock.protocol.policy import Escape
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.policy import WirePolicy

JSON_TYPE = "application/json; charset=utf-8"


def encode_error(error: ApiError, policy: WirePolicy) -> tuple[bytes, str]:
    """Write an error as (body, content type).

    Shape at Moonshot: `{"error":{"message":…,"type":…}}`, these two keys and no other (raw
    captures); mock-made errors have the same shape under every profile.
    """
    if error.body is not None:
        return error.body.encode(), error.content_type or "text/html"
    mock = error.origin is Origin.MOCK
    keys = error.keys or (("message", "type") if mock else policy.error_keys)
    nulls = policy.error_nulls and not mock
    values: dict[str, JSONValue] = {
        "message": error.message,
        "type": error.type,
        "code": error.code,
        "param": error.param,
    }
    shown: JSONObject = {key: values[key] for key in keys if nulls or values.get(key) is not None}
    body = encode({"error": shown}, escape=policy.html_escape is not Escape.OFF)
    return body, JSON_TYPE
