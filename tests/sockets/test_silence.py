"""Silence, with and without signs of life, as the client's socket sees it."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

import pytest

from k3mock.fault.bend import Before, Bend
from tests.sockets.raw import ask, holds, outcome, put, read, read_all, stall

if TYPE_CHECKING:
    from k3mock.serving import MockServer

COMMENT = b": keep-alive\n\n"


def test_a_stream_that_stalls_for_ever_stays_open_until_the_client_leaves(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["stall"] = Bend(frames=(put(stall(inf), at=3),))
    with ask(any_server, "fault=stall;session=for-ever") as sock:
        seen = read(sock, silent_s=0.2)
        assert seen.end == "open"
        assert seen.all.count(b"data: ") == 3
        assert any_server.app.driver.open_answers == 1
    found = outcome(any_server, "for-ever")
    assert (found.end, found.events) == ("client_disconnect", 3)


def test_a_finite_stall_is_silence_before_what_follows(
    server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["stall"] = Bend(frames=(put(stall(200), at=3),))
    seen = read_all(server, "fault=stall;session=stalls")
    assert seen.all.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
    assert seen.bodies[0].count(b"data: ") == 3
    assert seen.times[-1] - seen.times[0] > 0.1
    assert outcome(server, "stalls").end == "complete"


def test_speed_makes_minutes_of_silence_short(server: MockServer, faults: dict[str, Bend]) -> None:
    """200 seconds, with a comment every 15."""
    faults["stall"] = Bend(frames=(put(stall(200_000), at=3),))
    started = time.monotonic()
    options = "fault=stall;session=speedy;pace=instant,speed:1000;wire.keepalive_ms=15000"
    seen = read_all(server, options)
    assert 0.19 < time.monotonic() - started < 5
    assert seen.body.count(COMMENT) == 13
    assert b"[DONE]" in seen.all


def test_comments_are_sent_before_the_first_token_and_take_the_headers_along(
    any_server: MockServer,
) -> None:
    options = "session=alive;pace=ttft_ms:300;wire.keepalive_ms=50"
    seen = read_all(any_server, options, max_tokens=4)
    body = seen.body
    assert body.startswith(COMMENT * 5)
    assert body.count(COMMENT) == 5
    assert seen.times[0] < seen.times[-1] - 0.15
    assert b"[DONE]" in body


def test_comments_go_on_for_as_long_as_a_stall(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["stall"] = Bend(frames=(put(stall(inf), at=3),))
    options = "fault=stall;session=lingers;wire.keepalive_ms=20;wire.keepalive_text=%20alive"
    with ask(any_server, options) as sock:
        seen = read(sock, until=holds(b": alive\n\n", 4))
        assert seen.end == "open"
    assert seen.body.endswith(b": alive\n\n" * 4)
    assert outcome(any_server, "lingers").end == "client_disconnect"


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 200 OK\r\ncontent-"])
def test_silence_before_headers_lasts_until_the_client_leaves(
    any_server: MockServer, faults: dict[str, Bend], data: bytes
) -> None:
    silence = None if not data else 0.0
    faults["silence"] = Bend(before=Before(silence_ms=silence, data=data, how=None))
    session = f"silence-{len(data)}"
    with ask(any_server, f"fault=silence;session={session}") as sock:
        seen = read(sock, silent_s=0.15)
        assert (seen.end, seen.all) == ("open", data)
    assert outcome(any_server, session).end == "client_disconnect"


def test_a_delay_comes_before_the_status_line(server: MockServer, faults: dict[str, Bend]) -> None:
    faults["slow"] = Bend(delay_ms=100_000)
    started = time.monotonic()
    seen = read_all(server, "fault=slow;session=delayed;pace=speed:1000", max_tokens=4)
    assert time.monotonic() - started > 0.09
    assert seen.head.startswith(b"HTTP/1.1 200 OK")
    assert outcome(server, "delayed").end == "complete"


def test_blank_lines_lead_a_whole_body(any_server: MockServer, faults: dict[str, Bend]) -> None:
    faults["blank"] = Bend(lead=((30, b"\n"), (30, b"\n"), (30, b"\n")))
    seen = read_all(any_server, "fault=blank;session=blank", stream=False, max_tokens=4)
    assert b"content-length" not in seen.head.lower()
    assert seen.body.startswith(b'\n\n\n{"id":"chatcmpl-')
    assert len(seen.bodies) >= 3
    assert seen.times[-1] - seen.times[0] > 0.05
