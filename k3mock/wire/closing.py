"""Turns the events of a reply into those of a stream that ends as the host's do; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.reply import (
    ContentDelta,
    DoneEvent,
    FinishEvent,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
    UsageEvent,
)
from k3mock.wire.usage import shows_usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply, ReplyEvent

_SPOKEN = (ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta, ToolDelta)
_Kinds: TypeAlias = "tuple[type[UsageEvent | DoneEvent], ...]"


def closed(
    reply: Reply, policy: WirePolicy, *, include_usage: bool | None
) -> tuple[ReplyEvent, ...]:
    """Return the events with those that the encoder adds: finish, usage, done.

    What the list names itself is not added again. They stand at the end, or before the explicit
    usage or `[DONE]` that follows the last word.
    """
    events = [*reply.events]
    absent = _absent(reply)
    words = (at for at, event in enumerate(events) if isinstance(event, _SPOKEN))
    last_word = max(words, default=-1)
    before_usage = _first(events, (UsageEvent, DoneEvent), last_word)
    before_done = _first(events, (DoneEvent,), last_word)
    wants_usage = reply.usage is not None and shows_usage(policy, include_usage)
    usage = [UsageEvent()] if "usage" in absent and wants_usage else []
    finish = FinishEvent(None if reply.null_finish else reply.finish)
    finishes = [finish] * policy.finish_chunks if "finish" in absent else []
    done = [DoneEvent()] if "done" in absent and policy.done else []
    return (
        *events[:before_usage], *finishes, *events[before_usage:before_done], *usage,
        *events[before_done:], *done,
    )  # fmt: skip


def _absent(reply: Reply) -> set[str]:
    """Return what of finish, usage and done is neither named nor omitted."""
    kinds = {type(event) for event in reply.events}
    all_kinds = {"finish": FinishEvent, "usage": UsageEvent, "done": DoneEvent}
    return {name for name, kind in all_kinds.items() if kind not in kinds} - reply.omit


def _first(events: Sequence[ReplyEvent], kinds: _Kinds, after: int) -> int:
    places = (at for at, event in enumerate(events) if at > after and isinstance(event, kinds))
    return next(places, len(events))
