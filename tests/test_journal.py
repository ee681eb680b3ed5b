from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from k3mock.journal import (
    MAX_BODY_BYTES,
    Journal,
    JournalEntry,
    Outcome,
    kept_body,
    without_secrets,
)
from k3mock.protocol.failure import ApiError
from k3mock.redact import REDACTED, Kept
from tests.support import call, request

if TYPE_CHECKING:
    from k3mock.serving import MockServer


def entry(number: int = 0, *, session: str = "t", size: int = 10) -> JournalEntry:
    return JournalEntry(
        id=f"req_{number}",
        session=session,
        profile="moonshot",
        method="POST",
        path="/v1/chat/completions",
        headers={"host": "x"},
        kept=Kept(b"x" * size),
    )


TWO = 2 * entry().size
"""What two entries hold."""


def filled(count: int, **limits: int) -> Journal:
    journal = Journal(**limits)
    for number in range(count):
        journal.add(entry(number, session="even" if number % 2 == 0 else "odd"))
    return journal


def ids(entries: list[JournalEntry]) -> list[int]:
    return [int(found.id.removeprefix("req_")) for found in entries]


def test_entries_are_kept_in_order_and_found_by_session() -> None:
    journal = filled(5)
    assert ids(journal.entries()) == [0, 1, 2, 3, 4]
    assert ids(journal.entries("odd")) == [1, 3]
    assert journal.entries("nobody") == []


def test_the_oldest_entries_go_when_there_are_too_many() -> None:
    assert ids(filled(5, max_entries=3).entries()) == [2, 3, 4]


def test_the_oldest_entries_go_when_their_bodies_are_too_large() -> None:
    assert ids(filled(5, max_bytes=TWO).entries()) == [3, 4]


def test_the_newest_entry_stays_however_large_it_is() -> None:
    journal = filled(2, max_bytes=TWO)
    journal.add(entry(9, size=1000))
    assert ids(journal.entries()) == [9]
    journal.add(entry(10))
    assert ids(journal.entries()) == [10]


def test_bytes_are_counted_anew_after_clearing() -> None:
    journal = filled(2, max_bytes=TWO)
    journal.clear("even")
    journal.add(entry(7, session="even"))
    assert ids(journal.entries()) == [1, 7]
    journal.clear()
    assert journal.entries() == []
    journal.add(entry(8))
    journal.add(entry(9))
    assert ids(journal.entries()) == [8, 9]


def test_pages_go_on_where_the_last_one_ended() -> None:
    journal = filled(5)
    first, cursor = journal.page(limit=2, keep=lambda _: True)
    assert (ids(first), cursor) == ([0, 1], 1)
    second, cursor = journal.page(after=1, limit=2, keep=lambda _: True)
    assert (ids(second), cursor) == ([2, 3], 3)
    third, cursor = journal.page(after=3, limit=2, keep=lambda _: True)
    assert (ids(third), cursor) == ([4], None)


def test_a_page_that_just_fits_has_no_next() -> None:
    found, cursor = filled(2).page(limit=2, keep=lambda _: True)
    assert (ids(found), cursor) == ([0, 1], None)


def test_pages_are_filtered_before_they_are_counted() -> None:
    journal = filled(6)
    odd, cursor = journal.page(limit=2, keep=lambda found: found.session == "odd")
    assert (ids(odd), cursor) == ([1, 3], 3)
    assert ids(journal.page(after=3, keep=lambda found: found.session == "odd")[0]) == [5]


def test_cursors_survive_entries_that_were_dropped() -> None:
    journal = filled(5, max_entries=3)
    found, _ = journal.page(after=2, keep=lambda _: True)
    assert ids(found) == [3, 4]


def test_the_newest_entry_of_an_id_is_found() -> None:
    journal = filled(2)
    again = entry(0, session="again")
    journal.add(again)
    assert journal.find("req_0") is again
    assert journal.find("req_7") is None


def test_the_first_word_on_how_an_answer_ended_counts() -> None:
    journal = Journal()
    heard: list[str] = []
    journal.listen(lambda found: heard.append(found.id))
    noted = entry(3)
    journal.add(noted)
    journal.end(noted, "client_disconnect", 12.5)
    journal.end(noted, "complete", 99.0)
    assert (noted.outcome.end, noted.outcome.duration_ms) == ("client_disconnect", 12.5)
    assert heard == ["req_3"]


def test_an_entry_is_shown_with_everything_that_is_known() -> None:
    noted = entry(1)
    noted.kept = Kept(b'{"model":"kimi-k3"}')
    noted.warnings.append(ApiError(status=400, message="m", type="t", rule="r", path="p"))
    noted.arrived, noted.arrived_ms, noted.fingerprint = 1.5, 2.125, "f"
    noted.refusal, noted.retry_after_s = "busy", 3.0
    noted.outcome = Outcome(end="complete", events=2, tokens=3, bytes=4, ttft_ms=0.12345,
                            duration_ms=1.23456, lateness_ms=0.00049)  # fmt: skip
    assert noted.as_json() == {
        "id": "req_1",
        "session": "t",
        "profile": "moonshot",
        "method": "POST",
        "path": "/v1/chat/completions",
        "source": None,
        "status": None,
        "received": {"headers": {"host": "x"}, "body": {"model": "kimi-k3"}},
        "forwarded": None,
        "effective": None,
        "warnings": [{"rule": "r", "message": "m", "path": "p"}],
        "outcome": {
            "end": "complete",
            "events": 2,
            "tokens": 3,
            "bytes": 4,
            "ttft_ms": 0.123,
            "duration_ms": 1.235,
            "lateness_ms": 0.0,
        },
        "arrived": 1.5,
        "arrived_ms": 2.125,
        "fingerprint": "f",
        "answer": None,
        "refusal": "busy",
        "retry_after_s": 3.0,
    }


def test_an_answer_that_runs_has_no_end_and_no_times() -> None:
    shown = Outcome().as_json()
    assert (shown["end"], shown["ttft_ms"], shown["duration_ms"]) == (None, None, None)


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "api-key",
        "x-auth-token",
        "x-client-secret",
        "x-amz-signature",
        "password",
        "x-credential",
    ],
)
def test_headers_that_speak_of_a_secret_are_hidden(name: str) -> None:
    assert without_secrets({name: "planted", "host": "x"}) == {name: REDACTED, "host": "x"}


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        pytest.param(b'{"k": "sk-abcdefgh1234"}', b'{"k": "[redacted]"}', id="key-by-look"),
        pytest.param(b'{"api_key": "plain"}', b'{"api_key": "[redacted]"}', id="key-by-name"),
        pytest.param(b"Bearer abcd1234 x", b"Bearer [redacted] x", id="bearer"),
        pytest.param(b"eyJhbGciOiJI.eyJzdWIiOiJw.c2ln", b"[redacted]", id="token"),
        pytest.param(b"my own-key-9 here", b"my [redacted] here", id="known"),
        pytest.param(b"a task-oriented ask", b"a task-oriented ask", id="words-stay"),
    ],
)
def test_what_looks_like_a_key_is_hidden_and_the_rest_stays(body: bytes, kept: bytes) -> None:
    assert kept_body(body, "own-key-9", "").shown() == kept


def test_a_large_body_is_kept_by_its_first_part_and_its_size() -> None:
    noted = entry(1)
    noted.kept, noted.body_bytes = kept_body(b"x" * (MAX_BODY_BYTES + 1)), MAX_BODY_BYTES + 1
    assert len(noted.raw) == 65_536
    shown = noted.as_json()["received"]
    assert isinstance(shown, dict)
    assert shown["cut_from_bytes"] == MAX_BODY_BYTES + 1


def test_a_forwarded_body_of_its_own_counts_and_the_received_one_counts_once() -> None:
    journal = Journal(max_bytes=3 * entry().size)
    first, second = entry(1), entry(2)
    journal.add(first)
    journal.add(second)
    journal.forward(first, first.kept)
    assert ids(journal.entries()) == [1, 2]
    journal.forward(second, Kept(b"y" * (2 * entry().size)))
    assert ids(journal.entries()) == [2]
    journal.forward(first, Kept(b"z" * 5000))
    assert ids(journal.entries()) == [2]


def test_what_waits_for_an_answer_s_end_is_called_once() -> None:
    journal = Journal()
    waiting = entry(1)
    ended: list[str | None] = []
    waiting.endings.append(lambda found: ended.append(found.outcome.end))
    journal.add(waiting)
    assert ended == []
    journal.end(waiting, "client_disconnect", 5.0)
    journal.end(waiting, "complete", 9.0)
    assert ended == ["client_disconnect"]


def test_credentials_of_headers_are_hidden_in_bodies_and_paths_too(server: MockServer) -> None:
    secret, cookie, basic = "CANARYxapi0002", "CANARYcookie03", "CANARYbasic2400"
    coded = base64.b64encode(f"bob:{basic}".encode()).decode()
    call(
        server,
        "/with/session=canaries/v1/keys/sk-SECRETKEYabcdef123456/x",
        request(f"keys {secret} {cookie} {basic}"),
        headers={
            "x-api-key": secret, "cookie": f"a={cookie}", "openai-organization": "org-CANARY05",
            "Authorization": f"Basic {coded}",
        },
    )  # fmt: skip
    shown = call(server, "/__k3mock__/requests?session=canaries").body
    for hidden in (secret, cookie, basic, "org-CANARY05", "sk-SECRETKEY"):
        assert hidden.encode() not in shown


def test_what_an_answer_adds_is_counted_when_it_ends() -> None:
    journal = filled(2, max_bytes=TWO)
    assert ids(journal.entries()) == [0, 1]
    newest = journal.entries()[-1]
    newest.kept_forwarded = Kept(b"x" * 20)
    journal.end(newest, "complete", 1.0)
    assert ids(journal.entries()) == [1]
    forgotten = entry(7)
    journal.end(forgotten, "complete", 1.0)
    assert ids(journal.entries()) == [1]
