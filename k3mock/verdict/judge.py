"""Turns the journal of a client into a verdict on it; verdict layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.verdict.attempt import read_attempts
from k3mock.verdict.calls import group
from k3mock.verdict.finding import Verdict
from k3mock.verdict.habits import habits
from k3mock.verdict.history import History
from k3mock.verdict.retrying import retries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.journal import JournalEntry
    from k3mock.verdict.finding import Finding


def judge(entries: Iterable[JournalEntry]) -> Verdict:
    """Look for everything that the clients of these requests did wrong.

    Pure, and as long as the bodies are: a server calls it in a thread.
    """
    attempts = read_attempts(list(entries))
    calls = group(attempts)
    findings: list[Finding] = []
    for call in calls:
        findings += retries(call)
    history = History()
    for attempt in attempts:
        findings += history.judge(attempt)
    findings += habits(attempts, calls)
    order = {attempt.id: number for number, attempt in enumerate(attempts)}
    findings.sort(key=lambda finding: order[finding.evidence[-1].id])
    return Verdict(findings=tuple(findings), requests=len(attempts), calls=len(calls))
