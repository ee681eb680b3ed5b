"""Turns the events of a reply into what they do to a whole body; delivery layer."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from k3mock.protocol.reply import Disconnect, ErrorEvent, Stall

if TYPE_CHECKING:
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.reply import Ending, Reply, ReplyEvent


_ACTING = frozenset((Stall, ErrorEvent, Disconnect))


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What a reply holds beside what the model says, as it acts on a whole body.

    Silence comes before the body, an error takes its place, an end cuts it; of error and end the
    first one counts.
    """

    spoken: tuple[ReplyEvent, ...]
    tokens: int
    silence_ms: float = 0.0
    error: ApiError | None = None
    cut: Ending | None = None

    @staticmethod
    def of(answer: Reply) -> Beside:
        if _ACTING.isdisjoint(answer.said.kinds):
            return Beside(spoken=answer.events, tokens=answer.said.tokens)
        spoken: list[ReplyEvent] = []
        tokens = 0
        silence_ms = 0.0
        for event in answer.events:
            tokens += event.tokens
            match event:
                case Stall():
                    silence_ms += inf if event.ms is None else event.ms
                case ErrorEvent():
                    return Beside(spoken=(), tokens=0, silence_ms=silence_ms, error=event.error)
                case Disconnect():
                    return Beside(
                        spoken=tuple(spoken), tokens=tokens, silence_ms=silence_ms, cut=event.how
                    )
                case _:
                    spoken.append(event)
        return Beside(spoken=tuple(spoken), tokens=tokens, silence_ms=silence_ms)
