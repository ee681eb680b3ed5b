"""Turns an answer into instructions for a driver; delivery layer, without input or output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.protocol.reply import Ending


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing until `until_ms` after the request was taken.

    `quiet` is a silence on purpose: whatever is due has been written before it, and it lasts as
    long as it should, even where the answer is late.
    """

    until_ms: float
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """Do nothing for `ms`, counted from now: what was written leaves before what follows.

    A deadline would not do: an answer that is late would not pause, and the kernel would join the
    writes again.
    """

    ms: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Do nothing until the client leaves or the server stops."""


@dataclass(frozen=True, slots=True)
class Start:
    """Send the status line and headers (names in lower case)."""

    status: int
    headers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Write bytes; `events` and `tokens` say what they hold, `last` ends the body."""

    data: bytes
    events: int = 0
    tokens: int = 0
    last: bool = False


@dataclass(frozen=True, slots=True)
class Burst:
    """Write `count` times, each time an event; the last one ends the body.

    `data` gives the writes, as often as it is asked; `tokens` says what each of them holds,
    `due_ms` when it is due, as in `Wait`; None: at once.
    """

    count: int
    data: Callable[[], Iterator[bytes]]
    tokens: Iterator[int]
    due_ms: Iterator[float] | None = None


@dataclass(frozen=True, slots=True)
class Bare:
    """Write bytes to the connection itself, past HTTP: half a status line, broken headers."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Abort:
    """End the answer before its time; nothing follows."""

    how: Ending


Step: TypeAlias = "Wait | Gap | Hold | Start | Send | Burst | Bare | Abort"
