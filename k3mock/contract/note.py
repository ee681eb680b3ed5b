"""Turns what a host does without a word into a note that can be listed and moved; rules layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.contract.rule import Evidence, fill
from k3mock.protocol.failure import MOCK_ERROR_STATUS, MOCK_ERROR_TYPE, ApiError, Origin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONValue


class Level(StrEnum):
    """How much a note weighs: something is lost, or it is only good to know."""

    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The fields of a request that a host takes; what stands in an object is written with a dot.

    `ignored` are those without an effect, each with the values by which nothing is lost; `harmless`
    are such values of others.
    """

    fields: frozenset[str] = frozenset()
    message_fields: frozenset[str] = frozenset()
    part_fields: frozenset[str] = frozenset()
    ignored: Mapping[str, tuple[JSONValue, ...]] = field(default_factory=dict)
    harmless: Mapping[str, tuple[JSONValue, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing that a host drops, changes or overlooks without a word.

    Attributes:
        id: name in listings, journals and headers, such as `forward.remove`.
        look: the named function that looks for it.
        message: what is said, with `{placeholders}` that the look fills.
        level: whether it is a warning.
        field, other: the fields that the look needs to know.
        enabled: whether it is looked for.
        evidence: how the fact is known; `source` says where it is written.
    """

    id: str
    look: str
    message: str
    level: Level = Level.WARN
    field: str = ""
    other: str = ""
    enabled: bool = True
    evidence: tuple[Evidence, ...] = (Evidence.INFERRED,)
    source: str = ""

    def say(self, path: str, values: Mapping[str, str]) -> ApiError:
        """Return the note as the journal keeps it."""
        return ApiError(
            status=MOCK_ERROR_STATUS,
            message=fill(self.message, values),
            type=MOCK_ERROR_TYPE,
            origin=Origin.MOCK,
            rule=self.id,
            path=path,
            info=self.level is Level.INFO,
        )
