"""Turns the `reply` of a turn into what makes an answer for each request; source layer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text
from k3mock.protocol.knobs import read_knobs
from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    Reply,
    ReplyEvent,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.protocol.style import Draw, Style
from k3mock.scenario.events import event_makers
from k3mock.scenario.judges import drawn, error_call, fault_call, pace_text
from k3mock.scenario.said import Said, compact, fixed, said, takes_long, templated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from k3mock.scenario.making import Making

_WORDS = ("reasoning", "content", "tool_calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A compiled reply.

    Attributes:
        style: how it is given.
        make: gives the reply; None leaves the words to the generator.
        fails: whether its events end in a way after which a client is expected to try again.
        calls: the tools that it calls, unless it may call them unasked.
        long: whether making it may take long.
    """

    style: Style = field(default_factory=Style)
    make: Callable[[Making], Reply] | None = None
    fails: bool = False
    calls: tuple[str, ...] = ()
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    name: str
    id: str | None
    arguments: Said | None
    given: bool


def compile_answer(spec: JSONValue, place: str, folder: Path | None) -> Answer:
    """Compile a checked reply; `place` names it in messages."""
    given: JSONObject = {"content": spec} if isinstance(spec, str) else as_object(spec) or {}
    style = read_style(given)
    error = error_call(given["error"]) if "error" in given else None
    if error is not None:
        style = replace(style, faults=(error, *style.faults))
    if "events" in given:
        return _literal(given, style, place, folder)
    calls = [as_object(item) or {} for item in as_list(given.get("tool_calls")) or []]
    return Answer(
        style=style,
        make=None if error is not None else _short(given, calls, place, folder),
        calls=tuple(str(call["name"]) for call in calls if call.get("force") is not True),
        long=any(takes_long(given.get(word)) for word in _WORDS) or any(map(_templated, calls)),
    )


def _templated(call: JSONObject) -> bool:
    return "arguments_template" in call


def read_style(given: JSONObject) -> Style:
    """Read what a scenario or a reply says of the way an answer is given."""
    usage = given.get("usage")
    faults = given.get("faults")
    return Style(
        wire=read_knobs(as_object(given.get("wire")) or {}),
        pace=pace_text(given["pace"]) if "pace" in given else None,
        faults=tuple(fault_call(each) for each in (faults if isinstance(faults, list)
                                                   else [] if faults is None else [faults])),
        chaos=tuple(_draws(given.get("chaos"))),
        cached=as_int(given.get("cached_tokens")),
        usage=as_object(usage),
        headers=tuple(
            (name, str(value)) for name, value in (as_object(given.get("headers")) or {}).items()
        ),
        show_usage="usage" not in given or isinstance(usage, dict),
    )  # fmt: skip


def _draws(value: JSONValue) -> Iterator[Draw]:
    for item in as_list(value) or []:
        given = as_object(item) or {}
        probability = given.get("probability")
        yield Draw(
            fault=fault_call(drawn(given)),
            probability=float(probability) if isinstance(probability, int | float) else 0.0,
        )


def _short(
    given: JSONObject, calls: list[JSONObject], place: str, folder: Path | None
) -> Callable[[Making], Reply] | None:
    """Compile the short form: reasoning, content, calls, in this order."""
    finish = given.get("finish_reason")
    changes = {"finish_reason", "omit"} & given.keys()
    omit = frozenset(str(word) for word in as_list(given.get("omit")) or [])
    null_finish = "finish_reason" in given and finish is None
    if not given.keys() & set(_WORDS):
        if not changes:
            return None
        return lambda making: Reply(
            events=making.generated.events, finish=as_text(finish) or making.generated.finish,
            omit=omit, null_finish=null_finish,
        )  # fmt: skip
    reasoning = said(given.get("reasoning"), f"{place}.reasoning", folder)
    content = said(given.get("content"), f"{place}.content", folder)
    called = [_call(call, f"{place}.tool_calls.{number}") for number, call in enumerate(calls)]

    def make(making: Making) -> Reply:
        events: list[ReplyEvent] = []
        if text := reasoning(making):
            events.append(ReasoningDelta(text))
        if text := content(making):
            events.append(ContentDelta(text))
        events += _called(called, making)
        return Reply(events=tuple(events), finish=as_text(finish), omit=omit,
                     null_finish=null_finish)  # fmt: skip

    return make


def _call(given: JSONObject, place: str) -> _Call:
    arguments = given.get("arguments")
    text: Said | None = None
    if "arguments_template" in given:
        text = templated(str(given["arguments_template"]), f"{place}.arguments_template")
    elif isinstance(arguments, str):
        text = fixed(arguments)
    elif arguments is not None:
        text = fixed(compact(arguments))
    return _Call(
        name=str(given["name"]), id=as_text(given.get("id")), arguments=text,
        given="arguments" in given,
    )  # fmt: skip


def _called(calls: list[_Call], making: Making) -> Iterator[ReplyEvent]:
    """Yield calls; where one has no arguments, all are written out, so that indexes agree."""
    plain = all(call.arguments is not None for call in calls)
    for index, call in enumerate(calls):
        yield from _one(call, index, making, plain=plain)


def _one(call: _Call, index: int, making: Making, *, plain: bool) -> Iterator[ReplyEvent]:
    text = call.arguments(making) if call.arguments is not None else None
    if plain and text is not None:
        yield ToolCallStart(call.name, call.id, index)
        if text:
            yield ToolArgumentsDelta(text, index)
        return
    function: JSONObject = {"name": call.name}
    if text is not None or call.given:
        function["arguments"] = text
    call_id = f"{call.name}_{index}" if call.id is None else call.id
    yield ToolDelta({"index": index, "id": call_id, "type": "function", "function": function})


def _literal(given: JSONObject, style: Style, place: str, folder: Path | None) -> Answer:
    """Compile `events:`, which stand as they are written."""
    items = as_list(given.get("events")) or []
    makers = event_makers(items, f"{place}.events", folder, _call_of)
    omit = frozenset(str(word) for word in as_list(given.get("omit")) or [])

    def make(making: Making) -> Reply:
        events = tuple(event for maker in makers for event in maker(making))
        return Reply(events=events, literal=True, omit=omit)

    named = [as_object((as_object(item) or {}).get("tool_call")) for item in items]
    texts = [text for item in items for text in (as_object(item) or {}).values()]
    return Answer(
        style=style,
        make=make,
        fails=any(_breaks(item) for item in items),
        calls=tuple(str(call["name"]) for call in named
                    if call is not None and call.get("force") is not True),
        long=any(map(takes_long, texts)) or any(_templated(call or {}) for call in named),
    )  # fmt: skip


def _breaks(item: JSONValue) -> bool:
    given = as_object(item)
    return item == "disconnect" or (
        given is not None and bool(given.keys() & {"disconnect", "error_event"})
    )


def _call_of(given: JSONObject, index: int, place: str) -> Callable[[Making], Iterator[ReplyEvent]]:
    call = _call(given, place)
    return lambda making: _one(call, index, making, plain=True)
