"""Turns a journal entry into the few facts that a list shows; inspecting layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject


def brief(entry: JournalEntry) -> JSONObject:
    """Return an entry without headers and bodies."""
    outcome, usage = entry.outcome.as_json(), entry.usage
    rules = dict.fromkeys(found.rule or "unnamed" for found in entry.warnings if not found.info)
    return {
        "id": entry.id,
        "session": entry.session,
        "profile": entry.profile,
        "method": entry.method,
        "path": entry.path,
        "source": entry.source,
        "status": entry.status,
        "arrived": round(entry.arrived, 6),
        "stream": None if entry.effective is None else entry.effective["stream"],
        "tokens": None if usage is None else {
            "prompt": usage.prompt,
            "cached": usage.cached,
            "reasoning": usage.reasoning,
            "answer": usage.completion - usage.reasoning,
        },
        "sent": outcome["tokens"],
        "ttft_ms": outcome["ttft_ms"],
        "duration_ms": outcome["duration_ms"],
        "end": outcome["end"],
        "refusal": entry.refusal,
        "warnings": list(rules),
    }  # fmt: skip
