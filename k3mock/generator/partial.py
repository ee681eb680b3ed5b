"""Turns the beginning of an answer into the rest of it; source layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.generator.assembly import LIMITS, Composer
from k3mock.generator.detection import spoken
from k3mock.generator.keyed import value_for
from k3mock.generator.phrases import Slots, drawn, one, vocabulary
from k3mock.generator.resume import rest_of_json
from k3mock.generator.snippets import snippet

if TYPE_CHECKING:
    from k3mock.generator.language import Language
    from k3mock.generator.mentions import Hints
    from k3mock.generator.reading import Reading
    from k3mock.jsonvalue import JSONValue
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

_FENCE = "```"
_SEEN = 4_000
_VERBS = vocabulary(
    "is are was were be means remains becomes seems looks called ist sind war waren bleibt est "
    "sont "
    "était es son era это"
)
_ARTICLES = vocabulary(
    "the a an this that our your its my one each every der die das ein eine einen le la les un une "
    "el los las una"
)
_LAST_WORD = re.compile(r"([^\W\d_]{1,20})\s*\Z")
_TIGHT = frozenset("([{\"'“‘「（《/\\_*`#@$")


def json_rest(beginning: str, guide: JSONValue, chance: Chance, hints: Hints) -> str | None:
    """Return the rest of an open JSON text, fenced or bare; None if it is none."""
    head, fence, body = beginning.rpartition(_FENCE)
    fenced = bool(fence) and head.count(_FENCE) % 2 == 0
    if fenced:
        label, newline, body = body.partition("\n")
        if not newline or label.strip().lower() not in {"json", ""}:
            return None
    else:
        body = beginning
    if body.lstrip()[:1] not in {"{", "["} and not (fenced and not body.strip()):
        return None
    rest = rest_of_json(body, guide, lambda key: value_for(key, chance, hints))
    if rest is None:
        return None
    return f"{rest}\n{_FENCE}" if fenced else rest


def prose_rest(
    beginning: str, reading: Reading, hints: Hints, *, chance: Chance, counter: TokenCounter
) -> str:
    """Return how a text goes on that stops anywhere: in a sentence, after one, in code."""
    if beginning.count(_FENCE) % 2:
        return _code_rest(beginning, reading)
    tail = beginning[-_SEEN:]
    language = spoken(tail[-200:], reading.text)
    names = hints.names
    folded = tail.casefold()
    fresh_topics = [topic for topic in reading.topics if topic.casefold() not in folded]
    slots = Slots(
        dict(zip("abc", fresh_topics, strict=False)),
        {"person": names.person, "company": names.company, "city": names.city},
    )
    situation = _situation(tail, language)
    phrases = language.phrases
    fresh = situation == "go_on_new"
    opening = one(phrases[situation], slots, chance, capital=fresh)
    lead = _lead(beginning, opening, language)
    bodies = drawn(phrases["say_body_what"], slots, chance)
    composer = Composer(counter, language.gap, LIMITS)
    return composer.compose(lead + opening, [bodies], "", chance.randint(25, 80))


def _situation(tail: str, language: Language) -> str:
    """Name the kind of place that a text stops at."""
    stripped = tail.rstrip()
    last = stripped[-1:]
    word = _LAST_WORD.search(stripped[-30:])
    folded = word.group(1).lower() if word is not None else ""
    if not last or last in language.ends or tail.endswith("\n"):
        return "go_on_new"
    if last in ",，、;；":
        return "go_on_comma"
    if last in ":：-—":
        return "go_on_colon"
    if folded in _VERBS or last in "是为為は":
        return "go_on_verb"
    if folded in _ARTICLES or last in "的の":
        return "go_on_article"
    return "go_on_other"


def _lead(beginning: str, opening: str, language: Language) -> str:
    """Return the space that belongs between a beginning and its continuation."""
    last = beginning[-1:]
    if not last or last.isspace() or last in _TIGHT or ord(opening[:1] or "。") > 0x2E7F:
        return ""
    return language.gap


def _code_rest(beginning: str, reading: Reading) -> str:
    label = beginning.rpartition(_FENCE)[2].partition("\n")[0]
    _, code = snippet(f"{label} {reading.text}", reading.keywords)
    lead = "" if beginning.endswith("\n") else "\n"
    return f"{lead}{code}\n{_FENCE}"
