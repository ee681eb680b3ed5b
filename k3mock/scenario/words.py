"""Turns a number of tokens into made-up words of exactly that many; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

_COMMON = """
time year people way day man thing world life hand part child eye place work week case point
company number group problem fact water room mother area money story month lot right study book
job word business issue side kind head house service friend father power hour game line end
member law car city name team minute idea body back parent face level door health person art war
history party result change morning reason research girl guy moment air teacher force
"""
_WORDS = tuple(_COMMON.split())
_SENTENCE = (6, 14)
_ROUNDS = 40


def words(tokens: int, counter: TokenCounter, chance: Chance) -> str:
    """Return a text that the counter counts as exactly `tokens`.

    Words are drawn until the text is long enough; what is too long is mended from its end.
    """
    text = ""
    for _ in range(_ROUNDS):
        missing = tokens - counter.count(text)
        if missing == 0:
            return text
        text = text + _more(missing, counter, chance, first=not text) if missing > 0 else (
            _shortened(text, -missing)
        )  # fmt: skip
    return _plain(tokens, counter)


def _more(tokens: int, counter: TokenCounter, chance: Chance, *, first: bool) -> str:
    """Return words that are worth up to `tokens` when each is counted alone."""
    pieces: list[str] = []
    left = tokens
    in_sentence = 0
    length = chance.randint(*_SENTENCE)
    while left > 0:
        word = chance.choice(_WORDS)
        if not in_sentence:
            word = word.capitalize()
        piece = word if first and not pieces else f" {word}"
        cost = counter.count(piece)
        if cost > left:
            piece, cost = ".", counter.count(".")
            if cost > left:
                break
        pieces.append(piece)
        left -= cost
        in_sentence += 1
        if in_sentence >= length and left > 1:
            pieces.append(".")
            left -= counter.count(".")
            in_sentence, length = 0, chance.randint(*_SENTENCE)
    return "".join(pieces)


def _shortened(text: str, surplus: int) -> str:
    """Take words away from the end, at least one."""
    kept = text.split(" ")
    return " ".join(kept[: -min(len(kept), max(1, surplus))])


def _plain(tokens: int, counter: TokenCounter) -> str:
    """Return one letter over and over, as often as it takes."""
    text = ""
    while (count := counter.count(text)) < tokens:
        text += " a" * max(1, (tokens - count) // 2)
    return text
