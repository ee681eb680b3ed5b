"""Turns JSON values into the very bytes that the host's encoder writes; rules layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

_ESCAPES = (
    (b"<", rb"\u003c"),
    (b">", rb"\u003e"),
    (b"&", rb"\u0026"),
    ("\u2028".encode(), rb"\u2028"),
    ("\u2029".encode(), rb"\u2029"),
)
"""What Go's encoder escapes by default. Certain for errors: the raw 429 of 2026-09 has the length
of the escaped form. For answers it is the same encoder's best guess."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def encode(value: JSONValue, *, escape: bool, only_ascii: bool = False) -> bytes:
    """Write compact JSON, with `<`, `>` and `&` or all beyond ASCII escaped if asked."""
    try:
        data = orjson.dumps(value)
    except orjson.JSONEncodeError:
        data = _plainly(value)
    if escape:
        data = escaped(data)
    return narrowed(data) if only_ascii and not data.isascii() else data


def _plainly(value: JSONValue) -> bytes:
    """Write what the fast encoder does not: whole numbers beyond 64 bits, deep nesting."""
    match value:
        case dict():
            items = (orjson.dumps(key) + b":" + _plainly(item) for key, item in value.items())
            return b"{" + b",".join(items) + b"}"
        case list():
            return b"[" + b",".join(map(_plainly, value)) + b"]"
        case bool():
            return orjson.dumps(value)
        case int():
            return str(value).encode()
        case _:
            return orjson.dumps(value)


def escaped(data: bytes) -> bytes:
    """Escape JSON text as the vendor's encoder does; the characters occur in strings only."""
    for raw, shown in _ESCAPES:
        if raw in data:
            data = data.replace(raw, shown)
    return data


def narrowed(data: bytes) -> bytes:
    r"""Write characters beyond ASCII as `\uXXXX`, those beyond 16 bits as two of them."""
    return _BEYOND_ASCII.sub(_escape, data.decode()).encode("ascii")


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
