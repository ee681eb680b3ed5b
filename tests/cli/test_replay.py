"""`k3mock replay` serves cassettes and says at its end what nobody asked for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from k3mock.cassette.format import write
from k3mock.cli.replay import _pace, replay
from k3mock.errors import SettingsError
from tests.cassette.tapes import STREAM, recorded
from tests.cli.command import refused
from tests.support import chat, request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def running(*flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "k3mock", "replay", "--port", "0", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().split()[-1]
        finally:
            if process.poll() is None:
                process.kill()


def stopped(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    return process.returncode, err


def failed(*flags: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "k3mock", "replay", "--port", "0", *flags],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def taped(path: Path, *texts: str) -> str:
    slow = ((60_000_000, 8),)
    write(path, [recorded(request(text), b"data: x\n", number=number, headers=STREAM, chunks=slow)
                 for number, text in enumerate(texts, 1)])  # fmt: skip
    return str(path)


def test_it_serves_until_a_signal_and_lists_what_nobody_asked_for(tmp_path: Path) -> None:
    path = taped(tmp_path / "login.yaml", "one", "two", *(f"more {n}" for n in range(25)))
    with running(path, "--max-gap", "5", "--exhausted", "cycle") as (process, address):
        assert chat(address, "one").body == b"data: x\n"
        assert chat(address, "one").status == 200
        assert chat(address, "other").error["code"] == "no_match"
        code, err = stopped(process)
    assert code == 0
    assert f"cassettes  {path}; exhausted cycle" in err
    assert "pace       recorded,max_gap_ms=5" in err
    assert "26 recordings were not asked for:\n  login.yaml#2 POST chat/completions" in err
    assert "  and 6 more" in err
    assert err.endswith("k3mock stopped\n")


def test_a_session_that_was_played_to_its_end_is_told_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "cassettes"
    folder.mkdir()
    taped(folder / "login.yaml", "one")
    with running(str(folder), "--pace", "0", "--log-format", "json", "--strict") as (process, at):
        assert chat(at, "one").status == 200
        _, err = stopped(process)
    notes = [json.loads(line).get("note") for line in err.splitlines()]
    assert "every recording was asked for" in notes
    assert "exhausted error, strict" in err


def test_a_missing_file_and_a_damaged_folder_end_it_with_their_reason(tmp_path: Path) -> None:
    code, err = failed(str(tmp_path / "none.yaml"))
    assert code == 1
    assert "there is no such cassette" in err
    (tmp_path / "broken.yaml").write_text("interactions: []\n")
    code, err = failed(str(tmp_path))
    assert code == 1
    assert "broken.yaml" in err


def test_a_wrong_use_is_told_as_one() -> None:
    assert CliRunner().invoke(replay, []).exit_code == 2
    code, err = refused("replay", "x.yaml", "--pace", "fast")
    assert code == 2
    assert "unknown pace 'fast'" in err
    code, err = refused("replay", "x.yaml", "--ignore", "a..b")
    assert code == 2
    assert "a path to ignore cannot be read" in err


@pytest.mark.parametrize(
    ("text", "pace"),
    [(None, None), ("instant", "instant"), ("recorded", "recorded"), ("0", "instant"),
     ("2", "recorded,speed=2"), ("0.5", "recorded,speed=0.5")],
)  # fmt: skip
def test_a_number_is_how_many_times_as_fast(text: str | None, pace: str | None) -> None:
    assert _pace(text) == pace


@pytest.mark.parametrize("text", ["-1", "inf", "nan"])
def test_a_speed_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="not a speed"):
        _pace(text)
