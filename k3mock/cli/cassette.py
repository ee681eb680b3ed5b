"""Turns cassettes into lists, views and findings: `cassette ls`, `show`, `check`, `scan`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from k3mock.cassette import show as views
from k3mock.cassette.check import Finding, Kind, findings
from k3mock.cassette.format import load
from k3mock.cassette.journal import unfinished
from k3mock.cassette.leaks import file_leaks
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import leftover
from k3mock.cli.cassette_drift import diff, verify
from k3mock.cli.cassette_edit import convert, recover, scrub
from k3mock.cli.cassette_paths import (
    cassette_file,
    cassette_files,
    counted,
    known_option,
    print_json,
    read_age,
)
from k3mock.clock import SystemClock
from k3mock.errors import SettingsError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from k3mock.cassette.interaction import Cassette
    from k3mock.jsonvalue import JSONObject, JSONValue

_FAILING = {Kind.AGE}
_STRICT = {Kind.AGE, Kind.FORMAT, Kind.PARTIAL}


@click.group()
def cassette() -> None:
    """Look at recordings, check them, and turn them into other files.

    A PATH is a file or a folder; of a folder all .yaml, .yml and .json files are taken.
    """


for _command in (diff, verify, convert, recover, scrub):
    cassette.add_command(_command)

_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _loaded(paths: Iterable[str]) -> Iterator[tuple[Path, Cassette | CassetteError]]:
    for path in cassette_files(paths, unfinished=True):
        try:
            yield path, load(path)
        except CassetteError as error:
            yield path, error


@cassette.command()
@_paths
@_json
def ls(*, paths: tuple[str, ...], as_json: bool) -> None:
    """List the interactions: request, status, tokens, time, end."""
    shown: list[JSONValue] = []
    broken = False
    for path, found in _loaded(paths):
        if isinstance(found, CassetteError):
            broken = True
            shown.append({"file": str(path), "error": one_line(found), "interactions": []})
            click.echo(f"k3mock: {found}", err=True)
            continue
        if leftover(path) is not None:
            click.echo(f"{path}: {unfinished(path)}", err=True)
        rows: list[JSONValue] = [views.row(each) for each in found.interactions]
        shown.append({"file": str(path), "error": None, "interactions": rows})
        if not as_json:
            click.echo(f"{path}\n{views.table(found.interactions)}\n")
    if as_json:
        print_json(shown)
    sys.exit(1 if broken else 0)


@cassette.command()
@click.argument("file")
@click.argument("number", type=click.IntRange(min=1), metavar="N")
@_json
def show(*, file: str, number: int, as_json: bool) -> None:
    """Show interaction N: the request, the joined answer, the writes with their times."""
    path = cassette_file(file)
    interactions = load(path).interactions
    if number > len(interactions):
        raise SettingsError(f"the cassette has no interaction {number}", where=str(path),
                            accepted=f"1 to {len(interactions)}")  # fmt: skip
    chosen = interactions[number - 1]
    if as_json:
        print_json(views.view(chosen))
    else:
        click.echo(views.text_view(chosen))


@cassette.command()
@_paths
@click.option("--max-age", callback=read_age, metavar="AGE",
              help="Report what was recorded longer ago, such as 90d, 12w or 36h.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Warnings fail, too; notes on timing never do.")
@_json
def check(*, paths: tuple[str, ...], max_age: float | None, strict: bool, as_json: bool) -> None:
    """Report broken files, partial streams, old recordings, missing times.

    Exits with 1 on a broken file and on what is too old; with --strict on warnings, too.
    """
    now = SystemClock().now()
    rows: list[JSONObject] = []
    failing = _STRICT if strict else _FAILING
    failed = files = 0
    for path, found in _loaded(paths):
        files += 1
        if isinstance(found, CassetteError):
            failed += 1
            rows.append(_row(path, "error", "broken", None, one_line(found)))
            continue
        told = findings(found, max_age_days=max_age, now=now)
        journal = leftover(path)
        if journal is not None:
            told.insert(0, Finding(kind=Kind.FORMAT, message=unfinished(path)))
        for each in told:
            bad = each.kind in failing
            failed += bad
            severity = "error" if bad else "note" if each.kind is Kind.TIMING else "warning"
            rows.append(_row(path, severity, each.kind, each.number, each.message))
    if as_json:
        print_json([*rows])
    else:
        for row in rows:
            click.echo(_line(row))
        click.echo(f"{counted(files, 'file')}: {counted(failed, 'error')}", err=True)
    sys.exit(1 if failed else 0)


def _row(path: Path, severity: str, kind: str, number: int | None, message: str) -> JSONObject:
    return {"file": str(path), "severity": severity, "kind": str(kind), "number": number,
            "message": message}  # fmt: skip


def _line(row: JSONObject) -> str:
    place = row["file"] if row["number"] is None else f"{row['file']}#{row['number']}"
    return views.printable(f"{place}: {row['severity']}: {row['kind']}: {row['message']}")


@cassette.command()
@_paths
@known_option
@_json
def scan(*, paths: tuple[str, ...], known: tuple[str, ...], as_json: bool) -> None:
    """Look for secrets, whatever they are encoded in; say place and rule, never a value.

    Exits with 1 when there is one, and when a file cannot be read.
    """
    rows: list[JSONObject] = []
    files = cassette_files(paths)
    broken = 0
    for path in files:
        try:
            leaks = file_leaks(path, known)
        except CassetteError as error:
            broken += 1
            rows.append({"file": str(path), "place": None, "rule": None, "error": one_line(error)})
            continue
        rows += [{"file": str(path), "place": leak.place, "rule": leak.rule, "error": None}
                 for leak in leaks]  # fmt: skip
    if as_json:
        print_json([*rows])
    else:
        for row in rows:
            found = f"error: {row['error']}" if row["error"] else f"{row['place']}: {row['rule']}"
            click.echo(views.printable(f"{row['file']}: {found}"))
        leaked = counted(len(rows) - broken, "secret")
        click.echo(f"{counted(len(files), 'file')}: {leaked}", err=True)
    sys.exit(1 if rows else 0)
