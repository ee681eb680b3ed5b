"""Turns written texts that were generated before into what was generated; text layer.

A test asks for the same words again and again. What they cost, token by token, is worked out once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.reply import ContentDelta, ReasoningDelta

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from k3mock.protocol.reply import Reply
    from k3mock.text.turn import Turn

MOST_EVENTS = 40_000
"""So many generated events are remembered, and as many of those before them."""

_TEXTS = frozenset((ReasoningDelta, ContentDelta))

Key: TypeAlias = "Hashable"


def key_of(reply: Reply, stop: Sequence[str], *, partial: bool) -> Key | None:
    """Return what decides on the generated words of a reply; None where ids are drawn for it."""
    if reply.literal or not _TEXTS.issuperset(reply.said.kinds):
        return None
    return reply.events, tuple(stop), partial


class Turns:
    """Generated turns that no cap has cut.

    Safe to use from several threads: the memory is two plain dictionaries of which the older is
    dropped when the younger is full.
    """

    def __init__(self) -> None:
        self._young: dict[Key, Turn] = {}
        self._old: dict[Key, Turn] = {}
        self._events = 0

    @property
    def events(self) -> int:
        """How many events are remembered, at most."""
        return self._events + MOST_EVENTS * bool(self._old)

    def get(self, key: Key, cap: int) -> Turn | None:
        """Return what was generated, where it fits under a cap."""
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is not None:
                self.remember(key, known)
        return known if known is not None and known.counts.generated <= cap else None

    def remember(self, key: Key, turn: Turn) -> None:
        """Remember what was generated to its end."""
        events = len(turn.reply.events)
        if events > MOST_EVENTS:
            return
        if self._events + events > MOST_EVENTS:
            self._old, self._young, self._events = self._young, {}, 0
        self._young[key] = turn
        self._events += events
