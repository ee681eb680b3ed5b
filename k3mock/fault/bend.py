"""Turns faults into one value that says what they do to an answer; faults layer.

A fault works at one or more of these places, in the order in which an answer comes into being:
the connection before any answer, an error instead of an answer, the written reply, the cap, the
generated events, the wire knobs, the frames of a stream, the bytes of a whole body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.reply import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.template import Template
    from k3mock.wire.chunks import Frame

Rewrite: TypeAlias = "Callable[[Reply, ChatRequest, Chance], Reply]"
"""Changes a reply, written or generated."""

Cap: TypeAlias = "Callable[[Reply, ChatRequest, Template], int]"
"""Gives the output cap, in tokens, for a written reply to a request."""

FrameEdit: TypeAlias = "Callable[[Sequence[Frame], Chance], Sequence[Frame]]"
BodyEdit: TypeAlias = "Callable[[bytes, Chance], bytes]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What happens on the connection instead of an answer.

    First `silence_ms` milliseconds of nothing (None: until the client leaves), then `data` is
    written as it is, past HTTP; then the connection ends in the way of `how`, or stays silent
    where that is None.
    """

    silence_ms: float | None = 0.0
    data: bytes = b""
    how: Ending | None = Ending.UNTERMINATED


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteCut:
    """The body ends after `at` bytes; a negative number counts from its end."""

    at: int
    how: Ending = Ending.UNTERMINATED


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCut:
    """What happens `at_ms` milliseconds after the request was taken, whatever was sent by then.

    First `silence_ms` milliseconds of nothing (None: until the client leaves); then the connection
    ends in the way of `how`, or the answer goes on where that is None. A place after the end of the
    answer changes nothing; one before its first byte acts before the headers.
    """

    at_ms: float
    silence_ms: float | None = 0.0
    how: Ending | None = Ending.UNTERMINATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Bend:
    """What a list of faults does to one answer.

    Attributes:
        names: the faults, in order.
        before: what happens on the connection instead of an answer.
        instead: the error that is given instead of an answer.
        delay_ms: silence before the status line.
        wire: knobs that are turned.
        rewrites: changes of the written reply, before it is generated.
        caps: output caps; the smallest counts.
        edits: changes of the generated reply: what is put among its events.
        accounted: changes of the generated reply that has its usage.
        frames: changes of the frames of a stream.
        body: changes of the bytes of a whole body.
        cut: where the body ends, in bytes.
        cut_ms: what happens at a time.
        lead: bytes that are sent before a whole body, each after its milliseconds of silence.
        early: answered before the request's body has been read to its end.
    """

    names: tuple[str, ...] = ()
    before: Before | None = None
    instead: ApiError | None = None
    delay_ms: float = 0.0
    wire: Mapping[str, JSONValue] = field(default_factory=dict)
    rewrites: tuple[Rewrite, ...] = ()
    caps: tuple[Cap, ...] = ()
    edits: tuple[Rewrite, ...] = ()
    accounted: tuple[Rewrite, ...] = ()
    frames: tuple[FrameEdit, ...] = ()
    body: tuple[BodyEdit, ...] = ()
    cut: ByteCut | None = None
    cut_ms: TimeCut | None = None
    lead: tuple[tuple[float, bytes], ...] = ()
    early: bool = False

    @property
    def exclusive(self) -> bool:
        """Whether nothing of the answer itself is left."""
        return self.before is not None or self.instead is not None

    def then(self, later: Bend) -> Bend:
        """Return both together; of what there can be only one of, the later one counts."""
        if self is UNBENT or later is UNBENT:
            return later if self is UNBENT else self
        return Bend(
            names=(*self.names, *later.names),
            before=later.before or self.before,
            instead=later.instead or self.instead,
            delay_ms=self.delay_ms + later.delay_ms,
            wire={**self.wire, **later.wire},
            rewrites=(*self.rewrites, *later.rewrites),
            caps=(*self.caps, *later.caps),
            edits=(*self.edits, *later.edits),
            accounted=(*self.accounted, *later.accounted),
            frames=(*self.frames, *later.frames),
            body=(*self.body, *later.body),
            cut=later.cut or self.cut,
            cut_ms=later.cut_ms or self.cut_ms,
            lead=(*self.lead, *later.lead),
            early=self.early or later.early,
        )


UNBENT = Bend()
