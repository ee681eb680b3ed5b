from __future__ import annotations

import pytest

from k3mock.text.accounting import ACCOUNTINGS, prompt_tokens, usage
from k3mock.text.template import Prompt, Segment
from k3mock.text.turn import TurnCounts

PROMPT = Prompt(front=(Segment(67, b"effort"),), conversation=(Segment(12, b"hi"),), tail=())
"""Rendered: 67 + 12 + 7 + 3."""

PLAIN = TurnCounts(reasoning=8, content=1, tools=0, generated=25, closed=True, stub=3)
CALLED = TurnCounts(reasoning=32, content=0, tools=37, generated=85, closed=True, stub=3)
CUT = TurnCounts(reasoning=13, content=0, tools=0, generated=16, closed=False, stub=3)
CONTINUED = TurnCounts(reasoning=0, content=5, tools=0, generated=12, closed=True, stub=0)
CUT_IN_STUB = TurnCounts(reasoning=0, content=0, tools=0, generated=1, closed=False, stub=1)


@pytest.mark.parametrize(
    ("accounting", "tokens"), [("moonshot", 86), ("sglang", 86), ("vllm", 89), ("visible", 89)]
)
def test_hosts_report_the_prompt_with_or_without_the_stub(accounting: str, tokens: int) -> None:
    assert PROMPT.rendered == 89
    assert prompt_tokens(PROMPT, accounting) == tokens


@pytest.mark.parametrize(
    ("accounting", "counts", "completion", "reasoning"),
    [
        pytest.param("moonshot", PLAIN, 25, 9, id="moonshot-plain"),
        pytest.param("moonshot", CALLED, 85, 33, id="moonshot-call"),
        pytest.param("moonshot", CUT, 16, 13, id="moonshot-cut"),
        pytest.param("moonshot", CONTINUED, 12, 0, id="moonshot-continued"),
        pytest.param("moonshot", CUT_IN_STUB, 1, 0, id="moonshot-one-token"),
        pytest.param("sglang", PLAIN, 22, 11, id="sglang-plain"),
        pytest.param("sglang", CUT, 13, 13, id="sglang-cut"),
        pytest.param("sglang", CONTINUED, 12, 0, id="sglang-continued"),
        pytest.param("sglang", CUT_IN_STUB, 0, 0, id="sglang-one-token"),
        pytest.param("vllm", PLAIN, 22, 8, id="vllm-plain"),
        pytest.param("vllm", CALLED, 82, 32, id="vllm-call"),
        pytest.param("visible", PLAIN, 9, 8, id="visible-plain"),
        pytest.param("visible", CALLED, 69, 32, id="visible-call"),
        pytest.param("visible", CUT, 13, 13, id="visible-cut"),
    ],
)
def test_hosts_report_the_answer_in_their_own_way(
    accounting: str, counts: TurnCounts, completion: int, reasoning: int
) -> None:
    """Moonshot: raw captures; the others: published readings of their servers."""
    found = usage(PROMPT, counts, accounting)
    assert (found.completion, found.reasoning) == (completion, reasoning)
    assert found.total == found.prompt + completion


@pytest.mark.parametrize("accounting", ACCOUNTINGS)
def test_reasoning_never_exceeds_the_completion(accounting: str) -> None:
    """A cap may fall into the very tokens that close thinking."""
    for used in range(1, 30):
        reasoning = max(0, min(8, used - 3))
        counts = TurnCounts(
            reasoning=reasoning,
            content=0,
            tools=0,
            generated=used,
            closed=used > 11,
            stub=min(3, used),
        )
        found = usage(PROMPT, counts, accounting)
        assert 0 <= found.reasoning <= found.completion <= used


@pytest.mark.parametrize("accounting", ACCOUNTINGS)
def test_a_cache_hit_never_exceeds_the_prompt(accounting: str) -> None:
    shown = prompt_tokens(PROMPT, accounting)
    assert usage(PROMPT, PLAIN, accounting, cached=40).cached == 40
    assert usage(PROMPT, PLAIN, accounting, cached=4000).cached == shown
    assert usage(PROMPT, PLAIN, accounting).cached == 0
