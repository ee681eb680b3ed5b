"""Turns what leaves for a client into a bounded record of when it left; witness layer.

While an answer runs, the record holds the very bytes that are sent, and nothing is worked out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.delivery.step import Step

MAX_WRITES = 8192
MAX_BYTES = 1_000_000
"""Of one answer: what comes later is sent, but not kept."""

MAX_MARKS = 256
MAX_ALL_BYTES = 32_000_000
"""Of all answers together; the oldest records go first."""

_EACH = 160
"""What a write takes beside its bytes, about."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened beside the writes, at a time of the clock that never goes back.

    A silence lasts `until_ms` if nothing ends it.
    """

    at_ms: float
    step: Step
    until_ms: float = 0.0


@dataclass(slots=True)
class Writes:
    """What left for one request.

    Attributes:
        sent: of each write, when it was due (0: as soon as possible), when it was made, its bytes.
        marks: what else happened: headers, silences, bytes past HTTP, an early end.
        secrets: keys that nobody may be shown.
        size: bytes that the record takes, known when the answer has ended.
        forgotten: whether there was a record, and newer ones took its place.
    """

    sent: list[tuple[float, float, bytes]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    secrets: tuple[str, ...] = ()
    size: int = 0
    forgotten: bool = False

    def mark(self, at_ms: float, step: Step, until_ms: float = 0.0) -> None:
        """Note what happened beside the writes."""
        if len(self.marks) < MAX_MARKS:
            self.marks.append(Mark(at_ms, step, until_ms))

    def settle(self) -> int:
        """Cut what is too long, now that nothing follows; returns the bytes that are kept."""
        room = MAX_BYTES
        for number, (due_ms, at_ms, data) in enumerate(self.sent):
            if len(data) > room:
                self.sent[number] = (due_ms, at_ms, data[:room])
            room -= min(room, len(data))
        self.size = MAX_BYTES - room + _EACH * len(self.sent)
        return self.size

    def forget(self) -> None:
        """Let go of everything."""
        self.sent, self.marks, self.size = [], [], 0
        self.forgotten = True


class Keeper:
    """The records of answers that have ended: the newest, up to a number of bytes."""

    def __init__(self, max_bytes: int = MAX_ALL_BYTES) -> None:
        self._kept: dict[int, Writes] = {}
        self._bytes = 0
        self._max_bytes = max_bytes

    @property
    def bytes(self) -> int:
        return self._bytes

    def keep(self, writes: Writes) -> None:
        """Take in the record of an answer that has ended."""
        self._bytes += writes.settle()
        self._kept[id(writes)] = writes
        while self._bytes > self._max_bytes and len(self._kept) > 1:
            self.drop(next(iter(self._kept.values())))

    def drop(self, writes: Writes) -> None:
        """Forget a record, if it is kept."""
        if self._kept.pop(id(writes), None) is not None:
            self._bytes -= writes.size
            writes.forget()
