"""Turns the `events` of a reply into what makes each of them; source layer."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_object, as_text
from k3mock.protocol.failure import ApiError
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    Ending,
    ErrorEvent,
    FinishEvent,
    Raw,
    ReasoningDelta,
    ReplyEvent,
    Stall,
    ToolDelta,
    UsageEvent,
)
from k3mock.scenario.said import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from k3mock.scenario.making import Making

Maker: TypeAlias = "Callable[[Making], Iterable[ReplyEvent]]"
CallMaker: TypeAlias = "Callable[[JSONObject, int, str], Maker]"


def event_makers(
    items: list[JSONValue], place: str, folder: Path | None, call_maker: CallMaker
) -> tuple[Maker, ...]:
    """Compile checked events, in order; calls are numbered as they come."""
    makers: list[Maker] = []
    calls = 0
    for number, item in enumerate(items):
        given: JSONObject = {item: None} if isinstance(item, str) else as_object(item) or {}
        ((kind, value),) = given.items()
        here = f"{place}.{number}.{kind}"
        if kind in _SPOKEN:
            makers.append(_spoken(kind, value, here, folder))
        elif kind == "tool_call":
            makers.append(call_maker(as_object(value) or {}, calls, here))
            calls += 1
        elif kind == "error_event":
            makers.append(_error_event(value))
        else:
            makers.append(_constant(_FIXED[kind](value)))
    return tuple(makers)


def _constant(event: ReplyEvent) -> Maker:
    return lambda _: (event,)


_SPOKEN: Mapping[str, type[ReasoningDelta | ContentDelta]] = {
    "reasoning": ReasoningDelta,
    "content": ContentDelta,
}


def _spoken(kind: str, value: JSONValue, place: str, folder: Path | None) -> Maker:
    make = _SPOKEN[kind]
    whole = (as_object(value) or {}).get("whole") is True
    text = said(value, place, folder)
    return lambda making: (make(text(making), whole=whole),)


def _error_event(value: JSONValue) -> Maker:
    """Return what makes an error; a named one is the host's own, with what is said of it changed."""
    given: JSONObject = {"name": value} if isinstance(value, str) else as_object(value) or {}
    name = as_text(given.get("name"))
    event = as_text(given.get("event")) or ""

    def make(making: Making) -> Iterable[ReplyEvent]:
        base = _BLANK if name is None else making.view.asked.errors(name)
        return (ErrorEvent(_changed(base, given), event),)

    return make


_BLANK = ApiError(status=500, message="", type="server_error")


def _changed(error: ApiError, given: JSONObject) -> ApiError:
    code = given.get("code", error.code)
    status = as_int(given.get("status"))
    message = as_text(given.get("message"))
    kind = as_text(given.get("type"))
    return replace(
        error,
        status=error.status if status is None else status,
        message=error.message if message is None else message,
        type=error.type if kind is None else kind,
        code=code if isinstance(code, str | int) else None,
        param=as_text(given["param"]) if "param" in given else error.param,
        body=as_text(given["body"]) if "body" in given else error.body,
    )


def _raw(value: JSONValue) -> ReplyEvent:
    given = as_object(value)
    if given is None:
        return Raw(str(value).encode())
    if "base64" in given:
        return Raw(base64.b64decode(str(given["base64"])))
    return Raw(str(given.get("text", "")).encode())


def _stall(value: JSONValue) -> ReplyEvent:
    given = as_object(value)
    ms = value if given is None else given.get("ms")
    return Stall(float(ms) if isinstance(ms, int | float) else None)


_FIXED: Mapping[str, Callable[[JSONValue], ReplyEvent]] = {
    "tool_delta": lambda value: ToolDelta(as_object(value) or {}),
    "chunk": lambda value: Chunk(as_object(value) or {}),
    "raw": _raw,
    "comment": lambda value: Comment(str(value)),
    "stall": _stall,
    "finish": lambda value: FinishEvent(as_text(value)),
    "usage": lambda value: UsageEvent(as_object(value)),
    "done": lambda _: DoneEvent(),
    "disconnect": lambda value: Disconnect(Ending(str(value))) if value else Disconnect(),
}
