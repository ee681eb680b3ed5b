"""Turns headers into those that travel on, to the upstream and back; pipeline layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.options import HEADER

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Pairs

_HOP_BY_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
_OURS = frozenset({"host", "content-length", "accept-encoding", "expect", HEADER})
"""What a relay says for itself: whom it asks, how long the body is, and that it wants no coding."""

_DECODED = frozenset({"content-encoding", "content-length"})


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
