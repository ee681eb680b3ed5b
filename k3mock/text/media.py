"""Turns an image's data URL into its size and its tokens; text layer.

Only headers are read: PNG, JPEG, GIF, WebP, BMP, HEIC/HEIF.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_HEAD_CHARS = 700_000
_MAX_PATCHES = 65_536
_MAX_SIDE = 7168
_PATCH = 14


_SIZE_BOX = re.compile(rb"\x00\x00\x00\x14ispe")
"""The head of a HEIF box of 20 bytes that names a size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaCosts:
    """Token costs of media whose size cannot be known; a chosen default, not the vendor's."""

    unknown_image_tokens: int = 1024
    video_tokens: int = 1024


def pads(width: int, height: int) -> int:
    """Return the pad tokens of an image by the checkpoint's own resize rule.

    The scale is min(1, sqrt(65536 / (w//14 * h//14)), 7168/w, 7168/h); pads are
    ceil(w*s/28) * ceil(h*s/28). Checked against published sizes: 100x100 is 16, 1024x768 is 1,036,
    4000x3000 is 15,444, 8000x8000 is 16,641.
    """
    patches = max(1, (width // _PATCH) * (height // _PATCH))
    scale = min(1.0, math.sqrt(_MAX_PATCHES / patches), _MAX_SIDE / width, _MAX_SIDE / height)
    across, down = max(1, int(width * scale)), max(1, int(height * scale))
    return math.ceil(across / 28) * math.ceil(down / 28)


def image_size(url: str) -> tuple[int, int] | None:
    """Return (width, height) in pixels of a base64 data URL, or None if it cannot be told."""
    if not url.startswith("data:") or ";base64," not in url[:200]:
        return None
    encoded = url.split(";base64,", 1)[1][:_HEAD_CHARS]
    try:
        head = base64.b64decode(encoded[: len(encoded) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
    for magic, read in _READERS:
        if magic(head):
            size = read(head)
            return size if size is not None and min(size) > 0 else None
    return None


def _png(head: bytes) -> tuple[int, int] | None:
    if len(head) < 24:
        return None
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def _gif(head: bytes) -> tuple[int, int] | None:
    if len(head) < 10:
        return None
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _bmp(head: bytes) -> tuple[int, int] | None:
    if len(head) < 26:
        return None
    width = int.from_bytes(head[18:22], "little", signed=True)
    return abs(width), abs(int.from_bytes(head[22:26], "little", signed=True))


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(head):
        if head[at] != 0xFF:
            at += 1
            continue
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])
        if marker == 0xFF:
            at += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD9:
            at += 2
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4])
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    if len(head) < 30:
        return None
    match head[12:16]:
        case b"VP8X":
            return (
                int.from_bytes(head[24:27], "little") + 1,
                int.from_bytes(head[27:30], "little") + 1,
            )
        case b"VP8L":
            bits = int.from_bytes(head[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return (
                int.from_bytes(head[26:28], "little") & 0x3FFF,
                int.from_bytes(head[28:30], "little") & 0x3FFF,
            )
        case _:
            return None


def _heif(head: bytes) -> tuple[int, int] | None:
    """Return the largest size that is named: those of tiles and thumbnails stand beside it."""
    sizes = [
        (int.from_bytes(head[at + 8 : at + 12]), int.from_bytes(head[at + 12 : at + 16]))
        for at in (found.end() - 4 for found in _SIZE_BOX.finditer(head))
        if at + 16 <= len(head)
    ]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], tuple[int, int] | None]], ...] = (
    (lambda head: head.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    (lambda head: head.startswith(b"\xff\xd8"), _jpeg),
    (lambda head: head[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", _webp),
    (lambda head: head.startswith(b"BM"), _bmp),
    (lambda head: head[4:8] == b"ftyp", _heif),
)
