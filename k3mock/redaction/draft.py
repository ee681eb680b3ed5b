"""Turns a body and edits of it into the edited body and its writes; matching layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Chunks: TypeAlias = "tuple[tuple[int, int], ...]"
"""Writes as (microseconds since the write before, bytes)."""


class Edit(NamedTuple):
    """Text that takes the place of a span."""

    start: int
    end: int
    new: str


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits, which are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in edits:
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


def as_text(body: bytes) -> str:
    """Return a body as text that `as_bytes` turns into the same bytes again."""
    return body.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Return the bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")


class Draft:
    """A body that is being edited.

    Attributes:
        text: the body as it is now.
        chunks: its writes, None if there are none or if they never fitted the body.
        names: rules that changed something.
    """

    def __init__(self, body: bytes, chunks: Chunks | None = None) -> None:
        self._body = body
        self.text = as_text(body)
        fits = chunks is not None and sum(length for _, length in chunks) == len(body)
        self.chunks = chunks if fits else None
        self.names: set[str] = set()

    @property
    def body(self) -> bytes:
        """The bytes; those that came in, if nothing was edited."""
        return as_bytes(self.text) if self.names else self._body

    def apply(self, edits: Sequence[Edit], names: Iterable[str]) -> None:
        """Edit the body; the edits are in order and do not overlap."""
        if not edits:
            return
        if self.chunks is not None:
            self.chunks = remapped(self.chunks, _in_bytes(self.text, edits))
        self.text = apply(self.text, edits)
        self.names.update(names)


def _in_bytes(text: str, edits: Sequence[Edit]) -> list[tuple[int, int, int]]:
    """Return the edits' spans and new lengths in bytes."""
    found: list[tuple[int, int, int]] = []
    at = place = 0
    for start, end, new in edits:
        place += len(as_bytes(text[at:start]))
        size = len(as_bytes(text[start:end]))
        found.append((place, place + size, len(as_bytes(new))))
        place += size
        at = end
    return found


def remapped(chunks: Chunks, edits: Sequence[tuple[int, int, int]]) -> Chunks:
    """Return writes of an edited body; `edits` are spans in bytes with their new lengths.

    A boundary inside a changed span moves to its end. A write that has nothing left joins the next.
    """
    result: list[tuple[int, int]] = []
    number = shift = end = sent = waited = 0
    for delta, length in chunks:
        end += length
        waited += delta
        while number < len(edits) and edits[number][1] <= end:
            start, stop, size = edits[number]
            shift += size - (stop - start)
            number += 1
        boundary = end + shift
        if number < len(edits) and edits[number][0] < end:
            boundary = edits[number][0] + shift + edits[number][2]
        if boundary > sent:
            result.append((waited, boundary - sent))
            sent, waited = boundary, 0
    return tuple(result)
