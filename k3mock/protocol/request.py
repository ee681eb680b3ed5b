"""Turns a request body into typed values that every part reads; values layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """A request as it came off the wire; header names are lower case.

    `size` is the body's length in bytes as announced or read; `body` is cut short when the size
    exceeds the profile's limit. `target` is the path as it stands in the URL, still encoded and
    with its query; `pairs` are the headers in order, a name as often as it came.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    size: int = 0
    target: str = ""
    pairs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text in a message."""

    text: str


@dataclass(frozen=True, slots=True)
class MediaPart:
    """An image or a video in a message; `kind` is `image` or `video`."""

    kind: str
    url: str


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A content part of a type that the model does not take."""

    type: str


Part: TypeAlias = "TextPart | MediaPart | OtherPart"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call in an assistant turn of the history; `arguments` is the text as sent."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that the request offers.

    `declared` is the item as sent, which is what the prompt template renders.
    """

    name: str
    description: str
    parameters: JSONObject
    declared: JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the history.

    `tools` are dynamic declarations (system messages only); `position` is the zero-based index.
    """

    position: int
    role: str
    parts: tuple[Part, ...] = ()
    name: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tools: tuple[Tool, ...] = ()
    partial: bool = False

    @property
    def text(self) -> str:
        """All text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def media(self) -> tuple[MediaPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, MediaPart))


class ChoiceMode(StrEnum):
    """What `tool_choice` demands."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"
    NAMED = "named"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """`tool_choice`, with the function's name when one is named."""

    mode: ChoiceMode = ChoiceMode.AUTO
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFormat:
    """`response_format`: `kind` is `text`, `json_object` or `json_schema`."""

    kind: str = "text"
    schema: JSONObject | None = None
    strict: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat-completions request, read leniently, with effective values filled in.

    `body` is the JSON object that the engine sees: as received, or as a gateway forwards it. `cap`
    is the requested output cap in tokens and `include_usage` the caller's wish, None when the
    request does not say. `thinking` is off only where the host lets a request switch it off, and
    it did: then the answer has no reasoning. `digest` identifies the request without `stream` and
    `stream_options`.
    """

    body: JSONObject
    digest: bytes
    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = field(default_factory=ToolChoice)
    response_format: ResponseFormat = field(default_factory=ResponseFormat)
    effort: str = "max"
    thinking: bool = True
    cap: int | None = None
    stop: tuple[str, ...] = ()
    stream: bool = False
    include_usage: bool | None = None

    @property
    def last(self) -> Message | None:
        return self.messages[-1] if self.messages else None

    @property
    def partial(self) -> Message | None:
        """The assistant prefix that the answer is to continue, if there is one."""
        last = self.last
        return last if last is not None and last.role == "assistant" and last.partial else None

    @property
    def offered_tools(self) -> tuple[Tool, ...]:
        """Top-level tools and dynamic declarations, in order."""
        dynamic = (tool for message in self.messages for tool in message.tools)
        return (*self.tools, *dynamic)
