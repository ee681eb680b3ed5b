from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from k3mock.cli.main import main
from tests.support import request

if TYPE_CHECKING:
    from pathlib import Path

FAST = ["--tokenizer", "counter=splintr"]


def test_a_text_is_counted_and_shows_its_ids() -> None:
    shown = CliRunner().invoke(main, ["tokens", "--ids", "--json", *FAST], input="hello world")
    assert json.loads(shown.output) == {
        "vocabulary": "kimi_k3 (official ranks, splintr)",
        "tokens": 2,
        "ids": [22931, 2695],
    }


def test_a_request_is_counted_as_usage_would(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request("say hi")))
    shown = CliRunner().invoke(main, ["tokens", str(path), *FAST])
    assert "prompt_tokens: 87\nrendered: 90\n" in shown.output


def test_json_that_is_no_request_is_text() -> None:
    shown = CliRunner().invoke(main, ["tokens", "-", *FAST], input='{"a": 1}')
    assert "tokens: 6" in shown.output


def test_another_vocabulary_can_be_asked_for() -> None:
    flags = ["tokens", "--ids", "--tokenizer", "vocabulary=o200k_base"]
    shown = CliRunner().invoke(main, flags, input="hello world")
    assert "ids: [24912, 2375]" in shown.output
    assert "approximate" in shown.output


def test_a_missing_file_is_one_message(tmp_path: Path) -> None:
    shown = CliRunner().invoke(main, ["tokens", str(tmp_path / "none.txt")])
    assert shown.exit_code == 2
    assert "none.txt: the file cannot be read" in shown.output
