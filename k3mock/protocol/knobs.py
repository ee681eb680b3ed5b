"""Turns written values into the knobs of a `WirePolicy`, for all who write them; values layer.

Profiles, scenarios, replies and base URLs share this one definition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from k3mock.errors import K3MockError, did_you_mean
from k3mock.protocol.policy import WRITES, WirePolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from k3mock.jsonvalue import JSONObject, JSONValue

MOST = 1_000_000_000
"""The largest value of a number that sets no smaller one."""

_DIGITS = re.compile(r"[0-9]{1,15}")
_BYTES = re.compile(r"bytes:[1-9][0-9]{0,6}")
_TRUE = ("true", "yes", "on")
_FALSE = ("false", "no", "off")


class KnobError(K3MockError):
    """A knob is unknown or has a value that it does not take; `knob` is its name."""

    code = "knob"

    def __init__(self, what: str, knob: str, *, found: str | None, accepted: str) -> None:
        self.knob = knob
        super().__init__(what, found=found, accepted=accepted)


@dataclass(frozen=True, slots=True)
class Knob:
    """A knob: its kind (`choice`, `flag`, `number`, `text`, `words`, `mapping`) and its words."""

    name: str
    kind: str
    about: str
    choices: tuple[str, ...] = ()
    default: str = ""
    most: int = MOST

    def accepts(self) -> str:
        """Say what is accepted, for messages."""
        listed = ", ".join(self.choices)
        return {
            "choice": f"one of {listed}",
            "flag": "true or false",
            "number": f"a whole number from 0 to {self.most:,}",
            "words": f"a list of {listed}",
            "mapping": "a mapping",
            "text": _TEXTS.get(self.name, (None, "text"))[1],
        }[self.kind]


_TEXTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "content_type": (re.compile(r"[\x20-\x7e\xa0-\xff]*"), "text that fits a header"),
    "event_name": (re.compile(r"[^\r\n\0]*"), "text without line breaks"),
}
"""The texts that do not take everything, as a line break in them would begin something new."""

USAGE: Mapping[str, JSONObject] = {
    "off": {"usage_in_choice": False, "usage_chunk": "off", "usage_elsewhere": "omit"},
    "requested": {"usage_in_choice": False, "usage_chunk": "requested", "usage_elsewhere": "omit"},
    "forced": {"usage_in_choice": False, "usage_chunk": "forced", "usage_elsewhere": "omit"},
    "in_choice": {"usage_in_choice": True, "usage_chunk": "off", "usage_elsewhere": "omit"},
    "every_chunk": {
        "usage_in_choice": False, "usage_chunk": "forced", "usage_elsewhere": "cumulative",
    },
    "null_elsewhere": {
        "usage_in_choice": False, "usage_chunk": "forced", "usage_elsewhere": "null",
    },
}  # fmt: skip
"""The knob `usage` sets the three knobs of usage at once."""

_CONTINUATIONS = ("continuation_id", "continuation_type", "continuation_name")

SHORTCUTS: Mapping[str, Knob] = {
    "usage": Knob("usage", "choice", "sets the three `usage_…` knobs at once", tuple(USAGE)),
    "tool_continuation": Knob(
        "tool_continuation", "choice", "sets the three `continuation_…` knobs at once",
        ("omit", "empty", "repeat"),
    ),
    "keepalive": Knob(
        "keepalive", "mapping", "`{every_ms, text}`: sets the two `keepalive_…` knobs"
    ),
}  # fmt: skip
"""Names that stand for several knobs."""


@cache
def knobs() -> Mapping[str, Knob]:
    """Return all knobs by name."""
    usual = WirePolicy()
    found: dict[str, Knob] = {}
    for known in fields(WirePolicy):
        value = getattr(usual, known.name)
        kind, choices = _kind(value)
        found[known.name] = Knob(
            known.name,
            kind,
            str(known.metadata["about"]),
            choices or tuple(known.metadata.get("words", ())),
            ", ".join(value) if isinstance(value, tuple) else str(value).lower(),
            known.metadata.get("most", MOST),
        )
    return found


def _kind(value: object) -> tuple[str, tuple[str, ...]]:
    """Tell a knob's kind from its default."""
    if isinstance(value, StrEnum):
        return "choice", tuple(type(value))
    kinds = ((bool, "flag"), (int, "number"), (str, "text"), (tuple, "words"))
    return next((kind for known, kind in kinds if isinstance(value, known)), "mapping"), ()


def read_knobs(given: Mapping[str, JSONValue]) -> JSONObject:
    """Check knobs and write shortcuts out; texts such as `"true"` are read as what they mean.

    Raises:
        KnobError: an unknown knob, or a value that it does not take.
    """
    read: JSONObject = {}
    for name, value in given.items():
        for key, part in _written_out(name, value).items():
            read[key] = _value(key, part)
    return read


def _written_out(name: str, value: JSONValue) -> Mapping[str, JSONValue]:
    match name:
        case "usage":
            if isinstance(value, str) and value in USAGE:
                return dict(USAGE[value])
            raise _wrong(SHORTCUTS[name], value)
        case "tool_continuation":
            return dict.fromkeys(_CONTINUATIONS, value)
        case "keepalive":
            if not isinstance(value, dict) or set(value) - {"every_ms", "text"}:
                raise _wrong(SHORTCUTS[name], value)
            return {f"keepalive_{'ms' if key == 'every_ms' else key}": part
                    for key, part in value.items()}  # fmt: skip
        case "writes" if isinstance(value, dict) and set(value) == {"bytes"}:
            return {"writes": f"bytes:{value['bytes']}"}
        case _:
            return {name: value}


def _value(name: str, value: JSONValue) -> JSONValue:
    knob = knobs().get(name)
    if knob is None:
        known = did_you_mean(name[:60], [*knobs(), *SHORTCUTS])
        raise KnobError(f"unknown wire knob {name[:60]!r}", name, found=None, accepted=known)
    read = _plain(knob, value)
    if name == "writes" and read not in WRITES and not _BYTES.fullmatch(str(read)):
        accepted = did_you_mean(str(value)[:60], [*WRITES, "bytes:N"])
        raise KnobError("unknown value of the wire knob 'writes'", name, found=repr(value)[:60],
                        accepted=accepted)  # fmt: skip
    return read


def _plain(knob: Knob, value: JSONValue) -> JSONValue:
    read = _READERS[knob.kind](knob, value)
    if read is None:
        raise _wrong(knob, value)
    return read


def _choice(knob: Knob, value: JSONValue) -> JSONValue:
    # YAML and people write null for "null", and false for "off".
    word = "null" if value is None else "off" if value is False else value
    return word if isinstance(word, str) and word in knob.choices else None


def _flag(_knob: Knob, value: JSONValue) -> JSONValue:
    if isinstance(value, str) and value.lower() in {*_TRUE, *_FALSE}:
        return value.lower() in _TRUE
    return value if isinstance(value, bool) else None


def _number(knob: Knob, value: JSONValue) -> JSONValue:
    number = int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    return number if 0 <= number <= knob.most else None


def _text(knob: Knob, value: JSONValue) -> JSONValue:
    fits = isinstance(value, str) and (
        knob.name not in _TEXTS or _TEXTS[knob.name][0].fullmatch(value)
    )
    return value if fits else None


def _words(knob: Knob, value: JSONValue) -> JSONValue:
    words = [*value.split(",")] if isinstance(value, str) else value
    fits = isinstance(words, list) and all(word in knob.choices for word in words)
    return [*words] if fits and isinstance(words, list) else None


_READERS: Mapping[str, Callable[[Knob, JSONValue], JSONValue]] = {
    "choice": _choice,
    "flag": _flag,
    "number": _number,
    "words": _words,
    "mapping": lambda _, value: value if isinstance(value, dict) else None,
    "text": _text,
}


def _wrong(knob: Knob, value: JSONValue) -> KnobError:
    accepted = knob.accepts()
    wrong = value if isinstance(value, list) else [value]
    words = [word for word in wrong if isinstance(word, str) and word not in knob.choices]
    if knob.choices and words:
        accepted = did_you_mean(words[0][:60], knob.choices)
    return KnobError(
        f"unknown value of the wire knob {knob.name!r}", knob.name,
        found=repr(value)[:80], accepted=accepted,
    )  # fmt: skip


def apply_knobs(policy: WirePolicy, given: Mapping[str, JSONValue]) -> WirePolicy:
    """Return the policy with these knobs turned.

    Raises:
        KnobError: an unknown knob, or a value that it does not take.
    """
    if not given:
        return policy
    values: dict[str, object] = {}
    for name, value in read_knobs(given).items():
        before = getattr(policy, name)
        if isinstance(before, StrEnum):
            values[name] = type(before)(str(value))
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return replace(policy, **values)  # type: ignore[arg-type]  # checked by kind above
