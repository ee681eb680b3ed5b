"""Turns a mode of recording into an open cassette: what it plays and writes; pipeline layer.

Everything here may wait for the disk and runs in the recorder's own thread, except where it says
otherwise.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.cassette import format as files
from k3mock.cassette.library import Library
from k3mock.cassette.library import Manner as Playing
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import Lock, Tape, leftover, lock_shared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.cassette.interaction import Interaction
    from k3mock.recorder.exchange import Exchange
    from k3mock.recorder.keeping import Keeping


KEEP_OUT = "keep keys out of prompts, files and addresses, then record it again"


class Mode(StrEnum):
    """What a session does with its cassette; it is decided once, when the cassette is opened."""

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REWRITE = "rewrite"


@dataclass(slots=True, kw_only=True)
class Deck:
    """A cassette in use.

    Attributes:
        library: what it plays; None where every request is forwarded.
        tape: what it writes; None where nothing is ever written.
        known: interactions that stay in the file.
        replaces: whether an interaction that was recorded again takes the place of the known one.
        sessions: names of those who use it.
        next_seq: arrival number of the next request.
        running: requests whose answers have not ended.
        idle: set while none runs.
        kept: keys of the requests that were written to the journal, by their arrival number.
        secrets: what nothing that is kept may hold.
        late: a secret was learnt after something had been written, which may hold it.
        refused: what was taken out of the journal again when it was to be published.
        closed: it was published; what comes later is lost.
        notes: what a person should know about the file.
    """

    path: Path
    mode: Mode
    library: Library | None = None
    tape: Tape | None = None
    lock: Lock | None = None
    known: tuple[Interaction, ...] = ()
    replaces: bool = False
    sessions: set[str] = field(default_factory=set)
    next_seq: int = 1
    running: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    kept: dict[int, bytes] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    late: bool = False
    refused: list[str] = field(default_factory=list)
    closed: bool = False
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.idle.set()

    def number(self) -> int:
        """Return the arrival number of a request, on the loop."""
        self.next_seq += 1
        return self.next_seq - 1

    def begin(self) -> None:
        """Note that a request is forwarded, on the loop."""
        self.running += 1
        self.idle.clear()

    def end(self) -> None:
        """Let a request go, on the loop."""
        self.running -= 1
        if not self.running:
            self.idle.set()

    def write(self, exchange: Exchange, keeping: Keeping) -> None:
        """Put an exchange into the journal, without any secret that the session has shown.

        Raises:
            K3MockError: it cannot be kept: a secret cannot be taken out, or the disk refuses.
        """
        if self.tape is None or self.closed:
            raise CassetteError("the recording was published before this answer had ended",
                                where=str(self.path))  # fmt: skip
        new = keeping.secrets(exchange) - self.secrets
        self.secrets |= new
        self.late = self.late or bool(new and self.kept)
        interaction = keeping.interaction(exchange, self.secrets)
        leaks = keeping.leaks([interaction], self.secrets)
        if leaks:
            raise CassetteError("it holds a secret that another request showed",
                                found=", ".join(leaks), hint=KEEP_OUT)  # fmt: skip
        self.tape.append(interaction)
        self.kept[exchange.seq] = keeping.key(interaction.request)

    def publish(self, keeping: Keeping) -> bool:
        """Write the cassette; says whether there was anything to write.

        What holds a secret that a later request showed is taken out first and named in `refused`.

        Raises:
            CassetteError: a secret would be in it, or the disk refuses; the journal is kept.
        """
        if self.tape is None:
            return False
        self.closed = True
        if self.late:
            self._sift(self.tape, keeping)
        return self.tape.publish(
            self._kept(keeping), lambda found: keeping.leaks(found, self.secrets)
        )

    def _sift(self, tape: Tape, keeping: Keeping) -> None:
        found = tape.sift(lambda each: keeping.leaks(each, self.secrets))
        for seq, leaks in found.items():
            del self.kept[seq]
            self.refused.append(
                f"request {seq} is not in the recording: it holds a secret that a later request "
                f"showed: {', '.join(leaks)}; {KEEP_OUT}"
            )

    def _kept(self, keeping: Keeping) -> Iterator[Interaction]:
        """Yield what stays of the old file: all, or all that was not recorded again."""
        again = set(self.kept.values()) if self.replaces else set()
        for interaction in self.known:
            if not again or keeping.key(interaction.request) not in again:
                yield interaction

    def close(self) -> None:
        """Let go of the cassette; a journal that was not published stays."""
        if self.tape is not None:
            self.tape.close()
        if self.lock is not None:
            self.lock.close()


def open_deck(path: Path, mode: Mode, playing: Playing) -> Deck:
    """Open a cassette as the mode wants it.

    Raises:
        CassetteError: it is missing where nothing may be recorded, damaged, in use, or cannot be
            written; or a recording of it was not finished.
    """
    if mode is Mode.NONE and not path.exists():
        raise CassetteError(
            "there is no such cassette, and nothing is recorded in mode none", where=str(path),
            hint="record it first: k3mock record --upstream URL --cassette FILE",
        )  # fmt: skip
    if mode is Mode.NONE or (mode is Mode.ONCE and path.exists()):
        return _to_play(path, mode, playing)
    return _to_write(path, mode, playing)


def _to_write(path: Path, mode: Mode, playing: Playing) -> Deck:
    tape = Tape.open(path, mode=mode)
    try:
        # What is there is looked at behind the lock: nobody publishes any more.
        known = files.load(path) if path.exists() and mode is not Mode.REWRITE else None
        if known is not None:
            tape.follow(known)
    except BaseException:
        tape.close()
        raise
    if known is not None and mode is Mode.ONCE:
        tape.close()
        return _to_play(path, mode, playing)
    deck = Deck(path=path, mode=mode, tape=tape, next_seq=tape.next_seq)
    if known is not None:
        deck.known = known.interactions
        deck.notes += [f"{path}: {warning}" for warning in known.warnings]
        deck.replaces = mode is Mode.ALL
        if mode is Mode.NEW_EPISODES:
            deck.library = Library([known], playing)
    return deck


def _to_play(path: Path, mode: Mode, playing: Playing) -> Deck:
    left = leftover(path)
    lock = lock_shared(path)
    try:
        cassette = files.load(path)
    except BaseException:
        lock.close()
        raise
    deck = Deck(path=path, mode=mode, lock=lock, library=Library([cassette], playing))
    deck.notes += [f"{path}: {warning}" for warning in cassette.warnings]
    if left is not None:
        deck.notes.append(f"{path}: a recording was not finished and is not played: {left.name}; "
                          f"k3mock cassette recover {path}")  # fmt: skip
    return deck
