from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.read import read_request
from k3mock.text.accounting import prompt_tokens
from k3mock.text.prefix import CachePolicy, cached_tokens, kept_states
from k3mock.text.template import Template
from tests.support import chat, profile_file, request, serving, tool

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer


class Cache:
    """A session's cache as the pipeline keeps it."""

    def __init__(self, template: Template, profile: Profile, policy: CachePolicy) -> None:
        self._template = template
        self._profile = profile
        self._policy = policy
        self._kept: dict[bytes, int] = {}

    def ask(self, *messages: dict[str, Any], chance: float = 0.0, **fields: Any) -> tuple[int, int]:
        """Return (prompt tokens, cached tokens) of a request and keep its end."""
        body = request(messages=list(messages), **fields)
        prompt = self._template.render(read_request(body, self._profile))
        cached = cached_tokens(prompt, self._kept, self._policy, chance)
        shown = prompt_tokens(prompt, "moonshot")
        self._kept.update(kept_states(prompt, shown))
        return shown, cached


@pytest.fixture
def cache(template: Template, moonshot: Profile) -> Cache:
    return Cache(template, moonshot, CachePolicy())


def user(text: str = "hi") -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def test_an_identical_repeat_is_fully_cached(cache: Cache) -> None:
    """Raw captures of 2026-09: 93 of 93, not less a block."""
    shown, cached = cache.ask(user("Reply with exactly one word: hello."))
    assert (shown, cached) == (93, 0)
    assert cache.ask(user("Reply with exactly one word: hello.")) == (93, 93)


def test_the_next_turn_of_a_conversation_hits_its_predecessor_in_full(cache: Cache) -> None:
    first, _ = cache.ask(user("one"))
    second, cached = cache.ask(user("one"), said("1"), user("two"))
    assert cached == first
    _, cached = cache.ask(user("one"), said("1"), user("two"), said("2"), user("three"))
    assert cached == second


def test_a_call_and_its_result_go_on_from_the_call(cache: Cache) -> None:
    call = {"id": "x", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    first, _ = cache.ask(user("weather?"), tools=[tool()])
    _, cached = cache.ask(
        user("weather?"),
        said("", tool_calls=[call]),
        {"role": "tool", "tool_call_id": "x", "content": "sunny"},
        tools=[tool()],
    )
    assert cached == first


def test_the_longest_earlier_prompt_counts(cache: Cache) -> None:
    short, _ = cache.ask(user("one"))
    long, _ = cache.ask(user("one"), said("1"), user("two"))
    assert cache.ask(user("one"), said("1"), user("two"), said("2"), user("x"))[1] == long
    assert cache.ask(user("one"), said("other"), user("two"))[1] == short


def test_a_common_prefix_with_another_tail_is_no_hit(cache: Cache) -> None:
    """A public record of 2026-07: about 4,090 common tokens, another tail, no hit."""
    cache.ask(user("a long text " * 300 + "A"))
    assert cache.ask(user("a long text " * 300 + "B"))[1] == 0


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reasoning_effort": "low"}, id="effort-stands-in-front"),
        pytest.param({"tools": [tool()]}, id="tools-stand-in-front"),
        pytest.param({"tool_choice": "none"}, id="choice-stands-behind"),
        pytest.param({"response_format": {"type": "json_object"}}, id="format-stands-behind"),
    ],
)
def test_another_rendered_prompt_is_another_prompt(fields: dict[str, Any], cache: Cache) -> None:
    cache.ask(user())
    shown, cached = cache.ask(user(), **fields)
    assert cached == 0
    assert cache.ask(user(), **fields) == (shown, shown)


def test_a_changed_choice_keeps_the_conversation_that_stands_before_it(cache: Cache) -> None:
    """Wishes stand behind the conversation, so the states inside it stay reachable."""
    first, _ = cache.ask(user("one"))
    wish: dict[str, Any] = {"response_format": {"type": "json_object"}}
    assert cache.ask(user("one"), said("1"), user("two"), **wish)[1] == first


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"max_tokens": 5}, id="cap"),
        pytest.param({"stop": ["x"]}, id="stop"),
        pytest.param({"stream": True}, id="stream"),
        pytest.param({"seed": 3}, id="seed"),
        pytest.param({"prompt_cache_key": "k"}, id="cache-key"),
    ],
)
def test_what_is_not_rendered_does_not_matter(fields: dict[str, Any], cache: Cache) -> None:
    shown, _ = cache.ask(user())
    assert cache.ask(user(), **fields) == (shown, shown)


def test_the_order_of_keys_in_tools_does_not_matter(cache: Cache) -> None:
    declared = tool()
    turned = dict(reversed(declared.items()))
    shown, _ = cache.ask(user(), tools=[declared])
    assert cache.ask(user(), tools=[turned]) == (shown, shown)
    shown, _ = cache.ask({"role": "system", "tools": [declared]}, user())
    assert cache.ask({"role": "system", "tools": [turned]}, user()) == (shown, shown)


def test_other_dynamic_tools_are_another_prompt(cache: Cache) -> None:
    cache.ask({"role": "system", "tools": [tool("one")]}, user())
    assert cache.ask({"role": "system", "tools": [tool("two")]}, user())[1] == 0


def test_a_continued_answer_ends_elsewhere_than_a_finished_one(cache: Cache) -> None:
    begun = said("Once")
    first, _ = cache.ask(user(), begun)
    shown, cached = cache.ask(user(), {**begun, "partial": True})
    assert cached == 0
    assert cache.ask(user(), {**begun, "partial": True}) == (shown, shown)
    assert cache.ask(user(), begun) == (first, first)


def test_changed_reasoning_in_the_history_misses_what_stands_behind_it(cache: Cache) -> None:
    first, _ = cache.ask(user("one"))
    cache.ask(user("one"), said("1", reasoning_content="a"), user("two"))
    assert cache.ask(user("one"), said("1", reasoning_content="b"), user("two"))[1] == first


@pytest.mark.parametrize("words", [10, 100, 300, 600])
def test_blocks_are_rounded_down(words: int, template: Template, moonshot: Profile) -> None:
    cache = Cache(template, moonshot, CachePolicy(mode="blocks"))
    text = "word " * words
    shown, _ = cache.ask(user(text))
    assert cache.ask(user(text))[1] == shown // 256 * 256


def test_a_cache_that_is_off_hits_nothing(template: Template, moonshot: Profile) -> None:
    cache = Cache(template, moonshot, CachePolicy(mode="off"))
    cache.ask(user())
    assert cache.ask(user())[1] == 0


@pytest.mark.parametrize(
    ("probability", "chance", "hits"),
    [(1.0, 0.999, True), (0.5, 0.49, True), (0.5, 0.5, False), (0.0, 0.0, False)],
)
def test_a_possible_hit_is_one_by_its_probability(
    probability: float, chance: float, *, hits: bool, template: Template, moonshot: Profile
) -> None:
    cache = Cache(template, moonshot, CachePolicy(hit_probability=probability))
    shown, _ = cache.ask(user())
    assert cache.ask(user(), chance=chance)[1] == (shown if hits else 0)


@pytest.mark.parametrize("style", ["openai", "none"])
def test_other_templates_have_a_cache_too(
    style: str, template: Template, moonshot: Profile
) -> None:
    cache = Cache(Template(template.counter, style), moonshot, CachePolicy())
    first, _ = cache.ask(user("one"), tools=[tool("a")])
    assert cache.ask(user("one"), tools=[tool("a")]) == (first, first)
    assert cache.ask(user("one"), said("1"), user("two"), tools=[tool("a")])[1] == first
    assert cache.ask(user("one"), tools=[tool("b")])[1] == 0


def cached_of(server: MockServer, text: str, session: str) -> int:
    usage = chat(server, text, options=f"session={session}", max_tokens=1).json["usage"]
    return int(usage.get("cached_tokens", 0))


def test_short_prompts_are_not_kept_below_a_threshold(tmp_path: Path) -> None:
    """The documentation says that only prompts above 256 tokens are kept; captures say all."""
    own = profile_file(
        tmp_path, "profile: own\nextends: moonshot\ncache:\n  threshold_tokens: 256\n"
    )
    with serving(profile=own) as server:
        assert [cached_of(server, "hi", "short") for _ in range(2)] == [0, 0]
        first, again = (cached_of(server, "word " * 300, "long") for _ in range(2))
        assert first == 0
        assert again > 256


def test_some_repeats_hit_and_others_do_not_by_chance(tmp_path: Path) -> None:
    """About half of the immediate repeats hit in the raw captures."""
    own = profile_file(
        tmp_path, "profile: own\nextends: moonshot\ncache:\n  hit_probability: 0.5\n"
    )
    with serving(profile=own, seed=7) as server:
        found = [cached_of(server, "hi", "t") for _ in range(24)]
    assert set(found) == {0, 86}


def test_sessions_do_not_share_their_cache(server: MockServer) -> None:
    assert cached_of(server, "shared by nobody", "prefix-a") == 0
    assert cached_of(server, "shared by nobody", "prefix-b") == 0
    assert cached_of(server, "shared by nobody", "prefix-a") > 0
