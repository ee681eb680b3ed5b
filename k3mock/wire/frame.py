"""Turns the bytes of one SSE event into a value with its kind, cost and silence; rules layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.protocol.reply import Ending

DONE = b"data: [DONE]\n\n"


class FrameKind(StrEnum):
    """What a frame carries, which decides its pace."""

    ROLE = "role"
    REASONING = "reasoning"
    CONTENT = "content"
    TOOL = "tool"
    FINISH = "finish"
    USAGE = "usage"
    DONE = "done"
    ERROR = "error"
    OTHER = "other"
    STALL = "stall"
    END = "end"


@dataclass(frozen=True, slots=True)
class Frame:
    """The bytes of one SSE event; `tokens` is what the model spent on it.

    A frame of the kind `stall` has no bytes and `stall_ms` of silence (infinite: for ever); one of
    the kind `end` has none either, and `ending` says how the connection ends there. `literal` bytes
    are no event of ours: no knob touches them.
    """

    data: bytes
    kind: FrameKind
    tokens: int = 0
    stall_ms: float = 0.0
    ending: Ending | None = None
    literal: bool = False
