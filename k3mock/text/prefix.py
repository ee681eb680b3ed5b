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

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping

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


def kept_states(prompt: Prompt, reported: int) -> dict[bytes, int]:
    """Return what a finished prompt leaves: the key of each kept state and its tokens.

    Two states are kept: the end of the prompt (`reported` tokens), and the end of the conversation
    where a tool choice or response format stands behind it. Changing those keeps the prefix
    (official documentation).
    """
    *_, last = _states(prompt)
    kept = {last: reported}
    if prompt.tail and prompt.conversation:
        segments = (*prompt.front, *prompt.conversation)
        kept[_ends(prompt)[-1]] = sum(segment.tokens for segment in segments)
    return kept


def _ends(prompt: Prompt) -> list[bytes]:
    """Return the key of the bare end after each message."""
    rolling = hashlib.blake2b(digest_size=16)
    for segment in prompt.front:
        rolling.update(segment.digest)
    ends: list[bytes] = []
    for segment in prompt.conversation:
        rolling.update(segment.digest)
        bare = rolling.copy()
        bare.update(b"bare")
        ends.append(bare.digest())
    return ends


def _states(prompt: Prompt) -> Iterator[bytes]:
    """Yield the key of every state that an earlier prompt may have ended in, shortest first."""
    rolling = hashlib.blake2b(digest_size=16)
    for segment in prompt.front:
        rolling.update(segment.digest)
    for segment in prompt.conversation:
        if segment.assistant:
            yield _opened(rolling, opened=True)
        rolling.update(segment.digest)
    for segment in prompt.tail:
        rolling.update(segment.digest)
    yield _opened(rolling, opened=not prompt.inside)


def _opened(rolling: hashlib.blake2b, *, opened: bool) -> bytes:
    state = rolling.copy()
    state.update(b"opened" if opened else b"inside")
    return state.digest()


def cached_tokens(
    prompt: Prompt, kept: MutableMapping[bytes, int], policy: CachePolicy, chance: float
) -> int:
    """Return how many prompt tokens the longest kept prefix covers.

    `chance` is a drawn number in [0, 1) that decides against `hit_probability`.
    """
    if policy.mode == "off" or chance >= policy.hit_probability:
        return 0
    states = (*_states(prompt), *_ends(prompt))
    tokens = max((kept.get(state, 0) for state in states), default=0)
    return tokens // BLOCK_TOKENS * BLOCK_TOKENS if policy.mode == "blocks" else tokens
