"""Turns an answer's ids into the response headers that the host sends; rules layer."""

from __future__ import annotations

import hashlib
import re
import uuid
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.protocol.headers import FRAMING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from k3mock.protocol.headers import HeaderPolicy
    from k3mock.protocol.policy import WirePolicy
    from k3mock.seed import AnswerIds

STREAM_TYPE = "text/event-stream"
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_COOKIE = "set-cookie"
_CDN = (
    ("server-timing", 'cfCacheStatus;desc="DYNAMIC"'),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("cf-cache-status", "DYNAMIC"),
    ("server", "cloudflare"),
)


def response_headers(
    ids: AnswerIds,
    policy: HeaderPolicy,
    *,
    content: tuple[tuple[str, str], ...],
    cached_tokens: int = 0,
    nonce: str | None = None,
    now: float | None = None,
) -> list[tuple[str, str]]:
    """Return the headers of an answer, names in lower case, in the order of the raw captures.

    Args:
        ids: request and trace ids, and the time for `Date`.
        policy: which sets the host sends.
        content: the headers of the content itself (type, length, vary).
        cached_tokens: shown as `msh-context-cache-token-saved` when above 0.
        nonce: `X-Msh-Request-Nonce`; a UUID version 4 asks for timestamp and signature, anything
            else is no error, the two headers are missing then (official documentation).
        now: unix seconds for `Date`, when the answer leaves later than its request came.
    """
    vary = [pair for pair in content if pair[0] == "vary"]
    headers = [("date", date(now or ids.now))]
    headers += [pair for pair in content if pair[0] != "vary"]
    if policy.cdn:
        headers.append(_CDN[0])
    if policy.set == "msh":
        if cached_tokens > 0:
            headers.append(("msh-context-cache-token-saved", str(cached_tokens)))
        headers.append(("msh-request-id", ids.request))
        headers.append(("msh-trace-mode", "on"))
        headers += vary
        headers.append(("x-msh-trace-id", ids.trace))
        headers += [(name.lower(), value) for name, value in policy.account.items()]
        headers += _signature(ids, nonce)
    else:
        headers += vary
    if policy.set == "x_request_id":
        headers.append(("x-request-id", ids.trace))
    if policy.cdn:
        headers += _CDN[1:]
        headers.append(("cf-ray", f"{ids.trace[:16]}-FRA"))
        headers.append(("set-cookie", f"__cf_bm={ids.trace}; path=/; HttpOnly; Secure"))
    return headers


def date(now: float) -> str:
    """Write a moment as `Date` does, which has no word for years of five digits."""
    return _date(int(min(now, _LAST_SECOND)))


@lru_cache(maxsize=64)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


def laid_over(
    headers: Iterable[tuple[str, str]], given: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return headers with those given in place of their namesakes; of several the last counts.

    What frames the body is not given but worked out. Cookies alone stand beside each other. What
    would begin another header, such as a line break of a request that a header repeats, is shown
    as a question mark.
    """
    if not given:
        return [*headers]
    shown = [
        (name.lower(), _CONTROL.sub("?", value))
        for name, value in given
        if name.lower() not in FRAMING
    ]
    names = {name for name, _ in shown}
    own = {name: at for at, (name, _) in enumerate(shown)}
    kept = [pair for at, pair in enumerate(shown) if own[pair[0]] == at or pair[0] == _COOKIE]
    return [*(pair for pair in headers if pair[0] not in names), *kept]


def content_headers(
    body: bytes, content_type: str, policy: WirePolicy
) -> tuple[tuple[str, str], ...]:
    """Return type and length of a whole body.

    Small bodies carry their length and `Vary: Origin`, larger ones are chunked with
    `Vary: Accept-Encoding` (raw captures show the two forms; the border is a chosen default).
    """
    shown = type_headers(content_type, policy)
    if len(body) <= policy.length_below_bytes:
        return *shown, ("content-length", str(len(body))), ("vary", "Origin")
    return *shown, ("vary", "Accept-Encoding")


def stream_headers(policy: WirePolicy) -> tuple[tuple[str, str], ...]:
    """Return the type of a stream, which has no length."""
    return type_headers(STREAM_TYPE, policy)


def type_headers(usual: str, policy: WirePolicy) -> tuple[tuple[str, str], ...]:
    """Return the content type: the usual one, another one by policy, or no header at all."""
    if policy.content_type == "none":
        return ()
    return (("content-type", policy.content_type or usual),)


def _signature(ids: AnswerIds, nonce: str | None) -> list[tuple[str, str]]:
    if nonce is None:
        return []
    try:
        asked = uuid.UUID(nonce)
    except ValueError:
        return []
    if asked.version != 4:
        return []
    timestamp = str(int(ids.now))
    signed = hashlib.sha256(f"{asked}.{timestamp}.{ids.request}".encode()).hexdigest()
    return [("msh-request-timestamp", timestamp), ("msh-request-signature", signed)]
