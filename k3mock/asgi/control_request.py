"""Turns questions about one request into its writes, its reasons and copies of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.asgi.control_answers import ControlError, answered, asked, paged
from k3mock.inspecting.timeline import answer_of, shown, snapshot, timeline

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.inspecting.timeline import Timeline
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Pipeline


class RequestControl:
    """What is known of one request beside its journal entry."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def _entry(self, request: Request) -> JournalEntry:
        entry = self._pipeline.journal.find(request.path_params["id"])
        if entry is None:
            raise ControlError(404, "no request of that id is in the journal")
        return entry

    async def writes(self, request: Request) -> Response:
        """Show every write of an answer, when it was due and when it was made."""
        after, limit = paged(asked(request, "after", "limit"))
        entry = self._entry(request)
        taken = snapshot(entry)
        found = await asyncio.to_thread(lambda: _page(timeline(entry, *taken), after, limit))
        return answered(found)


def _page(line: Timeline, after: int, limit: int) -> JSONObject:
    page = shown(line, after=after, limit=limit)
    return {**page, "answer": None if page["running"] else answer_of(line)}
