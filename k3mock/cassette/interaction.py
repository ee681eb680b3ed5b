"""Turns one recorded exchange into values that recorder, matcher and replayer share; source layer.

On disk an interaction has vcrpy's form; k3mock's own data stands under `response.k3mock` only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from k3mock.jsonvalue import JSONValue

Pairs: TypeAlias = "tuple[tuple[str, str], ...]"
"""Headers in order, names in lower case; a name may stand several times."""

FORMAT = 1
"""Version of the key `response.k3mock`."""


class End(StrEnum):
    """How a recorded answer ended."""

    COMPLETE = "complete"
    UPSTREAM_ERROR = "upstream_error"
    CLIENT_DISCONNECT = "client_disconnect"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """A request as kept: the upstream's URI, headers and body without secrets."""

    method: str
    uri: str
    headers: Pairs = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResponse:
    """A response as kept; `body` is decoded, whatever encoding the upstream used."""

    status: int
    reason: str = ""
    headers: Pairs = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The key `response.k3mock`.

    Attributes:
        seq: arrival order of the request in the session.
        at: when it arrived, UTC, to the second, as ISO 8601.
        head_us: microseconds from sending the request to the response headers.
        chunks: (microseconds since the write before, bytes) of each write; the first counts from
            sending the request. Valid only while the bytes add up to the body's length.
        end: how the answer ended; `error` is the exception's name when it did not end well.
        enc: content encoding of the upstream that was taken off.
        length: the length that the answer promised; None where it was sent in chunks.
        redacted: names of the rules that changed something.
        unknown: members of the key that this version does not know, kept as they are.
        v: version of the key.
    """

    seq: int = 0
    at: str = ""
    head_us: int = 0
    chunks: tuple[tuple[int, int], ...] = ()
    end: End = End.COMPLETE
    error: str | None = None
    enc: str | None = None
    length: int | None = None
    redacted: tuple[str, ...] = ()
    unknown: Mapping[str, JSONValue] = field(default_factory=dict)
    v: int = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A request with its response; `number` counts from 1 in its file, `timing` may be missing."""

    number: int
    request: RecordedRequest
    response: RecordedResponse
    timing: Timing | None = None

    @property
    def whole(self) -> bool:
        """Whether the answer arrived to its end, as far as anybody knows."""
        return self.timing is None or self.timing.end is End.COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """A loaded file; `warnings` are what a reader should know about it."""

    path: Path
    interactions: tuple[Interaction, ...]
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.path.stem
