"""Turns finished interactions into records that outlive a crash and are found again; source layer.

A record is one comment line with sequence number, length and checksum, then a YAML document of its
own. Length and checksum decide what is whole: text that looks like a record inside a body does not.
"""

from __future__ import annotations

import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_HEAD = re.compile(
    rb"^# k3mock journal=1 seq=([0-9]{1,15}) bytes=([0-9]{1,15}) crc32=([0-9a-f]{8})\n",
    re.MULTILINE,
)


_MODE = re.compile(rb"# k3mock journal=1 mode=([a-z_]{1,20})\n")
_BLANK = re.compile(
    rb"(?:# k3mock journal=1 seq=[0-9]{1,15} bytes=[0-9]{1,15} crc32=[0-9a-f]{8}\n)?\n+"
)
"""A record whose document was taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Where a whole record's document lies in the journal."""

    seq: int
    start: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a journal holds: its whole records in order, and how many bytes belong to none.

    Attributes:
        torn: bytes after the last whole record: what was being written when the recorder died.
        damaged: bytes before it that are no record any more.
        mode: how the session recorded, which decides what stays of the cassette; empty where the
            journal does not say it.
    """

    records: tuple[Record, ...]
    torn: int
    damaged: int
    mode: str = ""


def journal_file(path: Path) -> Path:
    """Return the name of a cassette's journal."""
    return path.with_name(f"{path.name}.journal")


def unfinished(path: Path) -> str:
    """Say that a cassette's journal was left behind, and what to do."""
    return f"a recording was not finished: k3mock cassette recover {path}"


def record(seq: int, document: str) -> tuple[bytes, int]:
    """Return a record's bytes, and how many of them stand before the document."""
    data = document.encode("ascii")
    head = f"# k3mock journal=1 seq={seq} bytes={len(data)} crc32={zlib.crc32(data):08x}\n"
    return head.encode("ascii") + data, len(head)


def find(raw: bytes) -> Found:
    """Return the whole records of a journal, whatever happened to its end or its middle."""
    records: list[Record] = []
    at = lost = damaged = 0
    mode = b""
    while at < len(raw):
        found = _whole(raw, at)
        if found is not None:
            records.append(found)
            at, damaged = found.start + found.size, lost
            continue
        said = _MODE.match(raw, at)
        mode = said[1] if said else mode
        gone = said or _BLANK.match(raw, at)
        if gone is not None:
            at = gone.end()
            continue
        # A document indents all but its first and last line, so no body can hold such a line.
        later = _HEAD.search(raw, at + 1)
        after = later.start() if later else len(raw)
        lost += after - at
        at = after
    return Found(records=tuple(records), torn=lost - damaged, damaged=damaged,
                 mode=mode.decode("ascii"))  # fmt: skip


def opening(mode: str) -> bytes:
    """Return the line that says how a session records."""
    return f"# k3mock journal=1 mode={mode}\n".encode("ascii")


def blank(source: Path, records: Iterable[Record]) -> None:
    """Overwrite the documents of records: they are gone, and the others stay where they are.

    Raises:
        OSError: the disk refuses.
    """
    with source.open("r+b") as file:
        for each in records:
            file.seek(each.start)
            file.write(b"\n" * each.size)
        file.flush()
        os.fsync(file.fileno())


def _whole(raw: bytes, at: int) -> Record | None:
    head = _HEAD.match(raw, at)
    if head is None:
        return None
    seq, size = int(head[1]), int(head[2])
    data = raw[head.end() : head.end() + size]
    if len(data) != size or zlib.crc32(data) != int(head[3], 16):
        return None
    return Record(seq=seq, start=head.end(), size=size)
