"""Turns the columns of the table of clients, and its cases, into what is played and how judged.

A column is one use of a client (`use`), played by a scenario of the mock. A case is a use too, of
those clients whose group names it, in the situation that its id stands for in `docs/cases.md`.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.clients import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.clients.witness import Witness


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What the client does (`use`), what the mock does (`scenario`, `settings`), who judges.

    `ids` are the cases from the field that explain what stands in the column beside `works`.
    """

    title: str
    use: str
    judge: Callable[[Witness], str]
    scenario: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    reported: str = ""
    ids: tuple[str, ...] = ()

    @property
    def played(self) -> str:
        return textwrap.dedent(self.scenario).lstrip()


ANSWER = f"""
name: answer
turns:
  - reply: {{reasoning: "{judge.THOUGHT}", content: "{judge.WHOLE}"}}
"""


def answer(bent: str, first: str = "") -> str:
    """Return the scenario of the plain answer with something more in its reply."""
    return f"""
name: answer
turns:
{first}  - reply: {{reasoning: "{judge.THOUGHT}", content: "{judge.WHOLE}", {bent}}}
"""


def weather(bent: str = "", arguments: str = '{city: "İzmir"}') -> str:
    """Return the scenario of one tool call with something more in the reply that calls."""
    call = f"{{name: get_weather, arguments: {arguments}}}"
    said = ", ".join(
        filter(None, ("reasoning: I should look it up.", f"tool_calls: [{call}]", bent))
    )
    return f"""
name: weather
turns:
  - when: {{last: {{role: tool}}}}
    reply: {{reasoning: The tool has told me., content: "{judge.WEATHER}"}}
  - reply: {{{said}}}
"""


STEPS = (
    ("The task first: what is there?", "list_files", '{path: "."}'),
    ("The README may say how to test.", "read_file", '{path: "README.md"}'),
    ("Now the tests.", "run", '{command: "pytest"}'),
    ("They fail. Where are they?", "list_files", '{path: "tests"}'),
    ("What do they want?", "read_file", '{path: "tests/test_adder.py"}'),
    ("And what is there instead?", "read_file", '{path: "adder.py"}'),
    ("The sign is wrong — mend it.", "write_file",
     r'{path: "adder.py", text: "def add(a, b):\n    return a + b\n"}'),
    ("Did it arrive?", "read_file", '{path: "adder.py"}'),
    ("Once more the tests.", "run", '{command: "pytest -q"}'),
    ("And the state of the tree.", "run", '{command: "git status --short"}'),
)  # fmt: skip


KIMI_STEPS = (
    ("The task first: what is there?", "Shell", '{command: "ls -a"}'),
    ("The README may say how to test.", "ReadFile", '{path: README.md}'),
    ("All of it, with the tests.", "Glob", '{pattern: "**/*.py"}'),
    ("What do they want?", "ReadFile", '{path: tests/test_adder.py}'),
    ("And what is there instead?", "ReadFile", '{path: adder.py}'),
    ("Is it used elsewhere?", "Grep", '{pattern: "add"}'),
    ("The sign is wrong — mend it.", "WriteFile",
     r'{path: adder.py, content: "def add(a, b):\n    return a + b\n"}'),
    ("Did it arrive?", "ReadFile", '{path: adder.py}'),
    ("Once more by hand.", "Shell", '{command: "grep -c + adder.py"}'),
    ("And the state of the tree.", "Shell", '{command: "ls -l"}'),
)  # fmt: skip


def _agent(steps: tuple[tuple[str, str, str], ...]) -> str:
    turns = [
        f"""  - when: {{turn: {number}, tools: [{name}]}}
    reply:
      reasoning: "{thought}"
      content: "{"" if number % 2 else "Let me look."}"
      tool_calls: [{{name: {name}, arguments: {arguments}}}]
"""
        for number, (thought, name, arguments) in enumerate(steps)
    ]
    end = f'  - reply: {{reasoning: That is all., content: "{judge.FIXED}"}}\n'
    return f"name: agent\nturns:\n{''.join(turns)}{end}"


LOOPS = {"offered": _agent(STEPS), "kimi_cli": _agent(KIMI_STEPS)}
"""The agent's loop with the tools of `words.json`, or with those that an agent brings itself."""

COLUMNS: dict[str, Cell] = {
    "plain": Cell(
        title="plain", use="plain", judge=judge.plain, scenario=ANSWER,
        about="a whole answer; its text arrives as it was sent",
    ),
    "stream": Cell(
        title="stream", use="stream", judge=judge.stream, scenario=ANSWER,
        about="a stream; the text as it was sent, in pieces",
    ),
    "reasoning": Cell(
        title="reasoning shown", use="reasoning", judge=judge.reasoning, scenario=ANSWER,
        ids=("B02",),
        about="the client's user can get at the thinking, of whole answers and of streams",
    ),
    "tools": Cell(
        title="tool loop", use="tools", judge=judge.tools, scenario=weather(),
        ids=("A05",),
        about="a tool is run once and its result sent back under the call's id; "
        "`reasoning not sent back`: the history lacks the thinking that K3 wants to see again",
    ),
    "structured": Cell(
        title="structured output", use="structured", judge=judge.structured,
        ids=("K08",),
        about="an answer under a JSON Schema, by `response_format` unless the cell says otherwise; "
        "who names a tool in `tool_choice` is refused with 400, as the host does",
    ),
    "usage": Cell(
        title="usage", use="usage", judge=judge.usage, scenario=ANSWER,
        ids=("F01", "F02"),
        about="prompt, completion, reasoning and cached tokens of a whole answer and of a stream "
        "are the numbers that were sent",
    ),
    "retry": Cell(
        title="429 then ok", use="plain", judge=judge.retry,
        scenario=answer(
            "headers: {}",
            "  - times: 1\n    reply: {error: {name: rate_limited, seconds: 1}}\n",
        ),
        ids=("I18",),
        about="the first request is refused with 429 and `Retry-After: 1`; default settings",
    ),
    "cut": Cell(
        title="cut mid-stream", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: cut_mid_stream, after: {content_tokens: 4}}]"),
        ids=("H12",),
        about="the connection is closed in the midst of a stream, without the last chunk",
    ),
    "error_event": Cell(
        title="error event", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: error_event, after: {content_tokens: 4}}]"),
        ids=("H05",),
        about="a stream that began with 200 goes on with an error object",
    ),
}  # fmt: skip

AGENT = Cell(
    title="agent", use="agent", judge=judge.agent, scenario=LOOPS["offered"],
    ids=("A05", "D03"),
    about="ten tools, one after the other: list, read, write and run, and then the answer; "
    "the host numbers calls anew in every message, so that ids come again in a conversation",
)  # fmt: skip
