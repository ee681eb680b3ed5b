"""Turns a request into the token count of its rendered prompt; text layer.

K3 has no Jinja template; a renderer emits segments in a markup of four control tokens, and each
segment is encoded on its own. The sentences that the template adds are not needed, only what they
cost; the figures were measured with the exact tokenizer and checked against published counts.
Order: tools, effort, conversation, tool choice, response format, opening of the answer, stub.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import orjson

from k3mock.jsonvalue import as_object
from k3mock.past import Past, Step
from k3mock.protocol.request import ChoiceMode, MediaPart, TextPart
from k3mock.text.media import MediaCosts, image_size, pads
from k3mock.text.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.request import ChatRequest, Message, Part, Tool, ToolCall
    from k3mock.text.counter import TokenCounter

STYLES = ("kimi_k3", "openai", "none")

TAG_TOKENS = 3
"""A bare open or close tag: control token, name, control token."""

STUB_TOKENS = 3
"""The opening of the think block that ends a prompt; reported as part of the completion."""

ANSWER_HEADER_TOKENS = 7
"""The opening of the assistant message that ends a prompt."""

CLOSE_MESSAGE_TOKENS = 4
EFFORT_TOKENS = {"max": 67, "high": 68, "low": 68}
_TOOLS_TOKENS = 34
_DYNAMIC_TOOLS_TOKENS = 55
_CHOICE_TOKENS = {ChoiceMode.REQUIRED: 36, ChoiceMode.NONE: 38}
_JSON_OBJECT_TOKENS = 47
_JSON_SCHEMA_TOKENS = 59
_FENCE = "\n```"
_MEDIA_TAG_TOKENS = 3
_THINK_BLOCK_TOKENS = 2 * TAG_TOKENS


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of the rendered prompt: its tokens and a digest of what it says."""

    tokens: int
    digest: bytes
    assistant: bool = False


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A rendered prompt as counts.

    `front` stands before the conversation, `tail` behind it; `header` and `stub` open the answer.
    `inside` says that an assistant prefix is continued, so that there is nothing to open. `said`
    are the tokens of the conversation, where they were added up; `past` is what is known of the
    messages.
    """

    front: tuple[Segment, ...]
    conversation: tuple[Segment, ...]
    tail: tuple[Segment, ...]
    header: int = ANSWER_HEADER_TOKENS
    stub: int = STUB_TOKENS
    inside: bool = False
    said: int | None = field(default=None, compare=False, repr=False)
    past: Past = field(default_factory=Past, compare=False, repr=False)

    @cached_property
    def spoken(self) -> int:
        """The tokens of the conversation."""
        return _tokens(self.conversation) if self.said is None else self.said

    @cached_property
    def rendered(self) -> int:
        """All tokens of the rendered prompt, the stub included."""
        around = _tokens(self.front) + _tokens(self.tail)
        return around + self.spoken + self.header + self.stub


def _tokens(segments: Iterable[Segment]) -> int:
    return sum([segment.tokens for segment in segments])


_SEGMENTS: Step[Segment] = Step("segments")
_SAID: Step[int] = Step("said")
_ANSWERED: Step[Mapping[str, tuple[str, int]]] = Step("answered")


@dataclass(frozen=True, slots=True)
class Template:
    """Renders requests as counts.

    `style` is `kimi_k3`, `openai` (3 a message and 3) or `none` (texts alone). Reasoning that is
    sent back in the history counts, as the documentation of preserved thinking says, unless
    `replayed_reasoning` is off. `turns` are remembered answers.
    """

    counter: TokenCounter
    style: str = "kimi_k3"
    media: MediaCosts = field(default_factory=MediaCosts)
    replayed_reasoning: bool = True
    turns: Turns = field(default_factory=Turns, compare=False, repr=False)

    def render(
        self, request: ChatRequest, *, thinking: bool = True, past: Past | None = None
    ) -> Prompt:
        """Return the rendered prompt of a request as counts, piece by piece.

        What is known of its messages in the `past` is not counted again.
        """
        past = past or Past()
        if self.style != "kimi_k3":
            return self._plain(request, past)
        partial = request.partial
        segments, said = _SEGMENTS.lane(past, thinking), _SAID.lane(past, thinking)
        called = _ANSWERED.lane(past, thinking)
        answered = called[-1] if called else {}
        total = said[-1] if said else 0
        for message in request.messages[len(segments) :]:
            if message.tool_calls:
                answered = {
                    call.id: (call.name, number)
                    for number, call in enumerate(message.tool_calls, start=1)
                }
            tokens = self._message(message, answered, thinking=thinking)
            if message is partial:
                # The prefix ends inside the open response block: nothing is closed after it.
                tokens -= 2 * TAG_TOKENS + 1
            total += tokens
            segments.append(self._segment(message, tokens, answered))
            said.append(total)
            called.append(answered)
        return Prompt(
            front=tuple(self._front(request, thinking=thinking)),
            conversation=tuple(segments),
            tail=tuple(self._tail(request)),
            header=0 if partial else ANSWER_HEADER_TOKENS,
            stub=0 if partial else STUB_TOKENS,
            inside=partial is not None,
            said=total,
            past=past,
        )

    def _segment(
        self, message: Message, tokens: int, answered: Mapping[str, tuple[str, int]]
    ) -> Segment:
        identity = self._identity(message, answered)
        return Segment(tokens, identity, assistant=message.role == "assistant")

    def _plain(self, request: ChatRequest, past: Past) -> Prompt:
        extra = 3 if self.style == "openai" else 0
        segments, said = _SEGMENTS.lane(past), _SAID.lane(past)
        total = said[-1] if said else 0
        for message in request.messages[len(segments) :]:
            tokens = extra + self.counter.count(message.text)
            total += tokens
            segments.append(self._segment(message, tokens, {}))
            said.append(total)
        front: tuple[Segment, ...] = ()
        if request.tools:
            declared = self.counter.count(compact_sorted([tool.declared for tool in request.tools]))
            front = (Segment(declared, _tools_digest(request.tools)),)
        return Prompt(
            front=front, conversation=tuple(segments), tail=(), header=extra, stub=0,
            inside=request.partial is not None, said=total, past=past,
        )  # fmt: skip

    def _front(self, request: ChatRequest, *, thinking: bool) -> Iterable[Segment]:
        if request.tools:
            yield Segment(_TOOLS_TOKENS + self._fenced(request.tools), _tools_digest(request.tools))
        if thinking:
            yield Segment(EFFORT_TOKENS.get(request.effort, 67), request.effort.encode())

    def _tail(self, request: ChatRequest) -> Iterable[Segment]:
        choice = _CHOICE_TOKENS.get(request.tool_choice.mode)
        if choice is not None:
            yield Segment(choice, request.tool_choice.mode.encode())
        match request.response_format.kind:
            case "json_object":
                yield Segment(_JSON_OBJECT_TOKENS, b"json_object")
            case "json_schema":
                schema = request.response_format.schema or {}
                text = compact_sorted(schema) + _FENCE
                yield Segment(_JSON_SCHEMA_TOKENS + self.counter.count(text), _text_digest(text))
            case _:
                pass

    def _message(
        self, message: Message, answered: Mapping[str, tuple[str, int]], *, thinking: bool
    ) -> int:
        content = self._content(message)
        if message.tools:
            return _DYNAMIC_TOOLS_TOKENS + self._fenced(message.tools) + content
        named = message.name if message.role != "tool" else None
        header = self._header("message", role=message.role, name=named)
        if message.role == "tool":
            name, index = answered.get(message.tool_call_id or "", ("", 1))
            header += self._attribute("tool", name or message.name or "tool")
            header += self._attribute("index", str(index))
        if message.role != "assistant":
            return header + content + CLOSE_MESSAGE_TOKENS
        think = _THINK_BLOCK_TOKENS + self.counter.count(self._replayed(message))
        return (
            header
            + (think if thinking else 0)
            + 2 * TAG_TOKENS
            + content
            + self.calls(message.tool_calls)
            + CLOSE_MESSAGE_TOKENS
        )

    def _replayed(self, message: Message) -> str:
        return message.reasoning or "" if self.replayed_reasoning else ""

    def _identity(self, message: Message, answered: Mapping[str, tuple[str, int]]) -> bytes:
        """Identify a message by what is rendered of it; ids of calls are not, what they name is."""
        shown = (
            message.position, message.role, [_part(part) for part in message.parts], message.name,
            self._replayed(message), [(call.name, call.arguments) for call in message.tool_calls],
            answered.get(message.tool_call_id or ""), message.partial,
            _tools_digest(message.tools) if message.tools else None,
        )  # fmt: skip
        return _text_digest(repr(shown))

    def _content(self, message: Message) -> int:
        tokens = 0
        for part in message.parts:
            match part:
                case TextPart():
                    tokens += self.counter.count(part.text)
                case MediaPart():
                    tokens += self.media_tokens(part)
                case _:
                    pass
        return tokens

    def media_tokens(self, part: MediaPart) -> int:
        """Return what an image or video costs in the prompt."""
        if part.kind == "video":
            return self.media.video_tokens
        size = image_size(part.url)
        if size is None:
            return self.media.unknown_image_tokens
        width, height = size
        label = self.counter.count(f"image {width}x{height}")
        return _MEDIA_TAG_TOKENS + label + pads(width, height)

    def _fenced(self, tools: tuple[Tool, ...]) -> int:
        declared: list[JSONValue] = [tool.declared for tool in tools]
        return self.counter.count(compact_sorted(declared) + _FENCE)

    def _attribute(self, key: str, value: str) -> int:
        escaped = value.replace("&", "&amp;").replace('"', "&quot;")
        return self.counter.count(f' {key}="{escaped}"')

    def _header(self, tag: str, **attributes: str | None) -> int:
        """Count an open tag: control token, name, attributes, control token."""
        shown = ((key, value) for key, value in attributes.items() if value is not None)
        return 2 + self.counter.count(tag) + sum(self._attribute(*pair) for pair in shown)

    def call_header(self, name: str, number: int) -> int:
        """Count the opening of a call; `number` counts from 1 within the message."""
        return self._header("call", tool=name, index=str(number))

    def argument_header(self, key: str, value: JSONValue) -> int:
        """Count the opening of an argument."""
        return self._header("argument", key=key, type=argument_type(value))

    def calls(self, calls: tuple[ToolCall, ...]) -> int:
        """Count the tools block of an assistant message; nothing when there is no call."""
        if not calls:
            return 0
        tokens = 2 * TAG_TOKENS
        for number, call in enumerate(calls, start=1):
            tokens += self.call_header(call.name, number) + TAG_TOKENS
            arguments = read_arguments(call.arguments)
            if arguments is None:
                tokens += self.counter.count(call.arguments)
                continue
            for key, value in arguments.items():
                tokens += self.argument_header(key, value) + TAG_TOKENS
                tokens += self.counter.count(argument_text(value))
        return tokens


def read_arguments(text: str) -> dict[str, JSONValue] | None:
    """Return a call's arguments as an object, or None if the text is not one."""
    try:
        return as_object(orjson.loads(text))
    except orjson.JSONDecodeError:
        return None


def argument_text(value: JSONValue) -> str:
    """Render an argument's value as the model writes it: strings raw, all else as JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def argument_type(value: JSONValue) -> str:
    """Name an argument's type as the markup does."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"


def compact_sorted(value: JSONValue) -> str:
    """Write JSON as the template declares tools and schemas: compact, keys sorted throughout."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _part(part: Part) -> str | tuple[str, ...]:
    match part:
        case TextPart():
            return part.text
        case MediaPart():
            return part.kind, part.url
        case _:
            return (part.type,)


def _text_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _tools_digest(tools: tuple[Tool, ...]) -> bytes:
    """Identify declarations as they are rendered: the order of keys does not matter."""
    return _text_digest(compact_sorted([tool.declared for tool in tools]))
