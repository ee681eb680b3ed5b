"""Turns what is held against a client into values and texts; verdict layer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.verdict.attempt import Attempt


class Severity(StrEnum):
    """How bad a finding is, the mildest first."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request that a finding rests on, and when it came (seconds since 1970)."""

    id: str
    arrived: float

    def as_json(self) -> JSONObject:
        moment = datetime.fromtimestamp(self.arrived, UTC)
        return {"id": self.id, "arrived": moment.isoformat(timespec="milliseconds")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the client did wrong: the rule, a sentence, and the requests that show it."""

    rule: str
    severity: Severity
    message: str
    session: str
    evidence: tuple[Seen, ...]

    def as_json(self) -> JSONObject:
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "session": self.session,
            "evidence": [seen.as_json() for seen in self.evidence],
        }

    def __str__(self) -> str:
        shown = ", ".join(seen.id for seen in self.evidence)
        return f"{self.severity} {self.rule}: {self.message} ({shown})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Everything that was found, in the order in which it happened.

    Attributes:
        findings: what the client did wrong.
        requests: how many chat requests were looked at.
        calls: how many calls they were: a request and its retries are one.
    """

    findings: tuple[Finding, ...] = ()
    requests: int = 0
    calls: int = 0

    def at_least(self, severity: Severity | str) -> tuple[Finding, ...]:
        """Return the findings of a severity and of those above it."""
        least = Severity(severity).rank
        return tuple(found for found in self.findings if found.severity.rank >= least)

    def assert_clean(self, severity: Severity | str = Severity.WARNING) -> None:
        """Do nothing if nothing so bad was found.

        Raises:
            AssertionError: there are findings of `severity` or above; they are its text.
        """
        __tracebackhide__ = True  # pytest shows the test's own line
        found = self.at_least(severity)
        if found:
            many = "1 thing" if len(found) == 1 else f"{len(found)} things"
            lines = [f"the client did {many} wrong:", *(f"  {one}" for one in found)]
            raise AssertionError("\n".join(lines))

    def as_json(self) -> JSONObject:
        return {
            "requests": self.requests,
            "calls": self.calls,
            "findings": [found.as_json() for found in self.findings],
        }


def found(rule: str, severity: Severity, message: str, *attempts: Attempt) -> Finding:
    """Return a finding that rests on these requests."""
    return Finding(
        rule=rule,
        severity=severity,
        message=message,
        session=attempts[0].session,
        evidence=tuple(Seen(id=each.id, arrived=each.arrived) for each in attempts),
    )
