"""Turns text that may hold keys into text that holds none; ground layer."""

from __future__ import annotations

import re

REDACTED = "[redacted]"

_SECRET_NAME = re.compile(
    r"auth|cookie|key|token|secret|passw|credential|signature|jwt", re.IGNORECASE
)
_SECRET_VALUE = re.compile(
    rb"\b(?:sk|ak|pk)-[A-Za-z0-9_\-]{8,}"
    rb"|(?<=Bearer )[A-Za-z0-9._~+/=\-]{4,}"
    rb"|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"
)
_SECRET_FIELD = re.compile(
    rb'("(?:api[_-]?key|authorization|password|secret|access[_-]?token)"\s*:\s*")[^"]*"',
    re.IGNORECASE,
)


def names_a_secret(name: str) -> bool:
    """Say whether a header or field of that name holds what nobody else may see."""
    return _SECRET_NAME.search(name) is not None


def hide_secrets(body: bytes, *known: str) -> bytes:
    """Return bytes without what looks like a key, and without the keys that are known."""
    hidden = REDACTED.encode()
    body = _SECRET_VALUE.sub(hidden, body)
    body = _SECRET_FIELD.sub(rb"\1" + hidden + b'"', body)
    for secret in known:
        if len(secret) > 3:
            body = body.replace(secret.encode("utf-8", "replace"), hidden)
    return body


def clean_text(text: str) -> str:
    """Return a text without what looks like a key, safe to encode."""
    return hide_secrets(text.encode("utf-8", "replace")).decode()
