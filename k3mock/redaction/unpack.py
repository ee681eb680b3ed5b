"""Turns escaped, percent-encoded or packed text into plain text; matching layer.

Escapes are undone with a map back, so that what is found behind them can be edited in place.
"""

from __future__ import annotations

import binascii
import re
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_INFLATED = 16_000_000
"""Bytes of one compressed stream that are looked through."""

_ESCAPE = re.compile(r"\\u(00[0-7][0-9a-fA-F])|(?:\\u(?!00[0-7])[0-9a-fA-F]{4})++|\\(.)", re.DOTALL)
_OTHER = "\ufffd"
"""What stands for a row of escaped characters beyond ASCII, which are part of no secret."""
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")
# A run may be broken into lines, as mail and key files do.
_RUN = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{24,}+(?:\r?\n[A-Za-z0-9+/_\-]{4,}+)*+")
_URL_SAFE = str.maketrans("-_", "+/")
_ZLIB_START = re.compile(r"e(?:A[E-H]|F[4-7]|J[w-z]|N[o-r])")
"""`_ZLIB` in base64."""
_PRINTABLE = bytes(range(0x20, 0x7F)) + b"\t\r\n"
_WORTH = re.compile(rb"[\x20-\x7e]{8}|\x1f\x8b\x08")
_GZIP = b"\x1f\x8b\x08"
_ZLIB = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")


@dataclass(frozen=True, slots=True)
class Plain:
    """A decoded text with the spans that were decoded.

    `starts` and `ends` are places in the text, `source_starts` and `source_ends` those in the
    source, one for each decoded piece.
    """

    text: str
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    source_starts: list[int] = field(default_factory=list)
    source_ends: list[int] = field(default_factory=list)

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that a span of the text stands for."""
        return self._start(start), self._end(end)

    def _start(self, at: int) -> int:
        number = bisect_right(self.starts, at) - 1
        if number < 0:
            return at
        if at < self.ends[number]:
            return self.source_starts[number]
        return at - self.ends[number] + self.source_ends[number]

    def _end(self, at: int) -> int:
        number = bisect_right(self.starts, at - 1) - 1
        if number < 0:
            return at
        return max(at - self.ends[number], 0) + self.source_ends[number]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """Widen a span of the source so that it cuts no escape in two."""
        first = bisect_right(self.source_starts, start) - 1
        if first >= 0 and start < self.source_ends[first]:
            start = self.source_starts[first]
        last = bisect_right(self.source_starts, end - 1) - 1
        if last >= 0 and end < self.source_ends[last]:
            end = self.source_ends[last]
        return start, end


def unescaped(text: str) -> Plain | None:
    """Undo one level of JSON's escapes, wherever they stand; None where there is none."""
    return _decoded(text, _ESCAPE, _one_escape) if "\\" in text else None


def unquoted(text: str) -> Plain | None:
    """Undo one level of percent-encoding, byte by byte; None where there is none."""
    return _decoded(text, _PERCENT, _one_quote) if "%" in text else None


def _one_escape(found: re.Match[str]) -> str:
    digits, letter = found.groups()
    if digits:
        return chr(int(digits, 16))
    return _LETTERS.get(letter, letter) if letter else _OTHER


def _one_quote(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


def _decoded(
    text: str, pattern: re.Pattern[str], decode: Callable[[re.Match[str]], str]
) -> Plain | None:
    parts: list[str] = []
    starts: list[int] = []
    source_starts: list[int] = []
    source_ends: list[int] = []
    at = place = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        parts += (text[at:start], decode(found))
        place += start - at
        starts.append(place)
        source_starts.append(start)
        source_ends.append(end)
        place += 1
        at = end
    if not parts:
        return None
    parts.append(text[at:])
    ends = [start + 1 for start in starts]
    return Plain("".join(parts), starts, ends, source_starts, source_ends)


def packed_runs(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs of base64 or base64url symbols, 24 and more, that hold something to read.

    All runs are decoded in one go at each alignment, because most of them are only long names.
    """
    found = list(_RUN.finditer(text))
    symbols = [_joined(run[0]) for run in found]
    promising = {at for at, run in enumerate(symbols) if _ZLIB_START.match(run)}
    # Four symbols more are three zero bytes, so that nothing reads on from run to run.
    padded = [run + "A" * (8 - len(run) % 4) for run in symbols]
    ends = list(accumulate(map(len, padded)))
    row = "".join(padded).translate(_URL_SAFE)
    for skipped in range(4 if found else 0):
        data = binascii.a2b_base64(row[skipped:] + "A" * skipped)
        for worth in _WORTH.finditer(data):
            promising.add(bisect_right(ends, worth.start() * 4 // 3 + skipped))
    yield from (found[at] for at in sorted(promising))


def _joined(run: str) -> str:
    return run.replace("\r", "").replace("\n", "") if "\n" in run else run


def unpacked(run: str) -> Iterator[bytes]:
    """Yield the bytes of a run at each alignment; what looks compressed is inflated as well."""
    symbols = _joined(run).translate(_URL_SAFE)
    for skipped in range(4):
        shifted = symbols[skipped:]
        data = binascii.a2b_base64(shifted + "A" * (-len(shifted) % 4))
        if _WORTH.search(data):
            yield data
        yield from inflated(data)


def inflated(data: bytes) -> Iterator[bytes]:
    """Yield the contents of compressed streams, as far as `MAX_INFLATED` and one byte more."""
    at = 0 if data[:2] in _ZLIB else data.find(_GZIP)
    rest = data[at:] if at >= 0 else b""
    while rest:
        stream = zlib.decompressobj(47)
        try:
            plain = stream.decompress(rest, MAX_INFLATED + 1)
        except zlib.error:
            return
        yield plain
        rest = stream.unused_data


def readable(data: bytes) -> bool:
    """Say whether bytes are mostly text, so that looking for escapes in them makes sense."""
    return len(data.translate(None, _PRINTABLE)) * 10 < len(data) * 3
