"""Turns `NAME(after:12,how:reset)`, as base URLs and headers write it, into a call of a fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.fault.catalogue import FaultError
from k3mock.protocol.style import FaultCall

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

_CALL = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,15}")


def parse_call(text: str) -> FaultCall:
    """Read a fault's name and its parameters, separated by commas.

    Raises:
        FaultError: text of another form.
    """
    found = _CALL.fullmatch(text)
    if found is None:
        raise FaultError(
            "not a fault", found=text[:80], accepted="NAME or NAME(key:value,key:value)"
        )
    parameters: dict[str, JSONValue] = {}
    for pair in filter(None, (part.strip() for part in (found[2] or "").split(","))):
        key, given, value = pair.partition(":")
        if not given:
            raise FaultError(
                f"the fault {found[1]!r} has a parameter without a value", found=pair[:80],
                accepted="NAME(key:value,key:value)",
            )  # fmt: skip
        parameters[key.strip()] = read_value(value.strip())
    return FaultCall(name=found[1], parameters=parameters)


def read_value(text: str) -> JSONValue:
    """Read a parameter as text writes it: numbers, `true` and `false`, else a text."""
    if _NUMBER.fullmatch(text):
        return int(text)
    words: dict[str, JSONValue] = {"true": True, "false": False, "null": None}
    return words.get(text, text)
