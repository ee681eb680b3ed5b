"""Turns the journal into the numbers of a few small pictures; inspecting layer."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject, JSONValue

SLOTS = 48
"""So many steps of time a picture has at most."""

_MOST = 200
"""So many sessions and rules are named: the latest, and the most frequent."""

_STEPS_S = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400)
TTFT_BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def overview(entries: Sequence[JournalEntry]) -> JSONObject:
    """Count requests and tokens over time, statuses, ends and times to the first token."""
    statuses = Counter("none" if each.status is None else str(each.status)
                       for each in entries if each.outcome.end is not None)  # fmt: skip
    ends = Counter(each.outcome.end for each in entries if each.outcome.end is not None)
    firsts = [0] * (len(TTFT_BOUNDS_MS) + 1)
    for each in entries:
        if each.outcome.ttft_ms is not None:
            firsts[bisect_left(TTFT_BOUNDS_MS, each.outcome.ttft_ms)] += 1
    return {
        "requests": len(entries),
        "running": sum(each.outcome.end is None for each in entries),
        "warned": sum(any(not found.info for found in each.warnings) for each in entries),
        "status": dict(sorted(statuses.items())),
        "end": dict(sorted(ends.items())),
        "profile": dict(sorted(Counter(each.profile for each in entries).items())),
        "rules": dict(_rules(entries).most_common(_MOST)),
        "sessions": [*list(dict.fromkeys(each.session for each in reversed(entries)))[:_MOST]],
        "ttft_ms": {"bounds": list(TTFT_BOUNDS_MS), "counts": list(firsts)},
        "over_time": _over_time(entries),
    }


def _rules(entries: Sequence[JournalEntry]) -> Counter[str]:
    return Counter(
        rule for each in entries
        for rule in {found.rule or "unnamed" for found in each.warnings if not found.info}
    )  # fmt: skip


def _over_time(entries: Sequence[JournalEntry]) -> JSONObject | None:
    if not entries:
        return None
    first = min(each.arrived for each in entries)
    last = max(each.arrived for each in entries)
    step = next((step for step in _STEPS_S if (last - first) / step < SLOTS), _STEPS_S[-1])
    start = first // step * step
    count = min(SLOTS + 1, int((last - start) // step) + 1)
    slots = [Counter[str]() for _ in range(count)]
    for each in entries:
        slot = slots[min(count - 1, max(0, int((each.arrived - start) // step)))]
        slot["requests"] += 1
        slot["failed"] += each.status is None or each.status >= 400
        slot["sent"] += each.outcome.tokens
        slot["prompt"] += 0 if each.usage is None else each.usage.prompt
    rows: list[JSONValue] = [
        {name: slot[name] for name in ("requests", "failed", "prompt", "sent")} for slot in slots
    ]
    return {"from": round(start, 3), "step_s": step, "slots": rows}
