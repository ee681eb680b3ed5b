"""Turns fields that name a person, and media, into placeholders; matching layer."""

from __future__ import annotations

import binascii
import hashlib
import re
from typing import TYPE_CHECKING

from k3mock.redact import REDACTED
from k3mock.redaction.draft import Edit
from k3mock.redaction.events import documents
from k3mock.redaction.leaves import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.redaction.draft import Draft

FIELDS = ("user", "metadata", "safety_identifier")
"""Fields of a body, not of what is nested in it, whose values name a person."""

MIN_BARE = 256
"""Symbols from which base64 outside a `data:` address is taken for media."""

_FIELD = re.compile(
    r'"(?:user|metadata|safety_identifier)"\s*:'
    r'|"[^"\\]{0,40}\\u[0-9a-fA-F]{4}[^"]{0,60}"\s*:'  # a key that may be one, written otherwise
)
# Encoders escape `/` and `+`; long lines may be broken.
_BASE64 = (
    r"((?:[A-Za-z0-9+/=_\-]++"
    r"|\\++(?:/|u00(?:2[bBfF]|3[dD])|[nr](?=[A-Za-z0-9+/\\]{16})))++)"
)
_ADDRESS = re.compile(
    r"data:((?:[\w.+\-]*\\{0,4}/[\w.+\-]*)?(?:;[\w.+\-]+=[\w.+\-]*)*);base64," + _BASE64
)
_BARE = re.compile(r'(?P<quote>\\*")(?:data|file_data|b64_json)(?P=quote)\s*:\s*(?P=quote)'
                   + _BASE64 + r"(?P=quote)")  # fmt: skip
_ESCAPED = re.compile(r"\\+(?:u00(..)|([nr])|(/))")
_URL_SAFE = str.maketrans("-_", "+/", "=")


def hide_fields(draft: Draft) -> None:
    """Put a placeholder for every value in the fields that name a person; null stays null."""
    if not _FIELD.search(draft.text):
        return
    edits: list[Edit] = []
    names: set[str] = set()
    for document in documents(draft.text):
        for leaf in leaves(draft.text, document.start, document.end):
            if leaf.key or not leaf.path or leaf.path[0] not in FIELDS:
                continue
            new = REDACTED if leaf.string else f'"{REDACTED}"'
            if leaf.raw != new and (leaf.string or leaf.raw != "null"):
                edits.append(Edit(leaf.start, leaf.end, new))
                names.add(str(leaf.path[0]))
    draft.apply(edits, names)


def hide_media(draft: Draft) -> None:
    """Put type, size and digest in the place of media in base64."""
    edits = list(_media(draft.text))
    draft.apply(sorted(edits), ("media",))


def _media(text: str) -> Iterator[Edit]:
    if ";base64," in text:
        for found in _ADDRESS.finditer(text):
            kind = found[1].replace("\\", "")
            yield Edit(found.start(), found.end(), _stand_in(kind, found[2]))
    for found in _BARE.finditer(text):
        symbols = found[2]
        if len(symbols) >= MIN_BARE and _mixed(symbols[:MIN_BARE]):
            yield Edit(*found.span(2), _stand_in("application/octet-stream", symbols))


def _mixed(symbols: str) -> bool:
    """Tell media from a long word."""
    return symbols.upper() != symbols != symbols.lower() and any(map(str.isdigit, symbols))


def _stand_in(kind: str, symbols: str) -> str:
    if "\\" in symbols:
        symbols = _ESCAPED.sub(_one_escape, symbols)
    symbols = symbols.translate(_URL_SAFE)
    symbols = symbols[: len(symbols) - (len(symbols) % 4 == 1)]
    data = binascii.a2b_base64(symbols + "=" * (-len(symbols) % 4))
    return f"data:{kind};k3mock,bytes={len(data)},sha256={hashlib.sha256(data).hexdigest()}"


def _one_escape(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[3] or ""
