"""Turns requests about sessions into fresh ones, and into the end of old ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.asgi.control_answers import ControlError, answered, asked, posted
from k3mock.options import MOST_SESSION_CHARS

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.asgi.driver import Driver
    from k3mock.pipeline import Pipeline
    from k3mock.scenario.source import ScenarioSource


class SessionControl:
    """Makes, resets and ends sessions."""

    def __init__(self, pipeline: Pipeline, driver: Driver, scenarios: ScenarioSource) -> None:
        self._pipeline = pipeline
        self._driver = driver
        self._scenarios = scenarios
        self._made = 0

    async def open(self, request: Request) -> Response:
        """Make a session; it tells the base URL to give to a client."""
        asked(request)
        name = _named(await posted(request, self._driver))
        sessions = self._pipeline.sessions
        if name is None:
            name = self._unused()
        elif sessions.peek(name) is not None:
            raise ControlError(409, f"there is a session {name!r} already; choose another name, or "
                               "end it first: DELETE sessions/NAME")  # fmt: skip
        sessions.get(name)
        root = str(request.base_url).rstrip("/")
        base = f"{root}/with/session={quote(name, safe='')}/v1"
        return answered({"session": name, "base_url": base}, 201)

    def _unused(self) -> str:
        while True:
            self._made += 1
            name = f"session-{self._made}"
            if self._pipeline.sessions.peek(name) is None:
                return name

    async def end(self, request: Request) -> Response:
        """Publish what a session has recorded, and forget it with all that is its own."""
        asked(request)
        name: str = request.path_params["name"]
        if not self._known(name):
            raise ControlError(404, f"there is no session {name[:MOST_SESSION_CHARS]!r}")
        await self._forget(name)
        return answered({"status": "ok", "session": name})

    def _known(self, name: str) -> bool:
        pipeline = self._pipeline
        kept = pipeline.sessions.peek(name) is not None or self._scenarios.scripts.get(name)
        return bool(kept) or bool(pipeline.journal.entries(name) or pipeline.misses.all(name))

    async def reset(self, request: Request) -> Response:
        """Forget what has happened in one session or in all, and scenarios of their own."""
        await self._forget(asked(request, "session").get("session"))
        return answered({"status": "ok"})

    async def _forget(self, session: str | None) -> None:
        pipeline = self._pipeline
        found = await pipeline.recorder.publish(session) if pipeline.recorder is not None else []
        if session is None:
            pipeline.sessions.reset()
        else:
            pipeline.sessions.drop(session)
        pipeline.journal.clear(session)
        pipeline.misses.clear(session)
        if found:
            raise ControlError(422, "; ".join(found))


def _named(body: bytes) -> str | None:
    """Return the name that the body asks for, if it does."""
    if not body.strip():
        return None
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise ControlError(400, 'the body is no JSON; it is {"name": "…"}, or empty') from None
    if not isinstance(given, dict) or set(given) - {"name"}:
        raise ControlError(400, 'the body is {"name": "…"}, or empty')
    name = given.get("name")
    if name is None:
        return None
    if not isinstance(name, str) or not 0 < len(name.strip()) <= MOST_SESSION_CHARS:
        raise ControlError(400, f"a session's name has 1 to {MOST_SESSION_CHARS} characters")
    if not name.isprintable() or name != name.strip():
        raise ControlError(400, "a session's name is printable, without spaces at its ends")
    return name
