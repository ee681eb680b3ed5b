"""Turns the cases from the field into `docs/cases.md`: `python -m tests.project.cases`."""

from __future__ import annotations

from pathlib import Path

from tests.cases import test_cases
from tests.cases.case import CASES, CLIENTS, Case

PAGE = Path(__file__).parents[2] / "docs" / "cases.md"

CLASSES = {
    "A": "Reasoning that comes back in the history",
    "B": "The shape of reasoning in the answer",
    "C": "Tool calls in the answer",
    "D": "Histories of tool calls, and their ids",
    "E": "Control tokens in text",
    "F": "Usage and cache counters",
    "G": "Framing, bytes and content type of a stream",
    "H": "Order and end of a stream, errors in the middle",
    "I": "HTTP errors",
    "J": "Time",
    "K": "Parameters and modes",
    "L": "Tool schemas",
    "M": "Messages and content",
    "N": "What mocks and replay tools get wrong",
}

INTRO = """# Cases from the field

Situations that broke clients of Kimi, of reasoning streams and of OpenAI-compatible streams in
general. k3mock produces each of them by configuration alone; `tests/cases` asks for them as below
and looks at the bytes that a raw client sees. Cases with a star are also shown to the `openai` SDK.

This page is generated from the tests; do not edit it by hand.
"""


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def _case(known: Case) -> str:
    star = " ★" if known.id in CLIENTS else ""
    parts = [f"### {known.id}{star}\n", f"{known.about}\n"]
    if known.profile:
        parts += ["A profile (`--profile FILE`):\n", _block("yaml", known.profile)]
    if known.scenario:
        parts += ["A scenario:\n", _block("yaml", known.scenario)]
    if known.options:
        parts += ["Options of the base URL:\n", _block("text", f"/with/{known.options}/v1")]
    if not (known.profile or known.scenario or known.options):
        parts.append("The profile `moonshot` does it as it is.\n")
    return "\n".join(parts)


def page() -> str:
    """Return the page as markdown."""
    parts = [INTRO]
    for letter, title in CLASSES.items():
        parts.append(f"## {letter} · {title}\n")
        found = sorted(known_id for known_id in CASES if known_id.startswith(letter))
        parts += [_case(CASES[known_id]) for known_id in found]
    return "\n".join(parts)


def write() -> None:
    """Write the page."""
    assert test_cases.GIVEN
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
