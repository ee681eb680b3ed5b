from __future__ import annotations

from typing import Any

import pytest

from k3mock.protocol.policy import CachedTokens, WirePolicy
from k3mock.protocol.usage import Usage
from k3mock.wire.text import encode
from k3mock.wire.usage import usage_object

PLAIN = Usage(prompt=93, completion=54, reasoning=38)
HIT = Usage(prompt=93, completion=54, reasoning=38, cached=93)
BARE = Usage(prompt=93, completion=1)

SUMS = b'{"prompt_tokens":93,"completion_tokens":54,"total_tokens":147'
THOUGHT = b',"completion_tokens_details":{"reasoning_tokens":38}'
NESTED = b',"prompt_tokens_details":{"cached_tokens":93}'
NOTHING = (
    b'{"prompt_tokens":93,"completion_tokens":1,"total_tokens":94,"cached_tokens":0,'
    b'"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens_details":{"cached_tokens":0}}'
)


@pytest.mark.parametrize(
    ("usage", "policy", "shown"),
    [
        pytest.param(PLAIN, {}, SUMS + THOUGHT + b"}", id="no-hit"),
        pytest.param(HIT, {}, SUMS + b',"cached_tokens":93' + THOUGHT + NESTED + b"}", id="hit"),
        pytest.param(
            Usage(prompt=93, completion=54, reasoning=1, cached=1),
            {},
            SUMS + b',"cached_tokens":1,"completion_tokens_details":{"reasoning_tokens":1},'
            b'"prompt_tokens_details":{"cached_tokens":1}}',
            id="a-single-token-shows",
        ),
        pytest.param(
            BARE,
            {},
            b'{"prompt_tokens":93,"completion_tokens":1,"total_tokens":94}',
            id="zero-details-are-left-out",
        ),
        pytest.param(BARE, {"zero_details": True}, NOTHING, id="zero-details-on-request"),
        pytest.param(
            HIT,
            {"cached_tokens": CachedTokens.TOP},
            SUMS + b',"cached_tokens":93' + THOUGHT + b"}",
            id="cached-at-the-top",
        ),
        pytest.param(
            HIT,
            {"cached_tokens": CachedTokens.NESTED},
            SUMS + THOUGHT + NESTED + b"}",
            id="cached-nested",
        ),
        pytest.param(
            HIT, {"cached_tokens": CachedTokens.OFF}, SUMS + THOUGHT + b"}", id="cached-off"
        ),
        pytest.param(
            HIT,
            {"cached_tokens": CachedTokens.DEVOTEL},
            b'{"prompt_tokens":93,"prompt_tokens_details":{"cached_tokens":93},'
            b'"cache_read_input_tokens":93,"cache_created_input_tokens":0,'
            b'"completion_tokens":54,"total_tokens":147' + THOUGHT + b"}",
            id="cached-as-devotel",
        ),
        pytest.param(
            PLAIN, {"cached_tokens": CachedTokens.DEVOTEL}, SUMS + THOUGHT + b"}", id="devotel-miss"
        ),
        pytest.param(
            HIT,
            {"cached_tokens": CachedTokens.DEEPSEEK},
            SUMS + b',"prompt_cache_hit_tokens":93,"prompt_cache_miss_tokens":0' + THOUGHT + b"}",
            id="cached-as-deepseek",
        ),
        pytest.param(
            PLAIN,
            {"cached_tokens": CachedTokens.DEEPSEEK},
            SUMS + b',"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":93' + THOUGHT + b"}",
            id="deepseek-miss",
        ),
        pytest.param(
            HIT,
            {"usage_details": ("prompt_tokens_details", "completion_tokens_details")},
            SUMS + b',"cached_tokens":93' + NESTED + THOUGHT + b"}",
            id="details-in-another-order",
        ),
        pytest.param(HIT, {"usage_details": ()}, SUMS + b',"cached_tokens":93}', id="no-details"),
        pytest.param(
            PLAIN,
            {"zero_details": True, "cached_tokens": CachedTokens.OFF},
            SUMS + THOUGHT + b"}",
            id="zero-details-do-not-bring-back-what-is-off",
        ),
    ],
)
def test_usage_shows_what_the_host_shows_in_its_order(
    usage: Usage, policy: dict[str, Any], shown: bytes
) -> None:
    """Raw captures of 2026-09: six keys on a hit, four without one."""
    assert encode(usage_object(usage, WirePolicy(**policy)), escape=True) == shown


def test_shown_keys_replace_add_and_take_away() -> None:
    shown = usage_object(HIT, WirePolicy(), {
        "prompt_tokens": 5, "cached_tokens": None, "cost": 0.1, "nothing": None,
    })  # fmt: skip
    assert list(shown.items()) == [
        ("prompt_tokens", 5),
        ("completion_tokens", 54),
        ("total_tokens", 147),
        ("completion_tokens_details", {"reasoning_tokens": 38}),
        ("prompt_tokens_details", {"cached_tokens": 93}),
        ("cost", 0.1),
    ]
    assert usage_object(HIT, WirePolicy(), {}) == usage_object(HIT, WirePolicy())
