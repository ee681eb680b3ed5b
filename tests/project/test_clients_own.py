"""The cells of clients that bring their own tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.scenario.check import problems
from tests.clients import judge, own
from tests.clients.cases import CASES
from tests.clients.cells import AGENT, COLUMNS
from tests.clients.groups import FOLDER, read
from tests.clients.witness import Call, Witness

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (("Bash", {"command": "ls"}), ("Read", {"path": "a"}))
CELLS = [(name, column) for name, cells in own.OWN.items() for column in cells]


def _seen(results: list[str], *, thought: str = "hm", **saw: Any) -> Witness:
    turns: list[dict[str, Any]] = []
    for number, result in enumerate(results):
        turns += [
            {
                "role": "assistant",
                "tool_calls": [{"id": f"t{number}"}],
                "reasoning_content": thought,
            },
            {"role": "tool", "tool_call_id": f"t{number}", "content": result},
        ]
    call = Call(body={"messages": turns}, status=200, end="complete", usage=None)
    given = {"text": judge.FIXED, "calls": [list(step) for step in STEPS], **saw}
    return Witness(outcome="works", saw=given, calls=(call,))


def test_a_loop_must_make_its_calls_see_their_results_and_send_them_back() -> None:
    said = judge.looped(STEPS, ("adder",), judge.FIXED)
    assert said(_seen(["adder.py", "text"])) == "works"
    assert said(_seen(["adder.py", "text"], thought="")) == "works, reasoning not sent back"
    assert said(_seen(["adder.py"])) == "results do not fit the calls"
    assert said(_seen(["no such file", "text"])) == "a tool did not do what it was called for"
    assert said(_seen(["adder.py", "text"], calls=[])) == "runs []"
    assert said(_seen(["adder.py", "text"], text="")) == "empty answer (2 of 2 steps)"


def test_a_column_is_everybody_s_where_a_client_has_none_of_its_own() -> None:
    usual = COLUMNS["tools"]
    assert own.cell("", "tools", usual) is usual
    assert own.cell("kimi_code", "plain", COLUMNS["plain"]) is COLUMNS["plain"]
    assert own.cell("kimi_code", "tools", usual) is own.OWN["kimi_code"]["tools"]


def test_a_group_names_cells_that_there_are() -> None:
    named = {read(path).own for path in FOLDER.glob("*.toml")} - {""}
    assert named == set(own.OWN)
    assert {column for _, column in CELLS} <= {*COLUMNS, AGENT.title, *CASES}


@pytest.mark.parametrize(("name", "column"), CELLS)
def test_the_scenario_of_an_own_cell_has_no_mistake(name: str, column: str, tmp_path: Path) -> None:
    file = tmp_path / "played.yaml"
    file.write_text(own.OWN[name][column].played, encoding="utf-8")
    assert [each for each in problems([file]) if each.severity == "error"] == []
