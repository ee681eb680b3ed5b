from __future__ import annotations

from typing import TYPE_CHECKING

import k3mock as package
from tests.support import call, chat, serving

if TYPE_CHECKING:
    import pytest

    from k3mock.serving import MockServer


def test_health_names_version_profile_and_tokenizer(server: MockServer) -> None:
    answer = call(server, "/__k3mock__/health", key=None)
    assert answer.status == 200
    assert answer.json["status"] == "ok"
    assert answer.json["version"] == package.__version__
    assert answer.json["profile"] == "moonshot"
    assert answer.json["tokenizer"] == "kimi_k3 (official ranks, splintr)"


def test_requests_show_received_forwarded_effective_and_outcome(server: MockServer) -> None:
    sent = {"max_tokens": 16, "reasoning_effort": "low", "stream": True, "k": "v"}
    answer = chat(server, "shown", options="session=journal-1", **sent)
    listed = call(server, "/__k3mock__/requests?session=journal-1").json
    assert listed["next"] is None
    [entry] = listed["requests"]
    assert entry["id"] == answer.headers["x-k3mock-request"]
    assert (entry["session"], entry["profile"]) == ("journal-1", "moonshot")
    assert (entry["source"], entry["status"]) == ("generator", 200)
    assert entry["received"]["body"]["k"] == "v"
    assert entry["received"]["headers"]["authorization"] == "[redacted]"
    assert entry["forwarded"] == entry["received"]["body"]
    assert entry["effective"] == {
        "reasoning_effort": "low",
        "max_completion_tokens": 16,
        "stream": True,
        "include_usage": False,
    }
    assert entry["warnings"] == [
        {
            "rule": "max_tokens.deprecated",
            "message": "max_tokens is deprecated in favour of max_completion_tokens",
            "path": "max_tokens",
        },
        {
            "rule": "field.unknown",
            "message": "k is not a known parameter; it is ignored",
            "path": "k",
        },
    ]
    assert entry["outcome"]["end"] == "complete"
    assert entry["outcome"]["tokens"] == 13
    assert entry["outcome"]["bytes"] == len(answer.body)
    one = call(server, f"/__k3mock__/requests/{entry['id']}").json
    assert one == entry


def test_no_key_of_a_client_reaches_the_journal(server: MockServer) -> None:
    secret = "sk-very-secret-4711"
    headers = {"x-api-key": secret, "cookie": f"a={secret}"}
    chat_path = "/with/session=secret/v1/chat/completions"
    call(server, chat_path, b"{", key=secret, headers=headers)
    call(server, chat_path, {"model": "kimi-k3"}, key=secret, headers=headers)
    assert secret.encode() not in call(server, "/__k3mock__/requests?session=secret").body
    assert len(server.app.journal.entries("secret")) == 2


def test_requests_page_through_with_a_cursor(server: MockServer) -> None:
    for number in range(5):
        chat(server, f"page {number}", options="session=pages", max_tokens=1)
    first = call(server, "/__k3mock__/requests?session=pages&limit=3").json
    assert len(first["requests"]) == 3
    rest = call(server, f"/__k3mock__/requests?session=pages&after={first['next']}").json
    ids = [entry["id"] for entry in first["requests"] + rest["requests"]]
    assert len(set(ids)) == 5
    assert rest["next"] is None


def test_requests_filter_by_status_and_end(server: MockServer) -> None:
    chat(server, options="session=filters", temperature=0)
    chat(server, options="session=filters", max_tokens=1)
    path = "/__k3mock__/requests?session=filters"
    assert [e["status"] for e in call(server, f"{path}&status=400").json["requests"]] == [400]
    assert [e["status"] for e in call(server, f"{path}&end=complete").json["requests"]] == [200]


def test_an_unknown_filter_or_address_is_explained(server: MockServer) -> None:
    wrong = call(server, "/__k3mock__/requests?sesion=x")
    assert wrong.status == 400
    assert "session" in wrong.error["message"]
    number = call(server, "/__k3mock__/requests?limit=many")
    assert number.status == 400
    missing = call(server, "/__k3mock__/helth")
    assert missing.status == 404
    assert "/__k3mock__/health" in missing.error["message"]
    assert call(server, "/__k3mock__/requests/req_none").status == 404


def test_reset_forgets_a_session_and_nothing_else(server: MockServer) -> None:
    chat(server, "again", options="session=reset-a", max_tokens=1)
    chat(server, "again", options="session=reset-b", max_tokens=1)
    assert call(server, "/__k3mock__/reset?session=reset-a", b"").status == 200
    assert server.app.journal.entries("reset-a") == []
    assert len(server.app.journal.entries("reset-b")) == 1
    fresh = chat(server, "again", options="session=reset-a", max_tokens=1)
    assert "cached_tokens" not in fresh.json["usage"]
    kept = chat(server, "again", options="session=reset-b", max_tokens=1)
    assert kept.json["usage"]["cached_tokens"] == kept.json["usage"]["prompt_tokens"]


def test_reset_of_everything_empties_the_journal() -> None:
    with serving() as server:
        chat(server, "x", max_tokens=1)
        assert call(server, "/__k3mock__/reset", b"").status == 200
        assert server.app.journal.entries() == []
        assert len(server.app.pipeline.sessions) == 0


def test_other_hosts_and_origins_are_refused_but_not_from_health(server: MockServer) -> None:
    rebound = call(server, "/__k3mock__/requests", headers={"Host": "evil.example"})
    assert rebound.status == 403
    assert "Host" in rebound.error["message"]
    foreign = call(server, "/__k3mock__/requests", headers={"Origin": "http://evil.example"})
    assert foreign.status == 403
    assert call(server, "/__k3mock__/requests", headers={"Origin": server.address}).status == 200
    v6 = call(server, "/__k3mock__/requests", headers={"Host": "[::1]:80"})
    assert v6.status == 200
    assert call(server, "/__k3mock__/health", headers={"Host": "evil.example"}).status == 200


def test_a_control_key_is_asked_for() -> None:
    with serving(control_key="ctl-1") as server:
        assert call(server, "/__k3mock__/requests", key=None).status == 401
        assert call(server, "/__k3mock__/requests", key="wrong").status == 401
        assert call(server, "/__k3mock__/requests", key="ctl-1").status == 200
        assert call(server, "/__k3mock__/health", key=None).status == 200


def test_beyond_loopback_the_control_api_is_off_without_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as server:
        monkeypatch.setattr(type(server.app.settings), "loopback", property(lambda _self: False))
        refused = call(server, "/__k3mock__/requests")
        assert refused.status == 403
        assert "--control-key" in refused.error["message"]
        assert call(server, "/__k3mock__/health").status == 200
