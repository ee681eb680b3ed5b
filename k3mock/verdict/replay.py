"""Turns an assistant message sent back into what it shares with answers; verdict layer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.answered import MAX_CHARS, arguments_digest, text_digest
from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from k3mock.answered import Answered

_REASONING = ("reasoning_content", "reasoning")
_OTHER_REASONING = "reasoning_details"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """An assistant message of a history.

    Attributes:
        place: its number among the messages.
        text: its content without blanks around it.
        calls: its tool calls as (id, name, digest of the arguments).
        reasoning: digest of the reasoning, None without one.
        opaque: the reasoning has another form, which cannot be compared.
        results: the ids that the tool messages behind it name.
    """

    place: int
    text: str
    calls: tuple[tuple[str, str, str], ...]
    reasoning: str | None
    opaque: bool
    results: frozenset[str]

    def same_words(self, answer: Answered) -> bool:
        """Say whether the message is an answer, reasoning aside."""
        return self.same_text(answer) and self.calls == said_calls(answer)

    def same_text(self, answer: Answered) -> bool:
        """Say whether the content is that of an answer."""
        return text_digest(self.text) == answer.content

    def renames(self, answer: Answered) -> bool:
        """Say whether the message is an answer under other call ids."""
        own, given = self.calls, said_calls(answer)
        return self.same_text(answer) and own != given and _unnamed(own) == _unnamed(given)

    def begins(self, answer: Answered) -> bool:
        """Say whether the message holds the beginning of an answer, or all that it was to say."""
        if any(call not in said_calls(answer) for call in self.calls):
            return False
        if len(answer.text) == MAX_CHARS < len(self.text):
            return self.text.startswith(answer.text)
        return answer.text.startswith(self.text)


def said_calls(answer: Answered) -> tuple[tuple[str, str, str], ...]:
    """Return the calls of an answer as (id, name, digest of the arguments)."""
    return tuple((call.id, call.name, call.arguments) for call in answer.calls)


def _unnamed(calls: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    return [(name, arguments) for _, name, arguments in calls]


def replays(messages: Sequence[JSONObject]) -> list[Replay]:
    """Return the assistant messages of a history, but for one that is to be gone on with."""
    return [
        _replay(place, messages)
        for place, message in enumerate(messages)
        if message.get("role") == "assistant" and message.get("partial") is not True
    ]


def _replay(place: int, messages: Sequence[JSONObject]) -> Replay:
    message = messages[place]
    reasoning = next(filter(None, (as_text(message.get(name)) for name in _REASONING)), "")
    return Replay(
        place=place,
        text=_text(message.get("content")).strip(),
        calls=tuple(_call(item) for item in as_list(message.get("tool_calls")) or []),
        reasoning=text_digest(reasoning) if reasoning.strip() else None,
        opaque=bool(message.get(_OTHER_REASONING)) or isinstance(message.get("content"), list),
        results=frozenset(_results(messages[place + 1 :])),
    )


def _text(content: JSONValue) -> str:
    if isinstance(content, str):
        return content
    parts = [as_object(item) or {} for item in as_list(content) or []]
    return "".join(as_text(part.get("text")) or "" for part in parts)


def _call(value: JSONValue) -> tuple[str, str, str]:
    item = as_object(value) or {}
    function = as_object(item.get("function")) or {}
    digest, _ = arguments_digest(function.get("arguments"))
    return as_text(item.get("id")) or "", as_text(function.get("name")) or "", digest


def _results(following: Iterable[JSONObject]) -> Iterable[str]:
    for message in following:
        if message.get("role") != "tool":
            return
        yield as_text(message.get("tool_call_id")) or ""


def prefixes(messages: Iterable[JSONObject]) -> list[bytes]:
    """Identify a history after each of its messages, from none of them to all."""
    rolling = hashlib.blake2b(digest_size=16)
    ends = [rolling.digest()]
    for message in messages:
        rolling.update(json.dumps(message, sort_keys=True).encode() + b"\n")
        ends.append(rolling.digest())
    return ends
