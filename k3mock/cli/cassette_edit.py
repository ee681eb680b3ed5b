"""Turns cassettes into cleaned, recovered and converted files."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from k3mock.cassette import format as files
from k3mock.cassette.atomic import replace_file
from k3mock.cassette.clean import cleaned
from k3mock.cassette.convert import to_scenario
from k3mock.cassette.har import load_har
from k3mock.cassette.interaction import Cassette
from k3mock.cassette.layout import is_json
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import recover as recover_journal
from k3mock.cli.cassette_paths import (
    cassette_file,
    cassette_files,
    counted,
    known_option,
    print_json,
)
from k3mock.errors import K3MockError, SettingsError
from k3mock.redaction.rules import Rules
from k3mock.redaction.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from k3mock.cassette.interaction import Interaction
    from k3mock.jsonvalue import JSONValue

FORMS = ("scenario", "json", "yaml")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option("--keep-media", is_flag=True, help="Keep base64 images and videos.")
@click.option("--redact-content", is_flag=True, help="Replace all texts by digests, too.")
@known_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def scrub(
    *, paths: tuple[str, ...], keep_media: bool, redact_content: bool, known: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Take out of recordings what the recorder would not have kept, in place.

    A file from which a secret cannot be taken out stays as it is, and the exit code is 1.
    """
    rules = Rules(keep_media=keep_media, redact_content=redact_content)
    rows: list[JSONValue] = []
    failed = False
    for path in cassette_files(paths):
        try:
            before = files.load(path).interactions
            after = [cleaned(each, rules, known) for each in before]
            _refuse_leaks(path, after, known)
            changed = [one.number for one, other in zip(before, after, strict=True) if one != other]
            if changed:
                files.write(path, after)
        except K3MockError as error:
            failed = True
            rows.append({"file": str(path), "changed": [], "error": str(error)})
            click.echo(f"k3mock: {error}", err=True)
            continue
        rows.append({"file": str(path), "changed": [*changed], "error": None})
        if not as_json:
            click.echo(f"{path}: {counted(len(changed), 'interaction')} of {len(before)} changed")
    if as_json:
        print_json(rows)
    sys.exit(1 if failed else 0)


def _refuse_leaks(path: Path, interactions: Iterable[Interaction], known: tuple[str, ...]) -> None:
    leaks = [str(leak) for leak in scan(interactions, known)]
    if leaks:
        raise CassetteError("not written: secrets are left that cannot be taken out",
                            where=str(path), found="\n    ".join(leaks),
                            hint="take these interactions out, or record them again")  # fmt: skip


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def recover(*, file: str, as_json: bool) -> None:
    """Publish what a recorder that died left in FILE's journal."""
    path = Path(file.removesuffix(".journal"))
    found = recover_journal(path, lambda each: [str(leak) for leak in scan(each)])
    if as_json:
        kept = None if found.kept is None else str(found.kept)
        print_json({"file": str(path), "interactions": found.interactions, "added": found.added,
                    "replaced": found.replaced, "torn": found.torn,
                    "damaged": found.damaged, "kept": kept})  # fmt: skip
        return
    click.echo(f"{path}: {counted(found.added, 'interaction')} recovered, "
               f"{found.interactions} in the cassette")  # fmt: skip
    if found.replaced:
        click.echo(f"{counted(found.replaced, 'interaction')} of the cassette replaced, as the "
                   "mode of that recording wanted it", err=True)  # fmt: skip
    if found.torn:
        click.echo(f"{found.torn} bytes of an interaction that was being written are lost",
                   err=True)  # fmt: skip
    if found.damaged:
        click.echo(f"{found.damaged} bytes of the journal could not be read; it is kept as "
                   f"{found.kept}", err=True)  # fmt: skip


@click.command()
@click.argument("file")
@click.option("--to", "form", type=click.Choice(FORMS),
              help="What to write; by default what the name of the output says.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="OUT", help="The file to write.")
@click.option("--all", "everything", is_flag=True,
              help="Of an archive take all requests, not chat completions alone.")  # fmt: skip
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def convert(*, file: str, form: str | None, output: str, everything: bool, force: bool) -> None:
    """Write a cassette as a scenario, as JSON or as YAML; read FILE.har, too.

    What comes from an HTTP archive is redacted as a recording would be.
    """
    source, target = Path(file), Path(output)
    if target.exists() and not force:
        raise SettingsError("the output is there already", where=output,
                            hint="choose another name, or --force")  # fmt: skip
    chosen = form or ("json" if is_json(target) else "yaml")
    if chosen != "scenario" and is_json(target) is not (chosen == "json"):
        raise SettingsError(f"--to {chosen} and the name of the output do not agree", where=output,
                            accepted="OUT.json for JSON, OUT.yaml for YAML")  # fmt: skip
    if source.suffix.lower() == ".har":
        archive = load_har(cassette_file(file), everything=everything)
        interactions = [cleaned(each) for each in archive.interactions]
        _refuse_leaks(source, interactions, ())
        _tell(archive.left_out)
        cassette = Cassette(path=source, interactions=tuple(interactions))
    else:
        cassette = files.load(cassette_file(file))
        _tell(cassette.warnings)
    if chosen == "scenario":
        found = to_scenario(cassette)
        _tell(found.left_out)
        replace_file(target, [found.text.encode()])
        click.echo(f"{target}: {counted(found.turns, 'turn')}")
        return
    files.write(target, _numbered(cassette.interactions))
    click.echo(f"{target}: {counted(len(cassette.interactions), 'interaction')}")


def _numbered(interactions: Sequence[Interaction]) -> list[Interaction]:
    return [replace(each, number=number) for number, each in enumerate(interactions, 1)]


def _tell(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(note, err=True)
