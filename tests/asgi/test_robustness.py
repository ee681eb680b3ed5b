"""Odd clients, hostile sizes and secrets: nothing crashes, nothing leaks, nobody waits."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from k3mock import pipeline, work
from k3mock.contract.checks import messages as message_checks
from k3mock.errors import SettingsError, StartError
from k3mock.serving import MockServer
from k3mock.settings import Settings
from tests.support import CHAT, call, chat, request, serving, sse_events, tool

if TYPE_CHECKING:
    from collections.abc import Callable


def raw_exchange(server: MockServer, sent: bytes) -> bytes:
    """Send bytes and read until the server closes."""
    port = int(server.address.rsplit(":", 1)[1])
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(sent)
        while piece := sock.recv(65_536):
            received += piece
    return received


def posted(
    body: dict[str, Any], *, version: str = "1.1", path: str = CHAT, more: str = ""
) -> bytes:
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/{version}\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Length: {len(data)}\r\n{more}\r\n"
    )
    return head.encode() + data


@pytest.mark.parametrize(
    "query", ["limit=²", "after=²", "limit=" + "9" * 5000, "after=-", "limit="]
)
def test_a_number_that_is_none_is_explained(server: MockServer, query: str) -> None:
    encoded = query.replace("²", "%C2%B2")
    answer = call(server, f"/__k3mock__/requests?{encoded}")
    assert answer.status == 400
    assert "limit and after are numbers" in answer.error["message"]


@pytest.mark.parametrize("origin", ["http://[", "null", "", "file://", "http://evil.example"])
def test_an_origin_that_is_not_ours_is_refused(server: MockServer, origin: str) -> None:
    assert call(server, "/__k3mock__/requests", headers={"Origin": origin}).status == 403


def test_the_own_host_may_be_written_in_any_case(server: MockServer) -> None:
    assert call(server, "/__k3mock__/requests", headers={"Host": "LocalHost.:80"}).status == 200


@pytest.mark.parametrize(
    "given",
    [
        {"control_key": ""},
        {"api_keys": ("",)},
        {"api_keys": "abc"},
        {"cors": "http://a"},
        {"port": "8000"},
        {"seed": "7"},
        {"seed": True},
        {"tokenizer": "counter=splintr"},
        {"pace": 5},
        {"api_keys": (5,)},
    ],
    ids=lambda given: next(iter(given)) + "-" + repr(next(iter(given.values())))[:12],
)
def test_a_setting_of_the_wrong_type_or_an_empty_key_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        Settings(**given)


def test_keys_in_any_script_are_compared_byte_by_byte() -> None:
    with serving(api_keys=("ключ",), control_key="тоже") as server:
        port = int(server.address.rsplit(":", 1)[1])
        for path, key, status in (
            ("/v1/models", "ключ", b"200"),
            ("/v1/models", "ключи", b"401"),
            ("/__k3mock__/requests", "тоже", b"200"),
            ("/__k3mock__/requests", "ключ", b"401"),
        ):
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
            sent = f"{head}Authorization: Bearer {key}\r\n\r\n".encode()
            assert raw_exchange(server, sent).split(b" ", 2)[1] == status


def test_secrets_are_hidden_by_their_look_wherever_they_stand(server: MockServer) -> None:
    key = "sk-planted4711planted"
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZA"
    headers = {"X-Auth": f"Bearer {key}", "X-Odd": key, "X-Jwt": token, "X-Other": token}
    session = "session=planted"
    path = f"/with/{session}{CHAT}"
    body = request(metadata={"api_key": "planted-plain", "note": f"my key is {key}"}, max_tokens=1)
    call(server, path, body, headers=headers, key="planted-presented")
    call(server, path, f'{{"broken": "{key} {token} planted-presented'.encode(),
         key="planted-presented")  # fmt: skip
    shown = call(server, f"/__k3mock__/requests?{session}").body
    assert shown.count(b"[redacted]") >= 8
    for secret in (b"planted4711", b"planted-plain", b"planted-presented", token.encode()):
        assert secret not in shown


def test_the_journal_cuts_what_is_too_large_and_says_how_large_it_was(server: MockServer) -> None:
    body = request("x" * 5_000_000, max_tokens=1)
    chat_path = f"/with/session=large{CHAT}"
    call(server, chat_path, body, headers={"X-Long": "y" * 9000})
    [entry] = server.app.journal.entries("large")
    assert len(entry.raw) == 65_536
    assert entry.body_bytes > 5_000_000
    assert entry.size < 100_000
    assert len(entry.headers["x-long"]) == 4096


def test_an_old_client_gets_a_stream_without_chunk_sizes(server: MockServer) -> None:
    body = request(stream=True, max_tokens=6)
    received = raw_exchange(server, posted(body, version="1.0"))
    head, _, rest = received.partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    assert sse_events(rest)[-1] == "[DONE]"


def test_two_streams_in_one_go_may_be_left_half_read(server: MockServer) -> None:
    path = f"/with/session=pipelined;pace=200{CHAT}"
    port = int(server.address.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(posted(request(stream=True), path=path) * 2)
        assert sock.recv(100)
    deadline = time.monotonic() + 10
    ends: set[str | None] = {None}
    while None in ends and time.monotonic() < deadline:
        ends = {entry.outcome.end for entry in server.app.journal.entries("pipelined")}
        time.sleep(0.01)
    assert ends == {"client_disconnect"}


@pytest.mark.parametrize("target", ["/with/session=a%0ab/v1/nope", "*"])
def test_every_path_is_answered_in_the_hosts_words(server: MockServer, target: str) -> None:
    head = f"OPTIONS {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    received = raw_exchange(server, head.encode())
    assert b"404 Not Found" in received
    assert b'"type":"resource_not_found_error"' in received


def test_a_wrong_option_is_noted_in_the_session_that_it_names(server: MockServer) -> None:
    call(server, f"/with/session=named;zz=1{CHAT}", request())
    [entry] = server.app.journal.entries("named")
    assert (entry.status, entry.source) == (422, "k3mock")


@pytest.mark.anyio
async def test_it_can_be_mounted_below_a_path(server: MockServer) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    for path in ("/mock/v1/models", "/mock/__k3mock__/health"):
        scope = {
            "type": "http", "http_version": "1.1", "method": "GET", "path": path,
            "raw_path": path.encode(), "root_path": "/mock", "query_string": b"",
            "headers": [(b"authorization", b"Bearer k"), (b"host", b"localhost")],
        }  # fmt: skip
        await server.app(scope, receive, send)
    assert [message["status"] for message in sent if "status" in message] == [200, 200]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_a_server_is_started_once_and_has_no_address_before() -> None:
    server = MockServer(Settings(port=0, tokenizer={"counter": "splintr"}))
    with pytest.raises(StartError, match="not running"):
        _ = server.base_url
    with server, pytest.raises(StartError, match="runs already"):
        server.start()


def test_every_answer_names_the_version(server: MockServer) -> None:
    assert chat(server, max_tokens=1).headers["x-k3mock-version"]
    assert call(server, "/v1/nope").headers["x-k3mock-version"]


def _threads_of(
    monkeypatch: pytest.MonkeyPatch, server: MockServer, body: dict[str, Any]
) -> dict[str, str]:
    """Return the thread in which each part of the work on a request was done."""
    seen: dict[str, str] = {}

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **more: Any) -> Any:
            seen[name] = threading.current_thread().name
            return function(*args, **more)

        return noted

    for name in ("read_body", "examine", "generate_turn"):
        monkeypatch.setattr(pipeline, name, watched(name, getattr(work, name)))
    assert call(server, CHAT, body).status == 200
    return seen


def test_long_work_is_done_off_the_loop_and_short_work_on_it(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = _threads_of(monkeypatch, server, request("word " * 20_000, max_tokens=1))
    assert set(long) == {"read_body", "examine", "generate_turn"}
    assert "k3mock" not in long.values()
    short = _threads_of(monkeypatch, server, request("word", max_tokens=1))
    assert set(short.values()) == {"k3mock"}


def test_the_history_checks_grow_with_the_history_and_no_faster(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: a quadratic check once took 77 seconds for 20,000 calls."""
    counts: list[int] = []
    original = message_checks.call_id_of

    def counted(call_: Any) -> str:
        counts[-1] += 1
        return original(call_)

    monkeypatch.setattr(message_checks, "call_id_of", counted)
    for size in (200, 400):
        calls = [
            {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            for number in range(size)
        ]
        results = [
            {"role": "tool", "tool_call_id": f"c{number}", "content": "ok"}
            for number in range(size)
        ]
        history = [{"role": "assistant", "content": "", "tool_calls": calls}, *results]
        messages = [{"role": "user", "content": "go"}, *history]
        counts.append(0)
        answer = call(server, CHAT, request(messages=messages, tools=[tool("f")], max_tokens=1))
        assert answer.status == 200
    assert 0 < counts[1] <= 2.2 * counts[0]


@pytest.mark.parametrize(
    "tail",
    [
        pytest.param({"response_format": {"type": "json_object"}}, id="format"),
        pytest.param({"tools": [tool()], "tool_choice": "none"}, id="choice"),
    ],
)
def test_what_stands_behind_the_conversation_keeps_the_cached_prefix(
    server: MockServer, tail: dict[str, Any]
) -> None:
    """Evidence: official documentation; changing the tool choice does not lose the cache."""
    session: dict[str, Any] = {"options": f"session=tail-{next(iter(tail))}", "max_tokens": 1}
    fixed = {"tools": tail["tools"]} if "tools" in tail else {}
    first = {"role": "user", "content": "one"}
    asked = chat(server, messages=[first], **tail, **session).json["usage"]
    again = [first, {"role": "assistant", "content": "1"}, {"role": "user", "content": "two"}]
    followed = chat(server, messages=again, **tail, **session).json["usage"]
    assert 70 < followed["cached_tokens"] < asked["prompt_tokens"]
    changed = chat(server, messages=[first], **fixed, **session).json["usage"]
    assert changed["cached_tokens"] == followed["cached_tokens"]
