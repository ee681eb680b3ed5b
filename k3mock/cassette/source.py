"""Turns the cassettes of a server into libraries, all together or by name; source layer.

Files are read when the server starts. A folder's files are read when one is asked for by name, or
when a request asks for none by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock.cassette.format import load
from k3mock.cassette.journal import unfinished
from k3mock.cassette.library import Library
from k3mock.cassette.lock import lock_file, lock_shared
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import leftover, leftovers
from k3mock.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.cassette.interaction import Cassette
    from k3mock.cassette.library import Manner, Recorded
    from k3mock.state import Session

TOGETHER = "all"
SUFFIXES = (".yaml", ".yml", ".json")
_LISTED = 20
_HIDDEN = (".", "_")


class NotFoundError(CassetteError):
    """No cassette of that name was given."""


@dataclass(frozen=True, slots=True)
class _Shelved:
    path: Path
    stamp: tuple[int, int]
    library: Library


class Shelf:
    """The cassettes of a server; `manner` is how each of them serves.

    Attributes:
        warnings: what the files' readers should know, with the file's name.

    Raises:
        CassetteError: a given file is missing or damaged.
    """

    def __init__(self, given: Sequence[str], manner: Manner) -> None:
        self.manner = manner
        self.warnings: list[str] = []
        self._given = tuple(Path(path).expanduser() for path in given)
        self._loaded: dict[Path, Cassette] = {}
        self._named: dict[str, _Shelved] = {}
        self._put: dict[str, Path] = {}
        self._together: Library | None = None
        for path in self._given:
            if not path.is_dir():
                self._load(path)
            else:
                self.warnings += [f"{left.name}: {unfinished(left)}" for left in leftovers(path)]
        if not any(path.is_dir() for path in self._given):
            self.together()

    def at_hand(self, name: str | None) -> bool:
        """Say whether a library was read already."""
        return self._together is not None if name is None else name in self._named

    def files(self) -> Iterator[Path]:
        """Yield the files that can be served, those of folders in order of their names."""
        for path in self._given:
            if path.is_dir():
                yield from sorted(
                    found for found in path.rglob("*")
                    if found.suffix in SUFFIXES and not found.name.startswith(_HIDDEN)
                )  # fmt: skip
            else:
                yield path

    def together(self) -> Library:
        """Return the library of all files.

        Raises:
            CassetteError: a file cannot be read.
        """
        if self._together is None:
            files = dict.fromkeys(self.files())
            cassettes = [self._loaded.get(path) or self._load(path) for path in files]
            self._together = Library(cassettes, self.manner, name=TOGETHER)
        return self._together

    def named(self, name: str) -> Library:
        """Return the library of one file, by its name without the ending, as the file is now.

        Raises:
            CassetteError: no file or several have that name, or it cannot be read.
        """
        shelved = self._named.get(name)
        path = self.path(name)
        stamp = _stamp(path)
        if shelved is None or shelved.stamp != stamp:
            # A file that was recorded anew is a new cassette: who asks hears it from its beginning.
            library = Library([self._load(path)], self.manner, name=f"{path} {stamp}")
            shelved = self._named[name] = _Shelved(path, stamp, library)
        return shelved.library

    def put(self, path: Path) -> str:
        """Add a file and return the name that it has from now on.

        Raises:
            CassetteError: it cannot be read.
        """
        name, number = path.stem, 1
        while self._taken(name, path):
            number += 1
            name = f"{path.stem}-{number}"
        self._load(path)
        self._put[name] = path
        return name

    def _taken(self, name: str, path: Path) -> bool:
        """Say whether a name is another file's."""
        if name in self._put:
            return self._put[name] != path
        return any(name in {each.stem, each.name} and each != path for each in self.files())

    def path(self, name: str) -> Path:
        """Return the one file of that name.

        Raises:
            NotFoundError: no file or several have it.
        """
        shelved = self._named.get(name)
        if shelved is not None:
            return shelved.path
        return self._put.get(name) or self._path(name)

    def _path(self, name: str) -> Path:
        if not name or name.startswith(".") or not name.isprintable() or set(name) & set("/\\:"):
            raise NotFoundError(
                f"{name[:60]!r} is no name of a cassette",
                accepted="a file's name without its ending: no separators, no leading dot",
            )
        files = dict.fromkeys(self.files())
        found = [path for path in files if name in {path.stem, path.name}]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFoundError(
                f"{len(found)} cassettes are called {name!r}",
                found=", ".join(str(path) for path in found[:_LISTED]),
                hint="give one of these files, or only its folder",
            )
        known = sorted({path.stem for path in files})
        raise NotFoundError(
            f"no cassette {name[:60]!r}",
            accepted=did_you_mean(name[:60], known[:_LISTED]) if known else "none was given",
        )

    def _load(self, path: Path) -> Cassette:
        if lock_file(path).exists():
            with lock_shared(path):
                cassette = load(path)
        else:
            # Who never records here gets no lock file.
            cassette = load(path)
        self._loaded[path] = cassette
        if path in self._given and leftover(path) is not None:
            self.warnings.append(f"{path.name}: {unfinished(path)}")
        self.warnings += [f"{path.name}: {warning}" for warning in cassette.warnings]
        return cassette

    def all_files(self) -> Iterator[tuple[str, Path]]:
        """Yield the name and path of every file, those that were added later as well."""
        files = dict.fromkeys(self.files())
        for path in files:
            yield path.stem, path
        for name, path in self._put.items():
            if path not in files:
                yield name, path

    def loaded(self, path: Path) -> Cassette | None:
        """Return a file as it was read, None where it was not."""
        return self._loaded.get(path)

    def served(self) -> frozenset[tuple[str, int]]:
        """Return path and number of all recordings that any session was given."""
        return frozenset(
            (str(item.path), item.interaction.number)
            for library in self._libraries() for item in library.served
        )  # fmt: skip

    def served_to(self, session: Session) -> frozenset[tuple[str, int]]:
        """Return path and number of the recordings that a session was given."""
        found: set[tuple[str, int]] = set()
        for library in self._libraries():
            unused = set(map(id, library.unused(session)))
            found.update(
                (str(item.path), item.interaction.number)
                for item in library.recorded if id(item) not in unused
            )  # fmt: skip
        return frozenset(found)

    def _libraries(self) -> list[Library]:
        libraries = [shelved.library for shelved in self._named.values()]
        return libraries + ([self._together] if self._together is not None else [])

    def unused(self) -> list[Recorded]:
        """Return the recordings of what was loaded that no session asked for."""
        libraries = self._libraries()
        kept = [item for library in libraries for item in library.recorded]
        served = {item.id for library in libraries for item in library.served}
        return list({item.id: item for item in kept if item.id not in served}.values())


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        # Loading says what is wrong.
        return 0, 0
    return found.st_mtime_ns, found.st_size
