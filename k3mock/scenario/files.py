"""Turns paths and names on a command line into scenario files, and files beside them into text."""

from __future__ import annotations

import os
import stat
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from k3mock.errors import did_you_mean
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TEXT_BYTES = 8_000_000
SUFFIXES = (".yaml", ".yml")


class FileError(ScenarioError):
    """A file beside a scenario cannot be read."""


def shipped_folder() -> Path:
    """Return where the shipped scenarios are: in the package, or beside it in its repository."""
    inside = Path(str(resources.files("k3mock.scenario"))) / "shipped"
    return inside if inside.is_dir() else Path(str(resources.files("k3mock"))).parent / "scenarios"


def shipped_names() -> tuple[str, ...]:
    """Return the names of the shipped scenarios."""
    return tuple(sorted(path.stem for path in _below(shipped_folder())))


def shipped_file(name: str) -> Path | None:
    """Return the file of a shipped scenario."""
    return next((path for path in _below(shipped_folder()) if path.stem == name), None)


Stamp: TypeAlias = "tuple[int, int]"
"""Time and size of a file; zeros where nothing can be found of it."""


def stamp(path: Path) -> Stamp:
    """Return what tells that a file has changed."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return 0, 0
    return found.st_mtime_ns, found.st_size


def scenario_files(sources: Iterable[str]) -> tuple[tuple[Path, ...], tuple[ScenarioError, ...]]:
    """Return the files of paths, folders and names of shipped scenarios, in order.

    What is neither, and a folder without scenarios, comes back as a mistake beside them.
    """
    found: dict[Path, None] = {}
    wrong: list[ScenarioError] = []
    for source in sources:
        try:
            found.update(dict.fromkeys(_files(source)))
        except ScenarioError as error:
            wrong.append(error)
        except (OSError, ValueError) as error:
            wrong.append(_unreadable(error, source[:120]))
    return tuple(found), tuple(wrong)


def _unreadable(error: OSError | ValueError, where: str) -> ScenarioError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return ScenarioError(f"the path cannot be read: {reason}", where=where)


def _files(source: str) -> tuple[Path, ...]:
    path = Path(source)
    if path.is_file():
        return (path,)
    if path.is_dir():
        files = tuple(_below(path))
        if not files:
            raise ScenarioError("the folder holds no scenario", where=source,
                                accepted="files that end in .yaml or .yml")  # fmt: skip
        return files
    shipped = shipped_file(source)
    if shipped is not None:
        return (shipped,)
    if "/" in source or "\\" in source or source.endswith(SUFFIXES):
        raise ScenarioError("no such file or folder", where=source)
    raise ScenarioError(
        f"no file, folder or shipped scenario {source[:100]!r}",
        accepted=did_you_mean(source[:60], shipped_names()),
    )


def _below(folder: Path) -> Iterator[Path]:
    """Yield the scenario files of a folder and those below it.

    Raises:
        ScenarioError: a folder that may not be entered; what it holds must not go unnoticed.
    """

    def closed(error: OSError) -> None:
        raise _unreadable(error, str(error.filename or folder))

    found: list[Path] = []
    for home, _, names in os.walk(folder, onerror=closed):
        found += (Path(home, name) for name in names if name.endswith(SUFFIXES))
    yield from sorted(path for path in found if path.is_file())


def read_text(name: str, folder: Path | None) -> str:
    """Read a text file that lies in a scenario file's own folder, or below it.

    Raises:
        FileError: files may not be read here, or this one cannot be.
    """
    if folder is None:
        raise FileError("a scenario that came over HTTP cannot read files", found=repr(name)[:120])
    try:
        return _beside(name, folder.resolve()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8 text", found=repr(name)[:120]) from error
    except (OSError, ValueError, RuntimeError) as error:
        # A name with a NUL is a ValueError, a link to itself is a RuntimeError.
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"the file cannot be read: {reason}",
                        found=repr(name)[:120]) from error  # fmt: skip


def _beside(name: str, home: Path) -> bytes:
    path = (home / name).resolve()
    if not path.is_relative_to(home):
        raise FileError("the file lies outside the folder of the scenario",
                        found=repr(name)[:120], accepted=f"a path below {home}")  # fmt: skip
    known = path.stat()
    if not stat.S_ISREG(known.st_mode):
        # A pipe would be waited for, for ever.
        raise FileError("not a regular file", found=repr(name)[:120])
    if known.st_size > MAX_TEXT_BYTES:
        raise FileError("the file is too large", found=repr(name)[:120],
                        accepted=f"up to {MAX_TEXT_BYTES} bytes")  # fmt: skip
    return path.read_bytes()
