"""Turns a journal entry into the reason why it was answered as it was; inspecting layer.

Patterns are judged again, against what the journal holds: who looks pays for it, not who asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.contract.rule import EVIDENCE_WORDS
from k3mock.delivery.step import Start
from k3mock.errors import K3MockError
from k3mock.inspecting.judging import judged
from k3mock.jsonvalue import JSONObject, JSONValue, as_object
from k3mock.matching.source import Asked
from k3mock.redact import hide_in
from k3mock.text import accounting
from k3mock.work import Read, examine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from k3mock.contract.note import Note
    from k3mock.contract.profile import Profile
    from k3mock.contract.rule import Rule
    from k3mock.hosts import Host, Hosts
    from k3mock.journal import JournalEntry
    from k3mock.scenario.model import Scenario
    from k3mock.scenario.source import ScenarioSource
    from k3mock.seed import Seed
    from k3mock.state import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is looked at beside the entry.

    Attributes:
        attempt: how often the session had sent this very request, this time included.
    """

    hosts: Hosts
    scenarios: ScenarioSource
    session: Session
    seed: Seed
    attempt: int


def why(entry: JournalEntry, asking: Asking, miss: JSONObject | None = None) -> JSONObject:
    """Return who answered and why, the rules that were broken, and how near each turn came."""
    host = _host(entry, asking.hosts)
    found: JSONObject = {
        "source": entry.source,
        "headers": _told(entry),
        "rules": {} if host is None else _rules(entry, host.profile),
        "miss": miss,
        "turns": None,
        "bending": [],
    }
    body = as_object(entry.body)
    if host is not None and body is not None and entry.forwarded_raw is not None:
        asked = _asked(entry, asking, host, body)
        scenarios = asking.scenarios.candidates(asking.session.name)
        turns: list[JSONValue] = [*judged(asked, scenarios, entry.source or "")]
        found |= {"turns": turns, "bending": [*_bending(scenarios, entry.profile)]}
    shown = hide_in(found, entry.writes.secrets)
    return shown if isinstance(shown, dict) else {}


def _host(entry: JournalEntry, hosts: Hosts) -> Host | None:
    try:
        return hosts.get(entry.profile)
    except K3MockError:  # pragma: no cover - a journal names no profile that its server lacks
        return None


def _told(entry: JournalEntry) -> JSONObject:
    """Return what the answer's own headers say of it."""
    starts = (mark.step for mark in entry.writes.marks)
    return {
        name: value
        for step in starts if isinstance(step, Start)
        for name, value in step.headers if name.startswith("x-k3mock-")
    }  # fmt: skip


def _bending(scenarios: Sequence[Scenario], profile: str) -> Iterator[JSONValue]:
    for each in scenarios:
        if not each.turns and each.meant_for(profile):
            yield each.name


def _asked(entry: JournalEntry, asking: Asking, host: Host, body: JSONObject) -> Asked:
    examined = examine(host, Read(body), entry.body_bytes, asking.session, "off")
    return Asked(
        request=examined.request,
        body=body,
        headers=entry.headers,
        profile=host.profile.name,
        session=asking.session,
        seed=asking.seed,
        attempt=asking.attempt,
        retry=False,
        prompt_tokens=lambda: accounting.prompt_tokens(examined.prompt, host.accounting),
        cap=examined.cap,
    )


def _rules(entry: JournalEntry, profile: Profile) -> JSONObject:
    """Return the rules that were broken and the notes that were made, with their evidence."""
    known = _known(profile)
    names = dict.fromkeys(found.rule for found in entry.warnings if found.rule)
    refusing = (entry.source or "").partition("+")[0].removeprefix("contract:")
    names[refusing] = None
    return {name: _rule(known[name]) for name in names if name in known}


def _known(profile: Profile) -> Mapping[str, Rule | Note]:
    behind = profile.engine.rules if profile.engine is not None else ()
    rules: list[Rule | Note] = [*profile.notes, *behind, *profile.rules]
    return {each.id: each for each in rules}


def _rule(rule: Rule | Note) -> JSONObject:
    return {
        "evidence": [EVIDENCE_WORDS[mark] for mark in rule.evidence],
        "where": rule.source,
    }
