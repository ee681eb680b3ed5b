"""Turns a running server into what a test holds: a session of its own; handle layer."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.journal import JournalEntry
    from k3mock.serving import MockServer

FINISH_TIMEOUT_S = 60.0


class K3Mock:
    """One session on a running server.

    `base_url` and `api_key` are what a client takes; requests made through them are isolated from
    every other session (counters, cache, journal). `options` are further options of the base URL,
    such as `{"scenario": "hello"}`.
    """

    api_key = "sk-k3mock"

    def __init__(
        self, server: MockServer, session: str, options: Mapping[str, object] | None = None
    ) -> None:
        self.server = server
        self.session = session
        self._options = dict(options or {})

    @property
    def base_url(self) -> str:
        chosen = {"session": self.session, **self._options}
        written = ";".join(
            f"{name}={quote(str(value), safe='=,:(){}')}" for name, value in chosen.items()
        )
        return f"{self.server.address}/with/{written}/v1"

    @property
    def requests(self) -> list[JournalEntry]:
        """What arrived in this session, oldest first."""
        return self.server.app.journal.entries(self.session)

    @property
    def last_request(self) -> JournalEntry | None:
        """The newest request of this session."""
        return next(reversed(self.requests), None)

    @property
    def misses(self) -> list[str]:
        """What nothing answered in this session, in words."""
        return [miss.message for miss in self.server.app.pipeline.misses.all(self.session)]

    def reset(self) -> None:
        """Forget this session's counters, cache and journal."""
        self.server.app.pipeline.sessions.drop(self.session)
        self.server.app.journal.clear(self.session)
        self.server.app.pipeline.misses.clear(self.session)

    def finish(self) -> list[str]:
        """End the session: publish what it recorded and forget it; return what went wrong."""
        if self.server.app.pipeline.recorder is None:
            self.reset()
            return []
        address = f"{self.server.address}/__k3mock__/reset?session={quote(self.session)}"
        headers = {}
        if self.server.settings.control_key is not None:
            headers["Authorization"] = f"Bearer {self.server.settings.control_key}"
        asked = urllib.request.Request(address, b"", headers)  # noqa: S310 - the server's own
        try:
            urllib.request.urlopen(asked, timeout=FINISH_TIMEOUT_S).close()  # noqa: S310 - as above
        except urllib.error.HTTPError as error:
            return [str(json.loads(error.read())["error"]["message"])]
        return []
