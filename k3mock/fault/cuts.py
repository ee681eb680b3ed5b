"""Turns cuts and silences in the midst of an answer into bends; faults layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.fault.bend import Bend, ByteCut, TimeCut
from k3mock.fault.calls import with_calls
from k3mock.fault.connection import HOW
from k3mock.fault.entry import FOREVER, Fault, Given, Parameter
from k3mock.fault.place import FRAME_UNITS, Place, frame_index, split_events
from k3mock.protocol.reply import ContentDelta, Disconnect, Ending, Stall
from k3mock.wire.chunks import Frame, FrameKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import FrameEdit, Rewrite
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance

AFTER = Parameter(name="after", kind="place", default="first", about="where it happens")


def insert(place: Place, *new: ReplyEvent) -> Rewrite:
    """Return the edit that puts events at a place."""

    def edit(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        head, tail = split_events(reply.events, place)
        return replace(reply, events=(*head, *new, *tail))

    return edit


def cut_at(place: Place, how: Ending) -> Bend:
    """Return the bend that ends the answer at a place: an event, a byte or a time."""
    match place.unit:
        case "bytes":
            return Bend(cut=ByteCut(at=int(place.amount), how=how))
        case "ms":
            return Bend(cut_ms=TimeCut(at_ms=place.amount, how=how))
        case _:
            return Bend(edits=(insert(place, Disconnect(how)),))


def stall_at(place: Place, ms: float | None) -> Bend:
    """Return the bend that goes silent at a place."""
    match place.unit:
        case "bytes":
            return Bend(frames=(_stall_in_bytes(int(place.amount), ms),))
        case "ms":
            return Bend(cut_ms=TimeCut(at_ms=place.amount, silence_ms=ms, how=None))
        case _:
            return Bend(edits=(insert(place, Stall(ms)),))


def _stall_in_bytes(at: int, ms: float | None) -> FrameEdit:
    silence = Frame(b"", FrameKind.STALL, stall_ms=float("inf") if ms is None else ms)

    def edit(frames: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        sent = 0
        for index, frame in enumerate(frames):
            inside = at - sent
            sent += len(frame.data)
            if sent >= at and frame.data:
                parts = (
                    replace(frame, data=frame.data[:inside]),
                    silence,
                    replace(frame, data=frame.data[inside:], tokens=0),
                )
                kept = [part for part in parts if part.data or part is silence]
                return (*frames[:index], *kept, *frames[index + 1 :])
        return (*frames, silence)

    return edit


def _cut(given: Given, _: Profile) -> Bend:
    return cut_at(given.place(), given.ending())


def _cut_fault(name: str, about: str, seen: str, after: str, how: Ending | None = None) -> Fault:
    """Return a cut with a usual place and, if its name says so, a fixed ending."""
    place = replace(AFTER, default=after)
    if how is None:
        return Fault(
            name=name, about=about, kind="stream", seen=seen, make=_cut, parameters=(place, HOW),
            example="after:12,how:reset" if after == "first" else "how:reset",
        )  # fmt: skip
    return Fault(
        name=name, about=about, kind="stream", seen=seen, parameters=(place,), example="after:12",
        make=lambda given, _: cut_at(given.place(), how),
    )  # fmt: skip


def _fixed_cut(name: str, about: str, seen: str, place: str) -> Fault:
    return Fault(
        name=name, about=about, kind="stream", seen=seen, parameters=(HOW,), example="how:reset",
        make=lambda given, _: cut_at(Place(place), given.ending()),
    )  # fmt: skip


def _counted_cut(name: str, about: str, seen: str, unit: str, usual: str) -> Fault:
    """Return a cut whose place is a count of one unit, by default the middle."""
    amount = Parameter(name=unit, kind="whole", about=f"behind so many {unit.replace('_', ' ')}; "
                       "by default in the middle")  # fmt: skip

    rewrites = (with_calls(1),) if unit == "argument_chars" else ()

    def make(given: Given, _: Profile) -> Bend:
        count = given.maybe_whole(unit)
        place = Place(usual) if count is None else Place(unit, count)
        return Bend(rewrites=rewrites).then(cut_at(place, given.ending()))

    return Fault(
        name=name, about=about, kind="stream", seen=seen, make=make, parameters=(amount, HOW),
        example=f"{unit}:5,how:reset",
    )  # fmt: skip


def _cut_in_frame(how: Ending, inside: Callable[[Sequence[Frame]], tuple[int, int]]) -> Bend:
    """Return the bend that ends a stream inside a frame, and a whole body in its middle."""

    def edit(frames: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        index, at = inside(frames)
        begun = replace(frames[index], data=frames[index].data[:at], tokens=0)
        return (*frames[:index], begun, Frame(b"", FrameKind.END, ending=how))

    def whole(reply: Reply, request: ChatRequest, chance: Chance) -> Reply:
        return reply if request.stream else insert(Place("end"), Disconnect(how))(
            reply, request, chance)  # fmt: skip

    return Bend(frames=(edit,), edits=(whole,))


def _cut_in_character(given: Given, _: Profile) -> Bend:
    text = given.text("text")

    def with_character(reply: Reply, _request: ChatRequest, _chance: Chance) -> Reply:
        if not (reply.reasoning + reply.content).isascii() or reply.literal:
            return reply
        return replace(reply, events=(*reply.events, ContentDelta(text)))

    return Bend(rewrites=(with_character,)).then(_cut_in_frame(given.ending(), _character))


def _character(frames: Sequence[Frame]) -> tuple[int, int]:
    """Find the first place inside a character; where all are ASCII, inside the last delta."""
    for index, frame in enumerate(frames):
        lead = next((at for at, byte in enumerate(frame.data) if byte >= 0xC0), None)
        if lead is not None:
            return index, lead + 1
    return _line(frames, Place("end"))


def _line(frames: Sequence[Frame], place: Place) -> tuple[int, int]:
    """Find the middle of the frame behind the place, or of the last one."""
    index = min(frame_index(frames, place), len(frames) - 1)
    return index, len(frames[index].data) // 2


def _cut_in_line(given: Given, _: Profile) -> Bend:
    place = given.place()
    return _cut_in_frame(given.ending(), lambda frames: _line(frames, place))


def _cut_before_done(given: Given, _: Profile) -> Bend:
    end = Frame(b"", FrameKind.END, ending=given.ending())

    def edit(frames: Sequence[Frame], _chance: Chance) -> Sequence[Frame]:
        return (*(frame for frame in frames if frame.kind is not FrameKind.DONE), end)

    return Bend(frames=(edit,))


MS = Parameter(
    name="ms", kind="time", default=10_000, about="how long; `forever` until the client leaves"
)
_SECONDS = Parameter(name="seconds", kind="number", about="how long, in seconds; wins over `ms`")


def _silence_ms(given: Given) -> float | None:
    return given.time() if given.values["seconds"] is None else 1000 * given.number("seconds")


def _silent(name: str, about: str, seen: str, place: str, ms: int | str) -> Fault:
    return Fault(
        name=name, about=about, kind="stream", seen=seen, example="seconds:2",
        parameters=(replace(AFTER, default=place), replace(MS, default=ms), _SECONDS),
        make=lambda given, _: stall_at(given.place(), _silence_ms(given)),
    )  # fmt: skip


FAULTS = (
    _cut_fault(
        "cut_mid_stream", "The connection ends in the midst of the answer.",
        "2389-research/tracker#544, earendil-works/pi#8460 (H01)", "first",
    ),
    _cut_fault(
        "clean_close", "The stream ends properly in the midst of the answer: no finish, no [DONE].",
        "gethnet/litellm-connector-copilot#97 (H01)", "first", Ending.CLEAN,
    ),
    _cut_fault(
        "reset_mid_stream", "The connection is reset (RST) in the midst of the answer.",
        "AgentFlocks/flocks#515 (H12)", "first", Ending.RESET,
    ),
    _cut_fault(
        "unterminated_chunk", "The connection is closed without the chunk that ends the body.",
        "chatchat-space/Langchain-Chatchat#3780 (H12)", "first", Ending.UNTERMINATED,
    ),
    _fixed_cut(
        "cut_after_reasoning", "The connection ends when the thinking is over.",
        "MoonshotAI/kimi-code#520 (B09), can1357/oh-my-pi#9609 (H01)", "reasoning",
    ),
    _counted_cut(
        "cut_in_reasoning", "The connection ends in the midst of the thinking.",
        "ltmoerdani/opencode-copilot-chat#170 (H01)", "reasoning_tokens", "half_reasoning",
    ),
    _counted_cut(
        "cut_in_tool_arguments", "The connection ends inside the arguments of a tool call.",
        "CommandCodeAI/command-code#785, brightwave-inc/tidebreak#1124 (H02)", "argument_chars",
        "half_arguments",
    ),
    _fixed_cut(
        "cut_before_finish", "All deltas arrive; the connection ends before the finish chunk.",
        "brightwave-inc/tidebreak#1124 (H01)", "end",
    ),
    Fault(
        name="cut_before_done", kind="stream", make=_cut_before_done, parameters=(HOW,),
        about="All chunks arrive; the connection ends before [DONE]. Streams only.",
        seen="earendil-works/pi#8460 (H01)", example="how:clean",
    ),
    Fault(
        name="cut_in_character", kind="stream", make=_cut_in_character, example="how:reset",
        about="The connection ends between the bytes of one UTF-8 character.",
        seen="librefang/librefang#3448, api7/aisix#111 (G05)",
        parameters=(
            HOW,
            Parameter(name="text", kind="text", default=" 你好",
                      about="is added to content that is ASCII alone"),
        ),
    ),
    Fault(
        name="cut_in_line", kind="stream", make=_cut_in_line,
        parameters=(replace(AFTER, units=FRAME_UNITS), HOW),
        about="The connection ends in the middle of a data line.",
        seen="lathe-cli/lathe#131 (G09)", example="after:12,how:reset",
    ),
    _silent(
        "stall", "The answer goes silent for a while and then goes on.",
        "MoonshotAI/kimi-code#1050 (J01)", "first", 10_000,
    ),
    _silent(
        "stall_forever", "The answer goes silent and stays so; the connection stays open.",
        "MoonshotAI/kimi-code#1798 (J01)", "first", FOREVER,
    ),
    _silent(
        "long_silence", "A minute of silence before the first token.",
        "NousResearch/hermes-agent#73342 (J02)", "start", 60_000,
    ),
    _silent(
        "second_silence", "A minute of silence between thinking and answer.",
        "ayunis-core/ayunis-core#1245 (J02)", "reasoning", 60_000,
    ),
)  # fmt: skip
