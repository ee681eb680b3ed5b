"""Turns agno with its MoonShot model into evidence."""

from __future__ import annotations

import os
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent  # noqa: E402 - after telemetry is off
from agno.models.moonshot import MoonShot  # noqa: E402
from pydantic import BaseModel  # noqa: E402
from use import (  # noqa: E402
    AGENT,
    AGENT_TOOLS,
    API_KEY,
    BASE_URL,
    MODEL,
    QUESTION,
    STRUCTURED,
    WEATHER,
    get_weather,
    main,
    numbers,
)


class RunError(Exception):
    """What agno reports as the error of a run, instead of raising it."""


def made(tools: list[Any] | None = None, **more: Any) -> Agent:
    model = MoonShot(id=MODEL, base_url=BASE_URL, api_key=API_KEY)
    return Agent(model=model, tools=tools, telemetry=False, **more)


def ran(result: Any) -> Any:
    if str(getattr(result.status, "value", result.status)).upper() == "ERROR":
        raise RunError(result.content)
    return result


def whole(question: str = QUESTION, tools: list[Any] | None = None) -> dict[str, Any]:
    return {"text": ran(made(tools).run(question)).content}


def streamed(question: str = QUESTION, tools: list[Any] | None = None) -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0, "stream_reasoning": "", "metrics": None}
    for event in made(tools).run(question, stream=True, stream_events=True):
        if event.event == "RunError":
            raise RunError(event.content)
        if event.event == "RunContent":
            saw["text"] += event.content or ""
            saw["pieces"] += bool(event.content)
            saw["stream_reasoning"] += event.reasoning_content or ""
        if event.event == "RunCompleted":
            saw["metrics"] = event.metrics
    return saw


def counted(metrics: Any) -> dict | None:
    if metrics is None or not metrics.input_tokens:
        return None
    return numbers(
        metrics.input_tokens,
        metrics.output_tokens,
        metrics.reasoning_tokens,
        metrics.cache_read_tokens,
    )


def stream() -> dict[str, Any]:
    saw = streamed()
    return {"text": saw["text"], "pieces": saw["pieces"]}


def reasoning() -> dict[str, Any]:
    return {
        "reasoning": ran(made().run(QUESTION)).reasoning_content,
        "stream_reasoning": streamed()["stream_reasoning"],
    }


class Weather(BaseModel):
    city: str
    degrees: int


def structured() -> dict[str, Any]:
    found = ran(made(output_schema=Weather).run(STRUCTURED["question"])).content
    return {"parsed": found.model_dump() if isinstance(found, Weather) else None}


def usage() -> dict[str, Any]:
    return {
        "usage": counted(ran(made().run(QUESTION)).metrics),
        "stream_usage": counted(streamed()["metrics"]),
    }


def stream_tools() -> dict[str, Any]:
    return {"text": streamed(WEATHER["question"], [get_weather])["text"]}


main({
    "plain": whole, "stream": stream, "reasoning": reasoning, "structured": structured,
    "usage": usage, "tools": lambda: whole(WEATHER["question"], [get_weather]),
    "stream_tools": stream_tools,
    "agent": lambda: whole(AGENT["task"], list(AGENT_TOOLS.values())),
})  # fmt: skip
