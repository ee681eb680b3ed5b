"""Turns what passed through a relay into a recording that may be kept; pipeline layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.cassette.interaction import End, Pairs
    from k3mock.protocol.request import RawRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its answer as they passed, secrets and all; it lives in memory only.

    Attributes:
        seq: arrival order of the request in its recording.
        at: unix seconds when it arrived.
        uri: where the request went.
        chunks: (microseconds since the write before, bytes) of each write.
        encoding: what the upstream's body was encoded with before it was decoded.
        length: the length that the answer promised, where it did.
        error: name of what went wrong, where the answer did not end well.
    """

    seq: int
    at: float
    raw: RawRequest
    uri: str
    status: int
    reason: str
    headers: Pairs
    body: bytes
    chunks: tuple[tuple[int, int], ...]
    head_us: int
    end: End
    encoding: str | None = None
    length: int | None = None
    error: str | None = None
