"""Turns JSON into YAML of the same meaning; source layer.

YAML is nearly a superset: it takes tabs, halves of surrogate pairs and `1e5` otherwise. Lines stay
where they are, so that messages find them.
"""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|(?P<power>-?\d+(?:\.\d+)?[eE][+-]?\d+)|(?P<tab>\t)', re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)")


def as_yaml(raw: bytes) -> bytes:
    """Return JSON as YAML; what is no JSON comes back as it is."""
    if raw[:64].lstrip()[:1] not in {b"{", b"["}:
        return raw
    try:
        text = raw.decode()
        json.loads(text)
    except (ValueError, RecursionError):
        return raw
    return _TOKEN.sub(_token, text).encode()


def _token(found: re.Match[str]) -> str:
    if found["text"] is not None:
        return _ESCAPE.sub(_escape, found["text"])
    return " " if found["tab"] is not None else _number(float(found["power"]))


def _number(value: float) -> str:
    """Write a number as YAML reads one: with a point, and a sign before the power of ten."""
    digits, power, ten = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{power}{ten}" if power else digits


def _escape(found: re.Match[str]) -> str:
    """Write two halves as the one character that they are."""
    if found[1] is None:
        return found[0]
    high, low = int(found[1], 16), int(found[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"
