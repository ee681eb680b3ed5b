"""Turns `after: …`, as a fault writes it, into a place among the events or frames; faults layer.

One table says which places there are; all placed faults share it. A place that an answer does not
reach is its end: behind the last delta, before the finish chunk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.reply import (
    ContentDelta,
    DoneEvent,
    FinishEvent,
    ReasoningDelta,
    ReplyEvent,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
)
from k3mock.wire.chunks import FrameKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from k3mock.jsonvalue import JSONValue
    from k3mock.wire.chunks import Frame


@dataclass(frozen=True, slots=True)
class Unit:
    """A way to name a place: a `counted` one has a number, the others are words."""

    about: str
    counted: bool = True


UNITS: Mapping[str, Unit] = {
    "content_tokens": Unit("behind so many tokens of content"),
    "reasoning_tokens": Unit("behind so many tokens of reasoning"),
    "tokens": Unit("behind so many tokens of anything"),
    "argument_chars": Unit("behind so many characters of tool arguments"),
    "events": Unit("behind so many deltas; the one with the role does not count"),
    "bytes": Unit("behind so many bytes of the body"),
    "ms": Unit("so many milliseconds after the request was taken"),
    "start": Unit("before the first delta", counted=False),
    "first": Unit("behind the first delta of content, else of a call, else of any", counted=False),
    "reasoning": Unit("behind all thinking", counted=False),
    "content": Unit("behind all content, before tool calls", counted=False),
    "end": Unit("behind the last delta, before the finish chunk", counted=False),
    "half_reasoning": Unit("in the middle of the thinking", counted=False),
    "half_content": Unit("in the middle of the content", counted=False),
    "half_arguments": Unit("in the middle of the first call's arguments", counted=False),
}
"""All places, by unit or word."""

ALL_UNITS = tuple(UNITS)
DELTA_UNITS = tuple(unit for unit in UNITS if unit not in {"bytes", "ms"})
"""Places between deltas."""

FRAME_UNITS = tuple(
    unit for unit in DELTA_UNITS if unit not in {"argument_chars", "half_arguments"}
)
"""Places between the frames of a stream."""


class PlaceError(ValueError):
    """No such place."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault acts; `amount` counts in `unit`, words have none."""

    unit: str
    amount: float = 0

    def written(self) -> JSONValue:
        """Return the form that `read_place` reads."""
        return {self.unit: self.amount} if UNITS[self.unit].counted else self.unit


def read_place(value: JSONValue) -> Place:
    """Read a number (content tokens), a word, or `{unit: number}`.

    Raises:
        PlaceError: anything else.
    """
    match value:
        case bool():
            raise PlaceError
        case int() | float():
            value = {"content_tokens": value}
        case str() if value in UNITS and not UNITS[value].counted:
            return Place(value)
        case _:
            pass
    if not isinstance(value, dict) or len(value) != 1:
        raise PlaceError
    [(unit, amount)] = value.items()
    known = unit in UNITS and UNITS[unit].counted
    if not known or isinstance(amount, bool) or not isinstance(amount, int | float):
        raise PlaceError
    if not 0 <= amount <= 1e9 or (unit != "ms" and amount != int(amount)):
        raise PlaceError
    return Place(unit, amount)


@dataclass(frozen=True, slots=True)
class _Mark:
    """An event or frame as a place sees it: its kind, its tokens, its argument text."""

    kind: str
    tokens: int = 0
    text: str = ""


_Spot: TypeAlias = "tuple[int, int]"
"""Before the item of this index, and behind so many characters of its text."""

_SPOKEN = ("reasoning", "content", "tool")
_FIRST = ("content", "tool", "reasoning")


def split_events(
    events: Sequence[ReplyEvent], place: Place
) -> tuple[tuple[ReplyEvent, ...], tuple[ReplyEvent, ...]]:
    """Return what comes before the place and what comes behind it."""
    at, inside = _find([_event_mark(event) for event in events], place)
    head, tail = list(events[:at]), list(events[at:])
    if inside and tail and isinstance(tail[0], ToolArgumentsDelta):
        cut = tail[0]
        head.append(replace(cut, text=cut.text[:inside]))
        tail[0] = replace(cut, text=cut.text[inside:], tokens=0)
    return tuple(head), tuple(tail)


def frame_index(frames: Sequence[Frame], place: Place) -> int:
    """Return the index of the frame that comes behind the place."""
    return _find([_frame_mark(frame) for frame in frames], place)[0]


def _event_mark(event: ReplyEvent) -> _Mark:
    match event:
        case ReasoningDelta():
            return _Mark("reasoning", event.tokens)
        case ContentDelta():
            return _Mark("content", event.tokens)
        case ToolArgumentsDelta():
            return _Mark("tool", event.tokens, event.text)
        case ToolCallStart() | ToolDelta():
            return _Mark("tool", event.tokens)
        case FinishEvent() | UsageEvent() | DoneEvent():
            return _Mark("finish")
        case _:
            return _Mark("other")


def _frame_mark(frame: Frame) -> _Mark:
    kinds = {
        FrameKind.REASONING: "reasoning",
        FrameKind.CONTENT: "content",
        FrameKind.TOOL: "tool",
        FrameKind.FINISH: "finish",
        FrameKind.USAGE: "finish",
        FrameKind.DONE: "finish",
    }
    return _Mark(kinds.get(frame.kind, "other"), frame.tokens)


def _find(marks: Sequence[_Mark], place: Place) -> _Spot:
    spoken = [at for at, mark in enumerate(marks) if mark.kind in _SPOKEN]
    finish = next((at for at, mark in enumerate(marks) if mark.kind == "finish"), len(marks))
    start = spoken[0] if spoken else finish
    match place.unit:
        case "start":
            return start, 0
        case "end":
            return finish, 0
        case "first":
            of_kind = [[at for at in spoken if marks[at].kind == kind] for kind in _FIRST]
            return next((found[0] + 1 for found in of_kind if found), finish), 0
        case "reasoning":
            return _behind(marks, ("reasoning",), start), 0
        case "content":
            return _behind(marks, ("reasoning", "content"), start), 0
        case "half_reasoning" | "half_content":
            kind = place.unit.removeprefix("half_")
            total = sum(mark.tokens for mark in marks if mark.kind == kind)
            return _counted(marks, Place(f"{kind}_tokens", max(1, total // 2)), (start, finish))
        case "half_arguments":
            half = len("".join(_first_call(marks))) // 2
            return _counted(marks, Place("argument_chars", max(1, half)), (start, finish))
        case _:
            return _counted(marks, place, (start, finish))


def _behind(marks: Sequence[_Mark], kinds: tuple[str, ...], start: int) -> int:
    return max((at + 1 for at, mark in enumerate(marks) if mark.kind in kinds), default=start)


def _first_call(marks: Sequence[_Mark]) -> Iterator[str]:
    """Yield the argument texts of the first call: up to the next mark without any."""
    begun = False
    for mark in marks:
        if mark.text:
            begun = True
            yield mark.text
        elif begun:
            return


def _counted(marks: Sequence[_Mark], place: Place, bounds: _Spot) -> _Spot:
    """Find the mark with which the amount is reached."""
    start, finish = bounds
    if not place.amount:
        kind = "tool" if place.unit == "argument_chars" else place.unit.removesuffix("_tokens")
        return next((at for at, mark in enumerate(marks) if mark.kind == kind), start), 0
    total = 0
    for at, mark in enumerate(marks):
        before = total
        total += _amount(mark, place.unit)
        if total < place.amount:
            continue
        inside = int(place.amount) - before
        if place.unit == "argument_chars" and total > place.amount:
            return at, inside
        return at + 1, 0
    return finish, 0


def _amount(mark: _Mark, unit: str) -> int:
    """Return what a mark adds to the count."""
    if mark.kind not in _SPOKEN:
        return 0
    match unit:
        case "argument_chars":
            return len(mark.text)
        case "events":
            return 1
        case "tokens":
            return mark.tokens
        case _:
            return mark.tokens if unit == f"{mark.kind}_tokens" else 0
