"""Turns rendered prompts into cache hits: the simulated prefix cache; text layer.

What is kept are states at the end of earlier prompts, not every prefix (the reading that fits all
raw captures: an identical repeat is reported as fully cached, a common prefix with another tail is
not). A prompt ends with the opening of the assistant message, so the next turn of a conversation,
which goes on with that very message, hits its predecessor in full.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.past import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.text.template import Prompt

MODES = ("prompts", "blocks", "off")
BLOCK_TOKENS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy:
    """How the cache behaves.

    Attributes:
        mode: `prompts` (a hit counts the whole earlier prompt), `blocks` (rounded down to 256
            tokens) or `off`.
        threshold_tokens: shorter prompts are never kept (the documentation says 256, captures 0).
        hit_probability: chance that a possible hit is one; drawn from the seed.
    """

    mode: str = "prompts"
    threshold_tokens: int = 0
    hit_probability: float = 1.0


_ENDS: Step[bytes] = Step("ends")
_OPENED: Step[bytes] = Step("opened")
_BARE, _OPEN, _INSIDE = b"bare", b"opened", b"inside"


def kept_states(prompt: Prompt, reported: int) -> dict[bytes, int]:
    """Return what a finished prompt leaves: the key of each kept state and its tokens.

    Two states are kept: the end of the prompt (`reported` tokens), and the end of the conversation
    where a tool choice or response format stands behind it. Changing those keeps the prefix
    (official documentation).
    """
    ends, _ = _states(prompt)
    kept = {_last(prompt, ends): reported}
    if prompt.tail and prompt.conversation:
        kept[ends[-1]] = sum(segment.tokens for segment in prompt.front) + prompt.spoken
    return kept


def _states(prompt: Prompt) -> tuple[list[bytes], list[bytes]]:
    """Return the keys of states that an earlier prompt may have ended in, one a message.

    The first are those of the bare end after it; the others those of the opening of an answer
    before it, empty where it is none.
    """
    start = _start(prompt)
    ends, opened = _ENDS.lane(prompt.past, start), _OPENED.lane(prompt.past, start)
    said = _said(prompt, ends)
    for segment in prompt.conversation[len(ends) :]:
        opened.append(said + _OPEN if segment.assistant else b"")
        said = _digest(said, segment.digest)
        ends.append(said + _BARE)
    return ends, opened


def _start(prompt: Prompt) -> bytes:
    return _digest(*(segment.digest for segment in prompt.front))


def _said(prompt: Prompt, ends: list[bytes]) -> bytes:
    """Return what identifies everything up to the last of the messages that are looked at."""
    return ends[-1].removesuffix(_BARE) if ends else _start(prompt)


def _last(prompt: Prompt, ends: list[bytes]) -> bytes:
    """Return the key of the state in which a prompt ends."""
    said = _said(prompt, ends)
    if prompt.tail:
        said = _digest(said, *(segment.digest for segment in prompt.tail))
    return said + (_INSIDE if prompt.inside else _OPEN)


def _digest(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def cached_tokens(
    prompt: Prompt, kept: Mapping[bytes, int], policy: CachePolicy, chance: float
) -> int:
    """Return how many prompt tokens the longest kept prefix covers.

    `chance` is a drawn number in [0, 1) that decides against `hit_probability`.
    """
    if policy.mode == "off" or chance >= policy.hit_probability:
        return 0
    ends, opened = _states(prompt)
    known = kept.keys()
    hits = (known & ends) | (known & opened) | (known & (_last(prompt, ends),))
    tokens = max((kept[state] for state in hits), default=0)
    return tokens // BLOCK_TOKENS * BLOCK_TOKENS if policy.mode == "blocks" else tokens
