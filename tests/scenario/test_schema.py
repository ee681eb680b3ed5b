"""The JSON Schemas: they take what the loader takes, and refuse what it refuses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from k3mock.contract.profiles import FOLDER, NAMES
from k3mock.errors import K3MockError
from k3mock.scenario.files import shipped_file, shipped_names
from k3mock.scenario.schema import profile_schema, scenario_schema
from k3mock.yamlfile import load, parse
from tests.scenario import test_events, test_load, test_reply
from tests.scenario.loading import library

if TYPE_CHECKING:
    from pathlib import Path

BY_HAND = {
    # What only code can see; the schema cannot.
    "both", "template", "file", "parameter", "error-key", "no-fault", "fault-text",
    "fault", "fault-parameter", "chaos-fault", "pace", "pace-key", "base64", "large",
    "large-inside", "large-priority", "infinite", "infinite-text", "regex-of-a-secret",
    "header-that-frames", "header-name", *(f"header-{at}" for at in range(4)),
    "error-event", "error-event-name", "events-and-words", "error-and-events", "arguments-twice",
    "regex", "jmespath", "range", "profile", "surrogate", "surrogate-inside", "twice", "yaml",
    "unsafe", "empty",
}  # fmt: skip


@cache
def validator(kind: str) -> Any:
    schema = {"scenario": scenario_schema, "profile": profile_schema}[kind]()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def valid(value: Any, kind: str = "scenario") -> bool:
    return bool(validator(kind).is_valid(value))


@pytest.mark.parametrize("name", shipped_names())
def test_the_shipped_scenarios_are_valid(name: str) -> None:
    path = shipped_file(name)
    assert path is not None
    assert [each.message for each in validator("scenario").iter_errors(_read(path))] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_built_in_profiles_are_valid(name: str) -> None:
    content = _read(FOLDER / f"{name}.yaml")
    assert [each.message for each in validator("profile").iter_errors(content)] == []


def _read(path: Path) -> Any:
    return load(path, K3MockError).value


@pytest.mark.parametrize(
    "text", [each.values[0] for each in test_load.MISTAKES if each.id not in BY_HAND]
)
def test_what_the_loader_refuses_by_its_shape_is_invalid(text: str) -> None:
    assert not valid(_parsed(text))


def _parsed(text: str) -> Any:
    return parse(text.encode(), "text", K3MockError).value


def _params(function: Any) -> list[str]:
    (mark,) = [each for each in function.pytestmark if each.name == "parametrize"]
    return [str(each.values[0]) for each in mark.args[1]]


@pytest.mark.parametrize(
    "reply",
    sorted({
        *_params(test_reply.test_words_become_events),
        *_params(test_reply.test_the_way_an_answer_is_given),
        *_params(test_reply.test_the_finish_reason),
        *(f"events: [{item}]" for item in _params(test_events.test_an_item_becomes_its_events)),
    }),
)  # fmt: skip
def test_replies_that_the_loader_takes_are_valid(reply: str) -> None:
    assert valid({"turns": [{"reply": _parsed(reply)}]})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("{name: a, scenarios: [{name: b, pace: 1}]}", False),
        ("{scenarios: [{name: b, pace: 1}]}", True),
        ('{wire: {writes: "bytes:0"}}', False),
        ('{wire: {writes: "bytes:70"}}', True),
        ("{wire: {writes: coalesced}}", True),
        ("{turns: [{reply: {error: {}}}]}", False),
        ("{turns: [{reply: a, times: 2.0}]}", True),
        ("{turns: [{reply: {chaos: [{fault: crlf, probability: 1}]}}]}", True),
    ],
)
def test_the_schema_takes_what_the_check_takes(tmp_path: Path, text: str, *, right: bool) -> None:
    assert valid(_parsed(text)) is right
    assert library(tmp_path, text).broken is not right


@pytest.mark.parametrize(
    "profile",
    [{"namee": "x"}, {"limits": {"window_tokens": "many"}}, {"wire": {"newline": "crfl"}},
     {"switches": {"thinking": "maybe"}}, {"engine_rules": ["all"]}, {"strict": "yes"},
     {"errors": {"a": {"statux": 3}}}],
    ids=str,
)  # fmt: skip
def test_wrong_profiles_are_invalid(profile: dict[str, Any]) -> None:
    assert not valid(profile, "profile")


def test_a_null_takes_a_part_of_a_profile_away() -> None:
    assert valid({"extends": "moonshot", "rules": {"a": None}, "strict": None}, "profile")
