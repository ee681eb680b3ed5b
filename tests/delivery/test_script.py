from __future__ import annotations

from k3mock.delivery.pacing import Pacing
from k3mock.delivery.script import complete_at_ms, stream, whole
from k3mock.delivery.step import Send, Start, Wait
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
