"""Turns profiles into the tables that `k3mock profiles` and `k3mock rules` print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import orjson

from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.subject import Stage
from k3mock.contract.checks.transport import REQUIRED
from k3mock.contract.load import load_profile
from k3mock.contract.noticing import heard_of
from k3mock.contract.profiles import NAMES
from k3mock.contract.rule import EVIDENCE_WORDS

if TYPE_CHECKING:
    from k3mock.contract.note import Note
    from k3mock.contract.profile import Profile
    from k3mock.contract.rule import Rule


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def profiles(*, as_json: bool) -> None:
    """List the built-in profiles."""
    found = [load_profile(name) for name in NAMES]
    if as_json:
        rows = [
            {
                "name": profile.name,
                "about": profile.about,
                "as_of": profile.as_of,
                "models": list(profile.models),
                "rules": len(profile.rules),
                "errors": len(profile.errors),
            }
            for profile in found
        ]
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    for profile in found:
        click.echo(f"{profile.name:10} {profile.as_of:8} {profile.about} "
                   f"({', '.join(profile.models)}; "
                   f"{len(profile.rules)} rules, {len(profile.errors)} errors)")  # fmt: skip


@click.command()
@click.option(
    "--profile",
    "name",
    default="moonshot",
    metavar="NAME|FILE",
    show_default=True,
    help="The profile to print.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rules(*, name: str, as_json: bool) -> None:
    """Print the rules that a server with this profile enforces, in the order of its checks."""
    profile = load_profile(name)
    if as_json:
        click.echo(orjson.dumps(rule_rows(profile), option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(f"{profile.name}: {profile.about}")
    click.echo("evidence: " + "; ".join(f"{mark} {word}" for mark, word in EVIDENCE_WORDS.items()))
    for row in rule_rows(profile):
        state = row["effect"] if row["holds"] else "off"
        click.echo(f"\n{row['id']}  [{row['evidence']}]  {state:6}  {row['status']} {row['type']}")
        click.echo(f"    {row['message']}")
        click.echo(f"    moved by {row['moved_by']}; {row['source']}")


def rule_rows(profile: Profile) -> list[dict[str, str | int | bool]]:
    """Return a profile's rules, behind them its engine's, and then its notes, as rows."""
    rows = [_row(rule, profile, holds=profile.holds(rule)) for rule in profile.rules]
    if profile.engine is not None:
        rows += [
            _row(rule, profile, holds=profile.engine_holds(rule), lead="engine:")
            for rule in profile.engine.rules
            if CHECKS[rule.check].stage is not Stage.TRANSPORT
        ]
    return rows + [_note_row(note, profile) for note in profile.notes]


def _note_row(note: Note, profile: Profile) -> dict[str, str | int | bool]:
    """Return a note in the form of a rule: the request is answered, and something is said of it."""
    return {
        "id": note.id,
        "check": note.look,
        "holds": heard_of(note, profile),
        "effect": str(note.level),
        "status": 200,
        "type": "note",
        "message": note.message,
        "evidence": " ".join(note.evidence),
        "source": note.source,
        "moved_by": f"notes.{note.id}.enabled",
    }


def _row(
    rule: Rule, profile: Profile, *, holds: bool, lead: str = ""
) -> dict[str, str | int | bool]:
    return {
        "id": f"{lead}{rule.id}",
        "check": rule.check,
        "holds": holds,
        "effect": str(profile.effect(rule)),
        "status": rule.status,
        "type": rule.type,
        "message": rule.message,
        "evidence": " ".join(rule.evidence),
        "source": rule.source,
        "moved_by": moved_by(rule),
    }


def moved_by(rule: Rule) -> str:
    """Say which switches move a rule; what is checked before the body is read always holds."""
    if rule.check in REQUIRED:
        return "nothing, it always holds"
    return ", ".join((rule.moved_by(), *CHECKS[rule.check].switches))
