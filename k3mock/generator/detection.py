"""Turns texts into the languages that they are in and that they ask for; source layer."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from k3mock.generator.languages import LANGUAGES

if TYPE_CHECKING:
    from k3mock.generator.language import Language

_SEEN = 2_400
_ENDS = 500
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_NOT_WORDS = re.compile(r"https?://\S{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,64}")

_NAMES = {
    "en": ("english|englisch|anglais|inglés|английском", "英文|英语|英語", "английски"),
    "de": ("german|deutsch|allemand|alemán|немецком", "德文|德语|德語|ドイツ語", "немецки"),
    "fr": ("french|französisch|français|francés|французском", "法文|法语|法語|フランス語",
           "французски"),
    "es": ("spanish|spanisch|espagnol|español|испанском", "西班牙文|西班牙语|西班牙語|スペイン語",
           "испански"),
    "ru": ("russian|russisch|russe|ruso|русском", "俄文|俄语|俄語|ロシア語", "русски"),
    "ja": ("japanese|japanisch|japonais|japonés|японском", "日文|日语|日語|日本語", "японски"),
    "zh-Hant": ("traditional chinese", "繁體中文|繁体中文|正體中文|繁體|繁体", ""),
    "zh": ("(?:simplified )?chinese|chinesisch|chinois|chino|китайском",
           "简体中文|中文|汉语|漢語|中国語|中國話", "китайски"),
}  # fmt: skip
"""How languages are named: after a preposition, in Han letters, after the Russian «по-»."""

_WISHES = tuple(
    (
        code,
        re.compile(
            rf"\b(?:in|into|auf|ins|en|на)\s+(?:{after})\b"
            r"(?=\s*(?:$|[.,;:!?)\n\"”»]|please|bitte|with|using|and|only|und|et|y|языке))"
            rf"|(?:用|以|成|为|為|使用)\s*(?:{han})|(?:{han})(?:で|に|回答|作答)"
            + (rf"|по-{russian}" if russian else ""),
            re.IGNORECASE,
        ),
    )
    for code, (after, han, russian) in _NAMES.items()
)
_BY_CODE = {language.code: language for language in LANGUAGES}


def spoken(*texts: str) -> Language:
    """Choose the language of the first text that has letters of any known script."""
    for text in texts:
        plain = _NOT_WORDS.sub(" ", _FENCED.sub(" ", text[:_SEEN]))
        scores = _scores(plain)
        best = max(scores)
        if best[0] > 0:
            return LANGUAGES[scores.index(best)]
    return LANGUAGES[0]


def wished(*texts: str) -> Language | None:
    """Return the language that a text asks to be answered in, if it names one that is known."""
    for text in texts:
        shown = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
        found = [
            (match.start(), code)
            for code, pattern in _WISHES
            if (match := pattern.search(shown)) is not None
        ]
        if found:
            return _BY_CODE[max(found, key=lambda pair: pair[0])[1]]
    return None


_WISHED = re.compile(
    r"\b(?:please\s)?(?:answer|reply|respond|write|antworte|réponds|répondez|responde|contesta|ответь)\s+$",
    re.IGNORECASE,
)


def without_wishes(text: str) -> str:
    """Return a text without the words that wish for a language."""
    for _, pattern in _WISHES:
        for match in reversed(list(pattern.finditer(text))):
            before = _WISHED.sub("", text[: match.start()])
            text = f"{before} {text[match.end() :]}"
    return text


def plain_words(text: str) -> str:
    """Return a text without addresses, which are no words of any language."""
    return _NOT_WORDS.sub(" ", text)


def _scores(text: str) -> list[tuple[float, float]]:
    """Return how much of a text is in a language's script, and how many marks of it there are."""
    lowered = text.lower()
    by_script: dict[str, tuple[int, Counter[str]]] = {}
    scores: list[tuple[float, float]] = []
    for language in LANGUAGES:
        pattern = language.script.pattern
        if pattern not in by_script:
            found = language.script.findall(lowered)
            by_script[pattern] = len(found), Counter(found)
        total, words = by_script[pattern]
        marks = sum(words[mark] for mark in language.marks)
        if language.breaks is None:
            marks += sum(lowered.count(sign) for sign in language.marks if _is_sign(sign))
        scores.append((language.weight * total, language.mark_weight * marks))
    return scores


def _is_sign(mark: str) -> bool:
    """Tell whether a mark is a letter that only some languages have, not a word."""
    return len(mark) == 1 and not mark.isascii()
