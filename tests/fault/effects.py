"""Turns a call of a fault into what it does to a fixed answer, without a server."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import bend
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.reply import (
    CallText,
    Comment,
    ContentDelta,
    ReasoningDelta,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)
from k3mock.protocol.usage import Usage
from k3mock.seed import Chance
from k3mock.text.turn import Turn, generate
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames
from k3mock.wire.envelope import Envelope
from tests.support import request, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Bend
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest
    from k3mock.protocol.style import FaultCall
    from k3mock.text.template import Template
    from k3mock.wire.chunks import Frame

REASONING = "The user asks about the weather in Izmir. I should look it up before I answer."
CONTENT = "It is sunny in Izmir today, 31 degrees, and the sea is calm."
CALLS = (("get_weather", '{"city":"Izmir"}'), ("get_weather", '{"city":"Ankara"}'))
SPOKEN = (ReasoningDelta, ContentDelta, ToolCallStart, ToolArgumentsDelta)
ENVELOPE = Envelope(id="chatcmpl-1", created=1, model="kimi-k3", fingerprint="fpv0_1")


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a fault did; `plain` is the answer without it."""

    bend: Bend
    turn: Turn
    plain: Reply
    profile: Profile
    request: ChatRequest
    chance: Chance = field(default_factory=lambda: Chance(1))

    @property
    def reply(self) -> Reply:
        return self.turn.reply

    @property
    def calls(self) -> tuple[CallText, ...]:
        return self.reply.calls

    @property
    def new(self) -> list[Any]:
        """The events of the answer that the model did not say."""
        return [event for event in self.reply.events if not isinstance(event, SPOKEN)]

    def before(self, kind: type) -> list[Any]:
        """Return the events before the first of a kind."""
        kinds = [type(event) for event in self.reply.events]
        return list(self.reply.events[: kinds.index(kind)])

    def frames(self, *, changed: bool = True) -> list[Frame]:
        """Return the frames of the generated answer, changed by the fault."""
        policy = apply_knobs(self.profile.wire, self.bend.wire)
        shown = replace(self.reply, events=tuple(
            event for event in self.reply.events if isinstance(event, SPOKEN)
        ))  # fmt: skip
        frames: Sequence[Frame] = encode_frames(shown, ENVELOPE, policy, include_usage=False)
        for edit in self.bend.frames if changed else ():
            frames = edit(frames, self.chance)
        return list(frames)

    def body(self) -> bytes:
        """Return the whole body, changed by the fault."""
        body = encode_body(self.reply, ENVELOPE, self.profile.wire)
        for edit in self.bend.body:
            body = edit(body, self.chance)
        return body


def effect(
    template: Template,
    *calls: str | FaultCall,
    answer: Reply | None = None,
    profile: str = "moonshot",
    **fields: Any,
) -> Effect:
    """Bend a fixed answer; `fields` change the request, streamed unless they say otherwise."""
    host = load_profile(profile)
    if answer is None:
        answer = written(reasoning=REASONING, content=CONTENT)
    read = read_request(request(**{"stream": True, "tools": [tool()], **fields}), host)
    parsed = [parse_call(call) if isinstance(call, str) else call for call in calls]
    bent = bend(parsed, host)
    chance = Chance(1)
    changed = answer
    for rewrite in bent.rewrites:
        changed = rewrite(changed, read, chance)
    cap = min([1 << 40, *(cap(changed, read, template) for cap in bent.caps)])
    partial = read.partial is not None
    turn = generate(changed, template, cap=cap, stop=read.stop, partial=partial)
    reply = replace(turn.reply, usage=USAGE)
    for edit in (*bent.edits, *bent.accounted):
        reply = edit(reply, read, chance)
    plain = generate(answer, template, cap=1 << 40).reply
    return Effect(
        bend=bent, turn=replace(turn, reply=reply), plain=plain, profile=host, request=read
    )


USAGE = Usage(prompt=10, completion=20, cached=0, reasoning=5)


def tokens(events: Sequence[ReplyEvent], kind: type) -> int:
    """Return the tokens of the deltas of a kind."""
    return sum(event.tokens for event in events if isinstance(event, kind))


def chunk(frame: Frame) -> Any:
    """Return the JSON of a frame."""
    return orjson.loads(frame.data.removeprefix(b"data: "))


def comments(events: Sequence[Any]) -> list[str]:
    return [event.text for event in events if isinstance(event, Comment)]
