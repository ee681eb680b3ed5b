"""Turns the layout of scenario files into a table that check, messages and JSON Schema share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from k3mock.options import CONTRACT_MODES
from k3mock.protocol.knobs import SHORTCUTS, Knob, knobs
from k3mock.protocol.policy import WRITES
from k3mock.scenario import judges
from k3mock.scenario.kinds import (
    Anything,
    Either,
    Flag,
    Items,
    Null,
    Number,
    Record,
    Ref,
    Shape,
    Text,
)
from k3mock.scenario.shape_reply import (
    EVENT,
    EVENT_TEXT,
    FAULT,
    FAULTS,
    HEADERS,
    PACE,
    REPLY,
    STYLE,
)
from k3mock.scenario.shape_when import MESSAGE, RANGE, TEXT_MATCHER, WHEN, one_or_more

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"

_TEXT = Text()

_TURN = Record(
    fields={
        "about": _TEXT,
        "when": Ref(name="when"),
        "reply": Ref(name="reply"),
        "times": Number(least=1, about="how often the turn answers; without it, always"),
    },
    required=("reply",),
)
_SCENARIO_FIELDS: Mapping[str, Shape] = {
    "name": Text(pattern=NAME, about="letters, digits, '_', '-' and '.', up to 100"),
    "about": _TEXT,
    "priority": Number(about="scenarios of a higher number are asked first"),
    "profile": one_or_more(Text(about="only for this host, or these", judge=judges.judge_profile)),
    "contract": Text(choices=CONTRACT_MODES, about="whether the host's refusals hold"),
    **STYLE,
    "turns": Items(item=Ref(name="turn"), least=1, about="tried in order"),
}
_BODY = ("turns", "chaos", "wire", "pace", "faults", "headers")
ROOT = Record(
    fields={
        **_SCENARIO_FIELDS,
        "scenarios": Items(item=Ref(name="scenario"), least=1, about="several scenarios"),
    },
    some_of=(*_BODY, "scenarios"),
    judge=judges.judge_root,
)


@cache
def names() -> Mapping[str, Shape]:
    """Return the shapes that are referred to by name."""
    return {
        "scenario": Record(fields=_SCENARIO_FIELDS, required=("name",), some_of=_BODY),
        "turn": _TURN,
        "when": WHEN,
        "message": MESSAGE,
        "text_matcher": TEXT_MATCHER,
        "range": RANGE,
        "reply": REPLY,
        "event": EVENT,
        "event_text": EVENT_TEXT,
        "fault": FAULT,
        "faults": FAULTS,
        "headers": HEADERS,
        "pace": PACE,
        "wire": _wire(),
    }


def _wire() -> Record:
    known = {**knobs(), **SHORTCUTS}
    return Record(
        about="knobs of the wire dialect",
        fields={name: _knob(knob) for name, knob in known.items()},
        judge=judges.judge_wire,
    )


def _knob(knob: Knob) -> Shape:
    match knob.kind:
        case "choice":
            # YAML and people write null for "null", and false for "off".
            options: list[Shape] = [Text(choices=knob.choices)]
            options += [Null()] if "null" in knob.choices else []
            options += [Flag(only=False)] if "off" in knob.choices else []
            return Either(options=tuple(options), about=knob.about)
        case "flag":
            return Flag(about=knob.about)
        case "number":
            return Number(least=0, most=knob.most, about=knob.about)
        case "words":
            return Items(item=Text(choices=knob.choices), about=knob.about)
        case "mapping":
            return Record(others=Anything(), about=knob.about)
        case _ if knob.name == "writes":
            sizes = Record(fields={"bytes": Number(least=1)}, required=("bytes",))
            form = "|".join((*WRITES, "bytes:[1-9][0-9]{0,6}"))
            return Either(options=(Text(form=form), sizes), about=knob.about)
        case _:
            return Text(about=knob.about)
