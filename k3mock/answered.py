"""Turns an answer into the little that is kept of it: digests, ids, its end; witness layer.

That is enough to tell later whether a client sent back what it was given.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

from k3mock.protocol.policy import ReasoningField
from k3mock.protocol.reply import Chunk, Raw, ToolDelta
from k3mock.redact import hide_secrets
from k3mock.wire.frame import FrameKind, PlainFrames

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from k3mock.contract.forward import Forward
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import CallText, Events, Reply
    from k3mock.wire.frame import Frame

MAX_CHARS = 8_192
"""So much of a text is kept, for telling whether another one is its beginning."""

MAX_CALLS = 64
_LITERAL = frozenset((Chunk, Raw, ToolDelta))
_SPOKEN = (FrameKind.REASONING, FrameKind.CONTENT, FrameKind.TOOL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidCall:
    """A tool call; `cut` says that its arguments are no whole JSON."""

    id: str
    name: str
    arguments: str
    cut: bool

    def as_json(self) -> JSONObject:
        return {"id": self.id, "name": self.name, "arguments": self.arguments, "cut": self.cut}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a successful answer was to say, whatever of it was sent.

    Attributes:
        text: the beginning of the content.
        content: digest of all of it.
        reasoning: digest of the reasoning; None where the client saw none, or is not to return it.
        calls: the tool calls, their arguments as digests.
        finish: the finish reason.
        whole_after: so many events hold everything up to finish or `[DONE]`; None: it has neither.
        done: whether `[DONE]` is among what is sent.
        prompt_tokens: as counted, None where nothing was.
        cached_tokens: those of them that the cache held.
    """

    text: str
    content: str
    reasoning: str | None
    calls: tuple[SaidCall, ...]
    finish: str | None
    whole_after: int | None
    done: bool
    prompt_tokens: int | None = None
    cached_tokens: int | None = None

    @property
    def size(self) -> int:
        """Bytes that are held, about."""
        return len(self.text) + 128 * len(self.calls) + 256

    def as_json(self) -> JSONObject:
        return {
            "content": {"start": self.text, "digest": self.content},
            "reasoning": self.reasoning,
            "tool_calls": [call.as_json() for call in self.calls],
            "finish_reason": self.finish,
            "whole_after_events": self.whole_after,
            "done": self.done,
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.cached_tokens,
        }


def answered(
    reply: Reply, frames: Sequence[Frame] | None, *, reasoning: bool, secrets: Sequence[str] = ()
) -> Answered | None:
    """Return what is kept of a reply; None where its literal parts may say anything.

    Args:
        reply: the answer as it was generated.
        frames: those of its stream, None for a whole body.
        reasoning: whether the client sees the reasoning and is to send it back.
        secrets: hidden, as the journal hides them in the requests that send the texts back.
    """
    if not _LITERAL.isdisjoint(reply.said.kinds):
        return None
    whole_after, done = (1, True) if frames is None else _whole_after(frames)
    usage, hidden = reply.usage, tuple(secrets)
    words = reply.said.once(
        (_Words, reasoning, hidden), lambda said: _words(said, reasoning, hidden)
    )
    return Answered(
        text=words.text,
        content=words.content,
        reasoning=words.reasoning,
        calls=words.calls,
        finish=reply.finish,
        whole_after=whole_after,
        done=done,
        prompt_tokens=None if usage is None else usage.prompt,
        cached_tokens=None if usage is None else usage.cached,
    )


def returns_reasoning(wire: WirePolicy, forward: Forward | None) -> bool:
    """Say whether a host shows reasoning, and does not take away what comes back of it."""
    returned = forward is None or "reasoning_content" not in forward.remove_from_messages
    return returned and wire.reasoning_field is not ReasoningField.HIDDEN


def same_words(before: Sequence[Frame], after: Sequence[Frame]) -> bool:
    """Say whether faults left the words of a stream as they were, up to its end."""
    said = [frame.data for frame in before if frame.kind in _SPOKEN]
    left = [frame.data for frame in _until_end(after) if frame.kind in _SPOKEN]
    return left == said[: len(left)]


@dataclass(frozen=True, slots=True)
class _Words:
    """What is kept of the words of an answer, the same for all answers that say the same."""

    text: str
    content: str
    reasoning: str | None
    calls: tuple[SaidCall, ...]


def _words(said: Events, reasoning: bool, secrets: Sequence[str]) -> _Words:
    content = _hidden(said.content, secrets)
    thought = _hidden(said.reasoning, secrets) if reasoning else ""
    return _Words(
        text=content.strip()[:MAX_CHARS],
        content=text_digest(content),
        reasoning=text_digest(thought) if thought.strip() else None,
        calls=tuple(_said(call) for call in said.calls[:MAX_CALLS]),
    )


def _hidden(text: str, secrets: Sequence[str]) -> str:
    return hide_secrets(text.encode("utf-8", "replace"), *secrets).decode()


def _until_end(frames: Iterable[Frame]) -> Iterable[Frame]:
    for frame in frames:
        if frame.ending is not None:
            return
        yield frame


def _whole_after(frames: Sequence[Frame]) -> tuple[int | None, bool]:
    """Return after how many events all is said, and whether `[DONE]` is sent."""
    if isinstance(frames, PlainFrames):
        return frames.whole_after, True
    events, whole, done = 0, None, False
    for frame in frames:
        events += bool(frame.data)
        if frame.kind is FrameKind.ERROR and whole is None:
            return None, False
        ends = frame.kind in {FrameKind.FINISH, FrameKind.DONE} and bool(frame.data)
        whole = events if ends and whole is None else whole
        if frame.ending is None:
            done = done or frame.kind is FrameKind.DONE
    return whole, done


def _said(call: CallText) -> SaidCall:
    digest, cut = arguments_digest(call.arguments)
    return SaidCall(id=call.id, name=call.name, arguments=digest, cut=cut)


def arguments_digest(arguments: JSONValue) -> tuple[str, bool]:
    """Identify arguments however they are written, and say whether they are no whole JSON."""
    value = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            return text_digest(arguments), True
    return text_digest(json.dumps(value or {}, sort_keys=True)), False


def text_digest(text: str) -> str:
    """Identify a text, but for blanks around it."""
    data = text.strip().encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait that headers ask for; None where they ask for nothing."""
    if "retry-after" not in headers and "retry-after-ms" not in headers:
        return None
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds * factor
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, moment.timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None
