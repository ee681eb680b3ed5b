"""Turns questions about one request into its writes, its reasons and copies of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import Response

from k3mock.asgi.control_answers import HEADERS, ControlError, answered, asked, chosen, paged
from k3mock.errors import K3MockError, one_line
from k3mock.inspecting.copies import FORMS, copied
from k3mock.inspecting.timeline import answer_of, shown, snapshot, timeline
from k3mock.inspecting.why import Asking, why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from k3mock.inspecting.timeline import Timeline
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Pipeline
    from k3mock.scenario.source import ScenarioSource


class RequestControl:
    """What is known of one request beside its journal entry."""

    def __init__(self, pipeline: Pipeline, scenarios: ScenarioSource) -> None:
        self._pipeline = pipeline
        self._scenarios = scenarios

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

    async def why(self, request: Request) -> Response:
        """Tell who answered and why, and how near each turn came."""
        asked(request)
        entry = self._entry(request)
        pipeline = self._pipeline
        before = pipeline.journal.entries(entry.session)
        asking = Asking(
            hosts=pipeline.hosts,
            scenarios=self._scenarios,
            session=pipeline.sessions.known(entry.session),
            seed=pipeline.intake.seed,
            attempt=_attempt(entry, before),
        )
        misses = pipeline.misses.all(entry.session)
        miss = next((each.as_json() for each in misses if each.id == entry.id), None)
        return answered(await asyncio.to_thread(why, entry, asking, miss))

    async def copy(self, request: Request) -> Response:
        """Give a request as a curl command, a scenario or a test."""
        query = asked(request, "as")
        form = chosen(query, "as", FORMS)
        entry = self._entry(request)
        taken = snapshot(entry)
        base = str(request.base_url).rstrip("/")
        try:
            text = await asyncio.to_thread(lambda: copied(timeline(entry, *taken), form, base))
        except K3MockError as error:
            raise ControlError(409, one_line(error)) from error
        return Response(text, headers=HEADERS, media_type="text/plain")


def _attempt(entry: JournalEntry, entries: Sequence[JournalEntry]) -> int:
    """Return how often the very same request had come, this time included."""
    same = [each for each in entries if each.fingerprint == entry.fingerprint]
    return 1 + sum(each.arrived_ms < entry.arrived_ms for each in same)


def _page(line: Timeline, after: int, limit: int) -> JSONObject:
    page = shown(line, after=after, limit=limit)
    return {**page, "answer": None if page["running"] else answer_of(line)}
