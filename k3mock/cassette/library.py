"""Turns loaded recordings into queues that are served in the order of recording; source layer.

A request takes from the queue of its exact key. Where no recording has that key, it takes from the
queue of its relaxed key, unless the library is strict. What was served is kept in the session, so
that every session hears a recording from its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from k3mock.cassette.found import CassetteMiss, MissCode, Played, Recorded, Tier, Told, Wanted
from k3mock.cassette.key import NOTHING, Ignored, keys, path_of
from k3mock.cassette.near import Seen
from k3mock.cassette.telling import Teller
from k3mock.state import Played as Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from k3mock.cassette.interaction import Cassette, Interaction, Pairs
    from k3mock.protocol.request import RawRequest
    from k3mock.state import Session

__all__ = [
    "CassetteMiss", "Library", "Manner", "MissCode", "Played", "Recorded", "Tier", "Told", "Wanted",
]  # fmt: skip

_RELAXED = b"relaxed "

Scrub: TypeAlias = "Callable[[str, Pairs, bytes], bytes]"
"""Takes secrets out of a body; gets the URI and the headers that it came with."""


def as_it_is(_uri: str, _headers: Pairs, body: bytes) -> bytes:
    """Take nothing out."""
    return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a library serves.

    Attributes:
        exhausted: what follows the last recording of a request: `error`, `repeat-last`, `cycle`.
        strict: only requests that are exactly the same match.
        ignored: what the relaxed tier leaves out beside the usual fields.
        scrub: what recorder and matcher do to a body alike.
        mode: the mode of recording, as a miss names it.
    """

    exhausted: str = "error"
    strict: bool = False
    ignored: Ignored = NOTHING
    scrub: Scrub = as_it_is
    mode: str = "none"


USUAL = Manner()


class Library:
    """The recordings of one cassette, or of several together; `name` keeps their state apart."""

    def __init__(
        self, cassettes: Sequence[Cassette], manner: Manner = USUAL, *, name: str | None = None
    ) -> None:
        self.manner = manner
        self.name = name or "; ".join(str(cassette.path) for cassette in cassettes)
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
            self._queues.setdefault(item.keys.exact, []).append(place)
            self._queues.setdefault(_RELAXED + item.keys.relaxed, []).append(place)

    def _recorded(self, cassette: Cassette, interaction: Interaction) -> Recorded:
        asked = interaction.request
        wanted = self._wanted(asked.method, path_of(asked.uri), asked.headers, asked.body)
        return Recorded(
            path=cassette.path, interaction=interaction, keys=wanted.keys, seen=wanted.seen
        )

    def ask(self, raw: RawRequest) -> Wanted:
        """Work out what a request is found by: pure, and long for a long body."""
        return self._wanted(raw.method, raw.path, tuple(raw.headers.items()), raw.body)

    def _wanted(self, method: str, path: str, headers: Pairs, body: bytes) -> Wanted:
        clean = self.manner.scrub(path, headers, body)
        return Wanted(
            keys=keys(method, path, clean, self.manner.ignored),
            seen=Seen(method=method.upper(), path=path, body=clean),
        )

    def find(self, raw: RawRequest, session: Session) -> Played | CassetteMiss:
        """Return the next recorded answer to a request, and note that it was served."""
        return self.take(self.ask(raw), session)

    def take(self, wanted: Wanted, session: Session) -> Played | CassetteMiss:
        """Return the next recorded answer, and note that it was served; nothing is waited for."""
        progress = session.played.setdefault(self.name, Progress())
        exact, relaxed = wanted.keys.exact, _RELAXED + wanted.keys.relaxed
        queue = self._queues.get(exact, ())
        nearly = () if self.manner.strict else self._queues.get(relaxed, ())
        place, tier = self._next(exact, progress), Tier.EXACT
        if place is None and nearly and (not queue or exact in progress.lent):
            place, tier = self._next(relaxed, progress), Tier.RELAXED
            if place is not None:
                progress.lent.add(self.recorded[place].keys.exact)
        if place is None:
            tier = Tier.EXACT if queue else Tier.RELAXED
            place = self._again(queue or nearly, progress)
        if place is None:
            used = frozenset(progress.used)
            return CassetteMiss(
                lambda: self._teller.told(wanted, queue or nearly, session.name, used)
            )
        progress.used.add(place)
        self._served.add(place)
        item = self.recorded[place]
        return Played(interaction=item.interaction, cassette=item.path.name, tier=tier)

    def _next(self, key: bytes, progress: Progress) -> int | None:
        """Return the first place of a queue that was not served."""
        queue = self._queues.get(key, ())
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
        for place in queue:
            found = self.recorded[place].keys
            progress.lent.discard(found.exact)
            progress.at.pop(found.exact, None)
            progress.at.pop(_RELAXED + found.relaxed, None)
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
