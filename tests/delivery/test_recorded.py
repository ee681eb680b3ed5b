"""Recorded answers keep their writes, their times and their ends."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.cassette.interaction import End, RecordedResponse, Timing
from k3mock.delivery.pacing import parse_pace
from k3mock.delivery.recorded import SILENCE_MS, kept_headers, steps
from k3mock.delivery.script import USUAL, Shape
from k3mock.delivery.step import Abort, Send, Start, Wait
from k3mock.delivery.writing import Writing
from k3mock.fault.bend import ByteCut, TimeCut
from k3mock.protocol.reply import Ending
from tests.cassette.tapes import STREAM, recorded

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Interaction
    from k3mock.delivery.step import Step

START = Start(200, ())
EVENTS = b'data: {"a": 1}\n\n' + b'data: {"b": 2}\n\n' + b"data: [DONE]\n\n"
LINE = len(b'data: {"a": 1}\n\n')
DONE = len(b"data: [DONE]\n\n")


def played(interaction: Interaction, pace: str = "recorded", shape: Shape = USUAL) -> list[Step]:
    return list(steps(START, interaction, parse_pace(pace), random.Random(1), shape))


def writes(made: list[Step]) -> list[bytes]:
    return [step.data for step in made if isinstance(step, Send) and step.data]


def times(made: list[Step]) -> list[float]:
    return [step.until_ms for step in made if isinstance(step, Wait)]


def stream(**fields: Any) -> Interaction:
    given = {"headers": STREAM, "head_us": 100_000,
             "chunks": ((150_000, LINE), (50_000, LINE), (1_000_000, DONE))}  # fmt: skip
    return recorded(answer=EVENTS, **{**given, **fields})


def test_headers_and_writes_come_at_their_recorded_times() -> None:
    assert played(stream()) == [
        Wait(100), START,
        Wait(150), Send(EVENTS[:LINE], 1),
        Wait(200), Send(EVENTS[LINE : 2 * LINE], 1),
        Wait(1200), Send(EVENTS[2 * LINE :], 1, last=True),
    ]  # fmt: skip


def test_a_speed_divides_all_times_and_a_cap_shortens_long_gaps() -> None:
    assert times(played(stream(), "recorded,speed=10")) == [10, 15, 20, 120]
    assert times(played(stream(), "recorded,max_gap_ms=60")) == [60, 110, 160, 220]
    assert times(played(stream(), "recorded,speed=0.5,max_gap_ms=1000")) == [200, 300, 400, 1400]


@pytest.mark.parametrize("pace", ["realistic", "120", "ttft_ms=5000"])
def test_at_any_pace_but_instant_a_recording_keeps_its_own_times(pace: str) -> None:
    assert times(played(stream(), pace)) == [100, 150, 200, 1200]


def test_without_pace_everything_is_one_write() -> None:
    assert played(stream(), "instant") == [START, Send(EVENTS, 3, last=True)]


def test_a_knob_keeps_the_writes_without_pace_or_joins_them_with_it() -> None:
    apart = Shape(writing=Writing(mode="event"))
    assert writes(played(stream(), "instant", apart)) == [
        EVENTS[:LINE], EVENTS[LINE : 2 * LINE], EVENTS[2 * LINE :],
    ]  # fmt: skip
    assert times(played(stream(), "instant", apart)) == []
    bytewise = Shape(writing=Writing(mode="bytes", size=10))
    assert {len(write) for write in writes(played(stream(), "instant", bytewise))} == {10, 6}


def test_writes_at_the_same_moment_stay_apart_when_paced() -> None:
    same = stream(chunks=((100_000, 3), (0, 4), (0, len(EVENTS) - 7)))
    assert [len(write) for write in writes(played(same))] == [3, 4, len(EVENTS) - 7]


def test_an_event_counts_where_it_ends() -> None:
    split = stream(chunks=((0, LINE - 1), (0, 2), (0, len(EVENTS) - LINE - 1)))
    assert [step.events for step in played(split) if isinstance(step, Send)] == [0, 1, 2]
    crlf = recorded(answer=b"data: a\r\n\r\n", headers=STREAM, chunks=((1, 9), (1, 2)))
    assert [step.events for step in played(crlf) if isinstance(step, Send)] == [0, 1]


def test_the_tokens_that_an_answer_names_are_counted_with_its_end() -> None:
    body = b'{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 12}}'
    made = played(recorded(answer=body), "instant")
    assert made == [START, Send(body, 1, 12, last=True)]


@pytest.mark.parametrize(
    "chunks", [((1, LINE),), ((1, 9999),), ()], ids=["edited-longer", "edited-shorter", "none"]
)
def test_times_that_do_not_fit_the_body_are_not_used(chunks: tuple[tuple[int, int], ...]) -> None:
    made = played(stream(chunks=chunks), "ttft_ms=10,content_tps=100")
    assert writes(made) == [EVENTS[:LINE], EVENTS[LINE : 2 * LINE], EVENTS[2 * LINE :]]
    assert times(made) == [10, 20]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_a_foreign_stream_is_cut_after_each_blank_line(newline: bytes) -> None:
    body = EVENTS.replace(b"\n", newline)
    made = played(recorded(answer=body, headers=STREAM))
    assert len(writes(made)) == 3
    assert b"".join(writes(made)) == body
    at_once = played(recorded(answer=body, headers=STREAM), "instant")
    assert writes(at_once) == [body]


def test_a_foreign_stream_thinks_at_the_rate_of_thinking() -> None:
    body = b'data: {"reasoning_content": "x"}\n\n' * 3 + b'data: {"content": "x"}\n\n' * 2
    made = played(recorded(answer=body, headers=STREAM), "reasoning_tps=1000,content_tps=100")
    assert times(made) == [1, 2, 12, 22]


def test_a_foreign_answer_that_is_no_stream_is_one_write() -> None:
    made = played(recorded(answer="{}\n\n{}"), "ttft_ms=10,content_tps=100")
    assert made == [Wait(10), START, Send(b"{}\n\n{}", 1, last=True)]


def test_an_empty_body_still_ends() -> None:
    assert played(recorded(answer="", status=204)) == [START, Send(b"", last=True)]
    empty = recorded(answer="", head_us=5000, seq=1)
    assert played(empty) == [Wait(5), START, Send(b"", last=True)]


@pytest.mark.parametrize("end", [End.UPSTREAM_ERROR, End.CLIENT_DISCONNECT, End.TOO_LARGE])
@pytest.mark.parametrize("pace", ["recorded", "instant"])
def test_what_ended_badly_ends_without_a_proper_end(end: End, pace: str) -> None:
    made = played(stream(end=end), pace)
    assert b"".join(writes(made)) == EVENTS
    assert made[-1] == Abort(Ending.UNTERMINATED)
    assert not any(isinstance(step, Send) and step.last for step in made)


def test_the_time_of_a_bad_end_is_kept_as_a_write_of_nothing() -> None:
    chunks = ((150_000, len(EVENTS)), (250_000, 0))
    made = played(stream(chunks=chunks, end=End.UPSTREAM_ERROR))
    assert made[-2:] == [Wait(400, quiet=True), Abort(Ending.UNTERMINATED)]


def test_a_time_out_is_silence_and_then_the_end() -> None:
    made = played(stream(end=End.TIMEOUT), "recorded,speed=10")
    assert made[-2:] == [
        Wait(120 + SILENCE_MS / 10, quiet=True), Abort(Ending.UNTERMINATED),
    ]  # fmt: skip
    known = stream(end=End.TIMEOUT, chunks=((100_000, len(EVENTS)), (600_000_000, 0)))
    assert played(known, "recorded,max_gap_ms=50")[-2] == Wait(100, quiet=True)
    assert played(stream(end=End.TIMEOUT), "instant")[-1] == Abort(Ending.UNTERMINATED)
    assert not times(played(stream(end=End.TIMEOUT), "instant"))


def test_a_time_out_without_times_is_silent_too() -> None:
    made = played(recorded(answer=EVENTS, headers=STREAM, end=End.TIMEOUT, chunks=((1, 1),)))
    assert made[-1] == Abort(Ending.UNTERMINATED)
    silent, = [step for step in made if isinstance(step, Wait) and step.quiet]  # fmt: skip
    assert silent.until_ms >= SILENCE_MS
    nothing = played(recorded(answer="", end=End.TIMEOUT), "recorded,speed=1000")
    assert nothing == [START, Wait(SILENCE_MS / 1000, quiet=True), Abort(Ending.UNTERMINATED)]


def test_cuts_and_delays_act_on_recorded_bytes() -> None:
    cut = Shape(cut=ByteCut(at=LINE + 3, how=Ending.RESET))
    made = played(stream(), "recorded", cut)
    assert writes(made) == [EVENTS[:LINE], EVENTS[LINE : LINE + 3]]
    assert made[-1] == Abort(Ending.RESET)
    late = played(stream(), "recorded", Shape(delay_ms=1000))
    assert times(late) == [1000, 1100, 1150, 1200, 2200]
    stopped = played(stream(), "recorded", Shape(cut_ms=TimeCut(at_ms=160)))
    assert stopped[-2:] == [Wait(160), Abort(Ending.UNTERMINATED)]


def test_life_signs_fill_recorded_silence() -> None:
    shape = Shape(writing=Writing(keepalive_ms=400))
    made = played(stream(), "recorded", shape)
    assert writes(made).count(b": keep-alive\n\n") == 2


def test_headers_of_the_connection_and_the_machine_are_dropped() -> None:
    response = RecordedResponse(
        status=200,
        body=b"{}",
        headers=(
            ("content-type", "application/json"), ("connection", "close, X-Hop"), ("x-hop", "1"),
            ("transfer-encoding", "chunked"), ("date", "then"), ("server", "nginx"),
            ("set-cookie", "a=b"), ("retry-after", "3"), ("x-ratelimit-limit", "1"),
            ("x-ratelimit-limit", "2"), ("x-k3mock-source", "generator"), ("x-bad", "a\r\nb: c"),
        ),
    )  # fmt: skip
    assert kept_headers(response, whole=True) == (
        ("content-type", "application/json"), ("retry-after", "3"),
        ("x-ratelimit-limit", "1"), ("x-ratelimit-limit", "2"), ("x-bad", "ab: c"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sized", "whole", "status", "length"),
    [(True, True, 200, "3"), (False, True, 200, None), (True, False, 200, None),
     (True, True, 204, None), (True, True, 304, None)],
)  # fmt: skip
def test_a_length_is_sent_where_it_was_and_is_true(
    sized: bool, whole: bool, status: int, length: str | None
) -> None:
    headers = (("content-length", "999"),) if sized else ()
    response = RecordedResponse(status=status, headers=headers, body=b"abc")
    assert dict(kept_headers(response, whole=whole)).get("content-length") == length


@pytest.mark.parametrize(
    ("promised", "whole", "length"),
    [(3, True, "3"), (9, True, "3"), (None, True, None), (9, False, "9"), (3, False, None),
     (None, False, None)],
)  # fmt: skip
def test_a_promised_length_is_promised_again(
    promised: int | None, whole: bool, length: str | None
) -> None:
    response = RecordedResponse(status=200, body=b"abc")
    headers = kept_headers(response, whole=whole, timing=Timing(length=promised))
    assert dict(headers).get("content-length") == length


@given(
    st.lists(st.tuples(st.integers(-5, 10**7), st.integers(0, 40)), max_size=12),
    st.sampled_from(["recorded", "instant", "recorded,speed=3", "recorded,max_gap_ms=9"]),
    st.sampled_from(list(End)),
    st.integers(0, 10**6),
)
def test_the_body_arrives_byte_by_byte_and_time_never_runs_back(
    chunks: list[tuple[int, int]], pace: str, end: End, head_us: int
) -> None:
    body = bytes(index % 251 for index in range(sum(size for _, size in chunks)))
    interaction = recorded(answer=body, chunks=tuple(chunks), end=end, head_us=head_us, seq=1)
    made = played(interaction, pace)
    assert b"".join(writes(made)) == body
    assert sum(isinstance(step, Start) for step in made) == 1
    assert all(one <= other for one, other in pairwise(times(made)))
    if pace != "instant":
        assert [len(write) for write in writes(made)] == [size for _, size in chunks if size]
    last = made[-1]
    assert (isinstance(last, Send) and last.last) is (end is End.COMPLETE)
