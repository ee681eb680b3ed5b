"""Turns a session that is being recorded into a cassette that no crash can spoil; source layer.

Each finished interaction goes to the journal at once. Publishing sorts them by arrival, has them
checked for secrets, and puts the whole file into its place in one step.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from k3mock.cassette import format as files
from k3mock.cassette.atomic import BINARY, MODE, write_all
from k3mock.cassette.journal import Record, blank, find, journal_file, opening, record
from k3mock.cassette.key import keys
from k3mock.cassette.lock import Lock, lock_exclusive, lock_file, lock_shared
from k3mock.cassette.problem import CassetteError, of_disk
from k3mock.cassette.publish import Documents, publish

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from k3mock.cassette.interaction import Cassette, Interaction
    from k3mock.cassette.publish import Check

__all__ = [
    "Lock", "Recovered", "Tape", "journal_file", "leftover", "lock_file", "lock_shared", "recover",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What became of a journal.

    Attributes:
        interactions: how many the cassette has now; `added` of them came from the journal.
        replaced: interactions that the recording took the place of.
        torn: bytes of the interaction that was being written when the recorder died.
        damaged: bytes of records that could not be read; then the journal is kept as `kept`.
    """

    interactions: int
    added: int
    replaced: int
    torn: int
    damaged: int
    kept: Path | None


class Tape:
    """A cassette that is being recorded. Calls must come from one thread at a time."""

    def __init__(self, path: Path, lock: Lock, journal: int, mode: str = "") -> None:
        self._path = path
        self._lock = lock
        self._journal = journal
        self._next_seq = 1
        self._records: list[Record] = []
        self._end = 0
        self._opening = opening(mode) if mode else b""
        self._gap = self._opening
        self._open = True

    @classmethod
    def open(cls, path: Path, known: Cassette | None = None, mode: str = "") -> Self:
        """Begin to record; `known` is what the cassette holds already, if it is to be added to.

        `mode` is noted in the journal, so that who recovers it does the same: `rewrite` keeps
        nothing of what the cassette holds, `all` what was not recorded again.

        Raises:
            CassetteError: somebody else uses the cassette, a recording before was not finished, or
                the folder cannot be written.
        """
        lock = lock_exclusive(path)
        try:
            journal = _new_journal(path)
        except BaseException:
            lock.close()
            raise
        tape = cls(path, lock, journal, mode)
        if known is not None:
            tape.follow(known)
        return tape

    def follow(self, known: Cassette) -> None:
        """Number what is recorded after what the cassette holds.

        Who loads the cassette after opening the tape, and not before, can be sure that nobody
        published another one in between.
        """
        last = max((_seq(each) for each in known.interactions), default=0)
        self._next_seq = max(self._next_seq, last + 1)

    @property
    def next_seq(self) -> int:
        """The first sequence number that comes after everything known and recorded."""
        return self._next_seq

    @property
    def count(self) -> int:
        """How many interactions were recorded."""
        return len(self._records)

    def append(self, interaction: Interaction) -> None:
        """Write a finished interaction to the journal.

        Raises:
            CassetteError: the disk refuses; what was recorded before is safe, and recording may go
                on.
        """
        seq = interaction.timing.seq if interaction.timing is not None else self._next_seq
        data, head = record(seq, files.document(interaction))
        try:
            write_all(self._journal, self._gap + data)
        except OSError as error:
            self._cut()
            raise of_disk(error, journal_file(self._path), "the recording cannot be written",
                          "what was recorded before is kept") from error  # fmt: skip
        start = self._end + len(self._gap)
        self._records.append(Record(seq=seq, start=start + head, size=len(data) - head))
        self._end, self._gap = start + len(data), b""
        self._next_seq = max(self._next_seq, seq + 1)

    def _cut(self) -> None:
        """Take half a record off the journal, or see that the next one begins on its own line."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._journal, self._end)
        size = os.fstat(self._journal).st_size
        self._gap = (b"" if size == self._end else b"\n") + (
            b"" if self._records else self._opening
        )
        self._end = size

    def sift(self, check: Check) -> dict[int, list[str]]:
        """Take out of the journal what `check` finds something in; return that by its number.

        It is overwritten: nobody who recovers the journal can publish it.

        Raises:
            CassetteError: the disk refuses.
        """
        source = journal_file(self._path)
        order = sorted(self._records, key=lambda each: each.seq)
        each_alone = Documents(source, order).interactions(1)
        found = {
            entry.seq: leaks
            for entry, interaction in zip(order, each_alone, strict=True)
            if (leaks := check([replace(interaction, number=entry.seq)]))
        }
        try:
            blank(source, [each for each in order if each.seq in found])
        except OSError as error:
            raise of_disk(error, source, "a secret cannot be taken out of the journal",
                          "delete the journal") from error  # fmt: skip
        self._records = [each for each in self._records if each.seq not in found]
        return found

    def publish(self, kept: Iterable[Interaction], check: Check) -> bool:
        """Put the cassette into its place: `kept` first, then what was recorded, by arrival.

        `check` sees all of it and names what must not reach the file. Returns whether anything was
        written: a session without interactions leaves the file as it was. Call it once, then
        `close`.

        Raises:
            CassetteError: `check` found something or the disk refuses; the journal is kept.
        """
        if not self._records:
            return False
        source = journal_file(self._path)
        order = sorted(self._records, key=lambda each: each.seq)
        publish(self._path, tuple(kept), Documents(source, order), check)
        self._records.clear()
        return True

    def close(self) -> None:
        """Let go of the cassette; what was recorded and not published stays in the journal."""
        if not self._open:
            return
        self._open = False
        os.close(self._journal)
        if not self._records:
            with contextlib.suppress(OSError):
                journal_file(self._path).unlink()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def leftover(path: Path) -> Path | None:
    """Return the journal of a recording that died before it was published, if there is one."""
    journal = journal_file(path)
    try:
        if not journal.stat().st_size:
            return None
        with lock_shared(path):
            return journal
    except (OSError, CassetteError):
        # There is none, or whoever writes it is alive.
        return None


def leftovers(folder: Path) -> list[Path]:
    """Return the cassettes below a folder, published or not, beside which a journal was left."""
    found = sorted(each.with_name(each.name.removesuffix(".journal"))
                   for each in folder.rglob("*.journal"))  # fmt: skip
    return [path for path in found if leftover(path) is not None]


def recover(path: Path, check: Check | None = None, *, keep: bool = True) -> Recovered:
    """Publish the journal of a recording that died.

    What the cassette holds already is kept before it as the mode of that recording wants it, or
    not at all if `keep` is false.

    Raises:
        CassetteError: there is no journal or nothing whole in it, somebody is recording, `check`
            found something, or the disk refuses; the journal is kept.
    """
    source = journal_file(path)
    if not source.exists():
        raise CassetteError("there is no journal to recover", where=str(source),
                            hint="nothing is to be done: the recording was published")  # fmt: skip
    with lock_exclusive(path):
        try:
            found = find(source.read_bytes())
        except OSError as error:
            raise of_disk(error, source, "the journal cannot be read") from error
        if not found.records:
            raise CassetteError("the journal holds no whole interaction", where=str(source),
                                found=f"{found.torn} bytes",
                                hint="delete it; nothing in it can be saved")  # fmt: skip
        old = _held(path, found.mode) if keep else ()
        documents = Documents(source, sorted(found.records, key=lambda each: each.seq))
        known = _staying(old, documents, found.mode)
        added = documents.without(known)
        if added:
            publish(path, known, added, check or (lambda _: []))
        aside = _put_aside(source, damaged=found.damaged)
        return Recovered(interactions=len(known) + len(added), added=len(added),
                         replaced=len(old) - len(known), torn=found.torn, damaged=found.damaged,
                         kept=aside)  # fmt: skip


def _held(path: Path, mode: str) -> tuple[Interaction, ...]:
    """Return what a cassette holds; a damaged one is nothing to a recording that replaces it."""
    try:
        return files.load(path).interactions if path.exists() else ()
    except CassetteError:
        if mode != "rewrite":
            raise
        return ()


def _staying(
    known: tuple[Interaction, ...], recorded: Documents, mode: str
) -> tuple[Interaction, ...]:
    """Return what a recording leaves of a cassette."""
    if mode == "rewrite":
        return ()
    if mode != "all":
        return known
    again = {_key(each) for each in recorded.interactions(1)}
    return tuple(each for each in known if _key(each) not in again)


def _key(interaction: Interaction) -> bytes:
    request = interaction.request
    return keys(request.method, request.uri, request.body).exact


def _new_journal(path: Path) -> int:
    source = journal_file(path)
    try:
        descriptor = os.open(source, os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY, MODE)
        size = os.fstat(descriptor).st_size
    except OSError as error:
        raise of_disk(error, path, "the cassette cannot be recorded here") from error
    if size:
        os.close(descriptor)
        raise CassetteError("a recording of this cassette was not finished", where=str(path),
                            found=f"{source.name}, {size} bytes",
                            hint=f"k3mock cassette recover {path}, or delete it")  # fmt: skip
    return descriptor


def _put_aside(source: Path, *, damaged: int) -> Path | None:
    """Remove a journal that was published, or keep it under another name if some of it was not."""
    if not damaged:
        source.unlink(missing_ok=True)
        return None
    aside = source.with_name(f"{source.name}.damaged")
    source.replace(aside)
    return aside


def _seq(interaction: Interaction) -> int:
    return interaction.number if interaction.timing is None else interaction.timing.seq
