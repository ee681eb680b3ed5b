"""An agent that runs a loop of tool calls with the official SDK until the model stops asking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import openai
import pytest

from tests.support import serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PROFILES = ("moonshot", "devotel", "apiany", "hotrouter", "evolink")
MOST_TURNS = 20

TASK = (
    "List the files in ./src, then read ./src/app.py, then search the code for 'TODO', "
    "then read ./src/models.py. After that, write ./notes/summary.md, then run the tests, "
    "then read ./logs/test.log, then search the code for 'retry', then list the files in ./docs. "
    "Finally tell me what you found."
)
WANTED = [
    ("list_files", "path", "./src"),
    ("read_file", "path", "./src/app.py"),
    ("search_code", "query", "TODO"),
    ("read_file", "path", "./src/models.py"),
    ("write_file", "path", "./notes/summary.md"),
    ("run_tests", "", ""),
    ("read_file", "path", "./logs/test.log"),
    ("search_code", "query", "retry"),
    ("list_files", "path", "./docs"),
]
"""The calls that the task asks for: tool, parameter, value."""

FILES = {"./src": ["app.py", "models.py"], "./docs": ["index.md"]}


def _tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


_TEXT = {"type": "string"}
TOOLS: Any = [
    _tool("list_files", "List the files of a directory", path=_TEXT),
    _tool("read_file", "Read a text file", path=_TEXT),
    _tool("write_file", "Write a text file", path=_TEXT, content=_TEXT),
    _tool("search_code", "Search all files for a text", query=_TEXT),
    _tool("run_tests", "Run the test suite"),
]


def _run_tool(name: str, given: dict[str, Any]) -> str:
    """Play the part of the tools."""
    match name:
        case "list_files":
            return json.dumps(FILES.get(given["path"], []))
        case "read_file":
            return f"contents of {given['path']}"
        case "write_file":
            return json.dumps({"written": len(given["content"])})
        case "search_code":
            return json.dumps([{"file": "app.py", "line": 12, "text": given["query"]}])
        case _:
            return json.dumps({"passed": 41, "failed": 1})


def run_agent(base_url: str, task: str = TASK) -> list[dict[str, Any]]:
    """Run the loop; return the messages of the whole conversation."""
    messages: list[Any] = [{"role": "user", "content": task}]
    with openai.OpenAI(base_url=base_url, api_key="sk-any", max_retries=0, timeout=30) as client:
        for _ in range(MOST_TURNS):
            answer = client.chat.completions.create(
                model="kimi-k3", messages=messages, tools=TOOLS, tool_choice="auto"
            )
            choice = answer.choices[0]
            messages.append(choice.message.model_dump(exclude_none=True))
            calls: Any = choice.message.tool_calls or []
            if not calls:
                assert choice.finish_reason == "stop"
                return messages
            assert choice.finish_reason == "tool_calls"
            messages += [
                {
                    "role": "tool",
                    "tool_call_id": call.id,
                    "content": _run_tool(call.function.name, json.loads(call.function.arguments)),
                }
                for call in calls
            ]
    raise AssertionError("the loop does not end")


def made_calls(messages: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of a conversation in order."""
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in messages
        for call in message.get("tool_calls", ())
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_loop_of_ten_turns_ends_by_itself(server: MockServer, profile: str) -> None:
    messages = run_agent(f"{server.address}/with/profile={profile};session=agent-{profile}/v1")
    calls = made_calls(messages)
    assert len([message for message in messages if message["role"] == "assistant"]) == 10
    assert [name for name, _ in calls] == [name for name, _, _ in WANTED]
    for (_, given), (_, key, value) in zip(calls, WANTED, strict=True):
        assert not key or given[key] == value
    assert len({json.dumps(call) for call in calls}) == len(calls)
    assert messages[-1]["content"]
    assert "index.md" in messages[-1]["content"]


def test_a_question_that_was_answered_is_not_looked_up_again(server: MockServer) -> None:
    base_url = f"{server.address}/with/session=agent-again/v1"
    first = run_agent(base_url, "Read ./src/app.py")
    assert [name for name, _ in made_calls(first)] == ["read_file"]
    with openai.OpenAI(base_url=base_url, api_key="sk-any", max_retries=0, timeout=30) as client:
        again: Any = [*first, {"role": "user", "content": "Read ./src/app.py"}]
        answer = client.chat.completions.create(model="kimi-k3", messages=again, tools=TOOLS)
    message = answer.choices[0].message
    assert not message.tool_calls
    assert "contents of ./src/app.py" in (message.content or "")


def test_files_that_a_result_names_are_read_at_once(server: MockServer) -> None:
    base_url = f"{server.address}/with/session=agent-named/v1"
    messages = run_agent(base_url, "List the files in ./src, then read the files.")
    assert made_calls(messages) == [
        ("list_files", {"path": "./src"}),
        ("read_file", {"path": "app.py"}),
        ("read_file", {"path": "models.py"}),
    ]


def test_the_transcript_repeats_under_the_same_seed() -> None:
    transcripts = []
    for _ in range(2):
        with serving(seed=5) as running:
            transcripts.append(run_agent(f"{running.address}/v1"))
    assert transcripts[0] == transcripts[1]
    assert len(transcripts[0]) == 20
