"""Turns topics into a markdown table or into verse; source layer."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from k3mock.generator.phrases import Slots, one, upper_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.generator.language import Language
    from k3mock.seed import Chance

_VOWELS = re.compile(r"[aeiouyäöüáàâéèêëíîïóôúûœаеёиоуыэюя]+", re.IGNORECASE)
_MOST_ROWS = 20


def table(
    language: Language, columns: Sequence[str], chance: Chance, *, rows: int | None = None
) -> str:
    """Return a table of aspects, with a column for each thing; a single remark if there is none."""
    words = language.facts["word"]
    count = min(rows or 4, _MOST_ROWS)
    lines = [[words["aspect"], *(columns or (words["note"],))]]
    drawn = chance.sample(language.aspects, min(count, len(language.aspects)))
    for at in range(count):
        name, cells = drawn[at % len(drawn)]
        first = chance.randrange(len(cells))
        filled = [cells[(first + nth) % len(cells)] for nth in range(len(lines[0]) - 1)]
        lines.append([name if at < len(drawn) else f"{name} {at // len(drawn) + 1}", *filled])
    return _markdown(lines)


def capitals_table(language: Language, chance: Chance, rows: int | None) -> str:
    """Return a table of countries and their capitals."""
    words, known = language.facts["word"], language.facts["capital"]
    drawn = chance.sample(sorted(known), min(rows or 4, len(known)))
    cells = [[upper_first(country), known[country]] for country in drawn]
    return _markdown([[words["country"], words["capital_of"]], *cells])


def _markdown(lines: list[list[str]]) -> str:
    head, *body = [[cell.replace("|", "/") for cell in line] for line in lines]
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def haiku(language: Language, topics: Sequence[str], chance: Chance) -> str:
    """Return three lines, the first one with a topic if it is short enough."""
    size = 0
    topic = ""
    for candidate in topics:
        beats = _beats(candidate, language)
        if 1 <= beats <= 4:
            topic, size = candidate, beats
            break
    slots = Slots({"a": topic}, {})
    lines = (one(language.haiku[each], slots, chance, capital=each != 7) for each in (size, 7, 5))
    return "\n".join(lines)


def _beats(word: str, language: Language) -> int:
    """Return the syllables of a word, roughly; the letters in a script without spaces."""
    if language.breaks is not None:
        return len(word)
    silent = language.code == "en" and word.endswith("e") and not word.endswith("le")
    return max(1, len(_VOWELS.findall(word)) - (1 if silent else 0))


def poem(language: Language, slots: Slots, chance: Chance) -> str:
    """Return four or six lines; they rhyme in pairs, so their order stays."""
    pool = language.phrases["say_poem"]
    pairs = [pool[at : at + 2] for at in range(0, len(pool), 2)]
    usable = [pair for pair in pairs if all(slots.fits(line) for line in pair)]
    chosen = list(islice(usable, chance.choice((2, 3))))
    lines = [slots.fill(line, capital=True) for pair in chosen for line in pair]
    return "\n".join(lines)
