"""Turns token counts into the usage object of a body or chunk; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import CachedTokens

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.usage import Usage


def usage_object(usage: Usage, policy: WirePolicy) -> JSONObject:
    """Return the usage object, its keys in the host's order.

    Shape at Moonshot: `prompt_tokens, completion_tokens, total_tokens, cached_tokens,
    completion_tokens_details{reasoning_tokens}, prompt_tokens_details{cached_tokens}`. Zero details
    are left out, as in all raw captures, unless the policy asks for them.
    """
    cached = usage.cached > 0 or policy.zero_details
    shown: JSONObject = {"prompt_tokens": usage.prompt}
    if cached and policy.cached_tokens is CachedTokens.DEVOTEL:
        shown["prompt_tokens_details"] = {"cached_tokens": usage.cached}
        shown["cache_read_input_tokens"] = usage.cached
        shown["cache_created_input_tokens"] = 0
    shown["completion_tokens"] = usage.completion
    shown["total_tokens"] = usage.total
    if cached and policy.cached_tokens in {CachedTokens.TOP, CachedTokens.BOTH}:
        shown["cached_tokens"] = usage.cached
    nested = cached and policy.cached_tokens in {CachedTokens.NESTED, CachedTokens.BOTH}
    details: dict[str, JSONObject | None] = {
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning}
        if usage.reasoning > 0 or policy.zero_details
        else None,
        "prompt_tokens_details": {"cached_tokens": usage.cached} if nested else None,
    }
    for name in policy.usage_details:
        detail = details[name]
        if detail is not None:
            shown[name] = detail
    return shown
