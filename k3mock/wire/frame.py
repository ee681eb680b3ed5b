"""Turns the bytes of one SSE event into a value with its kind, cost and silence; rules layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@dataclass(frozen=True, slots=True)
class Deltas:
    """The deltas of ordinary frames: their JSON, what they carry, what each and all cost."""

    data: tuple[bytes, ...]
    kinds: tuple[FrameKind, ...]
    tokens: tuple[int, ...]
    cost: int


class PlainFrames(Sequence[Frame]):
    """Frames that are a prefix, a delta and a suffix, and the frames that end the stream.

    They are put together when somebody looks at them: what many answers have in common is kept
    once, and a stream that waits for its times holds next to nothing.
    """

    __slots__ = ("_closing", "_deltas", "_prefix", "_suffix")

    def __init__(
        self, prefix: bytes, deltas: Deltas, suffix: bytes, closing: tuple[Frame, ...]
    ) -> None:
        self._prefix = prefix
        self._deltas = deltas
        self._suffix = suffix
        self._closing = closing

    @property
    def whole_after(self) -> int:
        """So many events hold everything up to the finish reason."""
        return len(self._deltas.data) + 1

    @property
    def cost(self) -> int:
        """What all frames cost, in tokens."""
        return self._deltas.cost + sum([frame.tokens for frame in self._closing])

    def tokens(self) -> Iterator[int]:
        """Yield what each frame cost."""
        yield from self._deltas.tokens
        for frame in self._closing:
            yield frame.tokens

    def marks(self) -> Iterator[tuple[FrameKind, int, float]]:
        """Yield what decides on the time of each frame: kind, tokens, silence."""
        for kind, tokens in zip(self._deltas.kinds, self._deltas.tokens, strict=True):
            yield kind, tokens, 0.0
        for frame in self._closing:
            yield frame.kind, frame.tokens, 0.0

    def joined(self) -> bytes:
        """Return the bytes of all frames."""
        between = self._suffix + self._prefix
        begun = self._prefix + between.join(self._deltas.data) + self._suffix
        return begun + b"".join([frame.data for frame in self._closing])

    def data(self) -> Iterator[bytes]:
        """Yield the bytes of each frame."""
        prefix, suffix = self._prefix, self._suffix
        for delta in self._deltas.data:
            yield prefix + delta + suffix
        for frame in self._closing:
            yield frame.data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __len__(self) -> int:
        return len(self._deltas.data) + len(self._closing)

    @overload
    def __getitem__(self, at: int) -> Frame: ...

    @overload
    def __getitem__(self, at: slice[int | None]) -> tuple[Frame, ...]: ...

    def __getitem__(self, at: int | slice[int | None]) -> Frame | tuple[Frame, ...]:
        return tuple(self)[at]

    def __iter__(self) -> Iterator[Frame]:
        deltas = self._deltas
        for data, kind, tokens in zip(deltas.data, deltas.kinds, deltas.tokens, strict=True):
            yield Frame(self._prefix + data + self._suffix, kind, tokens)
        yield from self._closing
