"""Turns the test suites of other projects, run against the mock, into rows of counts.

A suite is run where it stands, and nothing of it is in this repository: it lies as a checkout in
`.clients/sources/OWNER+NAME`, which is cloned if it is not there and can be.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import k3mock
from tests.clients.groups import INSTALLED, SkippedError

HERE = Path(__file__).parent
FOLDER = HERE / "suites"
RESULTS = HERE / "results" / "suites"
INSTALL_TIMEOUT_S = 600
RUN_TIMEOUT_S = 1_200
ABOUT = (
    "Black-box tests of other projects, run where they stand against a server of the mock; nothing "
    "of them is in this repository."
)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A suite of others at one revision, run in one way.

    `command` may say `{url}`, the base URL, and `{report}`, a file for results in JUnit's form.
    `profile` is a file beside the suites' that the mock serves by, `explained` says of a test, by a
    part of its name, why it fails.
    """

    name: str
    title: str
    source: str
    revision: str
    licence: str
    requirements: tuple[str, ...]
    command: tuple[str, ...]
    about: str
    profile: str = "moonshot"
    explained: dict[str, str] = field(default_factory=dict)

    @property
    def checkout(self) -> Path:
        return INSTALLED / "sources" / self.source.replace("/", "+")

    @property
    def home(self) -> Path:
        return INSTALLED / f"suite_{self.source.replace('/', '+')}"


def read(path: Path) -> Suite:
    """Read one suite's file; its keys are the fields of `Suite`."""
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    return Suite(name=path.stem, **{**given, **lists})


def suites(wanted: list[str]) -> list[Suite]:
    """Return the suites of these names, all without any."""
    known = [read(path) for path in sorted(FOLDER.glob("*.toml"))]
    return [each for each in known if not wanted or each.name in wanted]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise SkippedError(f"{command[0]}: {type(error).__name__}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no word"]
        raise SkippedError(f"{Path(command[0]).name} says: {said[-1].strip()[:160]}")


def install(suite: Suite) -> None:
    """Check the suite out and install what it needs, unless both are there.

    Raises:
        SkippedError: one of them is not possible here.
    """
    if not suite.checkout.exists():
        address = f"https://github.com/{suite.source}"
        _run(["git", "clone", "--quiet", address, str(suite.checkout)])
    _run(["git", "-C", str(suite.checkout), "checkout", "--quiet", suite.revision])
    pinned = "\n".join(sorted(suite.requirements)) + "\n"
    stamp = suite.home / "installed.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == pinned:
        return
    shutil.rmtree(suite.home, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(suite.home)])
    python = str(suite.home / "bin" / "python")
    _run([python, "-m", "pip", "install", "--quiet", *suite.requirements])
    stamp.write_text(pinned, encoding="utf-8")


def run(suite: Suite) -> dict[str, Any]:
    """Run a suite against a server of its own and count how its tests ended."""
    profile = suite.profile if "." not in suite.profile else str(HERE / "profiles" / suite.profile)
    with tempfile.TemporaryDirectory() as folder, k3mock.start(profile=profile, seed=7) as server:
        report = Path(folder) / "report.xml"
        filled = [
            each.replace("{url}", f"{server.address}/v1").replace("{report}", str(report))
            for each in suite.command
        ]
        environ = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        try:
            subprocess.run(
                [str(suite.home / "bin" / "python"), *filled], cwd=suite.checkout, env=environ,
                capture_output=True, timeout=RUN_TIMEOUT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise SkippedError(f"does not end within {RUN_TIMEOUT_S} s") from None
        if not report.exists():
            raise SkippedError("left no report of its tests")
        return counted(report.read_text(encoding="utf-8"))


def counted(report: str) -> dict[str, Any]:
    """Count the tests of a report in JUnit's form; name those that failed."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures: list[str] = []
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - a report that pytest wrote
        ends = {child.tag for child in case}
        end = "skipped" if "skipped" in ends else "failed" if ends & {"failure", "error"} else ""
        counts[end or "passed"] += 1
        if end == "failed":
            failures.append(f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}")
    return {**counts, "failures": sorted(failures)}


def main(wanted: list[str]) -> None:
    """Run the suites and write their rows."""
    for suite in suites(wanted):
        known: dict[str, Any] = {
            "title": suite.title, "source": suite.source, "revision": suite.revision[:7],
            "licence": suite.licence, "about": suite.about, "explained": suite.explained,
        }  # fmt: skip
        file = RESULTS / f"{suite.name}.json"
        try:
            install(suite)
            known |= run(suite)
        except SkippedError as why:
            sys.stdout.write(f"{suite.title}: skipped, {why}\n")
            if file.exists():
                continue
            known["skipped_because"] = str(why)
        else:
            counts = (f"{known[end]} {end}" for end in ("passed", "failed", "skipped"))
            sys.stdout.write(f"{suite.title}: {', '.join(counts)}\n")
        text = json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(f"{text}\n", encoding="utf-8")


def rows() -> list[dict[str, Any]]:
    """Return what the runs left."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def lines() -> list[str]:
    """Return the part of the page about suites."""
    found = rows()
    if not found:
        return []
    out = [
        "## Suites of others",
        "",
        ABOUT,
        "",
        "| suite | licence | passed | failed | skipped by itself | what was run |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in found:
        name = f"[{row['title']}](https://github.com/{row['source']}) {row['revision']}"
        if "skipped_because" in row:
            counts = ["–", "–", f"not run: {row['skipped_because']}"]
        else:
            counts = [str(row[end]) for end in ("passed", "failed", "skipped")]
        out.append(f"| {' | '.join([name, row['licence'], *counts, row['about']])} |")
    failed = [
        f"| {row['title']} | {name} | {why(row, name)} |"
        for row in found
        for name in row.get("failures", ())
    ]
    if failed:
        out += ["", "| suite | test that fails | why |", "| --- | --- | --- |", *failed]
    return [*out, ""]


def why(row: dict[str, Any], name: str) -> str:
    """Say why a test of a suite fails; nothing if nobody has explained it."""
    return next((text for part, text in row["explained"].items() if part in name), "")
