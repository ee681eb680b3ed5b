"""Turns a request into the keys under which a recording is found again; source layer.

Two requests are the same when method, end of the path and canonical JSON are: keys sorted, no
spaces, top-level nulls dropped, whole floats as integers. A body that is no JSON counts byte by
byte, but for the boundary of a form, which clients draw anew each time.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

import orjson

from k3mock.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.jsonvalue import JSONObject, JSONValue

VOLATILE = ("user", "metadata", "safety_identifier", "prompt_cache_key", "stream_options")
"""Fields that the relaxed tier ignores. `stream` is none of them: an event stream is no JSON."""

_SEGMENTS = 2
_EXACT_FLOATS = 2**53
_STEP = re.compile(r"\[(?:(\d+)|\*)\]|([^.\[\]]+)")
_PATH = re.compile(r"(?:\$\.?)?[^.\[\]]+(?:\[(?:\d+|\*)\]|\.[^.\[\]]+)*")
_URI = re.compile(r"^[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*")
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Keys:
    """What a request is found by: `exact` counts everything, `relaxed` leaves out what varies."""

    exact: bytes
    relaxed: bytes


@dataclass(frozen=True, slots=True)
class Ignored:
    """What the relaxed tier leaves out beside `VOLATILE`: places of the body, parts of texts."""

    paths: tuple[tuple[str | int, ...], ...] = ()
    texts: tuple[re.Pattern[str], ...] = ()

    @staticmethod
    def of(paths: Iterable[str] = (), texts: Iterable[str] = ()) -> Ignored:
        """Read paths such as `messages[*].name`, and regular expressions.

        Raises:
            SettingsError: a path or an expression that cannot be read.
        """
        return Ignored(tuple(map(_parsed, paths)), tuple(map(_compiled, texts)))


NOTHING = Ignored()


def _parsed(path: str) -> tuple[str | int, ...]:
    if not _PATH.fullmatch(path):
        raise SettingsError(
            "a path to ignore cannot be read", found=path[:80],
            accepted="names, .name, [number], [*], as in messages[*].name",
        )  # fmt: skip
    steps: list[str | int] = []
    for found in _STEP.finditer(path.removeprefix("$").removeprefix(".")):
        number, name = found.groups()
        steps.append(int(number) if number is not None else name or _ANY)
    if steps[0] in {"stream", _ANY}:
        raise SettingsError("`stream` cannot be ignored", found=path[:80],
                            hint="an event stream is no answer to who asks for JSON")  # fmt: skip
    return tuple(steps)


def _compiled(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise SettingsError(
            "a text to ignore is no regular expression", found=f"{text[:80]}: {error}"
        ) from error


def short_path(path: str) -> str:
    """Return the end of a path, so that recordings serve under any base URL."""
    return "/".join([part for part in path.split("/") if part][-_SEGMENTS:])


def path_of(uri: str) -> str:
    """Return the path of a recorded URI, or of what stands for one in a request."""
    return unquote(_URI.sub("", uri).partition("?")[0].partition("#")[0])


def _query_of(uri: str) -> str:
    """Return the query of a URI in an order of its own; nothing where there is none."""
    query = uri.partition("#")[0].partition("?")[2]
    return repr(sorted(parse_qsl(query, keep_blank_values=True))) if query else ""


def parsed(body: bytes) -> JSONValue:
    """Return a body as JSON; None where it is none."""
    try:
        value: JSONValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return value


def keys(method: str, uri: str, body: bytes, ignored: Ignored = NOTHING) -> Keys:
    """Return the keys of a request whose secrets were taken out already.

    The exact one counts the query, too.
    """
    head = f"{method.upper()} {short_path(path_of(uri))}\n".encode("utf-8", "replace")
    query = _query_of(uri).encode("utf-8", "replace")
    value = parsed(body)
    try:
        exact = _canonical(value)
        relaxed = _canonical(_without(value, ignored)) if isinstance(value, dict) else exact
    except (TypeError, RecursionError):
        # Deeper than anybody nests what is meant.
        exact = relaxed = None
    if exact is None or relaxed is None:
        exact = relaxed = _without_boundary(body)
    return Keys(_digest(head + query, exact), _digest(head, relaxed))


def _digest(head: bytes, body: bytes) -> bytes:
    return hashlib.sha256(head + body).digest()


def _canonical(value: JSONValue) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
    return orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS)


def _plain(value: JSONValue) -> JSONValue:
    """Return JSON whose whole floats are integers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_FLOATS:
        return int(value)
    return value


def _without(body: JSONObject, ignored: Ignored) -> JSONObject:
    value: JSONValue = {key: item for key, item in body.items() if key not in VOLATILE}
    for path in ignored.paths:
        value = _cut(value, path)
    for text in ignored.texts:
        value = _thinned(value, text)
    return value if isinstance(value, dict) else {}


def _cut(value: JSONValue, path: tuple[str | int, ...]) -> JSONValue:
    """Return a value without what stands at a path."""
    step, *rest = path
    if isinstance(value, dict):
        picked = [key for key in value if step in {_ANY, key}]
        if rest:
            return {**value, **{key: _cut(value[key], tuple(rest)) for key in picked}}
        return {key: item for key, item in value.items() if key not in picked}
    if isinstance(value, list):
        # A place in a list stays, so that what follows keeps its own.
        gone: JSONValue = None
        return [
            (_cut(item, tuple(rest)) if rest else gone) if step in {_ANY, number} else item
            for number, item in enumerate(value)
        ]
    return value


def _thinned(value: JSONValue, text: re.Pattern[str]) -> JSONValue:
    """Return a value whose texts lack what an expression matches."""
    if isinstance(value, str):
        return text.sub("", value)
    if isinstance(value, dict):
        return {key: _thinned(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_thinned(item, text) for item in value]
    return value


def _without_boundary(body: bytes) -> bytes:
    """Return a form whose boundary is always the same; other bodies as they are."""
    boundary = body.partition(b"\r\n")[0]
    if len(boundary) > 2 and boundary.startswith(b"--") and boundary + b"--" in body[-200:]:
        return body.replace(boundary, b"--boundary")
    return body
