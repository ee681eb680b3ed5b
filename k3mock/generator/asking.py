"""Turns the wording of a request into the form of answer that it asks for; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.generator.english import ENGLISH
from k3mock.generator.phrases import vocabulary
from k3mock.generator.reading import LANGUAGES

if TYPE_CHECKING:
    from k3mock.generator.language import Language

_SEEN = 400
_MOST_WORDS = 600
_FORMS = ("json", "code", "list", "paragraphs", "sentences", "words")
_CAPITAL = re.compile(
    r"capital(?:\s+city)?\s+of\s+(?:the\s+)?([A-Za-zÀ-ÿ]+(?:\s[A-Za-zÀ-ÿ]+)?)"
    r"|([\u4e00-\u9fff]{2,5})的首都",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"(?<![\w.(+*/×÷-])(?<![+*/×÷-]\s)(-?\d{1,12})\s?([-+*/×÷x])\s?(-?\d{1,12})"
    r"(?![\w)]|\.\d|\s?[-+*/×÷x]\s?[\d(])"
)
_ONE_WORD = re.compile(r"(?:one|single)[ -]word\b|一个[词字]", re.IGNORECASE)
_SHOWN = re.compile(r"\{[^{}]{2,600}\}")
_SHOWN_KEY = re.compile(r"[\"'“]?([A-Za-z_\u4e00-\u9fff][\w-]{0,40})[\"'”]?\s*:")
_BRACKETED = re.compile(r"[（(][^)）\n]{0,40}[)）]")
_BETWEEN = re.compile(r"\s*(?:[,，、/&]|\band\b|以及|和|与)\s*|\s+")
_WORD = re.compile(r"[A-Za-z_][\w-]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The form that is asked for.

    `form` is `prose`, `literal`, `greeting`, `fact`, `sum`, `json`, `code`, `list`, `words`,
    `sentences` or `paragraphs`; `count` goes with the last four; `text` is the literal, the fact
    asked about, the calculation or the noun that a list is made of; `answer` is what is known.
    """

    form: str = "prose"
    count: int | None = None
    text: str = ""
    answer: str = ""


def asked(text: str, language: Language) -> Ask:
    """Return what form of answer a text asks for; a long text asks at its start or its end."""
    if len(text) > 2 * _SEEN:
        text = f"{text[:_SEEN]}\n{text[-_SEEN:]}"
    for speaking in dict.fromkeys((language.code, ENGLISH.code)):
        spoken = language if speaking == language.code else ENGLISH
        found = _literal(text, spoken) or _greeting(text, spoken)
        if found is not None:
            return found
    known = known_answer(text, language)
    form = _form(text, language) or (_form(text, ENGLISH) if language is not ENGLISH else None)
    if known is not None and (form is None or form.form in {"words", "sentences"}):
        if form is not None and form.form == "words":
            return Ask(form="literal", text=known.answer)
        return known
    return form or Ask()


def known_answer(text: str, language: Language) -> Ask | None:
    """Return a fact or a calculation that a text asks for, if the answer is known."""
    return _fact(text, language) or _sum(text)


def named_keys(text: str, language: Language) -> tuple[str, ...]:
    """Return the keys that a text wants to see in an object, in order."""
    for shown in _SHOWN.finditer(text):
        listed = [match.group(1) for match in _SHOWN_KEY.finditer(shown.group())]
        if listed:
            return tuple(dict.fromkeys(listed))
    for speaking in (language, *LANGUAGES):
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
            literal = match.group(1).strip()
            choices = re.split(r"\s+or\s+|\s*还是\s*|\s*或者?\s*", literal)
            return Ask(form="literal", text=choices[0], answer="|".join(choices))
    return None


def _is_literal(match: re.Match[str]) -> bool:
    """Tell whether what was found is a text to repeat, not a question to answer in one word."""
    literal = match.group(1).strip()
    if not literal or literal[-1] in "?？":
        return False
    before = match.group()[: match.start(1) - match.start()]
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
            groups = match.groups()
            count = language.number(groups[0]) if groups else None
            if count is None and groups and (groups[0] or "").lower() in {"a", "an"}:
                if form != "paragraphs":
                    continue
                count = 1
            noun = (groups[1] or "").lower() if len(groups) > 1 else ""
            return Ask(form=form, count=_sane(form, count), text=noun)
    return None


def _sane(form: str, count: int | None) -> int | None:
    if count is None:
        return None
    most = {"words": _MOST_WORDS, "paragraphs": 8}.get(form, 40)
    return max(1, min(count, most))


def _fact(text: str, language: Language) -> Ask | None:
    for match in _CAPITAL.finditer(text):
        capitals = language.facts["capital"]
        asked_of = next(group for group in match.groups() if group is not None)
        for of in (asked_of, asked_of.split(" ")[0], asked_of[-3:], asked_of[-2:]):
            if of.lower() in capitals:
                return Ask(form="fact", text=of, answer=capitals[of.lower()])
    return None


def _sum(text: str) -> Ask | None:
    match = _SUM.search(text)
    if match is None:
        return None
    left, sign, right = int(match.group(1)), match.group(2), int(match.group(3))
    match sign:
        case "+":
            value: float = left + right
        case "-":
            value = left - right
        case "/" | "÷":
            if right == 0:
                return None
            value = left // right if left % right == 0 else round(left / right, 6)
        case _:
            value = left * right
    return Ask(form="sum", text=match.group(), answer=str(value))
