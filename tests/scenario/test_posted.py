from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.delivery.pacing import parse_pace
from k3mock.scenario import posted as module
from k3mock.scenario.kinds import Context
from k3mock.scenario.load import load_text
from k3mock.scenario.posted import Posted
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from k3mock.scenario.model import Scenario

CONTEXT = Context(folder=None, check_pace=parse_pace)


def scenario(name: str) -> Scenario:
    library = load_text(f"name: {name}\nturns: [{{reply: x}}]".encode(), "t", CONTEXT)
    return library.scenarios[0]


def over(posted: Posted, files: list[Scenario]) -> list[Scenario]:
    return [each for layer in posted.layers(files) for each in layer]


def names(found: list[Scenario]) -> list[str]:
    return [each.name for each in found]


def test_those_for_all_go_before_files_and_those_of_sessions_do_not_show() -> None:
    posted = Posted()
    files = [scenario("a"), scenario("f")]
    newer = scenario("a")
    posted.add([scenario("b"), newer], None, 10)
    posted.add([scenario("c")], "s", 10)
    found = over(posted, files)
    assert names(found) == ["b", "a", "f"]
    assert found[1] is newer
    assert [posted.origin(each) for each in found] == ["posted", "posted", "file"]
    assert posted.owners() == (None, "s")


def test_a_replaced_one_keeps_its_place_and_is_told() -> None:
    posted = Posted()
    assert posted.add([scenario("a"), scenario("b")], None, 10) == []
    newer = scenario("a")
    assert posted.add([newer], None, 10) == ["a"]
    found = over(posted, [])
    assert names(found) == ["a", "b"]
    assert found[0] is newer


def test_removal_is_by_owner_and_name() -> None:
    posted = Posted()
    posted.add([scenario("a"), scenario("b")], None, 10)
    posted.add([scenario("a")], "s", 10)
    assert posted.remove("s", "b") == []
    assert posted.remove("other") == []
    assert posted.remove("s", "a") == ["a"]
    assert posted.owners() == (None,)
    assert posted.remove(None) == ["a", "b"]
    assert over(posted, []) == []


def test_there_is_room_for_so_many_scenarios_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SCENARIOS", 2)
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    posted = Posted()
    posted.add([scenario("a"), scenario("b")], None, 60)
    with pytest.raises(ScenarioError, match="no room") as caught:
        posted.add([scenario("c")], "s", 1)
    assert caught.value.found == "3 scenarios"
    assert names(over(posted, [])) == ["a", "b"]
    posted.add([scenario("b")], None, 70)
    with pytest.raises(ScenarioError, match="no room"):
        posted.add([scenario("b")], None, 71)
