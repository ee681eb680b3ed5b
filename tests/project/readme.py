"""Turns the README's transcripts and programs into runs.

`python -m tests.project.readme` rewrites the outputs, `test_readme.py` compares them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support import serving

README = Path(__file__).parents[2] / "README.md"
ADDRESS = "http://127.0.0.1:8000"
_BLOCK = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```\n", re.DOTALL)


def transcripts(text: str) -> list[tuple[str, str]]:
    """Return (command, output) of every console block that starts with `$ `."""
    return [(found["command"], found["output"]) for found in _BLOCK.finditer(text)]


def yaml_blocks(text: str) -> list[str]:
    """Return the text of every YAML block."""
    return re.findall(r"```yaml\n(.*?)```\n", text, re.DOTALL)


def python_blocks(text: str) -> list[str]:
    """Return the text of every python block."""
    return re.findall(r"```python\n(.*?)```\n", text, re.DOTALL)


def run(command: str, address: str) -> str:
    """Run a transcript's command against a server and return what it prints."""
    scripts = str(Path(sys.executable).parent)
    environ = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command.replace(ADDRESS, address)],
        capture_output=True, text=True, timeout=60, check=True, env=environ,
    )  # fmt: skip
    return done.stdout.rstrip("\n") + "\n"


def rewritten(text: str, address: str) -> str:
    """Return the README with the output of every transcript as it is now."""

    def replace(found: re.Match[str]) -> str:
        command = found["command"]
        return f"```console\n$ {command}\n{run(command, address)}```\n"

    return _BLOCK.sub(replace, text)


def main() -> None:
    """Rewrite the transcripts."""
    with serving(seed=7, tokenizer={}) as server:
        text = README.read_text(encoding="utf-8")
        README.write_text(rewritten(text, server.address), encoding="utf-8")


if __name__ == "__main__":
    main()
