"""Mistakes in the notes and known fields of a profile file are told with their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from k3mock.errors import ProfileError
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("notes: {field.unknwn: null}", "field.unknown", id="null-of-nothing"),
        pytest.param("notes: {field.unknown: 5}", "a mapping, or null", id="no-mapping"),
        pytest.param("notes: {field.unknown: {lok: x}}", "unknown key 'lok'", id="key"),
        pytest.param("notes: {field.unknown: {level: loud}}", "info, warn", id="level"),
        pytest.param("notes: {field.unknown: {evidence: [Z]}}", "evidence mark", id="evidence"),
        pytest.param("notes: {field.unknown: {look: unknwn}}", "unknown", id="look"),
        pytest.param("notes: {my.own: {message: x}}", "names no known look", id="no-look"),
        pytest.param("notes: {my.own: {look: unknown}}", "needs 'message'", id="no-message"),
        pytest.param(
            "notes: {my.own: {look: deprecated, field: x, message: y}}", "needs 'other'", id="args"
        ),
        pytest.param("notes: {field.unknown: {message: '{x}'}}", "nothing fills", id="placeholder"),
        pytest.param("known: {fields: 5}", "list of texts", id="fields"),
        pytest.param("known: {field: []}", "unknown key 'field'", id="known-key"),
        pytest.param("known: {ignored: {x: 5}}", "by which nothing is lost", id="ignored"),
        pytest.param("known: {harmless: {x: a}}", "by which nothing is lost", id="harmless"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_is_accepted(
    tmp_path: Path, text: str, said: str
) -> None:
    path = profile_file(tmp_path, f"extends: moonshot\n{text}\n")
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    assert said in str(caught.value)
    assert (caught.value.where or "").startswith(f"{path}:2:")
