"""Turns a running server into what a test holds: a session of its own; handle layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.journal import JournalEntry
    from k3mock.serving import MockServer


class K3Mock:
    """One session on a running server.

    `base_url` and `api_key` are what a client takes; requests made through them are isolated from
    every other session (counters, cache, journal).
    """

    api_key = "sk-k3mock"

    def __init__(self, server: MockServer, session: str) -> None:
        self.server = server
        self.session = session

    @property
    def base_url(self) -> str:
        return f"{self.server.address}/with/session={self.session}/v1"

    @property
    def requests(self) -> list[JournalEntry]:
        """What arrived in this session, oldest first."""
        return self.server.app.journal.entries(self.session)

    @property
    def last_request(self) -> JournalEntry | None:
        """The newest request of this session."""
        return next(reversed(self.requests), None)

    def reset(self) -> None:
        """Forget this session's counters, cache and journal."""
        self.server.app.pipeline.sessions.drop(self.session)
        self.server.app.journal.clear(self.session)
        self.server.app.pipeline.misses.clear(self.session)
