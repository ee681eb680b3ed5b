"""Turns the options of a request into a mistake, where one has no such value; pipeline layer.

They are looked at before anything is answered: a mistake shows on every path, whoever would have
answered there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock import bending, respond
from k3mock.bending import Chosen
from k3mock.delivery.pacing import parsed_pace
from k3mock.limits import parse_limits
from k3mock.protocol.knobs import apply_knobs

if TYPE_CHECKING:
    from k3mock.hosts import Hosts
    from k3mock.matching.source import ScriptSource
    from k3mock.options import RequestOptions
    from k3mock.settings import Settings


class Checking:
    """Checks the options of one server's requests.

    A cassette's name is not among them: that there is none is a miss, as for any recording.
    """

    def __init__(self, settings: Settings, hosts: Hosts, scripts: ScriptSource | None) -> None:
        self._settings = settings
        self._hosts = hosts
        self._scripts = scripts
        self._fit = lru_cache(maxsize=256)(self._bend)

    def check(self, options: RequestOptions) -> None:
        """Look at every value.

        Raises:
            K3MockError: what is wrong with one of them, and what is accepted.
        """
        self._hosts.get(options.profile)
        if options.pace is not None:
            parsed_pace(respond.chosen_pace(options, self._settings.pace))
        if options.limits is not None:
            parse_limits(options.limits)
        self.own(options)
        if options.scenario is not None and self._scripts is not None:
            self._scripts.check(options.scenario)

    def own(self, options: RequestOptions) -> Chosen | None:
        """Return what a request's own faults and knobs do at its host; None where it has none.

        Raises:
            K3MockError: one of them has a value that it does not take.
        """
        if not (options.faults or options.wire):
            return None
        return self._fit(options.profile, options.faults, tuple(options.wire.items()))

    def _bend(
        self, name: str | None, faults: tuple[str, ...], wire: tuple[tuple[str, str], ...]
    ) -> Chosen:
        profile = self._hosts.get(name).profile
        bent = bending.chosen(faults, profile)
        return Chosen(bent, apply_knobs(profile.wire, {**bent.wire, **dict(wire)}))
