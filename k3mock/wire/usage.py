"""Turns token counts into the usage object of a body or chunk; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import CachedTokens, UsageChunk

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.usage import Usage


def shows_usage(policy: WirePolicy, include_usage: bool | None) -> bool:
    """Say whether a stream ends with a chunk of usage alone."""
    match policy.usage_chunk:
        case UsageChunk.OFF:
            return False
        case UsageChunk.REQUESTED:
            return include_usage is True
        case UsageChunk.UNLESS_FALSE:
            return include_usage is not False
        case UsageChunk.FORCED:
            return True


def usage_object(usage: Usage, policy: WirePolicy, shown: JSONObject | None = None) -> JSONObject:
    """Return the usage object, its keys in the host's order.

    Shape at Moonshot: `prompt_tokens, completion_tokens, total_tokens, cached_tokens,
    completion_tokens_details{reasoning_tokens}, prompt_tokens_details{cached_tokens}`. Zero details
    are left out, as in all raw captures, unless the policy asks for them. Keys of `shown` replace
    what was counted, and are put last where they are new; null takes a key away.
    """
    counted = _counted(usage, policy)
    if not shown:
        return counted
    return {key: value for key, value in {**counted, **shown}.items()
            if key not in shown or value is not None}  # fmt: skip


def _counted(usage: Usage, policy: WirePolicy) -> JSONObject:
    cached = usage.cached > 0 or policy.zero_details
    counted: JSONObject = {"prompt_tokens": usage.prompt}
    if cached and policy.cached_tokens is CachedTokens.DEVOTEL:
        counted["prompt_tokens_details"] = {"cached_tokens": usage.cached}
        counted["cache_read_input_tokens"] = usage.cached
        counted["cache_created_input_tokens"] = 0
    counted["completion_tokens"] = usage.completion
    counted["total_tokens"] = usage.total
    if cached and policy.cached_tokens in {CachedTokens.TOP, CachedTokens.BOTH}:
        counted["cached_tokens"] = usage.cached
    if policy.cached_tokens is CachedTokens.DEEPSEEK:
        # That host shows both sums always, also when nothing was cached.
        counted["prompt_cache_hit_tokens"] = usage.cached
        counted["prompt_cache_miss_tokens"] = usage.prompt - usage.cached
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
            counted[name] = detail
    return counted
