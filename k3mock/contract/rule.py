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


class Effect(StrEnum):
    """What a violation does: refuse the request, note it and answer, or nothing."""

    REFUSE = "refuse"
    WARN = "warn"
    IGNORE = "ignore"


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
        error_keys: keys of this very error, where they differ from the host's others.
        body: a literal body (the page of a proxy) in place of the error envelope.
        error: the named error that a violation gives; its fields stand in the rule's own, and
            `values` fill its placeholders.
        group: the engine-rule group that a gateway may leave out (`sampling`, `tools`, ...).
        models: the models that the rule is for; empty is all.
        when: switch values under which the rule holds.
        effect: what a violation does, whatever a switch says; None leaves it to the switch.
        effect_of: the switch whose value is the effect.
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
    error_keys: tuple[str, ...] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    content_type: str | None = None
    error: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    args: Mapping[str, JSONValue] = field(default_factory=dict)
    group: str | None = None
    models: tuple[str, ...] = ()
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    effect: Effect | None = None
    effect_of: str | None = None
    strict: bool = False
    enabled: bool = True
    evidence: tuple[Evidence, ...] = (Evidence.INFERRED,)
    source: str = ""

    def refuse(self, at: str = "", /, **values: str) -> ApiError:
        """Return the error that a violation of this rule gives."""
        filled = {**self.values, **values}
        return ApiError(
            status=self.status,
            message=fill(self.message, filled),
            type=self.type,
            code=self.code,
            param=None if self.param is None else fill(self.param, filled),
            headers=tuple((name, fill(value, filled)) for name, value in self.headers),
            rule=self.id,
            path=at,
            keys=self.error_keys,
            body=self.body,
            content_type=self.content_type,
        )

    def moved_by(self) -> str:
        """Say which switch moves the rule, for listings."""
        moves = [f"{name}={' or '.join(values)}" for name, values in self.when.items()]
        if self.effect_of and self.effect is None:
            moves.insert(0, self.effect_of)
        if self.strict:
            moves.append("strict")
        if self.group:
            moves.append(f"engine_rules:{self.group}")
        return ", ".join(moves) or f"rules.{self.id}.enabled"


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: the error that it gives, and whether the request is refused for it."""

    error: ApiError
    effect: Effect = Effect.REFUSE


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill `{placeholders}`; values are not looked at again, so braces in them stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders of a text."""
    return set(_PLACEHOLDER.findall(text))
