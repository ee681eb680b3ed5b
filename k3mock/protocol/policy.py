"""Turns the differences between hosts into named choices that `wire/` reads; values layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Absent(StrEnum):
    """What a body shows of a channel that stayed empty."""

    OMIT = "omit"
    NULL = "null"
    EMPTY = "empty"


class Escape(StrEnum):
    """Whose JSON writes `<`, `>` and `&` as escapes of six characters."""

    ALL = "all"
    ERRORS = "errors"
    OFF = "off"


class ReasoningField(StrEnum):
    """Under which name reasoning is sent, if at all."""

    REASONING_CONTENT = "reasoning_content"
    HIDDEN = "hidden"


class UsageChunk(StrEnum):
    """When a stream ends with a chunk of usage alone."""

    OFF = "off"
    REQUESTED = "requested"
    UNLESS_FALSE = "unless_false"
    FORCED = "forced"


class CachedTokens(StrEnum):
    """Where a cache hit shows in `usage`."""

    TOP = "top"
    NESTED = "nested"
    BOTH = "both"
    DEVOTEL = "devotel"
    OFF = "off"


class ToolIdScope(StrEnum):
    """Where the counter in a tool-call id starts again."""

    MESSAGE = "message"
    CONVERSATION = "conversation"


USAGE_DETAILS = ("completion_tokens_details", "prompt_tokens_details")
"""The detail objects of usage, in the order of the raw captures."""

HEADER_SETS = ("msh", "x_request_id", "none")
"""Families of response headers that hosts send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WirePolicy:
    """The shape of bodies, chunks and errors of one host.

    Attributes:
        error_keys: keys of the error object, in order; `code` and `param` show only when they have
            a value, unless `error_nulls` is set.
        reasoning_field: the name that reasoning is sent under, or `hidden`.
        absent_channel: what `reasoning_content` looks like when there was no reasoning.
        usage_in_choice: whether the finish chunk carries `choices[0].usage`.
        usage_chunk: when a chunk with `choices: []` and `usage` precedes `[DONE]`.
        cached_tokens: where a cache hit shows.
        usage_details: which detail objects usage shows, in order.
        zero_details: whether zero token details are sent instead of left out.
        fingerprint: whether chunks end with `system_fingerprint`.
        reasoning_end_mark: whether an empty `reasoning_content` delta marks the end of thinking.
        html_escape: whose JSON escapes `<`, `>` and `&`.
        tool_index_in_body: whether calls in a whole body carry `index`.
        tool_id_scope: where the counter in `name_0` starts again.
        length_below_bytes: bodies up to this size carry Content-Length, larger ones are chunked.
    """

    error_keys: tuple[str, ...] = ("message", "type")
    error_nulls: bool = False
    reasoning_field: ReasoningField = ReasoningField.REASONING_CONTENT
    absent_channel: Absent = Absent.OMIT
    usage_in_choice: bool = True
    usage_chunk: UsageChunk = UsageChunk.REQUESTED
    cached_tokens: CachedTokens = CachedTokens.BOTH
    usage_details: tuple[str, ...] = USAGE_DETAILS
    zero_details: bool = False
    fingerprint: bool = True
    reasoning_end_mark: bool = False
    html_escape: Escape = Escape.ALL
    tool_index_in_body: bool = True
    tool_id_scope: ToolIdScope = ToolIdScope.MESSAGE
    length_below_bytes: int = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPolicy:
    """Which response headers the host sends beside the content's own.

    `set` is `msh` (Moonshot's own), `x_request_id` or `none`; `account` are fixed headers that name
    the account; `cdn` adds those of the content delivery network.
    """

    set: str = "msh"
    cdn: bool = False
    account: Mapping[str, str] = field(default_factory=dict)
