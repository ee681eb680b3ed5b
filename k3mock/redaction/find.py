"""Turns text into the places of secrets in it, however they are encoded; matching layer.

Scrubbing and scanning use the same search: what the one finds, the other takes out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from k3mock.redact import REDACTED, secret_spans
from k3mock.redaction import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIN_KNOWN = 8
"""Shorter values are too common to be looked for: a key of `test` would hide every test."""

MAX_DEPTH = 8
"""Encodings inside each other that are undone."""

MAX_EFFORT = 64_000_000
EFFORT_PER_CHARACTER = 24
"""Characters that one search looks through, over all encodings: a share for everybody and more for
long texts. What is beyond counts as a leak."""

UNREADABLE = "unreadable"

QUOTED = quote(REDACTED)
"""The placeholder in an address."""

PLACEHOLDER = re.compile(rf"{re.escape(REDACTED)}|{QUOTED}|\[text:[0-9a-f]{{12}}\]")


class Hit(NamedTuple):
    """Where a secret is in a text, in its own encoding, and the rule that knows it."""

    start: int
    end: int
    rule: str


def usable(known: Iterable[str]) -> tuple[str, ...]:
    """Return the known secrets that are long enough to be looked for, the longest first.

    Secrets beyond ASCII are looked for in their escaped and quoted forms as well.
    """
    values = {value for value in known if len(value) >= MIN_KNOWN}
    for value in [value for value in values if not value.isascii()]:
        escaped = json.dumps(value)[1:-1]
        values |= {escaped, _CODE.sub(_in_capitals, escaped), quote(value, errors="replace")}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


_CODE = re.compile(r"\\u[0-9a-f]{4}")


def _in_capitals(found: re.Match[str]) -> str:
    return "\\u" + found[0][2:].upper()


def find(text: str, known: tuple[str, ...]) -> list[Hit]:
    """Return the secrets of a text: plain, escaped, percent-encoded, in base64, compressed.

    `known` has been through `usable`. Placeholders are no secrets, whatever stands in them.
    """
    budget = MAX_EFFORT + EFFORT_PER_CHARACTER * len(text)
    return _Search(known, budget).find(text, MAX_DEPTH)


class _Search:
    """One search with its budget."""

    def __init__(self, known: tuple[str, ...], budget: int) -> None:
        self._known = known
        self._left = budget

    def find(self, text: str, depth: int) -> list[Hit]:
        self._left -= len(text)
        if self._left < 0:
            return [Hit(0, len(text), UNREADABLE)]
        hits = self._direct(text)
        if depth == 0 or len(text) < MIN_KNOWN:
            return hits
        plain = unpack.unescaped(text)
        if plain is not None:
            # Escapes first: what is packed or quoted is looked for behind them alone.
            hits = [Hit(*plain.whole(hit.start, hit.end), hit.rule) for hit in hits]
            return hits + self._behind(plain, depth)
        plain = unpack.unquoted(text)
        if plain is not None:
            hits += self._behind(plain, depth)
        return hits + list(self._packed(text, depth))

    def _direct(self, text: str) -> list[Hit]:
        hits = [Hit(*span) for span in secret_spans(text)]
        for value in self._known:
            at = text.find(value)
            while at >= 0:
                hits.append(Hit(at, at + len(value), "known"))
                at = text.find(value, at + len(value))
        return _outside_placeholders(text, hits) if hits else hits

    def _behind(self, plain: unpack.Plain, depth: int) -> list[Hit]:
        return [
            Hit(*plain.source(hit.start, hit.end), hit.rule)
            for hit in self.find(plain.text, depth - 1)
        ]

    def _packed(self, text: str, depth: int) -> Iterator[Hit]:
        for run in unpack.packed_runs(text):
            rules = {
                rule for data in unpack.unpacked(run[0]) for rule in self.rules(data, depth - 1)
            }
            for rule in sorted(rules):
                yield Hit(run.start(), run.end(), rule)

    def rules(self, data: bytes, depth: int) -> set[str]:
        """Return the rules that find something in unpacked bytes."""
        if len(data) > unpack.MAX_INFLATED:
            return {UNREADABLE}
        text = data.decode("latin-1")
        hits = self.find(text, depth) if unpack.readable(data) else self._direct(text)
        return {hit.rule for hit in hits}


def _outside_placeholders(text: str, hits: list[Hit]) -> list[Hit]:
    kept = [found.span() for found in PLACEHOLDER.finditer(text)]
    return [
        hit for hit in hits if not any(hit.start < end and start < hit.end for start, end in kept)
    ]
