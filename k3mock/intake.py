"""Turns an arrival into a `Taken` request: host, session, ids, journal entry; pipeline layer."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.journal import JournalEntry, hides, kept_body, without_secrets
from k3mock.past import Past
from k3mock.redact import clean_text
from k3mock.redaction.heads import secret_values
from k3mock.respond import Taken
from k3mock.seed import Seed
from k3mock.wire.chunks import shows_usage
from k3mock.wire.text import encode
from k3mock.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.clock import Clock
    from k3mock.hosts import Hosts
    from k3mock.jsonvalue import JSONObject
    from k3mock.memory import State
    from k3mock.options import RequestOptions
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import RawRequest
    from k3mock.redaction.heads import Pairs
    from k3mock.settings import Settings
    from k3mock.state import Session
    from k3mock.work import Examined

_MOST_TOLD = 1000
_TOLD_CHARS = 2000
"""So many sets of headers are remembered, if they are not longer than this."""


class Intake:
    """Takes requests in, into the sessions and the journal of a server's state."""

    def __init__(
        self, settings: Settings, hosts: Hosts, state: State, *, clock: Clock, seed: Seed
    ) -> None:
        self.sessions = state.sessions
        self.journal = state.journal
        self._settings = settings
        self._hosts = hosts
        self._clock = clock
        self.seed = seed
        self._arrived = 0
        self._told: dict[Pairs, tuple[Mapping[str, str], tuple[str, ...]]] = {}

    def take(
        self,
        raw: RawRequest,
        options: RequestOptions,
        body: JSONObject | ApiError,
        digest: bytes,
        past: Past | None = None,
    ) -> Taken:
        """Note the arrival: look up host and session, draw the ids, open the journal entry."""
        host = self._hosts.get(options.profile)
        session = self.sessions.get(options.session)
        headers, secrets = self._heads(raw)
        seed = self.seed if options.seed is None else _seeded(options.seed)
        occurrence = session.count(digest)
        ids = seed.answer_ids(digest, occurrence, self._clock.now())
        entry = JournalEntry(
            id=self._entry_id(seed, session, digest, occurrence),
            session=session.name,
            profile=host.profile.name,
            method=raw.method,
            path=clean_text(raw.path),
            headers=headers,
            kept=kept_body(raw.body if _is_text(raw) else b"", *secrets),
            body_bytes=raw.size,
            arrived=self._clock.now(),
            arrived_ms=self._clock.monotonic_ms(),
            fingerprint=_fingerprint(raw, digest),
            writes=Writes(secrets=secrets),
        )
        self.journal.add(entry)
        return Taken(
            raw=raw, host=host, session=session, options=options, seed=seed, ids=ids,
            digest=digest, occurrence=occurrence, body=body, entry=entry,
            wire=host.profile.wire, started_ms=entry.arrived_ms, secrets=secrets,
            past=past or Past(),
        )  # fmt: skip

    def _heads(self, raw: RawRequest) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Return headers as the journal keeps them, and the keys that nothing in it may show."""
        pairs = tuple(raw.headers.items())
        known = self._told.get(pairs)
        if known is None:
            telling = tuple(pair for pair in pairs if hides(pair[0]))
            listed = self._hosts.default.profile.keys
            secrets = (*self._settings.api_keys, *listed, *secret_values(telling))
            known = without_secrets(raw.headers), secrets
            if len(self._told) >= _MOST_TOLD:
                self._told.clear()
            if sum(len(name) + len(value) for name, value in pairs) <= _TOLD_CHARS:
                self._told[pairs] = known
        return known

    def _entry_id(self, seed: Seed, session: Session, digest: bytes, occurrence: int) -> str:
        if seed.value is None:
            self._arrived += 1
            return f"req_{self._arrived:06d}"
        named = hashlib.blake2b(digest_size=8)
        for part in (session.name.encode(), digest, occurrence.to_bytes(8)):
            named.update(part)
        return f"req_{named.hexdigest()}"

    def note(self, taken: Taken, examined: Examined) -> None:
        """Fill in what the journal shows of a request that was understood."""
        entry, request = taken.entry, examined.request
        forwarded = entry.kept
        if taken.host.profile.forward is not None:
            body = encode(request.body, escape=False)
            forwarded = kept_body(body, *taken.secrets)
        self.journal.forward(entry, forwarded)
        entry.effective = {
            "reasoning_effort": request.effort,
            "max_completion_tokens": examined.cap,
            "stream": request.stream,
            "include_usage": shows_usage(taken.wire, request.include_usage),
        }


def _is_text(raw: RawRequest) -> bool:
    return not raw.headers.get("content-type", "").startswith("multipart/")


def _fingerprint(raw: RawRequest, digest: bytes) -> str:
    """Identify a call: another key, or another type of the body, makes another one."""
    named = hashlib.blake2b(digest, digest_size=8)
    for name in ("authorization", "content-type"):
        named.update(raw.headers.get(name, "").encode("utf-8", "replace") + b"\0")
    return named.hexdigest()


@lru_cache(maxsize=256)
def _seeded(value: int) -> Seed:
    return Seed(value)
