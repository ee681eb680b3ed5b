"""Turns the `events` of a reply into what makes each of them; source layer."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, TypeAlias

from k3mock.jsonvalue import JSONObject, JSONValue, as_object, as_text
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
from k3mock.scenario.judges import error_call, without_event
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
    text = said(value, place, folder, cut=False)
    return lambda making: (make(text(making), whole=whole),)


def _error_event(value: JSONValue) -> Maker:
    """Return what makes an error as the host that is asked words it."""
    call = error_call(without_event(value))
    event = as_text((as_object(value) or {}).get("event")) or ""
    return lambda making: (ErrorEvent(making.view.asked.errors(call), event),)


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
