"""Turns tool calls into the broken ones that clients meet; faults layer.

An answer without a call gets one, so that each of these faults shows: of the first offered tool,
with arguments made up from its required properties.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from k3mock.fault.bend import Bend
from k3mock.fault.entry import Fault, Given, Parameter
from k3mock.jsonvalue import as_list, as_object
from k3mock.protocol.reply import (
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.wire.chunks import FrameKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Rewrite
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.wire.chunks import Frame

_SAMPLES: Mapping[str, JSONValue] = {
    "string": "example", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {},
}  # fmt: skip


def made_up_call(request: ChatRequest) -> tuple[str, str]:
    """Return name and arguments of a call that the answer could have made."""
    if not request.tools:
        return "lookup", '{"query":"example"}'
    tool = request.tools[0]
    shapes = as_object(tool.parameters.get("properties")) or {}
    needed = [str(name) for name in as_list(tool.parameters.get("required")) or []]
    arguments: JSONObject = {name: _sample(as_object(shapes.get(name)) or {}) for name in needed}
    return tool.name, orjson.dumps(arguments).decode()


def _sample(shape: JSONObject) -> JSONValue:
    choices = as_list(shape.get("enum"))
    return choices[0] if choices else _SAMPLES.get(str(shape.get("type")), "example")


def with_calls(least: int) -> Rewrite:
    """Return the rewrite that brings a written reply to so many calls."""

    def rewrite(reply: Reply, request: ChatRequest, _chance: Chance) -> Reply:
        there = [event for event in reply.events if isinstance(event, ToolCallStart)]
        if reply.literal or len(there) >= least:
            return reply
        name, arguments = made_up_call(request)
        if there:
            name, arguments = there[0].name, reply.calls[0].arguments
        events: list[ReplyEvent] = list(reply.events)
        for index in range(len(there), least):
            events += [ToolCallStart(name, index=index), ToolArgumentsDelta(arguments, index=index)]
        return replace(reply, events=tuple(events), finish=None)

    return rewrite


def _edited(
    least: int, change: Callable[[Reply, Given, ChatRequest], Reply]
) -> Callable[[Given, Profile], Bend]:
    """Return what makes a bend of a change of the generated reply that has so many calls."""

    def make(given: Given, _: Profile) -> Bend:
        def edit(reply: Reply, request: ChatRequest, _chance: Chance) -> Reply:
            return change(reply, given, request)

        return Bend(rewrites=(with_calls(least),), edits=(edit,))

    return make


def _wrong_finish(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    return replace(reply, finish=given.text("finish"))


def _nameless(reply: Reply, _given: Given, _request: ChatRequest) -> Reply:
    events = [
        replace(event, name="") if isinstance(event, ToolCallStart) else event
        for event in reply.events
    ]
    return replace(reply, events=tuple(events))


def _empty_arguments(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    blank = given.text("text")
    events: list[ReplyEvent] = []
    for event in reply.events:
        if isinstance(event, ToolArgumentsDelta):
            continue
        events.append(event)
        if isinstance(event, ToolCallStart) and blank:
            events.append(ToolArgumentsDelta(blank, event.index, 0))
    return replace(reply, events=tuple(events))


def _duplicate_ids(reply: Reply, _given: Given, _request: ChatRequest) -> Reply:
    ids = [event.id for event in reply.events if isinstance(event, ToolCallStart)]
    events = [
        replace(event, id=ids[0]) if isinstance(event, ToolCallStart) else event
        for event in reply.events
    ]
    return replace(reply, events=tuple(events))


def _colliding(reply: Reply, _given: Given, request: ChatRequest) -> Reply:
    """Give the head of the second call the index of the first; a whole body has no such thing."""
    if not request.stream:
        return reply
    events: list[ReplyEvent] = []
    for event in reply.events:
        match event:
            case ToolCallStart(index=1):
                events.append(
                    ToolDelta(
                        {"index": 0, "id": event.id, "type": "function",
                         "function": {"name": event.name, "arguments": ""}}, event.tokens,
                    )
                )  # fmt: skip
            case ToolArgumentsDelta(index=1):
                more: JSONObject = {"index": 1, "function": {"arguments": event.text}}
                events.append(ToolDelta(more, event.tokens))
            case _:
                events.append(event)
    return replace(reply, events=tuple(events))


def _invalid_arguments(given: Given, _: Profile) -> Bend:
    """Write the arguments of the first call as they are given, valid or not."""
    text = given.text("text")

    def rewrite(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        first = next((e.index for e in reply.events if isinstance(e, ToolCallStart)), 0)
        events: list[ReplyEvent] = []
        for event in reply.events:
            if isinstance(event, ToolArgumentsDelta) and event.index == first:
                continue
            events.append(event)
            if isinstance(event, ToolCallStart) and event.index == first:
                events.append(ToolArgumentsDelta(text, event.index))
        return replace(reply, events=tuple(events))

    return Bend(rewrites=(with_calls(1), rewrite))


_ARGUMENTS = re.compile(rb'(,\s*)?"arguments"\s*:\s*"(?:[^"\\]|\\.)*"')


def _literal_arguments(written: bytes) -> Callable[[Given, Profile], Bend]:
    """Return what replaces each `arguments` in the bytes of frames and bodies."""

    def change(data: bytes) -> bytes:
        return _ARGUMENTS.sub(lambda found: (found[1] or b"") + written if written else b"", data)

    def frames(found: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        """Only the first delta of a call is left of it."""
        heads = (b'"name"', b'"name" ')
        return [
            replace(frame, data=change(frame.data)) if frame.kind is FrameKind.TOOL else frame
            for frame in found
            if frame.kind is not FrameKind.TOOL or any(head in frame.data for head in heads)
        ]

    def make(_given: Given, _profile: Profile) -> Bend:
        return Bend(
            rewrites=(with_calls(1),), frames=(frames,),
            body=(lambda data, _chance: change(data),),
        )  # fmt: skip

    return make


def _knob(name: str, about: str, seen: str, least: int, **wire: JSONValue) -> Fault:
    """Return the preset of a knob that shows in so many calls."""
    return Fault(
        name=name, about=about, kind="shape", seen=seen,
        make=lambda _given, _profile: Bend(rewrites=(with_calls(least),), wire=wire),
    )  # fmt: skip


FAULTS = (
    Fault(
        name="wrong_finish", kind="reply", make=_edited(1, _wrong_finish), example="finish:length",
        about="Tool calls, but `finish_reason` says `stop`.",
        seen="anomalyco/opencode#14972, vercel/workflow#1387 (C11)",
        parameters=(
            Parameter(name="finish", kind="text", default="stop", about="what it says"),
        ),
    ),
    Fault(
        name="nameless_tool_call", kind="reply", make=_edited(1, _nameless),
        about="A tool call whose name is empty.", seen="tailcallhq/forgecode#1141 (C07)",
    ),
    Fault(
        name="empty_arguments", kind="reply", make=_edited(1, _empty_arguments),
        about="Arguments that are an empty text; a stream has no delta of them.",
        seen="openai/openai-python#3502, langchain-ai/langchainjs#11383 (C08)",
        parameters=(
            Parameter(name="text", kind="text", default="", about="blanks to send instead"),
        ),
        example='text:"  "',
    ),
    Fault(
        name="null_arguments", kind="reply", make=_literal_arguments(b'"arguments":null'),
        about="Arguments that are null.", seen="NVIDIA/TensorRT-LLM#17575 (C09)",
    ),
    Fault(
        name="absent_arguments", kind="reply", make=_literal_arguments(b""),
        about="A tool call without the key `arguments`.", seen="co-l/openfox#80 (C09)",
    ),
    Fault(
        name="invalid_arguments", kind="reply", make=_invalid_arguments,
        about="Arguments that are no JSON: by default with a wrong escape.",
        seen="openclaw/openclaw#88226, MoonshotAI/kimi-cli#1378 (C17)", example='text:"{\\"a\\":"',
        parameters=(
            Parameter(name="text", kind="text", default='{"path":"C:\\users\\Home"}',
                      about="the arguments of the first call, as they are"),
        ),
    ),
    Fault(
        name="duplicate_tool_ids", kind="reply", make=_edited(2, _duplicate_ids),
        about="Two tool calls with one id.", seen="HKUDS/nanobot#4473 (D05)",
    ),
    Fault(
        name="colliding_index", kind="reply", make=_edited(2, _colliding),
        about="The second call begins at index 0 and goes on at index 1. Streams only.",
        seen="agno-agi/agno#8880, vercel/ai#18333 (C02)",
    ),
    _knob(
        "object_arguments", "Arguments as a JSON object in place of text.",
        "can1357/oh-my-pi#2082 (C15)", 1, tool_arguments="object",
    ),
    _knob(
        "whole_arguments", "The arguments of a call come in one delta.",
        "vllm-project/vllm#34955", 1, tool_arguments="whole",
    ),
    _knob(
        "missing_tool_index", "Deltas of tool calls without `index`.",
        "openai/openai-python#3246, AstrBotDevs/AstrBot#6692 (C01)", 2, tool_index="omit",
    ),
    _knob(
        "null_tool_index", "Deltas of tool calls whose `index` is null.",
        "openai/openai-python#3410 (C01)", 2, tool_index="null",
    ),
    _knob(
        "sparse_tool_index", "The first tool call has index 1.", "vercel/ai#18333 (C03)", 1,
        tool_index_base=1,
    ),
    _knob(
        "empty_continuations", "Later deltas of a call carry an empty id and an empty name.",
        "anomalyco/opencode#37841, langchain-ai/langchain#39335 (C04)", 1,
        continuation_id="empty", continuation_type="repeat", continuation_name="empty",
    ),
    _knob(
        "repeated_continuations", "Later deltas of a call repeat its id, type and name.",
        "crmne/ruby_llm#711 (C04, C13)", 1, continuation_id="repeat", continuation_type="repeat",
        continuation_name="repeat",
    ),
    _knob(
        "interleaved_tool_calls", "The deltas of parallel calls alternate.",
        "QwenLM/Qwen-Agent#943, maximhq/bifrost#1829 (C13)", 2, parallel_order="round_robin",
    ),
    _knob(
        "kimi_tool_ids", "Ids of the older form `functions.name:0`.",
        "MoonshotAI/kimi-cli#1977 (D03)", 1, tool_ids="kimi_functions",
    ),
    _knob(
        "openai_tool_ids", "Ids of the form `call_…`.", "exo-explore/exo#1413 (D07)", 1,
        tool_ids="openai",
    ),
)  # fmt: skip
