"""Turns what is wrong with scenario files into lines that say where; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.errors import K3MockError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.jsonvalue import JSONObject


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A finding in a file.

    Attributes:
        where: `file:line:column`.
        key: the dotted path of the key, such as `turns.0.when.last`.
        what: what is wrong.
        found: what stands there.
        accepted: what would be right, nearest spelling first.
    """

    what: str
    where: str
    severity: Severity = Severity.ERROR
    key: str = ""
    found: str | None = None
    accepted: str | None = None

    def __str__(self) -> str:
        at = f" (at {self.key})" if self.key else ""
        where = f"{self.where}: " if self.where else ""
        lines = [f"{where}{self.severity}: {self.what}{at}"]
        lines += [f"  {name}: {text}" for name, text in
                  (("found", self.found), ("accepted", self.accepted)) if text]  # fmt: skip
        return "\n".join(lines)

    def as_json(self) -> JSONObject:
        """Return the finding for machines."""
        return {
            "severity": self.severity.value,
            "where": self.where,
            "key": self.key,
            "what": self.what,
            "found": self.found,
            "accepted": self.accepted,
        }


class ScenarioError(K3MockError):
    """A scenario file cannot be used, or a scenario cannot answer."""

    code = "scenario"


def refusal(problems: Iterable[Problem]) -> ScenarioError | None:
    """Return the mistake that names every error among the findings, if there is one."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if not errors:
        return None
    listed = "\n".join(str(problem) for problem in errors)
    many = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    return ScenarioError(f"the scenarios cannot be used: {many}\n{listed}")
