"""Turns an answer into an ordered list of typed events; values layer.

A source writes a `Reply` with whole texts; `k3mock.text.turn` turns it into the reply as generated:
about a token per event, cut at the cap, with its finish reason and token counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.usage import Usage


class FinishReason(StrEnum):
    """Why the answer ended, as the wire names it."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More thinking; `tokens` is what it cost the model."""

    text: str
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of the answer."""

    text: str
    tokens: int = 1


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


ReplyEvent: TypeAlias = "ReasoningDelta | ContentDelta | ToolCallStart | ToolArgumentsDelta"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallText:
    """A whole tool call of a reply."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The whole answer, decided before a byte is sent.

    `finish` and `usage` are None as long as the reply is only written, not generated.
    """

    events: tuple[ReplyEvent, ...]
    finish: FinishReason | None = None
    usage: Usage | None = None

    @property
    def reasoning(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def content(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ContentDelta))

    @property
    def calls(self) -> tuple[CallText, ...]:
        """The tool calls with their arguments joined, by index."""
        starts = [event for event in self.events if isinstance(event, ToolCallStart)]
        texts: dict[int, list[str]] = {}
        for event in self.events:
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


Plan: TypeAlias = "Reply | ApiError"


def written(
    *,
    reasoning: str = "",
    content: str = "",
    calls: tuple[tuple[str, str], ...] = (),
    finish: FinishReason | None = None,
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
