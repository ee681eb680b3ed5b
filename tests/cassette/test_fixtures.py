"""The samples of `fixtures/cassettes` are what they are said to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.answer import joined
from k3mock.cassette.check import Kind, findings
from k3mock.cassette.convert import to_scenario
from k3mock.cassette.format import load
from k3mock.cassette.leaks import file_leaks
from tests.cassette.fixtures import ANSWER, FOLDER, HOST, record

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted(FOLDER.rglob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sample_is_whole_clean_and_names_no_machine(path: Path) -> None:
    cassette = load(path)
    kinds = {each.kind for each in findings(cassette)}
    assert kinds <= ({Kind.PARTIAL} if path.stem == "cut" else {Kind.TIMING})
    assert file_leaks(path) == []
    assert "127.0.0.1" not in path.read_text(encoding="ascii")
    assert all(each.request.uri.startswith(f"https://{HOST}/v1/") for each in cassette.interactions)
    assert to_scenario(cassette).left_out == ()


def test_every_client_recorded_the_same_words() -> None:
    samples = [path for path in FILES if path.parent.name == "vcrpy"]
    assert len(samples) == 8
    for path in samples:
        [found] = load(path).interactions
        assert joined(found.response).content == ANSWER, path


def test_the_samples_can_be_recorded_anew(tmp_path: Path) -> None:
    record(tmp_path)
    fresh = sorted(tmp_path.rglob("*.yaml"))
    assert [path.name for path in fresh] == [path.name for path in FILES]
    for path, known in zip(fresh, FILES, strict=True):
        pairs = zip(load(path).interactions, load(known).interactions, strict=True)
        for one, other in pairs:
            assert one.response.body == other.response.body
            assert one.request.body == other.request.body
            assert one.whole is other.whole
