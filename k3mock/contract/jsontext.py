"""Turns a body's bytes into JSON or into the one reason why they are not; rules layer."""

from __future__ import annotations

import codecs
import json
import math
from typing import TYPE_CHECKING, NoReturn

import orjson

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

MAX_DEPTH = 200
"""Deepest nesting that is read; far above any tool schema (the model's own limit is 30)."""


class JsonTextError(ValueError):
    """The bytes are not acceptable JSON; `problem` is one sentence without a full stop."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


def read_json(body: bytes) -> JSONValue:
    """Parse a request body strictly; of duplicate keys the last wins.

    Halves of surrogate pairs, which JavaScript clients send when they cut a string, become U+FFFD
    as in the vendor's language.

    Raises:
        JsonTextError: empty, not UTF-8, not JSON, NaN or infinite numbers, nested too deeply.
    """
    try:
        value: JSONValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        value = _read_slowly(body)
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise JsonTextError(_TOO_DEEP)
    return value


_TOO_DEEP = f"the JSON body is nested more than {MAX_DEPTH} levels deep"


def _read_slowly(body: bytes) -> JSONValue:
    """Find out what is wrong, or read what only the fast parser refuses."""
    if not body.strip():
        problem = "the request body is empty"
        raise JsonTextError(problem)
    if body.startswith(codecs.BOM_UTF8):
        problem = "the request body starts with a byte order mark"
        raise JsonTextError(problem)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        problem = f"the request body is not valid UTF-8 (byte {error.start})"
        raise JsonTextError(problem) from error
    try:
        value: JSONValue = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_sane
        )
    except json.JSONDecodeError as error:
        problem = f"malformed JSON at line {error.lineno} column {error.colno}"
        raise JsonTextError(problem) from error
    except RecursionError as error:
        raise JsonTextError(_TOO_DEEP) from error
    if _depth(value) > MAX_DEPTH:
        raise JsonTextError(_TOO_DEEP)
    return _mended(value)


def _refuse_constant(name: str) -> NoReturn:
    problem = f"{name} is not a JSON number"
    raise JsonTextError(problem)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        problem = f"the number {text[:40]} is out of range"
        raise JsonTextError(problem)
    return number


def _sane(text: str) -> int | float:
    return int(text) if len(text) < 20 else _finite(text)


def _mended(value: JSONValue) -> JSONValue:
    """Replace halves of surrogate pairs in every string."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_mended(item) for item in value]
        case dict():
            return {str(_mended(key)): _mended(item) for key, item in value.items()}
        case _:
            return value


def _depth(value: JSONValue) -> int:
    """Return how many containers stand in each other, without recursion, up to the limit."""
    depth = 0
    here: list[JSONValue] = [value]
    while depth <= MAX_DEPTH:
        containers = [item for item in here if isinstance(item, list | dict)]
        if not containers:
            break
        depth += 1
        here = [
            child
            for item in containers
            for child in (item if isinstance(item, list) else item.values())
        ]
    return depth
