"""Turns an answer into an ordered list of typed events; values layer.

A source writes a `Reply` with whole texts; `k3mock.text.turn` turns it into the reply as generated:
about a token per event, cut at the cap, with its finish reason and token counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.usage import Usage


class FinishReason(StrEnum):
    """Why the answer ended, as the wire names it; a scenario may use any other word."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More thinking; `tokens` is what it cost the model, `whole` keeps it one delta."""

    text: str
    tokens: int = 1
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of the answer."""

    text: str
    tokens: int = 1
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A call begins; `id` is None until the reply is generated, when the profile's form is used."""

    name: str
    id: str | None = None
    index: int = 0
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class ToolArgumentsDelta:
    """More of a call's arguments, as JSON text."""

    text: str
    index: int = 0
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class ToolDelta:
    """A literal item of `delta.tool_calls`, keys and values as given (`k3mock.wire` adds none)."""

    fields: JSONObject
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """A literal chunk: `fields` are laid over the envelope (`id, object, created, model`)."""

    tokens: ClassVar[int] = 0
    fields: JSONObject


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes of a stream, exactly as given."""

    tokens: ClassVar[int] = 0
    data: bytes


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment line of a stream: a colon and `text`."""

    tokens: ClassVar[int] = 0
    text: str


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """An error inside a stream that began with 200; `event` names it (`event: error`)."""

    tokens: ClassVar[int] = 0
    error: ApiError
    event: str = ""


@dataclass(frozen=True, slots=True)
class Stall:
    """Silence of `ms` milliseconds before what follows; None is for ever."""

    tokens: ClassVar[int] = 0
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class FinishEvent:
    """An explicit finish chunk; `reason` None is written as null."""

    tokens: ClassVar[int] = 0
    reason: str | None


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """A chunk of usage alone; `usage` None takes the counted numbers."""

    tokens: ClassVar[int] = 0
    usage: JSONObject | None = None


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """`[DONE]`."""

    tokens: ClassVar[int] = 0


class Ending(StrEnum):
    """How a connection ends before its time.

    `clean` ends the body properly (the last chunk of length zero is sent), `unterminated` closes
    the connection without it, `reset` closes it with RST.
    """

    CLEAN = "clean"
    UNTERMINATED = "unterminated"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The answer ends here, whatever was still to come."""

    tokens: ClassVar[int] = 0
    how: Ending = Ending.UNTERMINATED


SpokenEvent: TypeAlias = (
    "ReasoningDelta | ContentDelta | ToolCallStart | ToolArgumentsDelta | ToolDelta"
)
"""What the model says."""

FrameEvent: TypeAlias = (
    "Chunk | Raw | Comment | ErrorEvent | Stall | FinishEvent | UsageEvent | DoneEvent | Disconnect"
)
"""What stands in a stream beside it; a whole body shows none of these."""

ReplyEvent: TypeAlias = "SpokenEvent | FrameEvent"


Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallText:
    """A whole tool call of a reply."""

    index: int
    id: str
    name: str
    arguments: str


class Events(tuple["ReplyEvent", ...]):
    """The events of a reply, a tuple that remembers what was worked out of them.

    Answers that say the same share it, so that nothing is worked out twice.
    """

    @cached_property
    def kinds(self) -> frozenset[type]:
        """The types of the events."""
        return frozenset(map(type, self))

    @cached_property
    def tokens(self) -> int:
        """What all of them cost."""
        return sum([event.tokens for event in self])

    @cached_property
    def reasoning(self) -> str:
        return "".join([event.text for event in self if isinstance(event, ReasoningDelta)])

    @cached_property
    def content(self) -> str:
        return "".join([event.text for event in self if isinstance(event, ContentDelta)])

    @cached_property
    def calls(self) -> tuple[CallText, ...]:
        """The tool calls with their arguments joined, by index."""
        starts = [event for event in self if isinstance(event, ToolCallStart)]
        texts: dict[int, list[str]] = {}
        for event in self if starts else ():
            if isinstance(event, ToolArgumentsDelta):
                texts.setdefault(event.index, []).append(event.text)
        return tuple(
            CallText(
                index=start.index,
                id=start.id or "",
                name=start.name,
                arguments="".join(texts.get(start.index, ())),
            )
            for start in starts
        )

    @cached_property
    def _kept(self) -> dict[Hashable, object]:
        return {}

    def once(self, key: Hashable, make: Callable[[Events], Kept]) -> Kept:
        """Return what `make` makes of the events, made once; `key` names it and its parameters."""
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make(self)
        return cast("Kept", found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The whole answer, decided before a byte is sent.

    `finish` and `usage` are None as long as the reply is only written, not generated.

    Attributes:
        literal: the events stand in their own order and nothing is cut (a scenario's `events:`).
        omit: frames that the encoder does not add: `role`, `finish`, `usage`, `done`.
        null_finish: `finish_reason` is null although the answer ends.
        shown_usage: keys that replace those of the usage object.
    """

    events: tuple[ReplyEvent, ...]
    finish: str | None = None
    usage: Usage | None = None
    literal: bool = False
    omit: frozenset[str] = frozenset()
    null_finish: bool = False
    shown_usage: JSONObject | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.events, Events):
            object.__setattr__(self, "events", Events(self.events))

    def generated(self, events: Events, finish: str | None) -> Reply:
        """Return this reply with its words as generated."""
        return Reply(
            events=events, finish=finish, usage=self.usage, literal=self.literal, omit=self.omit,
            null_finish=self.null_finish, shown_usage=self.shown_usage,
        )  # fmt: skip

    @property
    def said(self) -> Events:
        """The events, with what was worked out of them."""
        return cast("Events", self.events)

    @property
    def reasoning(self) -> str:
        return self.said.reasoning

    @property
    def content(self) -> str:
        return self.said.content

    @property
    def calls(self) -> tuple[CallText, ...]:
        """The tool calls with their arguments joined, by index."""
        return self.said.calls


def written(
    *,
    reasoning: str = "",
    content: str = "",
    calls: tuple[tuple[str, str], ...] = (),
    finish: str | None = None,
) -> Reply:
    """Return a reply as a source writes it: whole texts, calls as (name, arguments as JSON)."""
    events: list[ReplyEvent] = []
    if reasoning:
        events.append(ReasoningDelta(reasoning))
    if content:
        events.append(ContentDelta(content))
    for index, (name, arguments) in enumerate(calls):
        events.append(ToolCallStart(name, index=index))
        events.append(ToolArgumentsDelta(arguments, index=index))
    return Reply(events=tuple(events), finish=finish)
