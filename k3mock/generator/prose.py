"""Turns a reading and a form into content: prose, lists, code, exact words; source layer."""

from __future__ import annotations

from itertools import chain, cycle, islice
from typing import TYPE_CHECKING

from k3mock.generator.assembly import Composer
from k3mock.generator.objects import compact, made_object
from k3mock.generator.phrases import Slots, drawn, one, upper_first
from k3mock.generator.snippets import snippet
from k3mock.text.media import image_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.generator.asking import Ask
    from k3mock.generator.language import Language
    from k3mock.generator.mentions import Hints
    from k3mock.generator.phrases import Phrase
    from k3mock.generator.reading import Reading
    from k3mock.protocol.request import MediaPart
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

LIMITS = (20, 150)
"""Least and most tokens of content whose length the request does not give."""

_SIZED = 4
_LONGEST_PIECE = 8


class Writer:
    """Writes the content of one answer."""

    def __init__(
        self, reading: Reading, hints: Hints, *, chance: Chance, counter: TokenCounter
    ) -> None:
        self._reading = reading
        self._language = reading.language
        self._hints = hints
        self._chance = chance
        self._counter = counter
        self._media = described(reading.media, reading.language)
        names = hints.names
        known = dict(zip("abc", reading.topics, strict=False)) | {"media": self._media}
        made = {
            "person": names.person, "first": names.first, "company": names.company,
            "city": names.city,
        }  # fmt: skip
        self._slots = Slots(known, made)

    def written(self, ask: Ask) -> str:
        """Return content of the form that is asked for."""
        writers = {
            "literal": self._literal,
            "greeting": self._greeting,
            "json": self._json,
            "code": self._code,
            "list": self._list,
            "words": self._exactly,
            "sentences": self._some_sentences,
            "paragraphs": self._paragraphs,
        }
        return writers.get(ask.form, self._prose)(ask)

    def _literal(self, ask: Ask) -> str:
        return self._chance.choice(ask.answer.split("|")) if ask.answer else ask.text

    def _greeting(self, ask: Ask) -> str:
        del ask
        return one(self._words("say_greeting"), self._slots, self._chance)

    def _json(self, ask: Ask) -> str:
        del ask
        return compact(made_object(self._reading, self._chance, self._hints))

    def _some_sentences(self, ask: Ask) -> str:
        return self._language.gap.join(islice(self._sentences(), ask.count or 1))

    def _words(self, situation: str) -> tuple[Phrase, ...]:
        return self._language.phrases[situation]

    def _situation(self, situation: str) -> tuple[Phrase, ...]:
        """Return the sentences of a situation, those without keywords if there are none."""
        return self._words(situation if "a" in self._slots else f"{situation}_plain")

    def _prose(self, ask: Ask) -> str:
        least, most = LIMITS
        chance, language = self._chance, self._language
        known = ask.form in {"fact", "sum"}
        if known:
            opening = language.facts["word"][ask.form].format(of=ask.text, it=ask.answer)
        elif self._media:
            opening = one(self._words("say_media"), self._slots, chance)
        else:
            opening = one(self._situation("say_lead"), self._slots, chance)
        closed = self._words("say_known") if known else self._situation("say_close")
        composer = Composer(self._counter, language.gap, (least, most))
        bodies = drawn(self._situation("say_body"), self._slots, chance)
        spare = drawn(self._words("say_body_plain"), self._slots, chance)
        target = least if known else chance.randint(least + 15, most - 40)
        closing = one(closed, self._slots, chance)
        return composer.compose(opening, [chain(bodies, spare)], closing, target)

    def _sentences(self) -> Iterator[str]:
        """Yield sentences on the topic without end."""
        yield one(self._situation("say_lead"), self._slots, self._chance)
        while True:
            yield from drawn(self._situation("say_body"), self._slots, self._chance)

    def _paragraphs(self, ask: Ask) -> str:
        sentences = self._sentences()
        return "\n\n".join(
            self._language.gap.join(islice(sentences, self._chance.randint(2, 4)))
            for _ in range(ask.count or 2)
        )

    def _list(self, ask: Ask) -> str:
        count = ask.count or self._chance.randint(3, 5)
        numbered = ask.text in {"steps", "步骤", "numbered list", "step-by-step", "step by step"}
        items = list(islice(self._items(ask.text), count))
        marks = [f"{at}." if numbered else "-" for at in range(1, count + 1)]
        lines = [f"{mark} {item}" for mark, item in zip(marks, items, strict=True)]
        if ask.count is None:
            lines.insert(0, one(self._words("say_list"), self._slots, self._chance) or "\n")
        return "\n".join(lines).lstrip("\n")

    def _items(self, noun: str) -> Iterator[str]:
        names = self._hints.names
        kind = self._language.items.get(noun) or self._language.items.get(noun.removesuffix("s"))
        makers = {
            "person": names.person,
            "city": names.city,
            "company": names.company,
            "country": names.country,
        }
        if kind is not None:
            make = makers[kind]
            seen: set[str] = set()
            while True:
                item = make()
                if item not in seen or len(seen) > 30:
                    seen.add(item)
                    yield item
        while True:
            yield from drawn(self._situation("say_item"), self._slots, self._chance)

    def _code(self, ask: Ask) -> str:
        del ask
        language, code = snippet(self._reading.text, self._reading.keywords)
        remark = one(self._words("say_code"), self._slots, self._chance)
        return f"```{language}\n{code}\n```\n\n{remark}"

    def _exactly(self, ask: Ask) -> str:
        """Return a text of exactly so many words (letters, in scripts without spaces)."""
        count = ask.count or 1
        exact = self._language.exact
        spaced = self._language.breaks is None
        topics = cycle([word for word in self._reading.keywords if " " not in word] or [""])
        if count == 1 and spaced and "a" in self._slots:
            return upper_first(next(topics))
        pieces: list[str] = []
        left = count
        while left > 0:
            size = min(left, self._chance.randint(5, _LONGEST_PIECE))
            if 0 < left - size < 3:
                size = left if left <= _LONGEST_PIECE else size - 3
            topic = next(topics) or self._language.facts["word"]["one" if count == 1 else "topic"]
            slots = Slots({"one": topic}, {})
            pieces.append(one(exact[size], slots, self._chance))
            left -= size
        text = self._language.gap.join(pieces)
        return text if count > 1 else text.rstrip(self._language.ends)


def described(media: tuple[MediaPart, ...], language: Language) -> str:
    """Say how many images and videos there are, and the size of the images where it is known."""
    words = language.facts["word"]
    said: list[str] = []
    for kind in dict.fromkeys(part.kind for part in media):
        parts = [part for part in media if part.kind == kind]
        noun = kind if kind in words else "image"
        what = words[noun] if len(parts) == 1 else words[f"{noun}s"].format(n=len(parts))
        sizes = [image_size(part.url) for part in parts[:_SIZED]] if noun == "image" else []
        shown = [f"{size[0]}x{size[1]}" for size in sizes if size is not None]
        if shown:
            what = words["sized"].format(what=what, sizes=", ".join(shown))
        said.append(what)
    return language.listed(said)
