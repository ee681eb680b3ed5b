"""Turns a reading and a decision into thoughts of the right length; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from k3mock.generator.assembly import Composer, clip
from k3mock.generator.phrases import Slots, drawn, one

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.generator.phrases import Phrase
    from k3mock.generator.reading import Reading
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

LIMITS = {"low": (30, 90), "high": (80, 200), "max": (120, 400)}
"""Least and most tokens of the reasoning by effort."""

_SLOT_TOKENS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What will be answered.

    `form` names the form of the content; `tool` is the tool that will be called and `values` what
    it is called with; `tools` are the offered ones; `media` and `result` are descriptions.
    """

    form: str = ""
    tool: str = ""
    values: str = ""
    tools: str = ""
    media: str = ""
    source: str = ""
    result: str = ""


def thoughts(
    reading: Reading, decision: Decision, effort: str, *, chance: Chance, counter: TokenCounter
) -> str:
    """Return reasoning about a request: read, plan, check, decide."""
    least, most = LIMITS.get(effort, LIMITS["max"])
    language = reading.language
    words = language.phrases
    slots = Slots(_known(reading, decision, counter), {})
    if reading.results:
        opened = words["think_result"] if decision.result else words["think_results_empty"]
    else:
        opened = words["think_user"] if reading.quote else words["think_plain"]
    closed = words["think_done_call"] if decision.tool else words["think_done"]
    stages: list[Iterable[str]] = [
        chain(_certain(reading, decision, slots, chance), drawn(_about(reading), slots, chance)),
        drawn(words["think_plan"], slots, chance),
        drawn(words["think_check"], slots, chance),
    ]
    target = least + 12 + int((most - least) * 0.75 * chance.random())
    composer = Composer(counter, language.gap, (least, most))
    return composer.compose(one(opened, slots, chance), stages, one(closed, slots, chance), target)


def _certain(reading: Reading, decision: Decision, slots: Slots, chance: Chance) -> Iterator[str]:
    """Yield what the thoughts should say before anything else: what the answer rests on."""
    words = reading.language.phrases
    situations: list[str] = []
    if decision.tool:
        situations.append("think_next" if decision.result else "think_tool")
    situations += ["think_media", "think_facts", "think_form"]
    if decision.tools:
        situations += ["think_tools"] if decision.tool else ["think_no_tool", "think_tools"]
    if decision.tool:
        situations.append("think_tool")
    said: set[str] = set()
    for situation in situations:
        if situation == "think_facts" and decision.tool:
            continue
        sentence = one(words[situation], slots, chance)
        if sentence and sentence not in said:
            said.add(sentence)
            yield sentence


def _about(reading: Reading) -> list[Phrase]:
    words = reading.language.phrases
    pool = list(words["think_about"])
    if reading.turns > 1:
        pool += words["think_history"]
    return pool


def _known(reading: Reading, decision: Decision, counter: TokenCounter) -> dict[str, str]:
    known = {
        "quote": reading.quote,
        "form": decision.form,
        "tool": decision.tool,
        "values": decision.values,
        "tools": decision.tools,
        "media": decision.media,
        "source": decision.source,
        "result": decision.result,
    }
    short = {name: clip(word, _SLOT_TOKENS, counter) for name, word in known.items()}
    return short | dict(zip("abc", reading.topics, strict=False))
