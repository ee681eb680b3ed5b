"""Turns errors, comments and broken chunks in the midst of a stream into bends; faults layer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract.profile import ErrorPreset
from k3mock.errors import did_you_mean
from k3mock.fault.bend import Bend
from k3mock.fault.connection import HOW
from k3mock.fault.cuts import AFTER, insert
from k3mock.fault.entry import Fault, FaultError, Given, Parameter
from k3mock.fault.instead import COMMON, engine_error, overridden
from k3mock.fault.lengths import cap_at
from k3mock.fault.place import DELTA_UNITS, FRAME_UNITS, Place, frame_index, split_events
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    ErrorEvent,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Rewrite
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.wire.chunks import Frame

BETWEEN = replace(AFTER, units=DELTA_UNITS)
FRAME_AFTER = replace(AFTER, units=FRAME_UNITS)

_THEN = Parameter(
    name="then", kind="choice", choices=("done", "close", "continue"), default="done",
    about="`done` ends the stream with [DONE], `close` without; `continue` goes on",
)  # fmt: skip
_CLOSE_HOW = replace(HOW, default="clean", about=f"with `then: close`: {HOW.about}")
_ERROR = (
    Parameter(name="error", kind="text", about="a named error of the host, to be worded by it"),
    *(one for one in COMMON if one.name in {"status", "message", "type", "code", "param"}),
    Parameter(name="values", kind="mapping", about="values of placeholders in the message"),
)
_USUAL = ("bad_gateway", "server_unavailable", "server_error")


def _error(given: Given, profile: Profile) -> ApiError:
    """Return the error that the stream shows: the named one, or the host's upstream failure."""
    name = given.maybe_text("error")
    names = _USUAL if name is None else (name,)
    found = [profile.errors.get(one) or engine_error(profile, one) for one in names]
    preset = next((one for one in found if one is not None), None)
    if preset is None and name is not None:
        behind = profile.engine.errors if profile.engine is not None else {}
        raise FaultError(
            f"the host {profile.name!r} has no error {name[:60]!r}",
            accepted=did_you_mean(name[:60], {*profile.errors, *behind}),
        )
    usual = ErrorPreset(name="error", status=500, type="server_error", message="Internal error")
    blank = dict.fromkeys(("retry_after", "body", "content_type"))
    every = Given({**blank, "headers": {}, **given.values})
    return overridden(preset or usual, every)


def _then(given: Given, shown: ReplyEvent, error: ApiError) -> Rewrite:
    """Return the edit that puts an event at a place and ends the stream as told.

    A whole body has no place for it: there the answer is the error itself.
    """

    def edit(reply: Reply, request: ChatRequest, _chance: Chance) -> Reply:
        head, tail = split_events(reply.events, given.place())
        event = shown if request.stream else ErrorEvent(error)
        match given.text("then"):
            case "continue":
                return replace(reply, events=(*head, event, *tail))
            case "close":
                closed = (*head, event, Disconnect(given.ending()))
                return replace(reply, events=closed)
            case _:
                omit = reply.omit | {"finish", "usage", "done"}
                return replace(reply, events=(*head, event, DoneEvent()), omit=omit)

    return edit


def _error_fault(
    name: str, about: str, seen: str, make: Callable[[Given, ApiError], ReplyEvent]
) -> Fault:
    named = Parameter(name="event", kind="text", default="", about="a name: `event: …`")
    parameters = (BETWEEN, _THEN, _CLOSE_HOW, *_ERROR)
    if name != "error_chunk":
        usual = "error" if name == "named_error_event" else ""
        parameters = (*parameters, replace(named, default=usual))

    def bent(given: Given, profile: Profile) -> Bend:
        error = _error(given, profile)
        return Bend(edits=(_then(given, make(given, error), error),))

    return Fault(
        name=name, about=about, kind="stream", seen=seen, parameters=parameters, make=bent,
        example="after:12,error:engine_overloaded,then:close",
    )  # fmt: skip


def _merged(given: Given, error: ApiError) -> Chunk:
    code = given.code("code")
    shown: JSONObject = {
        "code": error.status if code is None else code,
        "message": error.message,
    }
    return Chunk({"choices": [], "error": shown})


def _finish_error(given: Given, profile: Profile) -> Bend:
    error = _error(given, profile)
    shown: JSONObject = {"code": error.status, "message": error.message}

    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        place = given.place() if reply.literal else Place("end")
        head, _ = split_events(reply.events, place)
        chunk = Chunk({"choices": [], "error": shown})
        return replace(reply, events=(*head, chunk), finish="error")

    return Bend(caps=(cap_at(given.place()),), edits=(edit,))


_NULL_DELTA: JSONObject = {"choices": [{"index": 0, "delta": None, "finish_reason": None}]}


def _null_delta(given: Given, _: Profile) -> Bend:
    return Bend(edits=(insert(given.place(), Chunk(_NULL_DELTA)),))


def _keepalive(given: Given, _: Profile) -> Bend:
    text = given.text("text")
    wire: JSONObject = {"keepalive_ms": given.whole("every_ms"), "keepalive_text": text}
    edits = (insert(given.place(), Comment(text)), insert(Place("start"), Comment(text)))
    return Bend(wire=wire, edits=edits)


def _comments(given: Given, _: Profile) -> Bend:
    comment = Comment(given.text("text"))
    spoken = (ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta)

    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        events: list[ReplyEvent] = []
        for event in reply.events:
            events += [comment, event] if isinstance(event, spoken) else [event]
        return replace(reply, events=tuple(events))

    return Bend(edits=(edit,))


def _frames(change: Callable[[list[Frame], int], Sequence[Frame]]) -> Callable[..., Bend]:
    """Return what makes a bend of a change of the frames behind a place."""

    def make(given: Given, _: Profile) -> Bend:
        def edit(frames: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
            return change(list(frames), frame_index(frames, given.place()))

        return Bend(frames=(edit,))

    return make


def _duplicate(frames: list[Frame], at: int) -> Sequence[Frame]:
    before = max(0, at - 1)
    return [*frames[: before + 1], replace(frames[before], tokens=0), *frames[before + 1 :]]


def _drop(frames: list[Frame], at: int) -> Sequence[Frame]:
    return [*frames[:at], *frames[at + 1 :]]


def _reorder(frames: list[Frame], at: int) -> Sequence[Frame]:
    at = min(at, len(frames) - 2)
    return [*frames[:at], frames[at + 1], frames[at], *frames[at + 2 :]]


def half_json(data: bytes) -> bytes:
    """Cut the JSON of a data line in half; the blank line behind it stays."""
    text = data.rstrip(b"\r\n")
    return text[: max(len(text) // 2, min(7, len(text)))] + data[len(text) :]


def _break(given: Given, _: Profile) -> Bend:
    def edit(frames: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        at = frame_index(frames, given.place())
        broken = replace(frames[at], data=half_json(frames[at].data))
        return (*frames[:at], broken, *frames[at + 1 :])

    return Bend(frames=(edit,), body=(lambda data, _chance: half_json(data),))


def _repeat(given: Given, _: Profile) -> Bend:
    del given

    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        again = ContentDelta(reply.content, tokens=0)
        head, tail = split_events(reply.events, Place("end"))
        return replace(reply, events=(*head, again, *tail)) if reply.content else reply

    return Bend(edits=(edit,))


_MODEL = re.compile(rb'"model"(\s*):(\s*)"[^"]*"')


def _model(given: Given, _: Profile) -> Bend:
    shown = b'"model"\\1:\\2"' + re.sub(r'["\\]', "", given.text("model")).encode() + b'"'

    def frames(found: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        return [replace(one, data=_MODEL.sub(shown, one.data, count=1)) for one in found]

    return Bend(frames=(frames,), body=(lambda data, _: _MODEL.sub(shown, data, count=1),))


_KEEPALIVE = (
    Parameter(name="every_ms", kind="whole", default=1000,
              about="a line after so much silence; beside the two that always come"),
    replace(BETWEEN, about="where the second line stands; the first comes before all deltas"),
)  # fmt: skip


def _keepalive_fault(name: str, about: str, seen: str, text: str) -> Fault:
    shown = Parameter(name="text", kind="text", default=text, about="what follows the colon")
    return Fault(
        name=name, about=about, kind="stream", seen=seen, make=_keepalive,
        parameters=(*_KEEPALIVE, shown), example="every_ms:100",
    )  # fmt: skip


FAULTS = (
    _error_fault(
        "error_event", "An error object as an event of a stream that began with 200.",
        "aaif-goose/goose#8027, Gitlawb/openclaude#1174 (H05)",
        lambda given, error: ErrorEvent(error, given.text("event")),
    ),
    _error_fault(
        "named_error_event", "An error event with a name: `event: error`.",
        "farzaa/clicky#132 (H07)", lambda given, error: ErrorEvent(error, given.text("event")),
    ),
    _error_fault(
        "error_chunk", "A chunk with empty choices and an error in it.",
        "diegosouzapw/OmniRoute#8210 (H06)", _merged,
    ),
    Fault(
        name="finish_error", kind="stream", make=_finish_error, parameters=(BETWEEN, *_ERROR),
        about="An error chunk, then `finish_reason: error`.",
        seen="diegosouzapw/OmniRoute#8210 (H06), OpenRouter's public page", example="after:12",
    ),
    Fault(
        name="null_delta", kind="stream", make=_null_delta, parameters=(BETWEEN,),
        about="A chunk whose delta is null. Streams only.",
        seen="microsoft/agent-framework#5734 (H16)", example="after:12",
    ),
    _keepalive_fault(
        "keepalive", "Comment lines before the first delta, among them, and in long silence.",
        "tmc/langchaingo#942, deepnoodle-ai/dive#206 (G02, G06)", " keep-alive",
    ),
    _keepalive_fault(
        "keepalive_bare", "The same with bare colons.", "justlovemaki/AIClient2API#695 (G02)", "",
    ),
    Fault(
        name="comments", kind="stream", make=_comments, example="text:%20busy",
        about="A comment line before each delta.", seen="continuedev/continue#13144 (G02)",
        parameters=(
            Parameter(name="text", kind="text", default=" OPENROUTER PROCESSING",
                      about="what follows the colon"),
        ),
    ),
    Fault(
        name="duplicate_frame", kind="stream", make=_frames(_duplicate), parameters=(FRAME_AFTER,),
        about="The frame before the place comes twice. Streams only.",
        seen="abetlen/llama-cpp-python#2285", example="after:12",
    ),
    Fault(
        name="dropped_frame", kind="stream", make=_frames(_drop), parameters=(FRAME_AFTER,),
        about="The frame behind the place is lost. Streams only.",
        seen="alexrudall/ruby-openai#251", example="after:12",
    ),
    Fault(
        name="reordered_frames", kind="stream", make=_frames(_reorder), parameters=(FRAME_AFTER,),
        about="The two frames behind the place change places. Streams only.",
        seen="epam/ai-dial-core#421", example="after:12",
    ),
    Fault(
        name="broken_json", kind="stream", make=_break, parameters=(FRAME_AFTER,),
        about="The JSON of one chunk, or of the body, is cut in half.",
        seen="zai-org/GLM-5#66, SamSaffron/term-llm#448", example="after:12",
    ),
    Fault(
        name="repeated_text", kind="stream", make=_repeat,
        about="A last delta says the whole content again.", seen="infiniflow/ragflow#15443 (H11)",
    ),
    Fault(
        name="wrong_model", kind="reply", make=_model, example="model:auto",
        about="The answer names another model than the one asked for.",
        seen="earendil-works/pi#3968",
        parameters=(
            Parameter(name="model", kind="text", default="kimi-k2.6", about="the model it names"),
        ),
    ),
)  # fmt: skip
