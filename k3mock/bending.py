"""Turns options, styles and faults into what they do to one answer; pipeline layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock import respond
from k3mock.errors import K3MockError
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import bend
from k3mock.protocol.knobs import apply_knobs

if TYPE_CHECKING:
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Hosts
    from k3mock.options import RequestOptions
    from k3mock.protocol.style import Style
    from k3mock.respond import Delivery, Taken


def turned(taken: Taken, style: Style, bent: Bend) -> Taken:
    """Return the request with the knobs turned: the style's, the faults', its own."""
    given = {**style.wire, **bent.wire, **taken.options.wire}
    return replace(taken, wire=apply_knobs(taken.wire, given)) if given else taken


def pinned(taken: Taken, pace: str) -> Bend | Delivery:
    """Return what the faults of the request's own options do, or their answer."""
    calls = [parse_call(text) for text in taken.options.faults]
    bent = bend(calls, taken.host.profile)
    if not bent.exclusive:
        return bent
    label = "fault:" + "+".join(bent.names)
    return respond.bent(turned(taken, respond.STYLE, bent), bent, label, pace)


def early(options: RequestOptions, hosts: Hosts) -> bool:
    """Say whether a pinned fault answers before the request's body was read to its end."""
    if not options.faults:
        return False
    try:
        calls = [parse_call(text) for text in options.faults]
        return bend(calls, hosts.get(options.profile).profile).early
    except K3MockError:
        # What is wrong is said when the request is answered.
        return False
