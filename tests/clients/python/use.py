"""Turns a use of a client into the line of JSON that the runner reads."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

BASE_URL = os.environ["K3_BASE_URL"]
API_KEY = os.environ["K3_API_KEY"]
MODEL = os.environ["K3_MODEL"]
CELL = os.environ["K3_CELL"]
USE = os.environ["K3_USE"]
WORDS = json.loads((Path(__file__).parents[1] / "words.json").read_text(encoding="utf-8"))
QUESTION = WORDS["question"]
WEATHER = WORDS["weather"]
STRUCTURED = WORDS["structured"]
PING = WORDS["ping"]
AGENT = WORDS["agent"]
IMAGE = WORDS["image"]


class UnsupportedError(Exception):
    """The client offers no such thing."""


calls: list[list[Any]] = []
"""The tools that were run, in order."""

_files = dict(AGENT["files"])


def get_weather(city: str) -> str:
    """The weather in a city, now."""
    calls.append(["get_weather", {"city": city}])
    return str(WEATHER["result"])


def ping() -> str:
    """Tell whether the machine is there."""
    calls.append(["ping", {}])
    return str(PING["result"])


def list_files(path: str) -> str:
    """List the files below a folder."""
    calls.append(["list_files", {"path": path}])
    inside = "" if path in ("", ".") else f"{path}/"
    return "\n".join(name for name in sorted(_files) if name.startswith(inside))


def read_file(path: str) -> str:
    """Read a file."""
    calls.append(["read_file", {"path": path}])
    return _files.get(path, f"no such file: {path}")


def write_file(path: str, text: str) -> str:
    """Write a file."""
    calls.append(["write_file", {"path": path, "text": text}])
    _files[path] = text
    return f"{len(text)} characters written"


def run(command: str) -> str:
    """Run a shell command and return what it prints."""
    calls.append(["run", {"command": command}])
    if command.startswith("pytest"):
        return "1 passed" if "a + b" in _files["adder.py"] else "1 failed: assert 0 == 4"
    return " M adder.py"


AGENT_TOOLS = {
    "list_files": list_files,
    "read_file": read_file,
    "write_file": write_file,
    "run": run,
}
TOOLS = {"get_weather": get_weather, "ping": ping, **AGENT_TOOLS}


def numbers(prompt: Any, completion: Any, reasoning: Any = None, cached: Any = None) -> dict:
    """Return token numbers under the runner's names."""
    return {
        "prompt": prompt,
        "completion": completion,
        "reasoning": reasoning,
        "cached": cached,
    }


def openai_numbers(usage: Any) -> dict | None:
    """Return the numbers of a usage object of the shape that the `openai` package has."""
    if usage is None:
        return None
    details = getattr(usage, "completion_tokens_details", None)
    prompt = getattr(usage, "prompt_tokens_details", None)
    return numbers(
        usage.prompt_tokens,
        usage.completion_tokens,
        getattr(details, "reasoning_tokens", None),
        getattr(prompt, "cached_tokens", None) or getattr(usage, "cached_tokens", None),
    )


def main(uses: dict[str, Any]) -> None:
    """Do the one thing that the environment asks for, and say how it came out."""
    outcome, saw = "works", {}
    try:
        if USE not in uses:
            raise UnsupportedError(f"no {USE}")
        found = uses[USE]()
        saw = asyncio.run(found) if inspect.isawaitable(found) else found
    except UnsupportedError as why:
        outcome, saw = "unsupported", {"why": str(why)}
    except BaseException as error:
        outcome, saw = "breaks", {"exception": described(error)}
    if calls:
        saw["calls"] = calls
    sys.stdout.write("\n" + json.dumps({"outcome": outcome, "saw": saw}, default=str) + "\n")
    sys.stdout.flush()
    os._exit(0)


def described(error: BaseException) -> dict[str, str]:
    """Return an exception's class and the beginning of its message."""
    return {"class": type(error).__name__, "message": " ".join(str(error).split())[:120]}
