from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock import switches as module
from tests.asgi.test_control_openapi import check
from tests.support import Answer, call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

PATH = "/__k3mock__/switches"


@pytest.fixture
def own() -> Iterator[MockServer]:
    with serving() as server:
        yield server


def switch(server: MockServer, **body: Any) -> Answer:
    return call(server, PATH, body)


def statuses(server: MockServer, count: int, session: str = "default") -> list[int]:
    return [
        chat(server, f"{at}", max_tokens=1, options=f"session={session}").status
        for at in range(count)
    ]


def test_a_fault_hits_the_next_requests_and_then_is_over(own: MockServer) -> None:
    made = switch(own, fault="engine_overloaded", times=2)
    assert made.status == 201
    check(made.json, "Switch")
    call(own, "/v1/models")
    assert statuses(own, 4) == [429, 429, 200, 200]
    [shown] = call(own, PATH).json["switches"]
    assert shown == {**made.json, "left": 0, "hits": 2}


def test_a_fault_is_switched_on_for_one_session_until_it_is_switched_off(own: MockServer) -> None:
    name = switch(own, fault="server_error", session="t1").json["id"]
    assert statuses(own, 2, "t1") == [500, 500]
    assert statuses(own, 1, "t2") == [200]
    assert call(own, f"{PATH}?id={name}", method="DELETE").json == {"removed": [name]}
    assert statuses(own, 1, "t1") == [200]
    assert call(own, f"{PATH}?id={name}", method="DELETE").status == 404


def test_parameters_and_several_switches_act_together(own: MockServer) -> None:
    switch(own, fault="stall(ms:20)", times=1)
    switch(own, fault="no_done", times=1)
    answer = chat(own, "hi", stream=True, max_tokens=3)
    assert answer.headers["x-k3mock-source"] == "generator+stall+no_done"
    assert answer.events[-1] != "[DONE]"


def test_limits_hold_unless_a_request_chose_its_own(own: MockServer) -> None:
    switch(own, limits="rpm=1", session="t1")
    assert statuses(own, 2, "t1") == [200, 429]
    assert chat(own, "x", options="session=t1;limits=off", max_tokens=1).status == 200


def test_a_reset_switches_off_what_is_its_own(own: MockServer) -> None:
    for session in ("t1", "t2", None):
        switch(own, fault="server_error", **({} if session is None else {"session": session}))
    call(own, "/__k3mock__/reset?session=t1", b"")
    assert [each["session"] for each in call(own, PATH).json["switches"]] == ["t2", None]
    call(own, "/__k3mock__/reset", b"")
    assert call(own, PATH).json["switches"] == []
    assert statuses(own, 1) == [200]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"fault": "engine_overlode"}, "engine_overloaded"), ({"fault": "stall(mss:1)"}, "ms"),
        ({"limits": "tier9"}, "tier"), ({}, "a fault, limits or both"), ({"faults": "x"}, "body"),
        ({"fault": 3}, "text"), ({"fault": "stall", "times": 0}, "times"),
        ({"fault": "stall", "times": True}, "times"), ({"fault": "stall", "session": "x" * 300},
                                                      "200"),
        (b"{", "JSON"), (b"[]", "body"),
    ],
)  # fmt: skip
def test_what_cannot_be_switched_on_is_explained(server: MockServer, body: Any, told: str) -> None:
    wrong = call(server, PATH, body)
    assert wrong.status == 400
    assert told in wrong.error["message"]
    assert call(server, PATH).json["switches"] == []


def test_there_is_room_for_so_many(own: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SWITCHES", 2)
    switch(own, fault="no_done", times=1)
    switch(own, fault="no_done")
    full = switch(own, fault="no_done", session="s")
    assert full.status == 400
    chat(own, "hi", max_tokens=1)
    assert switch(own, fault="no_done", session="s").status == 201
    assert [each["left"] for each in call(own, PATH).json["switches"]] == [None, None]


def test_faults_are_listed_as_a_host_has_them(server: MockServer) -> None:
    found = call(server, "/__k3mock__/faults?profile=devotel").json
    check(found, "Faults")
    assert found["profile"] == "devotel"
    assert {"stall", "engine_overloaded"} <= {each["name"] for each in found["faults"]}
    assert "tier0" in found["tiers"]
    assert call(server, "/__k3mock__/faults?profile=nobody").status == 404


def test_nothing_is_switched_on_where_a_server_records(tmp_path: Any) -> None:
    path = str(tmp_path / "new.yaml")
    with serving(record="once", upstream="http://127.0.0.1:9", cassettes=[path]) as server:
        assert switch(server, fault="stall").status == 409
