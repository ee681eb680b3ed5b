"""Turns what leaves for a client into a bounded record of when it left; witness layer.

While an answer runs, nothing is worked out: the record holds the very bytes that are sent or, of a
burst, the times and how its bytes are made, so that an open stream weighs next to nothing.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.delivery.step import Step

MAX_WRITES = 8192
MAX_BYTES = 1_000_000
"""Of one answer: what comes later is sent, but not kept."""

MAX_MARKS = 256
MAX_ALL_BYTES = 32_000_000
"""Of all answers together; the oldest records go first."""

_EACH = 160
"""What a write takes beside its bytes, about."""

_MADE = 256
"""What a write takes, about, whose bytes are made when somebody looks."""


Write: TypeAlias = "tuple[float, float, bytes]"


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
        marks: what else happened: headers, silences, bytes past HTTP, an early end.
        secrets: keys that nobody may be shown.
        size: bytes that the record takes, known when the answer has ended.
        forgotten: whether there was a record, and newer ones took its place.
    """

    marks: list[Mark] = field(default_factory=list)
    secrets: tuple[str, ...] = ()
    size: int = 0
    forgotten: bool = False
    _sent: list[Write] = field(default_factory=list)
    _burst: Callable[[], Iterator[bytes]] | None = None
    _times: array[float] = field(default_factory=lambda: array("d"))

    @property
    def sent(self) -> list[Write]:
        """Of each write, when it was due (0: as soon as possible), when it was made, its bytes."""
        if self._burst is None:
            return self._sent
        times = self._times
        made = zip(times[::2], times[1::2], self._burst(), strict=False)
        return _within([*self._sent, *made])[0]

    def burst(self, made: Callable[[], Iterator[bytes]]) -> Callable[[tuple[float, float]], None]:
        """Return what notes writes that come one after the other, from now to the end.

        It takes when each was due and when it was made; `made` gives their bytes, as often as it is
        asked.
        """
        self._burst = made
        return self._times.extend

    def mark(self, at_ms: float, step: Step, until_ms: float = 0.0) -> None:
        """Note what happened beside the writes."""
        if len(self.marks) < MAX_MARKS:
            self.marks.append(Mark(at_ms, step, until_ms))

    def settle(self) -> int:
        """Cut what is too long, now that nothing follows; returns the bytes that are kept."""
        if self._burst is None:
            self._sent, size = _within(self._sent)
            self.size = size + _EACH * len(self._sent)
        else:
            self.size = _MADE * len(self._times) // 2
        return self.size

    def forget(self) -> None:
        """Let go of everything."""
        self._sent, self.marks, self.size = [], [], 0
        self._burst, self._times = None, array("d")
        self.forgotten = True


def _within(sent: list[Write]) -> tuple[list[Write], int]:
    """Return writes with what is too long cut off, and how many bytes they have."""
    room = MAX_BYTES
    for number, (due_ms, at_ms, data) in enumerate(sent):
        if len(data) > room:
            sent[number] = (due_ms, at_ms, data[:room])
        room -= min(room, len(data))
    return sent, MAX_BYTES - room


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
