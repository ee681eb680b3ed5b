"""Turns profiles and commands into the generated parts of the README (run by cog)."""

from __future__ import annotations

import click

from k3mock.cli.contract import moved_by
from k3mock.cli.main import main
from k3mock.contract.load import load_profile
from k3mock.contract.shape import SWITCHES


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def switches() -> str:
    """Return the table of switches with their values, the default first."""
    chosen = load_profile("moonshot").switches
    rows = ["", "| switch | values |", "| --- | --- |"]
    for name, values in SWITCHES.items():
        others = [f"`{value}`" for value in values if value != chosen[name]]
        rows.append(f"| `{name}` | **`{chosen[name]}`**, {', '.join(others)} |")
    return "\n".join([*rows, ""])


def rules() -> str:
    """Return the table of the moonshot rules."""
    profile = load_profile("moonshot")
    rows = ["", "| rule | status | text | evidence | moved by |", "| --- | --- | --- | --- | --- |"]
    for rule in profile.rules:
        state = "" if profile.holds(rule) else " (off)"
        moved = moved_by(rule).removeprefix(f"rules.{rule.id}.")
        rows.append(
            f"| `{rule.id}`{state} | {rule.status} | {_code(rule.message)} | "
            f"{' '.join(rule.evidence)} | {_cell(moved)} |"
        )
    return "\n".join([*rows, ""])


def named_errors() -> str:
    """Return the table of the moonshot errors that can be asked for by name."""
    rows = ["", "| name | status | type | text | evidence |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| `{preset.name}` | {preset.status} | `{preset.type}` | {_code(preset.message)} | "
        f"{' '.join(preset.evidence)} |"
        for preset in load_profile("moonshot").errors.values()
    ]
    return "\n".join([*rows, ""])


def command_line() -> str:
    """Return the help text of every command."""
    context = click.Context(main, info_name="k3mock")
    blocks = [""]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=f"k3mock {name}", max_content_width=100)
        inner.terminal_width = 100
        blocks += ["```text", command.get_help(inner), "```", ""]
    return "\n".join(blocks)
