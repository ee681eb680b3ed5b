"""Turns token counts into the usage object of a body or chunk; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import CachedTokens

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.usage import Usage


def usage_object(usage: Usage, policy: WirePolicy) -> JSONObject:
    """Return the usage object, its keys in the vendor's order.

    Shape: `prompt_tokens, completion_tokens, total_tokens, cached_tokens,
    completion_tokens_details{reasoning_tokens}, prompt_tokens_details{cached_tokens}`. Zero details
    are left out, as in all raw captures, unless the policy asks for them.
    """
    shown: JSONObject = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
    }
    cached = usage.cached > 0 or policy.zero_details
    if cached and policy.cached_tokens in {CachedTokens.TOP, CachedTokens.BOTH}:
        shown["cached_tokens"] = usage.cached
    if usage.reasoning > 0 or policy.zero_details:
        shown["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    if cached and policy.cached_tokens in {CachedTokens.NESTED, CachedTokens.BOTH}:
        shown["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    return shown
