"""Turns changes of scenario files into a new set of scenarios, while the server runs; source layer.

Files are looked at twice a second, on the event loop; they are read in a thread. A broken edit
leaves the last good set in place.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.scenario.files import scenario_files, stamp
from k3mock.scenario.load import load_library
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from k3mock.clock import Clock, Signal
    from k3mock.scenario.files import Stamp
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.source import ScenarioSource

POLL_MS = 500.0


class Watcher:
    """Looks after the files of one server."""

    def __init__(
        self,
        source: ScenarioSource,
        sources: tuple[str, ...],
        context: Context,
    ) -> None:
        self._source = source
        self._sources = sources
        self._context = context
        self._seen: Mapping[Path, Stamp] = source.library.stamps

    async def watch(self, clock: Clock, stop: Signal) -> None:
        """Look again and again, until `stop` is raised."""
        while not stop.raised:
            await clock.wait_until(clock.monotonic_ms() + POLL_MS, stop)
            if not stop.raised:
                await self.look()

    async def look(self) -> None:
        """Read the files again if any has changed since the last look."""
        now = self._now()
        if now == self._seen:
            return
        self._seen = now
        try:
            library = await asyncio.to_thread(load_library, self._sources, self._context)
            # Files are as they were before they were read, so that a later edit is seen; those of
            # a broken set, too, of which one may be missing.
            self._seen = library.stamps
            self._source.load(library)
        except ScenarioError as error:
            self._trouble(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it was, the next edit must be seen
            self._trouble(f"{type(error).__name__}: {error}")
        else:
            count = len(library.scenarios)
            self._source.note(f"the scenarios have changed: {count} loaded")

    def _trouble(self, told: str) -> None:
        self._source.trouble = " ".join(told.split())[:1000]
        self._source.note(f"scenarios have changed, the last good set answers: {told}")

    def _now(self) -> Mapping[Path, Stamp]:
        """Return how the files are that were read last, and those that have come since."""
        files, _ = scenario_files(self._sources)
        return {path: stamp(path) for path in (*files, *self._seen)}
