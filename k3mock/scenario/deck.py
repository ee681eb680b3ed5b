"""Turns scenarios into the set that one session's requests are compared with; source layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from k3mock.scenario.order import ordered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from k3mock.scenario.model import Scenario
    from k3mock.scenario.order import Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Deck:
    """Scenarios in the order in which they are asked.

    Attributes:
        named: by name.
        orders: their turns, made for finding.
        bending: those without turns, the strongest last.
    """

    scenarios: tuple[Scenario, ...]
    named: Mapping[str, Scenario]
    orders: Sequence[Order]
    bending: Sequence[Scenario]
    _alone: dict[str, Sequence[Order]] = field(default_factory=dict)

    @staticmethod
    def of(layers: Sequence[Sequence[Scenario]]) -> Deck:
        """Prepare scenarios; of one name there is one.

        At one priority, each turn of a layer goes before all of the next one.
        """
        scenarios = tuple(each for layer in layers for each in layer)
        priorities = sorted({each.priority for each in scenarios}, reverse=True)
        piles = [
            [each for each in layer if each.priority == priority]
            for priority in priorities
            for layer in layers
        ]
        return Deck(
            scenarios=scenarios,
            named={each.name: each for each in scenarios},
            orders=tuple(order for pile in piles for order in ordered(pile)),
            bending=sorted(
                (each for layer in reversed(layers) for each in layer if not each.turns),
                key=lambda each: each.priority,
            ),
        )

    def alone(self, scenario: Scenario) -> Sequence[Order]:
        """Return the turns of one scenario, of this set or a shipped one, made for finding."""
        orders = self._alone.get(scenario.name)
        if orders is None:
            orders = self._alone[scenario.name] = ordered([scenario])
        return orders
