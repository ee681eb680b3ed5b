from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from k3mock.cli.main import main
from k3mock.contract.profiles import NAMES
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile


def test_rules_prints_every_rule_with_evidence_text_and_switch(moonshot: Profile) -> None:
    shown = CliRunner().invoke(main, ["rules"])
    assert shown.exit_code == 0
    for rule in moonshot.rules:
        assert f"\n{rule.id}  [{' '.join(rule.evidence)}]" in shown.output
        assert rule.message in shown.output
    assert "moved by engine_rules:sampling" in shown.output
    assert "tools.schema.anyof  [T]  off" in shown.output


def test_rules_as_json_are_the_rules_that_are_enforced(moonshot: Profile) -> None:
    listed = json.loads(CliRunner().invoke(main, ["rules", "--json"]).output)
    rows = [row for row in listed if row["type"] != "note"]
    assert [row["id"] for row in rows] == [rule.id for rule in moonshot.rules]
    held = {row["id"] for row in rows if row["holds"]}
    assert held == {rule.id for rule in moonshot.rules if moonshot.holds(rule)}
    assert "temperature.fixed" in held


def test_what_a_host_does_without_a_word_is_listed_behind_its_rules(tmp_path: Path) -> None:
    shown = CliRunner().invoke(main, ["rules", "--profile", "apiany"]).output
    assert "\nforward.rename  [S]  warn    200 note\n    {field} is renamed to {other}" in shown
    assert "\nfield.unlisted  [I]  info    200 note" in shown
    assert "\nforward.set  [I]  off     200 note" in shown
    assert "moved by notes.forward.rename.enabled; deprecated and turned into" in shown
    assert shown.index("\nengine:") < shown.index("\nforward.fold")
    path = profile_file(tmp_path, "extends: apiany\nnotes: {forward.rename: null}\n")
    assert "forward.rename" not in CliRunner().invoke(main, ["rules", "--profile", path]).output


def test_rules_of_a_users_profile_show_what_it_changed(tmp_path: Path) -> None:
    path = profile_file(
        tmp_path, "extends: moonshot\nprofile: mine\nswitches:\n  anyof_rule: refuse\n"
    )
    shown = CliRunner().invoke(main, ["rules", "--profile", path])
    assert shown.output.startswith("mine: ")
    assert "tools.schema.anyof  [T]  refuse" in shown.output


def test_rules_say_what_a_violation_does_and_which_switches_count(tmp_path: Path) -> None:
    path = profile_file(
        tmp_path, "extends: moonshot\nprofile: mine\nswitches:\n  reasoning_replay: warn\n"
    )
    shown = CliRunner().invoke(main, ["rules", "--profile", path]).output
    assert "\nmessage.reasoning_missing  [T]  warn    400" in shown
    assert (
        "moved by reasoning_replay, engine_rules:history, reasoning_messages, reasoning_presence;"
    ) in shown
    assert "\nuser_agent.refused  [T]  off     403 access_terminated_error" in shown
    assert "moved by rules.user_agent.refused.enabled" in shown
    rows = json.loads(CliRunner().invoke(main, ["rules", "--profile", path, "--json"]).output)
    effects = {row["id"]: row["effect"] for row in rows}
    assert effects["message.reasoning_missing"] == "warn"
    assert effects["message.alternation"] == "ignore"
    assert effects["n.fixed"] == "refuse"


def test_a_broken_profile_ends_with_status_1(tmp_path: Path) -> None:
    path = profile_file(tmp_path, "extends: moonshot\nrules:\n  temperature.fixed: {valu: 2}\n")
    shown = CliRunner().invoke(main, ["rules", "--profile", path])
    assert shown.exit_code == 1
    assert "own.yaml:3:23: unknown key 'valu' in rules.temperature.fixed" in shown.output


def test_profiles_lists_the_built_in_ones(moonshot: Profile) -> None:
    shown = CliRunner().invoke(main, ["profiles"])
    assert (
        f"moonshot   2026-09  {moonshot.about} (kimi-k3; {len(moonshot.rules)} rules"
        in shown.output
    )
    rows = json.loads(CliRunner().invoke(main, ["profiles", "--json"]).output)
    assert [row["name"] for row in rows] == list(NAMES)
    assert all(row["models"] == ["kimi-k3"] for row in rows)
    assert all(row["as_of"] == "2026-09" for row in rows)
