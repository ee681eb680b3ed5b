"""Turns text into token counts and ids, exactly and safely; text layer."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.text.vocabulary import Vocabulary

PIECE_CHARS = 400_000
"""Texts are encoded in pieces of this many characters, as the model's tokenizer does."""

RUN_CHARS = 25_000
"""No piece has more than this many whitespace or non-whitespace characters in a row. The cut
changes counts (30,000 spaces and `end` are 121 tokens), and keeps tiktoken from panicking."""

_LONG_RUN = re.compile(rf"(?<!\S)\S{{{RUN_CHARS + 1},}}|(?<!\s)\s{{{RUN_CHARS + 1},}}")
_KEY_CHARS = 256
_REMEMBERED = 20_000


class TokenCounter:
    """Counts and encodes with one vocabulary; remembers what it counted.

    Safe to use from several threads: the memory is two plain dictionaries of which the older is
    dropped when the younger is full.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.token_bytes = vocabulary.engine.token_bytes
        self._young: dict[str | bytes, int] = {}
        self._old: dict[str | bytes, int] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; names of control tokens in it are ordinary text."""
        encode = self.vocabulary.engine.encode
        if len(text) <= RUN_CHARS:
            return encode(text)
        return [token for piece in cut(text) for token in encode(piece)]

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`; each text is counted once."""
        if not text:
            return 0
        key = text if len(text) <= _KEY_CHARS else _digest(text)
        known = self._young.get(key)
        if known is not None:
            return known
        known = self._old.get(key)
        if known is None:
            known = len(self.encode(text))
        if len(self._young) >= _REMEMBERED:
            self._old, self._young = self._young, {}
        self._young[key] = known
        return known


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def cut(text: str) -> Iterator[str]:
    """Cut a text where the model's tokenizer does, so that counts stay equal."""
    for start in range(0, len(text), PIECE_CHARS):
        piece = text[start : start + PIECE_CHARS]
        last = 0
        for run in _LONG_RUN.finditer(piece):
            for at in range(run.start() + RUN_CHARS, run.end(), RUN_CHARS):
                yield piece[last:at]
                last = at
        yield piece[last:]
