"""Turns an exchange into an interaction that holds no secret, and proves it; pipeline layer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from k3mock.cassette.format import document
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse, Timing
from k3mock.cassette.key import keys
from k3mock.redact import names_a_secret
from k3mock.redaction.heads import secret_values
from k3mock.redaction.rules import NEVER, REQUEST_HEADERS, RESPONSE_HEADERS, Rules
from k3mock.redaction.scan import scan
from k3mock.redaction.scrub import scrub_request, scrub_response

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        self.playing = replace(playing, mode=mode)

    def warm(self) -> None:
        """Load what writing needs."""
        asked = RecordedRequest(method="GET", uri="http://localhost/")
        document(Interaction(number=1, request=asked, response=RecordedResponse(status=200)))

    def interaction(self, exchange: Exchange, secrets: Iterable[str] = ()) -> Interaction:
        """Return what is kept of an exchange; `secrets` are taken out of the answer, too.

        Nothing but what a request itself holds decides how it is kept: a replay knows no more.

        Raises:
            LeakError: a secret is where it cannot be taken out.
        """
        rules, method = self._rules, exchange.raw.method
        sent = RecordedRequest(
            method=method, uri=exchange.uri, headers=exchange.raw.pairs, body=exchange.raw.body
        )
        asked = scrub_request(sent, rules)
        answered = scrub_response(
            exchange.headers, exchange.body, exchange.chunks, rules,
            (*self._known(sent), *secrets), seq=exchange.seq,
        )  # fmt: skip
        return Interaction(
            number=exchange.seq,
            request=RecordedRequest(
                method=method, uri=asked.uri, headers=asked.headers, body=asked.body
            ),
            response=RecordedResponse(
                status=exchange.status,
                reason=exchange.reason,
                headers=answered.headers,
                body=answered.body,
            ),
            timing=Timing(
                seq=exchange.seq,
                at=datetime.fromtimestamp(exchange.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                head_us=exchange.head_us,
                chunks=answered.chunks or (),
                end=exchange.end,
                error=exchange.error,
                enc=exchange.encoding,
                length=exchange.length,
                redacted=tuple(sorted({*asked.names, *answered.names})),
            ),
        )

    def _known(self, sent: RecordedRequest) -> tuple[str, ...]:
        """Return the secrets of a request that its answer might repeat."""
        kept = (*REQUEST_HEADERS, *self._rules.request_headers)
        return secret_values(sent.headers, kept, uri=sent.uri, query=self._rules.query)

    def secrets(self, exchange: Exchange) -> set[str]:
        """Return what no part of the recording may hold: keys, cookies, accounts.

        Values of other headers and parameters are looked for in their own interaction only: an
        application's name or a date may stand in another one's prompt.
        """
        pairs = tuple(
            (name, value) for name, value in (*exchange.raw.pairs, *exchange.headers)
            if name in NEVER or names_a_secret(name)
        )  # fmt: skip
        address, _, query = exchange.uri.partition("?")
        named = [part for part in query.split("&") if names_a_secret(part.partition("=")[0])]
        uri = f"{address}?{'&'.join(named)}"
        return set(secret_values(pairs, RESPONSE_HEADERS, uri=uri))

    def key(self, request: RecordedRequest) -> bytes:
        """Return what tells requests apart."""
        return keys(request.method, request.uri, request.body).exact

    def leaks(self, interactions: Iterable[Interaction], secrets: set[str]) -> list[str]:
        """Return the places of secrets in interactions, and the rules that know them."""
        return [str(leak) for leak in scan(interactions, tuple(sorted(secrets)))]
