"""Cases about time (J)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.support import request

if TYPE_CHECKING:
    from tests.cases.case import World


@case(
    "J01",
    "The stream stalls in the middle, the connection stays open.",
    scenario="""
    name: j01
    turns:
      - reply:
          reasoning: We count to eight.
          content: one two three four five six seven eight
          faults: [{name: stall_forever, after: {content_tokens: 2}}]
    """,
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.end == "silent"
    assert streamed.joined("content") == "one two"
    short = world.send(
        request(stream=True), options="scenario=h03;fault=stall(after:2,ms:60000);pace=speed=600"
    )
    assert short.end == "whole"
    assert short.done
    assert max(later - sooner for sooner, later in zip(
        short.times, short.times[1:], strict=False)) >= 0.09  # fmt: skip


@case(
    "J02",
    """A long silence that is healthy: before the first token, and again in the middle; with signs
    of life or without.""",
    scenario="""
    name: j02
    turns:
      - reply:
          reasoning: We count.
          content: one two three
          pace: {ttft_ms: 200000, thinking_pause_ms: 100000, content_tps: 1000, speed: 1000}
    """,
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.done
    assert 0.2 <= streamed.times[0] < 2
    assert streamed.times[-1] >= 0.3
    alive = world.send(request(stream=True), options="wire.keepalive_ms=45000")
    assert alive.times[0] < 0.15
    before, _, rest = alive.text.partition("data:")
    assert before.count(": keep-alive") == 4
    assert ": keep-alive" in rest
