"""Turns all that a server remembers into one value behind one interface; witness layer.

Everything that outlives a request is in here: sessions with their sequences, limits, caches and
uploads, the journal, and the scenarios that came at run time. `InMemory` keeps it in this process.
A store that several processes share would be another `State`; nobody else would notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from k3mock.journal import Journal
from k3mock.scenario.added import Added
from k3mock.state import SessionStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.journal import JournalEntry
    from k3mock.redact import Kept
    from k3mock.scenario.kinds import Context
    from k3mock.state import Session


class Sessions(Protocol):
    """All sessions by name."""

    def get(self, name: str) -> Session:
        """Return the session of that name, made on first sight."""

    def known(self, name: str) -> Session:
        """Return a session to read from, an empty one where there is none."""

    def peek(self, name: str) -> Session | None:
        """Return the session of that name, if it is there."""

    def all(self) -> list[Session]:
        """Return all sessions."""

    def drop(self, name: str) -> None:
        """Forget one session."""

    def reset(self) -> None:
        """Forget all sessions."""

    def listen(self, listener: Callable[[str | None], None]) -> None:
        """Call `listener` with the name of each session that is forgotten, None for all."""

    def __len__(self) -> int: ...


class Record(Protocol):
    """The journal: what came and how it ended."""

    @property
    def bytes(self) -> int:
        """How much the entries hold, about."""

    def add(self, entry: JournalEntry) -> None:
        """Note a request that has arrived."""

    def forward(self, entry: JournalEntry, kept: Kept) -> None:
        """Note the body that the engine sees."""

    def end(self, entry: JournalEntry, end: str, duration_ms: float) -> None:
        """Note how an answer ended; the first word counts."""

    def listen(self, listener: Callable[[JournalEntry], None]) -> None:
        """Call `listener` for every answer that ends."""

    def welcome(self, listener: Callable[[JournalEntry], None]) -> None:
        """Call `listener` for every request that arrives."""

    def entries(self, session: str | None = None) -> list[JournalEntry]:
        """Return the entries, oldest first, of one session or of all."""

    def page(
        self,
        *,
        after: int = ...,
        limit: int = ...,
        max_bytes: int = ...,
        keep: Callable[[JournalEntry], bool],
    ) -> tuple[list[JournalEntry], int | None]:
        """Return up to `limit` entries behind cursor `after`, and the cursor to go on with."""

    def numbered(self) -> Iterator[tuple[int, JournalEntry]]:
        """Yield the entries with their cursors."""

    def find(self, entry_id: str) -> JournalEntry | None:
        """Return the newest entry of that id."""

    def clear(self, session: str | None = None) -> None:
        """Forget the entries of one session or of all."""

    def __len__(self) -> int: ...


class State(Protocol):
    """All that a server remembers."""

    @property
    def sessions(self) -> Sessions:
        """What clients have left behind: sequences, limits, caches, uploads."""

    @property
    def journal(self) -> Record:
        """What came and how it ended."""

    @property
    def added(self) -> Added:
        """The scenarios that came at run time."""


class InMemory:
    """State of one process, gone when it ends."""

    def __init__(self, context: Context) -> None:
        self.sessions: Sessions = SessionStore()
        self.journal: Record = Journal()
        self.added = Added.to(context)
