"""What faults do to a connection they do on every path; keys stand in no error of the mock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.sockets.raw import connect, outcome, read
from tests.support import CHAT, call, request, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

ANSWERS = {
    "models": ("/v1/models", None, 200, "profile"),
    "balance": ("/v1/users/me/balance", None, 200, "profile"),
    "files": ("/v1/files", None, 200, "profile"),
    "estimate": ("/v1/tokenizers/estimate-token-count", request(), 200, "profile"),
    "no-model": ("/v1/models/nope", None, 404, "contract:"),
    "no-path": ("/v1/nope", None, 404, "contract:"),
    "no-method": (CHAT, None, 404, "contract:"),
    "no-json": (CHAT, b"{", 400, "contract:"),
    "refused": (CHAT, request(temperature=3), 400, "contract:"),
}


@pytest.mark.parametrize(("path", "body", "status", "source"), ANSWERS.values(), ids=ANSWERS)
def test_headers_are_slow_on_every_path(
    server: MockServer, path: str, body: dict[str, object] | bytes | None, status: int, source: str
) -> None:
    before = time.monotonic()
    options = "fault=slow_headers(delay_ms:60);session=slow-everywhere"
    answer = call(server, f"/with/{options}{path}", body)
    assert time.monotonic() - before >= 0.06
    assert answer.status == status, answer.body
    found = answer.headers["x-k3mock-source"]
    assert found.startswith(source)
    assert found.endswith("+slow_headers")


def test_a_pace_divides_the_delay_of_a_refusal(server: MockServer) -> None:
    before = time.monotonic()
    options = "fault=slow_headers(delay_ms:60000);pace=speed=100000"
    assert call(server, f"/with/{options}/v1/nope").status == 404
    assert time.monotonic() - before < 10


def test_a_fault_answers_on_a_path_that_is_not_there(server: MockServer) -> None:
    assert call(server, "/with/fault=engine_overloaded/v1/nope").status == 429


def test_a_list_is_written_as_the_knobs_say_and_cut(server: MockServer) -> None:
    sent = (
        "GET /with/session=cut-list;fault=cut_mid_stream(after_bytes:50);wire.writes=bytes:20;"
        "wire.write_gap_ms=5/v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n"
    )
    with connect(server) as sock:
        sock.sendall(sent.encode())
        seen = read(sock)
    assert (seen.end, len(seen.body)) == ("fin", 50)
    assert len(seen.reads) > 2
    assert outcome(server, "cut-list").end == "fault"


def test_limits_are_refused_as_slowly() -> None:
    with serving(limits="rpm=1") as server:
        path = f"/with/fault=slow_headers(delay_ms:60){CHAT}"
        assert call(server, path, request(max_tokens=1)).status == 200
        before = time.monotonic()
        refused = call(server, path, request(max_tokens=1))
        assert refused.status == 429
        assert time.monotonic() - before >= 0.06


def test_a_miss_is_told_at_once_and_whole() -> None:
    with serving(on_miss="error") as server:
        before = time.monotonic()
        path = f"/with/fault=slow_headers(delay_ms:5000){CHAT}"
        answer = call(server, path, request())
        assert answer.headers["x-k3mock-source"] == "miss:nothing_loaded"
        assert time.monotonic() - before < 4


def test_keys_of_the_server_stand_in_no_error_of_the_mock() -> None:
    key = "plain-words-for-a-key"
    with serving(api_keys=[key], on_miss="error") as server:
        for option in (f"scenario={key}", f"pace={key}", f"session={key * 20}", f"{key}=1"):
            answer = call(server, f"/with/{option}{CHAT}", request(), key=key)
            assert answer.status == 422
            assert key not in answer.body.decode()
            assert "[redacted]" in answer.error["message"]
        missed = call(server, CHAT, request(f"my key is {key}"), key=key)
        assert missed.headers["x-k3mock-source"].startswith("miss:")
        assert key not in missed.body.decode()
        assert key not in call(server, "/__k3mock__/misses").body.decode()


def test_a_key_that_is_a_word_of_ours_leaves_the_name_of_the_mock() -> None:
    with serving(api_keys=["k3mock"]) as server:
        answer = call(server, f"/with/pace=k3mock{CHAT}", request(), key="k3mock")
        assert answer.error["message"].startswith("k3mock: unknown pace '[redacted]'")
