from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.lock import lock_exclusive, lock_file, lock_shared
from k3mock.cassette.problem import CassetteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from k3mock.cassette.lock import Lock

HOLD = """
import sys
from pathlib import Path
from k3mock.cassette.lock import {name}
with {name}(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def held_elsewhere(path: Path, name: str) -> subprocess.Popen[str]:
    """Hold a lock in another process until its input ends."""
    command = [sys.executable, "-c", HOLD.format(name=name), str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize(
    ("holder", "asked", "said"),
    [
        ("lock_exclusive", lock_exclusive, "recorded or replayed"),
        ("lock_exclusive", lock_shared, "recorded"),
        ("lock_shared", lock_exclusive, "recorded or replayed"),
    ],
    ids=["two recorders", "replay while recording", "record while replaying"],
)
def test_a_lock_that_another_process_holds_is_refused_and_the_process_named(
    tmp_path: Path, holder: str, asked: Callable[[Path], Lock], said: str
) -> None:
    path = tmp_path / "own.yaml"
    process = held_elsewhere(path, holder)
    try:
        with pytest.raises(CassetteError) as caught:
            asked(path)
    finally:
        process.communicate()
    doing = "recording" if holder == "lock_exclusive" else "replaying"
    assert caught.value.what == f"the cassette is being {said} by somebody else"
    assert caught.value.found == f"process {process.pid} ({doing})"
    with asked(path):
        assert lock_file(path).exists()
    assert lock_file(path).exists()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    process = held_elsewhere(path, "lock_exclusive")
    process.kill()
    process.communicate()
    with lock_exclusive(path):
        assert lock_file(path).read_text() == f"{os.getpid()} recording\n"


def test_many_may_replay_and_each_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    process = held_elsewhere(path, "lock_shared")
    try:
        with lock_shared(path), lock_shared(path):
            with pytest.raises(CassetteError) as caught:
                lock_exclusive(path)
    finally:
        process.communicate()
    assert caught.value.found == (
        f"process {process.pid} (replaying), process {os.getpid()} (replaying)"
    )


def test_a_lock_works_within_one_process_too(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    first = lock_exclusive(path)
    with pytest.raises(CassetteError):
        lock_exclusive(path)
    with pytest.raises(CassetteError):
        lock_shared(path)
    first.close()
    first.close()
    with lock_exclusive(path):
        pass


def test_the_lock_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    with lock_shared(tmp_path / "own.yaml"):
        assert lock_file(tmp_path / "own.yaml").stat().st_mode & 0o777 == 0o600


def test_replaying_needs_no_folder_that_can_be_written_but_recording_does(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "own.yaml"
    with lock_shared(path):
        pass
    with pytest.raises(CassetteError) as caught:
        lock_exclusive(path)
    assert caught.value.what == "the cassette cannot be recorded here"
    assert caught.value.hint == "check the path, or choose another one"


def test_recording_makes_the_folder(tmp_path: Path) -> None:
    with lock_exclusive(tmp_path / "a" / "b" / "own.yaml"):
        assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("text", ["nobody\n", "", "99999999999999999999 recording\n"])
def test_a_lock_file_without_a_living_name_is_no_obstacle(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.yaml"
    with lock_exclusive(path):
        lock_file(path).write_text(text)
        with pytest.raises(CassetteError) as caught:
            lock_shared(path)
    assert caught.value.found == "a process that left no name"


def test_processes_of_others_and_of_other_systems_count_as_living(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"

    def forbidden(_pid: int, _signal: int) -> None:
        raise PermissionError(1, "not yours")

    with lock_exclusive(path):
        lock_file(path).write_text("12345 recording\n")
        monkeypatch.setattr(os, "kill", forbidden)
        with pytest.raises(CassetteError) as caught:
            lock_shared(path)
        monkeypatch.undo()
        assert caught.value.found == "process 12345 (recording)"


def test_where_nobody_can_tell_who_lives_all_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"
    with lock_exclusive(path):
        lock_file(path).write_text("99999999999999999999 recording\n")
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", "nt")
            with pytest.raises(CassetteError) as caught:
                lock_shared(path)
    assert caught.value.found == "process 99999999999999999999 (recording)"


def test_a_lock_file_that_cannot_be_read_names_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(_descriptor: int, _size: int) -> bytes:
        raise PermissionError(13, "locked, as on Windows")

    with lock_exclusive(tmp_path / "own.yaml"):
        monkeypatch.setattr(os, "read", locked)
        with pytest.raises(CassetteError) as caught:
            lock_shared(tmp_path / "own.yaml")
    assert caught.value.found == "a process that left no name"
