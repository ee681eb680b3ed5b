"""Turns the names of peers into servers of the same text, installed from npm and PyPI if need be.

They go into `.bench/` beside the benchmarks, which git ignores. A peer that cannot be had, or that
does not answer as it should, is left out with a reason.
"""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.exchange import HEADERS
from benchmarks.process import ServerError
from benchmarks.subjects import Subject, text

if TYPE_CHECKING:
    from collections.abc import Callable

HOME = Path(__file__).resolve().parents[1] / ".bench"
INSTALL_TIMEOUT_S = 300.0
PIECE = 5
"""Characters of a piece where a peer cuts by characters: a word and its space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another mock: its package, and how it is started."""

    name: str
    package: str
    version: str
    registry: str
    subject: Callable[[Peer, Path], Subject]

    @property
    def home(self) -> Path:
        return HOME / self.registry / self.name

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    def program(self, name: str) -> str:
        """Return the path of a program that the package brings."""
        inside = "node_modules/.bin" if self.registry == "npm" else "bin"
        return str(self.home / inside / name)


def _aimock(peer: Peer, folder: Path) -> Subject:
    fixtures = folder / "aimock"
    fixtures.mkdir(exist_ok=True)
    answer = {
        "match": {"userMessage": "hello"}, "response": {"content": text()}, "chunkSize": PIECE,
    }  # fmt: skip
    (fixtures / "bench.json").write_text(json.dumps({"fixtures": [answer]}))
    program = str(Path(peer.program("llmock")).resolve())
    return Subject(
        name=peer.title,
        command=("node", program, "-p", "{port}", "-f", str(fixtures), "--log-level", "silent"),
    )


def _llmock(peer: Peer, folder: Path) -> Subject:
    del folder
    return Subject(
        name=peer.title,
        command=(peer.program("llmock"), "serve", "--port", "{port}", "--log-level", "warning"),
        prepare=_script_llmock,
    )


def _script_llmock(port: int) -> None:
    """Give llmock its text, for every request to come."""
    behaviors = [{"type": "reply", "text": text(), "times": None}]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(
            "POST", "/_llmock/scenario", json.dumps({"behaviors": behaviors}), HEADERS
        )
        answer = connection.getresponse()
        if answer.status >= 300:
            raise ServerError(f"takes no scenario: {answer.status} {answer.read()[:200]!r}")
    finally:
        connection.close()


def _fakellm(peer: Peer, folder: Path) -> Subject:
    rules = [
        {"name": "bench", "when": {"messages_contain": "hello"}, "respond": {"content": text()}}
    ]
    config = folder / "fakellm.yaml"
    config.write_text(json.dumps({"version": 1, "rules": rules}))
    return Subject(
        name=peer.title,
        command=(peer.program("fakellm"), "serve", "--port", "{port}", "--config", str(config)),
    )


def _stubllm(peer: Peer, folder: Path) -> Subject:
    fixtures = folder / "stubllm"
    fixtures.mkdir(exist_ok=True)
    fixture = {
        "name": "bench",
        "match": {"messages": [{"role": "user", "content": {"contains": "hello"}}]},
        "response": {"content": text(), "stream_chunk_delay_ms": 0},
    }
    (fixtures / "bench.yaml").write_text(json.dumps({"fixtures": [fixture]}))
    return Subject(
        name=peer.title,
        command=(
            peer.program("stubllm"), "serve", "--port", "{port}", "--fixture-dir", str(fixtures),
        ),
    )  # fmt: skip


PEERS = (
    Peer(name="aimock", package="@copilotkit/aimock", version="1.43.0", registry="npm",
         subject=_aimock),
    Peer(name="llmock", package="llmock", version="0.2.2", registry="pypi", subject=_llmock),
    Peer(name="fakellm", package="fakellm", version="0.3.5", registry="pypi", subject=_fakellm),
    Peer(name="stubllm", package="stubllm", version="0.1.5", registry="pypi", subject=_stubllm),
)  # fmt: skip


def installed(peer: Peer) -> str | None:
    """Install a peer if it is not there; returns why it cannot be had, None when it is there."""
    mark = peer.home / f".{peer.version}"
    if mark.exists():
        return None
    shutil.rmtree(peer.home, ignore_errors=True)
    peer.home.mkdir(parents=True)
    for command in _commands(peer):
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
            )
        except OSError:
            return f"{command[0]} is not on this machine"
        except subprocess.TimeoutExpired:
            return f"not installed within {INSTALL_TIMEOUT_S:.0f} s"
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            return f"cannot be installed: {''.join(last)[:160]}"
    mark.touch()
    return None


def _commands(peer: Peer) -> list[list[str]]:
    home, wanted = str(peer.home), peer.version
    if peer.registry == "npm":
        quiet = ["--no-audit", "--no-fund", "--loglevel", "error"]
        return [["npm", "install", "--prefix", home, *quiet, f"{peer.package}@{wanted}"]]
    pip = [str(peer.home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    return [[sys.executable, "-m", "venv", home], [*pip, f"{peer.package}=={wanted}"]]
