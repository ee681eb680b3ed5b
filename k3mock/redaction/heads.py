"""Turns headers and addresses into those that may be kept, and into secrets to look for.

Matching layer. Names are in lower case, as in a recording.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote, unquote_plus

from k3mock.redact import REDACTED
from k3mock.redaction.find import MIN_KNOWN, QUOTED
from k3mock.redaction.hide import hidden
from k3mock.redaction.rules import HARMLESS, IDS, NEVER, QUERY, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

Pairs: TypeAlias = "tuple[tuple[str, str], ...]"

_URI = re.compile(
    r"((?:[A-Za-z][A-Za-z0-9+.\-]*:)?//)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL
)
_OWN_ID = re.compile(r"k3mock-\d{6,}")


def kept_headers(headers: Pairs, kept: tuple[str, ...], known: tuple[str, ...]) -> Pairs:
    """Return the headers on a list of names, without what no list can keep."""
    return tuple(
        (name.lower(), hidden(value, known))
        for name, value in headers
        if _is_kept(name.lower(), kept)
    )


def _is_kept(name: str, kept: tuple[str, ...]) -> bool:
    return name not in NEVER and listed(name, kept)


def counted_ids(headers: Pairs, seq: int) -> Pairs:
    """Put ids that count the session's requests in the place of those of the host."""
    return tuple(
        (name, f"k3mock-{seq:06d}" if name in IDS and not _OWN_ID.fullmatch(value) else value)
        for name, value in headers
    )


def kept_uri(uri: str, query: tuple[str, ...], known: tuple[str, ...]) -> str:
    """Return an address without user, fragment and all but harmless and listed parameters."""
    scheme, authority, path, parameters = _parts(uri)
    kept = [part for part in parameters if _name(part) in (*QUERY, *query)]
    host = f"{scheme}{authority.rpartition('@')[2]}"
    shown = "?".join((path, "&".join(kept))) if kept else path
    # Apart: what a path becomes must not depend on the host before it, which a replay lacks.
    return f"{hidden(host, known)}{hidden(shown, known)}".replace(REDACTED, QUOTED)


def _parts(uri: str) -> tuple[str, str, str, list[str]]:
    found = _URI.fullmatch(uri)
    scheme, authority, path, query = found.groups("") if found else ("", "", uri, "")
    return scheme, authority, path, query.split("&") if query else []


def _name(parameter: str) -> str:
    return unquote_plus(parameter.partition("=")[0])


def secret_values(
    headers: Pairs, kept: tuple[str, ...] = (), *, uri: str = "", query: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return what headers and an address hold that may stand nowhere in a recording.

    That is every value that is not kept, if it is long enough and not one that every client sends.
    """
    values: list[str] = []
    for name, value in headers:
        lower = name.lower()
        if not (_is_kept(lower, kept) or listed(lower, HARMLESS)):
            values += _values(lower, value)
    _, authority, _, parameters = _parts(uri)
    values += map(unquote, authority.rpartition("@")[0].split(":", 1))
    values += (
        unquote_plus(part.partition("=")[2])
        for part in parameters
        if _name(part) not in (*QUERY, *query)
    )
    return tuple(dict.fromkeys(value for value in values if len(value) >= MIN_KNOWN))


def _values(name: str, value: str) -> Iterator[str]:
    if name in ("cookie", "set-cookie"):
        pairs = value.split(";")
        for pair in pairs if name == "cookie" else pairs[:1]:
            yield pair.partition("=")[2].strip().strip('"')
        return
    scheme, _, credential = value.strip().partition(" ")
    if not name.endswith("authorization") or not credential:
        yield value.strip()
        return
    yield credential.strip()
    if scheme.lower() == "basic":
        yield from _user(credential.strip())


def _user(credential: str) -> Iterator[str]:
    try:
        user = base64.b64decode(credential).decode("latin-1")
    except ValueError:
        return
    yield from (user, user.partition(":")[2])
