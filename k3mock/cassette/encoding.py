"""Turns a body that was stored compressed into its text, if it really is compressed; source layer.

A stored `content-encoding` is often untrue: clients that decode before vcrpy sees the body leave
the header in place. So the bytes decide, and the header only says what to try.
"""

from __future__ import annotations

import importlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_MODULES = {
    "br": ("brotli", "brotlicffi"),
    "zstd": ("compression.zstd", "backports.zstd", "zstandard"),
}
_INSTALL = {"br": "brotli", "zstd": "zstandard"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A body after decoding.

    Attributes:
        left: encodings that still lie over the body, in the order in which they were applied.
        warning: why something is left, or what is missing from the body.
    """

    body: bytes
    left: tuple[str, ...] = ()
    warning: str | None = None


class _Stream(Protocol):
    """What zlib and the packages for zstd have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _UntrueError(Exception):
    """The body is not encoded as its header says."""


class _CannotError(Exception):
    """The body is encoded, but cannot be decoded here."""


def undo(body: bytes, encodings: Iterable[str]) -> Undone:
    """Take off the encodings, the last one first, as far as they are there."""
    names = [name.strip().lower() for line in encodings for name in line.split(",")]
    warning = None
    while names:
        name = names[-1]
        try:
            body, cut = _undone(name, body)
        except _UntrueError:
            cut = False
        except _CannotError as error:
            return Undone(body=body, left=tuple(names), warning=str(error))
        if cut:
            warning = f"the {name} body is cut off; what could be decoded is used"
        names.pop()
    return Undone(body=body, warning=warning)


def _undone(name: str, body: bytes) -> tuple[bytes, bool]:
    """Return the decoded body, and whether its end is missing."""
    if name in {"", "identity"} or not body:
        raise _UntrueError
    match name:
        case "gzip" | "x-gzip":
            return _members("gzip", body, _GZIP, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS))
        case "deflate":
            return _inflate(body)
        case "br":
            return _brotli(body), False
        case "zstd":
            return _zstd(body)
        case _ if _is_text(body):
            raise _UntrueError
        case _:
            raise _CannotError(f"the content encoding {name!r} is unknown; the body stays encoded")


def _members(
    name: str, body: bytes, mark: bytes, stream: Callable[[], _Stream]
) -> tuple[bytes, bool]:
    """Decode what may be several compressed pieces, each with the mark of its format."""
    if not body.startswith(mark):
        raise _UntrueError
    parts = []
    while body.startswith(mark):
        part, body, whole = _piece(name, body, stream())
        parts.append(part)
        if not whole:
            return b"".join(parts), True
    return b"".join(parts), False


def _piece(name: str, body: bytes, stream: _Stream) -> tuple[bytes, bytes, bool]:
    """Return the decoded piece, what follows it, and whether it came to its end."""
    try:
        text = stream.decompress(body)
    except Exception as error:
        # Each package raises a class of its own.
        raise _CannotError(f"the {name} body is damaged ({error}); it stays encoded") from error
    return text, stream.unused_data, stream.eof


def _inflate(body: bytes) -> tuple[bytes, bool]:
    """Decode zlib's format, which has a checked head, or the raw one, which has none."""
    if body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0:
        text, _, whole = _piece("deflate", body, zlib.decompressobj())
        return text, not whole
    try:
        text, rest, whole = _piece("deflate", body, zlib.decompressobj(-zlib.MAX_WBITS))
    except _CannotError:
        whole, text, rest = False, b"", b""
    if whole and not rest:
        return text, False
    if _is_text(body):
        raise _UntrueError
    raise _CannotError("the deflate body cannot be decoded; it stays encoded")


def _brotli(body: bytes) -> bytes:
    """Decode Brotli, which has no mark of its own: what does not decode and is text was decoded."""
    package = _package("br")
    if package is None:
        if _is_text(body):
            raise _UntrueError
        raise _CannotError(_missing("br"))
    try:
        return bytes(package.decompress(body))
    except Exception as error:
        if _is_text(body):
            raise _UntrueError from error
        raise _CannotError(f"the br body is damaged ({error}); it stays encoded") from error


def _zstd(body: bytes) -> tuple[bytes, bool]:
    package = _package("zstd")
    if not body.startswith(_ZSTD):
        raise _UntrueError
    if package is None:
        raise _CannotError(_missing("zstd"))

    def stream() -> _Stream:
        made = package.ZstdDecompressor()
        # The package zstandard has a class for whole frames and, in it, one for streams.
        found: _Stream = made.decompressobj() if hasattr(made, "decompressobj") else made
        return found

    return _members("zstd", body, _ZSTD, stream)


def _package(name: str) -> ModuleType | None:
    """Return the first package that is installed and decodes."""
    for module in _MODULES[name]:
        try:
            return importlib.import_module(module)
        except ImportError:
            continue
    return None


def _missing(name: str) -> str:
    package = _INSTALL[name]
    return f"the body is encoded with {name} and no decoder is installed; pip install {package}"


def _is_text(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
