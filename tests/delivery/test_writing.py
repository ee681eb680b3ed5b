from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.delivery.step import Abort, Gap, Hold, Send, Start, Wait
from k3mock.delivery.writing import PLAIN, Writing, joined
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import Ending

if TYPE_CHECKING:
    from k3mock.delivery.step import Step

START = Start(200, ())
GAP = Gap(2)
CAT = "data: 猫\n\n".encode()
DOG = b"data: dog\n\n"


def writes(mode: str, *steps: Step, size: int = 0) -> list[Step]:
    return list(Writing(mode=mode, size=size).cut(iter(steps)))


def test_the_usual_knobs_cost_nothing() -> None:
    assert Writing.of(WirePolicy()) is PLAIN
    steps = iter([START])
    assert PLAIN.cut(steps) is steps


@pytest.mark.parametrize(
    ("mode", "paced", "instant"),
    [("auto", False, True), ("event", False, False), ("coalesced", True, True),
     ("bytes", False, False), ("split_utf8", False, False)],
)  # fmt: skip
def test_modes_say_whether_they_join_what_is_due_together(
    mode: str, paced: bool, instant: bool
) -> None:
    writing = Writing(mode=mode)
    assert (writing.joins(instant=False), writing.joins(instant=True)) == (paced, instant)


def test_writes_of_one_moment_are_joined_with_their_counts() -> None:
    steps: list[Step] = [
        Wait(5), START, Send(b"a", 1, 1), Wait(5), Send(b"b", 1, 2), Wait(9), Send(b"c", 1, 3),
        Send(b"", last=True),
    ]  # fmt: skip
    assert list(joined(iter(steps))) == [
        Wait(5), START, Send(b"ab", 2, 3), Wait(9), Send(b"c", 1, 3, last=True),
    ]  # fmt: skip


@pytest.mark.parametrize("step", [Hold(), Abort(Ending.RESET), Wait(0, quiet=True)])
def test_nothing_is_joined_over_a_silence_or_an_end(step: Step) -> None:
    steps: list[Step] = [START, Send(b"a"), Send(b"b"), step, Send(b"c")]
    assert list(joined(iter(steps))) == [START, Send(b"ab"), step, Send(b"c")]


def test_every_character_of_several_bytes_is_cut() -> None:
    event = "data: ñ猫🐱\n\n".encode()
    assert writes("split_utf8", START, Send(event, 1, 3)) == [
        START,
        GAP, Send(b"data: \xc3"), GAP, Send(b"\xb1\xe7"), GAP, Send(b"\x8c\xab\xf0\x9f"),
        GAP, Send(b"\x90\xb1\n\n", 1, 3),
    ]  # fmt: skip


def test_an_event_without_such_characters_is_one_write() -> None:
    assert writes("split_utf8", Send(DOG, 1), Send(b"", last=True)) == [
        GAP,
        Send(DOG, 1),
        Send(b"", last=True),
    ]


def test_the_data_line_is_cut_in_its_name_and_in_its_middle() -> None:
    assert writes("split_line", Send(b"event: x\ndata: 12345678\n\n", 1, last=True)) == [
        GAP, Send(b"event: x\nda"), GAP, Send(b"ta: 1"), GAP,
        Send(b"2345678\n\n", 1, last=True),
    ]  # fmt: skip


def test_what_has_no_data_line_is_cut_in_its_middle() -> None:
    assert writes("split_line", Send(b'{"a":1}', 1, last=True)) == [
        GAP,
        Send(b'{"a'),
        GAP,
        Send(b'":1}', 1, last=True),
    ]
    assert writes("split_line", Send(b"x", last=True)) == [GAP, Send(b"x", last=True)]


def test_writes_of_a_size_go_over_the_borders_of_events() -> None:
    steps = writes("bytes", START, Send(b"abc", 1), Wait(5), Send(b"de", 1, last=True), size=2)
    assert steps == [
        START, GAP, Send(b"ab"), Wait(5), GAP, Send(b"cd"), GAP, Send(b"e", 2, last=True),
    ]  # fmt: skip


@pytest.mark.parametrize("step", [Hold(), Abort(Ending.RESET), Wait(9, quiet=True)])
def test_what_is_too_short_for_a_write_leaves_before_a_silence_or_an_end(step: Step) -> None:
    steps = writes("bytes", START, Send(b"abc", 1, 1), step, size=2)
    assert steps == [START, GAP, Send(b"ab"), GAP, Send(b"c", 1, 1), step]
    full = writes("bytes", START, Send(b"ab", 1, 1), step, size=2)
    assert full == [START, GAP, Send(b"ab", 1, 1), step]


def test_a_body_that_ends_on_the_border_of_a_write_ends_with_it() -> None:
    assert writes("bytes", Send(b"abcd", 1, last=True), size=2) == [
        GAP,
        Send(b"ab"),
        GAP,
        Send(b"cd", 1, last=True),
    ]
    assert writes("bytes", Send(b"ab", 1), Send(b"", last=True), size=2) == [
        GAP,
        Send(b"ab", 1),
        GAP,
        Send(b"", last=True),
    ]


@given(
    events=st.lists(st.text(max_size=12).map(str.encode), min_size=1, max_size=8),
    mode=st.sampled_from(["auto", "event", "coalesced", "bytes", "split_utf8", "split_line"]),
    size=st.integers(1, 40),
    due=st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_cutting_and_joining_change_no_byte_and_no_count(
    events: list[bytes], mode: str, size: int, due: list[int]
) -> None:
    steps: list[Step] = [START]
    for number, (event, at) in enumerate(zip(events, sorted(due), strict=False)):
        steps += [Wait(at), Send(event, 1, number, last=number == len(events) - 1)]
    cut = Writing(mode=mode, size=size).cut(joined(iter(steps)))
    sends = [step for step in cut if isinstance(step, Send)]
    assert b"".join(send.data for send in sends) == b"".join(events)
    assert sum(send.events for send in sends) == len(events)
    assert sum(send.tokens for send in sends) == sum(range(len(events)))
    assert [send.last for send in sends] == [False] * (len(sends) - 1) + [True]
    if mode == "bytes":
        assert all(len(send.data) == size for send in sends[:-1])


def test_a_comment_of_several_lines_is_no_event() -> None:
    policy = WirePolicy(keepalive_ms=5, keepalive_text=" a\r\ndata: b")
    assert Writing.of(policy).comment == b": a\n:data: b\n\n"
