"""Turns the names of faults into their descriptions and effects: the catalogue; faults layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from k3mock.errors import K3MockError, did_you_mean
from k3mock.fault.bend import UNBENT, Bend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.style import FaultCall


class FaultError(K3MockError):
    """A fault is unknown, or a parameter of it is."""

    code = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An entry of the catalogue.

    Attributes:
        name: what the client sees.
        about: one sentence.
        kind: `error`, `connection`, `stream`, `shape` or `reply`.
        parameters: name to (what it takes, default as text).
        seen: where it was seen in the field.
        make: gives the effect for checked parameters at a host.
    """

    name: str
    about: str
    kind: str
    make: Callable[[Mapping[str, JSONValue], Profile], Bend]
    parameters: Mapping[str, str] = field(default_factory=dict)
    seen: str = ""


CATALOGUE: Mapping[str, Fault] = {}


def known_names(profile: Profile) -> frozenset[str]:
    """Return the names of all faults at a host: its own errors and the catalogue."""
    return frozenset(CATALOGUE) | frozenset(profile.errors)


def bend(calls: Sequence[FaultCall], profile: Profile) -> Bend:
    """Return what faults do together at a host.

    Raises:
        FaultError: an unknown fault, or a parameter that it does not take.
    """
    result = UNBENT
    for call in calls:
        result = result.then(_bend_one(call, profile))
    return result


def _bend_one(call: FaultCall, profile: Profile) -> Bend:
    preset = profile.errors.get(call.name)
    if preset is not None:
        return Bend(names=(call.name,), instead=preset.error())
    fault = CATALOGUE.get(call.name)
    if fault is None:
        known = did_you_mean(call.name[:60], known_names(profile))
        raise FaultError(f"unknown fault {call.name[:60]!r}", accepted=known)
    return fault.make(call.parameters, profile).then(Bend(names=(call.name,)))
