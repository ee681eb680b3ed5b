"""A value that an option does not take is a mistake on every path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import CHAT, call, request, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PATHS = {
    "chat": CHAT,
    "models": "/v1/models",
    "model": "/v1/models/kimi-k3",
    "files": "/v1/files",
    "balance": "/v1/users/me/balance",
    "nowhere": "/v1/nowhere",
}
WRONG = {
    "scenario=nope": "unknown scenario 'nope'",
    "pace=nope": "unknown pace 'nope'",
    "pace=speed=0": "out of range",
    "limits=nope": "unknown limits 'nope'",
    "fault=nope": "unknown fault 'nope'",
    "fault=stall(ms:no)": "'ms' of the fault 'stall'",
    "wire.nope=1": "unknown wire knob 'nope'",
    "wire.bom=perhaps": "unknown value of the wire knob 'bom'",
    "profile=nope": "unknown profile 'nope'",
    "cassette=nope": "no cassette 'nope'",
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize(("option", "says"), WRONG.items(), ids=WRONG)
def test_a_wrong_value_is_told_on_every_path(
    server: MockServer, path: str, option: str, says: str
) -> None:
    body = request() if path == CHAT else None
    for beside in ("", ";fault=rate_limited", ";fault=body_refused_halfway"):
        if beside and (option.startswith("fault") or "profile" in option):
            continue
        answer = call(server, f"/with/session=wrong;{option}{beside}{path}", body, key="k")
        assert answer.status == 422, (beside, answer.body)
        assert answer.error["type"] == "k3mock_error"
        assert says in answer.error["message"]


def test_an_unknown_cassette_is_told_where_scenarios_go_first() -> None:
    with serving(scenarios=["hello"]) as server:
        answer = call(server, f"/with/cassette=nope{CHAT}", request())
        assert answer.error["code"] == "cassette_not_found"
        assert call(server, f"/with/scenario=hello;cassette=nope{CHAT}", request()).status == 422


def test_good_values_are_taken_and_looked_at_once(server: MockServer) -> None:
    options = "scenario=hello;pace=speed=2;limits=tier5;fault=crlf;wire.bom=true;session=good"
    for _ in range(2):
        assert call(server, f"/with/{options}/v1/models").status == 200
