"""Turns a group's file into an installed client: an environment of its own under `.clients/`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "groups"
INSTALLED = HERE.parents[1] / ".clients"
INSTALL_TIMEOUT_S = 900


class SkippedError(Exception):
    """A client cannot be run here; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """One row of the table: a client in one version, used in one way.

    `environment` is the folder below `.clients/` (groups with the same requirements share one),
    `version` a command that prints the version of a client that no package manager installed,
    `interpreter` the Python that the client needs where this project's own will not do,
    `environ` what the script finds in its environment besides, `columns` those that are run,
    `agent` the profiles over which the agent's loop is run, `loop` whose tools it calls, `own` the
    cells of `own.py` that hold for a client that brings its own tools.
    """

    name: str
    kind: str
    client: str
    script: str
    title: str = ""
    environment: str = ""
    requirements: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ("moonshot",)
    columns: tuple[str, ...] | None = None
    agent: tuple[str, ...] = ()
    loop: str = "offered"
    cases: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    interpreter: str = ""
    own: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 90.0

    @property
    def home(self) -> Path:
        return INSTALLED / (self.environment or self.name)

    @property
    def command(self) -> list[str]:
        """The command that runs the script."""
        script = HERE / self.script
        if self.kind == "python":
            return [str(self.home / "bin" / "python"), str(script)]
        if script.suffix == ".mjs":
            return [str(_node_of(self.home)), str(self.home / script.name)]
        return ["bash" if script.suffix == ".sh" else sys.executable, str(script)]


def read(path: Path) -> Group:
    """Read one group's file; its keys are the fields of `Group`."""
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    return Group(name=path.stem, **{**given, **lists})


def groups(wanted: list[str]) -> list[Group]:
    """Return the groups of these clients or of these names, all without any."""
    known = [read(path) for path in sorted(FOLDER.glob("*.toml"))]
    for name in wanted:
        if not any(name in (group.name, group.client) for group in known):
            names = ", ".join(sorted({group.client for group in known}))
            sys.exit(f"no client {name!r}; there are {names}")
    return [each for each in known if not wanted or {each.name, each.client} & set(wanted)]


def install(group: Group) -> str:
    """Install what the group pins, unless it is there; return the client's version.

    Raises:
        SkippedError: it cannot be installed or is not on this machine.
    """
    if group.kind == "plain":
        return _plain(group)
    pinned = "\n".join(sorted(group.requirements)) + "\n"
    stamp = group.home / "installed.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != pinned:
        shutil.rmtree(group.home, ignore_errors=True)
        group.home.mkdir(parents=True)
        (_python if group.kind == "python" else _node)(group)
        stamp.write_text(pinned, encoding="utf-8")
    if group.kind == "node":
        _node_scripts(group)
    return _python_version(group) if group.kind == "python" else _node_version(group)


def _run(command: list[str], group: Group) -> str:
    try:
        done = subprocess.run(
            command, cwd=group.home if group.home.exists() else HERE, capture_output=True,
            text=True, timeout=INSTALL_TIMEOUT_S, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise SkippedError(f"{command[0]} is not installed on this machine") from None
    except subprocess.TimeoutExpired:
        raise SkippedError(f"not installed within {INSTALL_TIMEOUT_S} s") from None
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()] or said or ["no word"]
        raise SkippedError(f"{Path(command[0]).name} says: {errors[0].strip()[:160]}")
    return done.stdout


def _python(group: Group) -> None:
    found = shutil.which(group.interpreter) if group.interpreter else sys.executable
    if found is None:
        raise SkippedError(f"needs {group.interpreter}, which is not on this machine")
    _run([found, "-m", "venv", str(group.home)], group)
    pip = [str(group.home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    _run([*pip, *group.requirements], group)


def _python_version(group: Group) -> str:
    ask = f"import importlib.metadata; print(importlib.metadata.version({group.client!r}))"
    return _run([str(group.home / "bin" / "python"), "-c", ask], group).strip()


def _node(group: Group) -> None:
    (group.home / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    npm = ["npm", "install", "--no-audit", "--no-fund"]
    if not any(each.startswith("node@") for each in group.requirements):
        npm.append("--ignore-scripts")
    _run([*npm, *group.requirements], group)


def _node_of(home: Path) -> Path:
    """Return the Node that a group brings along, else the machine's: some clients need a newer."""
    own = home / "node_modules" / "node" / "bin" / "node"
    return own if own.exists() else Path("node")


def _node_scripts(group: Group) -> None:
    """Lay the scripts beside the packages: Node looks for them from the script's own folder."""
    for path in (*(HERE / "node").glob("*.mjs"), HERE / "words.json"):
        shutil.copy(path, group.home / path.name)


def _node_version(group: Group) -> str:
    package = group.home / "node_modules" / group.client / "package.json"
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


def _plain(group: Group) -> str:
    if not group.version:
        return sys.version.split()[0]
    said = _run(list(group.version), group)
    found = re.search(r"\d+(?:\.\d+)+", said)
    return found.group() if found else said.strip()[:20]
