from __future__ import annotations

import http.client
import json
import socket
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from k3mock.asgi import control_answers as module
from k3mock.asgi import control_journal
from k3mock.asgi.control_answers import as_bytes, entry_bytes
from k3mock.journal import JournalEntry
from k3mock.redact import Kept
from tests.support import CHAT, call, chat, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PREFIX = "/__k3mock__"
ROUTES = [
    ("GET", "requests"), ("GET", "requests/x"), ("GET", "misses"), ("GET", "scenarios"),
    ("POST", "scenarios"), ("DELETE", "scenarios"), ("POST", "sessions"),
    ("DELETE", "sessions/x"), ("POST", "reset"), ("GET", "events"), ("GET", "metrics"),
    ("GET", "openapi.json"), ("GET", "nothing"), ("PUT", "scenarios"), ("POST", "health/x"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_address_but_health_is_guarded(server: MockServer, method: str, path: str) -> None:
    body = b"" if method in {"POST", "PUT"} else None
    for headers, word in (
        ({"Host": "evil.example"}, "Host"),
        ({"Origin": "http://evil.example"}, "origins"),
        ({"Origin": "null"}, "origins"),
    ):
        answer = call(server, f"{PREFIX}/{path}", body, method=method, headers=headers)
        assert answer.status == 403
        assert word in answer.error["message"]
    assert server.app._feed.readers == 0


def test_every_address_but_health_wants_the_control_key() -> None:
    with serving(control_key="ctl-1") as server:
        for method, path in ROUTES:
            body = b"" if method in {"POST", "PUT"} else None
            answer = call(server, f"{PREFIX}/{path}", body, method=method, key="wrong")
            assert (answer.status, "ctl-1" in answer.body.decode()) == (401, False)
        assert call(server, f"{PREFIX}/metrics", key="ctl-1").status == 200


def test_a_wrong_method_tells_the_right_one(server: MockServer) -> None:
    wrong = call(server, f"{PREFIX}/scenarios", b"", method="PUT")
    assert wrong.status == 405
    assert wrong.headers["allow"] == "GET, POST, DELETE"
    assert call(server, f"{PREFIX}/sessions/x", method="GET").headers["allow"] == "DELETE"
    assert call(server, f"{PREFIX}/health", b"").headers["allow"] == "GET"


def test_a_parameter_given_twice_is_refused(server: MockServer) -> None:
    twice = call(server, f"{PREFIX}/requests?session=a&session=b")
    assert twice.status == 400
    assert "twice" in twice.error["message"]
    none = call(server, f"{PREFIX}/metrics?x=1")
    assert "none is taken here" in none.error["message"]


def test_what_is_no_utf_8_and_no_number_is_shown_as_json(server: MockServer) -> None:
    body = b'{"model": "kimi-k3", "a": "\\ud83d", "b": 1e999}'
    call(server, f"/with/session=odd{CHAT}", body)
    listed = call(server, f"{PREFIX}/requests?session=odd")
    assert listed.status == 200
    shown = json.loads(listed.body)["requests"][0]["received"]["body"]
    assert shown["a"] == "\ud83d"
    assert as_bytes([float("inf"), 1 << 70]) == b"[null,1180591620717411303424]"


def test_what_is_nested_too_deeply_is_shown_as_text() -> None:
    deep = b"[" * 980 + b"]" * 980
    kept = Kept(deep)
    entry = JournalEntry(
        id="req_1", session="s", profile="p", method="POST", path="/", headers={"a": "b"},
        kept=kept, kept_forwarded=kept,
    )  # fmt: skip
    shown = json.loads(entry_bytes(entry))
    assert shown["received"] == {"headers": {"a": "b"}, "body": deep.decode()}
    assert shown["forwarded"] == deep.decode()
    entry.kept_forwarded = None
    assert json.loads(entry_bytes(entry))["forwarded"] is None


def test_a_page_ends_before_it_holds_too_much(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_journal, "PAGE_BYTES", 250_000)
    for _ in range(3):
        call(server, f"/with/session=fat{CHAT}", b"x" * 150_000)
    path = f"{PREFIX}/requests?session=fat"
    seen, cursor = 0, -1
    for _ in range(3):
        page = call(server, f"{path}&after={cursor}").json
        assert len(page["requests"]) == 1
        seen, cursor = seen + 1, page["next"]
    assert cursor is None


def test_misses_page_through_with_a_cursor() -> None:
    with serving(on_miss="error") as server:
        for number in range(5):
            chat(server, f"{number}", options=f"session={number % 2}")
        first = call(server, f"{PREFIX}/misses?session=0&limit=2").json
        assert len(first["misses"]) == 2
        call(server, f"{PREFIX}/reset?session=1", b"")
        rest = call(server, f"{PREFIX}/misses?session=0&after={first['next']}").json
        ids = [miss["id"] for miss in first["misses"] + rest["misses"]]
        assert (len(set(ids)), rest["next"]) == (3, None)


def test_a_body_that_comes_in_pieces_is_measured_too(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_POSTED_BYTES", 100)
    address = urlsplit(server.address)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    with closing(connection):
        connection.request("POST", f"{PREFIX}/scenarios", iter([b"#" * 60, b"#" * 60]))
        response = connection.getresponse()
        assert response.status == 413
        assert b"longer than 100 bytes" in response.read()


def test_a_client_that_leaves_within_its_body_does_no_harm(server: MockServer) -> None:
    address = urlsplit(server.address)
    with socket.create_connection((address.hostname, address.port)) as sock:
        head = f"POST {PREFIX}/scenarios HTTP/1.1\r\nHost: {address.netloc}\r\n"
        sock.sendall(f"{head}Content-Length: 50\r\n\r\nname: x".encode())
    assert call(server, f"{PREFIX}/scenarios").json["scenarios"] == []


def test_answers_are_not_kept_by_caches(server: MockServer) -> None:
    for path in ("health", "requests", "metrics", "openapi.json", "nothing"):
        assert call(server, f"{PREFIX}/{path}").headers["cache-control"] == "no-store"
