"""Turns the names of faults into their descriptions and effects: the catalogue; faults layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.errors import nearest
from k3mock.fault import (
    calls,
    connection,
    cuts,
    instead,
    lengths,
    midstream,
    shapes,
    texts,
)
from k3mock.fault.bend import UNBENT, Bend
from k3mock.fault.entry import Fault, FaultError
from k3mock.fault.instead import engine_error, error_parameters, preset_fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.style import FaultCall

__all__ = ["CATALOGUE", "KINDS", "Fault", "FaultError", "bend", "breaks", "catalogue_rows",
           "check_call", "find_fault", "known_names", "mistakes", "named_error"]  # fmt: skip

KINDS: Mapping[str, str] = {
    "error": "instead of an answer",
    "connection": "before an answer begins",
    "stream": "in the midst of an answer",
    "reply": "in what the answer says",
    "shape": "in how the answer is written: presets of wire knobs",
}
"""What the kinds mean, in the order of listings."""

CATALOGUE: Mapping[str, Fault] = {
    fault.name: fault
    for module in (instead, connection, cuts, midstream, texts, lengths, calls, shapes)
    for fault in module.FAULTS
}


def known_names(profile: Profile) -> frozenset[str]:
    """Return the names of all faults at a host: its errors, its engine's and the catalogue."""
    behind = profile.engine.errors if profile.engine is not None else {}
    return frozenset(CATALOGUE) | frozenset(profile.errors) | frozenset(behind)


def find_fault(name: str, profile: Profile) -> Fault:
    """Return a fault at a host: the host's own error, the catalogue's, the engine's.

    Raises:
        FaultError: no such name.
    """
    preset = profile.errors.get(name)
    if preset is not None:
        return preset_fault(preset)
    fault = CATALOGUE.get(name)
    if fault is not None:
        return fault
    behind = engine_error(profile, name)
    if behind is None:
        raise _unknown(name, known_names(profile))
    return preset_fault(behind)


def _unknown(name: str, names: Collection[str]) -> FaultError:
    """Say what was meant; the names are too many for a message."""
    near = nearest(name[:60], names)
    accepted = f"did you mean {near!r}?" if near else f"one of {len(names)} names"
    return FaultError(f"unknown fault {name[:60]!r}", accepted=accepted,
                      hint="k3mock faults lists them all")  # fmt: skip


def check_call(call: FaultCall, names: Collection[str], profile: Profile | None = None) -> None:
    """Check a fault's name and parameters; for those who read it before an answer is due.

    `names` are the faults that exist (see `known_names`). Without a profile an error that only
    hosts know may have the parameters of any.

    Raises:
        FaultError: an unknown name, an unknown parameter, or a value that it does not take.
    """
    for error in mistakes(call, names, profile):
        raise error


def mistakes(
    call: FaultCall, names: Collection[str], profile: Profile | None = None
) -> Iterator[FaultError]:
    """Yield all that `check_call` could raise."""
    if call.name not in names:
        yield _unknown(call.name, names)
        return
    if profile is not None:
        fault = find_fault(call.name, profile)
    elif call.name in CATALOGUE:
        fault = CATALOGUE[call.name]
    else:
        fault = Fault(
            name=call.name, about="", kind="error", seen="", make=lambda _given, _profile: UNBENT,
            parameters=error_parameters(),
        )  # fmt: skip
    wrong = fault.mistakes(call.parameters)
    yield from wrong
    if profile is None or wrong:
        return
    try:
        fault.make(fault.given(call.parameters), profile)
    except FaultError as error:
        yield error


def breaks(name: str) -> bool:
    """Say whether a client is expected to try again: nothing came, an error, or half an answer."""
    fault = CATALOGUE.get(name)
    if fault is None or fault.kind in {"error", "connection"}:
        return True
    return fault.kind == "stream" and name not in _WHOLE


_WHOLE = frozenset({
    "comments", "dropped_frame", "duplicate_frame", "keepalive", "keepalive_bare", "null_delta",
    "reordered_frames", "repeated_text",
})  # fmt: skip
"""Faults of a stream that comes to its end all the same, without an error and without a silence
that a client may give up in."""


def bend(calls: Sequence[FaultCall], profile: Profile) -> Bend:
    """Return what faults do together at a host.

    Raises:
        FaultError: an unknown fault, or a parameter that it does not take.
    """
    result = UNBENT
    for call in calls:
        fault = find_fault(call.name, profile)
        result = result.then(Bend(names=(call.name,)))
        result = result.then(fault.make(fault.given(call.parameters), profile))
    return result


def named_error(call: FaultCall, profile: Profile) -> ApiError:
    """Return an error as a host words it, for those who put it into a stream.

    Raises:
        FaultError: no such error, or a fault that is none.
    """
    error = bend((call,), profile).instead
    if error is None:
        raise FaultError(f"the fault {call.name[:60]!r} is not an error with a body")
    return error


def catalogue_rows(profile: Profile) -> list[JSONObject]:
    """Return all faults at a host as rows for tables, by kind, then as the catalogue stands."""
    names = [*profile.errors, *CATALOGUE]
    names += profile.engine.errors if profile.engine is not None else ()
    faults = [find_fault(name, profile) for name in dict.fromkeys(names)]
    kinds = list(KINDS)
    faults.sort(key=lambda fault: kinds.index(fault.kind))
    return [fault_row(fault) for fault in faults]


def fault_row(fault: Fault) -> JSONObject:
    """Return one fault as a row."""
    return {
        "name": fault.name,
        "kind": fault.kind,
        "about": fault.about,
        "parameters": [
            {
                "name": parameter.name,
                "takes": parameter.takes(),
                "default": parameter.default,
                "about": parameter.about,
            }
            for parameter in fault.parameters
        ],
        "seen": fault.seen,
    }
