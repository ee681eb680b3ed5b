"""Turns requests about faults and limits into what is switched on for requests to come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from k3mock.asgi.control_answers import ControlError, answered, asked, chosen_session, posted
from k3mock.errors import K3MockError, one_line
from k3mock.fault.catalogue import KINDS, catalogue_rows
from k3mock.limits import TIERS
from k3mock.options import RequestOptions

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from k3mock.asgi.driver import Driver
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.pipeline import Pipeline
    from k3mock.switches import Switches

_FORM = '{"fault": "NAME(key:value)", "limits": "tier1", "session": "t1", "times": 3}'
_KEYS = frozenset(("fault", "limits", "session", "times"))
_MOST_TIMES = 1_000_000


class SwitchControl:
    """Switches faults and limits on and off, and lists the faults that there are."""

    def __init__(self, pipeline: Pipeline, driver: Driver, switches: Switches) -> None:
        self._pipeline = pipeline
        self._driver = driver
        self._switches = switches

    async def faults(self, request: Request) -> Response:
        """List the faults of a host."""
        name = asked(request, "profile").get("profile")
        try:
            profile = self._pipeline.hosts.get(name).profile
        except K3MockError as error:
            raise ControlError(404, one_line(error)) from error
        rows: list[JSONValue] = list(catalogue_rows(profile))
        kinds: JSONObject = dict(KINDS)
        tiers: list[JSONValue] = list(TIERS)
        return answered({"profile": profile.name, "kinds": kinds, "faults": rows, "tiers": tiers})

    async def show(self, request: Request) -> Response:
        asked(request)
        return answered({"switches": [each.as_json() for each in self._switches.all()]})

    async def add(self, request: Request) -> Response:
        """Switch a fault or limits on, for a session or all, for some requests or all."""
        asked(request)
        if self._pipeline.recorder is not None:
            raise ControlError(409, "this server records; faults do not act while it does")
        given = _given(await posted(request, self._driver))
        fault, limits = _text(given, "fault"), _text(given, "limits")
        if fault is None and limits is None:
            raise ControlError(400, f"the body names a fault, limits or both: {_FORM}")
        session, times = chosen_session(_text(given, "session")), _times(given)
        faults = () if fault is None else (fault,)
        try:
            self._pipeline.check(RequestOptions(faults=faults, limits=limits))
            made = self._switches.add(fault=fault, limits=limits, session=session, times=times)
        except K3MockError as error:
            raise ControlError(400, one_line(error)) from error
        return answered(made.as_json(), 201)

    async def remove(self, request: Request) -> Response:
        """Switch one off, or all."""
        name = asked(request, "id").get("id")
        gone = self._switches.remove(name)
        if name is not None and not gone:
            raise ControlError(404, f"no switch {name[:100]!r}")
        return answered({"removed": [each.id for each in gone]})


def _given(body: bytes) -> JSONObject:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise ControlError(400, f"the body is no JSON; it is {_FORM}") from None
    if not isinstance(given, dict) or set(given) - _KEYS:
        raise ControlError(400, f"the body is {_FORM}, each key as you like")
    found: JSONObject = given
    return found


def _text(given: JSONObject, key: str) -> str | None:
    value = given.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise ControlError(400, f"{key!r} is a text, such as in {_FORM}")
    return value if isinstance(value, str) else None


def _times(given: JSONObject) -> int | None:
    value = given.get("times")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MOST_TIMES:
        raise ControlError(400, f"'times' is a number of requests, from 1 to {_MOST_TIMES}")
    return value
