"""Turns the bytes of an answer into its events, each with what it carries; inspecting layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import orjson

from k3mock.cassette.answer import DONE, text_of
from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object, as_text
from k3mock.redact import hide_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_DATA = re.compile(rb"^data: ?([^\r\n]*)", re.MULTILINE)
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")


class Kind(StrEnum):
    """What a write carries, as the timeline colours it."""

    REASONING = "reasoning"
    CONTENT = "content"
    TOOL = "tool"
    FAULT = "fault"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Event:
    """A piece of a body, from `start` to `end`; `text` is what it adds to what is said.

    `hidden` says that it holds a part of a secret, so that nobody may see it.
    """

    start: int
    end: int
    kind: Kind
    text: str = ""
    hidden: bool = False


def events_of(body: bytes, *, stream: bool, secrets: Sequence[str]) -> list[Event]:
    """Return what a body consists of: the events of a stream, or one piece.

    What is no event of a chat completion, such as broken JSON or an error, is a fault.
    """
    pieces = _pieces(body) if stream else [(0, len(body))] if body else []
    found = [_event(body, start, end) for start, end in pieces]
    return _veiled(found, body, secrets)


def _pieces(body: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    for blank in _BLANK_LINE.finditer(body):
        yield start, blank.end()
        start = blank.end()
    if start < len(body):
        yield start, len(body)


def _event(body: bytes, start: int, end: int) -> Event:
    data = body[start:end]
    lines = _DATA.findall(data)
    whole = b"\n".join(lines) if lines else data
    if not lines and data.lstrip().startswith((b":", b"event:", b"id:", b"retry:")):
        return Event(start, end, Kind.OTHER)
    if whole.strip() == DONE.encode():
        return Event(start, end, Kind.OTHER)
    try:
        value: JSONValue = orjson.loads(whole)
    except orjson.JSONDecodeError:
        return Event(start, end, Kind.FAULT if lines or whole.strip() else Kind.OTHER)
    kind, text = _carried(as_object(value))
    return Event(start, end, kind, text)


def _carried(part: JSONObject | None) -> tuple[Kind, str]:
    """Return what a chunk or a whole completion carries; of several things, the last one said."""
    if part is None:
        return Kind.OTHER, ""
    if part.get("error") is not None:
        return Kind.FAULT, ""
    for choice in map(as_object, as_list(part.get("choices")) or ()):
        said = as_object((choice or {}).get("delta")) or as_object((choice or {}).get("message"))
        if said is None:
            continue
        calls = as_list(said.get("tool_calls"))
        if calls:
            return Kind.TOOL, "".join(_arguments(as_object(call) or {}) for call in calls)
        content = text_of(said.get("content"))
        if content:
            return Kind.CONTENT, content
        thought = next(filter(None, (text_of(said.get(key)) for key in _REASONING)), "")
        if thought:
            return Kind.REASONING, thought
    return Kind.OTHER, ""


def _arguments(call: JSONObject) -> str:
    function = as_object(call.get("function")) or {}
    return as_text(function.get("arguments")) or ""


def _veiled(found: Iterable[Event], body: bytes, secrets: Sequence[str]) -> list[Event]:
    """Hide events that show a secret, alone or together with others of their kind."""
    events = list(found)
    told = {
        kind: "".join(event.text for event in events if event.kind is kind)
        for kind in (Kind.REASONING, Kind.CONTENT, Kind.TOOL)
    }
    open_ = {kind for kind, text in told.items() if hides_something(text.encode("utf-8", "replace"),
                                                                   secrets)}  # fmt: skip
    if not open_ and not hides_something(body, secrets):
        return events
    return [
        Event(event.start, event.end, event.kind, hidden=True)
        if event.kind in open_ or hides_something(body[event.start : event.end], secrets)
        else event
        for event in events
    ]


def hides_something(data: bytes, secrets: Sequence[str]) -> bool:
    """Say whether bytes hold a secret."""
    return hide_secrets(data, *secrets) != data
