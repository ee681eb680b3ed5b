"""Where writes end, as the client's reads see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sockets.raw import Seen, outcome, read_all

if TYPE_CHECKING:
    from k3mock.serving import MockServer

SEEDED = "seed=3;wire.write_gap_ms=4"


def written(server: MockServer, writes: str, **fields: object) -> list[bytes]:
    """Return what each read got of the same Chinese stream."""
    session = f"writes-{writes}-{server.address}".replace(":", "-").replace("/", "")
    options = f"{SEEDED};session={session};wire.writes={writes}"
    seen = read_all(server, options, "请用中文介绍猫", **{"max_tokens": 12, **fields})
    return seen.bodies


def ends_in_a_character(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def test_modes_change_writes_and_no_byte(any_server: MockServer) -> None:
    whole = written(any_server, "coalesced")
    assert len(whole) == 1
    events = whole[0].count(b"\n\n")
    assert events > 8
    for writes in ("auto", "event", "split_utf8", "split_line", "bytes:100"):
        assert b"".join(written(any_server, writes)) == whole[0]
    # Writes of 100 bytes, over the borders of events; a slow reader may get two at once.
    hundreds = written(any_server, "bytes:100")
    assert len(hundreds) > len(whole[0]) / 100 / 2
    assert sum(len(body) == 100 for body in hundreds) > len(hundreds) / 2
    assert all(len(body) % 100 == 0 for body in hundreds[:-1])


def test_reads_end_inside_characters(any_server: MockServer) -> None:
    bodies = written(any_server, "split_utf8")
    text = b"".join(bodies).decode()
    characters = sum(len(letter.encode()) > 1 for letter in text)
    assert characters > 10
    assert len(bodies) > (characters + text.count("\n\n")) / 2
    borders = [ends_in_a_character(b"".join(bodies[:at])) for at in range(1, len(bodies))]
    assert sum(borders) > characters / 2


def test_reads_end_inside_lines(any_server: MockServer) -> None:
    bodies = written(any_server, "split_line")
    events = b"".join(bodies).count(b"\n\n")
    assert len(bodies) > events * 3 / 2
    assert sum(body.endswith(b"da") for body in bodies) > events / 2
    assert sum(not body.endswith(b"\n") for body in bodies) > events


def test_a_byte_at_a_time(server: MockServer) -> None:
    bodies = written(server, "one_byte", max_tokens=1, stream=True)
    assert len(bodies) > sum(map(len, bodies)) / 2
    assert sum(len(body) == 1 for body in bodies) > len(bodies) / 2


@pytest.mark.parametrize(
    ("writes", "most"),
    [("bytes:200", 200), ("split_line", 100_000), ("split_utf8", 100_000), ("one_byte", 1)],
)
def test_whole_bodies_are_cut_into_writes_too(server: MockServer, writes: str, most: int) -> None:
    session = f"whole-{writes}".replace(":", "-")
    gap_ms = 3 if most == 1 else 20
    options = f"seed=3;session={session};wire.writes={writes};wire.write_gap_ms={gap_ms}"
    seen = read_all(server, options, "请用中文介绍猫", stream=False, max_tokens=12)
    assert len(seen.bodies) > 1
    assert sum(len(body) <= most for body in seen.bodies) > len(seen.bodies) / 2
    found = outcome(server, session)
    assert (found.end, found.events, found.bytes) == ("complete", 1, len(seen.body))


def test_events_due_at_the_same_moment_are_joined_at_a_pace(server: MockServer) -> None:
    """Role and first token, and last token and end, are due together."""
    options = f"{SEEDED};session=joined;pace=ttft_ms:50,reasoning_tps:20;wire.writes=coalesced"
    bodies = read_all(server, options, max_tokens=12).bodies
    assert bodies[0].count(b"data: ") == 2
    assert bodies[-1].count(b"data: ") == 3
    assert b"".join(bodies).endswith(b"[DONE]\n\n")


def test_an_instant_stream_may_be_a_write_for_each_event(server: MockServer) -> None:
    """Without gaps the kernel joins what it likes; nothing of it counts as late."""
    read_all(server, "session=each;wire.writes=event")
    found = outcome(server, "each")
    assert found.events > 8
    assert found.lateness_ms == 0


def test_the_reader_of_this_test_sees_reads_apart() -> None:
    seen = Seen(
        [
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
            b"2\r\nd",
            b"e\r\n0\r\n\r\n",
        ]
    )
    assert seen.bodies == [b"abc", b"d", b"e"]
