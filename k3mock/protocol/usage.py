"""Turns token counts into the numbers an answer reports; values layer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one answer; `reasoning` is part of `completion`, `cached` part of `prompt`.

    Raises:
        ValueError: when the parts do not fit into their sums.
    """

    prompt: int
    completion: int
    reasoning: int = 0
    cached: int = 0

    def __post_init__(self) -> None:
        if min(self.prompt, self.completion, self.reasoning, self.cached) < 0:
            text = f"token counts cannot be negative: {self}"
            raise ValueError(text)
        if self.reasoning > self.completion or self.cached > self.prompt:
            text = f"parts exceed their sums: {self}"
            raise ValueError(text)

    @property
    def total(self) -> int:
        return self.prompt + self.completion
