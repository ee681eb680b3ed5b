"""Turns options, styles and faults into what they do to one answer; pipeline layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from k3mock import respond
from k3mock.delivery.pacing import parsed_pace
from k3mock.fault.bend import UNBENT
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import bend
from k3mock.protocol.knobs import apply_knobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Hosts
    from k3mock.options import RequestOptions
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.style import Style
    from k3mock.respond import Delivery, Taken


def chosen(faults: Sequence[str], profile: Profile) -> Bend:
    """Return what the faults of a request's own options do at a host.

    Raises:
        FaultError: an unknown fault, or a parameter that it does not take.
    """
    return bend([parse_call(text) for text in faults], profile) if faults else UNBENT


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a request's own options do to its answer: its faults, and the dialect that is left."""

    bend: Bend
    wire: WirePolicy


def ready(taken: Taken, pace: str, own: Chosen | None) -> Taken:
    """Return the request with what its own options do to its answer, whichever that will be."""
    speed = parsed_pace(pace).speed
    if own is not None:
        return replace(taken, wire=own.wire, bend=own.bend, speed=speed)
    return taken if taken.speed == speed else replace(taken, speed=speed)


def turned(taken: Taken, style: Style, bent: Bend) -> Taken:
    """Return a ready request with the knobs turned: the style's, the faults', its own."""
    if bent is taken.bend and not style.wire:
        return taken
    given = {**style.wire, **bent.wire, **taken.options.wire}
    return replace(taken, wire=apply_knobs(taken.wire, given), bend=bent)


def pinned(taken: Taken, pace: str) -> Delivery | None:
    """Return the answer of the faults of the request's own options, where they leave no other."""
    if not taken.bend.exclusive:
        return None
    label = "fault:" + "+".join(taken.bend.names)
    return respond.bent(taken, taken.bend, label, pace)


def early(options: RequestOptions, hosts: Hosts) -> bool:
    """Say whether a pinned fault answers before the request's body was read to its end."""
    return chosen(options.faults, hosts.get(options.profile).profile).early
