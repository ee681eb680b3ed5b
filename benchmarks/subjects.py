"""Turns what is measured into servers that run: k3mock in its ways, and the bare references.

All of them give the same text: `WORDS` words of four letters, each one token with its space, so
that k3mock writes an event for each word, as peers do that cut at words or at five characters.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.exchange import CHAT, DIGITS, ask, body
from benchmarks.process import Server, ServerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

WORDS = 100
PROMPT = "hello number"
"""What is asked, with a number behind it; every scenario and fixture looks for `hello`."""

_VOCABULARY = (
    "time", "year", "work", "life", "hand", "part", "case", "week", "home", "room",
    "book", "word", "side", "kind", "head", "name", "team", "line", "city", "road",
)  # fmt: skip


def text(words: int = WORDS) -> str:
    """Return so many words."""
    return " ".join(_VOCABULARY[index % len(_VOCABULARY)] for index in range(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A server to measure.

    Attributes:
        name: how figures call it.
        command: what starts it; `{port}` is filled in.
        env: variables for it; `{port}` is filled in.
        path: where it is asked.
        prompt: what it is asked.
        words: what its answers contain; empty does not look.
        cycle: how many prompts it knows, where they are not without end.
        prepare: what is done once it runs.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    path: str = CHAT
    prompt: str = PROMPT
    words: str = field(default_factory=text)
    cycle: int = 0
    prepare: Callable[[int], object] | None = None

    def server(self) -> Server:
        return Server(self.name, self.command, self.env)


def ready(subject: Subject, server: Server) -> None:
    """Prepare a running server, and look whether it answers as it should, in both ways.

    Raises:
        ServerError: it does not.
    """
    try:
        if subject.prepare is not None:
            subject.prepare(server.port)
        for stream in (False, True):
            prompt = f"{subject.prompt} {'0' * DIGITS}"
            found = ask(server.port, body(prompt, stream=stream), subject.path)
            if subject.words and said(found, stream=stream) != subject.words:
                raise ServerError(f"answers other words: {found[:160]!r}")
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ServerError(f"does not answer: {error!r} {server.said()}") from error


def said(answer: bytes, *, stream: bool) -> str:
    """Return the content of an answer."""
    if not stream:
        return str(json.loads(answer)["choices"][0]["message"]["content"]).strip()
    parts = []
    for line in answer.decode().splitlines():
        data = line.removeprefix("data: ")
        if data == line or data.strip() == "[DONE]":
            continue
        choices = json.loads(data).get("choices", [])
        parts += [choice.get("delta", {}).get("content") or "" for choice in choices]
    return "".join(parts).strip()


def scenario(folder: Path, words: int = WORDS, name: str = "bench") -> Path:
    """Write the scenario that gives so many words to whoever says hello."""
    path = folder / f"{name}.yaml"
    path.write_text(
        f"name: {name}\nturns:\n- when: {{last: {{role: user, content: {{contains: hello}}}}}}\n"
        f"  reply: {{content: '{text(words)}'}}\n"
    )
    return path


def k3mock(name: str, *arguments: str, pace: str = "instant") -> Subject:
    """Return k3mock with arguments of `serve`; like its peers it writes no log of requests."""
    command = (
        sys.executable, "-m", "k3mock", "serve", "--port", "{port}", "--pace", pace,
        "--log-format", "off", *arguments,
    )  # fmt: skip
    return Subject(name=f"k3mock, {name}", command=command)


def reference(name: str, kind: str, folder: Path) -> Subject:
    """Return a bare server that sends the bytes in a folder."""
    command = (sys.executable, "-m", "benchmarks.references", kind, "{port}", str(folder))
    return Subject(name=name, command=command, words="")


def sample(subject: Subject, folder: Path) -> None:
    """Write down what a subject answers, for the references to send the same bytes."""
    with subject.server() as server:
        ready(subject, server)
        for file, stream in (("answer.json", False), ("stream.sse", True)):
            data = ask(server.port, body(f"{subject.prompt} 1", stream=stream), subject.path)
            (folder / file).write_bytes(data)
