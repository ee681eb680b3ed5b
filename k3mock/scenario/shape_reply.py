"""Turns the layout of `reply` into a table; `k3mock.scenario.shape` is the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import ErrorEnvelope
from k3mock.protocol.reply import Ending
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

OMITTED = ("role", "finish", "usage", "done")
BARE_EVENTS = ("done", "usage", "stall", "disconnect")
MAX_TOKENS = 1_000_000

_TEXT = Text()
_FREE = Record(others=Anything(), about="any keys, taken as they are")
_ARGUMENTS = Record(others=Anything(written=True), about="any keys, taken as they are")
_MS = Number(whole=False, least=0, most=1e9)

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
_JSON = Anything(about="written as compact JSON", written=True)
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
        options=(_ARGUMENTS, Text(), Null()),
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
    "delay_ms": Number(whole=False, least=0, most=1e9, about="silence before the status line"),
}
"""What an error most often says; the catalogue knows all of its parameters."""

_ERROR = Either(
    about="an error instead of an answer: a name, a name with changes, or written out",
    options=(
        Text(judge=judges.judge_error),
        Record(fields=_ERROR_FIELDS, others=Anything(), least=1, judge=judges.judge_error),
    ),
)
FAULT = Either(
    about="a fault of the catalogue: its name, or a mapping with its parameters",
    options=(
        Text(judge=judges.judge_fault),
        Record(
            fields={"name": _TEXT}, required=("name",), others=Anything(),
            judge=judges.judge_fault,
        ),
    ),
)  # fmt: skip
FAULTS = Either(options=(*FAULT.options, Items(item=Ref(name="fault"))), about=FAULT.about)
CHAOS = Items(
    about="faults that happen by chance",
    item=Record(
        fields={"fault": Ref(name="fault"), "probability": Number(whole=False, least=0, most=1)},
        required=("fault", "probability"), others=Anything(), judge=judges.judge_chaos,
    ),
)  # fmt: skip
PACE = Either(
    about="a pace by name, tokens per second, or a mapping",
    options=(Text(), Number(whole=False, least=0), Record(others=Either(
        options=(Number(whole=False), Text(), Flag())
    ))),
    judge=judges.judge_pace,
)  # fmt: skip

EVENT = Either(
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
                        _MS,
                        Text(choices=("forever",)),
                        Null(),
                        Record(
                            fields={"ms": Either(options=(_MS, Text(choices=("forever",))))},
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
EVENT_TEXT = Either(
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

STYLE: Mapping[str, Shape] = {
    "wire": Ref(name="wire", about="knobs of the wire dialect"),
    "pace": Ref(name="pace"),
    "faults": Ref(name="faults"),
    "chaos": CHAOS,
    "headers": Ref(name="headers", about="further response headers"),
}
REPLY = Either(
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
                **STYLE,
                "error": _ERROR,
                "events": Items(item=Ref(name="event"), about="the answer event by event"),
                "omit": Items(item=Text(choices=OMITTED), about="frames that are not sent"),
            },
            judge=judges.judge_reply,
        ),
    ),
)
HEADERS = Record(others=Either(options=(
    Text(pattern=r"[\t\x20-\x7e\xa0-\xff]*", about="text without line breaks"), Number(),
)), judge=judges.judge_headers)  # fmt: skip
