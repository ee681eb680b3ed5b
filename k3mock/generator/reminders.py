"""Turns a request into one without what an agent says beside its user; source layer.

Agents for the terminal put the date, their modes and the like between the user's words and the
results of tools, as `<system-reminder>` blocks. They have the role of the user, but nobody asks
anything in them: taken for a question, they would call tools for ever.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.protocol.request import TextPart

if TYPE_CHECKING:
    from k3mock.protocol.request import ChatRequest, Message, Part

_OPEN = "<system-reminder>"
_CLOSE = "</system-reminder>"
_SPOKEN = frozenset({"user", "tool"})


def without_reminders(request: ChatRequest) -> ChatRequest:
    """Return a request without reminders; one that has nothing else from a user stays as it is."""
    if not any(_OPEN in message.text for message in request.messages if message.role in _SPOKEN):
        return request
    messages = tuple(
        kept for message in request.messages if (kept := _without(message)) is not None
    )
    if not any(message.role == "user" for message in messages):
        return request
    return replace(request, messages=messages)


def _without(message: Message) -> Message | None:
    """Return a message without reminders; None for a user's that is nothing else."""
    if message.role not in _SPOKEN or _OPEN not in message.text:
        return message
    parts = tuple(kept for part in message.parts if (kept := _part(part)) is not None)
    if not parts and message.role == "user":
        return None
    return replace(message, parts=parts)


def _part(part: Part) -> Part | None:
    if not isinstance(part, TextPart) or _OPEN not in part.text:
        return part
    rest = _cut(part.text)
    return TextPart(rest) if rest else None


def _cut(text: str) -> str:
    """Cut reminders out of a text; one that is not closed is text like any other."""
    kept: list[str] = []
    at = 0
    while (start := text.find(_OPEN, at)) >= 0:
        end = text.find(_CLOSE, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(_CLOSE)
    kept.append(text[at:])
    return "".join(kept).strip()
