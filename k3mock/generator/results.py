"""Turns the output of tools into sentences that use it; source layer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from k3mock.generator.assembly import LIMITS, Composer, clip
from k3mock.generator.phrases import Slots, drawn, one
from k3mock.generator.pictures import described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.generator.language import Language
    from k3mock.generator.reading import Reading, Result
    from k3mock.jsonvalue import JSONValue
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

_MOST_FACTS = 10
_VALUE_CHARS = 120
_FACT_TOKENS = 90
_ERROR = re.compile(
    r"\b(?:error|exception|failed|failure|not found|denied|timed? ?out)\b", re.IGNORECASE
)


def source_name(result: Result, language: Language) -> str:
    """Name the tool that a result came from."""
    return result.tool[:64] or language.facts["word"]["the"]


def told(result: Result, language: Language, counter: TokenCounter, tokens: int) -> str:
    """Say in a few words what a result contains; nothing if it is empty."""
    text = result.text.strip()
    if not text:
        return described(result.media, language)
    if result.media:
        shown = described(result.media, language)
        rest = told(replace(result, media=()), language, counter, max(8, tokens - 16))
        return f"{rest}{language.comma}{shown}"
    value = _parsed(text)
    if isinstance(value, dict | list):
        pairs = _pairs(value, "", 0)
        said: list[str] = []
        for (key, leaf), _ in zip(pairs, range(_MOST_FACTS), strict=False):
            said.append(_said(key, leaf, language))
        if not said:
            return clip(text, tokens, counter)
        return _fitting(said, language, counter, tokens)
    shown = value if isinstance(value, str) else text
    plain = " ".join(shown.split()).rstrip(language.ends + " ")
    return clip(plain, tokens, counter) or clip(text, tokens, counter)


def answer_from(reading: Reading, chance: Chance, counter: TokenCounter) -> str:
    """Return content that reports the results which end the history."""
    language = reading.language
    share = max(12, _FACT_TOKENS // max(1, len(reading.results)))
    sentences = [
        _reported(result, language, chance, told(result, language, counter, share))
        for result in reading.results
    ]
    slots = Slots(dict(zip("abc", reading.topics, strict=False)), {})
    closing = one(language.phrases["say_result_close"], slots, chance)
    composer = Composer(counter, language.gap, LIMITS)
    spare = drawn(language.phrases["say_known"], slots, chance)
    opening = clip(language.gap.join(sentences), 118, counter)
    return composer.compose(opening, [spare], closing, LIMITS[0])


def _reported(result: Result, language: Language, chance: Chance, facts: str) -> str:
    slots = Slots({"source": source_name(result, language), "facts": facts}, {})
    if not facts:
        situation = "say_result_empty"
    elif _ERROR.search(result.text[:200]):
        situation = "say_result_error"
    else:
        situation = "say_result"
    return one(language.phrases[situation], slots, chance)


def _parsed(text: str) -> JSONValue:
    try:
        value: JSONValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value


def _pairs(value: JSONValue, key: str, depth: int) -> Iterator[tuple[str, JSONValue]]:
    """Yield the leaves of a value with the keys they stand under."""
    if isinstance(value, dict) and depth < 6:
        for name, inner in value.items():
            yield from _pairs(inner, name, depth + 1)
    elif isinstance(value, list) and depth < 6:
        for inner in value:
            yield from _pairs(inner, key, depth + 1)
    elif not isinstance(value, dict | list):
        yield key, value


def _said(key: str, leaf: JSONValue, language: Language) -> str:
    value = leaf if isinstance(leaf, str) else orjson.dumps(leaf).decode()
    value = " ".join(value.split())[:_VALUE_CHARS].rstrip(language.ends)
    if not key:
        return value
    name = key.replace("_", " ").strip()[:40]
    return language.facts["word"]["is"].format(key=name, value=value)


def _fitting(said: list[str], language: Language, counter: TokenCounter, tokens: int) -> str:
    """List as many facts as fit, the first one in any case."""
    while len(said) > 1 and counter.count(language.listed(said)) > tokens:
        said.pop()
    return clip(language.listed(said), tokens, counter)
