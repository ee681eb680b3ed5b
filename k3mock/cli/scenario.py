"""Turns scenario files into findings and the layout into JSON Schemas: `check` and `schema`."""

from __future__ import annotations

import sys
from collections import Counter

import click
import orjson

from k3mock.contract.load import load_profile
from k3mock.delivery.pacing import parse_pace
from k3mock.errors import SettingsError
from k3mock.scenario.check import problems
from k3mock.scenario.files import scenario_files
from k3mock.scenario.problem import Severity
from k3mock.scenario.schema import profile_schema, scenario_schema

SCHEMAS = {"scenario": scenario_schema, "profile": profile_schema}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--profile", metavar="NAME|FILE", help="Host whose errors may be named, too.")
def check(*, paths: tuple[str, ...], strict: bool, as_json: bool, profile: str | None) -> None:
    """Report all that is wrong with scenario files.

    A PATH is a file, a folder, or the name of a shipped scenario. Exits with 1 on an error, with 0
    on warnings and notes alone; with --strict a warning is an error.
    """
    files, missing = scenario_files(paths)
    if not files:
        error = missing[0]
        raise SettingsError(error.what, where=error.where, accepted=error.accepted)
    host = None if profile is None else load_profile(profile)
    found = problems(paths, check_pace=parse_pace, profile=host)
    counted = Counter(problem.severity for problem in found)
    if as_json:
        click.echo(orjson.dumps([each.as_json() for each in found]).decode())
    else:
        for problem in found:
            click.echo(str(problem))
        checked = "1 file" if len(files) == 1 else f"{len(files)} files"
        tallies = [
            f"{counted[each]} {each}{'' if counted[each] == 1 else 's'}" for each in Severity
        ]
        click.echo(f"{checked}: {', '.join(tallies)}", err=True)
    if counted[Severity.ERROR] or (strict and counted[Severity.WARNING]):
        sys.exit(1)


@click.command()
@click.argument("kind", type=click.Choice(tuple(SCHEMAS)))
@click.option("--json", "as_json", is_flag=True, help="Print JSON; it always is.")
def schema(*, kind: str, as_json: bool) -> None:
    """Print the JSON Schema (2020-12) of a kind of file, for editors that complete it."""
    del as_json
    click.echo(orjson.dumps(SCHEMAS[kind](), option=orjson.OPT_INDENT_2).decode())
