from __future__ import annotations

import pytest

from k3mock.delivery.ending import cut_at, cut_in_time, cut_short, with_length
from k3mock.delivery.step import Abort, Hold, Send, Start, Step, Wait
from k3mock.fault.bend import ByteCut, TimeCut
from k3mock.protocol.reply import Ending

START = Start(200, ())


@pytest.mark.parametrize(
    ("at", "found"), [(0, 0), (3, 3), (10, 10), (11, 10), (-1, 9), (-10, 0), (-11, 0)]
)
def test_a_cut_counts_from_either_end_and_stays_within_the_body(at: int, found: int) -> None:
    assert cut_at(ByteCut(at=at), 10) == found


@pytest.mark.parametrize("how", Ending)
def test_nothing_follows_a_cut(how: Ending) -> None:
    steps: list[Step] = [START, Send(b"ab", 1, 2), Wait(5), Send(b"cd", 1, 2, last=True)]
    assert list(cut_short(iter(steps), ByteCut(at=3, how=how), 4)) == [
        *steps[:3],
        Send(b"c"),
        Abort(how),
    ]
    assert list(cut_short(iter(steps), ByteCut(at=2, how=how), 4)) == [*steps[:2], Abort(how)]


STEPS: tuple[Step, ...] = (Wait(10), START, Send(b"a"), Wait(40), Send(b"b", last=True))


@pytest.mark.parametrize(
    ("cut", "behind_a"),
    [
        pytest.param(TimeCut(at_ms=200), [Wait(20), Abort(Ending.UNTERMINATED)],
                     id="end"),
        pytest.param(
            TimeCut(at_ms=200, silence_ms=50, how=Ending.RESET),
            [Wait(20), Wait(25, quiet=True), Abort(Ending.RESET)],
            id="silence-then-end",
        ),
        pytest.param(TimeCut(at_ms=200, silence_ms=None), [Wait(20), Hold()],
                     id="for-ever"),
        pytest.param(
            TimeCut(at_ms=200, silence_ms=50, how=None),
            [Wait(20), Wait(25, quiet=True), Wait(45), STEPS[-1]],
            id="silence",
        ),
        pytest.param(TimeCut(at_ms=400), list(STEPS[3:]), id="behind-the-last-moment"),
    ],
)  # fmt: skip
def test_something_happens_at_a_time(cut: TimeCut, behind_a: list[Step]) -> None:
    """Speed 10 divides the times of the cut; those of the steps are divided already."""
    assert list(cut_in_time(iter(STEPS), cut, 10)) == [*STEPS[:3], *behind_a]


def test_a_time_comes_during_a_silence_for_ever_too() -> None:
    steps: list[Step] = [START, Send(b"a"), Hold(), Send(b"b")]
    ended = cut_in_time(iter(steps), TimeCut(at_ms=5), 1)
    assert list(ended) == [*steps[:2], Wait(5), Abort(Ending.UNTERMINATED)]
    longer = cut_in_time(iter(steps), TimeCut(at_ms=5, silence_ms=1, how=None), 1)
    assert list(longer) == [*steps[:2], Wait(5), Wait(6, quiet=True), *steps[2:]]


def test_a_length_is_changed_or_left_out_where_there_is_one() -> None:
    start = Start(200, (("a", "1"), ("content-length", "9")))
    assert with_length(start, 4) == Start(200, (("a", "1"), ("content-length", "4")))
    assert with_length(start, None) == Start(200, (("a", "1"),))
    assert with_length(START, 4) == START
