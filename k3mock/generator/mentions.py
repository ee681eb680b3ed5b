"""Turns a text into the values it mentions, for arguments and objects; source layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.generator.phrases import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.generator.language import Language
    from k3mock.generator.names import Names

_KINDS = (
    ("url", re.compile(r"https?://[^\s<>\"'“”‘’，。；）)\]}]{1,500}")),
    (
        "email",
        re.compile(
            r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}", re.ASCII
        ),
    ),
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("datetime", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?")),
    ("date", re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\d{4}年\d{1,2}月\d{1,2}[日号]")),
    ("time", re.compile(r"(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)")),
    ("ipv4", re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")),
    (
        "path",
        re.compile(
            r"(?<![\w/:.~])(?:~|\.{1,2})?/[\w.-]{1,80}(?:/[\w.-]{1,80}){0,12}/?"
            r"|(?<![\w/.])[\w-]{1,60}\.(?:py|js|ts|rs|go|c|h|cpp|java|txt|md|json|ya?ml|toml|csv|"
            r"pdf|png|jpe?g|html|css|sql|sh|log|xml|docx?|xlsx?|ini|cfg)\b",
            re.ASCII,
        ),
    ),
)
"""Kinds in the order of search; a text that one kind took is not seen by the next."""

_QUOTED = re.compile(
    r'"([^"\n]{1,300})"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«\s?([^»\n]{1,300}?)\s?»|「([^」\n]{1,300})」|‘([^’\n]{1,300})’'
    r"|`([^`\n]{1,300})`|(?<![\w])'([^'\n]{1,300})'(?![\w])"
)
_EXPRESSION = re.compile(
    r"(?<![\w.])\(?-?\d{1,15}(?:\.\d{1,9})?\)?(?:\s?[-+*/×÷^%]\s?\(?-?\d{1,15}(?:\.\d{1,9})?\)?){1,20}"
)
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])-?\d{1,15}(?:\.\d{1,9})?")
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ][\w’'-]{1,30}(?: [A-ZÀ-ÖØ-Þ][\w’'-]{1,30}){0,2}")
_START = re.compile(r"(?:^|[.!?:。！？：\n]\s*)$")
_DIGIT = re.compile(r"\d")
_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|heute|morgen|gestern|aujourd[’']hui|demain|hier|hoy|mañana"
    r"|ayer|сегодня|завтра|вчера)\b|今天|明天|后天|後天|昨天|今晚|今日|明日|昨日",
    re.IGNORECASE,
)

_CODE = re.compile(r"#\d{2,12}\b|\b[A-Z]{1,5}-?\d{2,12}\b")
_CURRENCY = re.compile(
    r"\b(?:USD|EUR|GBP|JPY|CNY|CHF|CAD|AUD|INR|RUB|TRY|SEK|NOK|PLN|BRL|MXN|KRW)\b"
)
_TICKER = re.compile(
    r"\b(?!USD|EUR|GBP|JPY|CNY|JSON|HTML|SQL|API|URL|CSV|PDF|ID\b)[A-Z]{2,5}\b(?!-?\d)"
)
_COMMAND = re.compile(
    r"\b(?:git|npm|pip|pytest|make|docker|ls|cargo|go test|python3?|node|kubectl|curl)"
    r"(?: [\w./:=-]{1,40}){0,5}"
)

_LOOSE = (
    ("expression", _EXPRESSION), ("number", _NUMBER), ("day", _DAY), ("code", _CODE),
    ("currency", _CURRENCY), ("ticker", _TICKER),
)  # fmt: skip
"""Kinds that may overlap."""

_EXACT = frozenset(("code", "currency", "ticker"))


class Hints:
    """What a text offers for filling values in; each mention is handed out once.

    `text` is the (shortened) text, in the language `heard`; `keywords` are its keywords in order.
    Texts that are made up are in `language`.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        names: Names,
        keywords: tuple[str, ...] = (),
        *,
        heard: Language | None = None,
        found: Mapping[str, list[str]] | None = None,
    ) -> None:
        self.text = text
        self.folded = text.casefold()
        self.language = language
        self.heard = heard or language
        self.names = names
        self.keywords = keywords
        self._left = None if found is None else {kind: list(each) for kind, each in found.items()}
        self._next_keyword = 0

    @property
    def _found(self) -> dict[str, list[str]]:
        """What is left; the text is only searched when a mention is wanted."""
        if self._left is None:
            self._left = mentioned(self.text, self.heard)
        return self._left

    def copy(self) -> Hints:
        """Return hints that have what is left of these."""
        return self._with(self._found)

    def unmentioned(self) -> Hints:
        """Return hints without any mentions, so that values are drawn."""
        return self._with({})

    def _with(self, found: Mapping[str, list[str]]) -> Hints:
        return Hints(
            self.text, self.language, self.names, self.keywords, heard=self.heard, found=found
        )

    def telling(self) -> list[str]:
        """Return what is quoted and the words with a digit: codes, numbers, names of things."""
        words = (word.strip(".,;:!?()\"'“”") for word in self.text.split()[:400])
        return [*self.all("quoted"), *(word for word in words if _DIGIT.search(word))]

    def all(self, kind: str) -> list[str]:
        """Return what is left of one kind: `place`, `number`, `quoted`, `url` and so on."""
        return self._found.get(kind, [])

    def take(self, kind: str) -> str | None:
        """Hand out the next mention of a kind."""
        left = self._found.get(kind)
        return left.pop(0) if left else None

    def prefer(self, kind: str, value: str) -> None:
        """Make one mention the next of its kind, and the only one."""
        self._found[kind] = [value]

    def keyword(self) -> str:
        """Return the next keyword, over and over; a drawn word if there is none."""
        if not self.keywords:
            return self.names.word()
        word = self.keywords[self._next_keyword % len(self.keywords)]
        self._next_keyword += 1
        return word

    def query(self) -> str:
        """Return what one would type into a search box."""
        quoted = self.take("quoted")
        if quoted is not None:
            return quoted
        gap = " " if self.heard.breaks is None else ""
        told = [word for word in self.keywords if word.lower() not in self.heard.not_places]
        return gap.join(told[:6]) or self.text.strip()[:60] or self.names.word()


def first_sentence(text: str, language: Language) -> str:
    """Return a text's first sentence without what ends it."""
    ends = re.escape(language.ends)
    pattern = re.compile(rf"[{ends}](?=[ \n]|$)|[。！？]|\n")
    return next((part.strip() for part in pattern.split(text[:2_000]) if part.strip()), "")


def mentioned(text: str, language: Language) -> dict[str, list[str]]:
    """Find the values that a text mentions, by kind, in order and without repeats."""
    found: dict[str, list[str]] = {}
    for match in _QUOTED.finditer(text):
        _note(found, "quoted", next(group for group in match.groups() if group is not None))
    rest = text
    for kind, pattern in _KINDS:
        hits = [match.group().rstrip(".,;:!?") for match in pattern.finditer(rest)]
        if hits:
            for hit in hits:
                _note(found, kind, hit)
            rest = pattern.sub(" ", rest)
    for kind, pattern in _LOOSE:
        for match in pattern.finditer(rest):
            value = match.group().strip()
            _note(found, kind, value if kind in _EXACT else value.lower())
    _note_commands(found, text)
    _note_number_words(found, rest, language)
    for place in _places(rest, language):
        _note(found, "person" if _is_person(place, language) else "place", place)
    return found


def _note_commands(found: dict[str, list[str]], text: str) -> None:
    """Note commands of a shell that have at least one argument."""
    for match in _COMMAND.finditer(text):
        if " " in match.group():
            _note(found, "command", match.group())


def _note_number_words(found: dict[str, list[str]], text: str, language: Language) -> None:
    for word in re.findall(r"[^\W\d_]{2,9}", text[:4_000].lower()):
        number = language.numbers.get(word)
        if number is not None and number > 1:
            _note(found, "number", str(number))


def _is_person(name: str, language: Language) -> bool:
    """Tell whether a name has two words and is no known place."""
    return (
        name.count(" ") == 1
        and name not in language.places
        and name.partition(" ")[0] not in _PARTS_OF_PLACES
    )


_PARTS_OF_PLACES = vocabulary(
    "New San Los Las Santa Saint St El La Le Port Cape North South East West Great Fort Mount Lake "
    "Rio Buenos Kuala Hong Abu Tel Addis Mexico Ho Salt Kansas Costa Bad Baden Den"
)
"""What the names of places with two words often begin with."""


def _note(found: dict[str, list[str]], kind: str, value: str) -> None:
    known = found.setdefault(kind, [])
    if value not in known and len(known) < 40:
        known.append(value)


def _places(text: str, language: Language) -> Iterator[str]:
    """Yield what may be a place, in order; words that may only start a sentence come last."""
    sure = [(at, place) for place in language.places if (at := text.find(place)) >= 0]
    known = {place for _, place in sure}
    for place in language.places if language.inflected else ():
        at = -1 if place in known or len(place) < 5 else text.find(place[:-1])
        if at >= 0:
            sure.append((at, place))
            known |= {place, *re.findall(rf"{place[:-1]}\w{{0,3}}", text)}
    late: list[str] = []
    for match in (*language.place.finditer(text), *_CAPITAL.finditer(text)):
        words = next(iter(match.groups()), match.group())
        start = match.start(match.lastindex or 0)
        if _START.search(text[max(0, start - 4) : start]):
            late += _proper(words, language)
        else:
            sure += [(start, name) for name in _proper(words, language) if name not in known]
    for _, place in sorted(sure):
        yield place
    yield from (place for place in late if place not in known)


def _proper(words: str, language: Language) -> Iterator[str]:
    """Yield the words without what is certainly no place's name."""
    kept = words.split(" ")
    while kept and _common(kept[0], language):
        kept.pop(0)
    while kept and _common(kept[-1], language):
        kept.pop()
    if kept:
        name = " ".join(kept).removesuffix("'s").removesuffix("’s").rstrip("'’-")
        if len(name) > 1:
            yield name


def _common(word: str, language: Language) -> bool:
    folded = word.lower().removesuffix("'s").removesuffix("’s")
    return folded in language.not_places or folded in language.stop
