from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from k3mock.delivery.silence import delayed, kept_alive
from k3mock.delivery.step import Abort, Hold, Send, Start, Wait
from k3mock.protocol.reply import Ending

if TYPE_CHECKING:
    from k3mock.delivery.step import Step

START = Start(200, ())
SIGN = Send(b": alive\n\n")


def alive(*steps: Step, every_ms: float = 10) -> list[Step]:
    return list(itertools.islice(kept_alive(iter(steps), START, every_ms, SIGN.data), 12))


def quiet(ms: float) -> Wait:
    return Wait(ms, quiet=True)


def test_short_waits_are_left_alone() -> None:
    steps: list[Step] = [Wait(10), START, Send(b"a"), Wait(20), Send(b"b", last=True)]
    assert alive(*steps) == steps


def test_a_long_silence_has_signs_of_life() -> None:
    assert alive(START, Send(b"a"), Wait(35), Send(b"b")) == [
        START, Send(b"a"), quiet(10), SIGN, quiet(20), SIGN, quiet(30), SIGN, Wait(35), Send(b"b"),
    ]  # fmt: skip


def test_headers_leave_with_the_first_sign_and_once() -> None:
    assert alive(Wait(15), START, Send(b"a", last=True)) == [
        quiet(10), START, SIGN, Wait(15), Send(b"a", last=True),
    ]  # fmt: skip


def test_silence_is_counted_over_several_waits_from_the_last_bytes() -> None:
    assert alive(START, Wait(6), Wait(12), Send(b"a"), Wait(21), Send(b"", last=True)) == [
        START, Wait(6), quiet(10), SIGN, Wait(12), Send(b"a"), Wait(21), Send(b"", last=True),
    ]  # fmt: skip


def test_a_silence_for_ever_has_signs_for_ever() -> None:
    steps = alive(START, Send(b"a"), Wait(5), Hold())
    assert steps[:5] == [START, Send(b"a"), Wait(5), quiet(10), SIGN]
    assert steps[5:] == [quiet(20), SIGN, quiet(30), SIGN, quiet(40), SIGN, quiet(50)]


def test_a_delay_moves_deadlines_and_nothing_else() -> None:
    steps: list[Step] = [Wait(1), START, quiet(3), Abort(Ending.RESET)]
    moved: list[Step] = [quiet(5), Wait(6), START, quiet(8), Abort(Ending.RESET)]
    assert list(delayed(iter(steps), 5)) == moved
