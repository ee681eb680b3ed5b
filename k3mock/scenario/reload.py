"""Turns changes of scenario files into a new set of scenarios, while the server runs; source layer.

Files are looked at twice a second, on the event loop; they are read in a thread. A broken edit
leaves the last good set in place.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from k3mock.scenario.files import scenario_files
from k3mock.scenario.load import load_library
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from k3mock.clock import Clock, Signal
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.load import Library
    from k3mock.scenario.source import ScenarioSource

POLL_MS = 500.0

Stamp = dict[str, tuple[int, int]]


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
        self._seen = self._stamp()

    async def watch(self, clock: Clock, stop: Signal) -> None:
        """Look again and again, until `stop` is raised."""
        while not stop.raised:
            await clock.wait_until(clock.monotonic_ms() + POLL_MS, stop)
            if not stop.raised:
                await self.look()

    async def look(self) -> None:
        """Read the files again if any has changed since the last look."""
        now = self._stamp()
        if now == self._seen:
            return
        self._seen = now
        try:
            library = await asyncio.to_thread(load_library, self._sources, self._context)
            self._take(library)
        except ScenarioError as error:
            self._source.trouble = " ".join(str(error).split())[:1000]
            self._source.note(f"scenarios have changed, the last good set answers: {error}")

    def _take(self, library: Library) -> None:
        self._source.load(library)
        # A text beside a scenario may be named for the first time.
        self._seen = self._stamp()
        count = len(library.scenarios)
        self._source.note(f"the scenarios have changed: {count} loaded")

    def _stamp(self) -> Mapping[str, tuple[int, int]]:
        """Return time and size of each file, whatever can be found of it."""
        stamp: Stamp = {}
        for path in (*self._known(), *self._source.library.files):
            try:
                found = path.stat()
            except OSError:
                stamp[str(path)] = (0, 0)
            else:
                stamp[str(path)] = (found.st_mtime_ns, found.st_size)
        return stamp

    def _known(self) -> Iterable[Path]:
        try:
            return scenario_files(self._sources)
        except (ScenarioError, OSError):
            return ()
