"""Turns profiles, commands and runs into the generated parts of README and docs.

cog runs the README's blocks; `python -m tests.project.generated` writes `docs/contract.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from k3mock.cli.contract import moved_by
from k3mock.cli.main import main
from k3mock.contract.load import load_profile
from k3mock.contract.noticing import heard_of
from k3mock.contract.profiles import NAMES
from k3mock.contract.rule import EVIDENCE_WORDS
from k3mock.contract.shape import SWITCHES
from k3mock.fault.catalogue import KINDS, catalogue_rows
from k3mock.protocol.knobs import SHORTCUTS, knobs
from tests.support import chat, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.profile import Profile
    from k3mock.protocol.knobs import Knob

CONTRACT_PAGE = Path(__file__).parents[2] / "docs" / "contract.md"
ORDER = ("moonshot", *(name for name in NAMES if name != "moonshot"))

_PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # noqa: E501

CONTRASTS: dict[str, dict[str, Any]] = {
    '`reasoning_effort: "low"`': {"reasoning_effort": "low"},
    '`reasoning_effort: "medium"`': {"reasoning_effort": "medium"},
    "`temperature: 0.7`": {"temperature": 0.7},
    "`temperature: 2.5`": {"temperature": 2.5},
    "`top_p: 1.5`": {"top_p": 1.5},
    "`n: 2`": {"n": 2},
    '`stop: "END"`': {"stop": "END"},
    "`stop` of 5 words": {"stop": ["a", "b", "c", "d", "e"]},
    "`max_tokens: 0`": {"max_tokens": 0},
    '`thinking: {type: "disabled"}`': {"thinking": {"type": "disabled"}},
    "image as data URL": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": _PIXEL}}],
            }
        ]
    },
    "image as https URL": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}],
            }
        ]
    },
    "named `tool_choice`": {
        "tools": [tool("f")],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
    },
    "tool without `parameters`": {"tools": [{"type": "function", "function": {"name": "f"}}]},
    "129 tools": {"tools": [tool(f"f{number}") for number in range(129)]},
    "system message with `tools`, no `content`": {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "system", "tools": [tool("f")]},
        ]
    },
    "role `developer`": {"messages": [{"role": "developer", "content": "hi"}]},
    "stream without `stream_options`": {"stream": True},
    "stream, `include_usage: false`": {
        "stream": True,
        "stream_options": {"include_usage": False},
    },
}
"""One request each, sent to every profile."""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def switches() -> str:
    """Return the table of switches with their values, the moonshot default first."""
    chosen = load_profile("moonshot").switches
    rows = ["", "| switch | values |", "| --- | --- |"]
    for name, values in SWITCHES.items():
        others = [f"`{value}`" for value in values if value != chosen[name]]
        rows.append(f"| `{name}` | **`{chosen[name]}`**, {', '.join(others)} |")
    return "\n".join([*rows, ""])


def rules(name: str = "moonshot") -> str:
    """Return the table of a profile's own rules."""
    profile = load_profile(name)
    rows = ["", "| rule | status | text | evidence | moved by |", "| --- | --- | --- | --- | --- |"]
    for rule in profile.rules:
        state = "" if profile.holds(rule) else " (off)"
        moved = moved_by(rule).removeprefix(f"rules.{rule.id}.")
        rows.append(
            f"| `{rule.id}`{state} | {rule.status} | {_code(rule.message)} | "
            f"{' '.join(rule.evidence)} | {_cell(moved)} |"
        )
    return "\n".join([*rows, ""])


def notes(name: str = "moonshot") -> str:
    """Return the table of what a profile's requests are noted for."""
    profile = load_profile(name)
    rows = ["", "| note | | text | evidence | source |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| `{note.id}` | {note.level} | {_code(note.message)} | "
        f"{' '.join(note.evidence)} | {_cell(note.source)} |"
        for note in profile.notes
        if heard_of(note, profile)
    ]
    return "\n".join([*rows, ""])


def named_errors(name: str = "moonshot") -> str:
    """Return the table of a profile's errors that can be asked for by name."""
    rows = ["", "| name | status | type | text | evidence |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| `{preset.name}` | {preset.status} | `{preset.type}` | {_code(preset.message)} | "
        f"{' '.join(preset.evidence)} |"
        for preset in load_profile(name).errors.values()
    ]
    return "\n".join([*rows, ""])


def contrast() -> str:
    """Send one request to every profile; return the table of what came back."""
    rows = ["", f"| request | {' | '.join(ORDER)} |", f"| --- |{' --- |' * len(ORDER)}"]
    with serving() as server:
        for about, fields in CONTRASTS.items():
            cells = []
            for name in ORDER:
                answer = chat(server, options=f"profile={name};session={len(rows)}", **fields)
                cells.append(_outcome(answer.status, answer.body))
            rows.append(f"| {about} | {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def _outcome(status: int, body: bytes) -> str:
    if status != 200:
        return f"**{status}**"
    if body.startswith(b"data:"):
        last = body.split(b"\n\n")[-3]
        return "usage chunk" if b'"choices":[]' in last else "no usage chunk"
    return "200"


def _commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def commands() -> str:
    """Return a line for every command."""
    rows = ["", "| command | |", "| --- | --- |"]
    for name, command in _commands(main, "k3mock"):
        about = (command.help or "").partition("\n\n")[0].replace("\n", " ").strip()
        rows.append(f"| `{name}` | {_cell(about)} |")
    return "\n".join([*rows, ""])


def commands_page() -> str:
    """Return the page with the help text of every command."""
    parts = ["# Command line", "", "Generated by `make docs`: what `--help` prints.", ""]
    for name, command in _commands(main, "k3mock"):
        inner = click.Context(
            command, info_name=name, max_content_width=100, help_option_names=["-h", "--help"]
        )
        # click keeps the help option that whoever asked first has made.
        command._help_option = None
        inner.terminal_width = 100
        parts += [f"## {name}", "", "```text", command.get_help(inner), "```", ""]
    return "\n".join(parts)


def _engine_rules(profile: Profile) -> str:
    if profile.engine is None:
        return ""
    met = [f"`{rule.id}`" for rule in profile.engine.rules if profile.engine_holds(rule)]
    groups = ", ".join(f"`{group}`" for group in sorted(profile.engine_rules))
    return (
        f"\nWhat it forwards then meets the engine's rules of the groups {groups} "
        f"(`unlisted: {profile.unlisted}`): {', '.join(met)}.\n"
    )


def contract_page() -> str:
    """Return the page that lists every rule and error, profile by profile."""
    parts = [
        "# The contracts",
        "",
        (
            "Generated by `make docs` from the profiles in `k3mock/contract/profiles/`; "
            "`k3mock rules --profile NAME` prints the same with the source of each rule. "
            "Notes are of requests that are answered: `warn` shows in the journal and in the "
            "header `x-k3mock-warnings`, `info` in the journal alone."
        ),
        "",
        "Evidence: " + "; ".join(f"{mark} {words}" for mark, words in EVIDENCE_WORDS.items()) + ".",
    ]
    for name in ORDER:
        profile = load_profile(name)
        parts += [
            "",
            f"## {name}",
            "",
            (
                f"{profile.about}. Rules in the order of their checks; "
                "`code` and `param` of its errors are in the profile file."
            ),
            rules(name).rstrip(),
            _engine_rules(profile),
            f"### What {name} does without a word",
            notes(name).rstrip(),
            "",
            f"### Errors of {name} on demand",
            named_errors(name).rstrip(),
        ]
    return "\n".join(parts) + "\n"


GROUPS = {
    "Reasoning and content": "reasoning_field",
    "Chunks": "role",
    "Usage": "usage_in_choice",
    "Tool calls": "tool_ids",
    "Errors": "error_envelope",
    "Bytes": "html_escape",
}
"""Titles of the knobs, with the first knob of each group."""


def _grouped() -> dict[str, list[Knob]]:
    firsts = {name: title for title, name in GROUPS.items()}
    groups: dict[str, list[Knob]] = {}
    title = ""
    for name, knob in knobs().items():
        title = firsts.get(name, title)
        groups.setdefault(title, []).append(knob)
    return groups


def knob_list() -> str:
    """Return the names of all knobs, by group."""
    rows = [
        f"- {title}: {', '.join(f'`{knob.name}`' for knob in found)}"
        for title, found in _grouped().items()
    ]
    short = ", ".join(f"`{name}`" for name in SHORTCUTS)
    return "\n".join(["", *rows, f"- Several at once: {short}", ""])


def dialect_page() -> str:
    """Return the page that explains every knob."""
    parts = [
        "# The wire dialect",
        "",
        (
            "Generated by `make docs` from `k3mock/protocol/policy.py`. A knob is set in a "
            "profile, a scenario or a reply (`wire: {KNOB: VALUE}`), or in a base URL "
            "(`/with/wire.KNOB=VALUE/v1`). The default is that of a profile that says nothing."
        ),
    ]
    for title, found in _grouped().items():
        parts += [
            "",
            f"## {title}",
            "",
            "| knob | takes | default | |",
            "| --- | --- | --- | --- |",
        ]
        parts += [
            f"| `{knob.name}` | {_takes(knob)} | `{knob.default or ' '}` | {_cell(knob.about)} |"
            for knob in found
        ]
    parts += ["", "## Several at once", "", "| name | takes | |", "| --- | --- | --- |"]
    parts += [
        f"| `{knob.name}` | {_takes(knob)} | {_cell(knob.about)} |" for knob in SHORTCUTS.values()
    ]
    return "\n".join(parts) + "\n"


def _takes(knob: Knob) -> str:
    if knob.choices:
        return ", ".join(f"`{choice}`" for choice in knob.choices)
    return knob.accepts()


def fault_list() -> str:
    """Return the names of all faults at moonshot, by kind."""
    rows = catalogue_rows(load_profile("moonshot"))
    parts = [""]
    for kind, about in KINDS.items():
        names = ", ".join(f"`{row['name']}`" for row in rows if row["kind"] == kind)
        parts += [f"- {kind}, {about}: {names}"]
    return "\n".join([*parts, ""])


def faults_page() -> str:
    """Return the page that lists every fault."""
    rows = catalogue_rows(load_profile("moonshot"))
    parts = [
        "# Faults",
        "",
        (
            "Generated by `make docs` from the catalogue and the profile `moonshot`; "
            "`k3mock faults NAME` explains one with its parameters, `--profile` shows another "
            "host's errors. The errors take `status`, `message`, `type`, `code`, `param`, "
            "`retry_after`, `delay_ms` and more in place of their own."
        ),
    ]
    for kind, about in KINDS.items():
        parts += ["", f"## {kind}: {about}", "", "| name | | parameters | seen |",
                  "| --- | --- | --- | --- |"]  # fmt: skip
        parts += [_fault_row(row) for row in rows if row["kind"] == kind]
    return "\n".join(parts) + "\n"


def _fault_row(row: Any) -> str:
    names = [parameter["name"] for parameter in row["parameters"]]
    shown = "" if row["kind"] == "error" else ", ".join(f"`{name}`" for name in names)
    return f"| `{row['name']}` | {_cell(row['about'])} | {shown} | {_cell(row['seen'])} |"


PAGES = {
    CONTRACT_PAGE: contract_page,
    CONTRACT_PAGE.with_name("commands.md"): commands_page,
    CONTRACT_PAGE.with_name("dialect.md"): dialect_page,
    CONTRACT_PAGE.with_name("faults.md"): faults_page,
}
"""The generated pages."""

if __name__ == "__main__":
    CONTRACT_PAGE.parent.mkdir(exist_ok=True)
    for path, written in PAGES.items():
        path.write_text(written(), encoding="utf-8")
