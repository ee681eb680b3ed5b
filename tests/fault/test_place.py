from __future__ import annotations

import pytest

from k3mock.fault.place import (
    UNITS,
    Place,
    PlaceError,
    frame_index,
    read_place,
    split_events,
)
from k3mock.protocol.reply import (
    ContentDelta,
    DoneEvent,
    FinishEvent,
    ReasoningDelta,
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
)
from k3mock.wire.chunks import Frame, FrameKind

SPOKEN = (
    Stall(1),
    ReasoningDelta("a", 2),
    ReasoningDelta("b", 3),
    ContentDelta("c", 1),
    ContentDelta("d", 4),
    ToolCallStart("f", "f_0", 0, 9),
    ToolArgumentsDelta('{"k":', 0, 5),
    ToolArgumentsDelta("12345}", 0, 6),
    ToolCallStart("g", "g_1", 1, 9),
    ToolArgumentsDelta("{}", 1, 3),
)
EVENTS = (*SPOKEN, FinishEvent("stop"), DoneEvent())


@pytest.mark.parametrize(
    ("place", "before"),
    [
        (0, 3), (1, 4), (2, 5), (5, 5), (6, 10),
        ({"reasoning_tokens": 0}, 1), ({"reasoning_tokens": 2}, 2), ({"reasoning_tokens": 3}, 3),
        ({"tokens": 0}, 1), ({"tokens": 6}, 4), ({"tokens": 10}, 5), ({"tokens": 20}, 7),
        ({"events": 1}, 2), ({"events": 4}, 5), ({"events": 99}, 10),
        ({"argument_chars": 0}, 5), ({"argument_chars": 5}, 7), ({"argument_chars": 11}, 8),
        ("start", 1), ("first", 4), ("reasoning", 3), ("content", 5), ("end", 10),
        ("half_reasoning", 2), ("half_content", 5),
    ],
)  # fmt: skip
def test_a_place_lies_before_an_event(place: object, before: int) -> None:
    head, tail = split_events(EVENTS, read_place(place))  # type: ignore[arg-type]  # the table's
    assert (head, tail) == (EVENTS[:before], EVENTS[before:])


def test_a_place_in_the_arguments_cuts_a_delta_in_two() -> None:
    head, tail = split_events(EVENTS, Place("argument_chars", 8))
    assert (head[-1], tail[0]) == (
        ToolArgumentsDelta("123", 0, 6), ToolArgumentsDelta("45}", 0, 0),
    )  # fmt: skip


def test_the_middle_of_the_arguments_is_that_of_the_first_call() -> None:
    head, _ = split_events(EVENTS, Place("half_arguments"))
    assert "".join(event.text for event in head if isinstance(event, ToolArgumentsDelta)) == '{"k":'


@pytest.mark.parametrize("word", [unit for unit in UNITS if not UNITS[unit].counted])
def test_a_place_in_an_answer_that_says_nothing_is_its_end(word: str) -> None:
    assert split_events((), Place(word)) == ((), ())
    said = (Stall(1), FinishEvent("stop"))
    assert split_events(said, Place(word)) == (said[:1], said[1:])


def test_without_content_the_first_call_counts_else_the_first_thought() -> None:
    events = (ReasoningDelta("a"), ReasoningDelta("b"), ToolCallStart("f"))
    assert split_events(events, Place("first")) == (events, ())
    assert split_events(events[:2], Place("first")) == (events[:1], events[1:2])


@pytest.mark.parametrize(
    "value",
    [None, True, "", "middle", "events", -1, 1.5, {"events": "3"}, {"events": True}, {"start": 1},
     {"event": 1}, {"events": 1, "ms": 2}, {}, [1], {"bytes": 1e12}, float("nan")],
)  # fmt: skip
def test_other_values_are_no_place(value: object) -> None:
    with pytest.raises(PlaceError):
        read_place(value)  # type: ignore[arg-type]  # the table's


@pytest.mark.parametrize("value", [{"content_tokens": 3}, {"ms": 1.5}, "reasoning"])
def test_a_place_is_written_as_it_is_read(value: object) -> None:
    assert read_place(value).written() == value  # type: ignore[arg-type]  # the table's


@pytest.mark.parametrize(
    ("place", "index"),
    [("start", 1), ("first", 3), ("reasoning", 2), ("end", 4), ({"content_tokens": 3}, 4),
     ({"events": 1}, 2), ({"events": 50}, 4)],
)  # fmt: skip
def test_a_place_lies_among_frames_too(place: object, index: int) -> None:
    kinds = (FrameKind.ROLE, FrameKind.REASONING, FrameKind.CONTENT, FrameKind.CONTENT,
             FrameKind.FINISH, FrameKind.USAGE, FrameKind.DONE)  # fmt: skip
    spoken = {FrameKind.REASONING, FrameKind.CONTENT}
    frames = [Frame(b"x", kind, 2 if kind in spoken else 0) for kind in kinds]
    assert frame_index(frames, read_place(place)) == index  # type: ignore[arg-type]  # the table's
