"""Turns paths, ages and names of variables on a command line into what cassette commands need."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from k3mock.cassette.store import leftover, leftovers
from k3mock.errors import SettingsError
from k3mock.settings import variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from k3mock.jsonvalue import JSONValue

SUFFIXES = (".yaml", ".yml", ".json")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}


def cassette_files(paths: Iterable[str], *, unfinished: bool = False) -> list[Path]:
    """Return the files that paths name, in order, each once; of folders all below them.

    `unfinished` asks for those, too, of which there is only a journal that was left behind.

    Raises:
        SettingsError: a path that is not there, or a folder without cassettes.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        files = [path]
        if path.is_dir():
            files = sorted(each for each in path.rglob("*")
                           if each.suffix in SUFFIXES and each.is_file())  # fmt: skip
            if unfinished:
                files = sorted({*files, *leftovers(path)})
            if not files:
                raise SettingsError("the folder holds no cassette", where=str(path),
                                    accepted="files that end in .yaml, .yml or .json")  # fmt: skip
        elif not path.exists() and not (unfinished and leftover(path)):
            raise SettingsError("no such file or folder", where=str(path))
        found.update(dict.fromkeys(files))
    return list(found)


def cassette_file(path: str) -> Path:
    """Return the one file that a path names.

    Raises:
        SettingsError: it is not there, or is a folder.
    """
    file = Path(path)
    if not file.is_file():
        what = "a folder, where one file is wanted" if file.is_dir() else "no such file"
        raise SettingsError(what, where=path)
    return file


def read_age(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """Return an age in days."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,6})([hdw])", value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no age; accepted: 36h, 90d, 12w")
    return int(found[1]) * _DAYS[found[2]]


def _read_known(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(secret(name) for name in names)


def secret(name: str) -> str:
    """Return the secret in a variable.

    Raises:
        SettingsError: the variable is empty: a scan for nothing would find nothing.
    """
    value = (variable(name) or "").strip()
    if not value:
        raise SettingsError(f"the environment variable {name} is empty or not set",
                            hint="export it, or leave the option out")  # fmt: skip
    return value


known_option: Callable[[Any], Any] = click.option(
    "--known-env", "known", multiple=True, metavar="NAME", callback=_read_known,
    help="Look for the secret in this environment variable, too; may be given several times.",
)  # fmt: skip


def print_json(value: JSONValue) -> None:
    """Print JSON for scripts."""
    # Numbers of a body may be longer than faster writers take.
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def counted(number: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{number} {what}{'' if number == 1 else 's'}"
