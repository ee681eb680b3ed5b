"""Turns the counts of prompt and turn into the usage that a host reports; text layer.

Which number is reported differs by server (published readings):

========== ================= ======================= ==============================================
accounting prompt_tokens     completion_tokens       reasoning_tokens
========== ================= ======================= ==============================================
moonshot   rendered - stub   all generated           R + 1, or R when cut inside thinking
sglang     rendered - stub   all generated - stub    R + 3, or R when cut inside thinking
vllm       rendered          all generated - stub    R
visible    rendered          R + C + tools           R
========== ================= ======================= ==============================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.usage import Usage

if TYPE_CHECKING:
    from k3mock.text.template import Prompt
    from k3mock.text.turn import TurnCounts

ACCOUNTINGS = ("moonshot", "sglang", "vllm", "visible")


def prompt_tokens(prompt: Prompt, accounting: str) -> int:
    """Return `usage.prompt_tokens` of a rendered prompt."""
    stub = prompt.stub if accounting in {"moonshot", "sglang"} else 0
    return prompt.rendered - stub


def usage(prompt: Prompt, counts: TurnCounts, accounting: str, *, cached: int = 0) -> Usage:
    """Return the usage of an answer; `cached` is in reported prompt tokens."""
    shown = prompt_tokens(prompt, accounting)
    thought = counts.closed and counts.stub > 0
    match accounting:
        case "visible":
            completion = counts.reasoning + counts.content + counts.tools
            reasoning = counts.reasoning
        case "sglang":
            completion = counts.generated - counts.stub
            reasoning = min(counts.reasoning + (3 if thought else 0), completion)
        case "vllm":
            completion = counts.generated - counts.stub
            reasoning = counts.reasoning
        case _:
            completion = counts.generated
            reasoning = counts.reasoning + (1 if thought else 0)
    return Usage(
        prompt=shown, completion=completion, reasoning=reasoning, cached=min(cached, shown)
    )
