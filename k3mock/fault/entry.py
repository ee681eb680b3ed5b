"""Turns the parameters of a fault, as somebody wrote them, into checked values; faults layer.

A fault is an entry of the catalogue; its parameters are a table that the check, the messages and
the listings share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.errors import K3MockError, did_you_mean
from k3mock.fault.place import ALL_UNITS, UNITS, Place, PlaceError, read_place
from k3mock.jsonvalue import as_int
from k3mock.protocol.headers import may_be_given
from k3mock.protocol.reply import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Bend
    from k3mock.jsonvalue import JSONValue

FOREVER = "forever"


class FaultError(K3MockError):
    """A fault is unknown, or a parameter of it is."""

    code = "fault"


class UnfitError(ValueError):
    """A parameter does not take this value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What a fault can be told.

    Attributes:
        name: its key.
        kind: `text`, `number` (from 0 up), `whole` (from 0 up), `flag`, `choice`, `place`,
            `time` (milliseconds or `forever`), `code` (text or whole number), `header`, `headers`,
            `mapping`.
        about: one sentence.
        default: what holds without it; None where the fault then chooses itself.
        choices: the words of a `choice`.
        units: the units of a `place`.
        least, most: bounds of a `number` or `whole`.
    """

    name: str
    kind: str
    about: str
    default: JSONValue = None
    choices: tuple[str, ...] = ()
    units: tuple[str, ...] = ALL_UNITS
    least: float = 0
    most: float = 1e9

    def takes(self) -> str:
        """Say what is accepted, for messages and listings."""
        match self.kind:
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "place":
                return place_words(self.units)
            case "number" | "whole":
                most = f" to {self.most:,.0f}" if self.most < 1e9 else ""
                bounds = f"from {self.least:g}{most}"
                return f"a {'whole ' if self.kind == 'whole' else ''}number {bounds}"
            case _:
                return _TAKES[self.kind]

    def read(self, value: JSONValue) -> JSONValue:
        """Return a value in its one form.

        Raises:
            UnfitError: a value of another kind; PlaceError for a place.
        """
        if value is None and self.kind not in {"time", "choice"}:
            return self.default
        return _READERS[self.kind](self, value)


_TAKES = {
    "text": "text",
    "flag": "true or false",
    "time": "milliseconds, or forever",
    "code": "text or a whole number",
    "mapping": "a mapping",
    "header": "text that fits a header",
    "headers": "a mapping of header names to texts; not of those that frame the body",
}


def place_words(units: Iterable[str]) -> str:
    """Say which places there are, for messages and listings."""
    known = list(units)
    numbers = ", ".join(unit for unit in known if UNITS[unit].counted)
    words = ", ".join(unit for unit in known if not UNITS[unit].counted)
    return f"content tokens as a number, {{UNIT: N}} of {numbers}, or a word of {words}"


def _text(_: Parameter, value: JSONValue) -> JSONValue:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UnfitError


def _number(parameter: Parameter, value: JSONValue) -> JSONValue:
    if isinstance(value, bool):
        raise UnfitError
    if isinstance(value, int | float) and parameter.least <= value <= parameter.most:
        return value
    raise UnfitError


def _whole(parameter: Parameter, value: JSONValue) -> JSONValue:
    number = _number(parameter, value)
    if isinstance(number, int | float) and number == int(number):
        return int(number)
    raise UnfitError


def _flag(_: Parameter, value: JSONValue) -> JSONValue:
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise UnfitError


def _choice(parameter: Parameter, value: JSONValue) -> JSONValue:
    # YAML and texts in URLs write null for "null" and [] for an empty list.
    word = "null" if value is None else "empty" if value in ("[]", []) else value
    if isinstance(word, str) and word in parameter.choices:
        return word
    raise UnfitError


def _time(parameter: Parameter, value: JSONValue) -> JSONValue:
    return FOREVER if value in (None, FOREVER) else _number(parameter, value)


def _code(_: Parameter, value: JSONValue) -> JSONValue:
    number = as_int(value)
    if isinstance(value, str) or number is not None:
        return value if number is None else number
    raise UnfitError


def header_char(char: str) -> bool:
    """Say whether a character may stand in a header: no control, nothing beyond Latin-1."""
    return " " <= char <= "~" or "\xa0" <= char <= "\xff"


def _header(parameter: Parameter, value: JSONValue) -> JSONValue:
    text = _text(parameter, value)
    if isinstance(text, str) and all(map(header_char, text)):
        return text
    raise UnfitError


def _headers(parameter: Parameter, value: JSONValue) -> JSONValue:
    found = _mapping(parameter, value)
    read: dict[str, JSONValue] = {}
    for name, text in found.items() if isinstance(found, dict) else ():
        if not may_be_given(name):
            raise UnfitError
        read[name] = _header(parameter, text)
    return read


def _mapping(_: Parameter, value: JSONValue) -> JSONValue:
    if isinstance(value, dict):
        return value
    raise UnfitError


def _place(parameter: Parameter, value: JSONValue) -> JSONValue:
    place = read_place(value)
    if place.unit not in parameter.units:
        raise PlaceError
    return place.written()


_READERS: Mapping[str, Callable[[Parameter, JSONValue], JSONValue]] = {
    "text": _text,
    "number": _number,
    "whole": _whole,
    "flag": _flag,
    "choice": _choice,
    "time": _time,
    "code": _code,
    "mapping": _mapping,
    "header": _header,
    "headers": _headers,
    "place": _place,
}


class Given:
    """The checked parameters of one call; what was not given has its default."""

    def __init__(self, values: Mapping[str, JSONValue]) -> None:
        self.values = values

    def text(self, name: str) -> str:
        value = self.values[name]
        return value if isinstance(value, str) else ""

    def maybe_text(self, name: str) -> str | None:
        value = self.values[name]
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float:
        value = self.values[name]
        return float(value) if isinstance(value, int | float) else 0.0

    def whole(self, name: str) -> int:
        return int(self.number(name))

    def maybe_whole(self, name: str) -> int | None:
        return None if self.values[name] is None else self.whole(name)

    def code(self, name: str) -> str | int | None:
        value = self.values[name]
        return value if isinstance(value, str | int) else None

    def flag(self, name: str) -> bool:
        return self.values[name] is True

    def mapping(self, name: str) -> Mapping[str, JSONValue]:
        value = self.values[name]
        return value if isinstance(value, dict) else {}

    def place(self, name: str = "after") -> Place:
        return read_place(self.values[name])

    def ending(self, name: str = "how") -> Ending:
        return Ending(self.text(name))

    def time(self, name: str = "ms") -> float | None:
        """Return milliseconds; None is for ever."""
        return None if self.values[name] == FOREVER else self.number(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An entry of the catalogue.

    Attributes:
        name: what the client sees.
        about: one sentence or two.
        kind: `error`, `connection`, `stream`, `reply` or `shape`.
        seen: where it was seen in the field: cases and public threads.
        make: gives the effect for checked parameters at a host.
        parameters: what it can be told.
        example: parameters of the example in listings.
    """

    name: str
    about: str
    kind: str
    seen: str
    make: Callable[[Given, Profile], Bend]
    parameters: tuple[Parameter, ...] = ()
    example: str = ""

    def given(self, written: Mapping[str, JSONValue]) -> Given:
        """Check parameters and fill in the defaults.

        Raises:
            FaultError: an unknown parameter, or a value that it does not take.
        """
        values, wrong = self._checked(written)
        for error in wrong:
            raise error
        return Given(values)

    def mistakes(self, written: Mapping[str, JSONValue]) -> list[FaultError]:
        """Return all that is wrong with parameters."""
        return self._checked(written)[1]

    def _checked(
        self, written: Mapping[str, JSONValue]
    ) -> tuple[Mapping[str, JSONValue], list[FaultError]]:
        known = {parameter.name: parameter for parameter in self.parameters}
        values = {name: parameter.default for name, parameter in known.items()}
        wrong: list[FaultError] = []
        for key, value in _unflattened(written, known).items():
            parameter = known.get(key)
            if parameter is None:
                accepted = did_you_mean(key[:60], known) if known else "no parameters"
                wrong.append(FaultError(
                    f"the fault {self.name!r} has no parameter {key[:60]!r}", accepted=accepted
                ))  # fmt: skip
                continue
            try:
                values[key] = self._read(parameter, value)
            except FaultError as error:
                wrong.append(error)
        return values, wrong

    def _read(self, parameter: Parameter, value: JSONValue) -> JSONValue:
        try:
            return parameter.read(value)
        except ValueError as error:
            accepted = parameter.takes()
            if parameter.choices and isinstance(value, str):
                accepted = did_you_mean(value[:60], parameter.choices)
            elif parameter.kind == "place":
                accepted = _near_place(value, parameter) + accepted
            raise FaultError(
                f"the parameter {parameter.name!r} of the fault {self.name!r} does not take this",
                found=repr(value)[:80], accepted=accepted,
            ) from error  # fmt: skip


def _near_place(value: JSONValue, parameter: Parameter) -> str:
    """Say which unit or word was meant, if one is close."""
    written = next(iter(value), "") if isinstance(value, dict) else value
    said = did_you_mean(str(written)[:60], parameter.units)
    return said.partition(" known: ")[0] + " " if said.startswith("did you mean") else ""


def _unflattened(
    written: Mapping[str, JSONValue], known: Mapping[str, Parameter]
) -> Mapping[str, JSONValue]:
    """Read `after_events: 3`, the flat form, as `after: {events: 3}`."""
    read: dict[str, JSONValue] = {}
    for key, value in written.items():
        name, _, unit = key.partition("_")
        placed = name in known and known[name].kind == "place" and key not in known
        if placed and unit in UNITS and UNITS[unit].counted:
            read[name] = {unit: value}
        else:
            read[key] = value
    return read
