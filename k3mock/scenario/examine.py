"""Turns a file's values and their shape into a list of all that is wrong; source layer."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from k3mock.errors import did_you_mean
from k3mock.matching.condition import shown
from k3mock.redact import names_a_secret
from k3mock.scenario.kinds import (
    Anything,
    Complaint,
    Either,
    Flag,
    Items,
    Null,
    Number,
    Record,
    Ref,
    Text,
    accepts,
    takes,
)
from k3mock.scenario.problem import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.scenario.kinds import Context, Shape
    from k3mock.yamlfile import Located, Place

_SHOWN_CHARS = 120


class Examination:
    """One walk through a file; `problems` is what it found."""

    def __init__(self, file: Located, context: Context, names: Mapping[str, Shape]) -> None:
        self._file = file
        self._context = context
        self._names = names
        self.problems: list[Problem] = []
        self._wrong_at: list[Place] = []

    def look(self, value: JSONValue, shape: Shape, place: Place) -> None:
        """Look at a value and at everything in it."""
        before = len(self._wrong_at)
        self._inside(value, shape, place)
        if not isinstance(shape, Text | Items | Record | Either):
            return
        wrong = self._wrong_at[before:]
        if wrong and isinstance(shape, Record) and isinstance(value, dict):
            # What is right of a mapping is judged all the same, so that everything is told at once.
            bad = {at[len(place)] if len(at) > len(place) else "" for at in wrong}
            value, wrong = {key: item for key, item in value.items() if key not in bad}, []
            if not value or "" in bad or bad & {*shape.required}:
                return
        if not wrong:
            for complaint in shape.judge(value, self._context):
                self.complain(complaint, place)

    def _inside(self, value: JSONValue, shape: Shape, place: Place) -> None:
        match shape:
            case Ref():
                self.look(value, self._names[shape.name], place)
            case Either():
                self._either(value, shape, place)
            case Text():
                self._text(value, shape, place)
            case Number():
                self._number(value, shape, place)
            case Items():
                self._items(value, shape, place)
            case Record():
                self._record(value, shape, place)
            case Anything():
                self._anything(value, place, written=shape.written)
            case Flag() | Null():
                if not takes(shape, value, self._names):
                    self._wrong(value, shape, place)

    def complain(self, complaint: Complaint, place: Place) -> None:
        """Note a complaint about a value."""
        at = (*place, *complaint.at)
        if complaint.severity is Severity.ERROR:
            self._wrong_at.append(at)
        self.problems.append(
            Problem(
                what=complaint.what,
                where=self._file.where(*at),
                severity=complaint.severity,
                key=dotted(at),
                found=None if _secret(at) else complaint.found,
                accepted=complaint.accepted,
            )
        )

    def _wrong(self, value: JSONValue, shape: Shape, place: Place) -> None:
        self.complain(
            Complaint(
                what=f"{_called(place)} has a value that it does not take",
                found=_found(value),
                accepted=accepts(shape, self._names),
            ),
            place,
        )

    def _either(self, value: JSONValue, shape: Either, place: Place) -> None:
        fitting = [each for each in shape.options if takes(each, value, self._names)]
        if not fitting:
            self._wrong(value, shape, place)
            return
        self.look(value, fitting[0], place)

    def _text(self, value: JSONValue, shape: Text, place: Place) -> None:
        if not isinstance(value, str):
            self._wrong(value, shape, place)
            return
        self._anything(value, place)
        if shape.choices and value not in shape.choices:
            accepted = did_you_mean(value[:60], [str(choice) for choice in shape.choices])
            self.complain(
                Complaint(
                    what=f"{_called(place)} has an unknown value",
                    found=_found(value),
                    accepted=accepted,
                ),
                place,
            )
        elif shape.pattern is not None and not re.fullmatch(shape.pattern, value):
            self.complain(
                Complaint(
                    what=f"{_called(place)} has a text of another form",
                    found=_found(value),
                    accepted=shape.about,
                ),
                place,
            )
        elif shape.usual and value not in shape.usual:
            self.complain(
                Complaint(
                    what=f"{_called(place)} has an unusual value, which no request may ever have",
                    found=_found(value),
                    accepted=did_you_mean(value[:60], shape.usual),
                    severity=Severity.WARNING,
                ),
                place,
            )

    def _number(self, value: JSONValue, shape: Number, place: Place) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            self._wrong(value, shape, place)
            return
        if not _fits(value):
            self._beyond(value, place)
            return
        whole = not shape.whole or value == int(value)
        low = shape.least is None or value >= shape.least
        if not (whole and low and (shape.most is None or value <= shape.most)):
            self._wrong(value, shape, place)

    def _items(self, value: JSONValue, shape: Items, place: Place) -> None:
        if not isinstance(value, list):
            self._wrong(value, shape, place)
            return
        if len(value) < shape.least:
            self.complain(
                Complaint(what=f"{_called(place)} is empty", accepted="at least one item"), place
            )
        for number, item in enumerate(value):
            self.look(item, shape.item, (*place, number))

    def _record(self, value: JSONValue, shape: Record, place: Place) -> None:
        if not isinstance(value, dict):
            self._wrong(value, shape, place)
            return
        for key, item in value.items():
            known = shape.fields.get(key, shape.others)
            if known is None:
                self.complain(
                    Complaint(
                        what=f"unknown key {key[:60]!r}",
                        at=(key,),
                        accepted=did_you_mean(key[:60], shape.fields),
                    ),
                    place,
                )
                continue
            self.look(item, known, (*place, key))
        self._presence(value, shape, place)

    def _presence(self, value: JSONObject, shape: Record, place: Place) -> None:
        for key in shape.required:
            if key not in value:
                self.complain(Complaint(what=f"{_called(place)} needs the key {key!r}"), place)
        there = [key for key in value if key in shape.some_of]
        listed = ", ".join(shape.some_of)
        if shape.some_of and not there and not set(value) - set(shape.fields):
            self.complain(
                Complaint(what=f"{_called(place)} says nothing", accepted=f"one of {listed}"), place
            )
        elif shape.single and len(there) > 1:
            self.complain(
                Complaint(
                    what=f"{_called(place)} says several things at once",
                    found=", ".join(there),
                    accepted=f"only one of {listed}",
                    at=(there[1],),
                ),
                place,
            )

    def _anything(self, value: JSONValue, place: Place, *, written: bool = False) -> None:
        """Refuse what no answer could carry: half of a surrogate pair, numbers that JSON lacks."""
        match value:
            case str():
                if not value.isascii() and any(0xD800 <= ord(sign) < 0xE000 for sign in value):
                    self.complain(
                        Complaint(
                            what=f"{_called(place)} holds half a character",
                            found=ascii(value)[:_SHOWN_CHARS],
                        ),
                        place,
                    )
            case bool():
                pass
            case int() | float():
                if not _fits(value) and not (written and isinstance(value, int)):
                    self._beyond(value, place)
            case list():
                for number, item in enumerate(value):
                    self._anything(item, (*place, number), written=written)
            case dict():
                for key, item in value.items():
                    self._anything(item, (*place, key), written=written)
            case _:
                pass

    def _beyond(self, value: float, place: Place) -> None:
        self.complain(
            Complaint(
                what=f"{_called(place)} has a number that JSON libraries do not share",
                found=_found(value) if isinstance(value, int) else str(value),
                accepted="finite numbers; whole ones from -2^63 to 2^63 - 1",
            ),
            place,
        )


def _fits(value: float) -> bool:
    return -(2**63) <= value < 2**63 if isinstance(value, int) else math.isfinite(value)


def _secret(place: Place) -> bool:
    """Say whether a place is that of a header whose value nobody else may see."""
    steps = [str(step) for step in place]
    return "headers" in steps and any(
        names_a_secret(step) for step in steps[steps.index("headers") + 1 :]
    )


def dotted(place: Place) -> str:
    """Return a place as messages name it."""
    return ".".join(str(step) for step in place)


def _called(place: Place) -> str:
    words = [step for step in place if isinstance(step, str)]
    return f"{words[-1]!r}" if words else "the file"


def _found(value: JSONValue) -> str:
    text = shown(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
