"""Cases about usage and cache counters (F)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.support import request

if TYPE_CHECKING:
    from tests.cases.case import World

HELLO = """
    name: {name}
    turns:
      - reply: {{reasoning: A greeting., content: "Hello, nice to meet you."}}
    """


@case(
    "F01",
    "Usage stands inside the choice of the finish chunk, and nowhere else.",
    scenario=HELLO.format(name="f01"),
)
def _(world: World) -> None:
    events = world.stream().events
    assert events[-1] == "[DONE]"
    finish = events[-2]
    assert finish["choices"][0]["usage"]["total_tokens"] > 0
    assert not any("usage" in event for event in events[:-1])
    elsewhere = world.send(request(stream=True), options="wire.usage=forced").events
    assert "usage" not in elsewhere[-3]["choices"][0]
    counted = finish["choices"][0]["usage"]["total_tokens"]
    assert elsewhere[-2]["usage"]["total_tokens"] == counted


@case(
    "F02",
    "The last chunk before `[DONE]` has usage and an empty list of choices.",
    scenario=HELLO.format(name="f02"),
)
def _(world: World) -> None:
    events = world.stream(stream_options={"include_usage": True}).events
    assert events[-2]["choices"] == []
    assert events[-2]["usage"]["completion_tokens"] > 0


@case(
    "F05",
    "Every chunk carries usage that grows; who adds it up reports a multiple.",
    scenario=HELLO.format(name="f05"),
    options="wire.usage=every_chunk",
)
def _(world: World) -> None:
    events = [event for event in world.stream().events if event != "[DONE]"]
    counts = [event["usage"]["completion_tokens"] for event in events]
    assert len(counts) > 5
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert sum(counts) > counts[-1]


@case(
    "F06",
    """A cache hit is reported as `cached_tokens` at the top of usage, without details; a second
    request with the same beginning hits.""",
    scenario=HELLO.format(name="f06"),
    options="wire.cached_tokens=top",
)
def _(world: World) -> None:
    assert "cached_tokens" not in world.ask().usage
    usage = world.ask().usage
    assert usage["cached_tokens"] == usage["prompt_tokens"]
    assert "prompt_tokens_details" not in usage
    deepseek = world.send(request(), options="wire.cached_tokens=deepseek").usage
    assert deepseek["prompt_cache_hit_tokens"] == usage["prompt_tokens"]
    assert deepseek["prompt_cache_miss_tokens"] == 0


@case(
    "F08",
    """Ordinary chunks say `usage: null`, an empty or spelt-out finish reason, and null for every
    key that has no value.""",
    scenario=HELLO.format(name="f08"),
    options="wire.usage=null_elsewhere;wire.pending_finish=empty;wire.null_keys=true",
)
def _(world: World) -> None:
    first, second, *_ = [event for event in world.stream().events if event != "[DONE]"]
    assert first["usage"] is None
    assert first["choices"][0]["finish_reason"] == ""
    assert second["choices"][0]["delta"]["role"] is None
    assert second["choices"][0]["delta"]["tool_calls"] is None
    spelt = world.send(request(stream=True), options="wire.pending_finish=text").chunks[0]
    assert spelt["choices"][0]["finish_reason"] == "null"
    missing = world.send(request(stream=True), options="wire.pending_finish=omit").chunks[0]
    assert "finish_reason" not in missing["choices"][0]
