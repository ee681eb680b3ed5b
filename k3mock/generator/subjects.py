"""Turns a request into the things that it is about; source layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.generator.detection import without_wishes

if TYPE_CHECKING:
    from k3mock.generator.language import Language

_MOST_CHARS = 900
_MOST_WORDS = 8
_FORMS = (
    "haiku", "poem", "joke", "json", "mail", "table", "story", "list", "numbered", "paragraphs",
    "sentences", "words", "keys",
)  # fmt: skip
_STOPS = (
    r"(?=\s*(?:[.,;:?!\n(]|$)|\s(?:with|using|as|please|for|so that|which|that|who|when|where|from|"
    r"and (?:how|what|why|when|tell|then|write|give|explain|compare|also|make|it|i|say|show)|"
    r"to (?:a|an|my|someone|kids|children|beginners)|"
    r"in (?:a|an|one|two|three|four|five|six|\d+|exactly|simple|plain|detail|json|markdown)|"
    r"under|at)\b)"
)
_NOUNS = r"(?P<it>[^\n.,;:?!()\"]{2,60}?)" + _STOPS
_DOING = r"(?P<doing>[^\n.,;:?!()\"]{2,60}?)" + _STOPS
_ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:about|regarding|concerning|on the topic of)\s+" + _NOUNS,
        r"\bhow (?:do|can|should|would|could) (?:i|we|you|one)\s+" + _DOING,
        r"\bi(?:'d| would)? (?:want|need|like|plan|try|have) to\s+" + _DOING,
        r"\b(?:how|best way|guide) to\s+" + _DOING,
        r"\b(?:points?|tips|reasons|ideas|facts|steps|overview|summary|introduction|essay|article|"
        r"bullets|advantages|benefits|suggestions|notes?|description|slogan|recipe|review|post|"
        r"tweet|speech|plan|advice|names?|text|paragraphs?)\s+(?:on|for|of|to|against)\s+" + _NOUNS,
        r"\bwhy (?:do|does|did|is|are|was|were|can't|don't)\s+(?P<it>(?:the\s)?[\w-]{3,30})",
        r"\b(?:explain|describe|summari[sz]e|discuss|define|outline|introduce)\s+"
        r"(?:to me\s|me\s)?(?:what\s|how\s)?" + _NOUNS,
        r"\b(?:what(?:'s|’s|\sis|\sare)|who (?:is|was|wrote|invented|painted|discovered|made))\s+"
        r"(?!it\b|this\b|that\b|your\b|my\b|there\b)" + _NOUNS,
    )
)
_QUOTED = re.compile(
    r'"([^"\n]{2,40})"|“([^”\n]{2,40})”|«\s?([^»\n]{2,40}?)\s?»|「([^」\n]{2,40})」'
)
_OTHERS = {
    "de": (
        re.compile(
            r"\b(?:[Üü]ber|zum Thema)\s+(?:[a-zäöüß]{2,12}\s+){0,2}(?P<it>[A-ZÄÖÜ][\wäöüß-]{2,30})"
        ),
    ),
    "fr": (
        re.compile(
            r"\b(?:sur|à propos d[eu]|concernant)\s+(?:l[ae]s?\s|les\s|un[e]?\s|l['’])?"
            r"(?P<it>[\w-]{3,24}(?:\s(?:de|du|des)\s[\w-]{3,20})?)",
            re.IGNORECASE,
        ),
    ),
    "es": (
        re.compile(
            r"\b(?:sobre|acerca de|acerca del)\s+(?:el\s|la\s|los\s|las\s|una?\s)?"
            r"(?P<it>[\w-]{3,24}(?:\sdel?\s[\w-]{3,20})?)",
            re.IGNORECASE,
        ),
    ),
    "zh": (re.compile(r"关于(?P<it>[^，。的\s]{1,12})的"),),
    "zh-Hant": (re.compile(r"關於(?P<it>[^，。的\s]{1,12})的"),),
    "ja": (
        re.compile(
            r"(?P<it>(?:お?[\u4e00-\u9fff々\u30a1-\u30fa\u30fc]{1,8}の)?"
            r"[\u4e00-\u9fff々\u30a1-\u30fa\u30fc]{1,12})について"
        ),
    ),
}  # fmt: skip
_LEADING = re.compile(r"^(?:some|any|this|these|those|it|its|all)\s+", re.IGNORECASE)
_MINE = re.compile(r"\bmy\b", re.IGNORECASE)
_TRAILING = re.compile(
    r"\s+(?:works|is|are|does|do|means?|now|today|please|to me|briefly|in)$", re.IGNORECASE
)
_DOUBLED = re.compile(
    r"^(?:get|run|set|put|cut|stop|plan|swim|win|begin|sit|dig|chat|shop|quit|let|hit)$"
)
_WHOM = re.compile(r"\bпро\s+([А-Яа-яё-]{3,30})", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:о|об|обо)\s+([А-Яа-яё-]{4,30})(?:\s+([А-Яа-яё-]{3,30}))?", re.IGNORECASE)


def subjects(
    text: str, keywords: tuple[str, ...], topics: tuple[str, ...], heard: Language
) -> tuple[str, ...]:
    """Return up to three things to talk about: what is named as the subject, then other names.

    `topics` are keywords that stand together. A keyword that is only incidental is no subject.
    """
    named = _named(without_wishes(text), heard) if len(text) <= _MOST_CHARS else ""
    if not named:
        return topics[:3] if len(keywords) > 7 else topics[:1] + _proper(topics[1:])
    folded = named.casefold()
    others = [topic for topic in _proper(topics) if topic.casefold() not in folded]
    return (named, *others)[:3]


def _proper(topics: tuple[str, ...]) -> tuple[str, ...]:
    """Return the topics that are names."""
    return tuple(topic for topic in topics if topic[:1].isupper() and topic[1:2].islower())


def subject_text(text: str, heard: Language) -> str:
    """Return a text without the words that only say in what form it is to be answered."""
    if len(text) > _MOST_CHARS:
        return text
    left = without_wishes(text)
    for form in _FORMS:
        for pattern in heard.asks[form]:
            left = pattern.sub(_asking, left)
    return left


def _asking(match: re.Match[str]) -> str:
    """Return what is left of a match without the number and the noun that it asks for."""
    spans = [match.span(name) for name in ("count", "noun") if name in match.groupdict()]
    spans = [span for span in spans if span[0] >= 0]
    if not spans:
        return " "
    text, start = match.group(), match.start()
    for low, high in sorted(spans, reverse=True):
        text = f"{text[: low - start]} {text[high - start :]}"
    return text


def _named(text: str, heard: Language) -> str:
    quoted = _QUOTED.search(text)
    if quoted is not None:
        return next(group for group in quoted.groups() if group is not None).strip()
    if heard.code == "ru":
        return _nominative(text)
    for pattern in _ENGLISH if heard.code == "en" else _OTHERS.get(heard.code, ()):
        match = pattern.search(text)
        if match is None:
            continue
        groups = match.groupdict()
        doing = groups.get("doing")
        found = _gerund(doing) if doing else _trimmed(groups.get("it") or "")
        told = len(found) > 2 or not found.isascii()
        if told and len(found) <= 48 and found.casefold() not in heard.stop:
            return found
    return ""


def _trimmed(phrase: str) -> str:
    phrase = _TRAILING.sub("", _LEADING.sub("", " ".join(phrase.split())))
    phrase = _MINE.sub("your", phrase)
    words = phrase.split(" ")
    if len(words) > _MOST_WORDS:
        words = words[:_MOST_WORDS]
        while len(words) > 1 and len(words[-1]) < 4:
            words.pop()
    return " ".join(words).strip("'`* ")


def _gerund(phrase: str) -> str:
    """Turn "make tea" into "making tea"."""
    verb, _, rest = _trimmed(phrase).partition(" ")
    verb = verb.lower()
    if not verb.isalpha() or len(verb) < 2:
        return ""
    if verb.endswith("ie"):
        verb = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith("ee") and len(verb) > 2:
        verb = verb[:-1]
    elif _DOUBLED.match(verb):
        verb += verb[-1]
    return f"{verb}ing {rest}".strip()


def _nominative(text: str) -> str:
    """Return what stands after the Russian "about", in its dictionary form as far as known."""
    match = _WHOM.search(text)
    if match is not None:
        return match.group(1)
    match = _ABOUT.search(text)
    if match is None:
        return ""
    word, more = match.groups()
    for ending, nominative in (
        ("ии", "ия"), ("ости", "ость"), ("ках", "ки"), ("гах", "ги"), ("ях", "и"), ("ах", "ы"),
        ("ке", "ка"), ("ге", "га"), ("ании", "ание"),
    ):  # fmt: skip
        if word.endswith(ending):
            word = word[: -len(ending)] + nominative
            break
    else:
        if word.endswith("е"):
            word = word[:-1] if len(word) > 5 else f"{word[:-1]}а"
    return f"{word} {more}" if more and len(more) > 2 and not more.endswith(("е", "и")) else word
