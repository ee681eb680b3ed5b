"""Turns questions about cassettes into their interactions, and what was served of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.asgi.control_answers import answered, asked, chosen_session, paged
from k3mock.cassette.listing import listing
from k3mock.options import DEFAULT_SESSION
from k3mock.redact import hide_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.jsonvalue import JSONValue
    from k3mock.pipeline import Pipeline


class CassetteControl:
    """The cassettes that answer."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    async def show(self, request: Request) -> Response:
        """List cassettes with their interactions, and what a session was given of them."""
        query = asked(request, "session", "limit", "after")
        after, limit = paged(query)
        name = chosen_session(query.get("session")) or DEFAULT_SESSION
        pipeline = self._pipeline
        session, settings = pipeline.sessions.known(name), pipeline.settings
        rows, total = await asyncio.to_thread(
            listing, pipeline.replaying.shelf, session, after, limit
        )
        end = after + len(rows)
        found: list[JSONValue] = [*rows]
        return answered({
            "session": name,
            "recording": settings.record,
            "cassettes": hide_in(found, settings.keys),
            "next": end if rows and end + 1 < total else None,
        })  # fmt: skip
