"""Turns one use of a client into what is judged: what its script saw, and what the mock noted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SHOWN_CHARS = 120


@dataclass(frozen=True, kw_only=True)
class Call:
    """One chat request as it arrived, and how its answer ended."""

    body: dict[str, Any]
    status: int | None
    end: str | None
    usage: dict[str, int] | None

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body.get("messages", [])
        return found


@dataclass(frozen=True, kw_only=True)
class Witness:
    """What the script said (`outcome`, `saw`), what it left behind (`detail`), what arrived.

    `thinks` is False where the host keeps the thinking to itself.
    """

    outcome: str
    saw: dict[str, Any] = field(default_factory=dict)
    detail: str = ""
    calls: tuple[Call, ...] = ()
    thinks: bool = True

    @property
    def raised(self) -> str:
        """The class of the exception that reached the client's user, or nothing."""
        found = self.saw.get("exception")
        return str(found["class"]) if found else ""

    @property
    def text(self) -> str:
        return str(self.saw.get("text") or "").strip()

    def evidence(self) -> str:
        """Return what explains a cell that is not `works`, in one short line."""
        found = self.saw.get("exception")
        said = f"{found['class']}: {found['message']}" if found else ""
        line = " ".join((said or str(self.saw.get("why", "")) or self.detail).split())
        return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"
