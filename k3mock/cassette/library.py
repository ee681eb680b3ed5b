"""Turns loaded recordings into queues that are served in the order of recording; source layer.

A request is looked for as it is, then without its secrets, then, unless the library is strict,
without what varies from run to run. It takes from the first of these queues that there is. What was
served is kept in the session, so that every session hears a recording from its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.cassette import cleaning
from k3mock.cassette.found import CassetteMiss, MissCode, Played, Recorded, Tier, Told, Wanted
from k3mock.cassette.key import NOTHING, Ignored, keys, path_of
from k3mock.cassette.near import Seen
from k3mock.cassette.telling import Teller
from k3mock.state import Played as Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.cassette.cleaning import Scrub
    from k3mock.cassette.interaction import Cassette, Interaction
    from k3mock.protocol.request import RawRequest
    from k3mock.state import Session

__all__ = [
    "CassetteMiss", "Library", "Manner", "MissCode", "Played", "Recorded", "Tier", "Told", "Wanted",
]  # fmt: skip

_RAW, _EXACT, _RELAXED = b"raw ", b"exact ", b"relaxed "
_TIERS = (Tier.EXACT, Tier.EXACT, Tier.RELAXED)
_NONE: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a library serves.

    Attributes:
        exhausted: what follows the last recording of a request: `error`, `repeat-last`, `cycle`.
        strict: only requests that are exactly the same match.
        ignored: what the relaxed tier leaves out beside the usual fields.
        scrub: what recorder and matcher do to a request alike; `private` is the same where the
            recording holds digests instead of texts.
        mode: the mode of recording, as a miss names it.
    """

    exhausted: str = "error"
    strict: bool = False
    ignored: Ignored = NOTHING
    scrub: Scrub = cleaning.usual
    private: Scrub = cleaning.private
    mode: str = "none"


USUAL = Manner()


class Library:
    """The recordings of one cassette, or of several together; `name` keeps their state apart."""

    def __init__(
        self, cassettes: Sequence[Cassette], manner: Manner = USUAL, *, name: str | None = None
    ) -> None:
        self.manner = manner
        self.name = name or "; ".join(str(cassette.path) for cassette in cassettes)
        self._private = any(cleaning.is_private(each.interactions) for each in cassettes)
        self._scrub = manner.private if self._private else manner.scrub
        self._raw: dict[bytes, Recorded] = {}
        self.recorded = tuple(
            self._recorded(cassette, interaction)
            for cassette in cassettes
            for interaction in in_order(cassette.interactions)
        )
        self._teller = Teller(
            self.recorded, [cassette.path.name for cassette in cassettes],
            strict=manner.strict, mode=manner.mode,
        )  # fmt: skip
        self._served: set[int] = set()
        self._queues: dict[bytes, list[int]] = {}
        for place, item in enumerate(self.recorded):
            for key in item.levels:
                self._queues.setdefault(key, []).append(place)

    def _recorded(self, cassette: Cassette, interaction: Interaction) -> Recorded:
        asked = interaction.request
        uri, clean = asked.uri, asked.body
        if self._private or not cleaning.is_clean(interaction):
            uri, clean = self._scrub(asked.uri, asked.headers, asked.body)
        path = path_of(uri)
        found = keys(asked.method, uri, clean, self.manner.ignored)
        same = clean == asked.body and uri == asked.uri
        made = Recorded(
            path=cassette.path,
            interaction=interaction,
            levels=(
                _RAW + (found if same else keys(asked.method, asked.uri, asked.body)).exact,
                _EXACT + found.exact,
                _RELAXED + found.relaxed,
            ),
            seen=Seen(method=asked.method.upper(), path=path, body=clean),
        )
        self._raw.setdefault(made.levels[0], made)
        return made

    def ask(self, raw: RawRequest) -> Wanted:
        """Work out what a request is found by: pure, and long for a long body.

        One that is just what was recorded needs no scrubbing, which takes the longest.
        """
        target = raw.target or quote(raw.path)
        sent = _RAW + keys(raw.method, target, raw.body).exact
        known = self._raw.get(sent)
        if known is not None:
            return Wanted(levels=known.levels, seen=known.seen)
        uri, clean = self._scrub(target, tuple(raw.headers.items()), raw.body)
        found = keys(raw.method, uri, clean, self.manner.ignored)
        return Wanted(
            levels=(sent, _EXACT + found.exact, _RELAXED + found.relaxed),
            seen=Seen(method=raw.method.upper(), path=path_of(uri), body=clean),
        )

    def find(self, raw: RawRequest, session: Session) -> Played | CassetteMiss:
        """Return the next recorded answer to a request, and note that it was served."""
        return self.take(self.ask(raw), session)

    def take(self, wanted: Wanted, session: Session) -> Played | CassetteMiss:
        """Return the next recorded answer, and note that it was served; nothing is waited for."""
        progress = session.played.setdefault(self.name, Progress())
        levels = wanted.levels[:-1] if self.manner.strict else wanted.levels
        place, level, queue = None, 0, _NONE
        for number, key in enumerate(levels):
            own = self._queues.get(key, _NONE)
            if own and not queue:
                level, queue = number, own
            place = self._next(key, progress)
            if place is not None:
                level = number
                progress.lent.update(self.recorded[place].levels[:number])
            # Who has recordings of its own takes others only where somebody took its own.
            if place is not None or (own and key not in progress.lent):
                break
        if place is None:
            place = self._again(queue, progress)
        if place is None:
            used = frozenset(progress.used)
            return CassetteMiss(lambda: self._teller.told(wanted, queue, session.name, used))
        progress.used.add(place)
        self._served.add(place)
        item = self.recorded[place]
        return Played(interaction=item.interaction, cassette=item.path.name, tier=_TIERS[level])

    def _next(self, key: bytes, progress: Progress) -> int | None:
        """Return the first place of a queue that was not served."""
        queue = self._queues.get(key, _NONE)
        for number in range(progress.at.get(key, 0), len(queue)):
            if queue[number] not in progress.used:
                progress.at[key] = number + 1
                return queue[number]
        return None

    def _again(self, queue: Sequence[int], progress: Progress) -> int | None:
        """Return what follows the last recording of a request."""
        if not queue or self.manner.exhausted == "error":
            return None
        if self.manner.exhausted == "repeat-last":
            return queue[-1]
        progress.used.difference_update(queue)
        for key in (key for place in queue for key in self.recorded[place].levels):
            progress.at.pop(key, None)
            progress.lent.discard(key)
        return queue[0]

    def unused(self, session: Session) -> tuple[Recorded, ...]:
        """Return the recordings that a session did not ask for."""
        progress = session.played.get(self.name)
        used = progress.used if progress is not None else ()
        return tuple(item for place, item in enumerate(self.recorded) if place not in used)

    @property
    def served(self) -> tuple[Recorded, ...]:
        """The recordings that any session was given."""
        return tuple(self.recorded[place] for place in sorted(self._served))


def in_order(interactions: Sequence[Interaction]) -> list[Interaction]:
    """Return recordings as their requests arrived; those without a number stay where they are."""
    ranked: list[tuple[int, int, Interaction]] = []
    seq = 0
    for position, interaction in enumerate(interactions):
        if interaction.timing is not None:
            seq = interaction.timing.seq
        ranked.append((seq, position, interaction))
    return [interaction for _, _, interaction in sorted(ranked, key=lambda each: each[:2])]
