"""Turns a reply as written into the reply as generated: tokens, stop words, cap; text layer.

The model's turn is one sequence of tokens: stub, reasoning, closing of the think block, response
block, tools block, closing of the message. The cap runs over all of it, control tokens included
(raw captures: a cap of 16 holds 13 reasoning tokens; a cap of 64 can cut into the closing tokens,
so that the text is whole and the finish reason still `length`).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from k3mock.protocol.reply import (
    ContentDelta,
    FinishReason,
    ReasoningDelta,
    Reply,
    ReplyEvent,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.text.template import (
    CLOSE_MESSAGE_TOKENS,
    STUB_TOKENS,
    TAG_TOKENS,
    argument_text,
    read_arguments,
)
from k3mock.text.turns import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from k3mock.text.counter import TokenCounter
    from k3mock.text.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCounts:
    """What a generated turn cost, from which an accounting makes `usage`.

    `generated` is every token of the turn, the stub included; `closed` says whether thinking ended.
    """

    reasoning: int
    content: int
    tools: int
    generated: int
    closed: bool
    stub: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A generated reply (still without usage) and its counts."""

    reply: Reply
    counts: TurnCounts


def generate(
    reply: Reply,
    template: Template,
    *,
    cap: int,
    stop: Sequence[str] = (),
    partial: bool = False,
    call_id: Callable[[str, int], str] | None = None,
) -> Turn:
    """Generate a written reply token by token.

    Args:
        reply: whole texts, as a source writes them.
        template: counts and encodes.
        cap: the most tokens that may be generated, control tokens included.
        stop: stop words; they act on content only and are not returned.
        partial: an assistant prefix is continued, so that no block needs opening.
        call_id: makes the id of a call without one, from its name and its place in the message;
            None makes `name_0`.
    """
    key = key_of(reply, stop, partial=partial)
    known = None if key is None else template.turns.get(key, cap)
    if known is not None:
        finish = reply.finish or known.reply.finish
        return Turn(reply=reply.generated(known.reply.said, finish), counts=known.counts)
    if reply.literal:
        cap, stop = _UNLIMITED, ()
    written = _Written.of(reply, stop)
    meter = _Meter(cap)
    walk = _Walk(template, meter, partial=partial, call_id=call_id or _plain_id)
    finish = reply.finish or written.finish
    try:
        walk.run(written, literal=reply.literal)
    except _CapReachedError:
        walk.cut_short = True
        finish = FinishReason.LENGTH
    counts = TurnCounts(
        reasoning=walk.reasoning,
        content=walk.content,
        tools=walk.tools,
        generated=meter.used,
        closed=walk.closed,
        stub=0 if partial else min(STUB_TOKENS, meter.used),
    )
    turn = Turn(reply=replace(reply, events=tuple(walk.events), finish=finish), counts=counts)
    if key is not None and not walk.cut_short:
        made = replace(turn, reply=Reply(events=turn.reply.events, finish=written.finish))
        template.turns.remember(key, made)
    return turn


def chunks(counter: TokenCounter, text: str) -> Iterator[tuple[str, int]]:
    """Cut a text into (piece, tokens) at token borders, never inside a character.

    A token that ends inside a character gives nothing; the next one gives the whole character.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pending = 0
    for token in counter.encode(text):
        pending += 1
        piece = decoder.decode(counter.token_bytes(token))
        if piece:
            yield piece, pending
            pending = 0


_UNLIMITED = 1 << 62


def _plain_id(name: str, number: int) -> str:
    return f"{name}_{number}"


class _CapReachedError(Exception):
    """The cap was reached before the message was closed."""


class _Meter:
    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.used = 0

    def spend(self, tokens: int) -> None:
        """Use up tokens; what does not fit is cut off."""
        self.used += tokens
        if self.used > self.cap:
            self.used = self.cap
            raise _CapReachedError

    @property
    def left(self) -> int:
        return self.cap - self.used


@dataclass(frozen=True, slots=True)
class _Written:
    """A reply's whole texts in order, neighbours of one kind merged, cut at a stop word."""

    events: tuple[ReplyEvent, ...]
    finish: str

    @staticmethod
    def of(reply: Reply, stop: Sequence[str]) -> _Written:
        events: list[ReplyEvent] = []
        for event in reply.events if reply.literal else _merged(reply.events):
            if isinstance(event, ContentDelta):
                at = _first_stop(event.text, stop)
                if at is not None:
                    events.append(ContentDelta(event.text[:at]))
                    return _Written(tuple(events), FinishReason.STOP)
            events.append(event)
        called = any(isinstance(event, ToolCallStart | ToolDelta) for event in events)
        return _Written(tuple(events), FinishReason.TOOL_CALLS if called else FinishReason.STOP)


def _merged(events: Sequence[ReplyEvent]) -> Iterator[ReplyEvent]:
    last: ReplyEvent | None = None
    for event in events:
        match last, event:
            case (ReasoningDelta(), ReasoningDelta()):
                last = ReasoningDelta(last.text + event.text)
            case (ContentDelta(), ContentDelta()):
                last = ContentDelta(last.text + event.text)
            case (ToolArgumentsDelta(), ToolArgumentsDelta()) if last.index == event.index:
                last = ToolArgumentsDelta(last.text + event.text, index=last.index)
            case _:
                if last is not None:
                    yield last
                last = event
    if last is not None:
        yield last


def _first_stop(text: str, stop: Sequence[str]) -> int | None:
    found = [at for word in stop if word and (at := text.find(word)) >= 0]
    return min(found, default=None)


class _Walk:
    """One pass over the written events that spends tokens and collects deltas."""

    def __init__(
        self,
        template: Template,
        meter: _Meter,
        *,
        partial: bool,
        call_id: Callable[[str, int], str],
    ) -> None:
        self._template = template
        self._meter = meter
        self._partial = partial
        self._call_id = call_id
        self.events: list[ReplyEvent] = []
        self.reasoning = 0
        self.content = 0
        self.tools = 0
        self.closed = partial
        self.cut_short = False

    def run(self, written: _Written, *, literal: bool) -> None:
        if not self._partial:
            self._meter.spend(STUB_TOKENS)
        if literal:
            self._stand(written.events)
            return
        events = list(written.events)
        while events and isinstance(events[0], ReasoningDelta):
            self._reason(events.pop(0).text)  # type: ignore[union-attr]  # narrowed by the loop
        if not self._partial:
            self._close_thinking()
            self._meter.spend(TAG_TOKENS)
        calls: list[ToolCallStart | ToolArgumentsDelta] = []
        for event in events:
            match event:
                case ReasoningDelta():
                    self._reason(event.text)
                case ContentDelta():
                    self._answer(event.text)
                case ToolCallStart() | ToolArgumentsDelta():
                    calls.append(event)
                case _:
                    self.events.append(event)
        self._meter.spend(TAG_TOKENS)
        before = self._meter.used
        try:
            self._call_all(calls)
        finally:
            self.tools = self._meter.used - before
        self._meter.spend(CLOSE_MESSAGE_TOKENS)

    def _stand(self, events: Sequence[ReplyEvent]) -> None:
        """Let events stand in their own order; only their texts become deltas."""
        if not self._partial:
            self._close_thinking()
            self._meter.spend(TAG_TOKENS)
        texts = {
            event.index: event.text for event in events if isinstance(event, ToolArgumentsDelta)
        }
        before = self._meter.used
        spoken = 0
        for event in events:
            match event:
                case ReasoningDelta() | ContentDelta():
                    spoken += self._stand_text(event)
                case ToolCallStart():
                    self._call(event, event.index, texts.get(event.index, ""))
                case ToolArgumentsDelta():
                    pass
                case ToolDelta():
                    self._meter.spend(event.tokens)
                    self.events.append(event)
                case _:
                    self.events.append(event)
        self.tools = self._meter.used - before - spoken
        self._meter.spend(TAG_TOKENS + CLOSE_MESSAGE_TOKENS)

    def _stand_text(self, event: ReasoningDelta | ContentDelta) -> int:
        """Add a text's deltas, or the text as one; return its tokens."""
        before = self._meter.used
        if event.whole:
            tokens = self._template.counter.count(event.text)
            self._meter.spend(tokens)
            self.events.append(replace(event, tokens=tokens))
            if isinstance(event, ReasoningDelta):
                self.reasoning += tokens
            else:
                self.content += tokens
        elif isinstance(event, ReasoningDelta):
            self._reason(event.text)
        else:
            self._answer(event.text)
        return self._meter.used - before

    def _close_thinking(self) -> None:
        self.closed = self._meter.left > 0
        self._meter.spend(TAG_TOKENS)

    def _reason(self, text: str) -> None:
        for piece, tokens in self._generated(text):
            self.reasoning += tokens
            if piece:
                self.events.append(ReasoningDelta(piece, tokens))
        self._stop_if_cut(text)

    def _answer(self, text: str) -> None:
        for piece, tokens in self._generated(text):
            self.content += tokens
            if piece:
                self.events.append(ContentDelta(piece, tokens))
        self._stop_if_cut(text)

    def _generated(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield what fits of a text; tokens of a character that was cut in half count silently."""
        for piece, tokens in chunks(self._template.counter, text):
            left = self._meter.left
            if tokens > left:
                self._cut = True
                self._meter.used += left
                yield "", left
                return
            self._meter.used += tokens
            yield piece, tokens
        self._cut = False

    _cut = False

    def _stop_if_cut(self, text: str) -> None:
        if text and self._cut:
            raise _CapReachedError

    def _call_all(self, calls: Sequence[ToolCallStart | ToolArgumentsDelta]) -> None:
        if not calls:
            return
        self._meter.spend(TAG_TOKENS)
        arguments: dict[int, str] = {}
        for event in calls:
            if isinstance(event, ToolArgumentsDelta):
                arguments[event.index] = arguments.get(event.index, "") + event.text
        starts = [event for event in calls if isinstance(event, ToolCallStart)]
        for number, start in enumerate(starts):
            self._call(start, number, arguments.get(start.index, ""))
        self._meter.spend(TAG_TOKENS)

    def _call(self, start: ToolCallStart, number: int, arguments: str) -> None:
        cost = self._template.call_header(start.name, number + 1)
        self._meter.spend(cost)
        call_id = self._call_id(start.name, number) if start.id is None else start.id
        self.events.append(ToolCallStart(start.name, call_id, number, cost))
        known = read_arguments(arguments)
        if known is None or orjson.dumps(known).decode() != arguments:
            # Text that is not compact JSON is passed on as it was written.
            self._emit(arguments, number)
            self._meter.spend(TAG_TOKENS)
            return
        opening = "{"
        for key, value in known.items():
            header = self._template.argument_header(key, value)
            self._meter.spend(header)
            is_text = isinstance(value, str)
            quoted = orjson.dumps(key).decode()
            lead = f"{opening}{quoted}:" + ('"' if is_text else "")
            self.events.append(ToolArgumentsDelta(lead, number, header))
            self._emit(argument_text(value), number, escape=is_text)
            self._meter.spend(TAG_TOKENS)
            if is_text:
                self.events.append(ToolArgumentsDelta('"', number, TAG_TOKENS))
            opening = ","
        self._meter.spend(TAG_TOKENS)
        self.events.append(ToolArgumentsDelta("}" if known else "{}", number, TAG_TOKENS))

    def _emit(self, text: str, number: int, *, escape: bool = False) -> None:
        for piece, tokens in self._generated(text):
            if piece:
                shown = orjson.dumps(piece).decode()[1:-1] if escape else piece
                self.events.append(ToolArgumentsDelta(shown, number, tokens))
        self._stop_if_cut(text)
