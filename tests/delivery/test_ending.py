from __future__ import annotations

import pytest

from k3mock.delivery.ending import cut_at, cut_short, with_length
from k3mock.delivery.step import Abort, Send, Start, Step, Wait
from k3mock.fault.bend import ByteCut
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


def test_a_length_is_changed_or_left_out_where_there_is_one() -> None:
    start = Start(200, (("a", "1"), ("content-length", "9")))
    assert with_length(start, 4) == Start(200, (("a", "1"), ("content-length", "4")))
    assert with_length(start, None) == Start(200, (("a", "1"),))
    assert with_length(START, 4) == START
