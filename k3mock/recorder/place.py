"""Turns the wish for a cassette into the path of its file; pipeline layer."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock.errors import SettingsError
from k3mock.options import OptionError

if TYPE_CHECKING:
    from k3mock.options import RequestOptions

_FILES = (".yaml", ".yml", ".json")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,149}")
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where recordings go: one file for all sessions, or a folder with a file for each."""

    path: Path
    folder: bool

    @staticmethod
    def of(text: str) -> Place:
        """Read `--cassette`: what ends in .yaml, .yml or .json is a file, anything else a folder.

        Raises:
            SettingsError: the folder cannot be made or written.
        """
        path = Path(text)
        folder = path.is_dir() or path.suffix.lower() not in _FILES
        place = path if folder else path.parent
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(place, error.strerror or str(error)) from error
        if not os.access(place, os.W_OK | os.X_OK):
            raise _unusable(place, "no right to write there")
        return Place(path, folder)

    def file(self, options: RequestOptions) -> Path:
        """Return the file of a request: as it names it, else as its session is called.

        Raises:
            OptionError: a name that is no file name, or another file than the one that is recorded.
        """
        name = options.cassette
        if not self.folder:
            if name not in {None, self.path.stem, self.path.name}:
                raise OptionError(
                    f"the option 'cassette' names {name!r}, but this server records one file",
                    accepted=self.path.stem,
                    hint="start it with --cassette FOLDER to record several",
                )
            return self.path
        chosen = options.session if name is None else name
        if not _NAME.fullmatch(chosen) or _TAKEN.fullmatch(chosen) or chosen.endswith((".", " ")):
            which = "session" if name is None else "cassette"
            raise OptionError(
                f"the option {which!r} cannot be the name of a cassette", found=repr(chosen[:60]),
                accepted="letters, digits, '_', '-', '.' and spaces, up to 150 characters",
                hint="give cassette=NAME in the base URL",
            )  # fmt: skip
        return self.path / (chosen if chosen.lower().endswith(_FILES) else f"{chosen}.yaml")


def _unusable(folder: Path, found: str) -> SettingsError:
    return SettingsError(
        "--cassette: the folder cannot be used", where=str(folder), found=found,
        hint="choose a folder that this user may write to",
    )  # fmt: skip
