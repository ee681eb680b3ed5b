"""Turns a user's mistake into one message that says what to do; ground layer.

The tree (never seen on the wire; `k3mock.protocol.failure.ApiError` is for that)::

    K3MockError
    ├── SettingsError       code "settings"      a flag, variable or argument
    ├── ProfileError        code "profile"       a profile file
    ├── VocabularyError     code "vocabulary"    the tokenizer's data
    ├── PortError           code "port"          the address cannot be bound
    └── StartError          code "start"         the server did not come up

Each code is a heading of the README's chapter "Errors".
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class K3MockError(Exception):
    """A mistake that the user can mend.

    The text has up to five parts, in this order: what failed, where, what was found, what would
    have been accepted, what to do next.
    """

    code: ClassVar[str] = "k3mock"

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        found: str | None = None,
        accepted: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.where = where
        self.found = found
        self.accepted = accepted
        self.hint = hint
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        labelled = (("found", self.found), ("accepted", self.accepted), ("do", self.hint))
        lines += [f"  {label}: {part}" for label, part in labelled if part]
        return "\n".join(lines)


class SettingsError(K3MockError):
    """A flag, environment variable or argument has a value that cannot be used."""

    code = "settings"


class ProfileError(K3MockError):
    """A profile file is missing, unreadable or says something the loader does not know."""

    code = "profile"


class VocabularyError(K3MockError):
    """The tokenizer's vocabulary cannot be had or is not the one it claims to be."""

    code = "vocabulary"


class PortError(K3MockError):
    """The address cannot be bound."""

    code = "port"


class StartError(K3MockError):
    """The server did not come up in time."""

    code = "start"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that looks most like `word`, or None if none is close."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a sentence that lists the known words, nearest spelling first."""
    words = sorted(known)
    near = nearest(word, words)
    listed = ", ".join(words)
    return f"did you mean {near!r}? known: {listed}" if near else f"known: {listed}"


def one_line(error: K3MockError) -> str:
    """Return a mistake's text on one line, for places that have no room for more."""
    return "; ".join(line.strip() for line in str(error).splitlines())
