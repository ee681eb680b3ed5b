"""No rule of a gateway without a row that it refuses, and no row without a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from tests.gateways import test_apiany, test_devotel, test_evolink, test_hotrouter
from tests.gateways.table import GATEWAYS

if TYPE_CHECKING:
    from tests.gateways.table import Answered, Refused

TABLES = {
    "apiany": (test_apiany.REFUSED, test_apiany.ACCEPTED),
    "devotel": (test_devotel.REFUSED, test_devotel.ACCEPTED),
    "evolink": (test_evolink.REFUSED, test_evolink.ACCEPTED),
    "hotrouter": (test_hotrouter.REFUSED, test_hotrouter.ACCEPTED),
}


def refusals(gateway: str) -> list[Refused]:
    """Return the rows of refusals of a gateway."""
    return [row.values[0] for row in TABLES[gateway][0]]  # type: ignore[misc]


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_every_rule_refuses_some_row(gateway: str) -> None:
    """Those before the body is understood as well, and those that are strict or off."""
    own = {row.rule for row in refusals(gateway) if not row.rule.startswith("engine:")}
    assert own == {rule.id for rule in load_profile(gateway).rules}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_only_rules_that_do_not_hold_need_a_profile_of_one_s_own(gateway: str) -> None:
    profile = load_profile(gateway)
    moved = {row.rule for row in refusals(gateway) if row.own is not None}
    assert moved == {rule.id for rule in profile.rules if not profile.holds(rule)}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_rules_of_the_engine_in_the_rows_hold_there(gateway: str) -> None:
    profile = load_profile(gateway)
    assert profile.engine is not None
    met = {row.rule.removeprefix("engine:") for row in refusals(gateway)
           if row.rule.startswith("engine:")}  # fmt: skip
    assert met
    assert met <= {rule.id for rule in profile.engine.rules if profile.engine_holds(rule)}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_every_row_says_how_it_is_known(gateway: str) -> None:
    answers: list[Answered] = [row.values[0] for row in TABLES[gateway][1]]  # type: ignore[misc]
    marks = {row.mark for row in refusals(gateway)} | {row.mark for row in answers}
    assert marks <= {"S", "P", "SP", "I"}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_what_a_page_states_is_not_marked_as_chosen(gateway: str) -> None:
    """A rule with a row that a page states carries that page's mark."""
    profile = load_profile(gateway)
    for row in refusals(gateway):
        if row.rule.startswith("engine:"):
            assert row.mark == "I"
        else:
            assert set(row.mark) <= {str(mark) for mark in profile.rule(row.rule).evidence}
