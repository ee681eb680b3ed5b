"""Turns a journal entry into an attempt: a chat request and how it ended; verdict layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from k3mock.jsonvalue import JSONObject, as_list, as_object

if TYPE_CHECKING:
    from k3mock.answered import Answered
    from k3mock.journal import JournalEntry

CHAT = "/chat/completions"
_COUNT = re.compile("[0-9]{1,6}")


@dataclass(frozen=True)
class Attempt:
    """One chat request; times are milliseconds on a clock that never goes back.

    A snapshot: what the entry says of its end is read once, `ended_ms` is None while it runs.
    """

    entry: JournalEntry
    end: str | None
    ended_ms: float | None
    events: int

    @staticmethod
    def of(entry: JournalEntry) -> Attempt:
        """Read an entry, which may still change."""
        outcome = entry.outcome
        taken_ms = outcome.duration_ms
        ended_ms = None if taken_ms is None else entry.arrived_ms + taken_ms
        return Attempt(entry=entry, end=outcome.end, ended_ms=ended_ms, events=outcome.events)

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def session(self) -> str:
        return self.entry.session

    @property
    def arrived(self) -> float:
        return self.entry.arrived

    @property
    def started_ms(self) -> float:
        return self.entry.arrived_ms

    @property
    def answer(self) -> Answered | None:
        return self.entry.answer

    @property
    def status(self) -> int | None:
        """The status of the answer; None where none was sent."""
        return self.entry.status

    @cached_property
    def body(self) -> JSONObject:
        return as_object(self.entry.body) or {}

    @cached_property
    def messages(self) -> list[JSONObject]:
        return [as_object(item) or {} for item in as_list(self.body.get("messages")) or []]

    @property
    def retry_count(self) -> int | None:
        """How often the SDK says that it has tried before; None where it does not say."""
        told = self.entry.headers.get("x-stainless-retry-count", "")
        return int(told) if _COUNT.fullmatch(told) else None

    @property
    def good(self) -> bool:
        """Whether the status is that of an answer of the model."""
        return self.status is not None and self.status < 300

    @property
    def whole(self) -> bool:
        """Whether everything up to the finish reached the client."""
        if not self.good:
            return False
        if self.answer is None:
            return self.end == "complete"
        after = self.answer.whole_after
        return after is not None and self.events >= after

    @property
    def failed(self) -> bool:
        """Whether it ended, and not with a whole answer."""
        return self.end is not None and not self.whole

    @property
    def broken(self) -> bool:
        """Whether the server ended an answer of the model before it was whole."""
        return self.good and self.failed and self.end in {"fault", "complete"}

    @property
    def left(self) -> bool:
        """Whether the client closed the connection before the answer was over."""
        return self.end == "client_disconnect"

    def ended_by(self, moment_ms: float) -> bool:
        """Say whether it had ended at a time."""
        return self.ended_ms is not None and self.ended_ms <= moment_ms


def read_attempts(entries: list[JournalEntry]) -> list[Attempt]:
    """Return the chat requests among journal entries, oldest first."""
    chats = (entry for entry in entries if entry.method == "POST" and entry.path.endswith(CHAT))
    return sorted(map(Attempt.of, chats), key=lambda attempt: attempt.started_ms)
