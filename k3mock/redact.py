"""Turns text that may hold keys into text that holds none; ground layer.

`LOOKS` is the one definition of what is certainly a secret: the journal, messages of matching and
the redaction of recordings all use it. What is only shown hides a little more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.jsonvalue import JSONValue

REDACTED = "[redacted]"
_SHORT = 200


@dataclass(frozen=True, slots=True)
class Look:
    """How one kind of secret looks; group 1 of the pattern is what must go.

    A text without any of the needles is not searched: that makes large bodies cheap.
    """

    rule: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]


_KEY = re.compile(r"(?<![A-Za-z0-9])([sap]k-(?=[a-z_\-]{0,64}[A-Z0-9])[A-Za-z0-9_\-]{8,})")
# Class names such as `sk-toggleable` are all lower case; a key never is.
_BEARER = re.compile(
    r"(?i:bearer)\s+((?=[A-Za-z._~+/=\-]{0,64}[0-9])[A-Za-z0-9._~+/=\-]{8,})"  # not "Bearer token"
)
_JWT = re.compile(
    r"(?<![A-Za-z0-9_\-])(eyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]*)"
)
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    r'\s*(?:[A-Za-z0-9\-]{1,40}: [^\n"]{0,200}\s)*+'
    r"[A-Za-z0-9+/=\s]{32,}+"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?)"
)

LOOKS = (
    Look("key", ("sk-", "ak-", "pk-"), _KEY),
    Look("bearer", ("earer", "EARER"), _BEARER),
    Look("jwt", ("eyJ",), _JWT),
    Look("private-key", ("PRIVATE KEY-----",), _PRIVATE_KEY),
    Look("aws-key", ("AKIA", "ASIA"),
         re.compile(r"(?<![A-Za-z0-9])((?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])")),
    Look("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
         re.compile(r"(?<![A-Za-z0-9])(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})")),
    Look("google-key", ("AIza",), re.compile(r"(?<![A-Za-z0-9])(AIza[A-Za-z0-9_\-]{35})")),
    Look("slack-token", ("xox",), re.compile(r"(?<![A-Za-z0-9])(xox[abeprs]-[A-Za-z0-9\-]{10,})")),
)  # fmt: skip

_SECRET_NAME = re.compile(
    r"auth|cookie|key|token|secret|passw|credential|signature|jwt", re.IGNORECASE
)
# For what is only shown, too much hidden does no harm: recordings do without these.
_MAYBE = re.compile(r"\b[sap]k-[A-Za-z0-9_\-]{8,}|(?<=Bearer )[A-Za-z0-9._~+/=\-]{4,}")
_SECRET_FIELD = re.compile(
    r'("(?:api[_-]?key|authorization|password|secret|access[_-]?token)"\s*:\s*")[^"]*"',
    re.IGNORECASE,
)


_NEEDLES = (*(needle for look in LOOKS for needle in look.needles), "Bearer ")
_FIELD_WORDS = ("key", "authorization", "password", "secret", "token")
"""What the patterns cannot match without."""


@lru_cache(maxsize=1024)
def names_a_secret(name: str) -> bool:
    """Say whether a header or field of that name holds what nobody else may see."""
    return _SECRET_NAME.search(name) is not None


def secret_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and rule of everything that looks like a secret; they may overlap."""
    for look in LOOKS:
        if any(needle in text for needle in look.needles):
            for found in look.pattern.finditer(text):
                yield found.start(1), found.end(1), look.rule


def hide_secrets(body: bytes, *known: str) -> bytes:
    """Return bytes without what looks like a key, and without the keys that are known."""
    text = body.decode("utf-8", "surrogateescape")
    if not (_may_hold_a_secret(text) or any(secret in text for secret in known)):
        return body
    spans = sorted(secret_spans(text))
    if spans:
        text = _without(text, spans)
    text = _MAYBE.sub(REDACTED, text)
    text = _SECRET_FIELD.sub(rf'\1{REDACTED}"', text)
    for secret in known:
        if len(secret) > 3:
            text = text.replace(secret, REDACTED)
    return text.encode("utf-8", "surrogateescape")


class Kept:
    """Bytes that show no key: they are searched when somebody looks, which is hardly ever.

    `known` are keys that nothing may show.
    """

    __slots__ = ("_bytes", "_known")

    def __init__(self, data: bytes = b"", known: tuple[str, ...] = ()) -> None:
        self._bytes = data
        self._known: tuple[str, ...] | None = known

    def __len__(self) -> int:
        return len(self._bytes)

    def shown(self) -> bytes:
        """Return the bytes without what looks like a key, and without the keys that are known."""
        known = self._known
        if known is not None:
            # In this order: who reads from another thread meets searched bytes, or searches too.
            self._bytes = hide_secrets(self._bytes, *known)
            self._known = None
        return self._bytes


def _may_hold_a_secret(text: str) -> bool:
    """Say whether it is worth to search; nearly no text holds any of the needles."""
    for needle in _NEEDLES:
        if needle in text:
            return True
    lower = text.casefold()
    return any(word in lower for word in _FIELD_WORDS)


def _without(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Put the placeholder in the place of each span; what overlaps becomes one."""
    parts: list[str] = []
    at = 0
    for start, end, _ in spans:
        if start >= at:
            parts += (text[at:start], REDACTED)
        at = max(at, end)
    return "".join((*parts, text[at:]))


def clean_text(text: str) -> str:
    """Return a text without what looks like a key, safe to encode."""
    return _short(text) if len(text) <= _SHORT else _cleaned(text)


def _cleaned(text: str) -> str:
    return hide_secrets(text.encode("utf-8", "replace")).decode()


@lru_cache(maxsize=1024)
def _short(text: str) -> str:
    """Clean a short text once: paths and headers come again with every request."""
    return _cleaned(text)


def hide_in(value: JSONValue, keys: Sequence[str]) -> JSONValue:
    """Return a value whose texts hold nothing that is a key, or looks like one."""
    match value:
        case str():
            return hide_secrets(value.encode("utf-8", "replace"), *keys).decode()
        case list():
            return [hide_in(item, keys) for item in value]
        case dict():
            return {name: hide_in(item, keys) for name, item in value.items()}
        case _:
            return value
