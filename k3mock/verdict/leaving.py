"""Turns two requests, the second of which gives the first one up, into a finding; verdict layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.verdict.finding import Severity, found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.verdict.attempt import Attempt
    from k3mock.verdict.calls import Call
    from k3mock.verdict.finding import Finding

NOTICED_MS = 100.0
"""So late an end may be noted."""

GRACE_MS = 1_000.0
"""A connection that closes so soon after the next request was closed in time."""


def never_left(given_up: Attempt, after: Attempt) -> Finding | None:
    """Find an answer that the client had given up, and that ran on all the same."""
    if given_up.ended_by(after.started_ms + NOTICED_MS):
        return None
    if given_up.ended_ms is None:
        if given_up.whole:
            return None
        message = "the client went on with another request and left this one's connection open"
        return found("connection_left_open", Severity.WARNING, message, given_up, after)
    if given_up.left and given_up.ended_by(after.started_ms + GRACE_MS):
        return None
    on_ms = given_up.ended_ms - after.started_ms
    message = (
        f"the client had given this answer up, yet it ran on for {on_ms / 1000:.1f} s: "
        "the abort never reached the server"
    )
    return found("abort_never_arrived", Severity.WARNING, message, given_up, after)


def given_up(calls: Iterable[Call]) -> Iterator[Finding]:
    """Yield the attempts that a retry gave up without closing their connection.

    Only the SDK's own count of retries tells a retry from a second request that is the same.
    """
    running: dict[tuple[str, str], list[Attempt]] = {}
    for call in sorted(calls, key=lambda call: call[0].started_ms):
        first = call[0]
        own = running.setdefault((first.session, first.entry.fingerprint), [])
        if first.retry_count and own:
            finding = never_left(own[-1], first)
            if finding is not None:
                yield finding
        own += call
