"""Turns the way in which an answer is given into values: knobs, pace, faults; values layer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCall:
    """A fault of the catalogue by name, with its parameters as written."""

    name: str
    parameters: Mapping[str, JSONValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """A fault that happens with a probability from 0 to 1."""

    fault: FaultCall
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How an answer is given, beside what it says; None leaves the choice to others.

    Attributes:
        wire: knobs (see `k3mock.protocol.knobs`), read already.
        pace: a pace as text.
        faults: in the order in which they act.
        chaos: faults that are drawn.
        cached: the cached tokens that usage shows.
        usage: keys that replace those of the usage object.
        headers: further response headers.
        show_usage: False shows no usage at all.
    """

    wire: Mapping[str, JSONValue] = field(default_factory=dict)
    pace: str | None = None
    faults: tuple[FaultCall, ...] = ()
    chaos: tuple[Draw, ...] = ()
    cached: int | None = None
    usage: JSONObject | None = None
    headers: tuple[tuple[str, str], ...] = ()
    show_usage: bool = True

    def over(self, below: Style) -> Style:
        """Return this style laid over another: what is set here wins, faults add up."""
        return replace(
            self,
            wire={**below.wire, **self.wire},
            pace=self.pace if self.pace is not None else below.pace,
            faults=(*below.faults, *self.faults),
            chaos=(*below.chaos, *self.chaos),
            cached=self.cached if self.cached is not None else below.cached,
            usage=self.usage if self.usage is not None else below.usage,
            headers=(*below.headers, *self.headers),
            show_usage=self.show_usage and below.show_usage,
        )
