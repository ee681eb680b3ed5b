"""Turns new content into a file that is there whole or not at all; source layer."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from k3mock.cassette.problem import of_disk

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MODE = 0o600
"""Recordings hold prompts: nobody else may read them."""

BINARY = getattr(os, "O_BINARY", 0)


def temporary(path: Path) -> Path:
    """Return the name under which a file is written before it takes its place."""
    return path.with_name(f".{path.name}.part")


def replace_file(path: Path, parts: Iterable[bytes], kept: str = "") -> None:
    """Write a file beside its place, see it safely on the disk, and put it in its place.

    Raises:
        CassetteError: the disk is full or the folder cannot be written; the old file is as it was.
    """
    target = path.resolve()
    part = temporary(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(part, parts)
        part.replace(target)
        _settle(target.parent)
    except OSError as error:
        raise of_disk(error, path, "the cassette cannot be written", kept) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; one call may take fewer."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _write(part: Path, parts: Iterable[bytes]) -> None:
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, MODE)
    try:
        for data in parts:
            write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _settle(folder: Path) -> None:
    """See the new name safely on the disk; some systems cannot open a folder, and need not."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
