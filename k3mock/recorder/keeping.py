"""Turns an exchange into an interaction that holds no secret, and proves it; pipeline layer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from k3mock.cassette.format import document
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse, Timing
from k3mock.cassette.key import keys, path_of
from k3mock.recorder.travel import secrets_of
from k3mock.redaction.rules import Rules
from k3mock.redaction.scan import scan
from k3mock.redaction.scrub import scrub_request, scrub_response

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.cassette.interaction import Pairs
    from k3mock.cassette.library import Manner
    from k3mock.recorder.deck import Mode
    from k3mock.recorder.exchange import Exchange
    from k3mock.settings import Settings


class Keeping:
    """What may be kept of a recording, by the rules of one server.

    `playing` is how its cassettes are played: requests are compared as they would be kept.
    """

    def __init__(self, settings: Settings, mode: Mode, playing: Manner) -> None:
        self._rules = Rules(keep_media=settings.keep_media, redact_content=settings.redact_content)
        self.playing = replace(playing, scrub=self._clean, mode=mode)

    def _clean(self, uri: str, headers: Pairs, body: bytes) -> bytes:
        return scrub_request(uri, headers, body, self._rules, tuple(secrets_of(headers)))[2]

    def warm(self) -> None:
        """Load what writing needs."""
        asked = RecordedRequest(method="GET", uri="http://localhost/")
        document(Interaction(number=1, request=asked, response=RecordedResponse(status=200)))

    def interaction(self, exchange: Exchange, secrets: tuple[str, ...]) -> Interaction:
        """Return what is kept of an exchange.

        Raises:
            LeakError: a secret is where it cannot be taken out.
        """
        raw, rules = exchange.raw, self._rules
        uri, headers, body, asked = scrub_request(
            exchange.uri, raw.pairs, raw.body, rules, secrets
        )  # fmt: skip
        shown, answer, chunks, answered = scrub_response(
            exchange.headers, exchange.body, exchange.chunks, rules, secrets
        )
        return Interaction(
            number=exchange.seq,
            request=RecordedRequest(method=raw.method, uri=uri, headers=headers, body=body),
            response=RecordedResponse(
                status=exchange.status, reason=exchange.reason, headers=shown, body=answer
            ),
            timing=Timing(
                seq=exchange.seq,
                at=datetime.fromtimestamp(exchange.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                head_us=exchange.head_us,
                chunks=chunks or (),
                end=exchange.end,
                error=exchange.error,
                enc=exchange.encoding,
                redacted=tuple(sorted({*asked, *answered})),
            ),
        )

    def key(self, request: RecordedRequest) -> bytes:
        """Return what tells requests apart."""
        return keys(request.method, path_of(request.uri), request.body).exact

    def leaks(self, interactions: Iterable[Interaction], secrets: tuple[str, ...]) -> list[str]:
        """Return the places of secrets in interactions, and the rules that know them."""
        return [str(leak) for leak in scan(interactions, secrets)]
