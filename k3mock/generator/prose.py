"""Turns a reading and a form into content: prose, lists, code, exact words; source layer."""

from __future__ import annotations

from itertools import chain, cycle, islice
from typing import TYPE_CHECKING

from k3mock.generator.assembly import LIMITS, Composer
from k3mock.generator.comparing import compared
from k3mock.generator.layouts import capitals_table, haiku, poem, table
from k3mock.generator.objects import compact, made_object
from k3mock.generator.phrases import Slots, drawn, one, upper_first
from k3mock.generator.pictures import described
from k3mock.generator.snippets import CONFIGURATION, snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.generator.asking import Ask
    from k3mock.generator.mentions import Hints
    from k3mock.generator.phrases import Phrase
    from k3mock.generator.reading import Reading
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

_LONGEST_PIECE = 8
_TOPICS = frozenset("abc")


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
        self._topics = compared(reading.text) or reading.topics
        known = dict(zip("abc", self._topics, strict=False)) | {"media": self._media}
        if "a" in known:
            known["A"] = upper_first(known["a"])
        made = {
            "person": names.person, "first": names.first, "company": names.company,
            "city": names.city,
        }  # fmt: skip
        self._slots = Slots(known, made)
        self._in_steps = False

    def written(self, ask: Ask) -> str:
        """Return content of the form that is asked for."""
        writers = {
            "literal": self._literal,
            "greeting": self._greeting,
            "json": self._json,
            "code": self._code,
            "list": self._list,
            "table": self._table,
            "haiku": self._haiku,
            "poem": self._poem,
            "story": self._story,
            "joke": self._joke,
            "mail": self._mail,
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
        return self._language.gap.join(islice(self._sentences(ask), ask.count or 1))

    def _words(self, situation: str) -> tuple[Phrase, ...]:
        return self._language.phrases[situation]

    def _situation(self, situation: str) -> tuple[Phrase, ...]:
        """Return the sentences of a situation, those without keywords if there are none."""
        return self._words(situation if "a" in self._slots else f"{situation}_plain")

    def _opening(self, ask: Ask) -> str:
        """Return the first sentence: one that answers the kind of question, if that is known."""
        kinds = [f"say_lead_{ask.question}"] if ask.question and "a" in self._slots else []
        for pool in (*map(self._words, kinds), self._situation("say_lead")):
            sentence = one(pool, self._slots, self._chance)
            if sentence:
                return sentence
        return one(self._words("say_lead_plain"), self._slots, self._chance)

    def _prose(self, ask: Ask) -> str:
        least, most = LIMITS
        chance, language = self._chance, self._language
        known = ask.form in {"fact", "sum"}
        if known:
            opening = language.facts["word"][ask.form].format(of=ask.text, it=ask.answer)
        elif self._media:
            opening = one(self._words("say_media"), self._slots, chance)
        else:
            opening = self._opening(ask)
        closed = self._words("say_known") if known else self._situation("say_close")
        if self._media:
            closed = ()
        elif ask.question != "how" and "a" in self._slots:
            closed = closed[1:]
        composer = Composer(self._counter, language.gap, (least, most))
        pool = self._words("say_look") if self._media else self._bodies(ask)
        bodies = drawn(pool, self._slots, chance)
        spare = drawn(self._words("say_known"), self._slots, chance)
        target = least if known else chance.randint(least + 15, most - 40)
        closing = one(closed, self._slots, chance)
        return composer.compose(opening, [chain(bodies, spare)], closing, target)

    def _bodies(self, ask: Ask) -> tuple[Phrase, ...]:
        """Return what goes between beginning and end: advice, or a description."""
        if "a" not in self._slots:
            return self._words("say_body_plain")
        if ask.question == "why":
            return tuple(each for each in self._words("say_body_what") if each.needs <= _TOPICS)
        return self._words("say_body" if ask.question == "how" else "say_body_what")

    def _sentences(self, ask: Ask) -> Iterator[str]:
        """Yield sentences on the topic without end; none with names, which may hold a full stop."""
        yield self._opening(ask)
        pools = (self._bodies(ask), self._words("say_body_what"))
        plain = list(
            dict.fromkeys(each for pool in pools for each in pool if each.needs <= _TOPICS)
        )
        while True:
            yield from drawn(plain, self._slots, self._chance)

    def _paragraphs(self, ask: Ask) -> str:
        sentences = self._sentences(ask)
        return "\n\n".join(
            self._language.gap.join(islice(sentences, self._chance.randint(2, 4)))
            for _ in range(ask.count or 2)
        )

    def _list(self, ask: Ask) -> str:
        count = ask.count or self._chance.randint(3, 5) + ask.numbered
        self._in_steps = ask.numbered
        items = list(islice(self._items(ask.text), count))
        marks = [f"{at}." if ask.numbered else "-" for at in range(1, count + 1)]
        lines = [f"{mark} {item}" for mark, item in zip(marks, items, strict=True)]
        if ask.count is None:
            lines.insert(0, f"{one(self._words('say_list'), self._slots, self._chance)}\n")
        return "\n".join(lines).lstrip("\n")

    def _items(self, noun: str) -> Iterator[str]:
        names = self._hints.names
        nouns = self._reading.heard.items
        kind = nouns.get(noun) or nouns.get(noun.removesuffix("s"))
        makers = {
            "person": names.person,
            "city": names.city,
            "company": names.company,
            "country": names.country,
        }
        if kind is not None and kind in self._language.things:
            things = list(self._language.things[kind])
            self._chance.shuffle(things)
            yield from things
        elif kind is not None:
            yield from _unlike(makers[kind])
        if self._in_steps:
            yield from (
                self._slots.fill(each) for each in self._words("say_step") if self._slots.fits(each)
            )
        while True:
            yield from drawn(self._situation("say_item"), self._slots, self._chance)

    def _table(self, ask: Ask) -> str:
        language, chance = self._language, self._chance
        if self._reading.heard.items.get(ask.text) == "country" or "capital" in self._hints.folded:
            return capitals_table(language, chance, ask.count)
        pair = compared(self._reading.text)
        head = one(self._words("say_table"), self._slots, chance) if not pair else ""
        body = table(language, pair or self._topics[:1], chance, rows=ask.count)
        return f"{head}\n\n{body}".lstrip()

    def _haiku(self, ask: Ask) -> str:
        del ask
        return haiku(self._language, self._topics, self._chance)

    def _poem(self, ask: Ask) -> str:
        del ask
        return poem(self._language, self._slots, self._chance)

    def _story(self, ask: Ask) -> str:
        """Return the beginning of a story, in the order in which it happens."""
        usable = [phrase for phrase in self._words("say_story") if self._slots.fits(phrase)]
        told = [self._slots.fill(phrase) for phrase in usable[: ask.count or len(usable)]]
        return self._language.gap.join(told)

    def _joke(self, ask: Ask) -> str:
        del ask
        return one(self._words("say_joke"), self._slots, self._chance)

    def _mail(self, ask: Ask) -> str:
        del ask
        pool = self._words("say_mail")
        return one(pool[:1], self._slots, self._chance) or one(pool, self._slots, self._chance)

    def _code(self, ask: Ask) -> str:
        del ask
        language, code = snippet(self._reading.text, self._reading.keywords)
        remarks = self._words("say_code")
        remark = one(
            remarks[:1] if language in CONFIGURATION else remarks, self._slots, self._chance
        )
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


def _unlike(make: Callable[[], str]) -> Iterator[str]:
    """Yield what is made without repeats, until there is hardly anything new."""
    seen: set[str] = set()
    while True:
        item = make()
        if item not in seen or len(seen) > 30:
            seen.add(item)
            yield item
