"""Turns all requests of a session into findings about the client's habits; verdict layer."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from k3mock.verdict.finding import Severity, found
from k3mock.verdict.leaving import given_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from k3mock.verdict.attempt import Attempt
    from k3mock.verdict.calls import Call
    from k3mock.verdict.finding import Finding

STREAMS = 3
"""Who never asks in so many streams does not want to know its usage."""

SOON_MS = 5_000.0
LONG_PROMPT = 256
"""Shorter prompts are not worth a cache; the vendor's documentation keeps none below it."""

MISSES = 2
_JUDGED = "replay."
"""What is noted of histories is judged from the answers themselves."""

SHOWN = 20
"""So many requests are named as evidence."""


def habits(attempts: Sequence[Attempt], calls: Sequence[Call]) -> Iterator[Finding]:
    """Yield what only several requests together show."""
    yield from given_up(calls)
    for own in _apart(attempts, lambda attempt: (attempt.session,)):
        yield from _removed(own)
        yield from _blind(own)
        yield from _uncached([attempt for attempt in own if attempt.whole])
    for own in _apart(attempts, lambda attempt: (attempt.session, attempt.entry.fingerprint)):
        yield from _waits_for_done(own)


def _apart(
    attempts: Iterable[Attempt], key: Callable[[Attempt], tuple[str, ...]]
) -> Iterable[list[Attempt]]:
    parts: dict[tuple[str, ...], list[Attempt]] = {}
    for attempt in attempts:
        parts.setdefault(key(attempt), []).append(attempt)
    return parts.values()


def _removed(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    """Find what the host took without a word, and dropped, changed or ignored."""
    seen: dict[tuple[Severity, str, str], list[Attempt]] = {}
    for attempt in attempts:
        for warning in attempt.entry.warnings if attempt.good else ():
            rule = warning.rule or ""
            if not rule.startswith(_JUDGED):
                severity = Severity.INFO if warning.info else Severity.WARNING
                key = severity, rule, warning.message
                seen.setdefault(key, []).append(attempt)
    for (severity, rule, message), shown in seen.items():
        many = "1 request was" if len(shown) == 1 else f"{len(shown)} requests were"
        text = f"{many} answered, but: {message} ({rule})"
        yield found("silently_removed", severity, text, *shown[:SHOWN])


def _blind(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    streams = [a for a in attempts if a.good and (a.entry.effective or {}).get("stream") is True]
    if len(streams) < STREAMS:
        return
    if not any((a.entry.effective or {}).get("include_usage") for a in streams):
        message = (
            f"{len(streams)} streams, and stream_options.include_usage was never asked for: "
            "the client does not know what they cost"
        )
        yield found("usage_never_asked", Severity.INFO, message, *streams[:SHOWN])


def _waits_for_done(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    """Find an answer whose finish came without `[DONE]`, asked for again."""
    for before, after in pairwise(attempts):
        if not before.whole or before.answer is None or before.answer.done:
            continue
        if before.ended_ms is not None and 0 <= after.started_ms - before.ended_ms < SOON_MS:
            message = "the answer had its finish_reason, but no [DONE]; the client asked again"
            yield found("done_expected", Severity.WARNING, message, before, after)
            return


def _uncached(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    """Find a conversation that grows, and whose changed beginning keeps the cache from helping."""
    pairs = [
        (before, after, changed)
        for before, after in pairwise(attempts)
        if (changed := _changed(before, after)) is not None
    ]
    if len(pairs) < MISSES:
        return
    changes = sorted({changed for _, _, changed in pairs})
    message = (
        f"the prompt grew {len(pairs)} times without one cached token, because "
        f"{', '.join(changes[:3])} changed from request to request"
    )
    shown = [pairs[0][0], *(after for _, after, _ in pairs)]
    yield found("growing_prompt_uncached", Severity.WARNING, message, *shown[:SHOWN])


def _changed(before: Attempt, after: Attempt) -> str | None:
    """Say what of an earlier request changed in the one that goes on with it."""
    earlier, later, answer = before.messages, after.messages, after.answer
    if answer is None or answer.cached_tokens or (answer.prompt_tokens or 0) < LONG_PROMPT:
        return None
    if len(later) <= len(earlier) or before.body.get("model") != after.body.get("model"):
        return None
    differ = [place for place, message in enumerate(earlier) if message != later[place]]
    if 2 * len(differ) > len(earlier):
        return None
    if before.body.get("tools") != after.body.get("tools"):
        return "tools"
    return f"messages[{differ[0]}]" if differ and differ[0] < len(earlier) - 1 else None
