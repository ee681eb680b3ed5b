"""Turns a user's wishes into what may be kept of a recording; matching layer."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from k3mock.errors import SettingsError

REQUEST_HEADERS = ("content-type", "accept")
RESPONSE_HEADERS = (
    "content-type", "retry-after", "x-ratelimit-*", "x-request-id", "msh-request-id",
    "msh-context-cache-token-saved", "msh-cooldown-seconds", "x-retry-after",
)  # fmt: skip
IDS = ("x-request-id", "msh-request-id")
"""Headers that are kept with a value counted by the session instead of the recorded one."""
NEVER = (
    "authorization", "proxy-authorization", "cookie", "set-cookie", "api-key", "x-api-key",
    "openai-organization", "openai-project", "msh-org-id", "msh-uid", "msh-project-id", "msh-gid",
    "x-goog-api-key", "x-auth-token", "x-amz-security-token", "x-csrf-token",
)  # fmt: skip
"""Headers that no wish can keep."""
QUERY = ("after", "before", "limit", "offset", "order", "page", "purpose")
"""Query parameters that are kept: they say which part of a list is meant."""
HARMLESS = (
    "accept*", "access-control-*", "age", "allow", "alt-svc", "cache-control", "cf-cache-status",
    "connection", "content-*", "date", "dnt", "expect", "expires", "forwarded", "host",
    "keep-alive", "last-modified", "nel", "openai-processing-ms", "openai-version", "origin",
    "pragma", "priority", "proxy-connection", "referrer-policy", "report-to",
    "reporting-endpoints", "retry-after*", "sec-*", "server", "server-timing",
    "strict-transport-security", "te", "traceparent", "tracestate", "trailer",
    "transfer-encoding", "upgrade*", "user-agent", "vary", "via", "x-content-type-*",
    "x-forwarded-*", "x-frame-options", "x-k3mock*", "x-powered-by", "x-ratelimit-*", "x-real-ip",
    "x-retry-*", "x-should-retry", "x-stainless-*", "x-xss-protection",
)  # fmt: skip
"""Headers whose values say nothing of a person: dropped, but looked for nowhere else. A prompt
about `keep-alive` must stay what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is kept.

    Attributes:
        request_headers, response_headers: names that are kept beside the usual ones; a name may end
            in `*`. What `NEVER` lists cannot be kept.
        query: names of query parameters that are kept beside the usual ones.
        keep_media: base64 media stay instead of type, size and digest.
        redact_content: texts of messages and answers become digests, for private sessions.

    Raises:
        SettingsError: a header that no wish can keep.
    """

    request_headers: tuple[str, ...] = ()
    response_headers: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    keep_media: bool = False
    redact_content: bool = False

    def __post_init__(self) -> None:
        for name in (*self.request_headers, *self.response_headers):
            if name.lower() in NEVER:
                raise SettingsError(
                    f"the header {name!r} cannot be kept in a recording",
                    hint="it holds a secret or names an account; leave it out",
                )


USUAL = Rules()


@lru_cache(maxsize=1024)
def listed(name: str, patterns: tuple[str, ...]) -> bool:
    """Say whether a header's name, in lower case, is in a list of names with or without `*`."""
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns)
