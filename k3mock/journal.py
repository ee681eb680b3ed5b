"""Turns requests and their answers into a bounded record without secrets; witness layer."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from k3mock.redact import REDACTED, Kept, clean_text, names_a_secret
from k3mock.redaction.rules import NEVER
from k3mock.writes import Keeper, Writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from k3mock.answered import Answered
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.usage import Usage

MAX_ENTRIES = 10_000
MAX_BYTES = 64_000_000
MAX_BODY_BYTES = 4_000_000
"""Larger bodies are kept by their first part only."""

_KEPT_OF_LARGE = 65_536
_HEADER_CHARS = 4096


@dataclass(slots=True)
class Outcome:
    """How an answer ended; `end` is None while it runs.

    `end` is `complete`, `client_disconnect`, `fault` or `error`. Times are milliseconds from the
    moment the request was taken, `lateness_ms` is the worst delay of a write behind its deadline.
    """

    end: str | None = None
    events: int = 0
    tokens: int = 0
    bytes: int = 0
    ttft_ms: float | None = None
    duration_ms: float | None = None
    lateness_ms: float = 0.0

    def as_json(self) -> JSONObject:
        return {
            "end": self.end,
            "events": self.events,
            "tokens": self.tokens,
            "bytes": self.bytes,
            "ttft_ms": None if self.ttft_ms is None else round(self.ttft_ms, 3),
            "duration_ms": None if self.duration_ms is None else round(self.duration_ms, 3),
            "lateness_ms": round(self.lateness_ms, 3),
        }


@dataclass(slots=True, kw_only=True)
class JournalEntry:
    """One request: as received, as forwarded, effective values, who answered, how it ended.

    `kept` and `kept_forwarded` are the bodies, `usage` is what a generated answer cost; `endings`
    are called once, when the answer has ended.
    `arrived` is in seconds since 1970, `arrived_ms` on the clock that never goes back;
    `fingerprint` is the same for all attempts of one call; `answer` is what a successful answer was
    to say, `refusal` how an error names itself, `retry_after_s` how long the client is to wait.
    `counted` are the bytes that the journal counts for the entry, 0 once it is forgotten; `writes`
    is what left for the client, which has a budget of its own.
    """

    id: str
    session: str
    profile: str
    method: str
    path: str
    headers: Mapping[str, str]
    kept: Kept = field(default_factory=Kept)
    body_bytes: int = 0
    kept_forwarded: Kept | None = None
    effective: JSONObject | None = None
    source: str | None = None
    status: int | None = None
    warnings: list[ApiError] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)
    usage: Usage | None = None
    arrived: float = 0.0
    arrived_ms: float = 0.0
    fingerprint: str = ""
    answer: Answered | None = None
    refusal: str | None = None
    retry_after_s: float | None = None
    counted: int = 0
    writes: Writes = field(default_factory=Writes)
    endings: list[Callable[[JournalEntry], None]] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        """The bytes of the body as received, without what looks like a key."""
        return self.kept.shown()

    @property
    def forwarded_raw(self) -> bytes | None:
        """The bytes of the body as the engine saw it."""
        return None if self.kept_forwarded is None else self.kept_forwarded.shown()

    @property
    def body(self) -> JSONValue:
        """The body as received: JSON where it is JSON, text where it is not, None without one."""
        return _shown(self.raw)

    @property
    def json(self) -> Any:  # noqa: ANN401 - a test looks into it without narrowing
        """The body as `body` gives it, to look into: `entry.json["messages"][0]`."""
        return self.body

    @property
    def forwarded(self) -> JSONValue:
        """The body as the engine saw it; None for what was refused before it was understood."""
        raw = self.forwarded_raw
        return None if raw is None else _shown(raw)

    @property
    def size(self) -> int:
        """Bytes that the entry holds, about."""
        heads = len("".join(self.headers)) + len("".join(self.headers.values()))
        kept, copy = self.kept, self.kept_forwarded
        own = 0 if copy is None or copy is kept else len(copy)
        said = 0 if self.answer is None else self.answer.size
        return len(kept) + own + heads + len(self.path) + said + 512

    def as_json(self) -> JSONObject:
        """Return the entry as the control API shows it."""
        return {
            "id": self.id,
            "session": self.session,
            "profile": self.profile,
            "method": self.method,
            "path": self.path,
            "source": self.source,
            "status": self.status,
            "received": {
                "headers": dict(self.headers),
                "body": self.body,
                **({"cut_from_bytes": self.body_bytes} if self.body_bytes > MAX_BODY_BYTES else {}),
            },
            "forwarded": self.forwarded,
            "effective": self.effective,
            "warnings": [
                {
                    "rule": found.rule,
                    "message": found.message,
                    "path": found.path,
                    **({"level": "info"} if found.info else {}),
                }
                for found in self.warnings
            ],
            "outcome": self.outcome.as_json(),
            "arrived": round(self.arrived, 6),
            "arrived_ms": round(self.arrived_ms, 3),
            "fingerprint": self.fingerprint,
            "answer": None if self.answer is None else self.answer.as_json(),
            "refusal": self.refusal,
            "retry_after_s": self.retry_after_s,
        }


class Journal:
    """The newest requests of all sessions, bounded by entries and by bytes of their bodies."""

    def __init__(self, *, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES) -> None:
        self._entries: OrderedDict[int, JournalEntry] = OrderedDict()
        self._next = 0
        self._bytes = 0
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._keeper = Keeper()
        self._listeners: list[Callable[[JournalEntry], None]] = []
        self._welcomers: list[Callable[[JournalEntry], None]] = []
        # Tests read and clear from threads of their own.
        self._lock = threading.Lock()

    def add(self, entry: JournalEntry) -> None:
        """Note a request that has arrived."""
        with self._lock:
            self._entries[self._next] = entry
            self._next += 1
            entry.counted = entry.size
            self._bytes += entry.counted
            self._trim()
        for welcomer in self._welcomers:
            welcomer(entry)

    def forward(self, entry: JournalEntry, kept: Kept) -> None:
        """Note the body that the engine sees; a copy of its own counts like any other bytes."""
        entry.kept_forwarded = kept
        if kept is not entry.kept:
            self._count_again(entry)

    def _count_again(self, entry: JournalEntry) -> None:
        with self._lock:
            if entry.counted:
                before, entry.counted = entry.counted, entry.size
                self._bytes += entry.counted - before
                self._trim()

    def _trim(self) -> None:
        while len(self._entries) > self._max_entries or (
            self._bytes > self._max_bytes and len(self._entries) > 1
        ):
            _, dropped = self._entries.popitem(last=False)
            self._drop(dropped)

    def _drop(self, entry: JournalEntry) -> None:
        self._bytes -= entry.counted
        entry.counted = 0
        self._keeper.drop(entry.writes)

    def end(self, entry: JournalEntry, end: str, duration_ms: float) -> None:
        """Note how an answer ended; the first word counts."""
        if entry.outcome.end is None:
            entry.outcome.end = end
            entry.outcome.duration_ms = duration_ms
            self._count_again(entry)
            self._keep_writes(entry)
            for listener in (*entry.endings, *self._listeners):
                listener(entry)

    def _keep_writes(self, entry: JournalEntry) -> None:
        with self._lock:
            if entry.counted:
                self._keeper.keep(entry.writes)

    def listen(self, listener: Callable[[JournalEntry], None]) -> None:
        """Call `listener` for every answer that ends."""
        self._listeners.append(listener)

    def welcome(self, listener: Callable[[JournalEntry], None]) -> None:
        """Call `listener` for every request that arrives."""
        self._welcomers.append(listener)

    @property
    def bytes(self) -> int:
        """How much the entries hold, about."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self, session: str | None = None) -> list[JournalEntry]:
        """Return the entries, oldest first, of one session or of all."""
        return [
            entry for _, entry in self.numbered() if session is None or entry.session == session
        ]

    def page(
        self,
        *,
        after: int = -1,
        limit: int = 100,
        max_bytes: int = MAX_BYTES,
        keep: Callable[[JournalEntry], bool],
    ) -> tuple[list[JournalEntry], int | None]:
        """Return up to `limit` entries behind cursor `after`, and the cursor to go on with.

        There are fewer where they would hold more than `max_bytes`, but always one.
        """
        found: list[JournalEntry] = []
        last = after
        size = 0
        for number, entry in self.numbered():
            if number <= after or not keep(entry):
                continue
            size += entry.size
            if len(found) == limit or (found and size > max_bytes):
                return found, last
            found.append(entry)
            last = number
        return found, None

    def numbered(self) -> Iterator[tuple[int, JournalEntry]]:
        """Yield the entries with the cursors that lead to what follows them, oldest first."""
        with self._lock:
            return iter(list(self._entries.items()))

    def find(self, entry_id: str) -> JournalEntry | None:
        """Return the newest entry of that id."""
        found = (entry for _, entry in self.numbered() if entry.id == entry_id)
        return next(reversed(list(found)), None)

    def clear(self, session: str | None = None) -> None:
        """Forget the entries of one session or of all."""
        with self._lock:
            for number, entry in list(self._entries.items()):
                if session is None or entry.session == session:
                    del self._entries[number]
                    self._drop(entry)


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers as the journal keeps them: secrets hidden by name and by look, values cut."""
    return {
        name: REDACTED if hides(name) else clean_text(value)[:_HEADER_CHARS]
        for name, value in headers.items()
    }


def hides(name: str) -> bool:
    """Say whether the value of a header is not for the journal."""
    return names_a_secret(name) or name in NEVER


def kept_body(body: bytes, *known: str) -> Kept:
    """Return what the journal keeps of a body: all of it, or the first part of a large one."""
    return Kept(body if len(body) <= MAX_BODY_BYTES else body[:_KEPT_OF_LARGE], known)


def _shown(raw: bytes) -> JSONValue:
    if not raw:
        return None
    try:
        shown: JSONValue = json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")
    return shown
