"""Turns what the model says into the odd answers that clients meet; faults layer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from k3mock.fault.bend import Bend
from k3mock.fault.calls import made_up_call
from k3mock.fault.entry import Fault, Given, Parameter
from k3mock.fault.lengths import cap_at
from k3mock.fault.midstream import BETWEEN
from k3mock.fault.place import split_events
from k3mock.jsonvalue import JSONObject, as_object
from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)
from k3mock.protocol.usage import Usage
from k3mock.text.template import argument_text, argument_type, read_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.contract.profile import Profile
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance

_THOUGHT = "The request is clear. I should answer it briefly."


def _rewritten(
    change: Callable[[Reply, Given, ChatRequest], Reply],
) -> Callable[[Given, Profile], Bend]:
    """Return what makes a bend of a change of the written reply."""

    def make(given: Given, _: Profile) -> Bend:
        def rewrite(reply: Reply, request: ChatRequest, _chance: Chance) -> Reply:
            return change(reply, given, request)

        return Bend(rewrites=(rewrite,))

    return make


def _markup(spelling: str, name: str, arguments: str) -> str:
    """Write a tool call as the model does, before any server has parsed it."""
    if spelling == "k2":
        return (
            f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0"
            f"<|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>"
        )
    inner = "".join(
        f'<|open|>argument key="{key}" type="{argument_type(value)}"<|sep|>'
        f"{argument_text(value)}<|close|>argument<|sep|>"
        for key, value in (read_arguments(arguments) or {}).items()
    )
    call = f'<|open|>call tool="{name}" index="1"<|sep|>{inner}<|close|>call<|sep|>'
    return f"<|open|>tools<|sep|>{call}<|close|>tools<|sep|>"


def _in_channel(reply: Reply, channel: str, text: str) -> Reply:
    """Put a text behind one of the channels; the calls are gone."""
    reasoning, content = reply.reasoning, reply.content
    if channel == "reasoning":
        return written(reasoning=(reasoning or _THOUGHT) + text)
    return written(reasoning=reasoning, content=content + text)


def _leaked(reply: Reply, given: Given, request: ChatRequest) -> Reply:
    calls = [(call.name, call.arguments) for call in reply.calls] or [made_up_call(request)]
    text = "".join(_markup(given.text("spelling"), *call) for call in calls)
    leaked = _in_channel(reply, given.text("channel"), text)
    return replace(leaked, finish=given.text("finish"))


_MARKER = re.compile(r"<\|[^|<>]*\|>")


def _whole_markers(reply: Reply) -> Reply:
    """Join the deltas so that no marker is split between two of them."""
    events: list[ReplyEvent] = []
    for event in reply.events:
        last = events[-1] if events else None
        if isinstance(event, ReasoningDelta | ContentDelta) and type(last) is type(event):
            text = last.text + event.text
            if any(found.start() < len(last.text) < found.end()
                   for found in _MARKER.finditer(text)) or _opens(last.text):  # fmt: skip
                events[-1] = replace(last, text=text, tokens=last.tokens + event.tokens)
                continue
        events.append(event)
    return replace(reply, events=tuple(events))


def _opens(text: str) -> bool:
    """Say whether a text ends inside what may become a marker."""
    return re.search(r"<(\|[^|<>]*\|?)?$", text) is not None


def _leak(given: Given, profile: Profile) -> Bend:
    bend = _rewritten(_leaked)(given, profile)
    if given.flag("split"):
        return bend
    return replace(bend, edits=(lambda reply, _request, _chance: _whole_markers(reply),))


def _trailing(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    ends = {"k3": "<|close|>response<|sep|><|close|>message<|sep|>", "k2": "<|im_end|>"}
    marked = _in_channel(reply, given.text("channel"), ends[given.text("spelling")])
    return replace(marked, finish="stop")


def _reasoning_only(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    return written(reasoning=reply.reasoning or _THOUGHT, finish=given.text("finish"))


def _answer_in_reasoning(reply: Reply, _given: Given, _request: ChatRequest) -> Reply:
    parts = [part for part in (reply.reasoning, reply.content) if part]
    return written(reasoning="\n\n".join(parts) or _THOUGHT, finish="stop")


def _thinking_in_content(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    thought = reply.reasoning or _THOUGHT
    opened = "<think>" if given.flag("opened") else ""
    text = f"{opened}{thought}</think>\n\n{reply.content}" if given.flag("tags") else (
        f"{thought}\n\n{reply.content}")  # fmt: skip
    kept = tuple(
        event for event in reply.events if isinstance(event, ToolCallStart | ToolArgumentsDelta)
    )
    return replace(reply, events=(ContentDelta(text), *kept))


def _placeholder(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    kept = tuple(event for event in reply.events if not isinstance(event, ReasoningDelta))
    return replace(reply, events=(ReasoningDelta(given.text("text")), *kept))


def _empty(_reply: Reply, given: Given, _request: ChatRequest) -> Reply:
    return written(finish=given.text("finish"))


def _with_content(reply: Reply, content: str, finish: str | None = None) -> Reply:
    return written(reasoning=reply.reasoning, content=content, finish=finish)


def _json_text(reply: Reply) -> str:
    """Return the content if it is JSON, else an object that holds it."""
    try:
        orjson.loads(reply.content)
    except orjson.JSONDecodeError:
        return orjson.dumps({"answer": reply.content}).decode()
    return reply.content


def _fenced(reply: Reply, _given: Given, _request: ChatRequest) -> Reply:
    return _with_content(reply, f"```json\n{_json_text(reply)}\n```")


def _violating(reply: Reply, _given: Given, _request: ChatRequest) -> Reply:
    """Rename the first key of the object, and so miss it and add an unknown one."""
    found = as_object(orjson.loads(_json_text(reply))) or {}
    wrong: JSONObject = {
        ("unexpected" if number == 0 else key): value
        for number, (key, value) in enumerate(found.items())
    }
    return _with_content(reply, orjson.dumps(wrong or {"unexpected": True}).decode())


def _truncated(reply: Reply, given: Given, _: ChatRequest) -> Reply:
    text = _json_text(reply)
    return _with_content(reply, text[: max(1, len(text) // 2)], given.text("finish"))


def _filtered(given: Given, _: Profile) -> Bend:
    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        # What is generated ends at the cap; literal events know none.
        head = split_events(reply.events, given.place())[0] if reply.literal else reply.events
        return replace(reply, events=head, finish="content_filter")

    return Bend(caps=(cap_at(given.place()),), edits=(edit,))


def _finish(given: Given, _: Profile) -> Bend:
    reason = given.text("finish")
    return Bend(edits=(lambda reply, _request, _chance: replace(reply, finish=reason),))


def _null_finish(_given: Given, _profile: Profile) -> Bend:
    return Bend(edits=(lambda reply, _request, _chance: replace(reply, null_finish=True),))


def _usage(usage: Usage | None) -> Callable[[Given, Profile], Bend]:
    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        return replace(reply, usage=usage, shown_usage=None)

    return lambda _given, _profile: Bend(accounted=(edit,))


_CHANNEL = Parameter(
    name="channel", kind="choice", choices=("reasoning", "content"), default="reasoning",
    about="where they show",
)  # fmt: skip
_SPELLING = Parameter(
    name="spelling", kind="choice", choices=("k3", "k2"), default="k3",
    about="the markers of which family",
)  # fmt: skip


def _finish_parameter(default: str) -> Parameter:
    return Parameter(name="finish", kind="text", default=default, about="`finish_reason`")


FAULTS = (
    Fault(
        name="leaked_markers", kind="reply", make=_leak, example="channel:content,spelling:k2",
        about="A tool call as raw control tokens in the text; no structured call.",
        seen="MoonshotAI/Kimi-K2#89, sgl-project/sglang#33343 (E01, E04)",
        parameters=(
            _CHANNEL, _SPELLING, _finish_parameter("stop"),
            Parameter(name="split", kind="flag", default=True,
                      about="a marker spreads over several deltas; else each stands in one"),
        ),
    ),
    Fault(
        name="trailing_markers", kind="reply", make=_rewritten(_trailing), example="spelling:k2",
        about="The text ends with raw control tokens.",
        seen="sgl-project/sglang#33995 (E04, B04)", parameters=(_CHANNEL, _SPELLING),
    ),
    Fault(
        name="reasoning_only", kind="reply", make=_rewritten(_reasoning_only),
        about="Thinking alone: no content, no call.", example="finish:tool_calls",
        seen="MoonshotAI/kimi-code#3149, MoonshotAI/kimi-cli#1172 (B09)",
        parameters=(_finish_parameter("stop"),),
    ),
    Fault(
        name="answer_in_reasoning", kind="reply", make=_rewritten(_answer_in_reasoning),
        about="The whole answer comes as reasoning; content is empty.",
        seen="OpenRouterTeam/ai-sdk-provider#426, sgl-project/sglang#33995 (B04)",
    ),
    Fault(
        name="thinking_in_content", kind="reply", make=_rewritten(_thinking_in_content),
        about="The thinking comes as content, in `<think>` tags or bare.", example="tags:false",
        seen="MoonshotAI/Kimi-K3#45, diegosouzapw/OmniRoute#8721, skalesapp/skales#166",
        parameters=(
            Parameter(name="tags", kind="flag", default=True, about="whether tags surround it"),
            Parameter(name="opened", kind="flag", default=True,
                      about="whether the opening tag is there, too"),
        ),
    ),
    Fault(
        name="placeholder_reasoning", kind="reply", make=_rewritten(_placeholder),
        about="A placeholder stands in place of the thinking.", example="text:-",
        seen="nikships/droidproxy#207 (B12)",
        parameters=(
            Parameter(name="text", kind="text", default="[reasoning unavailable]",
                      about="the placeholder"),
        ),
    ),
    Fault(
        name="empty_stream", kind="reply", make=_rewritten(_empty), example="finish:tool_calls",
        about="An answer that says nothing: no delta but the role, then the finish.",
        seen="MoonshotAI/kimi-code#520, MoonshotAI/kimi-cli#384 (B09)",
        parameters=(_finish_parameter("stop"),),
    ),
    Fault(
        name="fenced_json", kind="reply", make=_rewritten(_fenced),
        about="JSON in a Markdown fence, whatever `response_format` says.",
        seen="567-labs/instructor#1931 (K08)",
    ),
    Fault(
        name="schema_violation", kind="reply", make=_rewritten(_violating),
        about="JSON that misses a key of the schema and has an unknown one.",
        seen="vercel/ai#19558, BerriAI/litellm#29683 (K08)",
    ),
    Fault(
        name="truncated_json", kind="reply", make=_rewritten(_truncated), example="finish:length",
        about="JSON content that ends in its middle, with `stop`.",
        seen="vercel/ai#19558 (K08)", parameters=(_finish_parameter("stop"),),
    ),
    Fault(
        name="content_filter_finish", kind="reply", make=_filtered, parameters=(BETWEEN,),
        about="The answer ends in its midst with `content_filter`.", example="after:12",
        seen="666ghj/BettaFish#228 (I10)",
    ),
    Fault(
        name="unknown_finish", kind="reply", make=_finish, example="finish:engine_overloaded",
        about="A `finish_reason` that no client knows: `repeat`, `server_interrupted`, `unknown`.",
        seen="strands-agents/harness-sdk#3206 (C11)",
        parameters=(_finish_parameter("unexpected_state"),),
    ),
    Fault(
        name="null_finish", kind="reply", make=_null_finish,
        about="The answer ends with `finish_reason: null`.", seen="can1357/oh-my-pi#9609 (H03)",
    ),
    Fault(
        name="no_usage", kind="reply", make=_usage(None), about="No usage anywhere.",
        seen="NousResearch/hermes-agent#12023",
    ),
    Fault(
        name="zero_usage", kind="reply", make=_usage(Usage(prompt=0, completion=0)),
        about="Usage that is all zeros.", seen="spring-projects/spring-ai#1307",
    ),
)  # fmt: skip
