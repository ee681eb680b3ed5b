"""Turns a fact about a vendor into a rule that can be enforced, listed and moved; rules layer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from k3mock.protocol.failure import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.jsonvalue import JSONValue

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Evidence(StrEnum):
    """How a fact is known, strongest first."""

    SEED = "S"
    VENDOR_PAGE = "P"
    RAW_CAPTURE = "R"
    OFFICIAL_DOCS = "D"
    VENDOR_CODE = "C"
    RECOMPUTED = "V"
    THIRD_PARTY = "T"
    INFERRED = "I"


EVIDENCE_WORDS = {
    Evidence.SEED: "the vendor's own page for this endpoint",
    Evidence.VENDOR_PAGE: "another page of the same vendor",
    Evidence.RAW_CAPTURE: "a raw request and response",
    Evidence.OFFICIAL_DOCS: "official documentation",
    Evidence.VENDOR_CODE: "the vendor's own code or test suite",
    Evidence.RECOMPUTED: "recomputed and equal to raw numbers",
    Evidence.THIRD_PARTY: "a third party's report that quotes the text",
    Evidence.INFERRED: "chosen here; switchable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a contract.

    Attributes:
        id: name in listings, journals and tests, such as `temperature.fixed`.
        check: the named function that looks for violations.
        args: what the check needs to know.
        message: the vendor's text, with `{placeholders}` that the check fills; so is `param`.
        group: the engine-rule group that a gateway may leave out (`sampling`, `tools`, ...).
        when: switch values under which the rule holds.
        strict: whether the rule only holds where the profile is strict.
        enabled: whether the rule holds at all.
        evidence: how the fact is known; `source` says where it is written.
    """

    id: str
    check: str
    message: str
    status: int = 400
    type: str = "invalid_request_error"
    code: str | int | None = None
    param: str | None = None
    args: Mapping[str, JSONValue] = field(default_factory=dict)
    group: str | None = None
    when: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    enabled: bool = True
    evidence: tuple[Evidence, ...] = (Evidence.INFERRED,)
    source: str = ""

    def refuse(self, at: str = "", /, **values: str) -> ApiError:
        """Return the error that a violation of this rule gives."""
        return ApiError(
            status=self.status,
            message=fill(self.message, values),
            type=self.type,
            code=self.code,
            param=None if self.param is None else fill(self.param, values),
            rule=self.id,
            path=at,
        )

    def moved_by(self) -> str:
        """Say which switch moves the rule, for listings."""
        moves = [f"{name}={value}" for name, value in self.when.items()]
        if self.strict:
            moves.append("strict")
        if self.group:
            moves.append(f"engine_rules:{self.group}")
        return ", ".join(moves) or f"rules.{self.id}.enabled"


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill `{placeholders}`; values are not looked at again, so braces in them stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders of a text."""
    return set(_PLACEHOLDER.findall(text))
