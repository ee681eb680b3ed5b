"""Turns `/__k3mock__/…` into health, the journal, misses and resets; adapters layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from k3mock.contract.parse import same_key
from k3mock.protocol.failure import mock_error
from k3mock.protocol.policy import WirePolicy
from k3mock.settings import LOOPBACK
from k3mock.version import __version__
from k3mock.wire.failure import encode_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request

    from k3mock.asgi.driver import Driver
    from k3mock.journal import JournalEntry
    from k3mock.pipeline import Pipeline
    from k3mock.settings import Settings

PREFIX = "/__k3mock__"
MAX_PAGE = 1000
_NUMBER = re.compile(r"[0-9]{1,18}")
_FILTERS = ("session", "profile", "source", "status", "end")


def control_routes(pipeline: Pipeline, driver: Driver, settings: Settings) -> Sequence[Route]:
    """Return the routes of the control API."""
    control = _Control(pipeline, driver, settings)
    return [
        Route(f"{PREFIX}/health", control.health, methods=["GET"]),
        Route(f"{PREFIX}/requests", control.guarded(control.requests), methods=["GET"]),
        Route(f"{PREFIX}/requests/{{id}}", control.guarded(control.request), methods=["GET"]),
        Route(f"{PREFIX}/misses", control.guarded(control.misses), methods=["GET"]),
        Route(f"{PREFIX}/reset", control.guarded(control.reset), methods=["POST"]),
        Route(
            PREFIX + "/{rest:path}",
            control.unknown,
            methods=["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        ),
    ]


def problem(status: int, message: str) -> Response:
    """Return an error that the mock itself makes."""
    error = mock_error(message, status=status)
    body, kind = encode_error(error, WirePolicy())
    return Response(body, status, dict(error.headers), kind)


class _Control:
    def __init__(self, pipeline: Pipeline, driver: Driver, settings: Settings) -> None:
        self._pipeline = pipeline
        self._driver = driver
        self._settings = settings

    def guarded(
        self, answer: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Let only this machine's own programs, or holders of the control key, through."""

        async def guarded(request: Request) -> Response:
            problem = self._refusal(request.headers)
            return problem if problem is not None else await answer(request)

        return guarded

    def _refusal(self, headers: Mapping[str, str]) -> Response | None:
        key = self._settings.control_key
        if key is not None:
            given = headers.get("authorization", "").removeprefix("Bearer ").strip()
            if not same_key(given, key):
                return problem(401, "the control API needs `Authorization: Bearer <control key>`")
        elif not self._settings.loopback:
            return problem(
                403, "the control API is off on this address; start with --control-key KEY"
            )
        host = _host_name(headers.get("host", ""))
        if self._settings.loopback and host not in LOOPBACK:
            return problem(403, f"the Host {host[:100]!r} is not this server's")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            return problem(403, "requests from other origins are refused")
        return None

    async def health(self, _request: Request) -> Response:
        host = self._pipeline.hosts.default
        return JSONResponse(
            {
                "status": "ok",
                "version": __version__,
                "profile": host.profile.name,
                "tokenizer": host.template.counter.vocabulary.label,
                "open_answers": self._driver.open_answers,
            }
        )

    async def requests(self, request: Request) -> Response:
        query = request.query_params
        unknown = set(query) - {*_FILTERS, "limit", "after"}
        numbers = [query.get("limit", "100"), query.get("after", "-1").removeprefix("-")]
        if unknown or not all(_NUMBER.fullmatch(number) for number in numbers):
            known = ", ".join((*_FILTERS, "limit", "after"))
            return problem(400, f"query parameters are {known}; limit and after are numbers")
        limit = min(max(1, int(query.get("limit", "100"))), MAX_PAGE)

        def keep(entry: JournalEntry) -> bool:
            shown = {
                "session": entry.session,
                "profile": entry.profile,
                "source": entry.source,
                "status": str(entry.status),
                "end": entry.outcome.end,
            }
            return all(shown[name] == query[name] for name in _FILTERS if name in query)

        found, following = self._pipeline.journal.page(
            after=int(query.get("after", "-1")), limit=limit, keep=keep
        )
        return JSONResponse({"requests": [entry.as_json() for entry in found], "next": following})

    async def request(self, request: Request) -> Response:
        entry = self._pipeline.journal.find(request.path_params["id"])
        if entry is None:
            return problem(404, "no request of that id is in the journal")
        return JSONResponse(entry.as_json())

    async def misses(self, request: Request) -> Response:
        query = request.query_params
        if set(query) - {"session"}:
            return problem(400, "the query parameter is session")
        found = self._pipeline.misses.all(query.get("session"))
        return JSONResponse({"misses": [miss.as_json() for miss in found]})

    async def reset(self, request: Request) -> Response:
        session = request.query_params.get("session")
        recorder = self._pipeline.recorder
        found = await recorder.publish(session) if recorder is not None else []
        if session is None:
            self._pipeline.sessions.reset()
        else:
            self._pipeline.sessions.drop(session)
        self._pipeline.journal.clear(session)
        self._pipeline.misses.clear(session)
        if found:
            return problem(422, "; ".join(found))
        return JSONResponse({"status": "ok"})

    async def unknown(self, request: Request) -> Response:
        asked = f"{request.method} {request.url.path[:200]}"
        known = ("GET health", "GET requests", "GET misses", "POST reset")
        listed = ", ".join(each.replace(" ", f" {PREFIX}/") for each in known)
        return problem(404, f"no control address {asked!r}; known: {listed}")


def _host_name(host: str) -> str:
    """Return a Host header's name without its port, in lower case."""
    host = host.lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")
