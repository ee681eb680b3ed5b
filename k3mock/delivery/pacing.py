"""Turns a pace into the deadline of each frame; delivery layer.

Deadlines count from the moment the request was taken, so that lateness does not add up.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.errors import SettingsError, did_you_mean
from k3mock.wire.chunks import FrameKind, PlainFrames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.seed import Chance
    from k3mock.wire.chunks import Frame

MOST_MS = 1e9
_LEAST_SPEED, _MOST_SPEED = 1e-3, 1e6
_LEAST_RATE = 1e-3

_ANSWERING = frozenset((FrameKind.CONTENT, FrameKind.TOOL))

DISTRIBUTIONS = ("uniform", "normal", "lognormal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """The physics of an answer.

    Attributes:
        ttft_ms: time to the first token.
        reasoning_tps: tokens per second while thinking; 0 is as fast as possible.
        content_tps: tokens per second while answering and calling tools.
        jitter: relative spread of each gap, 0 to 1.
        distribution: of the jitter: `uniform`, `normal` or `lognormal`.
        thinking_pause_ms: silence between reasoning and answer.
        speed: divides all times.
        max_gap_ms: no silence of a recorded answer is played longer; 0 sets no such limit.
    """

    ttft_ms: float = 0.0
    reasoning_tps: float = 0.0
    content_tps: float = 0.0
    jitter: float = 0.0
    distribution: str = "uniform"
    thinking_pause_ms: float = 0.0
    speed: float = 1.0
    max_gap_ms: float = 0.0

    @property
    def instant(self) -> bool:
        """Whether nothing is ever waited for."""
        waits = (self.ttft_ms, self.reasoning_tps, self.content_tps, self.thinking_pause_ms)
        return not any(waits)


_REALISTIC = Pacing(ttft_ms=400, reasoning_tps=150, content_tps=80, jitter=0.2)
PACES = {"instant": Pacing(), "realistic": _REALISTIC, "recorded": _REALISTIC}
"""Named paces; `realistic` lets a first try take seconds.

At any pace but `instant` a recording keeps its own times, divided by the speed. `recorded` says
just that; what has no times of its own is realistic.
"""


def parse_pace(text: str) -> Pacing:
    """Read a pace: a name or tokens per second, then `key=value` pairs, separated by commas.

    Raises:
        SettingsError: an unknown name or key, or a value that is not a number in range.
    """
    first, more, rest = text.partition(",")
    if first.strip() == "virtual":
        raise SettingsError(
            "the pace 'virtual' is that of a transport in process, for all its answers",
            hint="choose it as k3mock.transport(pace='virtual')",
        )
    base = PACES.get(first.strip())
    if base is None:
        try:
            rate = float(first)
        except ValueError:
            return _checked(text, _pairs(Pacing(), text))
        base = Pacing(reasoning_tps=rate, content_tps=rate)
    return _checked(text, _pairs(base, rest) if more else base)


def _pairs(base: Pacing, text: str) -> Pacing:
    known = {field.name for field in fields(Pacing)}
    values: dict[str, float] = {}
    distribution = base.distribution
    for pair in text.split(","):
        key, found, value = pair.replace(":", "=").partition("=")
        key, value = key.strip(), value.strip()
        if not found:
            raise SettingsError(
                f"unknown pace {text[:60]!r}",
                accepted=f"{did_you_mean(text[:60], PACES)}; tokens per second; or "
                "key=value pairs of " + ", ".join(sorted(known)),
            )
        if key not in known:
            raise SettingsError(
                f"unknown pace key {key[:60]!r}", accepted=did_you_mean(key[:60], known)
            )
        if key == "distribution":
            distribution = value
            continue
        try:
            values[key] = float(value)
        except ValueError as error:
            raise SettingsError(f"the pace key {key!r} takes a number", found=value[:60]) from error
    return replace(base, distribution=distribution, **values)


def _checked(text: str, pacing: Pacing) -> Pacing:
    times = (pacing.ttft_ms, pacing.thinking_pause_ms, pacing.max_gap_ms)
    rates = (pacing.reasoning_tps, pacing.content_tps)
    fits = (
        _LEAST_SPEED <= pacing.speed <= _MOST_SPEED
        and all(0 <= time / pacing.speed <= MOST_MS and time <= MOST_MS for time in times)
        and all(rate == 0 or _LEAST_RATE <= rate <= MOST_MS for rate in rates)
    )
    if not fits:
        raise SettingsError(
            f"the pace {text[:60]!r} is out of range",
            accepted="speed above 0, from 0.001 to 1,000,000; times from 0 to 1,000,000,000, also "
            "when divided by speed; rates of 0, or from 0.001 to 1,000,000,000",
        )
    if not 0 <= pacing.jitter <= 1:
        raise SettingsError("jitter is a share", found=str(pacing.jitter), accepted="0 to 1")
    if pacing.distribution not in DISTRIBUTIONS:
        raise SettingsError(
            f"unknown distribution {pacing.distribution[:60]!r}",
            accepted=did_you_mean(pacing.distribution[:60], DISTRIBUTIONS),
        )
    return pacing


def deadlines(frames: Sequence[Frame], pacing: Pacing, chance: Chance) -> Iterator[float]:
    """Yield when each frame is due, in milliseconds from the start; never decreasing.

    The silence of a stall begins at its own deadline.
    """
    if isinstance(frames, PlainFrames):
        marks = frames.marks()
    else:
        marks = ((frame.kind, frame.tokens, frame.stall_ms) for frame in frames)
    at = pacing.ttft_ms
    thinking = first = True
    for kind, tokens, stall_ms in marks:
        rate = pacing.content_tps
        if kind is FrameKind.REASONING:
            rate = pacing.reasoning_tps
        elif thinking and kind in _ANSWERING:
            at += 0.0 if first else pacing.thinking_pause_ms
            thinking = False
        if tokens and rate and not first:
            at += tokens * 1000 / rate * _spread(pacing, chance)
        first = first and not tokens
        yield at / pacing.speed
        at += stall_ms


def _spread(pacing: Pacing, chance: Chance) -> float:
    if not pacing.jitter:
        return 1.0
    match pacing.distribution:
        case "normal":
            return max(0.0, chance.gauss(1.0, pacing.jitter / 2))
        case "lognormal":
            return chance.lognormvariate(0.0, pacing.jitter)
        case _:
            return 1.0 + pacing.jitter * (2 * chance.random() - 1)


@lru_cache(maxsize=256)
def parsed_pace(text: str) -> Pacing:
    """Read a pace, once for all its answers."""
    return parse_pace(text)
