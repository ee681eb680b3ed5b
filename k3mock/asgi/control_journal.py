"""Turns questions about what has happened into journal pages, misses and the verdict."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.asgi.control_answers import (
    FILTERS,
    VIEWS,
    ControlError,
    answered,
    asked,
    chosen,
    entry_bytes,
    kept_by,
    paged,
    written,
)
from k3mock.inspecting.brief import brief
from k3mock.inspecting.overview import overview
from k3mock.verdict.judge import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Pipeline

PAGE_BYTES = 16_000_000
"""A page holds no more of bodies, but always one entry."""


class JournalControl:
    """What requests came, and which of them nothing answered."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    async def requests(self, request: Request) -> Response:
        query = asked(request, *FILTERS, "limit", "after", "view", "order")
        after, limit = paged(query)
        newest = chosen(query, "order", ("oldest", "newest")) == "newest"
        if chosen(query, "view", VIEWS) == "brief":
            return answered(await asyncio.to_thread(self._brief, query, newest=newest))
        if newest:
            raise ControlError(400, "order=newest is that of view=brief")
        found, following = self._pipeline.journal.page(
            after=after,
            limit=limit,
            max_bytes=PAGE_BYTES,
            keep=lambda entry: kept_by(query, entry),
        )
        shown = b",".join(await written(found))
        cursor = b"null" if following is None else str(following).encode()
        return answered(b'{"requests":[' + shown + b'],"next":' + cursor + b"}")

    def _brief(self, query: Mapping[str, str], *, newest: bool) -> JSONObject:
        """Return a page of entries without headers and bodies, and how many there are in all."""
        after, limit = paged(query)
        found = [each for each in self._pipeline.journal.numbered() if kept_by(query, each[1])]
        if newest:
            found.reverse()
        behind = [
            each for each in found
            if after < 0 or (each[0] < after if newest else each[0] > after)
        ]  # fmt: skip
        shown = behind[:limit]
        return {
            "requests": [brief(entry) for _, entry in shown],
            "next": shown[-1][0] if len(behind) > len(shown) else None,
            "total": len(found),
        }

    async def overview(self, request: Request) -> Response:
        """Count what happened over time, for pictures."""
        query = asked(request, *FILTERS)
        found = await asyncio.to_thread(self._counted, query)
        return answered(found)

    def _counted(self, query: Mapping[str, str]) -> JSONObject:
        numbered = self._pipeline.journal.numbered()
        return overview([entry for _, entry in numbered if kept_by(query, entry)])

    async def request(self, request: Request) -> Response:
        asked(request)
        entry = self._pipeline.journal.find(request.path_params["id"])
        if entry is None:
            raise ControlError(404, "no request of that id is in the journal")
        return answered(entry_bytes(entry))

    async def misses(self, request: Request) -> Response:
        query = asked(request, "session", "limit", "after")
        after, limit = paged(query)
        found, following = self._pipeline.misses.page(
            query.get("session"), after=after, limit=limit
        )
        return answered({"misses": [miss.as_json() for miss in found], "next": following})

    async def verdict(self, request: Request) -> Response:
        query = asked(request, "session")
        entries = self._pipeline.journal.entries(query.get("session"))
        found = await asyncio.to_thread(judge, entries)
        return answered(found.as_json())
