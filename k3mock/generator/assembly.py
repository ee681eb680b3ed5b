"""Turns sentences into a text of a wanted number of tokens; source layer."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.text.counter import TokenCounter


LIMITS = (20, 150)
"""Least and most tokens of content whose length the request does not give."""


def clip(text: str, tokens: int, counter: TokenCounter, *, mark: str = "…") -> str:
    """Return the text, or its longest handy beginning of at most `tokens` tokens."""
    text = text[: tokens * 12]
    if counter.count(text) <= tokens:
        return text
    while text:
        over = counter.count(text + mark)
        if over <= tokens:
            return text + mark
        keep = min(len(text) - 1, int(len(text) * tokens / over))
        space = text.rfind(" ", keep * 2 // 3, keep)
        text = text[: space if space > 0 else keep].rstrip()
    return ""


class Composer:
    """Puts sentences together stage by stage until a number of tokens is reached.

    `limits` are the least and the most tokens; `gap` stands between sentences.
    """

    def __init__(self, counter: TokenCounter, gap: str, limits: tuple[int, int]) -> None:
        self._counter = counter
        self._gap = gap
        self.least, self.most = limits

    def compose(self, opening: str, stages: list[Iterable[str]], closing: str, target: int) -> str:
        """Return a text near `target` tokens, always within the limits.

        Stages give their sentences in turn, and stand in the text in their own order. The
        opening and the closing stay, unless they alone are too long.
        """
        parts: list[list[str]] = [[] for _ in stages]
        used = self._cost(opening) + self._cost(closing)
        wanted = min(max(target, self.least), self.most)
        for row in zip_longest(*stages):
            for stage, sentence in zip(parts, row, strict=True):
                if sentence is None or used >= wanted:
                    continue
                cost = self._cost(sentence)
                if used + cost <= self.most - 2:
                    stage.append(sentence)
                    used += cost
            if used >= wanted:
                break
        return self._within([opening, *(text for stage in parts for text in stage), closing])

    def _cost(self, sentence: str) -> int:
        return self._counter.count(self._gap + sentence) if sentence else 0

    def _within(self, sentences: list[str]) -> str:
        """Drop sentences before the last while there are too many tokens."""
        sentences = [sentence for sentence in sentences if sentence]
        while True:
            text = self._gap.join(sentences)
            if self._counter.count(text) <= self.most:
                return text
            if len(sentences) < 3:
                return clip(text, self.most, self._counter, mark="")
            del sentences[-2]
