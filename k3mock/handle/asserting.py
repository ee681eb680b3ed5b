"""Turns the journal of a session into the calls that a pattern matches; handle layer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from k3mock.clock import SystemClock
from k3mock.jsonvalue import as_object
from k3mock.matching.source import Asked
from k3mock.matching.view import View
from k3mock.redact import clean_text
from k3mock.state import Session
from k3mock.text import accounting
from k3mock.work import Read, examine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from k3mock.asgi.app import App
    from k3mock.handle.words import Fields
    from k3mock.journal import JournalEntry
    from k3mock.matching.pattern import Pattern

    Where: TypeAlias = "Fields | Callable[[JournalEntry], bool]"

SETTLE_S = 5.0
"""So long a reader waits for answers that still run."""

SHOWN = 20
_LINE_CHARS = 300


class NoRequestError(AssertionError):
    """A test asks for a request, and none has arrived."""


def settled(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Wait until all answers have ended, or for a few seconds."""
    clock = SystemClock()
    until = clock.monotonic_ms() + SETTLE_S * 1000
    for entry in entries:
        if not _running(entry):
            continue
        ended = threading.Event()
        # Noted before the second look, so that an end between the two is not missed.
        entry.endings.append(_setter(ended))
        if _running(entry):  # pragma: no branch - it seldom ends just now
            ended.wait(max(0.0, (until - clock.monotonic_ms()) / 1000))
    return list(entries)


def _setter(ended: threading.Event) -> Callable[[JournalEntry], None]:
    return lambda _: ended.set()


def _running(entry: JournalEntry) -> bool:
    return entry.outcome.end is None


class Seen:
    """The requests of one session as patterns see them."""

    def __init__(self, app: App, entries: Sequence[JournalEntry]) -> None:
        self._app = app
        paths = {path for entry in entries for path in self._paths(entry)}
        self.calls = [each for each in entries if each.method == "POST" and each.path in paths]

    def _paths(self, entry: JournalEntry) -> Iterable[str]:
        return self._app.hosts.get(entry.profile).profile.chat_paths

    def matching(self, pattern: Pattern) -> list[JournalEntry]:
        """Return the calls that a pattern matches."""
        return [entry for entry, view in self._views() if pattern.matches(view)]

    def difference(self, pattern: Pattern) -> str:
        """Say which call came nearest to a pattern, and what differed."""
        judged = [(entry, pattern.verdict(view)) for entry, view in self._views()]
        missed = [(entry, verdict) for entry, verdict in judged if not verdict.matched]
        if not missed:
            return ""
        entry, verdict = max(missed, key=lambda each: each[1].held)
        return (f"nearest: {entry.id}, {verdict.held} of {verdict.parts} parts hold; "
                f"{verdict.difference}")  # fmt: skip

    def _views(self) -> Iterable[tuple[JournalEntry, View]]:
        before: dict[bytes, int] = {}
        for entry in self.calls:
            before[entry.raw] = before.get(entry.raw, 0) + 1
            yield entry, self._view(entry, before[entry.raw])

    def _view(self, entry: JournalEntry, attempt: int) -> View:
        host, body = self._app.hosts.get(entry.profile), as_object(entry.body) or {}
        session = Session(entry.session)
        examined = examine(host, Read(body), entry.body_bytes, session, "off")
        return View(
            Asked(
                request=examined.request, body=body, headers=entry.headers, session=session,
                profile=entry.profile, seed=self._app.seed, attempt=attempt, retry=attempt > 1,
                prompt_tokens=lambda: accounting.prompt_tokens(examined.prompt, host.accounting),
            )
        )  # fmt: skip


def listed(entries: Sequence[JournalEntry]) -> str:
    """Return the newest requests, a line each: what arrived, who answered, how it ended."""
    left = len(entries) - SHOWN
    lines = [f"(the first {left} of {len(entries)} are not shown)"] if left > 0 else []
    return "\n".join([*lines, *(_line(entry) for entry in entries[-SHOWN:])])


def _line(entry: JournalEntry) -> str:
    outcome = entry.outcome
    ended = outcome.end or "still running"
    line = (
        f"{entry.id} {entry.method} {clean_text(entry.path)} -> {entry.status or 'no status'} "
        f"from {entry.source or 'nobody'}; {ended}, {outcome.tokens} tokens, {outcome.bytes} bytes"
    )
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…"
