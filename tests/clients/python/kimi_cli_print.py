"""Turns `kimi --print` of kimi-cli, configured as a user configures it, into evidence."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from use import AGENT, API_KEY, BASE_URL, MODEL, QUESTION, calls, main

HOME = Path(os.environ["HOME"])
PROGRAM = Path(os.environ["K3_HOME"]) / "bin" / "kimi"


class PrintError(Exception):
    """The command ended with an error."""


def configure(*, thinking: bool) -> Path:
    file = HOME / "config.json"
    file.write_text(json.dumps({
        "default_model": "k3",
        "default_thinking": thinking,
        "providers": {"mock": {"type": "kimi", "base_url": BASE_URL, "api_key": API_KEY}},
        "models": {
            "k3": {
                "provider": "mock",
                "model": MODEL,
                "max_context_size": 1_048_576,
                "capabilities": ["thinking"],
            }
        },
    }))  # fmt: skip
    return file


def asked(question: str, *, thinking: bool = True) -> dict[str, Any]:
    project = HOME / "project"
    project.mkdir()
    for name, text in AGENT["files"].items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    command = [
        PROGRAM, "--print", "--output-format", "stream-json", "--prompt", question,
        "--config-file", configure(thinking=thinking), "--work-dir", project,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    saw: dict[str, Any] = {"text": "", "stream_reasoning": ""}
    for line in done.stdout.splitlines():
        if line.startswith('{"role":"assistant"'):
            read(json.loads(line), saw)
    if done.returncode:
        said = [each for each in done.stdout.splitlines() if each.strip() and each[0] != "{"]
        raise PrintError(f"exit {done.returncode}: {' '.join(said)}")
    return saw


def read(message: dict[str, Any], saw: dict[str, Any]) -> None:
    """Take one message of the agent; the last one has the answer."""
    content = message.get("content") or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    saw["text"] = "".join(part.get("text", "") for part in parts if part["type"] == "text")
    saw["stream_reasoning"] += "".join(
        part.get("think", "") for part in parts if part["type"] == "think"
    )
    for call in message.get("tool_calls") or ():
        calls.append([call["function"]["name"], json.loads(call["function"]["arguments"])])


main({
    "plain": lambda: asked(QUESTION), "stream": lambda: asked(QUESTION),
    "reasoning": lambda: asked(QUESTION), "agent": lambda: asked(AGENT["task"]),
    "no_thinking": lambda: asked(QUESTION, thinking=False),
})  # fmt: skip
