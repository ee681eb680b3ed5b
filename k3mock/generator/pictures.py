"""Turns images and videos of a message into words about them; source layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.text.media import image_size

if TYPE_CHECKING:
    from k3mock.generator.language import Language
    from k3mock.protocol.request import MediaPart

_SIZED = 4
_TYPE = re.compile(r"data:(?:image|video)/([a-z0-9.+-]{2,12})[;,]", re.IGNORECASE)
_ENDING = re.compile(
    r"\.(png|jpe?g|gif|webp|bmp|heic|mp4|mpe?g|mov|avi|webm|3gpp?)(?:[?#]|\Z)", re.IGNORECASE
)


def described(media: tuple[MediaPart, ...], language: Language) -> str:
    """Say how many images and videos there are, of what type and how large, as far as is known."""
    words = language.facts["word"]
    said: list[str] = []
    for kind in dict.fromkeys(part.kind for part in media):
        parts = [part for part in media if part.kind == kind]
        noun = kind if kind in words else "image"
        what = words[noun] if len(parts) == 1 else words[f"{noun}s"].format(n=len(parts))
        shown = [detail for part in parts[:_SIZED] if (detail := _detail(part, language))]
        if shown:
            what = words["sized"].format(what=what, sizes="; ".join(shown))
        said.append(what)
    return language.listed(said)


def _detail(part: MediaPart, language: Language) -> str:
    """Return type and size: pixels of an image, kilobytes of a video."""
    details: list[str] = []
    found = _TYPE.match(part.url[:60]) or _ENDING.search(part.url[-80:])
    if found is not None:
        details.append(found.group(1).upper().replace("JPG", "JPEG").replace("QUICKTIME", "MOV"))
    size = image_size(part.url) if part.kind != "video" else None
    if size is not None:
        details.append(language.facts["word"]["pixels"].format(size=f"{size[0]}x{size[1]}"))
    elif part.url.startswith("data:"):
        octets = len(part.url.partition(",")[2]) * 3 // 4
        details.append(f"{max(1, round(octets / 1024))} KB")
    return ", ".join(details)
