"""Turns histories that clients send back into findings about them; verdict layer.

An assistant message belongs to an answer when all messages before it are those of the answer's
request; without such an answer nothing is held against the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.verdict.finding import Severity, found
from k3mock.verdict.leaving import never_left
from k3mock.verdict.replay import prefixes, replays, said_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.answered import Answered
    from k3mock.verdict.attempt import Attempt
    from k3mock.verdict.finding import Finding
    from k3mock.verdict.replay import Replay

_LENGTH = "length"


class History:
    """What was answered so far, to be asked with one attempt after the other, oldest first."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], list[tuple[Attempt, Answered]]] = {}
        self._told: set[tuple[str, str]] = set()

    def judge(self, attempt: Attempt) -> Iterator[Finding]:
        """Yield what the history of a request shows; the same thing is told once."""
        ends = prefixes(attempt.messages)
        for back in replays(attempt.messages):
            given = self._known.get((attempt.session, ends[back.place]), [])
            finding = _judged(attempt, back, given) if given else None
            if finding is not None and self._new(finding):
                yield finding
        if attempt.answer is not None:
            own = self._known.setdefault((attempt.session, ends[-1]), [])
            own.append((attempt, attempt.answer))

    def _new(self, finding: Finding) -> bool:
        key = finding.rule, finding.evidence[0].id
        known = key in self._told
        self._told.add(key)
        return not known


def _judged(
    attempt: Attempt, back: Replay, given: list[tuple[Attempt, Answered]]
) -> Finding | None:
    same = [
        (parent, answer)
        for parent, answer in given
        if parent.whole and back.same_words(answer) and not _cut_at_cap(answer)
    ]
    if same:
        return _strange_result(attempt, back, same[-1]) or _reasoning(attempt, back, same)
    return (
        _half_call(attempt, back, given)
        or _renamed(attempt, back, given)
        or _truncated(attempt, back, given)
    )


def _cut_at_cap(answer: Answered) -> bool:
    return answer.finish == _LENGTH and any(call.cut for call in answer.calls)


def _strange_result(
    attempt: Attempt, back: Replay, given: tuple[Attempt, Answered]
) -> Finding | None:
    parent, answer = given
    strange = back.results - {call.id for call in answer.calls}
    if not strange or not answer.calls:
        return None
    message = f"a tool result names the call {min(strange)!r}, which the answer did not make"
    return found("tool_id_changed", Severity.ERROR, message, parent, attempt)


def _reasoning(
    attempt: Attempt, back: Replay, same: list[tuple[Attempt, Answered]]
) -> Finding | None:
    wanted = {answer.reasoning for _, answer in same}
    if None in wanted or back.opaque or back.reasoning in wanted:
        return None
    parent, _ = same[-1]
    if back.reasoning is None:
        message = f"messages[{back.place}] comes back without the reasoning of its answer"
        return found("reasoning_dropped", Severity.WARNING, message, parent, attempt)
    message = f"messages[{back.place}] comes back with other reasoning than its answer had"
    return found("reasoning_altered", Severity.WARNING, message, parent, attempt)


def _half_call(
    attempt: Attempt, back: Replay, given: list[tuple[Attempt, Answered]]
) -> Finding | None:
    sent_back = {call_id: digest for call_id, _, digest in back.calls}
    for parent, answer in reversed(given):
        for call in answer.calls:
            if call.id not in back.results:
                continue
            if parent.broken and (call.cut or sent_back.get(call.id) != call.arguments):
                message = f"the call {call.id!r} was executed; the answer broke off in its midst"
                return found("half_call_executed", Severity.ERROR, message, parent, attempt)
            if parent.whole and call.cut and answer.finish == _LENGTH:
                message = f"the call {call.id!r} got a result; the cap had cut its arguments"
                return found("half_call_executed", Severity.WARNING, message, parent, attempt)
    return None


def _renamed(
    attempt: Attempt, back: Replay, given: list[tuple[Attempt, Answered]]
) -> Finding | None:
    for parent, answer in reversed(given):
        if parent.whole and back.renames(answer):
            own, ids = [call[0] for call in back.calls], [call[0] for call in said_calls(answer)]
            message = f"messages[{back.place}] names its calls {own}, the answer named them {ids}"
            return found("tool_id_changed", Severity.ERROR, message, parent, attempt)
    return None


def _truncated(
    attempt: Attempt, back: Replay, given: list[tuple[Attempt, Answered]]
) -> Finding | None:
    """Find the broken or running answer that comes back as if it were whole.

    Where a whole one was given, too, a client that shortens its history would look the same.
    """
    before = [pair for pair in given if pair[0].ended_by(attempt.started_ms)]
    if any(parent.whole for parent, _ in before):
        return None
    for parent, answer in reversed(given):
        if not back.begins(answer):
            continue
        if parent.broken and parent.ended_by(attempt.started_ms):
            message = (
                f"messages[{back.place}] is an answer that broke off after {parent.events} events; "
                "it comes back as if it had been whole"
            )
            return found("truncated_taken_for_whole", Severity.ERROR, message, parent, attempt)
        finding = never_left(parent, attempt)
        if finding is not None:
            return finding
    return None
