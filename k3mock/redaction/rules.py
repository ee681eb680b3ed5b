"""Turns a user's wishes into what may be kept of a recording; matching layer."""

from __future__ import annotations

from dataclasses import dataclass

REQUEST_HEADERS = ("content-type", "accept")
RESPONSE_HEADERS = (
    "content-type", "retry-after", "x-ratelimit-*", "x-request-id", "msh-request-id",
    "msh-context-cache-token-saved", "msh-cooldown-seconds", "x-retry-after",
)  # fmt: skip
NEVER = (
    "authorization", "proxy-authorization", "cookie", "set-cookie", "api-key", "x-api-key",
    "openai-organization", "openai-project", "msh-org-id", "msh-uid", "msh-project-id", "msh-gid",
)  # fmt: skip
"""Headers that no wish can keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is kept.

    Attributes:
        request_headers, response_headers: names that are kept beside the usual ones; a name may end
            in `*`. What `NEVER` lists cannot be kept.
        query: names of query parameters that are kept.
        keep_media: base64 media stay instead of type, size and digest.
        redact_content: texts of messages and answers become digests, for private sessions.
    """

    request_headers: tuple[str, ...] = ()
    response_headers: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    keep_media: bool = False
    redact_content: bool = False


USUAL = Rules()
