"""How answers end before their time, as the client's socket sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.fault.bend import Before, Bend, ByteCut
from k3mock.protocol.failure import mock_error
from k3mock.protocol.reply import Ending
from tests.sockets.raw import (
    ask,
    asking,
    connect,
    end,
    holds,
    is_whole,
    outcome,
    put,
    read,
    read_all,
)

if TYPE_CHECKING:
    from k3mock.serving import MockServer

FINAL_CHUNK = b"\r\n0\r\n\r\n"


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> object:
    """Nothing that a fault does to a connection is news for the log."""
    yield
    assert caplog.records == []


def test_a_clean_end_closes_the_body_without_done(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["cut"] = Bend(frames=(put(end(Ending.CLEAN), at=3),))
    seen = read_all(any_server, "fault=cut;session=clean")
    assert seen.all.endswith(b"}\n\n" + FINAL_CHUNK)
    assert b"[DONE]" not in seen.all
    assert seen.body.count(b"data: ") == 3
    found = outcome(any_server, "clean")
    assert (found.end, found.events) == ("fault", 3)


@pytest.mark.parametrize(("how", "closed"), [("unterminated", "fin"), ("reset", "rst")])
@pytest.mark.parametrize("pace", ["instant", "2000"])
def test_a_body_is_left_open_after_what_was_sent_before(
    any_server: MockServer, faults: dict[str, Bend], how: str, closed: str, pace: str
) -> None:
    faults["cut"] = Bend(frames=(put(end(Ending(how)), at=3),))
    session = f"open-{how}-{pace}"
    with ask(any_server, f"fault=cut;session={session};pace={pace}") as sock:
        seen = read(sock)
    assert seen.end == closed
    assert seen.head.startswith(b"HTTP/1.1 200 OK")
    assert seen.all.endswith(b"}\n\n\r\n")
    assert seen.all.count(b"data: ") == 3
    assert outcome(any_server, session).end == "fault"


@pytest.mark.parametrize(("how", "closed"), [("unterminated", "fin"), ("reset", "rst")])
def test_a_large_answer_arrives_before_its_connection_breaks(
    any_server: MockServer, faults: dict[str, Bend], how: str, closed: str
) -> None:
    size = 3_000_000
    faults["cut"] = Bend(
        body=(lambda _body, _chance: b"x" * size,), cut=ByteCut(at=size - 1, how=Ending(how))
    )
    with ask(any_server, f"fault=cut;session=large-{how}", stream=False) as sock:
        seen = read(sock)
    assert seen.end == closed
    if how == "unterminated":
        assert seen.all.count(b"x" * 1000) > size / 1000 * 0.99
    assert outcome(any_server, f"large-{how}").end == "fault"


@pytest.mark.parametrize(
    ("before", "closed", "data"),
    [
        pytest.param(Before(), "fin", b"", id="close"),
        pytest.param(Before(how=Ending.RESET), "rst", b"", id="reset"),
        pytest.param(Before(silence_ms=20), "fin", b"", id="silence-then-close"),
        pytest.param(Before(data=b"HTTP/1.1 20"), "fin", b"HTTP/1.1 20", id="half-a-status-line"),
        pytest.param(
            Before(data=b"HTTP/1.1 200 OK\r\ncontent-ty", how=Ending.RESET), "rst",
            b"HTTP/1.1 200 OK\r\ncontent-ty", id="half-the-headers",
        ),
        pytest.param(Before(data=b"\x16\x03\x01 what\r\n\r\n"), "fin",
                     b"\x16\x03\x01 what\r\n\r\n", id="no-http"),
    ],
)  # fmt: skip
def test_a_connection_ends_instead_of_an_answer(
    any_server: MockServer,
    faults: dict[str, Bend],
    before: Before,
    closed: str,
    data: bytes,
    request: pytest.FixtureRequest,
) -> None:
    faults["gone"] = Bend(before=before)
    session = str(request.node.callspec.id)
    with ask(any_server, f"fault=gone;session={session}") as sock:
        seen = read(sock)
    assert (seen.end, seen.all) == (closed, data)
    assert outcome(any_server, session).end == "fault"
    [entry] = any_server.app.journal.entries(session)
    assert (entry.status, entry.source) == (None, "fault:gone")


@pytest.mark.parametrize(("at", "left"), [(10, 10), (-1, None), (0, 0)])
@pytest.mark.parametrize("stream", [True, False])
def test_a_body_ends_after_some_of_its_bytes(
    server: MockServer, faults: dict[str, Bend], at: int, left: int | None, stream: bool
) -> None:
    faults["cut"] = Bend(cut=ByteCut(at=at))
    options = f"seed=4;session=bytes-{at}-{stream}"
    # A session of its own each, as the second answer of one would show cached tokens.
    whole = read_all(server, f"{options}-whole", max_tokens=3) if stream else None
    with ask(server, f"fault=cut;{options}", stream=stream, max_tokens=3) as sock:
        seen = read(sock)
    body = seen.body
    assert seen.end == "fin"
    if left is not None:
        assert len(body) == left
    elif whole is not None:
        assert body.endswith(b"data: [DONE]\n")
        # The second request is cached, which usage says.
        first = whole.body.partition(b'"usage"')[0]
        assert body.partition(b'"usage"')[0].count(b"data: ") == first.count(b"data: ")
    else:
        promised = int(seen.head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        assert len(body) == promised - 1


def test_a_clean_cut_of_a_whole_body_says_the_length_of_what_is_left(
    server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["cut"] = Bend(cut=ByteCut(at=20, how=Ending.CLEAN))
    with ask(server, "fault=cut;session=short", stream=False) as sock:
        sock.sendall(asking("session=after", stream=False))
        seen = read(sock, until=holds(b"HTTP/1.1 200 OK\r\n", 2))
    head, _, rest = seen.all.partition(b"\r\n\r\n")
    assert b"content-length: 20\r\n" in head.lower()
    assert rest[20:].startswith(b"HTTP/1.1 200 OK")
    assert outcome(server, "short").end == "fault"


def test_a_cut_closes_its_own_connection_only(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["cut"] = Bend(frames=(put(end(Ending.RESET), at=2),))
    with ask(any_server, "pace=400;session=beside", max_tokens=60) as other:
        read(other, until=holds(b"data: "))
        with ask(any_server, "fault=cut;session=own") as sock:
            assert read(sock).end == "rst"
        seen = read(other, until=holds(FINAL_CHUNK))
    assert b"[DONE]" in seen.all
    assert outcome(any_server, "beside").end == "complete"


def test_a_connection_serves_further_requests_after_usual_answers(any_server: MockServer) -> None:
    with connect(any_server) as sock:
        for number in range(3):
            sock.sendall(asking(f"session=again-{number}"))
            assert read(sock, until=is_whole).all.startswith(b"HTTP/1.1 200 OK")
        sock.sendall(b"".join(asking(f"session=piped-{number}") for number in range(3)))
        seen = read(sock, until=holds(FINAL_CHUNK, 3))
    assert seen.all.count(b"HTTP/1.1 200 OK\r\n") == 3
    assert seen.all.count(FINAL_CHUNK) == 3


def test_a_cut_leaves_what_was_asked_behind_it_without_answer(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["cut"] = Bend(frames=(put(end(Ending.UNTERMINATED), at=2),))
    with connect(any_server) as sock:
        sock.sendall(asking("fault=cut;session=first") + asking("session=second"))
        seen = read(sock)
    # What was sent and not read may make the system reset the connection.
    assert seen.end in {"fin", "rst"}
    assert seen.all.count(b"HTTP/1.1 200 OK\r\n") == 1
    assert any_server.app.journal.entries("second") == []
    assert outcome(any_server, "first").end == "fault"


def test_a_client_that_leaves_is_noticed_although_it_had_asked_for_more(
    any_server: MockServer,
) -> None:
    with connect(any_server) as sock:
        sock.sendall(asking("session=left;pace=5") + asking("session=queued"))
        read(sock, until=holds(b"data: "))
    assert outcome(any_server, "left").end == "client_disconnect"


def test_a_body_is_refused_while_the_client_still_sends_it(
    any_server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["large"] = Bend(early=True, instead=mock_error("too large", status=413))
    head = (
        b"POST /with/fault=large;session=early/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        b"Authorization: Bearer k\r\nContent-Length: 50000000\r\n\r\n"
    )
    with connect(any_server) as sock:
        sock.sendall(head + b'{"model":"' + b"x" * 40_000)
        seen = read(sock)
        assert seen.end in {"fin", "rst"}
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            sock.sendall(b"x" * 49_000_000)
    assert seen.head.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nconnection: close" in seen.head.lower()
    assert seen.all.endswith(b'"type":"k3mock_error"}}')
    assert outcome(any_server, "early").end == "fault"


def test_an_old_client_sees_a_cut_by_the_length_that_is_not_reached(
    server: MockServer, faults: dict[str, Bend]
) -> None:
    faults["cut"] = Bend(cut=ByteCut(at=50))
    options = "fault=cut;session=old;wire.length_below_bytes=0"
    sent = asking(options, stream=False).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    with connect(server) as sock:
        sock.sendall(sent)
        seen = read(sock)
    head, _, body = seen.all.partition(b"\r\n\r\n")
    assert b"content-length: %d" % (len(body) + 1) in head
    assert len(body) == 50
