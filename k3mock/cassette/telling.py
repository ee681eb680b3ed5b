"""Turns a miss into what a tired person needs to know about it; source layer."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from k3mock.cassette.found import MissCode, Recorded, Told, Wanted
from k3mock.cassette.near import Nearest, differences

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LISTED = 3
_MEND = (
    "send what was recorded, leave what varies out of the comparison (--ignore PATH, "
    "--ignore-text REGEX), or record again (k3mock record --mode new_episodes)"
)
_GO_ON = (
    "ask less often, let the last answer or all of them come again (--exhausted repeat-last, "
    "--exhausted cycle), use another session, or record again (k3mock record --mode new_episodes)"
)


class Teller:
    """Words the misses of one library; `mode` is the mode of recording."""

    def __init__(
        self, recorded: Sequence[Recorded], files: Sequence[str], *, strict: bool, mode: str
    ) -> None:
        self._recorded = recorded
        self._files = files
        self._strict = strict
        self._mode = mode

    @cached_property
    def _nearest(self) -> Nearest:
        return Nearest([item.seen for item in self._recorded])

    def told(
        self, wanted: Wanted, queue: Sequence[int], session: str, used: Collection[int]
    ) -> Told:
        """Return why a request has no recorded answer.

        `queue` holds the places of its recordings, all of them served; `used` is what the session
        was given already.
        """
        if queue:
            return self._told_exhausted(queue, session)
        near = self._nearest.find(wanted.seen, used)
        if near is None:
            return self._told_nothing(wanted)
        item = self._recorded[near.place]
        changes = [f"  {line}" for line in differences(item.seen, wanted.seen)]
        lines = [
            f"no recording in {self._title} matches this request ({self._facts}).",
            f"nearest: {item.label}, {near.share:.0%} the same; [-recorded-], {{+asked+}}:",
            *(changes or ["  only what the strict mode does not leave out"]),
            f"do: {_MEND}",
        ]
        return Told(code=MissCode.NO_MATCH, message="\n".join(lines), nearest=item.label)

    def _told_exhausted(self, queue: Sequence[int], session: str) -> Told:
        places = ", ".join(f"#{self._recorded[place].interaction.number}" for place in queue[:10])
        more = ", …" if len(queue) > 10 else ""
        last = self._recorded[queue[-1]]
        times = "once" if len(queue) == 1 else f"{len(queue)} times"
        message = (
            f"every recording of this request in {self._title} was served already in the session "
            f"{session[:60]!r} ({self._facts}): it was recorded {times} ({places}{more}).\n"
            f"do: {_GO_ON}"
        )
        return Told(code=MissCode.EXHAUSTED, message=message, nearest=last.label)

    def _told_nothing(self, wanted: Wanted) -> Told:
        known = Counter(item.seen.place for item in self._recorded)
        listed = ", ".join(f"{place} ({count})" for place, count in known.most_common(10))
        message = (
            f"nothing in {self._title} is similar to this request, {wanted.seen.place[:200]} "
            f"({self._facts}).\nrecorded: {listed or 'nothing'}\ndo: {_MEND}"
        )
        return Told(code=MissCode.NOTHING_SIMILAR, message=message)

    @property
    def _title(self) -> str:
        """The names of the files, the first few of many."""
        more = f" and {len(self._files) - _LISTED} more" if len(self._files) > _LISTED else ""
        return ", ".join(self._files[:_LISTED]) + more

    @property
    def _facts(self) -> str:
        count = len(self._recorded)
        strict = ", strict" if self._strict else ""
        return f"mode {self._mode}{strict}, {count} recording{'s' * (count != 1)}"
