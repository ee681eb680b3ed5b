"""The columns of clients that know nothing but HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.scenario.check import problems
from tests.clients import judge, plain_cells
from tests.clients.cells import COLUMNS
from tests.clients.plain_cells import PLAIN, columns_of
from tests.clients.witness import Call, Witness

if TYPE_CHECKING:
    from pathlib import Path

TEXT = judge.WHOLE
CALL = Call(body={}, status=400, end="complete", usage=None)
RAISED = {"class": "OSError", "message": "no"}


def _seen(**saw: Any) -> Witness:
    return Witness(outcome="works", saw=saw, calls=(CALL,))


def test_two_answers_must_be_whole_and_share_a_connection() -> None:
    said = plain_cells.reused
    assert said(_seen(texts=[TEXT, TEXT], connections=1)) == "works"
    assert said(_seen(texts=[TEXT, TEXT], connections=2)) == "opens 2 connections"
    assert said(_seen(texts=[TEXT, "Paris"], connections=1)) == "empty answer"
    assert said(_seen(texts=[], connections=1)) == "empty answer"
    assert said(_seen(exception=RAISED)) == "raises OSError"


def test_an_old_client_needs_both_kinds_of_answer() -> None:
    assert plain_cells.old(_seen(text=TEXT, stream_text=TEXT)) == "works"
    assert plain_cells.old(_seen(text=TEXT[:3], stream_text=TEXT)) == "half the text"
    assert plain_cells.old(_seen(text=TEXT, stream_text=TEXT[:3])) == "half the text"


def test_a_body_that_waits_needs_the_server_s_word() -> None:
    assert plain_cells.continued(_seen(text=TEXT, continued=True)) == "works"
    assert plain_cells.continued(_seen(text=TEXT, continued=False)) == "body sent without a 100"
    assert plain_cells.continued(_seen(text="", continued=True)) == "empty answer"


def test_a_compressed_body_is_read_or_refused() -> None:
    assert plain_cells.refused(_seen(refused="no JSON")) == "refused with 400"
    assert plain_cells.refused(_seen(text=TEXT)) == "works"


def test_plain_clients_have_columns_of_their_own() -> None:
    assert columns_of("plain") is PLAIN
    assert columns_of("node") is COLUMNS
    assert columns_of("python") is COLUMNS


@pytest.mark.parametrize("name", PLAIN)
def test_the_scenario_of_a_plain_column_has_no_mistake(name: str, tmp_path: Path) -> None:
    file = tmp_path / "played.yaml"
    file.write_text(PLAIN[name].played, encoding="utf-8")
    assert [each for each in problems([file]) if each.severity == "error"] == []
