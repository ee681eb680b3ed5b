"""Turns scenario files into checked scenarios, or a list of all that is wrong; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from k3mock import yamlfile
from k3mock.jsonvalue import JSONObject, as_list, as_object, as_text
from k3mock.scenario.examine import Examination
from k3mock.scenario.files import scenario_files, stamp
from k3mock.scenario.lint import lint
from k3mock.scenario.model import Home, Scenario, build_scenario
from k3mock.scenario.problem import Problem, ScenarioError, Severity
from k3mock.scenario.shape import NAME, ROOT, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from k3mock.errors import K3MockError
    from k3mock.scenario.files import Stamp
    from k3mock.scenario.kinds import Context
    from k3mock.yamlfile import Located, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Scenarios by name, in the order in which they are asked, and what was found in their files.

    `stamps` are of the files that were read, the texts beside the scenarios included, as they were
    before that: an edit in the meantime shows.
    """

    scenarios: tuple[Scenario, ...] = ()
    problems: tuple[Problem, ...] = ()
    stamps: Mapping[Path, Stamp] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether anything found is an error."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)


def load_library(sources: Iterable[str], context: Context) -> Library:
    """Read files, folders and shipped scenarios, one layer over the other.

    A later source replaces a scenario of the same name; one that is not there is a problem.
    """
    layers: dict[str, Scenario] = {}
    files, missing = scenario_files(sources)
    problems = [_as_problem(error, "") for error in missing]
    context = replace(context, read={path: stamp(path) for path in files})
    for path in files:
        found, wrong = load_file(path, context)
        problems += wrong
        problems += _placed(layers, found)
    scenarios = tuple(layers.values())
    return Library(scenarios=scenarios, problems=(*problems, *lint(scenarios)), stamps=context.read)


def load_file(path: Path, context: Context) -> tuple[list[Scenario], list[Problem]]:
    """Read one file; its folder is where the files that it names are read."""
    wrong: list[K3MockError] = []
    try:
        file = yamlfile.load(path, ScenarioError, wrong.append)
    except ScenarioError as error:
        return [], [_as_problem(error, str(path))]
    return read(file, replace(context, folder=path.parent), stem=path.stem, wrong=wrong)


def load_text(raw: bytes, name: str, context: Context) -> Library:
    """Read a scenario that came as text, such as over HTTP: it cannot read files.

    `name` stands in messages.
    """
    wrong: list[K3MockError] = []
    try:
        file = yamlfile.parse(raw, name, ScenarioError, wrong.append)
    except ScenarioError as error:
        return Library(problems=(_as_problem(error, name),))
    found, problems = read(file, replace(context, folder=None), stem=None, wrong=wrong)
    layers: dict[str, Scenario] = {}
    problems += _placed(layers, found)
    scenarios = tuple(layers.values())
    return Library(scenarios=scenarios, problems=(*problems, *lint(scenarios)))


def read(
    file: Located, context: Context, *, stem: str | None, wrong: Iterable[K3MockError] = ()
) -> tuple[list[Scenario], list[Problem]]:
    """Check a file's content and compile it, unless something is wrong with it.

    `stem` names a scenario that does not name itself; `wrong` is what the reader of the file has
    found already.
    """
    before = [_as_problem(error, file.name) for error in wrong]
    content = as_object(file.value)
    if content is None:
        what = "the file is empty" if file.value is None else "a scenario file holds a mapping"
        accepted = "name, about, turns, …; or a list of such scenarios under 'scenarios'"
        return [], [*before, Problem(what=what, where=file.where(), accepted=accepted)]
    examination = Examination(file, context, names())
    examination.look(content, ROOT, ())
    found = sorted([*before, *examination.problems], key=_line)
    if any(problem.severity is Severity.ERROR for problem in found):
        return [], found
    scenarios, more = _build(file, content, context, stem)
    return scenarios, [*found, *more]


def _build(
    file: Located, content: JSONObject, context: Context, stem: str | None
) -> tuple[list[Scenario], list[Problem]]:
    found: list[Scenario] = []
    for place, given in _scenarios(content):
        name = as_text(given.get("name")) or stem or ""
        if not re.fullmatch(NAME, name):
            wrong = Problem(what="the scenario needs a name", where=file.where(*place),
                            accepted="name: letters, digits, '_', '-' and '.'")  # fmt: skip
            return [], [wrong]
        home = Home(name=name, folder=context.folder, where=partial(file.where, *place))
        found.append(build_scenario(given, home))
    return found, []


def _scenarios(content: JSONObject) -> list[tuple[Place, JSONObject]]:
    several = as_list(content.get("scenarios"))
    if several is None:
        return [((), content)]
    return [(("scenarios", number), as_object(item) or {}) for number, item in enumerate(several)]


def _placed(layers: dict[str, Scenario], found: Iterable[Scenario]) -> list[Problem]:
    """Lay scenarios over those of the same names; say so, and refuse doubles in one file."""
    problems: list[Problem] = []
    fresh: set[str] = set()
    for scenario in found:
        before = layers.get(scenario.name)
        if scenario.name in fresh and before is not None:
            problems.append(
                Problem(what=f"the name {scenario.name!r} is given twice in one file",
                        where=scenario.where, found=f"first at {before.where}")
            )  # fmt: skip
            continue
        if before is not None:
            problems.append(
                Problem(what=f"the scenario {scenario.name!r} replaces the one at {before.where}",
                        where=scenario.where, severity=Severity.NOTE)
            )  # fmt: skip
            del layers[scenario.name]
        fresh.add(scenario.name)
        layers[scenario.name] = scenario
    return problems


def _line(problem: Problem) -> tuple[int, ...]:
    return tuple(int(part) for part in problem.where.split(":")[-2:] if part.isdecimal())


def _as_problem(error: K3MockError, name: str) -> Problem:
    return Problem(what=error.what, where=error.where or name, found=error.found,
                   accepted=error.accepted)  # fmt: skip
