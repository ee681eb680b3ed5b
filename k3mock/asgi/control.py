"""Turns `/__k3mock__/…` into what has happened and what is loaded, and changes it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from k3mock.asgi.control_answers import PREFIX, ControlError, answered, asked, refused
from k3mock.asgi.control_cassettes import CassetteControl
from k3mock.asgi.control_events import Feed
from k3mock.asgi.control_journal import JournalControl
from k3mock.asgi.control_metrics import Tally, exposition
from k3mock.asgi.control_page import page, page_file, to_page
from k3mock.asgi.control_request import RequestControl
from k3mock.asgi.control_scenarios import ScenarioControl
from k3mock.asgi.control_sessions import SessionControl
from k3mock.asgi.control_switches import SwitchControl
from k3mock.contract.parse import same_key
from k3mock.settings import LOOPBACK
from k3mock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import TypeAlias

    from starlette.requests import Request

    from k3mock.asgi.driver import Driver
    from k3mock.pipeline import Pipeline
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.source import ScenarioSource
    from k3mock.switches import Switches

    Answer: TypeAlias = Callable[[Request], Awaitable[Response]]

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_NO_STORE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the control API looks at and changes."""

    pipeline: Pipeline
    driver: Driver
    scenarios: ScenarioSource
    context: Context
    switches: Switches
    tally: Tally
    feed: Feed = field(default_factory=Feed)


def control_routes(parts: Parts) -> Sequence[Route]:
    """Return the routes of the control API."""
    return _Control(parts).routes()


class _Control:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._settings = parts.pipeline.settings
        pipeline, driver, scenarios = parts.pipeline, parts.driver, parts.scenarios
        journal = JournalControl(pipeline)
        one = RequestControl(pipeline, scenarios)
        scripts = ScenarioControl(pipeline, driver, scenarios, parts.context)
        sessions = SessionControl(pipeline, driver, scenarios)
        switches = SwitchControl(pipeline, driver, parts.switches)
        self._table: Sequence[tuple[str, str, Answer]] = (
            ("GET", "requests", journal.requests),
            ("GET", "requests/{id}", journal.request),
            ("GET", "requests/{id}/writes", one.writes),
            ("GET", "requests/{id}/why", one.why),
            ("GET", "requests/{id}/copy", one.copy),
            ("GET", "overview", journal.overview),
            ("GET", "misses", journal.misses),
            ("GET", "verdict", journal.verdict),
            ("GET", "scenarios", scripts.show),
            ("POST", "scenarios", scripts.add),
            ("DELETE", "scenarios", scripts.remove),
            ("GET", "cassettes", CassetteControl(pipeline).show),
            ("GET", "faults", switches.faults),
            ("GET", "switches", switches.show),
            ("POST", "switches", switches.add),
            ("DELETE", "switches", switches.remove),
            ("POST", "sessions", sessions.open),
            ("DELETE", "sessions/{name:path}", sessions.end),
            ("POST", "reset", sessions.reset),
            ("GET", "events", parts.feed.events),
            ("GET", "metrics", self._metrics),
            ("GET", "openapi.json", self._openapi),
        )

    def routes(self) -> Sequence[Route]:
        return [
            Route(f"{PREFIX}/health", self._health, methods=["GET"]),
            Route(PREFIX, to_page, methods=["GET"]),
            Route(f"{PREFIX}/", self._guarded(page, keyless=True), methods=["GET"]),
            Route(
                f"{PREFIX}/inspector/{{file}}",
                self._guarded(page_file, keyless=True),
                methods=["GET"],
            ),
            *(
                Route(f"{PREFIX}/{path}", self._guarded(answer), methods=[method])
                for method, path, answer in self._table
            ),
            Route(PREFIX + "/{rest:path}", self._guarded(self._unknown), methods=_METHODS),
        ]

    def _guarded(self, answer: Answer, *, keyless: bool = False) -> Answer:
        """Let only this machine's own programs, or holders of the control key, through.

        A browser that opens the page cannot give a key yet; the page asks for it (`keyless`).
        """

        async def guarded(request: Request) -> Response:
            try:
                self._admit(request.headers, keyless=keyless)
                return await answer(request)
            except ControlError as error:
                return refused(error)

        return guarded

    def _admit(self, headers: Mapping[str, str], *, keyless: bool) -> None:
        key = self._settings.control_key
        if key is not None:
            given = headers.get("authorization", "").removeprefix("Bearer ").strip()
            if not keyless and not same_key(given, key):
                raise ControlError(
                    401, "the control API needs `Authorization: Bearer <control key>`"
                )
        elif not self._settings.loopback:
            raise ControlError(
                403, "the control API is off on this address; start with --control-key KEY"
            )
        host = _host_name(headers.get("host", ""))
        if self._settings.loopback and host not in LOOPBACK:
            raise ControlError(403, f"the Host {host[:100]!r} is not this server's")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            raise ControlError(403, "requests from other origins are refused")

    async def _health(self, _request: Request) -> Response:
        host = self._parts.pipeline.hosts.default
        return answered(
            {
                "status": "ok",
                "version": __version__,
                "profile": host.profile.name,
                "tokenizer": host.template.counter.vocabulary.label,
                "open_answers": self._parts.driver.open_answers,
            }
        )

    async def _metrics(self, request: Request) -> Response:
        asked(request)
        parts, pipeline = self._parts, self._parts.pipeline
        gauges: dict[str, tuple[str, float]] = {
            "k3mock_streams_open": ("Streams under way.", parts.driver.open_streams),
            "k3mock_answers_open": (
                "Answers under way, streams among them.", parts.driver.open_answers
            ),
            "k3mock_sessions": ("Sessions that are remembered.", len(pipeline.sessions)),
            "k3mock_journal_entries": ("Requests in the journal.", len(pipeline.journal)),
            "k3mock_journal_bytes": ("What the journal holds, about.", pipeline.journal.bytes),
            "k3mock_misses": ("Misses that are remembered.", len(pipeline.misses.all())),
            "k3mock_event_readers": ("Clients that follow the events.", parts.feed.readers),
        }  # fmt: skip
        text, kind = await asyncio.to_thread(exposition, parts.tally.copy(), gauges)
        return Response(text, headers=_NO_STORE, media_type=kind)

    async def _openapi(self, request: Request) -> Response:
        asked(request)
        return answered(resources.files("k3mock.asgi").joinpath("openapi.json").read_bytes())

    async def _unknown(self, request: Request) -> Response:
        path = request.path_params["rest"]
        asked_for = f"{request.method} {request.url.path[:200]}"
        table = (
            ("GET", ""),
            ("GET", "health"),
            *((method, path) for method, path, _ in self._table),
        )
        other = [
            method for method, known in table
            if known == path or ("{" in known and path.startswith(known.partition("{")[0]))
        ]  # fmt: skip
        if other:
            allowed = ", ".join(other)
            raise ControlError(405, f"{asked_for}: this address takes {allowed}", allow=allowed)
        known = ", ".join(
            f"{method} {PREFIX}/{each.replace(':path', '')}" for method, each in table
        )
        raise ControlError(404, f"no control address {asked_for!r}; known: {known}")


def _host_name(host: str) -> str:
    """Return a Host header's name without its port, in lower case."""
    host = host.lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")
