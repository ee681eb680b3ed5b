"""`--contract`: enforce refuses, warn answers and notes, off does not look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.black_box import (
    INVALID_FIXTURES,
    assert_accepted,
    body,
    entries,
    post,
    read_fixture,
    send,
)
from tests.support import CHAT, call, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

TRANSPORT = {"path.unknown", "method.wrong", "auth.missing", "auth.unknown_key", "body.size",
             "body.json", "body.object"}  # fmt: skip
FIXTURES = [path for path in INVALID_FIXTURES if path.stem not in TRANSPORT]
TWICE = {"temperature": 0.3, "n": 2}


@pytest.fixture(scope="module")
def warning() -> Iterator[MockServer]:
    """A server that was started with `--contract warn`."""
    with serving(contract="warn") as running:
        yield running


@pytest.fixture(scope="module")
def lenient() -> Iterator[MockServer]:
    """A server that was started with `--contract off`."""
    with serving(contract="off") as running:
        yield running


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_refused_request_is_answered_and_noted_where_only_warnings_are_wanted(
    path: Path, worlds: Worlds
) -> None:
    fixture = read_fixture(path)
    world = worlds(fixture.get("profile"))
    session = f"warn-{path.stem}"
    if "before" in fixture:
        assert_accepted(post(world, fixture["before"], session=session))
    answer = call(world, f"/with/contract=warn;session={session}{CHAT}", fixture["request"])
    assert_accepted(answer)
    *_, entry = entries(world, session)
    noted = [warning for warning in entry["warnings"] if warning["rule"] == path.stem]
    assert [warning["message"] for warning in noted] == [fixture["error"]["message"]]
    assert all(warning["path"] for warning in noted)
    assert entry["status"] == 200


def test_a_server_told_to_warn_notes_every_violation(warning: MockServer) -> None:
    assert_accepted(post(warning, body(**TWICE), session="a"))
    [entry] = entries(warning, "a")
    assert entry["warnings"] == [
        {
            "rule": "temperature.fixed",
            "message": "invalid temperature: only 1 is allowed for this model",
            "path": "temperature",
        },
        {
            "rule": "n.fixed",
            "message": "invalid n: only 1 is allowed for this model",
            "path": "n",
        },
    ]


def test_a_server_told_to_enforce_notes_the_one_that_it_names(server: MockServer) -> None:
    assert post(server, body(**TWICE), session="enforced").status == 400
    [entry] = entries(server, "enforced")
    assert [warning["rule"] for warning in entry["warnings"]] == ["temperature.fixed"]
    assert entry["source"] == "contract:temperature.fixed"
    assert entry["forwarded"]["temperature"] == 0.3


def test_a_server_told_to_look_away_notes_nothing(lenient: MockServer) -> None:
    assert_accepted(post(lenient, body(**TWICE, model="kimi-k9"), session="a"))
    [entry] = entries(lenient, "a")
    assert entry["warnings"] == []


@pytest.mark.parametrize(
    ("mode", "status", "noted"), [("enforce", 400, 1), ("warn", 200, 2), ("off", 200, 0)]
)
def test_a_request_may_choose_for_itself(
    mode: str, status: int, noted: int, warning: MockServer
) -> None:
    session = f"chosen-{mode}"
    path = f"/with/contract={mode};session={session}{CHAT}"
    assert call(warning, path, body(**TWICE)).status == status
    [entry] = entries(warning, session)
    assert len(entry["warnings"]) == noted


@pytest.mark.parametrize("rule", ["auth.missing", "body.json", "body.object", "path.unknown"])
def test_what_cannot_be_understood_is_refused_in_every_mode(
    rule: str, warning: MockServer, lenient: MockServer
) -> None:
    path = next(path for path in INVALID_FIXTURES if path.stem == rule)
    for running in (warning, lenient):
        answer = send(running, read_fixture(path), "refused")
        assert answer.headers["x-k3mock-source"] == f"contract:{rule}"


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({}, id="empty"),
        pytest.param({"messages": {}, "tools": "x", "model": []}, id="wrong-types"),
        pytest.param({"messages": [[], None, 5, "x"]}, id="no-messages-among-them"),
        pytest.param({"messages": [{"content": [[], None, {"text": 5}]}]}, id="odd-parts"),
        pytest.param(
            {"messages": [{"role": "assistant", "tool_calls": [5, {}, {"function": 5}]}]},
            id="odd-calls",
        ),
        pytest.param({"messages": [{"role": "system", "tools": [5, {}, None]}]}, id="odd-tools"),
        pytest.param(
            {"tools": [{"function": {"name": 5, "parameters": "x"}}], "tool_choice": 5},
            id="odd-function",
        ),
        pytest.param({"max_tokens": -5, "stop": [5], "response_format": []}, id="odd-caps"),
    ],
)
def test_even_odd_requests_are_answered_where_the_contract_is_off(
    sent: dict[str, Any], lenient: MockServer
) -> None:
    assert_accepted(post(lenient, sent, session="odd"))
