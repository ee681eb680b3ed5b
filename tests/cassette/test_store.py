from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.format import document, load, write
from k3mock.cassette.journal import find
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import Tape, journal_file, leftover, lock_file, lock_shared, recover
from tests.cassette.recordings import answered, recorded, stock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from k3mock.cassette.interaction import Interaction


def nothing(_seen: Iterable[Interaction]) -> list[str]:
    return []


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def killed(path: Path, made: list[Interaction], torn: bytes = b"") -> None:
    """Leave a journal as a recorder does that was killed."""
    tape = Tape.open(path)
    for each in made:
        tape.append(each)
    tape.close()
    with journal_file(path).open("ab") as file:
        file.write(torn)


def test_a_session_becomes_what_vcrpy_would_have_written_in_order_of_arrival(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.yaml"
    made = [recorded(1, "a"), answered(2, "b"), recorded(3, "c")]
    with Tape.open(path) as tape:
        for each in (made[2], made[0], made[1]):
            tape.append(each)
        assert tape.count == 3
        assert not path.exists()
        assert tape.publish((), nothing)
        assert path.read_text("ascii") == stock(made)
    assert names(tmp_path) == ["own.yaml", "own.yaml.lock"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert load(path).interactions == tuple(made)


def test_a_session_may_be_kept_as_json(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    with Tape.open(path) as tape:
        tape.append(answered(2))
        tape.append(recorded(1))
        tape.publish((), nothing)
    assert path.read_text("ascii") == stock([recorded(1), answered(2)], json_format=True)


def test_the_journal_holds_each_interaction_at_once_and_is_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    with Tape.open(path) as tape:
        tape.append(recorded(7))
        text = journal_file(path).read_text("ascii")
        assert text.startswith("# k3mock journal=1 seq=7 ")
        assert text.split("\n", 1)[1] == document(recorded(7))
        assert journal_file(path).stat().st_mode & 0o777 == 0o600


def test_what_is_known_comes_first_and_numbers_go_on(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(1), replace(answered(2), timing=None), recorded(5)])
    known = load(path)
    with Tape.open(path, known) as tape:
        assert tape.next_seq == 6
        tape.append(recorded(7, "new"))
        assert tape.next_seq == 8
        tape.append(recorded(6, "newer"))
        assert tape.next_seq == 8
        tape.publish(known.interactions[1:], nothing)
    seqs = [None if each.timing is None else each.timing.seq for each in load(path).interactions]
    assert seqs == [None, 5, 6, 7]


def test_a_cassette_may_be_loaded_once_it_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(4)])
    with Tape.open(path) as tape:
        tape.follow(load(path))
        assert tape.next_seq == 5
        tape.append(recorded(9))
        tape.follow(load(path))
        assert tape.next_seq == 10


def test_an_interaction_without_times_comes_when_it_came(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    with Tape.open(path) as tape:
        assert tape.next_seq == 1
        for question in ("a", "b"):
            tape.append(replace(answered(1, question), timing=None))
        assert tape.next_seq == 3
        tape.publish((), nothing)
    assert [b'"a"' in each.request.body for each in load(path).interactions] == [True, False]


def test_a_session_without_interactions_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(1)])
    before = path.stat().st_mtime_ns
    with Tape.open(path, load(path)) as tape:
        assert not tape.publish((), nothing)
    assert path.stat().st_mtime_ns == before
    assert names(tmp_path) == ["own.yaml", "own.yaml.lock"]


def test_what_the_check_finds_is_not_published_and_the_journal_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(1)])
    before = path.read_bytes()
    seen: list[Interaction] = []

    def check(all_of_it: Iterable[Interaction]) -> list[str]:
        seen.extend(all_of_it)
        return ["interaction 2, body: a key", "interaction 2, uri: a key"]

    known = load(path)
    with Tape.open(path, known) as tape:
        tape.append(answered(2))
        with pytest.raises(CassetteError) as caught:
            tape.publish(known.interactions, check)
    assert seen == [recorded(1), answered(2)]
    assert caught.value.found == "interaction 2, body: a key\n    interaction 2, uri: a key"
    assert str(caught.value.hint).endswith("what was recorded is kept in own.yaml.journal")
    assert path.read_bytes() == before
    assert leftover(path) == journal_file(path)


def test_closing_without_publishing_keeps_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1)])
    assert names(tmp_path) == ["own.yaml.journal", "own.yaml.lock"]


def test_a_journal_that_was_left_is_told_of_and_never_merged_silently(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1)])
    with pytest.raises(CassetteError) as caught:
        Tape.open(path)
    assert caught.value.what == "a recording of this cassette was not finished"
    assert f"k3mock cassette recover {path}" in str(caught.value.hint)
    with lock_shared(path):
        pass


def test_an_empty_journal_that_was_left_is_used(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    journal_file(path).write_bytes(b"")
    assert leftover(path) is None
    with Tape.open(path) as tape:
        tape.append(recorded(1))
        tape.publish((), nothing)
    assert len(load(path).interactions) == 1


def test_a_cassette_is_recorded_once_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    with Tape.open(path) as tape:
        tape.append(recorded(1))
        assert leftover(path) is None
        for other in (Tape.open, lock_shared, recover):
            with pytest.raises(CassetteError, match="by somebody else"):
                other(path)
    tape.close()


def test_there_is_no_leftover_where_there_is_no_journal(tmp_path: Path) -> None:
    assert leftover(tmp_path / "own.yaml") is None


def test_a_folder_that_cannot_be_written_is_said_before_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CassetteError, match="cannot be recorded here"):
        Tape.open(tmp_path / "file" / "own.yaml")

    real: Callable[..., int] = os.open

    def no_journal(path: Path, *rest: int) -> int:
        if Path(path).suffix == ".journal":
            raise OSError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(os, "open", no_journal)
    with pytest.raises(CassetteError) as caught:
        Tape.open(tmp_path / "own.yaml")
    assert caught.value.hint == "make the file and its folder writable, or choose another path"
    with lock_shared(tmp_path / "own.yaml"):
        pass


@pytest.mark.parametrize("cuttable", [True, False], ids=["cut", "not cut"])
def test_a_full_disk_loses_one_interaction_and_recording_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, cuttable: bool
) -> None:
    path = tmp_path / "own.yaml"
    real = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) < 400:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[:-300])

    def stuck(_descriptor: int, _size: int) -> None:
        raise OSError(22, "Invalid argument")

    tape = Tape.open(path)
    tape.append(recorded(1))
    monkeypatch.setattr(os, "write", full)
    if not cuttable:
        monkeypatch.setattr(os, "ftruncate", stuck)
    with pytest.raises(CassetteError) as caught:
        tape.append(recorded(2))
    assert caught.value.hint == "free some space on that disk; what was recorded before is kept"
    monkeypatch.undo()
    tape.append(recorded(3))
    tape.append(recorded(4))
    tape.close()
    found = find(journal_file(path).read_bytes())
    assert [each.seq for each in found.records] == [1, 3, 4]
    assert (found.damaged > 0, found.torn) == (not cuttable, 0)
    with pytest.raises(CassetteError):
        Tape.open(path)
    assert recover(path).interactions == 3


def test_publishing_works_after_a_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"
    real = os.write
    with Tape.open(path) as tape:
        tape.append(recorded(1))
        monkeypatch.setattr(os, "ftruncate", lambda *_: None)
        monkeypatch.setattr(os, "write", _half(real))
        with pytest.raises(CassetteError):
            tape.append(recorded(2))
        monkeypatch.undo()
        tape.append(recorded(3))
        tape.publish((), nothing)
    assert [each.timing.seq for each in load(path).interactions if each.timing] == [1, 3]


def _half(real: Callable[[int, memoryview], int]) -> Callable[[int, memoryview], int]:
    calls: list[int] = []

    def write_half(descriptor: int, data: memoryview) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[:50])

    return write_half


def test_a_disk_that_refuses_the_cassette_keeps_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with Tape.open(path) as tape:
        tape.append(recorded(1))
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(CassetteError) as caught:
            tape.publish((), nothing)
        monkeypatch.undo()
    assert str(caught.value.hint).endswith("what was recorded is kept in own.yaml.journal")
    assert names(tmp_path) == ["own.yaml.journal", "own.yaml.lock"]
    assert recover(path).added == 1


def test_a_journal_that_vanished_is_said(tmp_path: Path) -> None:
    with Tape.open(tmp_path / "own.yaml") as tape:
        tape.append(recorded(1))
        journal_file(tmp_path / "own.yaml").unlink()
        with pytest.raises(CassetteError, match="the journal cannot be read"):
            tape.publish((), nothing)


def test_a_journal_is_recovered_without_what_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(2), recorded(1)], torn=b"# k3mock journal=1 seq=3 bytes=9")
    result = recover(path)
    assert (result.interactions, result.added, result.torn, result.damaged) == (2, 2, 32, 0)
    assert result.kept is None
    assert load(path).interactions == (recorded(1), recorded(2))
    assert names(tmp_path) == ["own.yaml", "own.yaml.lock"]


@pytest.mark.parametrize("keep", [True, False])
def test_what_the_cassette_held_is_kept_unless_it_is_not_wanted(
    tmp_path: Path, *, keep: bool
) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(1)])
    killed(path, [recorded(2, "new")])
    result = recover(path, keep=keep)
    assert (result.interactions, result.added) == (2 if keep else 1, 1)
    assert len(load(path).interactions) == result.interactions


def test_what_was_published_before_the_recorder_died_is_not_published_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1), answered(2)])
    write(path, [recorded(1), answered(2)])
    before = path.read_bytes()
    result = recover(path)
    assert (result.interactions, result.added) == (2, 0)
    assert path.read_bytes() == before
    assert leftover(path) is None


def test_a_damaged_journal_is_kept_beside_what_was_recovered(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1), recorded(2)])
    raw = journal_file(path).read_bytes()
    journal_file(path).write_bytes(raw[:300] + b"?" + raw[301:])
    result = recover(path)
    assert result.added == 1
    assert result.damaged > 300
    assert result.kept == tmp_path / "own.yaml.journal.damaged"
    assert result.kept.exists()
    assert leftover(path) is None


def test_recovery_checks_for_secrets_too(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1)])
    with pytest.raises(CassetteError, match="holds what must not be kept"):
        recover(path, lambda _: ["interaction 1: a key"])
    assert names(tmp_path) == ["own.yaml.journal", "own.yaml.lock"]


def test_recovery_says_when_there_is_nothing_to_recover(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    with pytest.raises(CassetteError, match="there is no journal to recover"):
        recover(path)
    killed(path, [], torn=b"# k3mock jour")
    with pytest.raises(CassetteError) as caught:
        recover(path)
    assert caught.value.what == "the journal holds no whole interaction"
    assert caught.value.found == "13 bytes"
    journal_file(path).unlink()
    journal_file(path).mkdir()
    with pytest.raises(CassetteError, match="the journal cannot be read"):
        recover(path)


def test_recovery_does_not_overwrite_a_cassette_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    killed(path, [recorded(1)])
    path.write_text("interactions: [")
    with pytest.raises(CassetteError, match="damaged or cut off"):
        recover(path)
    assert path.read_text() == "interactions: ["
    assert leftover(path) == journal_file(path)


ENDLESS = """
import sys
from pathlib import Path
from k3mock.cassette.store import Tape
from tests.cassette.recordings import recorded
tape = Tape.open(Path(sys.argv[1]))
seq = 0
while True:
    seq += 1
    tape.append(recorded(seq))
    print(seq, flush=True)
"""


def test_what_was_finished_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    said += process.communicate()[0].splitlines()
    finished = [int(line) for line in said]
    assert not path.exists()
    assert leftover(path) == journal_file(path)
    result = recover(path)
    seqs = [each.timing.seq for each in load(path).interactions if each.timing]
    assert seqs[: len(finished)] == finished
    assert result.added - len(finished) in {0, 1}
    assert lock_file(path).exists()


def test_a_first_write_that_fails_does_not_lose_the_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"
    write(path, [recorded(1, "old")])
    with Tape.open(path, mode="rewrite") as tape:
        with monkeypatch.context() as patch:
            patch.setattr("os.write", refuse)
            with pytest.raises(CassetteError):
                tape.append(recorded(1))
        tape.append(recorded(1))
    assert find(journal_file(path).read_bytes()).mode == "rewrite"
    result = recover(path)
    assert (result.added, result.replaced) == (1, 1)
    assert load(path).interactions == (recorded(1),)


def test_a_damaged_cassette_is_nothing_to_a_recording_that_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("version: [\n", encoding="utf-8")
    for mode in ("all", "rewrite"):
        with Tape.open(path, mode=mode) as tape:
            tape.append(recorded(1))
        if mode == "all":
            with pytest.raises(CassetteError):
                recover(path)
            journal_file(path).unlink()
    assert recover(path).replaced == 0
    assert load(path).interactions == (recorded(1),)


def test_a_disk_that_refuses_to_take_a_secret_out_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tape.open(tmp_path / "own.yaml") as tape:
        tape.append(recorded(1))
        monkeypatch.setattr("os.fsync", refuse)
        with pytest.raises(CassetteError, match="a secret cannot be taken out of the journal"):
            tape.sift(lambda _: ["#1: known"])


def refuse(*_: object) -> int:
    raise OSError(28, "No space left on device")
