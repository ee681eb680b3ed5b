"""Turns values of a scenario file into complaints that need more than their type; source layer."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

import jmespath
from jmespath.exceptions import JMESPathError

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.errors import K3MockError, did_you_mean
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import CATALOGUE, FaultError, known_names, mistakes
from k3mock.jsonvalue import as_object
from k3mock.matching import ranges
from k3mock.matching.condition import shown
from k3mock.matching.search import PATIENCE_MS, may_take_long, read_expression
from k3mock.protocol.headers import may_be_given
from k3mock.protocol.knobs import KnobError, read_knobs
from k3mock.protocol.style import FaultCall
from k3mock.redact import clean_text
from k3mock.scenario import template
from k3mock.scenario.files import FileError, read_text, stamp
from k3mock.scenario.kinds import Complaint
from k3mock.scenario.problem import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.scenario.kinds import Context

ERROR = "error"
"""The fault that gives an error written out."""


def judge_regex(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Compile a regular expression."""
    try:
        doubts = read_expression(str(value)).doubts
    except (re.error, OverflowError, RecursionError) as error:
        yield Complaint(what=f"not a regular expression: {error}", found=shown(value)[:120])
        return
    for doubt in doubts:
        yield Complaint(what=f"the regular expression may change its meaning: {doubt}",
                        found=shown(value)[:120], accepted="a backslash before the sign",
                        severity=Severity.WARNING)  # fmt: skip
    if may_take_long(str(value)):
        yield Complaint(what="the regular expression repeats what repeats and may take very long",
                        found=shown(value)[:120], severity=Severity.WARNING,
                        accepted=f"after {PATIENCE_MS:.0f} ms for a request it does not match; "
                        "write it so that a text fits in one way only")  # fmt: skip


def judge_jmespath(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Compile an expression."""
    try:
        jmespath.compile(str(value))
    except (JMESPathError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        yield Complaint(what=f"not a JMESPath expression: {reason}", found=shown(value)[:120])


def judge_range(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Read a range."""
    if ranges.read_range(value) is None:
        yield Complaint(what="not a range of numbers", found=shown(value)[:120],
                        accepted=ranges.ACCEPTED)  # fmt: skip


def judge_profile(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Look for a profile by name."""
    known = {*NAMES} | ({context.profile.name} if context.profile is not None else set())
    if value not in known:
        yield Complaint(what="unknown profile", found=shown(value)[:120],
                        accepted=did_you_mean(str(value)[:60], known))  # fmt: skip


def judge_pace(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Read a pace."""
    try:
        context.check_pace(pace_text(value))
    except K3MockError as error:
        yield Complaint(what=error.what, found=error.found, accepted=error.accepted)


def pace_text(value: JSONValue) -> str:
    """Return a pace as text: `key=value` pairs where it is a mapping."""
    pairs = as_object(value)
    if pairs is None:
        return str(value)
    return ",".join(f"{key}={item}" for key, item in pairs.items())


def judge_wire(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Read the knobs one by one."""
    for name, item in (as_object(value) or {}).items():
        try:
            read_knobs({name: item})
        except KnobError as error:
            yield Complaint(what=error.what, found=error.found, accepted=error.accepted, at=(name,))


def judge_headers(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Look at the names of headers."""
    for name in as_object(value) or {}:
        if not may_be_given(name):
            accepted = "letters, digits and -; the server itself says how long the body is"
            yield Complaint(what=f"{name[:60]!r} is no header that can be given", accepted=accepted,
                            at=(name,))  # fmt: skip


def judge_template(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Compile a template and look at the names that it uses."""
    yield from template.complaints(str(value))


def judge_file(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Read a file beside the scenario."""
    if context.folder is not None:
        path = context.folder / str(value)
        context.read.setdefault(path, stamp(path))
    try:
        read_text(str(value), context.folder)
    except FileError as error:
        yield Complaint(what=error.what, found=error.found, accepted=error.accepted)


def judge_base64(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Decode."""
    try:
        base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError) as error:
        yield Complaint(what=f"not base64: {error}", found=shown(value)[:60])


def judge_fault(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Look for a fault and its parameters."""
    try:
        call = fault_call(value)
    except FaultError as error:
        yield Complaint(what=error.what, found=error.found, accepted=error.accepted)
        return
    yield from check_fault(call, context)


def judge_chaos(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Look at the fault of a draw."""
    yield from judge_fault(drawn(as_object(value) or {}), context)


def drawn(value: JSONObject) -> JSONValue:
    """Return the fault of a draw, with the parameters that stand beside it."""
    fault = value.get("fault")
    beside = {key: item for key, item in value.items() if key not in {"fault", "probability"}}
    if not beside:
        return fault
    return {**({"name": fault} if isinstance(fault, str) else as_object(fault) or {}), **beside}


def fault_call(value: JSONValue) -> FaultCall:
    """Read a fault as written: `NAME`, `NAME(key:value)`, or `{name, …}`.

    Raises:
        FaultError: text of another form.
    """
    given = as_object(value)
    if given is None:
        return parse_call(str(value))
    parameters = {key: item for key, item in given.items() if key != "name"}
    return FaultCall(name=str(given.get("name")), parameters=parameters)


def check_fault(call: FaultCall, context: Context) -> list[Complaint]:
    """Return what is wrong with a fault, if it works at no host.

    The complaints are of a host that knows the name, where there is one.
    """
    told: list[FaultError] = []
    named = False
    for profile in _hosts(context):
        names = known_names(profile)
        wrong = list(mistakes(call, names, profile))
        if not wrong:
            return []
        if not told or (call.name in names and not named):
            told, named = wrong, call.name in names
    return [Complaint(what=error.what, found=_clean(error.found), accepted=error.accepted)
            for error in told]  # fmt: skip


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_text(text)


def _hosts(context: Context) -> Iterator[Profile]:
    """Yield the server's own profile and the built-in ones."""
    if context.profile is not None:
        yield context.profile
    for name in NAMES:
        yield load_profile(name)


def error_call(value: JSONValue) -> FaultCall:
    """Read an error as written: a name, a name with parameters, or parameters alone.

    Raises:
        FaultError: text of another form.
    """
    given = as_object(value)
    if given is not None and "name" not in given:
        return FaultCall(name=ERROR, parameters=given)
    return fault_call(value)


def judge_error(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Look for a named error, or at the parameters of one that is written out."""
    if as_object(value) == {}:
        yield Complaint(what="the error says nothing", accepted="a name, or status, message, …")
        return
    try:
        call = error_call(value)
    except FaultError as error:
        yield Complaint(what=error.what, found=error.found, accepted=error.accepted)
        return
    yield from check_fault(call, context)


def judge_error_event(value: JSONValue, context: Context) -> Iterator[Complaint]:
    """Look at the error of an event in a stream."""
    before = list(judge_error(without_event(value), context))
    yield from before
    if not before and _kind(error_call(without_event(value))) != "error":
        yield Complaint(what="not an error that an event can hold", found=shown(value),
                        accepted="the name of an error, or status, message, type, …")  # fmt: skip


def without_event(value: JSONValue) -> JSONValue:
    """Return the error of an error event."""
    given = as_object(value)
    if given is None:
        return value
    return {key: item for key, item in given.items() if key != "event"}


def _kind(call: FaultCall) -> str:
    fault = CATALOGUE.get(call.name)
    return "error" if fault is None else fault.kind


_WORDS = ("reasoning", "content", "tool_calls", "finish_reason")


def judge_reply(value: JSONValue, _: Context) -> Iterable[Complaint]:
    """Refuse keys that contradict each other."""
    given = as_object(value) or {}
    for strong in ("error", "events"):
        beside = [key for key in (*_WORDS, "error", "events") if key in given and key != strong]
        if strong in given and beside:
            yield Complaint(
                what=f"{strong!r} leaves no room for {', '.join(beside)}", at=(beside[0],),
                accepted=f"{strong!r} alone, beside pace, wire, faults, usage and headers",
            )  # fmt: skip
            return


def judge_call(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Refuse arguments that are given twice."""
    given = as_object(value) or {}
    if "arguments" in given and "arguments_template" in given:
        yield Complaint(what="the arguments are given twice", at=("arguments_template",),
                        accepted="arguments or arguments_template")  # fmt: skip


def judge_root(value: JSONValue, _: Context) -> Iterator[Complaint]:
    """Refuse a file that is one scenario and a list of them."""
    given = as_object(value) or {}
    others = [key for key in given if key != "scenarios"]
    if "scenarios" in given and others:
        yield Complaint(what=f"{others[0]!r} stands beside 'scenarios'", at=(others[0],),
                        accepted="one scenario, or a list of them under 'scenarios'")  # fmt: skip
