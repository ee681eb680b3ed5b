"""`k3mock check` and `k3mock schema`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from click.testing import CliRunner

from k3mock.cli.main import main
from tests.scenario.loading import saved
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

GOOD = "name: a\nturns: [{reply: hi}]"
WARNED = "name: a\nturns: [{reply: hi}, {reply: ho}]"
BROKEN = "name: a\nturns: [{rply: hi}]"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize(
    ("text", "flags", "code"),
    [
        pytest.param(GOOD, (), 0, id="good"),
        pytest.param(GOOD, ("--strict",), 0, id="good-strict"),
        pytest.param(WARNED, (), 0, id="warning"),
        pytest.param(WARNED, ("--strict",), 1, id="warning-strict"),
        pytest.param(BROKEN, (), 1, id="error"),
        pytest.param(BROKEN, ("--json",), 1, id="error-json"),
    ],
)
def test_the_exit_code_says_how_bad_it_is(
    tmp_path: Path, text: str, flags: tuple[str, ...], code: int
) -> None:
    assert run("check", str(saved(tmp_path, text)), *flags).exit_code == code


def test_problems_go_to_standard_output_and_the_sum_to_standard_error(tmp_path: Path) -> None:
    path = saved(tmp_path, BROKEN)
    shown = run("check", str(path), "hello")
    assert shown.stdout == (
        f"{path}:2:9: error: 'turns' needs the key 'reply' (at turns.0)\n"
        f"{path}:2:10: error: unknown key 'rply' (at turns.0.rply)\n"
        "  accepted: did you mean 'reply'? known: about, reply, times, when\n"
    )
    assert shown.stderr == "2 files: 2 errors, 0 warnings, 0 notes\n"
    assert run("check", "hello").stderr == "1 file: 0 errors, 0 warnings, 0 notes\n"


def test_problems_as_json(tmp_path: Path) -> None:
    path = saved(tmp_path, WARNED)
    (found,) = json.loads(run("check", str(path), "--json").stdout)
    assert found == {
        "severity": "warning", "where": f"{path}:2:22", "key": "turns.1",
        "what": "scenario 'a': turn 2 can never answer: turn 1 takes all that it matches, without "
        "limit",
        "found": None, "accepted": None,
    }  # fmt: skip
    assert run("check", "hello", "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("check",), "Missing argument", id="no-path"),
        pytest.param(("check", "helo"), "did you mean 'hello'?", id="unknown"),
        pytest.param(("check", "no/such.yaml"), "no such file or folder", id="no-file"),
        pytest.param(("schema", "nothing"), "'scenario', 'profile'", id="schema"),
    ],
)
def test_wrong_usage_exits_with_2(words: tuple[str, ...], told: str) -> None:
    shown = run(*words)
    assert shown.exit_code == 2
    assert told in shown.stderr


@pytest.mark.parametrize("kind", ["scenario", "profile"])
def test_a_schema_is_printed(kind: str) -> None:
    schema: Any = json.loads(run("schema", kind).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"k3mock {kind}"


def test_errors_of_a_profile_file_may_be_named_when_it_is_told(tmp_path: Path) -> None:
    host = profile_file(
        tmp_path, "extends: moonshot\nname: own\nerrors: {own_error: {status: 418, message: tea}}"
    )
    path = str(saved(tmp_path, "name: a\nturns: [{reply: {error: own_error}}]", "scenario.yaml"))
    assert "unknown fault 'own_error'" in run("check", path).stdout
    assert run("check", path, "--profile", host).stdout == ""
    assert "unknown profile" in run("check", path, "--profile", "moonshoot").stderr


def test_a_number_beyond_64_bits_in_a_pattern_is_no_crash(tmp_path: Path) -> None:
    when = "{jmespath: {expression: n, equals: 100000000000000000000}}"
    path = saved(tmp_path, f"name: a\nturns: [{{when: {when}, reply: x}}]")
    assert run("check", str(path)).stderr == "1 file: 0 errors, 0 warnings, 0 notes\n"
