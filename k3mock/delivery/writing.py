"""Turns the knobs of writing into changes of steps: writes joined, writes cut; delivery layer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from k3mock.delivery.step import Gap, Send, Start, Step, Wait
from k3mock.wire import sse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.protocol.policy import WirePolicy

_CHARACTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{1,3}")
_DATA_LINE = re.compile(rb"^data:[^\r\n]*", re.MULTILINE)

Cuts: TypeAlias = "Callable[[bytes], list[int]]"
"""Gives the places, within one event, where a write ends and the next one begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How the bytes of an answer are cut into writes, and what is said during silence.

    Attributes:
        mode: `auto`, `event`, `coalesced`, `bytes`, `split_utf8` or `split_line`.
        size: bytes of a write of the mode `bytes`.
        gap_ms: silence between the writes of the modes that split.
        keepalive_ms: a comment after so many silent milliseconds; 0 is off.
        comment: its bytes.
    """

    mode: str = "auto"
    size: int = 0
    gap_ms: float = 2.0
    keepalive_ms: float = 0.0
    comment: bytes = b": keep-alive\n\n"

    @staticmethod
    def of(policy: WirePolicy, speed: float = 1.0) -> Writing:
        """Return what the knobs say; `speed` divides the time between two comments."""
        if policy.writes == "auto" and not policy.keepalive_ms:
            return PLAIN
        mode, _, size = policy.writes.partition(":")
        if mode == "one_byte":
            mode, size = "bytes", "1"
        return Writing(
            mode=mode,
            size=int(size or 0),
            gap_ms=policy.write_gap_ms,
            keepalive_ms=policy.keepalive_ms / speed,
            comment=sse.comment(policy.keepalive_text, policy.newline),
        )

    @property
    def singly(self) -> bool:
        """Whether nothing but events is written, and no event is cut or has to be joined."""
        return self.mode in {"auto", "event"} and not self.keepalive_ms

    def joins(self, *, instant: bool) -> bool:
        """Whether events that are due at the same moment are one write."""
        return self.mode == "coalesced" or (self.mode == "auto" and instant)

    def cut(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Cut writes as the mode wants it."""
        match self.mode:
            case "bytes":
                return _in_sizes(steps, self.size, self.gap_ms)
            case "split_utf8":
                return _split(steps, _inside_characters, self.gap_ms)
            case "split_line":
                return _split(steps, _inside_the_line, self.gap_ms)
            case _:
                return steps


PLAIN = Writing()


def joined(steps: Iterator[Step]) -> Iterator[Step]:
    """Join the writes that are due at the same moment."""
    pending: Send | None = None
    now_ms = 0.0
    for step in steps:
        if isinstance(step, Send):
            pending = step if pending is None else _together(pending, step)
            continue
        if isinstance(step, Wait) and not step.quiet and step.until_ms <= now_ms:
            continue
        if pending is not None:
            yield pending
            pending = None
        if isinstance(step, Wait):
            now_ms = step.until_ms
        yield step
    if pending is not None:
        yield pending


def _together(one: Send, other: Send) -> Send:
    return Send(
        one.data + other.data, one.events + other.events, one.tokens + other.tokens, other.last
    )


def _inside_characters(event: bytes) -> list[int]:
    return [found.start() + (found.end() - found.start()) // 2
            for found in _CHARACTER.finditer(event)]  # fmt: skip


def _inside_the_line(event: bytes) -> list[int]:
    line = _DATA_LINE.search(event)
    if line is None:
        return [len(event) // 2]
    return [line.start() + 2, (line.start() + line.end()) // 2]


def _split(steps: Iterator[Step], cuts: Cuts, gap_ms: float) -> Iterator[Step]:
    """Write each event in pieces, with a gap before every write."""
    for step in steps:
        if not isinstance(step, Send) or not step.data:
            yield step
            continue
        before = 0
        for at in cuts(step.data):
            if at > before:
                yield Gap(gap_ms)
                yield Send(step.data[before:at])
                before = at
        yield Gap(gap_ms)
        yield replace(step, data=step.data[before:])


def _in_sizes(steps: Iterator[Step], size: int, gap_ms: float) -> Iterator[Step]:
    """Write so many bytes at a time, whatever they belong to.

    What is too short for a write waits for more, unless a silence or the end comes first.
    """
    kept = Send(b"")
    for step in steps:
        if isinstance(step, Send):
            *full, kept = _sized(_together(kept, step), size)
            for write in full:
                yield Gap(gap_ms)
                yield write
            if not step.last:
                continue
        elif isinstance(step, Start) or (isinstance(step, Wait) and not step.quiet):
            yield step
            continue
        if kept.data or kept.last:
            yield Gap(gap_ms)
            yield kept
            kept = Send(b"")
        if not isinstance(step, Send):
            yield step


def _sized(send: Send, size: int) -> list[Send]:
    """Return full writes and, as the last one, what is left; it holds at least the body's end."""
    data = send.data
    pieces = [Send(data[at : at + size]) for at in range(0, len(data), size)] or [Send(b"")]
    pieces[-1] = replace(send, data=pieces[-1].data)
    if len(pieces[-1].data) == size and not send.last:
        pieces.append(Send(b""))
    return pieces
