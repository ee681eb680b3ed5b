"""Turns the layout of scenario files into a table that check, messages and JSON Schema share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from k3mock.matching.text import NORMALISERS
from k3mock.options import CONTRACT_MODES
from k3mock.protocol.knobs import SHORTCUTS, Knob, knobs
from k3mock.protocol.policy import ErrorEnvelope
from k3mock.protocol.reply import Ending
from k3mock.protocol.request import ChoiceMode
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

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = ("text", "image", "video", "other")
FORMATS = ("text", "json_object", "json_schema")
OMITTED = ("role", "finish", "usage", "done")
BARE_EVENTS = ("done", "usage", "stall", "disconnect")
MAX_TOKENS = 1_000_000
NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"

_TEXT = Text()
_FREE = Record(others=Anything(), about="any keys, taken as they are")
_WHOLE = Number(least=0)


def _one_or_more(item: Text) -> Either:
    return Either(options=(item, Items(item=item, least=1)), about=item.about)


_MATCHER = Record(
    about="All that is given must hold.",
    fields={
        "equals": Text(about="the text is this one"),
        "contains": Text(about="the text has this in it"),
        "starts_with": Text(about="the text begins with this"),
        "matches": Text(
            about="this regular expression is found in the text", judge=judges.judge_regex
        ),
        "ignore_case": Flag(about="upper and lower case are the same"),
        "normalise": Either(
            about="takes volatile text away before comparing",
            options=(
                Text(choices=NORMALISERS),
                Items(item=Text(choices=NORMALISERS), least=1),
            ),
        ),
    },
    some_of=("equals", "contains", "starts_with", "matches"),
)
_TEXT_MATCHER = Either(
    options=(Text(), _MATCHER), about="a text that must be equal, or a mapping that says more"
)
_RANGE = Either(
    about='a number, a comparison such as ">=2", {min, max}, or a list of numbers',
    options=(
        Number(least=0),
        Text(),
        Items(item=Number(), least=1),
        Record(fields={"min": _WHOLE, "max": _WHOLE}, some_of=("min", "max")),
    ),
    judge=judges.judge_range,
)


def _names(item: Text, about: str) -> Either:
    several = _one_or_more(item)
    return Either(
        about=about,
        options=(
            Flag(about="whether there is any"),
            Items(item=item, least=1),
            Record(
                fields={
                    "all": several,
                    "any": several,
                    "none": Either(options=(Flag(), *several.options)),
                    "count": Ref(name="range"),
                },
                some_of=("all", "any", "none", "count"),
            ),
        ),
    )


def _optional(about: str) -> Either:
    return Either(options=(Flag(about="whether it is there"), Text(), _MATCHER), about=about)


_MESSAGE = Either(
    about="a text that the message contains, or a mapping",
    options=(
        Text(),
        Record(
            fields={
                "role": _one_or_more(Text(about="the role, or several of which it is one")),
                "content": Ref(name="text_matcher", about="all text of the message"),
                "name": _optional("the message's name"),
                "tool_call_id": _optional("the call that a tool message answers"),
                "reasoning": _optional("the reasoning that came back with an assistant turn"),
                "tool_calls": _names(_TEXT, "names of the functions that an assistant turn called"),
                "parts": _names(Text(choices=PARTS), "kinds of content parts"),
                "partial": Flag(about="whether the message is a prefix to be continued"),
            },
            some_of=(
                "role", "content", "name", "tool_call_id", "reasoning", "tool_calls", "parts",
                "partial",
            ),
        ),
    ),
)  # fmt: skip

_WHEN = Record(
    about="All given keys must hold.",
    fields={
        "last": Ref(name="message", about="the last message"),
        "messages": Record(
            about="the whole history",
            fields={
                "any": Ref(name="message"),
                "all": Ref(name="message"),
                "none": Ref(name="message"),
                "count": Ref(name="range"),
            },
            some_of=("any", "all", "none", "count"),
        ),
        "system": Either(
            options=_TEXT_MATCHER.options,
            about="a text that the system messages contain, or a mapping",
        ),
        "turn": Ref(name="range", about="how many assistant turns the history holds"),
        "tools": _names(_TEXT, "names of tools that are all offered, or a mapping"),
        "tool_choice": Either(
            options=(
                Text(choices=tuple(ChoiceMode)),
                Record(fields={"name": _TEXT}, required=("name",)),
            )
        ),
        "stream": Flag(about="whether a stream is asked for"),
        "model": Ref(name="text_matcher", about="the model's name"),
        "profile": _one_or_more(Text(about="the host's profile", judge=judges.judge_profile)),
        "reasoning_effort": _one_or_more(Text(about="the effective effort")),
        "response_format": _one_or_more(Text(choices=FORMATS)),
        "headers": Record(
            about="request headers by name, in any case",
            others=_optional("the header's value"),
        ),
        "prompt_tokens": Ref(name="range", about="the tokens of the prompt, as usage counts them"),
        "attempt": Ref(name="range", about="how often the session has seen this very request"),
        "jmespath": Either(
            about="an expression over the body as received that gives a true value",
            options=(
                Text(judge=judges.judge_jmespath),
                Record(
                    fields={
                        **_MATCHER.fields,
                        "expression": Text(judge=judges.judge_jmespath),
                        "equals": Anything(about="the result is this"),
                    },
                    required=("expression",),
                ),
            ),
        ),
        "not": Ref(name="when", about="must not hold"),
        "any_of": Items(item=Ref(name="when"), least=1, about="of these one must hold"),
        "all_of": Items(item=Ref(name="when"), least=1, about="all of these must hold"),
    },
)  # fmt: skip

_SAID: Mapping[str, Shape] = {
    "tokens": Number(least=0, most=MAX_TOKENS, about="made-up words of exactly so many tokens"),
    "template": Text(about="a Jinja2 template over the request", judge=judges.judge_template),
    "file": Text(about="a text file beside the scenario", judge=judges.judge_file),
    "generate": Flag(only=True, about="what the generator says"),
}
_REASONING = Either(
    options=(Text(), Record(fields=_SAID, some_of=tuple(_SAID), single=True)),
    about="what the model thinks",
)
_JSON = Anything(about="written as compact JSON")
_CONTENT = Either(
    options=(
        Text(),
        Record(fields={**_SAID, "json": _JSON}, some_of=(*_SAID, "json"), single=True),
    ),
    about="what the model answers",
)
_CALL_FIELDS: Mapping[str, Shape] = {
    "name": Text(about="the function"),
    "arguments": Either(
        options=(_FREE, Text(), Null()),
        about="an object, literal text, or null; without it the key is left out on the wire",
    ),
    "arguments_template": Text(
        about="a Jinja2 template that gives the text", judge=judges.judge_template
    ),
    "id": Text(about="the call's id; by default in the host's form"),
    "force": Flag(about="call it even when the request does not offer it"),
}
_CALL = Record(fields=_CALL_FIELDS, required=("name",), judge=judges.judge_call)

_ERROR_FIELDS: Mapping[str, Shape] = {
    "name": Text(about="a named error of the host, or a fault of the catalogue"),
    "status": Number(least=200, most=599),
    "message": Text(),
    "type": Text(),
    "code": Either(options=(Text(), Number(), Null())),
    "param": Either(options=(Text(), Null())),
    "headers": Ref(name="headers"),
    "body": Text(about="a literal body in place of the envelope"),
    "content_type": Text(),
    "envelope": Text(choices=tuple(ErrorEnvelope), about="the shape of the body"),
    "delay_ms": Number(whole=False, least=0, about="silence before the status line"),
}
"""What an error most often says; the catalogue knows all of its parameters."""

_ERROR = Either(
    about="an error instead of an answer: a name, a name with changes, or written out",
    options=(
        Text(judge=judges.judge_error),
        Record(fields=_ERROR_FIELDS, others=Anything(), judge=judges.judge_error),
    ),
)
_FAULT = Either(
    about="a fault of the catalogue: its name, or a mapping with its parameters",
    options=(
        Text(judge=judges.judge_fault),
        Record(
            fields={"name": _TEXT}, required=("name",), others=Anything(),
            judge=judges.judge_fault,
        ),
    ),
)  # fmt: skip
_FAULTS = Either(options=(*_FAULT.options, Items(item=Ref(name="fault"))), about=_FAULT.about)
_CHAOS = Items(
    about="faults that happen by chance",
    item=Record(
        fields={"fault": Ref(name="fault"), "probability": Number(whole=False, least=0, most=1)},
        required=("fault", "probability"), others=Anything(), judge=judges.judge_chaos,
    ),
)  # fmt: skip
_PACE = Either(
    about="a pace by name, tokens per second, or a mapping",
    options=(Text(), Number(whole=False, least=0), Record(others=Either(
        options=(Number(whole=False), Text(), Flag())
    ))),
    judge=judges.judge_pace,
)  # fmt: skip

_EVENT = Either(
    about="one event: a mapping with one key, or the bare word of an event that needs no value",
    options=(
        Text(choices=BARE_EVENTS),
        Record(
            fields={
                "reasoning": Ref(name="event_text"),
                "content": Ref(name="event_text"),
                "tool_call": _CALL,
                "tool_delta": Record(others=Anything(), about="one item of delta.tool_calls"),
                "chunk": Record(others=Anything(), about="laid over the chunk's envelope"),
                "raw": Either(
                    about="bytes of the stream",
                    options=(
                        Text(),
                        Record(
                            fields={"text": _TEXT, "base64": Text(judge=judges.judge_base64)},
                            some_of=("text", "base64"), single=True,
                        ),
                    ),
                ),
                "comment": Text(about="a comment line"),
                "stall": Either(
                    about="silence in milliseconds, or forever",
                    options=(
                        Number(whole=False, least=0),
                        Text(choices=("forever",)),
                        Null(),
                        Record(
                            fields={"ms": Either(options=(
                                Number(whole=False, least=0), Text(choices=("forever",)),
                            ))},
                            required=("ms",),
                        ),
                    ),
                ),
                "error_event": Either(
                    about="an error inside the stream",
                    options=(
                        Text(judge=judges.judge_error_event),
                        Record(
                            fields={**_ERROR_FIELDS, "event": Text(about="the event's name")},
                            others=Anything(),
                            judge=judges.judge_error_event,
                        ),
                    ),
                ),
                "finish": Either(options=(Text(), Null()), about="a finish chunk"),
                "usage": Either(options=(_FREE, Null(), Flag(only=True)), about="a usage chunk"),
                "done": Either(options=(Null(), Flag(only=True)), about="[DONE]"),
                "disconnect": Either(options=(Text(choices=tuple(Ending)), Null())),
            },
            some_of=(
                "reasoning", "content", "tool_call", "tool_delta", "chunk", "raw", "comment",
                "stall", "error_event", "finish", "usage", "done", "disconnect",
            ),
            single=True,
        ),
    ),
)  # fmt: skip
_EVENT_TEXT = Either(
    options=(
        Text(),
        Record(
            fields={
                **_SAID, "text": _TEXT, "json": _JSON,
                "whole": Flag(about="keep it in one delta"),
            },
            some_of=(*_SAID, "text", "json"), single=True,
        ),
    )
)  # fmt: skip

_STYLE: Mapping[str, Shape] = {
    "wire": Ref(name="wire", about="knobs of the wire dialect"),
    "pace": Ref(name="pace"),
    "faults": Ref(name="faults"),
    "headers": Ref(name="headers", about="further response headers"),
}
_REPLY = Either(
    about="a text that is the content, or a mapping; one that says nothing leaves the words to "
    "the generator",
    options=(
        Text(),
        Record(
            fields={
                "reasoning": _REASONING,
                "content": _CONTENT,
                "tool_calls": Items(item=_CALL, about="calls, side by side"),
                "finish_reason": Either(options=(Text(), Null()), about="any word, or null"),
                "usage": Either(
                    options=(_FREE, Null(), Flag(only=False)),
                    about="keys laid over the counted numbers; null or false shows none",
                ),
                "cached_tokens": Number(least=0, about="cached tokens that usage shows"),
                **_STYLE,
                "error": _ERROR,
                "events": Items(item=Ref(name="event"), about="the answer event by event"),
                "omit": Items(item=Text(choices=OMITTED), about="frames that are not sent"),
            },
            judge=judges.judge_reply,
        ),
    ),
)
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
    "profile": _one_or_more(Text(about="only for this host, or these", judge=judges.judge_profile)),
    "contract": Text(choices=CONTRACT_MODES, about="whether the host's refusals hold"),
    **_STYLE,
    "chaos": _CHAOS,
    "turns": Items(item=Ref(name="turn"), least=1, about="tried in order"),
}
_HEADERS = Record(others=Either(options=(
    Text(pattern=r"[\t\x20-\x7e\xa0-\xff]*", about="text without line breaks"), Number(),
)))  # fmt: skip

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
        "when": _WHEN,
        "message": _MESSAGE,
        "text_matcher": _TEXT_MATCHER,
        "range": _RANGE,
        "reply": _REPLY,
        "event": _EVENT,
        "event_text": _EVENT_TEXT,
        "fault": _FAULT,
        "faults": _FAULTS,
        "headers": _HEADERS,
        "pace": _PACE,
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
            return Number(least=0, about=knob.about)
        case "words":
            return Items(item=Text(choices=knob.choices), about=knob.about)
        case "mapping":
            return Record(others=Anything(), about=knob.about)
        case _ if knob.name == "writes":
            sizes = Record(fields={"bytes": Number(least=1)}, required=("bytes",))
            return Either(options=(Text(), sizes), about=knob.about)
        case _:
            return Text(about=knob.about)
