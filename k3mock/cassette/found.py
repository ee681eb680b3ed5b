"""Turns a look-up into values: the recording that was found, or why none was; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from k3mock.cassette.interaction import Interaction
    from k3mock.cassette.near import Seen


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
    """A request as a library looks for it; `levels` are its keys, the most exact one first."""

    levels: tuple[bytes, ...]
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A recording in its place, found by its keys; `seen` is its request without secrets."""

    path: Path
    interaction: Interaction
    levels: tuple[bytes, ...]
    seen: Seen

    @property
    def id(self) -> tuple[Path, int]:
        return self.path, self.interaction.number

    @property
    def label(self) -> str:
        return f"{self.path.name}#{self.interaction.number}"
