"""Turns a lock file into the promise that nobody else writes a cassette; source layer.

The lock file stays where it is: to delete it would let two processes hold locks on two files.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Self

from k3mock.cassette.atomic import BINARY, MODE, write_all
from k3mock.cassette.problem import CassetteError, of_disk

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

_SHOWN = 20


class Lock:
    """A lock that is held until it is closed, or until the process ends."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def lock_file(path: Path) -> Path:
    """Return the name of a cassette's lock file."""
    return path.with_name(f"{path.name}.lock")


def lock_shared(path: Path) -> Lock:
    """Lock a cassette for replaying, beside others who do.

    Where no lock file can be written nobody can record either, so that no lock is needed.

    Raises:
        CassetteError: somebody is recording it.
    """
    try:
        descriptor = _opened(path)
    except OSError:
        return Lock(None)
    _take(descriptor, path, exclusive=False)
    return Lock(descriptor)


def lock_exclusive(path: Path) -> Lock:
    """Lock a cassette for recording.

    Raises:
        CassetteError: somebody is recording or replaying it, or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _opened(path)
    except OSError as error:
        raise of_disk(error, path, "the cassette cannot be recorded here") from error
    _take(descriptor, path, exclusive=True)
    return Lock(descriptor)


def _opened(path: Path) -> int:
    return os.open(lock_file(path), os.O_RDWR | os.O_CREAT | BINARY, MODE)


def _take(descriptor: int, path: Path, *, exclusive: bool) -> None:
    import portalocker  # noqa: PLC0415 - a server without cassettes needs none

    kind = portalocker.LockFlags.EXCLUSIVE if exclusive else portalocker.LockFlags.SHARED
    holders = _holders(descriptor)
    try:
        portalocker.lock(descriptor, kind | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException as error:
        os.close(descriptor)
        raise _refused(path, holders, exclusive=exclusive) from error
    own = f"{os.getpid()} {'recording' if exclusive else 'replaying'}"
    lines = [own] if exclusive else [*(line for line in holders if line != own), own]
    # Told for people only: that it cannot be written changes nothing about the lock.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        write_all(descriptor, "".join(f"{line}\n" for line in lines).encode("ascii"))


def _refused(path: Path, holders: list[str], *, exclusive: bool) -> CassetteError:
    named = ", ".join(f"process {line.replace(' ', ' (')})" for line in holders)
    doing = "recorded or replayed" if exclusive else "recorded"
    return CassetteError(
        f"the cassette is being {doing} by somebody else",
        where=str(path),
        found=named or "a process that left no name",
        hint="wait until it has ended, or give each session a cassette of its own",
    )


def _holders(descriptor: int) -> list[str]:
    """Return who wrote their names into the lock file and, where that can be told, still live."""
    try:
        text = os.read(descriptor, 65_536).decode("ascii", "replace")
    except OSError:
        # Windows does not let others read what is locked.
        return []
    lines = [line for line in text.splitlines() if line.split(" ")[0].isdigit()]
    return [line for line in lines if _lives(int(line.split(" ")[0]))][-_SHOWN:]


def _lives(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        # It lives and is somebody else's.
        return True
    return True
