"""Turns paths and names on a command line into scenario files, and files beside them into text."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

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


def scenario_files(sources: Iterable[str]) -> tuple[Path, ...]:
    """Return the files of paths, folders and names of shipped scenarios, in order.

    Raises:
        ScenarioError: something that is neither, or a folder without scenarios.
    """
    found: dict[Path, None] = {}
    for source in sources:
        found.update(dict.fromkeys(_files(source)))
    return tuple(found)


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
    files = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    yield from sorted(files)


def read_text(name: str, folder: Path | None) -> str:
    """Read a text file that lies in a scenario file's own folder, or below it.

    Raises:
        FileError: files may not be read here, or this one cannot be.
    """
    if folder is None:
        raise FileError("a scenario that came over HTTP cannot read files", found=repr(name)[:120])
    home = folder.resolve()
    path = (home / name).resolve()
    if not path.is_relative_to(home):
        raise FileError("the file lies outside the folder of the scenario",
                        found=repr(name)[:120], accepted=f"a path below {home}")  # fmt: skip
    try:
        if path.stat().st_size > MAX_TEXT_BYTES:
            raise FileError("the file is too large", found=repr(name)[:120],
                            accepted=f"up to {MAX_TEXT_BYTES} bytes")  # fmt: skip
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8 text", found=repr(name)[:120]) from error
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}",
                        found=repr(name)[:120]) from error  # fmt: skip
