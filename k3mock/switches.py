"""Turns what was switched on from outside into options of the requests that follow; pipeline layer.

A switch adds a fault or sets limits for the next requests, of one session or of any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from k3mock.errors import SettingsError

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.options import RequestOptions

MAX_SWITCHES = 100


@dataclass(slots=True, kw_only=True)
class Switch:
    """A fault or limits for requests to come.

    Attributes:
        id: its name in the control API.
        fault: a fault, as the option `fault` takes it.
        limits: limits, as the option `limits` takes them.
        session: whose requests; None is anybody's.
        left: for so many requests more; None is until it is switched off.
        hits: the requests that it acted on.
    """

    id: str
    fault: str | None = None
    limits: str | None = None
    session: str | None = None
    left: int | None = None
    hits: int = 0

    def meets(self, session: str) -> bool:
        """Say whether it acts on a session's next request."""
        return self.left != 0 and self.session in {None, session}

    def as_json(self) -> JSONObject:
        return {name: getattr(self, name) for name in self.__slots__}


class Switches:
    """What is switched on at one server, oldest first."""

    def __init__(self) -> None:
        self._switches: list[Switch] = []
        self._made = 0

    def all(self) -> list[Switch]:
        """Return those that act, and those whose requests have all come."""
        return list(self._switches)

    def add(
        self, *, fault: str | None, limits: str | None, session: str | None, times: int | None
    ) -> Switch:
        """Switch something on; whether the values can be used was looked at before.

        Raises:
            SettingsError: too many act already.
        """
        if len(self._switches) >= MAX_SWITCHES:
            self._switches = [each for each in self._switches if each.left != 0]
        if len(self._switches) >= MAX_SWITCHES:
            raise SettingsError(f"{MAX_SWITCHES} switches are on", hint="switch some off first")
        self._made += 1
        made = Switch(
            id=f"switch-{self._made}", fault=fault, limits=limits, session=session, left=times
        )
        self._switches.append(made)
        return made

    def remove(self, switch: str | None) -> list[Switch]:
        """Switch one off, or (None) all; returns what is gone."""
        gone = [each for each in self._switches if switch in {None, each.id}]
        self._switches = [each for each in self._switches if each not in gone]
        return gone

    def forget(self, session: str | None) -> None:
        """Switch off what is one session's own, or (None) everything."""
        self._switches = [
            each for each in self._switches if session is not None and each.session != session
        ]

    def applied(self, options: RequestOptions) -> RequestOptions:
        """Return the options of a request with what is switched on for it; this counts it."""
        for switch in self._switches:
            if switch.meets(options.session):
                options = _with(options, switch)
                switch.hits += 1
                switch.left = None if switch.left is None else switch.left - 1
        return options


def _with(options: RequestOptions, switch: Switch) -> RequestOptions:
    """Lay a switch over options; limits that a request chose for itself stay."""
    if switch.fault is not None:
        options = replace(options, faults=(*options.faults, switch.fault))
    if switch.limits is not None and options.limits is None:
        options = replace(options, limits=switch.limits)
    return options
