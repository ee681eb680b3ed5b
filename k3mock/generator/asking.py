"""Turns the wording of a request into the form of answer that it asks for; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.generator.facts import known
from k3mock.generator.languages import ENGLISH
from k3mock.generator.phrases import vocabulary

if TYPE_CHECKING:
    from k3mock.generator.language import Language

_SEEN = 400
_MOST_WORDS = 600
_FORMS = (
    "haiku", "poem", "joke", "json", "code", "mail", "table", "story", "list", "paragraphs",
    "sentences", "words",
)  # fmt: skip
_QUESTIONS = ("compare", "why", "how")
_ONE_WORD = re.compile(r"(?:one|single)[ -]word\b|一[个個][词詞字]", re.IGNORECASE)
_SHOWN = re.compile(r"\{[^{}]{2,600}\}")
_SHOWN_KEY = re.compile(r"[\"'“]?([A-Za-z_\u4e00-\u9fff][\w-]{0,40})[\"'”]?\s*:")
_BRACKETED = re.compile(r"[（(][^)）\n]{0,40}[)）]")
_BETWEEN = re.compile(r"\s*(?:[,，、/&]|\b(?:and|und|et|y|и)\b|以及|和|与|與|と|や)\s*|\s+")
_WORD = re.compile(r"[A-Za-z_][\w-]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The form that is asked for.

    `form` is `prose`, `literal`, `greeting`, `fact`, `sum` or one that languages have patterns
    for; `count` says how many words, sentences, paragraphs or items; `text` is the literal, the
    fact asked about, the calculation or the noun that a list is made of; `answer` is what is known;
    `question` is `how`, `why`, `compare` or nothing.
    """

    form: str = "prose"
    count: int | None = None
    text: str = ""
    answer: str = ""
    numbered: bool = False
    question: str = ""


def asked(text: str, language: Language) -> Ask:
    """Return what form of answer a text asks for; a long text asks at its start or its end."""
    if len(text) > 2 * _SEEN:
        text = f"{text[:_SEEN]}\n{text[-_SEEN:]}"
    for speaking in dict.fromkeys((language.code, ENGLISH.code)):
        spoken = language if speaking == language.code else ENGLISH
        found = _literal(text, spoken) or _greeting(text, spoken)
        if found is not None:
            return found
    speaking_ways = (language,) if language is ENGLISH else (language, ENGLISH)
    fact = known(text, language)
    form = next((form for each in speaking_ways if (form := _form(text, each))), None)
    if fact is not None and (form is None or form.form in {"words", "sentences"}):
        if form is not None and form.form == "words":
            return Ask(form="literal", text=fact.answer)
        return Ask(form=fact.kind, text=fact.of, answer=fact.answer)
    return form or Ask(question=_question(text, language))


def _question(text: str, language: Language) -> str:
    for kind in _QUESTIONS:
        if any(pattern.search(text) for pattern in language.asks[kind]):
            return kind
    return ""


def named_keys(text: str, language: Language) -> tuple[str, ...]:
    """Return the keys that a text wants to see in an object, in order."""
    for shown in _SHOWN.finditer(text):
        listed = [match.group(1) for match in _SHOWN_KEY.finditer(shown.group())]
        if listed:
            return tuple(dict.fromkeys(listed))
    for speaking in (language, ENGLISH):
        for pattern in speaking.asks["keys"]:
            for match in pattern.finditer(text):
                keys = _keys(match.group(1))
                if keys:
                    return keys
    return ()


def _keys(listing: str) -> tuple[str, ...]:
    words = _BETWEEN.split(_BRACKETED.sub(" ", listing))
    keys: dict[str, None] = {}
    for word in words:
        quoted = word[:1] in "\"'`“「"
        bare = word.strip("\"'`“”「」 .")
        if _WORD.match(bare) and (quoted or bare.lower() not in _FILLERS):
            keys[bare] = None
        elif bare and keys:
            break
    return tuple(keys)[:12]


_FILLERS = vocabulary(
    "the an of in for to with only no be must should as that which it and or named called "
    "using like such exactly following these are is you your"
)


def _literal(text: str, language: Language) -> Ask | None:
    for pattern in language.asks["literal"]:
        match = pattern.search(text)
        if match is not None and _is_literal(match):
            literal = match.group("literal").strip()
            choices = re.split(
                r"\s+(?:or|oder|ou|или)\s+|\s*(?:还是|還是)\s*|\s*或者?\s*|\s*または\s*", literal
            )
            return Ask(form="literal", text=choices[0], answer="|".join(choices))
    return None


def _is_literal(match: re.Match[str]) -> bool:
    """Tell whether what was found is a text to repeat, not a question to answer in one word."""
    literal = match.group("literal").strip()
    if not literal or literal[-1] in "?？":
        return False
    before = match.group()[: match.start("literal") - match.start()]
    return not (_ONE_WORD.search(before) and (" " in literal or len(literal) > 24))


def _greeting(text: str, language: Language) -> Ask | None:
    for pattern in language.asks["greeting"]:
        if pattern.search(text):
            return Ask(form="greeting")
    return None


def _form(text: str, language: Language) -> Ask | None:
    for form in _FORMS:
        for pattern in language.asks[form]:
            match = pattern.search(text)
            if match is None:
                continue
            groups = match.groupdict()
            count = language.number(groups.get("count"))
            if count is None and (groups.get("count") or "").lower() in {"a", "an"}:
                if form != "paragraphs":
                    continue
                count = 1
            return Ask(
                form=form,
                count=_sane(form, _meant(count, groups)) or _length(form, text, language),
                text=(groups.get("noun") or "").lower(),
                numbered=any(each.search(text) for each in language.asks["numbered"]),
                question=_question(text, language),
            )
    return None


def _length(form: str, text: str, language: Language) -> int | None:
    """Return how many sentences a story should have, how many rows a table."""
    other = {"story": "sentences", "table": "list"}.get(form)
    for pattern in language.asks[other] if other else ():
        match = pattern.search(text)
        if match is not None:
            return _sane(form, language.number(match.groupdict().get("count")))
    return None


def _meant(count: int | None, groups: dict[str, str | None]) -> int | None:
    """Return the number to aim at: within a range, below what must not be exceeded."""
    if count is None:
        return None
    if groups.get("low"):
        return (int(groups["low"] or 0) + count) // 2
    return max(1, count * 4 // 5) if groups.get("under") else count


def _sane(form: str, count: int | None) -> int | None:
    if count is None:
        return None
    most = {"words": _MOST_WORDS, "paragraphs": 8}.get(form, 40)
    return max(1, min(count, most))
