"""Turns a loaded cassette into what its owner should know before relying on it; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.cassette import timing as times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.cassette.interaction import Cassette, Interaction, Timing

_DAY_S = 86_400


class Kind(StrEnum):
    """What a finding is about; only `TIMING` leaves the file good for every use."""

    FORMAT = "format"
    PARTIAL = "partial"
    AGE = "age"
    TIMING = "timing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to know; `number` is the interaction's, None when the whole file is meant."""

    kind: Kind
    message: str
    number: int | None = None

    def __str__(self) -> str:
        place = "" if self.number is None else f"interaction {self.number}: "
        return f"{self.kind}: {place}{self.message}"


def findings(
    cassette: Cassette, *, max_age_days: float | None = None, now: float = 0.0
) -> list[Finding]:
    """Return what is worth knowing of a cassette, the whole file first.

    `max_age_days` asks for interactions recorded longer ago, as seen from `now` (seconds since
    1970).
    """
    found = [Finding(kind=Kind.FORMAT, message=warning) for warning in cassette.warnings]
    for each in cassette.interactions:
        found += _partial(each)
        found += _timing(each)
        if max_age_days is not None:
            found += _age(each, max_age_days, now)
    return found


def _partial(interaction: Interaction) -> Iterator[Finding]:
    timing, response = interaction.timing, interaction.response
    if timing is not None and not interaction.whole:
        cause = f" ({timing.error})" if timing.error else ""
        yield Finding(
            kind=Kind.PARTIAL,
            number=interaction.number,
            message=f"the answer was cut off, {timing.end}{cause}: k3mock breaks the connection as "
            "it was broken, stock vcrpy ends the answer without an error",
        )
    elif _is_stream(interaction) and response.status == 200 and b"[DONE]" not in response.body:
        yield Finding(
            kind=Kind.PARTIAL,
            number=interaction.number,
            message="the stream has no [DONE]: it may have been cut off",
        )


def _is_stream(interaction: Interaction) -> bool:
    headers = interaction.response.headers
    types = [value for name, value in headers if name == "content-type"]
    return any(value.strip().lower().startswith("text/event-stream") for value in types)


def _timing(interaction: Interaction) -> Iterator[Finding]:
    timing = interaction.timing
    if timing is None:
        message = f"no key `response.{times.KEY}`: it is replayed event by event, at a default pace"
    elif not times.fits(interaction):
        message = "the recorded writes do not add up to the body: their times are not used"
    else:
        return
    yield Finding(kind=Kind.TIMING, number=interaction.number, message=message)


def _age(interaction: Interaction, max_age_days: float, now: float) -> Iterator[Finding]:
    recorded = None if interaction.timing is None else _instant(interaction.timing)
    if recorded is None:
        message = "nothing says when it was recorded"
    else:
        days = (now - recorded) / _DAY_S
        if days <= max_age_days:
            return
        message = f"recorded {days:.0f} days ago, more than {max_age_days:g}"
    yield Finding(kind=Kind.AGE, number=interaction.number, message=message)


def _instant(timing: Timing) -> float | None:
    """Return when it was recorded, in seconds since 1970."""
    try:
        moment = datetime.fromisoformat(timing.at)
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return zoned.timestamp()
