"""Turns loaded recordings into queues that are served in the order of recording; source layer.

A request takes from the queue of its exact key. Where no recording has that key, it takes from the
queue of its relaxed key, unless the library is strict. What was served is kept in the session, so
that every session hears a recording from its beginning.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from k3mock.cassette.key import NOTHING, Ignored, Keys, keys, path_of
from k3mock.cassette.near import Nearest, Seen, differences
from k3mock.state import Played as Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from k3mock.cassette.interaction import Cassette, Interaction, Pairs
    from k3mock.protocol.request import RawRequest
    from k3mock.state import Session

_RELAXED = b"relaxed "
_LISTED = 3
_MEND = (
    "send what was recorded, leave what varies out of the comparison (--ignore PATH, "
    "--ignore-text REGEX), or record again (k3mock record --mode new_episodes)"
)
_GO_ON = (
    "ask less often, let the last answer or all of them come again (--exhausted repeat-last, "
    "--exhausted cycle), use another session, or record again (k3mock record --mode new_episodes)"
)

Scrub: TypeAlias = "Callable[[str, Pairs, bytes], bytes]"
"""Takes secrets out of a body; gets the URI and the headers that it came with."""


class Tier(StrEnum):
    """How well a recording fits a request."""

    EXACT = "exact"
    RELAXED = "relaxed"


class MissCode(StrEnum):
    """Why there is no recorded answer, as `error.code` says it."""

    NO_MATCH = "no_match"
    EXHAUSTED = "exhausted"
    CASSETTE_NOT_FOUND = "cassette_not_found"
    NOTHING_SIMILAR = "nothing_similar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A recorded answer: from which file, how well its request fits."""

    interaction: Interaction
    cassette: str
    tier: Tier

    @property
    def label(self) -> str:
        """What `x-k3mock-source` shows."""
        return f"cassette:{self.cassette}#{self.interaction.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a person needs to know about a miss; `nearest` names a recording, `file#number`."""

    code: MissCode
    message: str
    nearest: str | None = None


class CassetteMiss:
    """No recorded answer; why is worked out when somebody asks, which may take a while."""

    def __init__(self, tell: Callable[[], Told]) -> None:
        self._tell = tell

    @cached_property
    def told(self) -> Told:
        return self._tell()

    @property
    def code(self) -> MissCode:
        return self.told.code

    @property
    def message(self) -> str:
        return self.told.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request as a library looks for it: its keys, and the rest without its secrets."""

    keys: Keys
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A recording in its place, found by its keys; `seen` is its request without secrets."""

    path: Path
    interaction: Interaction
    keys: Keys
    seen: Seen

    @property
    def id(self) -> tuple[Path, int]:
        return self.path, self.interaction.number

    @property
    def label(self) -> str:
        return f"{self.path.name}#{self.interaction.number}"


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
        self.files = tuple(cassette.path.name for cassette in cassettes)
        self.name = name or "; ".join(str(cassette.path) for cassette in cassettes)
        self.recorded = tuple(
            self._recorded(cassette, interaction)
            for cassette in cassettes
            for interaction in in_order(cassette.interactions)
        )
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
            return CassetteMiss(lambda: self._told(wanted, queue or nearly, session.name, used))
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

    @cached_property
    def _nearest(self) -> Nearest:
        return Nearest([item.seen for item in self.recorded])

    def _told(
        self, wanted: Wanted, queue: Sequence[int], session: str, used: Collection[int]
    ) -> Told:
        if queue:
            return self._told_exhausted(queue, session)
        near = self._nearest.find(wanted.seen, used)
        if near is None:
            return self._told_nothing(wanted)
        item = self.recorded[near.place]
        changes = [f"  {line}" for line in differences(item.seen, wanted.seen)]
        lines = [
            f"no recording in {self.title} matches this request ({self._facts}).",
            f"nearest: {item.label}, {near.share:.0%} the same; [-recorded-], {{+asked+}}:",
            *(changes or ["  only what the strict mode does not leave out"]),
            f"do: {_MEND}",
        ]
        return Told(code=MissCode.NO_MATCH, message="\n".join(lines), nearest=item.label)

    def _told_exhausted(self, queue: Sequence[int], session: str) -> Told:
        places = ", ".join(f"#{self.recorded[place].interaction.number}" for place in queue[:10])
        more = ", …" if len(queue) > 10 else ""
        last = self.recorded[queue[-1]]
        times = "once" if len(queue) == 1 else f"{len(queue)} times"
        message = (
            f"every recording of this request in {self.title} was served already in the session "
            f"{session[:60]!r} ({self._facts}): it was recorded {times} ({places}{more}).\n"
            f"do: {_GO_ON}"
        )
        return Told(code=MissCode.EXHAUSTED, message=message, nearest=last.label)

    def _told_nothing(self, wanted: Wanted) -> Told:
        known = Counter(item.seen.place for item in self.recorded)
        listed = ", ".join(f"{place} ({count})" for place, count in known.most_common(10))
        message = (
            f"nothing in {self.title} is similar to this request, {wanted.seen.place[:200]} "
            f"({self._facts}).\nrecorded: {listed or 'nothing'}\ndo: {_MEND}"
        )
        return Told(code=MissCode.NOTHING_SIMILAR, message=message)

    @property
    def title(self) -> str:
        """The names of the files, the first few of many."""
        more = f" and {len(self.files) - _LISTED} more" if len(self.files) > _LISTED else ""
        return ", ".join(self.files[:_LISTED]) + more

    @property
    def _facts(self) -> str:
        count = len(self.recorded)
        strict = ", strict" if self.manner.strict else ""
        return f"mode {self.manner.mode}{strict}, {count} recording{'s' * (count != 1)}"


def in_order(interactions: Sequence[Interaction]) -> list[Interaction]:
    """Return recordings as their requests arrived; those without a number stay where they are."""
    ranked: list[tuple[int, int, Interaction]] = []
    seq = 0
    for position, interaction in enumerate(interactions):
        if interaction.timing is not None:
            seq = interaction.timing.seq
        ranked.append((seq, position, interaction))
    return [interaction for _, _, interaction in sorted(ranked, key=lambda each: each[:2])]
