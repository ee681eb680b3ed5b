from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from k3mock.cli.main import main
from k3mock.cli.verdict import _refusal
from tests.support import call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

    from k3mock.serving import MockServer


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with serving(control_key="ck-1234") as running:
        for options in ("session=bad;fault=engine_overloaded", "session=bad", "session=good"):
            chat(running, options=options)
        yield running


def verdict(server: MockServer, *more: str) -> Result:
    given = ["verdict", "--url", server.base_url, "--control-key", "ck-1234"]
    return CliRunner().invoke(main, [*given, *more])


def test_verdict_prints_what_was_found_and_exits_with_1(server: MockServer) -> None:
    shown = verdict(server)
    assert shown.exit_code == 1
    first, blank, finding, evidence = shown.output.splitlines()
    assert (first, blank) == ("3 requests, 2 calls, 1 finding", "")
    assert finding.startswith("warning  no_backoff  the retry came ")
    assert evidence.startswith("         session bad: req_000001 at 20")
    assert ", req_000002 at 20" in evidence


@pytest.mark.parametrize(("least", "code"), [("info", 1), ("error", 0), ("never", 0)])
def test_the_exit_code_is_1_from_the_chosen_severity(
    server: MockServer, least: str, code: int
) -> None:
    assert verdict(server, "--fail-on", least).exit_code == code


def test_a_session_without_findings_is_fine(server: MockServer) -> None:
    shown = verdict(server, "--session", "good")
    assert (shown.exit_code, shown.output) == (0, "1 request, 1 call: nothing found\n")


def test_verdict_as_json_is_the_control_apis(server: MockServer) -> None:
    shown = verdict(server, "--json", "--session", "bad")
    asked = call(server, "/__k3mock__/verdict?session=bad", key="ck-1234")
    assert json.loads(shown.output) == asked.json
    assert asked.json == server.verdict("bad").as_json()
    (finding,) = asked.json["findings"]
    assert (finding["rule"], finding["severity"]) == ("no_backoff", "warning")
    assert [seen["id"] for seen in finding["evidence"]] == ["req_000001", "req_000002"]


def test_a_wrong_key_is_told(server: MockServer) -> None:
    shown = CliRunner().invoke(main, ["verdict", "--url", server.address])
    assert shown.exit_code == 1
    assert "the server gives no verdict" in shown.output
    assert "the control API needs `Authorization: Bearer <control key>`" in shown.output


def test_a_server_that_is_no_k3mock_or_none_at_all_is_told() -> None:
    shown = CliRunner().invoke(main, ["verdict", "--url", "http://127.0.0.1:1"])
    assert shown.exit_code == 1
    assert "no k3mock server answers" in shown.output
    assert "start one with `k3mock serve`" in shown.output


def test_what_another_kind_of_server_says_is_shown_as_it_is() -> None:
    assert _refusal(b'{"error": {"message": "no"}}') == "no"
    assert _refusal(b"<html>") == "<html>"
    assert _refusal(b"[]") == "[]"


def test_an_address_of_another_kind_is_a_usage_error() -> None:
    shown = CliRunner().invoke(main, ["verdict", "--url", "localhost:8000"])
    assert shown.exit_code == 2
    assert "is no address of a server" in shown.output


def test_the_control_api_takes_no_other_parameter(server: MockServer) -> None:
    answer = call(server, "/__k3mock__/verdict?sesion=bad", key="ck-1234")
    assert answer.status == 400
    assert "did you mean 'session'?" in answer.error["message"]
