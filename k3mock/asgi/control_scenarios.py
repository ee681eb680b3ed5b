"""Turns requests about scenarios into a listing, and into changes of what is loaded."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.asgi.control_answers import (
    ControlError,
    answered,
    asked,
    chosen_session,
    paged,
    posted,
)
from k3mock.errors import one_line
from k3mock.options import DEFAULT_SESSION
from k3mock.redact import hide_in
from k3mock.scenario.jsontext import as_yaml
from k3mock.scenario.load import load_text
from k3mock.scenario.problem import ScenarioError
from k3mock.scenario.scripted import REPLY, WHEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.asgi.driver import Driver
    from k3mock.jsonvalue import JSONValue
    from k3mock.pipeline import Pipeline
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.load import Library
    from k3mock.scenario.source import ScenarioSource

NAME = "scenario"
"""How messages name the text that came."""

_MOST_PROBLEMS = 100


class ScenarioControl:
    """What is loaded, and what is posted."""

    def __init__(
        self, pipeline: Pipeline, driver: Driver, scenarios: ScenarioSource, context: Context
    ) -> None:
        self._pipeline = pipeline
        self._driver = driver
        self._scenarios = scenarios
        self._context = context
        self._keys = pipeline.settings.keys

    async def show(self, request: Request) -> Response:
        """Show what answers in a session, and how often each turn has."""
        query = asked(request, "session", "limit", "after")
        after, limit = paged(query)
        name = chosen_session(query.get("session")) or DEFAULT_SESSION
        session = self._pipeline.sessions.known(name)
        listed = self._scenarios.listing(session)
        shown = listed[after + 1 : after + 1 + limit]
        end = after + len(shown)
        return answered({
            "session": name,
            "scenarios": self._clean(list(shown)),
            "next": end if shown and end + 1 < len(listed) else None,
            "trouble": self._clean(self._scenarios.trouble) or None,
            "problems": self._problems(self._scenarios.library),
        })  # fmt: skip

    async def add(self, request: Request) -> Response:
        """Add scenarios, or replace those of the same names, for all sessions or for one."""
        session = chosen_session(asked(request, "session").get("session"))
        if self._pipeline.recorder is not None:
            raise ControlError(409, "this server records; scenarios do not answer while it does")
        raw = await posted(request, self._driver)
        if not raw.strip():
            raise ControlError(400, "the body is a scenario, as YAML or JSON")
        library = await asyncio.to_thread(_read, raw, self._context)
        self._refuse_broken(library)
        reserved = next(
            (each.name for each in library.scenarios if each.name in {REPLY, WHEN}), None
        )
        if reserved is not None:
            raise ControlError(400, f"the name {reserved!r} is k3mock's own; choose another one")
        try:
            replaced = self._scenarios.post(library, session, len(raw))
        except ScenarioError as error:
            raise ControlError(413, one_line(error)) from error
        names = [scenario.name for scenario in library.scenarios]
        self._start_again(names, session)
        return answered({
            "loaded": list(names),
            "replaced": list(replaced),
            "session": session,
            "problems": self._problems(library),
        }, 201)  # fmt: skip

    def _refuse_broken(self, library: Library) -> None:
        if not library.broken:
            return
        first = next(each for each in library.problems if each.severity == "error")
        message = f"the scenario cannot be used: {' '.join(str(first).split())[:2000]}"
        shown = self._clean(message)
        raise ControlError(400, str(shown), more={"problems": self._problems(library)})

    def _problems(self, library: Library) -> JSONValue:
        listed: Sequence[JSONValue] = [each.as_json() for each in library.problems]
        return self._clean(list(listed[:_MOST_PROBLEMS]))

    def _clean(self, value: JSONValue) -> JSONValue:
        return hide_in(value, self._keys)

    def _start_again(self, names: Sequence[str], session: str | None) -> None:
        """Count the turns of what was posted from the start."""
        for each in self._pipeline.sessions.all():
            if session in {None, each.name}:
                for name in names:
                    each.forget_uses(name)

    async def remove(self, request: Request) -> Response:
        """Forget what was posted: all, or one name, or a session's own."""
        query = asked(request, "session", "name")
        session, name = chosen_session(query.get("session")), query.get("name")
        gone = self._scenarios.unpost(session, name)
        if name is not None and not gone:
            raise ControlError(404, f"no scenario {name[:100]!r} was posted; those of files stay")
        return answered({"removed": list(gone)})


def _read(raw: bytes, context: Context) -> Library:
    return load_text(as_yaml(raw), NAME, context)
