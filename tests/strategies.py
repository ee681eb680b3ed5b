"""Turns chance into texts, JSON, replies and requests for the property tests.

Strategies are made once a process: to make one takes longer than to draw from it.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import strategies as st

from k3mock.protocol.knobs import Knob, apply_knobs, knobs
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import (
    ContentDelta,
    ReasoningDelta,
    Reply,
    ReplyEvent,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from k3mock.jsonvalue import JSONObject, JSONValue

_PIECES = (
    "hello",
    " world",
    "The user wants",
    "你好，世界",
    "こんにちは",
    "Привет",
    "مرحبا",
    "🙂",
    "👩\u200d👩\u200d👧\u200d👦",
    "🏳️\u200d🌈",
    "e\u0301",
    "𝒳",
    "<b>&amp;</b>",
    '"quoted"',
    "back\\slash",
    "\n\n",
    "\t",
    "   ",
    "\u2028",
    "\x00\x1f",
    "data: x",
    "[DONE]",
    "<|open|>",
    "12345",
    "don't",
)


@cache
def any_text() -> SearchStrategy[str]:
    """Any characters of Unicode but halves of surrogate pairs."""
    return st.text(st.characters(exclude_categories=["Cs"]))


@cache
def texts(*, most: int = 12) -> SearchStrategy[str]:
    """Texts of several scripts with everything that is hard to cut, escape or frame."""
    any_character = st.characters(exclude_categories=["Cs"])
    piece = st.one_of(st.sampled_from(_PIECES), st.text(any_character, max_size=6))
    return st.lists(piece, max_size=most).map("".join)


@cache
def names() -> SearchStrategy[str]:
    """Function names that the contract takes."""
    return st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,20}", fullmatch=True)


@cache
def json_values(*, leaves: int = 10) -> SearchStrategy[JSONValue]:
    """Any JSON value."""
    number = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    leaf: SearchStrategy[JSONValue] = st.one_of(st.none(), st.booleans(), number, texts(most=3))
    return st.recursive(
        leaf,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(texts(most=2), inner, max_size=4)
        ),
        max_leaves=leaves,
    )


@cache
def json_objects() -> SearchStrategy[JSONObject]:
    """Any JSON object."""
    return st.dictionaries(texts(most=2), json_values(leaves=6), max_size=4)


@cache
def arguments() -> SearchStrategy[str]:
    """Arguments of a call: compact JSON mostly, sometimes spaced, sometimes no JSON at all."""
    compact = json_objects().map(lambda value: orjson.dumps(value).decode())
    spaced = json_objects().map(
        lambda value: orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    )
    return st.one_of(compact, compact, spaced, texts(most=4))


@cache
def calls() -> SearchStrategy[tuple[tuple[str, str], ...]]:
    """Up to three calls."""
    return st.lists(st.tuples(names(), arguments()), max_size=3).map(tuple)


@cache
def replies() -> SearchStrategy[Reply]:
    """Replies as a source writes them: whole texts in the usual order."""
    return st.builds(
        lambda reasoning, content, called: written(
            reasoning=reasoning, content=content, calls=called
        ),
        texts(),
        texts(),
        calls(),
    )


@st.composite
def crumbled(draw: st.DrawFn, reply: Reply) -> Reply:
    """Return the same reply with its texts in pieces, and arguments of several calls mixed."""
    text_events: list[ReplyEvent] = []
    starts: list[ReplyEvent] = []
    pieces: list[list[ReplyEvent]] = []
    for event in reply.events:
        match event:
            case ToolCallStart():
                starts.append(event)
            case ReasoningDelta() | ContentDelta():
                kind = type(event)
                text_events += [kind(part) for part in draw(_pieces(event.text))]
            case ToolArgumentsDelta():
                parts = draw(_pieces(event.text))
                pieces.append([ToolArgumentsDelta(part, index=event.index) for part in parts])
            case _:
                raise AssertionError(event)
    mixed: list[ReplyEvent] = []
    while any(pieces):
        waiting = [queue for queue in pieces if queue]
        mixed.append(draw(st.sampled_from(waiting)).pop(0))
    return Reply(events=(*text_events, *starts, *mixed), finish=reply.finish)


_SHAPE_KNOBS = tuple(
    name
    for name in knobs()
    if not name.startswith(("tool_id", "keepalive", "write", "length"))
    and name not in {"streaming", "partial_result", "content_type"}
)
"""The knobs that decide on the bytes of chunks, bodies and errors."""


@cache
def _knob_values(knob: Knob) -> SearchStrategy[JSONValue]:
    match knob.kind:
        case "choice":
            return st.sampled_from(knob.choices)
        case "flag":
            return st.booleans()
        case "number":
            return st.integers(0, 3)
        case "words":
            return st.lists(st.sampled_from(knob.choices), unique=True).map(list)
        case "text":
            return st.sampled_from(("", "message"))
        case _:
            return st.dictionaries(
                st.sampled_from(("provider", "refusal", "x")), json_values(leaves=3), max_size=2
            )


@st.composite
def wire_policies(draw: st.DrawFn) -> WirePolicy:
    """Dialects with any number of knobs turned, from one to all of them."""
    names = draw(st.lists(st.sampled_from(_SHAPE_KNOBS), unique=True, min_size=1))
    return apply_knobs(WirePolicy(), {name: draw(_knob_values(knobs()[name])) for name in names})


@st.composite
def _pieces(draw: st.DrawFn, text: str) -> list[str]:
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    borders = [0, *at, len(text)]
    return [text[a:b] for a, b in itertools.pairwise(borders)]


_PROMPTS = (
    "hi",
    "Reply with exactly one word: hello.",
    "What is the weather in Paris, and what should I wear?",
    "用一句话介绍北京。",
    "请写一段 Python 代码，计算斐波那契数列。",
    "日本の首都はどこですか。",
    "Напиши короткий рассказ о море.",
    "ما هي عاصمة مصر؟",
    "Write a JSON object with the keys name and age.",
    "🙂🙂🙂",
    "Explain <b>bold</b> & \"quotes\" in HTML.",
)  # fmt: skip

_SCHEMAS: tuple[JSONObject, ...] = (
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["count", "tags", "kind"],
        "additionalProperties": False,
    },
    {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
)


@st.composite
def chat_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Requests that the contract accepts, without `stream`."""
    prompt = draw(_PROMPT)
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    if draw(st.booleans()):
        messages.insert(0, {"role": "system", "content": draw(st.sampled_from(_PROMPTS))})
    if draw(st.booleans()):
        messages = [
            *messages,
            {"role": "assistant", "content": "Yes.", "reasoning_content": "Short."},
            {"role": "user", "content": draw(st.sampled_from(_PROMPTS))},
        ]
    body: dict[str, Any] = {"model": "kimi-k3", "messages": messages}
    shape = draw(st.sampled_from(("plain", "tools", "json", "partial")))
    if shape == "tools":
        named = draw(st.lists(names(), min_size=1, max_size=3, unique=True))
        body["tools"] = [_tool(name, draw(st.sampled_from(_SCHEMAS))) for name in named]
        body["tool_choice"] = draw(st.sampled_from(("auto", "none", "required")))
    elif shape == "json":
        body["response_format"] = draw(st.sampled_from(_FORMATS))
    elif shape == "partial":
        messages.append({"role": "assistant", "content": draw(_PREFIXES), "partial": True})
    chosen = draw(st.lists(st.sampled_from(sorted(_OPTIONAL)), max_size=3, unique=True))
    body.update({field: draw(_OPTIONAL[field]) for field in chosen})
    return body


def _tool(name: str, parameters: JSONObject) -> JSONObject:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def _format(schema: JSONObject) -> JSONObject:
    return {"type": "json_schema", "json_schema": {"name": "shape", "schema": schema}}


_FORMATS: tuple[JSONObject, ...] = (
    {"type": "text"},
    {"type": "json_object"},
    *(_format(schema) for schema in _SCHEMAS),
)
_OPTIONAL: dict[str, SearchStrategy[Any]] = {
    "reasoning_effort": st.sampled_from(("low", "high", "max")),
    "max_tokens": st.integers(1, 400),
    "max_completion_tokens": st.integers(1, 400),
    "stop": st.sampled_from((" ", "e", ["the", "。", "zebra"], ["\n"])),
    "prompt_cache_key": st.just("k"),
    "seed": st.integers(0, 9),
}
_PROMPT = st.sampled_from(_PROMPTS) | texts(most=6).filter(bool)
_PREFIXES = st.sampled_from(("Once upon", "{", '{"name": "', "好", "The answer is", "```"))
