"""Turns what a server does into lines on standard error that never hold a request up."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

import orjson

from k3mock.version import __version__

if TYPE_CHECKING:
    from k3mock.asgi.app import App
    from k3mock.journal import JournalEntry

_LINES = 2000
_GATHER_S = 0.05
_CLOSE_S = 2.0
_SERVER_LOGGER = "uvicorn.error"
_NO_NEWS = ("WebSocket", "Unsupported upgrade request", "ASGI callable returned")
"""What the HTTP server says of cut streams and upgrades is no news: the journal has it."""


def say(line: str) -> None:
    """Print to standard output; a reader that has gone is no reason to stop."""
    if sys.stdout is None:  # started with standard output closed
        return
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        # Else the interpreter would try again, and complain, when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Log:
    """The log of a server, as text or as a JSON object a line.

    Lines are written by a thread of their own; where nobody reads them they are dropped.
    """

    def __init__(self, log_format: str) -> None:
        self._json = log_format == "json"
        self._lines: deque[str] = deque()
        self._news = threading.Event()
        self._closing = threading.Event()
        self._writer = threading.Thread(target=self._write, name="k3mock-log", daemon=True)
        self._writer.start()
        logger = logging.getLogger(_SERVER_LOGGER)
        logger.addHandler(_Handler(self))
        logger.propagate = False

    def _write(self) -> None:
        """Write what has gathered, a few times a second: to be woken for each line costs more."""
        while self._news.wait() and not (self._closing.is_set() and not self._lines):
            self._news.clear()
            text = ""
            while self._lines:
                text += self._lines.popleft()
            try:
                sys.stderr.write(text)
                sys.stderr.flush()
            except (OSError, ValueError, AttributeError):
                continue
            finally:
                if self._closing.wait(_GATHER_S):
                    self._news.set()

    def _put(self, line: str) -> None:
        if len(self._lines) < _LINES:
            self._lines.append(f"{line}\n")
            if not self._news.is_set():
                self._news.set()

    def close(self) -> None:
        """Write what is left, unless nobody reads it."""
        self._closing.set()
        self._news.set()
        self._writer.join(_CLOSE_S)

    def note(self, text: str) -> None:
        """Log a sentence."""
        self._put(orjson.dumps({"note": text}).decode() if self._json else text)

    def start(self, address: str, app: App) -> None:
        """Log what was started: version, profile, tokenizer, addresses."""
        facts = banner(address, app)
        if self._json:
            self._put(orjson.dumps({"version": __version__, **facts}).decode())
            return
        lines = [f"k3mock {__version__}", *(f"  {name:10} {fact}" for name, fact in facts.items())]
        self._put("\n".join(lines))

    def request(self, entry: JournalEntry) -> None:
        """Log how a request ended."""
        if self._json:
            shown = {
                "id": entry.id,
                "session": entry.session,
                "profile": entry.profile,
                "method": entry.method,
                "path": entry.path,
                "status": entry.status,
                "source": entry.source,
                "outcome": entry.outcome.as_json(),
            }
            self._put(orjson.dumps(shown).decode())
            return
        outcome = entry.outcome
        line = (
            f"{entry.method} {entry.path[:200]} {entry.status} {entry.source} {outcome.end} "
            f"{outcome.tokens} tokens {outcome.duration_ms or 0:.0f} ms "
            f"[{entry.session} {entry.id}]"
        )
        # Paths and session names are a client's own words: nothing in them may steer a terminal.
        self._put("".join(sign if sign.isprintable() else "?" for sign in line))


class _Handler(logging.Handler):
    """Passes the HTTP server's warnings on."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if not any(word in text for word in _NO_NEWS):
            self._log.note(self.format(record) if record.exc_info else text)


def banner(address: str, app: App) -> dict[str, str]:
    """Return what a server says of itself when it starts."""
    host, settings = app.hosts.default, app.settings
    profile = host.profile
    seed = "none" if settings.seed is None else str(settings.seed)
    open_journal = settings.loopback or settings.control_key is not None
    recording = {}
    if settings.record is not None:
        source = app.recorder.source if app.recorder is not None else None
        recording = {"recording": f"{source or 'no upstream'} into {settings.cassettes[0]}, "
                                  f"mode {settings.record}"}  # fmt: skip
    return {
        **recording,
        "profile": f"{profile.name}: {profile.about}; contract {settings.contract}",
        "model": ", ".join(profile.models),
        "tokenizer": f"{host.template.counter.vocabulary.label}, accounting {host.accounting}",
        **_cassettes(app),
        "pace": f"{settings.pace}; seed {seed}",
        "base URL": f"{address}/v1",
        "journal": f"{address}/__k3mock__/requests"
        if open_journal
        else "off on this address; --control-key KEY opens it",
        **({"inspector": f"{address}/__k3mock__/"} if open_journal else {}),
    }


def _cassettes(app: App) -> dict[str, str]:
    """Say what is replayed; nothing where no cassette was given."""
    settings = app.settings
    if not settings.cassettes:
        return {}
    strict = ", strict" if settings.strict_match else ""
    facts = f"exhausted {settings.exhausted}{strict}"
    return {"cassettes": f"{', '.join(settings.cassettes)}; {facts}"}
