"""Turns attempts into calls: a request and its retries; verdict layer.

An attempt goes on with a call of the same session and fingerprint whose last attempt had failed
before it came. Of several it takes the one that waits longest: nothing is held against a client
that sends the same request many times at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.verdict.attempt import Attempt

Call: TypeAlias = "list[Attempt]"

FORGOTTEN_MS = 120_000.0
"""Who asks again so long after the wait that was asked for does not retry but asks anew."""


def group(attempts: Iterable[Attempt]) -> list[Call]:
    """Return the calls that attempts, oldest first, belong to."""
    calls: list[Call] = []
    waiting: dict[tuple[str, str], list[Call]] = {}
    for attempt in attempts:
        own = waiting.setdefault((attempt.session, attempt.entry.fingerprint), [])
        call = _continued(own, attempt)
        if call is None:
            call = []
            own.append(call)
            calls.append(call)
        call.append(attempt)
    return calls


def _continued(calls: list[Call], attempt: Attempt) -> Call | None:
    open_calls = [call for call in calls if _goes_on(call[-1], attempt)]
    counted = [call for call in open_calls if len(call) == attempt.retry_count]
    return min(counted or open_calls, key=lambda call: call[-1].ended_ms or 0.0, default=None)


def _goes_on(last: Attempt, attempt: Attempt) -> bool:
    if not last.failed or not last.ended_by(attempt.started_ms):
        return False
    return gap_ms(last, attempt) <= FORGOTTEN_MS + 1000 * (last.entry.retry_after_s or 0.0)


def gap_ms(before: Attempt, after: Attempt) -> float:
    """Return the time between the end of an attempt and the next one."""
    return after.started_ms - (before.ended_ms or 0.0)
