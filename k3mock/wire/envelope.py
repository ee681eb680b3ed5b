"""Turns an answer's ids into what its body or all its chunks share; rules layer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Constant over one answer; `created` is in unix seconds."""

    id: str
    created: int
    model: str
    fingerprint: str
