"""Rules: their texts, the switches that move them, and the words for how they are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.subject import Stage
from k3mock.contract.checks.transport import HEADER_MATCHES, REQUIRED
from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.contract.rule import EVIDENCE_WORDS, Effect, Evidence, Rule, fill, placeholders
from k3mock.contract.shape import EFFECT_SWITCHES, ENGINE_GROUPS, SWITCHES, Leaf
from k3mock.protocol.failure import ApiError

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile


def rule(**fields: str) -> Rule:
    return Rule(id="a.b", check="only", message="no {field}, {other}", **fields)  # type: ignore[arg-type]


def test_a_refusal_carries_the_rule_s_words_and_place() -> None:
    found = rule(type="odd", param="p", code="c").refuse("x.0", field="y")
    assert found == ApiError(
        status=400, message="no y, {other}", type="odd", code="c", param="p", rule="a.b", path="x.0"
    )
    assert rule().refuse().path == ""


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        pytest.param("{a} and {b}", "1 and {a}", id="values-are-not-looked-at-again"),
        pytest.param("{c} {a}", "{c} 1", id="unknown-stays"),
        pytest.param("{} {a b} {{a}}", "{} {a b} {1}", id="other-braces-stay"),
        pytest.param("#/$defs/", "#/$defs/", id="plain"),
    ],
)
def test_placeholders_are_filled_once(text: str, filled: str) -> None:
    assert fill(text, {"a": "1", "b": "{a}"}) == filled


def test_placeholders_are_found() -> None:
    assert placeholders("{a} {b_1} {a} {} { c }") == {"a", "b_1"}


def test_a_rule_says_what_moves_it() -> None:
    plain = rule()
    assert plain.moved_by() == "rules.a.b.enabled"
    assert replace(plain, group="tools").moved_by() == "engine_rules:tools"
    both = replace(
        plain, group="tools", when={"thinking": ("refuse",), "anyof_rule": ("accept", "refuse")}
    )
    assert both.moved_by() == ("thinking=refuse, anyof_rule=accept or refuse, engine_rules:tools")
    by_switch = replace(both, effect_of="reasoning_replay")
    assert by_switch.moved_by().startswith("reasoning_replay, thinking=refuse")
    assert replace(by_switch, effect=Effect.WARN).moved_by().startswith("thinking=refuse")


def test_a_rule_holds_when_enabled_in_its_group_and_under_its_switches(moonshot: Profile) -> None:
    plain = rule()
    assert moonshot.holds(plain)
    assert not moonshot.holds(replace(plain, enabled=False))
    assert moonshot.holds(replace(plain, group="tools"))
    assert not replace(moonshot, engine_rules=frozenset()).holds(replace(plain, group="tools"))
    assert moonshot.holds(replace(plain, when={"thinking": ("enabled_only",)}))
    assert moonshot.holds(replace(plain, when={"thinking": ("enabled_only", "refuse")}))
    assert not moonshot.holds(replace(plain, when={"thinking": ("refuse",)}))
    assert not moonshot.holds(replace(plain, when={"unheard_of": ("refuse",)}))


def test_a_switch_or_the_rule_itself_sets_the_effect(moonshot: Profile) -> None:
    """What the rule says of itself counts more than the switch; ignored rules do not hold."""
    plain = rule()
    switched = replace(plain, effect_of="reasoning_replay")

    def replay(value: str) -> Profile:
        return replace(moonshot, switches={**moonshot.switches, "reasoning_replay": value})

    assert moonshot.effect(plain) is Effect.REFUSE
    assert moonshot.effect(replace(plain, effect=Effect.WARN)) is Effect.WARN
    assert replay("warn").effect(switched) is Effect.WARN
    assert replay("refuse").holds(switched)
    assert not replay("ignore").holds(switched)
    assert replay("ignore").holds(replace(switched, effect=Effect.REFUSE))
    assert not moonshot.holds(replace(plain, effect=Effect.IGNORE))
    assert not replace(moonshot, switches={}).holds(switched)


def test_every_mark_has_words() -> None:
    assert set(EVIDENCE_WORDS) == set(Evidence)


def test_every_check_has_a_sentence_and_its_own_name() -> None:
    for name, check in CHECKS.items():
        assert check.name == name
        assert check.about


def test_the_steps_before_the_body_are_the_transport_checks() -> None:
    found = {name for name, check in CHECKS.items() if check.stage is Stage.TRANSPORT}
    assert found == {*REQUIRED, HEADER_MATCHES}


@pytest.mark.parametrize("name", [*REQUIRED, HEADER_MATCHES])
def test_a_transport_check_finds_nothing_by_itself(name: str, moonshot: Profile) -> None:
    check = CHECKS[name]
    assert list(check.look(None, moonshot.rules[0])) == []  # type: ignore[arg-type]


def test_every_rule_s_message_is_filled_by_its_check(moonshot: Profile) -> None:
    for found in moonshot.rules:
        filled = CHECKS[found.check].fills | set(found.values)
        assert placeholders(found.message) <= filled, found.id


def test_every_group_has_some_rule_and_every_rule_a_known_switch(moonshot: Profile) -> None:
    assert {found.group for found in moonshot.rules} - {None} == set(ENGINE_GROUPS)
    for found in moonshot.rules:
        for name, values in found.when.items():
            assert set(values) <= set(SWITCHES[name]), found.id
        assert found.effect_of is None or found.effect_of in EFFECT_SWITCHES


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_moves_some_rule(switch: str, moonshot: Profile) -> None:
    """By its value, by its effect, or by what the rule's check looks at."""
    assert moonshot.switches[switch] in SWITCHES[switch]
    assert any(
        switch in {*found.when, found.effect_of, *CHECKS[found.check].switches}
        for found in moonshot.rules
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_has_every_switch_at_a_value_that_there_is(name: str) -> None:
    switches = load_profile(name).switches
    assert set(switches) == set(SWITCHES)
    assert all(value in SWITCHES[switch] for switch, value in switches.items())


def test_a_leaf_says_what_it_accepts() -> None:
    assert Leaf("text").accepts() == "text"
    assert Leaf("text", ("a", "b")).accepts() == "one of a, b"


def test_an_error_with_a_body_of_its_own_keeps_it(moonshot: Profile) -> None:
    found = moonshot.errors["cloudflare_524"].error()
    assert found.body is not None
    assert found.body.startswith("<!DOCTYPE html>")
    assert found.rule == "errors.cloudflare_524"
