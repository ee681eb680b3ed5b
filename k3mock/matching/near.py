"""Turns the patterns that did not match into the few that nearly did; matching layer."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.matching.pattern import Pattern, Verdict
    from k3mock.matching.view import View

SHOWN = 3


def nearest_patterns(
    labelled: Iterable[tuple[str, Pattern]], view: View
) -> tuple[tuple[str, Verdict], ...]:
    """Return the patterns of which most held, best first.

    Those of which nothing held are told only where nothing held of any, in their own order: then
    they say what would have been looked for.
    """
    judged = ((label, pattern.verdict(view)) for label, pattern in labelled)
    failed = [(label, verdict) for label, verdict in judged if not verdict.matched]
    near = [each for each in failed if each[1].held] or failed
    return tuple(heapq.nlargest(SHOWN, near, key=lambda each: _rank(each[1])))


def _rank(verdict: Verdict) -> tuple[float, int]:
    return verdict.held / verdict.parts, verdict.held


def told(near: Iterable[tuple[str, Verdict]]) -> str:
    """Return the candidates as one line."""
    return "; ".join(
        f"({number}) {label}, {verdict.held} of {verdict.parts} parts hold; {verdict.difference}"
        for number, (label, verdict) in enumerate(near, 1)
    )
