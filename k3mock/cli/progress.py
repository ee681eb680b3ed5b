"""Turns what a recorder does into lines for people: a live one on a terminal, plain ones else."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from k3mock.clock import SystemClock
from k3mock.redact import clean_text

if TYPE_CHECKING:
    from typing import TextIO

    from k3mock.cli.log import Log
    from k3mock.recorder.exchange import Exchange
    from k3mock.recorder.session import Recorder

_EVERY_S = 0.25
_CLEAR = "\r\x1b[K"


class Progress:
    """Tells what is recorded while it happens; `out` is the terminal, if it is one."""

    def __init__(self, log: Log, recorder: Recorder, out: TextIO | None = None) -> None:
        self._log = log
        self._recorder = recorder
        self._out = sys.stderr if out is None else out
        self._clock = SystemClock()
        self._started_ms = self._clock.monotonic_ms()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._ticker: threading.Thread | None = None
        recorder.watch = self._kept
        if self._out is not None and self._out.isatty():
            self._ticker = threading.Thread(target=self._tick, name="k3mock-progress", daemon=True)
            self._ticker.start()
        recorder.listen(self.note)

    def note(self, text: str) -> None:
        """Tell a sentence, above the live line where there is one."""
        if self._ticker is None:
            self._log.note(text)
        else:
            self._draw(f"{_CLEAR}{text}\n{self.line}")

    def _kept(self, exchange: Exchange) -> None:
        path = clean_text(exchange.raw.path)[:100]
        shown = f"{exchange.raw.method} {path} {exchange.status} {exchange.end}"
        if self._ticker is None:
            self.note(f"{self.line}: {_printable(shown)}")

    def _tick(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._draw(f"{_CLEAR}{self.line}")

    def _draw(self, text: str) -> None:
        try:
            with self._lock:
                self._out.write(text)
                self._out.flush()
        except (OSError, ValueError):
            # Nobody looks any more.
            self._ended.set()

    @property
    def line(self) -> str:
        """What was done so far."""
        tally = self._recorder.tally
        parts = [f"{tally.kept} interaction{'s' * (tally.kept != 1)} recorded"]
        parts += [f"{tally.played} played"] if tally.played else []
        parts += [f"{tally.lost} not recorded"] if tally.lost else []
        parts += [size(tally.bytes), elapsed(self._clock.monotonic_ms() - self._started_ms)]
        return ", ".join(parts)

    def close(self) -> None:
        """End the live line and say what came of it all."""
        self._ended.set()
        if self._ticker is not None:
            self._ticker.join(1.0)
            self._draw(_CLEAR)
            self._ticker = None
        self._log.note(self.line)


def _printable(text: str) -> str:
    # Paths are a client's own words: nothing in them may steer a terminal.
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def size(count: int) -> str:
    """Return a number of bytes as people read it."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def elapsed(ms: float) -> str:
    """Return a time as minutes and seconds."""
    seconds = int(ms // 1000)
    return f"{seconds // 60}:{seconds % 60:02}"
