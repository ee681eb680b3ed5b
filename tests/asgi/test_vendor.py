from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.asgi.vendor import VendorApp
from k3mock.fault.bend import Bend
from k3mock.options import OptionError, RequestOptions
from tests.support import CHAT, call, chat, request, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_a_client_that_closes_mid_stream_is_noticed_and_noted(server: MockServer) -> None:
    path = f"/with/session=leaver;pace=20{CHAT}"
    port = int(server.address.rsplit(":", 1)[1])
    body = b'{"model":"kimi-k3","stream":true,"messages":[{"role":"user","content":"long"}]}'
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall(head.encode() + body)
        received = b""
        while b"reasoning_content" not in received:
            received += sock.recv(4096)
    [entry] = server.app.journal.entries("leaver")
    deadline = time.monotonic() + 10
    while entry.outcome.end is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert entry.outcome.end == "client_disconnect"
    assert 1 <= entry.outcome.tokens < 100
    assert entry.outcome.duration_ms is not None
    assert entry.outcome.duration_ms < 5000


def test_a_paced_stream_writes_each_event_on_its_own(server: MockServer) -> None:
    sent = {"stream": True, "max_tokens": 12}
    paced = chat(server, "same", options="session=paced;pace=2000", **sent)
    instant = chat(server, "same", options="session=unpaced", **sent)

    def deltas(events: list[Any]) -> list[Any]:
        return [event if event == "[DONE]" else event["choices"] for event in events]

    assert deltas(paced.events) == deltas(instant.events)
    assert len(paced.events) == 1 + 9 + 2


def test_a_whole_answer_sends_nothing_before_it_is_complete(server: MockServer) -> None:
    chat(server, "slow", options="session=slow;pace=500", max_tokens=53)
    [entry] = server.app.journal.entries("slow")
    assert entry.outcome.ttft_ms is not None
    # 50 tokens at 500 a second; timers may fire a millisecond early
    assert entry.outcome.ttft_ms >= 90


@pytest.mark.parametrize(
    ("options", "says"),
    [
        pytest.param("profil=moonshot", "did you mean 'profile'?", id="unknown-option"),
        pytest.param("profile=moonshoot", "did you mean 'moonshot'?", id="unknown-profile"),
        pytest.param("contract=maybe", "known: enforce, off, warn", id="unknown-contract-mode"),
        pytest.param("pace=warp", "unknown pace 'warp'", id="unknown-pace"),
        pytest.param("seed=x", "whole number", id="bad-seed"),
        pytest.param("fault=rate_limit", "did you mean 'rate_limited'?", id="unknown-fault"),
        pytest.param("session", "has no value", id="no-value"),
    ],
)
def test_a_wrong_option_is_a_mock_made_error_that_lists_what_is_known(
    server: MockServer, options: str, says: str
) -> None:
    answer = chat(server, options=options)
    assert answer.status == 422
    assert answer.headers["x-should-retry"] == "false"
    assert answer.error["type"] == "k3mock_error"
    assert answer.error["message"].startswith("k3mock: ")
    assert says in answer.error["message"]


def test_a_profile_file_cannot_be_named_in_a_request(server: MockServer) -> None:
    answer = chat(server, options="profile=%2Fetc%2Fpasswd")
    assert answer.status == 422
    assert "unknown profile" in answer.error["message"]


def test_the_header_says_the_same_as_the_base_url_and_wins(server: MockServer) -> None:
    headers = {"x-k3mock": "fault=engine_overloaded; session=from-header"}
    answer = call(server, f"/with/fault=rate_limited{CHAT}", request(), headers=headers)
    assert answer.error["type"] == "engine_overloaded_error"
    assert len(server.app.journal.entries("from-header")) == 1


def test_a_seed_option_makes_an_answer_repeat(server: MockServer) -> None:
    first = chat(server, "seeded", options="session=seed-a;seed=5")
    second = chat(server, "seeded", options="session=seed-b;seed=5")
    other = chat(server, "seeded", options="session=seed-c;seed=6")
    assert first.body == second.body
    assert first.json["id"] != other.json["id"]


def test_models_need_a_key_and_unknown_models_are_not_found(server: MockServer) -> None:
    assert call(server, "/v1/models", key=None).error == {
        "message": "Invalid Authentication",
        "type": "invalid_authentication_error",
    }
    listed = call(server, "/v1/models")
    assert listed.json["object"] == "list"
    assert list(listed.json["data"][0]) == [
        "id", "object", "created", "owned_by", "supports_image_in", "supports_video_in",
        "supports_reasoning", "supports_dynamic_tools", "think_efforts", "reasoning_efforts",
        "supports_thinking_type", "context_length",
    ]  # fmt: skip
    assert call(server, "/v1/models/kimi-k3").json == listed.json["data"][0]
    assert call(server, "/v1/models/kimi-k2").error["type"] == "resource_not_found_error"
    assert call(server, "/v1/models", method="POST", body=b"{}").status == 404


def test_a_miss_is_a_mock_made_error_when_the_generator_is_off() -> None:
    with serving(on_miss="error") as server:
        answer = chat(server)
        assert answer.status == 422
        assert answer.headers["x-k3mock-source"] == "miss:nothing_loaded"
        assert "nothing" in answer.headers["x-k3mock-source"]
        assert "--on-miss generate" in answer.error["message"]
        assert chat(server, temperature=0).status == 400


def test_a_browser_page_may_call_from_an_allowed_origin() -> None:
    with serving(cors=("http://page.example",)) as server:
        asked = {"Origin": "http://page.example", "Access-Control-Request-Method": "POST"}
        preflight = call(server, CHAT, method="OPTIONS", headers=asked)
        assert preflight.status == 200
        assert preflight.headers["access-control-allow-origin"] == "http://page.example"
        answer = call(
            server, CHAT, request(max_tokens=1), headers={"Origin": "http://page.example"}
        )
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "http://page.example"


def test_a_defect_of_the_mock_is_a_mock_made_500_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        text = "planted"
        raise RuntimeError(text)

    with serving() as server:
        monkeypatch.setattr("k3mock.pipeline.generate_turn", broken)
        answer = chat(server)
        assert answer.status == 500
        assert answer.error["type"] == "k3mock_error"
        assert "planted" not in answer.error["message"]
        assert "Traceback" not in answer.body.decode()


@pytest.mark.anyio
async def test_a_client_that_leaves_before_its_request_is_whole_gets_no_answer(
    server: MockServer,
) -> None:
    app = VendorApp(server.app.pipeline, server.app.driver, server.app.switches)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": CHAT, "headers": []}
    await app(scope, receive, send)
    assert sent == []


@pytest.mark.anyio
async def test_a_websocket_is_closed(server: MockServer) -> None:
    app = VendorApp(server.app.pipeline, server.app.driver, server.app.switches)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app({"type": "websocket", "path": "/v1", "headers": []}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1000}]


def test_an_unknown_profile_name_is_refused_by_the_hosts(server: MockServer) -> None:
    with pytest.raises(OptionError, match="unknown profile"):
        server.app.hosts.get("nobody")


def test_a_fault_is_given_on_every_path_of_the_host(server: MockServer) -> None:
    for path in ("/v1/models", "/v1/files", "/v1/users/me/balance"):
        answer = call(server, f"/with/fault=engine_overloaded{path}")
        assert (answer.status, answer.error["type"]) == (429, "engine_overloaded_error")
    unknown = call(server, "/with/fault=overlord/v1/models")
    assert unknown.error["message"].startswith("k3mock: unknown fault 'overlord'; accepted: ")


def test_only_a_pinned_fault_that_is_early_leaves_a_body_unread(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = server.app.pipeline
    assert not pipeline.early(RequestOptions())
    assert not pipeline.early(RequestOptions(faults=("engine_overloaded",)))
    monkeypatch.setattr("k3mock.bending.bend", lambda *_: Bend(early=True))
    assert pipeline.early(RequestOptions(faults=("engine_overloaded",)))
