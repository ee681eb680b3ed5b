"""Turns the bytes of a file into the items of a cassette that is whole; source layer.

vcrpy's own loader takes a file that was cut off for a shorter one, and one that is not UTF-8 for an
empty one. Here the version line must be there: vcrpy writes it last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.cassette.problem import CassetteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSION = 1
_TOP = frozenset({"interactions", "version"})
_BACKUP = "restore the file from version control, or record it again"


def is_json(path: Path) -> bool:
    """Return whether a file's name asks for JSON instead of YAML."""
    return path.suffix.lower() == ".json"


def deserialized(raw: bytes, path: Path, reading: Callable[[str], object]) -> object:
    """Return the plain values of a file; `reading` is what takes the text apart.

    Raises:
        CassetteError: it is empty, not UTF-8, not valid, or holds what is not safe to load.
    """
    import yaml  # noqa: PLC0415

    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CassetteError("the cassette is not UTF-8 text", where=str(path),
                            found=f"byte 0x{raw[error.start]:02x} at {error.start}",
                            hint=_BACKUP) from error  # fmt: skip
    if not text.strip():
        raise CassetteError("the cassette is empty", where=str(path),
                            hint="delete the file and record it again")  # fmt: skip
    try:
        return reading(text)
    except yaml.constructor.ConstructorError as error:
        raise CassetteError("the cassette holds Python objects that are not safe to load",
                            where=_at(path, error), found=error.problem,
                            hint="record it again, vcrpy >= 8.2.1") from error  # fmt: skip
    except yaml.MarkedYAMLError as error:
        raise CassetteError("the cassette is damaged or cut off: it is not valid YAML",
                            where=_at(path, error), found=error.problem,
                            hint=_BACKUP) from error  # fmt: skip
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        kind = "JSON" if is_json(path) else "YAML"
        raise CassetteError(f"the cassette is damaged or cut off: it is not valid {kind}",
                            where=str(path), found=str(error).split("\n")[0][:200],
                            hint=_BACKUP) from error  # fmt: skip


def _at(path: Path, error: object) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{path}:{mark.line + 1}" if mark is not None else str(path)


def checked(data: object, path: Path) -> tuple[list[object], list[str]]:
    """Return the items of a file, and what a reader should know about it.

    Raises:
        CassetteError: it is no cassette, not whole, or of a version that is not known.
    """
    where = str(path)
    if isinstance(data, list):
        raise CassetteError("the cassette has the layout of vcrpy before 1.0", where=where,
                            hint="record it again")  # fmt: skip
    if not isinstance(data, dict):
        raise CassetteError("the file is no cassette", where=where, found=repr(data)[:60],
                            accepted="a mapping with `interactions` and `version: 1`",
                            hint="check the path")  # fmt: skip
    if data.get("version") is None:
        raise CassetteError("the cassette has no version: it was cut off, or is no cassette",
                            where=where, found=f"the keys {', '.join(map(str, data))}"[:120],
                            accepted=f"`version: {VERSION}`, which vcrpy writes as the last line",
                            hint=_BACKUP)  # fmt: skip
    if data["version"] is True or data["version"] != VERSION:
        raise CassetteError("the cassette has a version that is not known", where=where,
                            found=repr(data["version"])[:60], accepted=str(VERSION),
                            hint="record it again, or use a newer k3mock")  # fmt: skip
    items = data.get("interactions")
    if not isinstance(items, list):
        raise CassetteError("`interactions` is no list", where=where, found=repr(items)[:60],
                            hint=_BACKUP)  # fmt: skip
    return items, _notes(data, path)


def _notes(data: dict[object, object], path: Path) -> list[str]:
    import yaml  # noqa: PLC0415

    notes = []
    if not is_json(path) and not yaml.__with_libyaml__:
        notes.append("PyYAML lacks libyaml here, and reading takes thirty times as long: install a "
                     "wheel of PyYAML that has it, or store the cassette as JSON")  # fmt: skip
    if "metadata" in data:
        notes.append("the file has `metadata`, which pytest-recording cannot load and k3mock does "
                     "not keep")  # fmt: skip
    more = sorted(str(name) for name in data if name not in _TOP | {"metadata"})
    if more:
        notes.append(f"the file has keys that nobody keeps: {', '.join(more)}")
    if not data["interactions"]:
        notes.append("the file holds no interaction")
    return notes
