"""Turns a request into the facts that patterns look at, each worked out once; matching layer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from k3mock.matching.search import PATIENCE_MS
from k3mock.protocol.request import MediaPart, TextPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.matching.source import Asked
    from k3mock.protocol.request import Message


class Memo(dict[tuple[str, str], str]):
    """Texts that were normalised for this request, by how and by what they were before.

    `patience_ms` is how long expressions may still be searched for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patience_ms = PATIENCE_MS

    @property
    def gave_up(self) -> bool:
        """Whether expressions have taken too long."""
        return self.patience_ms <= 0


class View:
    """One request as patterns see it."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.request = asked.request
        self.messages = asked.request.messages
        self.last: Message | None = self.messages[-1] if self.messages else None
        self.last_role = self.last.role if self.last is not None else ""
        self.memo = Memo()
        self._texts: dict[int, str] = {}

    def text(self, message: Message) -> str:
        """Return a message's text, joined once."""
        known = self._texts.get(message.position)
        if known is None:
            known = self._texts[message.position] = message.text
        return known

    @cached_property
    def last_text(self) -> str:
        return self.text(self.last) if self.last is not None else ""

    @cached_property
    def system(self) -> str:
        """The system messages, a line break between them."""
        return "\n".join(self.text(each) for each in self.messages if each.role == "system")

    @cached_property
    def turn(self) -> int:
        """How many assistant turns the history holds."""
        return sum(1 for each in self.messages if each.role == "assistant")

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of all tools that are offered."""
        return frozenset(tool.name for tool in self.request.offered_tools)

    @cached_property
    def prompt_tokens(self) -> int:
        return self.asked.prompt_tokens()


def normalised(text: str, key: str, change: Callable[[str], str], memo: Memo) -> str:
    """Return a changed text; `key` names the change."""
    known = memo.get((key, text))
    if known is None:
        known = memo[key, text] = change(text)
    return known


def kinds(message: Message) -> tuple[str, ...]:
    """Return the kinds of a message's parts: `text`, `image`, `video`, `other`."""
    return tuple(
        "text" if isinstance(part, TextPart)
        else part.kind if isinstance(part, MediaPart)
        else "other"
        for part in message.parts
    )  # fmt: skip
