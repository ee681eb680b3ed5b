"""Turns pydantic-ai into evidence, with its OpenAI provider or its MoonshotAI provider."""

from __future__ import annotations

import os
from typing import Any

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.messages import ThinkingPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.moonshotai import MoonshotAIProvider
from pydantic_ai.providers.openai import OpenAIProvider
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

if os.environ.get("K3_PROVIDER") == "moonshotai":
    provider = MoonshotAIProvider(openai_client=AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY))
else:
    provider = OpenAIProvider(base_url=BASE_URL, api_key=API_KEY)
model = OpenAIChatModel(MODEL, provider=provider)


def thought(messages: list[Any]) -> str:
    return "".join(
        part.content
        for message in messages
        for part in message.parts
        if isinstance(part, ThinkingPart)
    )


def counted(found: Any) -> dict | None:
    if not found.input_tokens:
        return None
    return numbers(
        found.input_tokens,
        found.output_tokens,
        found.details.get("reasoning_tokens"),
        found.cache_read_tokens,
    )


def used(run: Any) -> Any:
    return run.usage() if callable(run.usage) else run.usage


async def _streamed() -> tuple[dict[str, Any], Any]:
    async with Agent(model).run_stream(QUESTION) as run:
        pieces = [piece async for piece in run.stream_text(delta=True, debounce_by=None)]
    return {"text": "".join(pieces), "pieces": len(pieces)}, run


async def plain() -> dict[str, Any]:
    return {"text": (await Agent(model).run(QUESTION)).output}


async def stream() -> dict[str, Any]:
    return (await _streamed())[0]


async def reasoning() -> dict[str, Any]:
    whole = await Agent(model).run(QUESTION)
    return {
        "reasoning": thought(whole.all_messages()),
        "stream_reasoning": thought((await _streamed())[1].all_messages()),
    }


async def _loop(question: str, tools: list[Any]) -> dict[str, Any]:
    run = await Agent(model, tools=tools).run(question, usage_limits=UsageLimits(request_limit=30))
    return {"text": run.output}


class Weather(BaseModel):
    city: str
    degrees: int


async def structured() -> dict[str, Any]:
    run = await Agent(model, output_type=Weather).run(STRUCTURED["question"])
    return {"parsed": run.output.model_dump()}


async def usage() -> dict[str, Any]:
    whole = await Agent(model).run(QUESTION)
    return {"usage": counted(used(whole)), "stream_usage": counted(used((await _streamed())[1]))}


main({
    "plain": plain, "stream": stream, "reasoning": reasoning, "structured": structured,
    "tools": lambda: _loop(WEATHER["question"], [get_weather]),
    "agent": lambda: _loop(AGENT["task"], list(AGENT_TOOLS.values())), "usage": usage,
})  # fmt: skip
