"""Turns a call into findings about its retries; verdict layer."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from k3mock.verdict.calls import gap_ms
from k3mock.verdict.finding import Severity, found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.verdict.attempt import Attempt
    from k3mock.verdict.calls import Call
    from k3mock.verdict.finding import Finding

TOLERANCE_MS = 20.0
"""Clocks and timers may differ by so much."""

AT_ONCE_MS = 100.0
STORM = 6
STORM_MS = 10_000.0
EVEN = 1.25
"""Waits that differ by no more than this factor do not grow."""

SLOW_MS = 5_000.0
"""Waits as long as this need not grow."""

FINAL = (400, 401, 402, 403, 404, 405, 413, 415, 422)
_QUOTA = ("quota", "balance", "credits")
_MOCK = "k3mock_error"


def retries(call: Call) -> Iterator[Finding]:
    """Yield what is wrong with the retries of a call, each kind once."""
    for judge in (_undercut, _final, _backoff, _storm):
        finding = judge(call)
        if finding is not None:
            yield finding


def _undercut(call: Call) -> Finding | None:
    """Find the retry that undercut its Retry-After by most."""
    worst = min(_undercuts(call), key=lambda pair: pair[0], default=None)
    if worst is None:
        return None
    share, before, after = worst
    asked_s, waited_s = before.entry.retry_after_s or 0.0, gap_ms(before, after) / 1000
    told = f"the {before.status} asked for {asked_s:g} s, the retry came after {waited_s:.3f} s"
    if share < 0.5:
        return found("retry_after_ignored", Severity.ERROR, told, before, after)
    return found("retry_after_undercut", Severity.WARNING, told, before, after)


def _undercuts(call: Call) -> Iterator[tuple[float, Attempt, Attempt]]:
    for before, after in pairwise(call):
        asked_ms = 1000 * (before.entry.retry_after_s or 0.0)
        gap = gap_ms(before, after)
        if gap + TOLERANCE_MS < asked_ms:
            yield gap / asked_ms, before, after


def _final(call: Call) -> Finding | None:
    for before, after in pairwise(call):
        refusal = before.entry.refusal or ""
        quota = before.status == 429 and any(word in refusal for word in _QUOTA)
        if refusal != _MOCK and (quota or before.status in FINAL):
            why = "an exhausted quota" if quota else f"a {before.status}"
            message = (
                f"the same request was sent again after {why} ({refusal or 'no type'}), "
                "which waiting does not change"
            )
            return found("retried_final_error", Severity.ERROR, message, before, after)
    return None


def _backoff(call: Call) -> Finding | None:
    """Find retries that came at once, or whose waits never grew; waits asked for do not count."""
    own = [pair for pair in pairwise(call) if pair[0].entry.retry_after_s is None]
    for before, after in own:
        # Who was cut off may try again at once, but once only.
        told = (before.status or 0) >= 400
        if gap_ms(before, after) < AT_ONCE_MS and (told or before is not call[0]):
            how = f"a {before.status}" if told else "a second broken answer"
            message = f"the retry came {gap_ms(before, after):.0f} ms after {how}, without backoff"
            return found("no_backoff", Severity.WARNING, message, before, after)
    waits = [gap_ms(*pair) for pair in own]
    if len(waits) >= 3 and max(waits) < min(SLOW_MS, EVEN * min(waits)):
        listed = ", ".join(f"{wait / 1000:.2f} s" for wait in waits[:5])
        message = f"the waits between {len(call)} attempts never grew: {listed}"
        return found("no_backoff", Severity.WARNING, message, *call)
    return None


def _storm(call: Call) -> Finding | None:
    for first, last in zip(call, call[STORM - 1 :], strict=False):
        passed_ms = last.started_ms - first.started_ms
        if passed_ms < STORM_MS:
            message = (
                f"one call was tried {len(call)} times, "
                f"{STORM} of them within {passed_ms / 1000:.1f} s"
            )
            return found("retry_storm", Severity.ERROR, message, *call)
    return None
