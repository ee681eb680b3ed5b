from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.delivery.pacing import DISTRIBUTIONS, Pacing, deadlines, parse_pace
from k3mock.errors import SettingsError
from k3mock.seed import Seed
from k3mock.wire.chunks import Frame, FrameKind

ROLE = Frame(b"", FrameKind.ROLE)
END = (Frame(b"", FrameKind.FINISH), Frame(b"", FrameKind.USAGE), Frame(b"", FrameKind.DONE))


def thought(tokens: int = 1) -> Frame:
    return Frame(b"", FrameKind.REASONING, tokens)


def said(tokens: int = 1) -> Frame:
    return Frame(b"", FrameKind.CONTENT, tokens)


def called(tokens: int = 1) -> Frame:
    return Frame(b"", FrameKind.TOOL, tokens)


def due(*frames: Frame, seed: int = 1, **pacing: float | str) -> list[float]:
    chance = Seed(seed).chance(b"pace")
    return list(deadlines(frames, Pacing(**pacing), chance))  # type: ignore[arg-type]  # a table


@pytest.mark.parametrize(
    ("text", "pacing"),
    [
        pytest.param("instant", Pacing(), id="instant"),
        pytest.param(
            "realistic",
            Pacing(ttft_ms=400, reasoning_tps=150, content_tps=80, jitter=0.2),
            id="realistic",
        ),
        pytest.param("50", Pacing(reasoning_tps=50, content_tps=50), id="rate"),
        pytest.param("0.5", Pacing(reasoning_tps=0.5, content_tps=0.5), id="slow-rate"),
        pytest.param("0", Pacing(), id="rate-zero-is-instant"),
        pytest.param("ttft_ms=100", Pacing(ttft_ms=100), id="one-pair"),
        pytest.param(
            " ttft_ms = 100 , content_tps=20,jitter=0.1,distribution=normal ",
            Pacing(ttft_ms=100, content_tps=20, jitter=0.1, distribution="normal"),
            id="pairs",
        ),
        pytest.param("ttft_ms:100,speed:2", Pacing(ttft_ms=100, speed=2), id="colons-in-addresses"),
        pytest.param(
            "thinking_pause_ms=5,reasoning_tps=1e3",
            Pacing(thinking_pause_ms=5, reasoning_tps=1000),
            id="exponent",
        ),
        pytest.param("ttft_ms=1,ttft_ms=2", Pacing(ttft_ms=2), id="last-wins"),
        pytest.param(
            "realistic,speed=10,content_tps=1",
            Pacing(ttft_ms=400, reasoning_tps=150, content_tps=1, jitter=0.2, speed=10),
            id="a-name-that-is-changed",
        ),
        pytest.param("instant,speed:1000", Pacing(speed=1000), id="instant-with-speed"),
    ],
)
def test_paces_are_read_in_every_form(text: str, pacing: Pacing) -> None:
    assert parse_pace(text) == pacing


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("realistc", "did you mean 'realistic'", id="near-name"),
        pytest.param("", "tokens per second", id="empty"),
        pytest.param("fast", "key=value", id="unknown-name"),
        pytest.param("ttft=1", "did you mean 'ttft_ms'", id="near-key"),
        pytest.param("ttft_ms=soon", "takes a number", id="no-number"),
        pytest.param("ttft_ms=", "takes a number", id="no-value"),
        pytest.param("ttft_ms=1,", "unknown pace", id="comma-at-the-end"),
        pytest.param("speed=2,instant", "unknown pace", id="name-not-first"),
        pytest.param("-1", "out of range", id="negative-rate"),
        pytest.param("ttft_ms=-1", "out of range", id="negative-wait"),
        pytest.param("nan", "out of range", id="not-a-number"),
        pytest.param("inf", "out of range", id="infinite"),
        pytest.param("thinking_pause_ms=1e10", "out of range", id="too-long"),
        pytest.param("speed=0", "speed above 0", id="speed-zero"),
        pytest.param("speed=-2", "speed above 0", id="speed-negative"),
        pytest.param("speed=nan", "speed above 0", id="speed-not-a-number"),
        pytest.param("speed=1e7", "out of range", id="speed-too-high"),
        pytest.param("realistic,speed=1e-300", "from 0.001", id="speed-too-low"),
        pytest.param("ttft_ms=1e9,speed=0.5", "when divided by speed", id="longer-by-speed"),
        pytest.param("ttft_ms=2e9,speed=10", "out of range", id="too-long-before-speed"),
        pytest.param("1e-300", "rates of 0, or from 0.001", id="rate-too-low"),
        pytest.param("x" * 100, f"unknown pace '{'x' * 60}'", id="long-words-are-cut"),
        pytest.param("jitter=1.5", "0 to 1", id="jitter-too-wide"),
        pytest.param("jitter=-0.1", "0 to 1", id="jitter-negative"),
        pytest.param("jitter=nan", "0 to 1", id="jitter-not-a-number"),
        pytest.param("distribution=gauss", "known: lognormal, normal, uniform", id="distribution"),
        pytest.param("distribution=normals", "did you mean 'normal'", id="near-distribution"),
    ],
)
def test_a_bad_pace_is_refused_with_what_is_accepted(text: str, says: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_pace(text)
    assert says in str(caught.value)


def test_instant_means_that_nothing_is_waited_for() -> None:
    assert Pacing().instant
    assert Pacing(jitter=1, speed=3).instant
    for field in ("ttft_ms", "reasoning_tps", "content_tps", "thinking_pause_ms"):
        assert not Pacing(**{field: 1.0}).instant  # type: ignore[arg-type]  # by name


def test_nothing_comes_before_the_first_token_is_due() -> None:
    assert due(ROLE, thought(), said(), *END, ttft_ms=400) == [400] * 6


def test_deadlines_sum_up_by_tokens_and_rates() -> None:
    found = due(
        ROLE, thought(), thought(2), said(), said(3), called(4), *END,
        ttft_ms=100, reasoning_tps=10, content_tps=100,
    )  # fmt: skip
    assert found == [100, 100, 300, 310, 340, 380, 380, 380, 380]


def test_the_first_token_is_not_waited_for_twice() -> None:
    assert due(ROLE, said(), said(), ttft_ms=5, content_tps=10) == [5, 5, 105]
    assert due(ROLE, called(5), called(), ttft_ms=5, content_tps=10) == [5, 5, 105]


def test_a_pause_stands_once_between_thinking_and_what_follows() -> None:
    found = due(ROLE, thought(), said(), said(), called(), thinking_pause_ms=50)
    assert found == [0, 0, 50, 50, 50]
    assert due(ROLE, thought(), called(), thinking_pause_ms=50) == [0, 0, 50]


def test_there_is_no_pause_without_thinking() -> None:
    assert due(ROLE, said(), said(), thinking_pause_ms=50) == [0, 0, 0]


def test_speed_divides_all_times() -> None:
    frames = (ROLE, thought(), thought(), said(), said(), *END)
    usual = due(*frames, ttft_ms=100, reasoning_tps=10, content_tps=20, thinking_pause_ms=30)
    fast = due(
        *frames, ttft_ms=100, reasoning_tps=10, content_tps=20, thinking_pause_ms=30, speed=4
    )
    assert fast == [at / 4 for at in usual]


def test_a_rate_of_zero_is_as_fast_as_possible() -> None:
    assert due(ROLE, thought(), thought(9), said(), reasoning_tps=0, ttft_ms=1) == [1] * 4


def test_uniform_jitter_stays_within_its_share() -> None:
    found = due(ROLE, *[said()] * 400, content_tps=100, jitter=0.2)
    gaps = [b - a for a, b in itertools.pairwise(found[1:])]
    assert all(8 <= gap <= 12 for gap in gaps)
    assert max(gaps) > 11.5
    assert min(gaps) < 8.5
    assert sum(gaps) / len(gaps) == pytest.approx(10, rel=0.02)


def test_full_jitter_never_makes_time_run_backwards() -> None:
    for distribution in DISTRIBUTIONS:
        found = due(ROLE, *[said()] * 400, content_tps=100, jitter=1, distribution=distribution)
        assert found == sorted(found)


@pytest.mark.parametrize("distribution", ["normal", "lognormal"])
def test_other_distributions_spread_around_the_rate(distribution: str) -> None:
    found = due(ROLE, *[said()] * 2000, content_tps=100, jitter=0.2, distribution=distribution)
    gaps = [b - a for a, b in itertools.pairwise(found[1:])]
    assert sum(gaps) / len(gaps) == pytest.approx(10, rel=0.05)
    assert len(set(gaps)) > 1000


def test_jitter_depends_on_chance_alone() -> None:
    frames = (ROLE, *[said()] * 10)
    one, same = (due(*frames, content_tps=10, jitter=0.5) for _ in range(2))
    assert one == same
    assert due(*frames, content_tps=10, jitter=0.5, seed=2) != one


def test_a_stall_is_silence_before_what_follows_it() -> None:
    stall = Frame(b"", FrameKind.STALL, stall_ms=500)
    frames = (ROLE, said(), stall, said(), *END)
    assert due(*frames, ttft_ms=100, content_tps=10) == [100, 100, 100, 700, 700, 700, 700]
    assert due(*frames, speed=100) == [0, 0, 0, 5, 5, 5, 5]


@given(
    kinds=st.lists(
        st.tuples(st.sampled_from(list(FrameKind)), st.integers(0, 5)), max_size=30
    ),
    rates=st.tuples(*[st.floats(0, 1000)] * 4),
    jitter=st.floats(0, 1),
    distribution=st.sampled_from(DISTRIBUTIONS),
    speed=st.floats(0.01, 100),
)  # fmt: skip
def test_deadlines_never_decrease(
    kinds: list[tuple[FrameKind, int]],
    rates: tuple[float, float, float, float],
    jitter: float,
    distribution: str,
    speed: float,
) -> None:
    ttft_ms, reasoning_tps, content_tps, pause_ms = rates
    found = due(
        *[Frame(b"", kind, tokens) for kind, tokens in kinds],
        ttft_ms=ttft_ms,
        reasoning_tps=reasoning_tps,
        content_tps=content_tps,
        thinking_pause_ms=pause_ms,
        jitter=jitter,
        distribution=distribution,
        speed=speed,
    )
    assert len(found) == len(kinds)
    assert found == sorted(found)
    assert all(at >= ttft_ms / speed for at in found)
