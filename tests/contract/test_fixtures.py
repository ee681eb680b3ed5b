"""The request fixtures are a table: an invalid one names its rule, a valid one gets through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.contract.checks import CHECKS
from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.contract.rule import Evidence
from tests.contract.black_box import (
    INVALID_FIXTURES,
    VALID_FIXTURES,
    assert_accepted,
    assert_refused,
    entries,
    marks,
    read_fixture,
    send,
)

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

INVALID = [pytest.param(path, id=path.stem) for path in INVALID_FIXTURES]
VALID = [pytest.param(path, id=path.stem) for path in VALID_FIXTURES]
KEYS = {"about", "before", "request", "raw", "headers", "method", "path", "profile", "api_keys",
        "status", "error", "evidence", "effective", "warned"}  # fmt: skip


@pytest.mark.parametrize("path", INVALID)
def test_an_invalid_fixture_is_refused_by_its_rule_to_the_byte(
    path: Path, worlds: Worlds, moonshot: Profile
) -> None:
    """Two keys, `message` before `type`, are the form of all raw captures; few have their own."""
    fixture = read_fixture(path)
    world = worlds(fixture.get("profile"), tuple(fixture.get("api_keys", ())))
    answer = send(world, fixture, f"fixture-{path.stem}")
    assert_refused(answer, path.stem, fixture["error"], status=fixture["status"])
    keys = moonshot.rule(path.stem).error_keys or ("message", "type")
    assert tuple(fixture["error"]) == keys


@pytest.mark.parametrize("path", [p for p in INVALID_FIXTURES if "request" in read_fixture(p)],
                         ids=lambda path: path.stem)  # fmt: skip
def test_the_same_refusal_comes_as_plain_json_when_a_stream_was_asked_for(
    path: Path, worlds: Worlds
) -> None:
    """Errors before the first byte are normal JSON, also with `stream: true` (raw captures)."""
    fixture = read_fixture(path)
    world = worlds(fixture.get("profile"), tuple(fixture.get("api_keys", ())))
    answer = send(world, fixture, f"stream-{path.stem}", stream=True)
    assert_refused(answer, path.stem, fixture["error"], status=fixture["status"])


@pytest.mark.parametrize("path", INVALID)
def test_an_invalid_fixture_states_how_its_rule_is_known(path: Path, moonshot: Profile) -> None:
    """The marks stand in the fixture a second time, so that none changes unseen."""
    fixture = read_fixture(path)
    assert set(fixture) <= KEYS
    assert "".join(fixture["evidence"]) == marks(moonshot, path.stem)


def test_every_rule_has_an_invalid_fixture_and_the_reverse(moonshot: Profile) -> None:
    assert {path.stem for path in INVALID_FIXTURES} == {rule.id for rule in moonshot.rules}


def test_every_rule_says_how_it_is_known_and_where_it_is_written(moonshot: Profile) -> None:
    for rule in moonshot.rules:
        assert rule.evidence
        assert all(isinstance(mark, Evidence) for mark in rule.evidence)
        assert rule.source, rule.id


def test_every_named_error_says_how_it_is_known_and_where_it_is_written(moonshot: Profile) -> None:
    for name, preset in moonshot.errors.items():
        assert preset.evidence
        assert preset.source, name


def test_every_check_is_used_by_some_rule() -> None:
    rules = [rule for name in NAMES for rule in load_profile(name).rules]
    assert {rule.check for rule in rules} == set(CHECKS)


@pytest.mark.parametrize("path", VALID)
def test_a_valid_fixture_is_answered(path: Path, server: MockServer) -> None:
    """Documented values, and what raw captures and the vendor's verifier send with success."""
    fixture = read_fixture(path)
    assert set(fixture) <= KEYS
    session = f"valid-{path.stem}"
    answer = send(server, fixture, session)
    assert_accepted(answer)
    [entry] = entries(server, session)
    assert [f"{found['rule']} {found['path']}" for found in entry["warnings"]] == fixture.get(
        "warned", []
    )
    expected = fixture.get("effective", {})
    assert {name: entry["effective"][name] for name in expected} == expected


@pytest.mark.parametrize("path", VALID)
def test_a_valid_fixture_is_answered_as_a_stream(path: Path, server: MockServer) -> None:
    """The contract of a request does not depend on how its answer travels."""
    answer = send(server, read_fixture(path), f"valid-stream-{path.stem}", stream=True)
    assert_accepted(answer)
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.events[-1] == "[DONE]"


def test_there_are_valid_fixtures_enough() -> None:
    assert len(VALID_FIXTURES) >= 30
