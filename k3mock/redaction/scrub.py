"""Turns a request or a response into what may be kept of it; matching layer.

The same function runs over what is recorded and over what is matched with it. It is pure, and
scrubbing what was scrubbed changes nothing.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, NamedTuple, Protocol

from k3mock.redaction import unpack
from k3mock.redaction.draft import Draft
from k3mock.redaction.events import documents, is_stream, joined
from k3mock.redaction.fields import hide_fields, hide_media
from k3mock.redaction.find import find, usable
from k3mock.redaction.heads import counted_ids, kept_headers, kept_uri, secret_values
from k3mock.redaction.hide import hide
from k3mock.redaction.leak import Leak, LeakError
from k3mock.redaction.rules import REQUEST_HEADERS, RESPONSE_HEADERS
from k3mock.redaction.veil import veil, veiled_place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.redaction.draft import Chunks
    from k3mock.redaction.heads import Pairs
    from k3mock.redaction.rules import Rules


class Asked(Protocol):
    """A request with its address, headers and body."""

    @property
    def uri(self) -> str: ...

    @property
    def headers(self) -> Pairs: ...

    @property
    def body(self) -> bytes: ...


class ScrubbedRequest(NamedTuple):
    """What may be kept of a request; `names` are the rules that changed something.

    Headers that are dropped are not named: that happens to every request.
    """

    uri: str
    headers: Pairs
    body: bytes
    names: tuple[str, ...]


class ScrubbedResponse(NamedTuple):
    """What may be kept of a response; `chunks` are None if they do not fit its body."""

    headers: Pairs
    body: bytes
    chunks: Chunks | None
    names: tuple[str, ...]


def scrub_request(request: Asked, rules: Rules, known: Iterable[str] = ()) -> ScrubbedRequest:
    """Return what may be kept of a request.

    `known` are secrets that are known beside those that its own headers and address hold.
    """
    kept = (*REQUEST_HEADERS, *rules.request_headers)
    own = secret_values(request.headers, kept, uri=request.uri, query=rules.query)
    secrets = usable((*known, *own))
    uri = kept_uri(request.uri, rules.query, secrets)
    draft = Draft(request.body)
    inner = _inflated(draft)
    _edit_request(inner, rules, secrets)
    names = inner.names | ({"uri"} if uri != request.uri else set())
    headers = kept_headers(request.headers, kept, secrets)
    return ScrubbedRequest(uri, headers, _body(draft, inner), tuple(sorted(names)))


def _edit_request(draft: Draft, rules: Rules, secrets: tuple[str, ...]) -> None:
    if not rules.keep_media:
        hide_media(draft)
    hide_fields(draft)
    hide(draft, secrets)
    if rules.redact_content:
        veil(draft, secrets)


def scrub_response(
    headers: Pairs,
    body: bytes,
    chunks: Chunks | None,
    rules: Rules,
    known: Iterable[str] = (),
    *,
    seq: int = 0,
) -> ScrubbedResponse:
    """Return what may be kept of a response; `seq` is counted into its ids.

    Raises:
        LeakError: a secret is spread over several events of a stream.
    """
    kept = (*RESPONSE_HEADERS, *rules.response_headers)
    secrets = usable((*known, *secret_values(headers, kept)))
    draft = Draft(body, chunks)
    inner = _inflated(draft)
    found = _refuse_spread(inner.text, rules, secrets)
    hide_fields(inner)
    hide(inner, secrets)
    if rules.redact_content:
        veil(inner, secrets)
    if found or inner.names:
        _refuse_any(inner.text, secrets)
    shown = kept_headers(headers, kept, secrets)
    counted = counted_ids(shown, seq)
    names = inner.names | ({"id"} if counted != shown else set())
    fitting = draft.chunks if inner is draft or not inner.names else None
    return ScrubbedResponse(counted, _body(draft, inner), fitting, tuple(sorted(names)))


def _inflated(draft: Draft) -> Draft:
    """Return a draft of what a compressed body holds, or the draft itself."""
    data = draft.body
    if data[:2] != b"\x1f\x8b":
        return draft
    plain = list(unpack.inflated(data))
    whole = len(plain) == 1 and len(plain[0]) <= unpack.MAX_INFLATED
    return Draft(plain[0]) if whole else draft


def _body(draft: Draft, inner: Draft) -> bytes:
    if inner is draft or not inner.names:
        return draft.body
    return gzip.compress(inner.body, mtime=0)


def _refuse_spread(text: str, rules: Rules, secrets: tuple[str, ...]) -> bool:
    """Say whether the texts of a stream hold secrets; refuse those in several pieces."""
    found = False
    for sent in joined(documents(text)) if is_stream(text) else ():
        if rules.redact_content and veiled_place(sent.place):
            continue
        for hit in find(sent.text, secrets):
            found = True
            if sent.spread(hit.start, hit.end):
                raise _spread(Leak(sent.place, hit.rule))
    return found


def _refuse_any(text: str, secrets: tuple[str, ...]) -> None:
    for sent in joined(documents(text)) if is_stream(text) else ():
        for hit in find(sent.text, secrets):
            raise _spread(Leak(sent.place, hit.rule))


def _spread(leak: Leak) -> LeakError:
    return LeakError(
        leak,
        "a secret is spread over several events of a stream and cannot be taken out",
        hint="record with redacted content, or keep the secret out of the conversation",
    )
