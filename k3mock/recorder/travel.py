"""Turns headers into those that travel on, and into the secrets among them; pipeline layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.options import HEADER
from k3mock.redact import names_a_secret
from k3mock.redaction.rules import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.cassette.interaction import Pairs

_HOP_BY_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
_OURS = frozenset({"host", "content-length", "accept-encoding", "expect", HEADER})
"""What a relay says for itself: whom it asks, how long the body is, and that it wants no coding."""

_DECODED = frozenset({"content-encoding", "content-length"})
_SHORTEST_SECRET = 8


def onward(pairs: Pairs) -> Pairs:
    """Return a request's headers as the upstream gets them; it is asked not to encode."""
    dropped = _HOP_BY_HOP | _OURS | _named_by_connection(pairs)
    kept = tuple((name, value) for name, value in pairs if name not in dropped)
    return (*kept, ("accept-encoding", "identity"))


def back(pairs: Pairs, *, decoded: bool) -> Pairs:
    """Return a response's headers as the client gets them."""
    dropped = _HOP_BY_HOP | _named_by_connection(pairs) | (_DECODED if decoded else frozenset())
    return tuple((name, value) for name, value in pairs if name not in dropped)


def _named_by_connection(pairs: Pairs) -> frozenset[str]:
    named = (value for name, value in pairs if name == "connection")
    return frozenset(item.strip().lower() for value in named for item in value.split(","))


def secrets_of(pairs: Pairs) -> frozenset[str]:
    """Return the values of headers that nothing which is kept may hold: keys, cookies, accounts."""
    return frozenset(
        value for value in _spoken(pairs) if len(value) >= _SHORTEST_SECRET and value.isprintable()
    )


def _spoken(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in pairs:
        if name not in NEVER and not names_a_secret(name):
            continue
        yield value.strip()
        # The scheme says nothing; the key behind it is what a model might echo.
        yield value.partition(" ")[2].strip()
        for item in value.split(";") if "cookie" in name else ():
            yield item.partition("=")[2].strip()
