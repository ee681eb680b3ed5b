"""Turns the words of a scenario file into keywords that type checkers know; handle layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Fields: TypeAlias = Mapping[str, object]
    """Any mapping of a scenario file; what is wrong in it is told when it is scripted."""

    Several: TypeAlias = "str | Sequence[str]"


class ReplyWords(TypedDict, total=False):
    """The keys of `reply` in a scenario file."""

    reasoning: str | Fields
    content: str | Fields
    tool_calls: Sequence[Fields]
    finish_reason: str | None
    usage: Fields | bool | None
    cached_tokens: int
    wire: Fields
    pace: str | float | Fields
    faults: str | Fields | Sequence[str | Fields]
    chaos: Sequence[Fields]
    headers: Fields
    error: str | Fields
    events: Sequence[str | Fields]
    omit: Sequence[str]


class WhenWords(TypedDict, total=False):
    """The keys of `when` in a scenario file; `not_` is its `not`."""

    last: str | Fields
    messages: Fields
    system: str | Fields
    turn: int | str | Fields
    tools: Several | Fields
    tool_choice: Several | Fields
    stream: bool
    model: str | Fields
    profile: Several
    reasoning_effort: Several
    response_format: Several
    headers: Fields
    prompt_tokens: int | str | Fields
    attempt: int | str | Fields
    jmespath: str | Fields
    not_: Fields
    any_of: Sequence[Fields]
    all_of: Sequence[Fields]
