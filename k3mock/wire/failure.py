"""Turns an `ApiError` into the bytes of its body; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.failure import Origin
from k3mock.protocol.policy import ErrorChoices, ErrorEnvelope, Escape
from k3mock.wire.sse import BOM
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    marked = policy.bom and error.origin is not Origin.MOCK
    return (BOM if marked else b"") + error_bytes(error, policy), JSON_TYPE


def error_bytes(error: ApiError, policy: WirePolicy) -> bytes:
    """Write an error as JSON, or as its literal body."""
    if error.body is not None:
        return error.body.encode()
    return _json(error_object(error, policy), policy)


def error_object(error: ApiError, policy: WirePolicy) -> JSONObject:
    """Return an error in the host's envelope."""
    if error.origin is Origin.MOCK:
        coded: JSONObject = {} if error.code is None else {"code": error.code}
        return {"error": {"message": error.message, "type": error.type, **coded}}
    shown = _ENVELOPES[policy.error_envelope](error, policy)
    match policy.error_choices:
        case ErrorChoices.OMIT:
            return shown
        case ErrorChoices.NULL:
            return {"choices": None, **shown}
        case ErrorChoices.EMPTY:
            return {"choices": [], **shown}


def _moonshot(error: ApiError, policy: WirePolicy) -> JSONObject:
    values: dict[str, JSONValue] = {
        "message": error.message,
        "type": error.type,
        "code": error.code,
        "param": error.param,
    }
    keys = error.keys or policy.error_keys
    # Keys of its own are meant: those without a value are sent as null.
    nulls = error.keys is not None or policy.error_nulls
    return {
        "error": {key: values[key] for key in keys if nulls or values.get(key) is not None}
    }  # fmt: skip


def _openai(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {
        "error": {
            "message": error.message,
            "type": error.type,
            "param": error.param,
            "code": error.code,
        }
    }


def _anthropic(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {"type": "error", "error": {"type": error.type, "message": error.message}}


def _flat(error: ApiError, _policy: WirePolicy) -> JSONObject:
    code = error.status if error.code is None else error.code
    return {"code": code, "message": error.message, "data": None}


def _aggregator(error: ApiError, policy: WirePolicy) -> JSONObject:
    raw = _json(_moonshot(error, policy), policy).decode()
    return {
        "error": {
            "message": "Provider returned error",
            "code": error.status,
            "metadata": {"raw": raw, "provider_name": "Moonshot AI"},
        }
    }


def _vllm(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {
        "object": "error",
        "message": error.message,
        "type": error.type,
        "param": error.param,
        "code": error.status,
    }


def _detail(error: ApiError, policy: WirePolicy) -> JSONObject:
    # The text of an exception of the openai package, passed on by a host in between.
    raw = _json(_vllm(error, policy), policy).decode()
    return {"detail": f"{error.type}: Error code: {error.status} - {raw}"}


def _string(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {"error": error.message}


def _message_only(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {"message": error.message}


def _success_false(error: ApiError, _policy: WirePolicy) -> JSONObject:
    return {
        "success": False,
        "error": {"code": error.type.upper(), "status": error.status, "message": error.message},
    }


_ENVELOPES: Mapping[ErrorEnvelope, Callable[[ApiError, WirePolicy], JSONObject]] = {
    ErrorEnvelope.MOONSHOT: _moonshot,
    ErrorEnvelope.OPENAI: _openai,
    ErrorEnvelope.ANTHROPIC: _anthropic,
    ErrorEnvelope.FLAT: _flat,
    ErrorEnvelope.AGGREGATOR: _aggregator,
    ErrorEnvelope.VLLM: _vllm,
    ErrorEnvelope.DETAIL: _detail,
    ErrorEnvelope.STRING: _string,
    ErrorEnvelope.MESSAGE_ONLY: _message_only,
    ErrorEnvelope.SUCCESS_FALSE: _success_false,
}


def _json(value: JSONObject, policy: WirePolicy) -> bytes:
    return encode(value, escape=policy.html_escape is not Escape.OFF, only_ascii=policy.ascii)
