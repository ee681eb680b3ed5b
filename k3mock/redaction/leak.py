"""Turns what was found where nothing may be into a report that does not repeat it; matching layer.

Neither a `Leak` nor a `LeakError` ever holds the value that was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from k3mock.errors import K3MockError


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret's place and the rule by which it was known."""

    place: str
    rule: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}"


class LeakError(K3MockError):
    """A secret is where it cannot be taken out."""

    code: ClassVar[str] = "leak"

    def __init__(self, leak: Leak, what: str, *, hint: str) -> None:
        self.leak = leak
        super().__init__(what, where=leak.place, found=f"rule {leak.rule}", hint=hint)
