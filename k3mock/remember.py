"""Turns an answer into what its session remembers of it; pipeline layer.

The prefix cache, what the client was given to send back, who answered a request last, and what
the answer costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.limits import Hold
from k3mock.protocol.policy import ReasoningField
from k3mock.protocol.reply import ToolDelta
from k3mock.state import Served
from k3mock.text import accounting, prefix

if TYPE_CHECKING:
    from k3mock.journal import JournalEntry
    from k3mock.limits import Limiter, Refusal
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply
    from k3mock.respond import Taken
    from k3mock.state import Session
    from k3mock.text.template import Prompt
    from k3mock.work import Examined


def cached_tokens(taken: Taken, prompt: Prompt) -> int:
    """Return how many tokens of a prompt the session's cache holds, and keep the prompt in it."""
    policy = taken.host.profile.cache
    kept = taken.session.kept_prompts(taken.host.profile.name)
    chance = 0.0
    if policy.hit_probability < 1:
        chance = taken.seed.chance(b"cache", taken.ids.completion.encode()).random()
    cached = prefix.cached_tokens(prompt, kept, policy, chance)
    shown = accounting.prompt_tokens(prompt, taken.host.accounting)
    if shown > policy.threshold_tokens:
        for state, tokens in prefix.kept_states(prompt, shown).items():
            kept.remember(state, tokens)
    return cached


def note_served(taken: Taken, label: str) -> None:
    """Note who answers a request, and how that will end."""
    entry = taken.entry
    served = Served(label=label, ended=lambda: entry.outcome.end)
    taken.session.served.remember(taken.digest, served)


def note_issued(session: Session, reply: Reply, wire: WirePolicy) -> None:
    """Note what the client is given to send back: ids of calls, and reasoning if it shows."""
    calls = [(call.id, call.name) for call in reply.calls]
    literal = [
        event.fields.get("id")
        for event in (reply.events if ToolDelta in reply.said.kinds else ())
        if isinstance(event, ToolDelta)
    ]
    for call_id in (*(call_id for call_id, _ in calls), *literal):
        if isinstance(call_id, str):
            session.issued.note_call(call_id)
    if wire.reasoning_field is not ReasoningField.HIDDEN:
        session.issued.note(reply.content, calls, reply.reasoning)


def charge(limiter: Limiter, taken: Taken, examined: Examined) -> Hold | Refusal:
    """Take a request in under its session's limits; what is held ends with the answer."""
    host, profile = taken.host, taken.host.profile
    tokens = accounting.prompt_tokens(examined.prompt, host.accounting)
    tokens += examined.cap
    account = taken.session.account(profile.name)
    found = limiter.charge(taken.options.limits, account, profile, tokens)
    if isinstance(found, Hold):
        taken.entry.endings.append(lambda entry: _settle(found, entry))
    return found


def _settle(held: Hold, entry: JournalEntry) -> None:
    """Free the place of an answer that has ended, and book what was produced of it."""
    whole = entry.outcome.end == "complete"
    held.end(entry.usage, sent_tokens=None if whole else entry.outcome.tokens)
