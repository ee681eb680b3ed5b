"""Turns what is wrong with a cassette into a mistake that says what to do; source layer."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from k3mock.errors import K3MockError

if TYPE_CHECKING:
    from pathlib import Path

_FULL = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class CassetteError(K3MockError):
    """A cassette cannot be read, written, locked or recovered."""

    code = "cassette"


def of_disk(error: OSError, path: Path, what: str, kept: str = "") -> CassetteError:
    """Return the mistake for what the operating system refused; `kept` says what is not lost."""
    if error.errno in _FULL:
        hint = "free some space on that disk"
    elif error.errno in _FORBIDDEN:
        hint = "make the file and its folder writable, or choose another path"
    else:
        hint = "check the path, or choose another one"
    return CassetteError(
        what,
        where=str(path),
        found=error.strerror or str(error),
        hint=f"{hint}; {kept}" if kept else hint,
    )
