"""Turns the differences between hosts into named choices, the knobs, that `wire/` reads.

A knob is a field of `WirePolicy`; `k3mock.protocol.knobs` reads their values from profiles,
scenarios, replies and base URLs. Values layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONObject


class Absent(StrEnum):
    """What shows of a key that has nothing to say."""

    OMIT = "omit"
    NULL = "null"
    EMPTY = "empty"


class DeltaReasoning(StrEnum):
    """What a delta of content shows of `reasoning_content`."""

    SAME = "same"
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
    REASONING = "reasoning"
    BOTH = "both"
    DETAILS = "details"
    HIDDEN = "hidden"


class ContentEncoding(StrEnum):
    """How text is written in messages and deltas."""

    STRING = "string"
    TYPED_BLOCKS = "typed_blocks"


class UsageChunk(StrEnum):
    """When a stream ends with a chunk of usage alone."""

    OFF = "off"
    REQUESTED = "requested"
    UNLESS_FALSE = "unless_false"
    FORCED = "forced"


class UsageElsewhere(StrEnum):
    """What ordinary chunks carry as `usage`."""

    OMIT = "omit"
    NULL = "null"
    CUMULATIVE = "cumulative"


class CachedTokens(StrEnum):
    """Where a cache hit shows in `usage`."""

    TOP = "top"
    NESTED = "nested"
    BOTH = "both"
    DEEPSEEK = "deepseek"
    DEVOTEL = "devotel"
    OFF = "off"


class Role(StrEnum):
    """Which deltas carry `role`."""

    FIRST = "first"
    EVERY = "every"
    NULL_LATER = "null_later"
    OMIT = "omit"


class FinishDelta(StrEnum):
    """What stands as `delta` in the finish chunk."""

    OBJECT = "object"
    NULL = "null"
    OMIT = "omit"


class PendingFinish(StrEnum):
    """What ordinary chunks carry as `finish_reason`; `text` is the word "null"."""

    NULL = "null"
    OMIT = "omit"
    EMPTY = "empty"
    TEXT = "text"


class ToolIds(StrEnum):
    """The form of the ids of tool calls."""

    K3 = "k3"
    KIMI_FUNCTIONS = "kimi_functions"
    KIMI_SHORT = "kimi_short"
    OPENAI = "openai"
    UUID = "uuid"


class ToolIdScope(StrEnum):
    """Where the counter in a tool-call id starts again."""

    MESSAGE = "message"
    CONVERSATION = "conversation"


class ToolIndex(StrEnum):
    """What a delta of a tool call shows as `index`."""

    PRESENT = "present"
    OMIT = "omit"
    NULL = "null"


class Continuation(StrEnum):
    """What the later deltas of a call show of a key that its first one had."""

    OMIT = "omit"
    EMPTY = "empty"
    REPEAT = "repeat"


class ToolArguments(StrEnum):
    """How the arguments of a call travel; `object` is no text but the JSON object itself."""

    FRAGMENTS = "fragments"
    WHOLE = "whole"
    OBJECT = "object"


class ParallelOrder(StrEnum):
    """In which order the deltas of parallel calls are sent."""

    SEQUENTIAL = "sequential"
    ROUND_ROBIN = "round_robin"
    RANDOM = "random"


class ErrorEnvelope(StrEnum):
    """What an error body looks like."""

    MOONSHOT = "moonshot"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    FLAT = "flat"
    AGGREGATOR = "aggregator"
    VLLM = "vllm"
    DETAIL = "detail"
    STRING = "string"
    MESSAGE_ONLY = "message_only"
    SUCCESS_FALSE = "success_false"


class ErrorChoices(StrEnum):
    """What an error body shows as `choices`, beside the error."""

    OMIT = "omit"
    NULL = "null"
    EMPTY = "empty"


class Streaming(StrEnum):
    """Whether `stream` of the request is followed."""

    FOLLOW = "follow"
    ALWAYS = "always"
    NEVER = "never"


class Newline(StrEnum):
    """How lines of a stream end."""

    LF = "lf"
    CRLF = "crlf"
    CR = "cr"


class Partial(StrEnum):
    """Whether an answer that continues a prefix says the prefix again."""

    CONTINUE = "continue"
    REPEAT_PREFIX = "repeat_prefix"
    EMPTY = "empty"


WRITES = ("auto", "event", "coalesced", "split_utf8", "split_line", "one_byte")
"""Write modes with a name; `bytes:N` writes N bytes at a time."""

USAGE_DETAILS = ("completion_tokens_details", "prompt_tokens_details")
"""The detail objects of usage, in the order of the raw captures."""

ERROR_KEYS = ("message", "type", "code", "param")


def _about(text: str, **more: tuple[str, ...] | int) -> Mapping[str, str | tuple[str, ...] | int]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class WirePolicy:
    """The shape of bodies, chunks and errors of one host: one field is one knob.

    Each field says in its metadata what it is about, and where it is a list, which words it takes;
    `most` is the largest number, where it is not that of all.
    """

    # Reasoning and content.
    reasoning_field: ReasoningField = field(
        default=ReasoningField.REASONING_CONTENT,
        metadata=_about("name of the reasoning channel; `details` adds a list of typed details"),
    )
    absent_channel: Absent = field(
        default=Absent.OMIT, metadata=_about("how reasoning that stayed empty is written")
    )
    delta_reasoning: DeltaReasoning = field(
        default=DeltaReasoning.SAME,
        metadata=_about("`reasoning_content` in deltas of content; `same` as `absent_channel`"),
    )
    absent_content: Absent = field(
        default=Absent.EMPTY, metadata=_about("how content that stayed empty is written in a body")
    )
    delta_content: Absent = field(
        default=Absent.OMIT, metadata=_about("`content` in deltas of reasoning")
    )
    content_encoding: ContentEncoding = field(
        default=ContentEncoding.STRING, metadata=_about("text as a string or as a list of blocks")
    )
    reasoning_end_mark: bool = field(
        default=False, metadata=_about("an empty `reasoning_content` delta ends the thinking")
    )
    partial_result: Partial = field(
        default=Partial.CONTINUE, metadata=_about("what an answer to `partial` holds")
    )
    # Chunks.
    role: Role = field(default=Role.FIRST, metadata=_about("which deltas carry `role`"))
    first_content: Absent = field(
        default=Absent.EMPTY, metadata=_about("`content` in the first delta, beside the role")
    )
    finish_delta: FinishDelta = field(
        default=FinishDelta.OBJECT, metadata=_about("`delta` of the finish chunk")
    )
    pending_finish: PendingFinish = field(
        default=PendingFinish.NULL, metadata=_about("`finish_reason` of all other chunks")
    )
    finish_chunks: int = field(
        default=1, metadata=_about("how many finish chunks are sent; 0 leaves it out", most=100)
    )
    done: bool = field(default=True, metadata=_about("whether `[DONE]` ends a stream"))
    null_keys: bool = field(
        default=False, metadata=_about("deltas show keys without a value as null")
    )
    fingerprint: bool = field(
        default=True, metadata=_about("whether chunks carry `system_fingerprint`")
    )
    extra: JSONObject = field(
        default_factory=dict, metadata=_about("keys that are added to every body and chunk")
    )
    extra_message: JSONObject = field(
        default_factory=dict, metadata=_about("keys that are added to every message and delta")
    )
    streaming: Streaming = field(
        default=Streaming.FOLLOW, metadata=_about("whether `stream` of the request is followed")
    )
    # Usage.
    usage_in_choice: bool = field(
        default=True, metadata=_about("the finish chunk carries `choices[0].usage`")
    )
    usage_chunk: UsageChunk = field(
        default=UsageChunk.REQUESTED,
        metadata=_about("when a chunk with `choices: []` and `usage` ends the stream"),
    )
    usage_elsewhere: UsageElsewhere = field(
        default=UsageElsewhere.OMIT, metadata=_about("`usage` of ordinary chunks")
    )
    cached_tokens: CachedTokens = field(
        default=CachedTokens.BOTH, metadata=_about("where a cache hit shows")
    )
    usage_details: tuple[str, ...] = field(
        default=USAGE_DETAILS,
        metadata=_about("the detail objects of usage, in order", words=USAGE_DETAILS),
    )
    zero_details: bool = field(
        default=False, metadata=_about("zero token details are sent instead of left out")
    )
    # Tool calls.
    tool_ids: ToolIds = field(
        default=ToolIds.K3,
        metadata=_about("`name_0`, `functions.name:0`, `name:0`, `call_…` or a UUID"),
    )
    tool_id_scope: ToolIdScope = field(
        default=ToolIdScope.MESSAGE, metadata=_about("where the counter in an id starts again")
    )
    tool_id_start: int = field(default=0, metadata=_about("what the counter in an id starts from"))
    tool_index: ToolIndex = field(
        default=ToolIndex.PRESENT, metadata=_about("`index` in deltas of tool calls")
    )
    tool_index_base: int = field(default=0, metadata=_about("the index of the first call"))
    tool_index_in_body: bool = field(
        default=True, metadata=_about("calls in a whole body carry `index`")
    )
    continuation_id: Continuation = field(
        default=Continuation.OMIT, metadata=_about("`id` in the later deltas of a call")
    )
    continuation_type: Continuation = field(
        default=Continuation.OMIT, metadata=_about("`type` in the later deltas of a call")
    )
    continuation_name: Continuation = field(
        default=Continuation.OMIT, metadata=_about("`function.name` in the later deltas of a call")
    )
    tool_arguments: ToolArguments = field(
        default=ToolArguments.FRAGMENTS, metadata=_about("arguments in pieces, whole, or no text")
    )
    parallel_order: ParallelOrder = field(
        default=ParallelOrder.SEQUENTIAL, metadata=_about("order of the deltas of parallel calls")
    )
    # Errors.
    error_envelope: ErrorEnvelope = field(
        default=ErrorEnvelope.MOONSHOT, metadata=_about("what an error body looks like")
    )
    error_keys: tuple[str, ...] = field(
        default=("message", "type"),
        metadata=_about("keys of the error object, in order; `code` and `param` show only when "
                        "they have a value, unless `error_nulls` is set", words=ERROR_KEYS),
    )  # fmt: skip
    error_nulls: bool = field(
        default=False, metadata=_about("error keys without a value are sent as null")
    )
    error_choices: ErrorChoices = field(
        default=ErrorChoices.OMIT, metadata=_about("`choices` beside the error in an error body")
    )
    # Bytes.
    html_escape: Escape = field(
        default=Escape.ALL, metadata=_about("whose JSON escapes `<`, `>` and `&`")
    )
    ascii: bool = field(
        default=False, metadata=_about("characters beyond ASCII are written as `\\uXXXX`")
    )
    newline: Newline = field(default=Newline.LF, metadata=_about("how lines of a stream end"))
    space_after_colon: bool = field(
        default=True, metadata=_about("`data: {…}` or `data:{…}` in a stream")
    )
    split_data_lines: bool = field(
        default=False, metadata=_about("each chunk spreads over several `data:` lines")
    )
    event_name: str = field(
        default="", metadata=_about("an `event:` line before the data of each chunk")
    )
    final_blank_line: bool = field(
        default=True, metadata=_about("a blank line ends the last event of a stream")
    )
    bom: bool = field(default=False, metadata=_about("a byte order mark starts the body"))
    content_type: str = field(
        default="", metadata=_about("Content-Type of the answer; `none` leaves the header out")
    )
    keepalive_ms: int = field(
        default=0, metadata=_about("a comment line after so many silent milliseconds; 0 is off")
    )
    keepalive_text: str = field(
        default=" keep-alive", metadata=_about("what stands behind the colon of such a line")
    )
    writes: str = field(
        default="auto",
        metadata=_about("how bytes are cut into writes: `auto` (coalesced when instant, else a "
                        "write per event), `event`, `coalesced`, `bytes:N`, `split_utf8`, "
                        "`split_line`, `one_byte`"),
    )  # fmt: skip
    write_gap_ms: int = field(
        default=2, metadata=_about("silence between the writes of the modes that split")
    )
    length_below_bytes: int = field(
        default=2048,
        metadata=_about("bodies up to this size carry Content-Length, larger ones are chunked"),
    )
