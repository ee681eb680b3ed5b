"""Turns the OpenAI Agents SDK over chat completions into evidence."""

from __future__ import annotations

from typing import Any

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from pydantic import BaseModel
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

set_tracing_disabled(True)  # traces would go to OpenAI
model = OpenAIChatCompletionsModel(
    model=MODEL, openai_client=AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY)
)


def made(*tools: Any, **more: Any) -> Agent:
    return Agent(name="Kimi", model=model, tools=[function_tool(each) for each in tools], **more)


def thought(result: Any) -> str:
    return "".join(
        part.text
        for item in result.new_items
        if item.type == "reasoning_item"
        for part in (item.raw_item.summary or item.raw_item.content or ())
    )


def counted(result: Any) -> dict | None:
    found = result.context_wrapper.usage
    if not found.input_tokens:
        return None
    return numbers(
        found.input_tokens,
        found.output_tokens,
        found.output_tokens_details.reasoning_tokens,
        found.input_tokens_details.cached_tokens,
    )


async def _whole() -> tuple[dict[str, Any], Any]:
    result = await Runner.run(made(), QUESTION)
    return {"text": result.final_output}, result


async def _streamed(**more: Any) -> tuple[dict[str, Any], Any]:
    result = Runner.run_streamed(made(**more), QUESTION)
    text, pieces = "", 0
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            text += event.data.delta
            pieces += 1
    return {"text": text, "pieces": pieces}, result


async def plain() -> dict[str, Any]:
    return (await _whole())[0]


async def stream() -> dict[str, Any]:
    return (await _streamed())[0]


async def reasoning() -> dict[str, Any]:
    return {
        "reasoning": thought((await _whole())[1]),
        "stream_reasoning": thought((await _streamed())[1]),
    }


async def _loop(question: str, *tools: Any) -> dict[str, Any]:
    return {"text": (await Runner.run(made(*tools), question, max_turns=30)).final_output}


class Weather(BaseModel):
    city: str
    degrees: int


async def structured() -> dict[str, Any]:
    result = await Runner.run(made(output_type=Weather), STRUCTURED["question"])
    return {"parsed": result.final_output.model_dump()}


async def usage() -> dict[str, Any]:
    whole = (await _whole())[1]
    asked = await _streamed(model_settings=ModelSettings(include_usage=True))
    return {"usage": counted(whole), "stream_usage": counted(asked[1])}


main({
    "plain": plain, "stream": stream, "reasoning": reasoning, "structured": structured,
    "tools": lambda: _loop(WEATHER["question"], get_weather),
    "agent": lambda: _loop(AGENT["task"], *AGENT_TOOLS.values()), "usage": usage,
})  # fmt: skip
