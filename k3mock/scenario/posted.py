"""Turns scenarios that came while the server runs into layers over its files; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from k3mock.scenario.model import Scenario

MAX_SCENARIOS = 1000
MAX_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class _Kept:
    scenario: Scenario
    size: float


class Posted:
    """Scenarios for all sessions (None) or for one, by name; bounded by their number and bytes."""

    def __init__(self) -> None:
        self._layers: dict[str | None, dict[str, _Kept]] = {}

    def add(self, scenarios: Sequence[Scenario], session: str | None, size: int) -> list[str]:
        """Add scenarios or replace those of the same names; return the names that were replaced.

        `size` is how long they are as text, together.

        Raises:
            ScenarioError: there is no room; everything stays as it was.
        """
        layer = self._layers.get(session, {})
        each = size / max(1, len(scenarios))
        added = {scenario.name: _Kept(scenario, each) for scenario in scenarios}
        kept = [*self._others(session, added), *added.values()]
        if len(kept) > MAX_SCENARIOS or sum(one.size for one in kept) > MAX_BYTES:
            raise ScenarioError(
                "there is no room for more posted scenarios", found=f"{len(kept)} scenarios",
                accepted=f"up to {MAX_SCENARIOS} scenarios and {MAX_BYTES} bytes of all sessions",
                hint="forget some: DELETE scenarios, or DELETE sessions/NAME",
            )  # fmt: skip
        self._layers[session] = {**layer, **added}
        return [name for name in added if name in layer]

    def _others(self, session: str | None, names: Iterable[str]) -> Iterator[_Kept]:
        """Yield what is kept beside those names of a session."""
        for owner, layer in self._layers.items():
            for name, kept in layer.items():
                if owner != session or name not in names:
                    yield kept

    def remove(self, session: str | None, name: str | None = None) -> list[str]:
        """Forget a session's own, or those for all; one name, or each. Return the names."""
        layer = self._layers.get(session, {})
        gone = [each for each in layer if name in {None, each}]
        for each in gone:
            del layer[each]
        if not layer:
            self._layers.pop(session, None)
        return gone

    def owners(self) -> tuple[str | None, ...]:
        """Return for whom there is anything."""
        return tuple(self._layers)

    def layers(self, files: Sequence[Scenario]) -> tuple[tuple[Scenario, ...], ...]:
        """Return what requests of any session are compared with, a layer after the other.

        Those for all sessions go first, then those of files whose names are not among them.
        """
        layer = self._layers.get(None, {})
        posted = tuple(kept.scenario for kept in layer.values())
        return posted, tuple(each for each in files if each.name not in layer)

    def origin(self, scenario: Scenario) -> str:
        """Say where a scenario for all sessions comes from."""
        return "posted" if scenario.name in self._layers.get(None, {}) else "file"
