"""Turns a request into a written answer or a reason why there is none; matching layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Seed
    from k3mock.state import Session


class MissReason(StrEnum):
    """Why a source has no answer."""

    NOTHING_LOADED = "nothing_loaded"
    NOTHING_SIMILAR = "nothing_similar"
    NO_MATCH = "no_match"
    USED_UP = "used_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A written answer; `label` says who gave it, as `x-k3mock-source` shows it."""

    reply: Reply
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """No answer, and what a tired person needs to know about it."""

    reason: MissReason
    message: str


Found: TypeAlias = "Hit | Miss"


class ReplySource(Protocol):
    """Who may answer: scenarios, cassettes, the generator."""

    def find(self, request: ChatRequest, session: Session, seed: Seed | None = None) -> Found:
        """Return the written answer to a request, or why there is none.

        For long requests it is called in a thread. `seed` is the one that a request chose for
        itself; None leaves the server's own.
        """
