"""Turns a request into what the words of an answer are made from; source layer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from k3mock.matching.view import View
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance, Seed
    from k3mock.text.counter import TokenCounter


class Writer(Protocol):
    """Writes an answer to any request, where a scenario leaves the words open."""

    def reply(self, request: ChatRequest, seed: Seed | None = None) -> Reply:
        """Return the written answer."""


class Making:
    """One answer in the making."""

    def __init__(self, view: View, counter: TokenCounter, writer: Writer) -> None:
        self.view = view
        self.counter = counter
        self._writer = writer

    @cached_property
    def generated(self) -> Reply:
        """What the generator says to the request."""
        return self._writer.reply(self.view.request, self.view.asked.seed)

    def chance(self, place: str) -> Chance:
        """Return the chance of a place in the answer: the same request draws the same."""
        asked = self.view.asked
        return asked.seed.chance(b"scenario", place.encode(), asked.request.digest)
