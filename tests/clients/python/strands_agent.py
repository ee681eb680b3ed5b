"""Turns Strands Agents with its OpenAI model into evidence."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from strands import Agent, tool
from strands.models.openai import OpenAIModel
from use import (
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


def made(tools: list[Any]) -> Agent:
    model = OpenAIModel(client_args={"base_url": BASE_URL, "api_key": API_KEY}, model_id=MODEL)
    return Agent(model=model, tools=[tool(each) for each in tools], callback_handler=None)


def run(question: str = QUESTION, tools: list[Any] | None = None) -> dict[str, Any]:
    result = made(tools or [])(question)
    thought = text = ""
    for block in result.message["content"]:
        text += block.get("text", "")
        thought += block.get("reasoningContent", {}).get("reasoningText", {}).get("text", "")
    used = result.metrics.accumulated_usage
    return {
        "text": text,
        "finish": result.stop_reason,
        "stream_reasoning": thought,
        "stream_usage": numbers(
            used["inputTokens"], used["outputTokens"], None, used.get("cacheReadInputTokens")
        ),
    }


async def stream() -> dict[str, Any]:
    pieces = [event["data"] async for event in made([]).stream_async(QUESTION) if "data" in event]
    return {"text": "".join(pieces), "pieces": len(pieces)}


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int


def structured() -> dict[str, Any]:
    result = made([])(STRUCTURED["question"], structured_output_model=Weather)
    return {"parsed": result.structured_output.model_dump()}


def usage() -> dict[str, Any]:
    return {"stream_usage": run()["stream_usage"]}


main({
    "plain": run, "stream": stream, "reasoning": run, "structured": structured, "usage": usage,
    "tools": lambda: run(WEATHER["question"], [get_weather]),
    "agent": lambda: run(AGENT["task"], list(AGENT_TOOLS.values())),
})  # fmt: skip
