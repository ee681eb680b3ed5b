from __future__ import annotations

from math import inf

from k3mock.delivery.pacing import Pacing
from k3mock.delivery.script import Shape, before, complete_at_ms, stream, whole
from k3mock.delivery.step import Abort, Bare, Gap, Hold, Send, Start, Wait
from k3mock.delivery.writing import Writing
from k3mock.fault.bend import UNBENT, Before, Bend, ByteCut
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import Ending
from k3mock.seed import Chance, Seed
from k3mock.wire.chunks import Frame, FrameKind

START = Start(200, (("content-type", "text/plain"),))
FRAMES = (
    Frame(b"role", FrameKind.ROLE),
    Frame(b"think", FrameKind.REASONING, 2),
    Frame(b"say", FrameKind.CONTENT, 1),
    Frame(b"more", FrameKind.CONTENT, 3),
    Frame(b"finish", FrameKind.FINISH),
    Frame(b"done", FrameKind.DONE),
)
SLOW = Pacing(ttft_ms=100, content_tps=10, thinking_pause_ms=50)


def stall(ms: float) -> Frame:
    return Frame(b"", FrameKind.STALL, stall_ms=ms)


def end(how: Ending) -> Frame:
    return Frame(b"", FrameKind.END, ending=how)


def chance() -> Chance:
    return Seed(1).chance(b"pace")


def test_a_whole_body_is_one_write() -> None:
    assert list(whole(START, b"{}", tokens=7)) == [
        START,
        Send(b"{}", events=1, tokens=7, last=True),
    ]


def test_a_whole_body_says_nothing_before_it_is_complete() -> None:
    """Raw calls of 2026-07: time to first byte equals total time in five of five."""
    assert list(whole(START, b"{}", at_ms=250)) == [
        Wait(250),
        START,
        Send(b"{}", events=1, tokens=0, last=True),
    ]


def test_an_instant_stream_is_one_write_of_all_frames() -> None:
    assert list(stream(START, FRAMES, Pacing(), chance())) == [
        START,
        Send(b"rolethinksaymorefinishdone", events=6, tokens=6, last=True),
    ]


def test_a_paced_stream_is_a_write_for_each_frame() -> None:
    steps = list(stream(START, FRAMES, SLOW, chance()))
    assert steps == [
        Wait(100),
        START,
        Send(b"role", events=1),
        Wait(100),
        Send(b"think", events=1, tokens=2),
        Wait(250),
        Send(b"say", events=1, tokens=1),
        Wait(550),
        Send(b"more", events=1, tokens=3),
        Wait(550),
        Send(b"finish", events=1),
        Wait(550),
        Send(b"done", events=1, last=True),
    ]


def test_frames_without_bytes_are_waited_for_but_not_written() -> None:
    """Reasoning that a host hides: its tokens are noted with the next write."""
    hidden = (FRAMES[0], Frame(b"", FrameKind.REASONING, 2), *FRAMES[2:])
    steps = list(stream(START, hidden, SLOW, chance()))
    assert steps[3:6] == [Wait(100), Wait(250), Send(b"say", events=1, tokens=3)]
    (_, at_once) = stream(START, hidden, Pacing(), chance())
    assert at_once == Send(b"rolesaymorefinishdone", events=5, tokens=6, last=True)


def test_only_the_last_write_ends_the_body() -> None:
    for pacing in (Pacing(), SLOW):
        steps = list(stream(START, FRAMES, pacing, chance()))
        last = [step.last for step in steps if isinstance(step, Send)]
        assert last[-1]
        assert not any(last[:-1])


def test_paced_and_instant_streams_send_the_same_bytes_and_count_the_same() -> None:
    def sent(pacing: Pacing) -> tuple[bytes, int, int]:
        sends = [step for step in stream(START, FRAMES, pacing, chance()) if isinstance(step, Send)]
        return (
            b"".join(step.data for step in sends),
            sum(step.events for step in sends),
            sum(step.tokens for step in sends),
        )

    assert sent(Pacing()) == sent(SLOW)


def test_a_body_is_complete_when_its_stream_would_be() -> None:
    steps = list(stream(START, FRAMES, SLOW, chance()))
    last = max(step.until_ms for step in steps if isinstance(step, Wait))
    assert complete_at_ms(FRAMES, SLOW, chance()) == last
    assert complete_at_ms(FRAMES, Pacing(), chance()) == 0
    assert complete_at_ms((), SLOW, chance()) == 0


def test_a_stall_moves_what_follows_and_for_ever_holds() -> None:
    frames = (*FRAMES[:2], stall(1000), *FRAMES[2:])
    steps = list(stream(START, frames, SLOW, chance()))
    assert steps[5:9] == [Wait(100), Wait(1100, quiet=True), Wait(1250), Send(b"say", 1, 1)]
    held = list(stream(START, (*FRAMES[:2], stall(inf), *FRAMES[2:]), SLOW, chance()))
    assert held[-3:] == [Send(b"think", 1, 2), Wait(100), Hold()]


def test_an_instant_stream_writes_what_comes_before_a_stall_or_an_end() -> None:
    frames = (*FRAMES[:2], stall(1000), *FRAMES[2:4], end(Ending.RESET), *FRAMES[4:])
    assert list(stream(START, frames, Pacing(speed=10), chance())) == [
        START,
        Send(b"rolethink", events=2, tokens=2),
        Wait(100, quiet=True),
        Send(b"saymore", events=2, tokens=4),
        Abort(Ending.RESET),
    ]


def test_speed_divides_stalls_but_no_gap_of_writes() -> None:
    frames = (*FRAMES[:2], stall(1000), *FRAMES[2:])
    shape = Shape(writing=Writing(mode="bytes", size=9, gap_ms=2))
    assert list(stream(START, frames, Pacing(speed=10), chance(), shape))[:5] == [
        START, Gap(2), Send(b"rolethink", 2, 2), Wait(100, quiet=True), Wait(100),
    ]  # fmt: skip


def test_silence_behind_all_bytes_comes_before_the_end_of_the_body() -> None:
    steps = list(stream(START, (*FRAMES, stall(30)), Pacing(), chance()))
    assert steps[1:] == [
        Send(b"rolethinksaymorefinishdone", 6, 6), Wait(30, quiet=True), Send(b"", last=True),
    ]  # fmt: skip


def test_headers_leave_even_where_no_frame_has_bytes() -> None:
    assert list(stream(START, (), SLOW, chance())) == [START, Send(b"", last=True)]
    assert list(stream(START, (end(Ending.CLEAN),), Pacing(), chance())) == [
        START,
        Abort(Ending.CLEAN),
    ]
    assert list(stream(START, (stall(5),), Pacing(), chance())) == [
        Wait(5, quiet=True),
        START,
        Send(b"", last=True),
    ]


def test_hidden_tokens_at_the_end_are_counted() -> None:
    frames = (FRAMES[0], Frame(b"", FrameKind.REASONING, 5))
    assert list(stream(START, frames, Pacing(content_tps=1), chance())) == [
        START,
        Send(b"role", events=1),
        Send(b"", tokens=5, last=True),
    ]


def test_a_frame_that_is_sent_twice_ends_the_body_once() -> None:
    frames = (*FRAMES, FRAMES[-1])
    sends = [step for step in stream(START, frames, SLOW, chance()) if isinstance(step, Send)]
    assert [send.last for send in sends] == [False] * 6 + [True]


def test_a_stream_is_cut_after_bytes_and_counts_whole_events_only() -> None:
    shape = Shape(cut=ByteCut(at=11))
    assert list(stream(START, FRAMES, Pacing(), chance(), shape)) == [
        START,
        Send(b"rolethinksa", events=2, tokens=2),
        Abort(Ending.UNTERMINATED),
    ]
    paced = Shape(cut=ByteCut(at=-10, how=Ending.RESET))
    steps = list(stream(START, FRAMES, SLOW, chance(), paced))
    assert steps[-2:] == [Send(b"more", events=1, tokens=3), Abort(Ending.RESET)]


def test_a_cut_counts_from_the_end_that_a_stream_has() -> None:
    frames = (*FRAMES[:2], end(Ending.CLEAN), *FRAMES[2:])
    steps = list(stream(START, frames, Pacing(), chance(), Shape(cut=ByteCut(at=-1))))
    assert steps[1:] == [Send(b"rolethin", events=1, tokens=0), Abort(Ending.UNTERMINATED)]


def test_a_cut_beyond_the_end_leaves_the_whole_body_open() -> None:
    steps = list(stream(START, FRAMES, Pacing(), chance(), Shape(cut=ByteCut(at=1000))))
    assert steps[1:] == [
        Send(b"rolethinksaymorefinishdone", events=6, tokens=6),
        Abort(Ending.UNTERMINATED),
    ]


def test_a_cut_at_nothing_still_sends_headers() -> None:
    for at in (0, -1000):
        steps = list(stream(START, FRAMES, Pacing(), chance(), Shape(cut=ByteCut(at=at))))
        assert steps == [START, Abort(Ending.UNTERMINATED)]


def test_a_delay_shifts_everything() -> None:
    shape = Shape(delay_ms=40)
    assert list(stream(START, FRAMES, Pacing(), chance(), shape))[:2] == [
        Wait(40, quiet=True),
        START,
    ]
    assert list(whole(START, b"{}", at_ms=10, shape=shape))[:2] == [Wait(40, quiet=True), Wait(50)]


def test_bytes_that_lead_a_body_take_the_headers_along_without_a_length() -> None:
    start = Start(200, (("content-length", "2"), ("x", "y")))
    shape = Shape(lead=((5, b"\n"), (5, b"\n")))
    assert list(whole(start, b"{}", at_ms=7, shape=shape)) == [
        Wait(5, quiet=True),
        Start(200, (("x", "y"),)),
        Send(b"\n"),
        Wait(10, quiet=True),
        Send(b"\n"),
        Wait(10, quiet=True),
        Send(b"{}", events=1, last=True),
    ]


def test_a_clean_cut_of_a_body_says_the_length_that_is_left() -> None:
    start = Start(200, (("content-length", "4"),))
    shape = Shape(cut=ByteCut(at=3, how=Ending.CLEAN))
    assert list(whole(start, b"abcd", shape=shape)) == [
        Start(200, (("content-length", "3"),)),
        Send(b"abc"),
        Abort(Ending.CLEAN),
    ]
    opened = Shape(cut=ByteCut(at=-1))
    assert list(whole(start, b"abcd", shape=opened)) == [
        start,
        Send(b"abc"),
        Abort(Ending.UNTERMINATED),
    ]


def test_a_connection_is_silent_writes_and_ends_instead_of_an_answer() -> None:
    assert list(before(Before())) == [Abort(Ending.UNTERMINATED)]
    assert list(before(Before(silence_ms=None))) == [Hold()]
    assert list(before(Before(silence_ms=60, data=b"HT", how=None), delay_ms=40, speed=10)) == [
        Wait(4),
        Wait(10),
        Bare(b"HT"),
        Hold(),
    ]


def test_the_shape_is_read_from_knobs_and_faults() -> None:
    policy = apply_knobs(
        WirePolicy(), {"writes": "one_byte", "keepalive_ms": 100, "newline": "crlf",
                       "keepalive_text": "", "write_gap_ms": 7},
    )  # fmt: skip
    cut = ByteCut(at=1)
    bent = Bend(delay_ms=50, cut=cut, lead=((10, b" "),))
    assert Shape.of(policy, bent, 10) == Shape(
        writing=Writing(mode="bytes", size=1, gap_ms=7, keepalive_ms=10, comment=b":\r\n\r\n"),
        delay_ms=5,
        cut=cut,
        speed=10,
        lead=((1, b" "),),
    )
    assert Shape.of(WirePolicy(), UNBENT) == Shape()
