from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.pipeline import Pipeline
from tests.support import call, chat, request, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PATH = "/__k3mock__/sessions"


def test_a_made_session_tells_its_base_url(server: MockServer) -> None:
    made = call(server, PATH, b"")
    assert made.status == 201
    name = made.json["session"]
    assert made.json["base_url"] == f"{server.address}/with/session={name}/v1"
    path = made.json["base_url"].removeprefix(server.address) + "/chat/completions"
    assert call(server, path, request(max_tokens=1)).status == 200
    assert len(server.app.journal.entries(name)) == 1
    assert call(server, PATH, b"").json["session"] != name


def test_a_session_may_be_named_once(server: MockServer) -> None:
    name = "my; own/ session"
    made = call(server, PATH, {"name": name})
    assert made.status == 201
    path = made.json["base_url"].removeprefix(server.address) + "/chat/completions"
    call(server, path, request(max_tokens=1))
    assert len(server.app.journal.entries(name)) == 1
    again = call(server, PATH, {"name": name})
    assert again.status == 409
    assert "already" in again.error["message"]


def test_a_name_of_its_own_goes_past_those_that_are_taken() -> None:
    with serving() as server:
        call(server, PATH, {"name": "session-1"})
        assert call(server, PATH, {"name": None}).json["session"] == "session-2"


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b"{\"nam\": \"x\"}", {"name": ""}, {"name": " "}, {"name": 3},
     {"name": "x" * 201}, {"name": "a\nb"}, {"name": " a"}, b"[" * 100_000],
)  # fmt: skip
def test_a_wrong_body_is_explained(server: MockServer, body: object) -> None:
    answer = call(server, PATH, body)
    assert answer.status == 400
    assert answer.error["message"].startswith("k3mock: ")


def test_the_end_of_a_session_forgets_all_that_is_its_own() -> None:
    with serving(on_miss="error") as server:
        text = b"name: p\nturns: [{when: {last: hi}, reply: x}]"
        call(server, "/__k3mock__/scenarios?session=a/b", text)
        chat(server, "hi", options="session=a%2Fb")
        chat(server, "miss", options="session=a%2Fb")
        chat(server, "miss", options="session=other")
        ended = call(server, f"{PATH}/a%2Fb", method="DELETE")
        assert ended.json == {"status": "ok", "session": "a/b"}
        assert [entry.session for entry in server.app.journal.entries()] == ["other"]
        assert [miss.session for miss in server.app.pipeline.misses.all()] == ["other"]
        assert server.app.scenarios.posted.owners() == ()
        again = call(server, f"{PATH}/a%2Fb", method="DELETE")
        assert again.status == 404
        assert "no session 'a/b'" in again.error["message"]


def test_scenarios_alone_make_a_session_known() -> None:
    with serving() as server:
        call(server, "/__k3mock__/scenarios?session=s", b"name: p\nturns: [{reply: x}]")
        assert call(server, f"{PATH}/s", method="DELETE").status == 200
        assert server.app.scenarios.posted.owners() == ()


def test_what_cannot_be_published_is_told_and_the_session_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken:
        async def publish(self, session: str | None) -> list[str]:
            return [f"{session}: the disk is full"]

        async def finish(self) -> None:
            """Nothing is kept."""

    with serving() as server:
        chat(server, max_tokens=1, options="session=s")
        call(server, "/__k3mock__/scenarios?session=s", b"name: p\nturns: [{reply: x}]")
        monkeypatch.setattr(server.app.pipeline, "recorder", Broken())
        ended = call(server, f"{PATH}/s", method="DELETE")
        assert ended.status == 422
        assert "s: the disk is full" in ended.error["message"]
        assert isinstance(server.app.pipeline, Pipeline)
        assert server.app.pipeline.sessions.peek("s") is None
        assert server.app.scenarios.posted.owners() == ()


def test_a_reset_leaves_scenarios_and_counts_anew() -> None:
    with serving(on_miss="error") as server:
        text = b"name: p\nturns: [{reply: x, times: 1}]"
        call(server, "/__k3mock__/scenarios", text)
        assert chat(server).status == 200
        assert chat(server).status == 422
        assert call(server, "/__k3mock__/reset", b"").json == {"status": "ok"}
        assert chat(server).status == 200
        assert call(server, "/__k3mock__/reset?sesion=a", b"").status == 400
