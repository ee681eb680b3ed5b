from __future__ import annotations

import io
from typing import Any

import pytest

from k3mock.cli.progress import Progress, elapsed, size
from k3mock.recorder.session import Tally
from tests.recorder.test_relay import eventually


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Notes:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


class Tape:
    """As much of a recorder as is told."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.watch: Any = None

    def listen(self, listener: Any) -> None:
        listener("from before")


def shown(out: Any) -> tuple[Progress, Tape, Notes]:
    tape, notes = Tape(), Notes()
    return Progress(notes, tape, out), tape, notes  # type: ignore[arg-type]


def test_a_terminal_shows_notes_above_the_live_line() -> None:
    out = Terminal()
    progress, tape, notes = shown(out)
    tape.tally.kept = 2
    tape.tally.bytes = 4200
    eventually(lambda: out.getvalue().endswith("\r\x1b[K2 interactions recorded, 4.2 kB, 0:00"))
    progress.close()
    assert out.getvalue().startswith("\r\x1b[Kfrom before\n0 interactions recorded, 0 B, 0:00")
    assert out.getvalue().endswith("\r\x1b[K")
    assert notes.lines == ["2 interactions recorded, 4.2 kB, 0:00"]


def test_a_terminal_that_has_gone_is_no_reason_to_stop() -> None:
    out = Terminal()
    progress, tape, notes = shown(out)
    out.close()
    tape.tally.kept = 1
    progress.note("unheard")
    progress.close()
    assert notes.lines == ["1 interaction recorded, 0 B, 0:00"]


def test_elsewhere_notes_go_to_the_log() -> None:
    progress, tape, notes = shown(io.StringIO())
    tape.tally.played, tape.tally.lost = 3, 1
    progress.close()
    assert notes.lines == [
        "from before", "0 interactions recorded, 3 played, 1 not recorded, 0 B, 0:00",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2_345_678, "2.3 MB")]
)
def test_bytes_are_told_in_units(count: int, text: str) -> None:
    assert size(count) == text


def test_time_is_told_in_minutes_and_seconds() -> None:
    assert [elapsed(ms) for ms in (0, 59_999, 61_000)] == ["0:00", "0:59", "1:01"]
