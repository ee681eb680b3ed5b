"""Turns a body that may hold secrets into one that holds none; matching layer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from k3mock.redact import REDACTED
from k3mock.redaction.draft import Edit, apply
from k3mock.redaction.events import documents, is_json
from k3mock.redaction.find import find
from k3mock.redaction.leaves import leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.redaction.draft import Draft
    from k3mock.redaction.events import Document
    from k3mock.redaction.find import Hit

ROUNDS = 12
"""What was taken out may bare what stood beside it: the search goes on until nothing is found."""

PATIENT_ROUNDS = 3
"""After these, all that is glued to a secret goes with it: many in a row take no longer then."""

_GLUED = re.compile(r'(?:[^\s"\\]|\\[^\s"])*+')

Span = tuple[int, int]


def hide(draft: Draft, known: tuple[str, ...]) -> None:
    """Take the secrets out of a body; JSON stays JSON."""
    for number in range(ROUNDS):
        hits = find(draft.text, known)
        edits = _edits(draft.text, _merged(draft.text, hits, number)) if hits else []
        if not edits:
            return
        draft.apply(edits, {hit.rule for hit in hits})


def hidden(text: str, known: tuple[str, ...]) -> str:
    """Return a text without secrets."""
    for number in range(ROUNDS):
        hits = find(text, known)
        if not hits:
            break
        text = apply(text, [Edit(*span, REDACTED) for span in _merged(text, hits, number)])
    return text


def _merged(text: str, hits: Iterable[Hit], number: int) -> list[Span]:
    """Return the spans to take out in a round, in order and apart."""
    spans: list[Span] = []
    for start, end, _ in sorted(hits):
        glued = _GLUED.match(text, end) if number >= PATIENT_ROUNDS else None
        stop = glued.end() if glued else end
        if spans and start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], stop)
        else:
            spans.append((start, stop))
    return spans


def _edits(text: str, spans: list[Span]) -> list[Edit]:
    """Return edits that take spans out of a body but leave the structure of its JSON alone."""
    edits: list[Edit] = []
    at = 0
    for document in documents(text):
        if not is_json(document.text):
            continue
        edits += _plain(spans, at, document.start)
        touched = [span for span in spans if _overlap(span, (document.start, document.end))]
        if touched:
            edits += _inside(text, document, touched)
        at = document.end
    return [*edits, *_plain(spans, at, len(text))]


def _plain(spans: list[Span], start: int, end: int) -> Iterator[Edit]:
    for span in spans:
        if _overlap(span, (start, end)):
            yield Edit(max(span[0], start), min(span[1], end), REDACTED)


def _inside(text: str, document: Document, spans: list[Span]) -> Iterator[Edit]:
    starts = [start for start, _ in spans]
    ends = [end for _, end in spans]
    for leaf in leaves(text, document.start, document.end):
        touched = spans[bisect_right(ends, leaf.start) : bisect_left(starts, leaf.end)]
        if touched and leaf.string:
            yield from _plain(touched, leaf.start, leaf.end)
        elif touched:
            yield Edit(leaf.start, leaf.end, f'"{REDACTED}"')


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
