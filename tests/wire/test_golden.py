from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support import sse_events
from tests.wire import golden

if TYPE_CHECKING:
    from pathlib import Path

FILES = [pytest.param(name, data, id=name) for name, data in golden.rendered()]


@pytest.mark.parametrize(("name", "data"), FILES)
def test_the_wire_is_as_recorded_byte_for_byte(name: str, data: bytes) -> None:
    recorded = (golden.FOLDER / name).read_bytes()
    assert data == recorded, f"{name} changed; if that is meant, run `make golden`"


@pytest.mark.parametrize(("name", "data"), FILES)
def test_every_golden_answer_is_well_formed(name: str, data: bytes) -> None:
    if name.endswith(".sse"):
        assert sse_events(data)[-1] == "[DONE]"
    else:
        assert isinstance(json.loads(data), dict)
        assert b"\n" not in data


def test_no_golden_file_is_left_over() -> None:
    kept = {path.name for path in golden.FOLDER.iterdir() if path.suffix in {".json", ".sse"}}
    written = {name for name, _ in golden.rendered()}
    assert kept - written == {"raw_turns.json"}


def test_writing_touches_only_what_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden.main(tmp_path)
    assert len(capsys.readouterr().out.splitlines()) == len(FILES)
    golden.main(tmp_path)
    assert capsys.readouterr().out == ""
    (tmp_path / "plain.json").write_bytes(b"{}")
    golden.main(tmp_path)
    assert capsys.readouterr().out == "written: plain.json\n"
