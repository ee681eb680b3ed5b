"""Turns `NAME(after:12,how:reset)` into a call of a fault; faults layer.

Base URLs and headers write faults so. Values are numbers, `true`, `false`, `null`, texts (quoted
where they hold commas or brackets) and `{key:value,…}`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from k3mock.fault.entry import FaultError
from k3mock.protocol.style import FaultCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.jsonvalue import JSONObject, JSONValue

_CALL = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]()]|,|[^"{}\[\](),]+|"', re.DOTALL)
_OPENING, _CLOSING = "{[(", "}])"
_MOST_NESTED = 8
_MOST_CHARS = 8_000
_FORM = "NAME or NAME(key:value,key:value)"


def parse_call(text: str) -> FaultCall:
    """Read a fault's name and its parameters, separated by commas.

    Raises:
        FaultError: text of another form, or longer than 8,000 characters.
    """
    found = _CALL.fullmatch(text) if len(text) <= _MOST_CHARS else None
    if found is None:
        raise FaultError("not a fault", found=text[:80], accepted=_FORM)
    return FaultCall(name=found[1], parameters=_pairs(found[1], found[2] or "", 0))


def _pairs(fault: str, text: str, depth: int) -> JSONObject:
    parameters: JSONObject = {}
    for part in _parts(text):
        key, given, value = part.partition(":")
        if not given or not key.strip():
            raise FaultError(
                f"the fault {fault!r} has a parameter without a value", found=part[:80],
                accepted=_FORM,
            )  # fmt: skip
        parameters[key.strip().strip('"')] = _value(fault, value.strip(), depth)
    return parameters


def _parts(text: str) -> Iterator[str]:
    """Split at the commas outside quotes and brackets."""
    part, depth = "", 0
    for piece in _PIECE.findall(text):
        depth += (piece in _OPENING) - (piece in _CLOSING)
        if piece == "," and depth <= 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += piece
    if part.strip():
        yield part.strip()


def _value(fault: str, text: str, depth: int) -> JSONValue:
    if text.startswith("{") and text.endswith("}") and depth < _MOST_NESTED:
        return _pairs(fault, text[1:-1], depth + 1)
    return read_value(text)


def read_value(text: str) -> JSONValue:
    """Read a parameter as text writes it: numbers, `true`, `false` and `null`, else a text."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            quoted: JSONValue = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text[1:-1]
        return quoted
    words: dict[str, JSONValue] = {"true": True, "false": False, "null": None}
    return words.get(text, text)
