"""Turns LangChain's chat models into evidence: `ChatOpenAI`, or the Moonshot package's own."""

from __future__ import annotations

import os
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
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

if os.environ.get("K3_CHAT") == "openai":
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=MODEL, base_url=BASE_URL, api_key=API_KEY)
else:
    from langchain_moonshot import ChatMoonshot

    model = ChatMoonshot(model=MODEL, base_url=BASE_URL, api_key=API_KEY)


def thought(message: Any) -> str:
    """Return the thinking, wherever LangChain's messages have it."""
    blocks = [
        block.get("reasoning", "")
        for block in getattr(message, "content_blocks", [])
        if block.get("type") == "reasoning"
    ]
    return "".join(blocks) or message.additional_kwargs.get("reasoning_content") or ""


def counted(message: Any) -> dict | None:
    found = message.usage_metadata
    if not found:
        return None
    return numbers(
        found["input_tokens"],
        found["output_tokens"],
        (found.get("output_token_details") or {}).get("reasoning"),
        (found.get("input_token_details") or {}).get("cache_read"),
    )


def plain() -> dict[str, Any]:
    answer = model.invoke(QUESTION)
    return {"text": answer.text, "finish": answer.response_metadata.get("finish_reason")}


def stream(**more: Any) -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0, "reasoning": ""}
    whole: Any = None
    for chunk in model.stream(QUESTION, **more):
        whole = chunk if whole is None else whole + chunk
        saw["text"] += chunk.text
        saw["pieces"] += bool(chunk.text)
    saw["reasoning"] = thought(whole)
    saw["usage"] = counted(whole)
    return saw


def reasoning() -> dict[str, Any]:
    return {"reasoning": thought(model.invoke(QUESTION)), "stream_reasoning": stream()["reasoning"]}


def _agent(question: str, tools: list[Any], *, streaming: bool = False) -> dict[str, Any]:
    agent = create_agent(model, tools=[tool(each) for each in tools])
    given = {"messages": [{"role": "user", "content": question}]}
    if not streaming:
        return {"text": agent.invoke(given, {"recursion_limit": 60})["messages"][-1].text}
    text = ""
    for message, _ in agent.stream(given, stream_mode="messages"):
        text += message.text if type(message).__name__ == "AIMessageChunk" else ""
    return {"text": text}


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int


def structured() -> dict[str, Any]:
    answer = model.with_structured_output(Weather).invoke(STRUCTURED["question"])
    return {"parsed": answer.model_dump() if answer else None}


def usage() -> dict[str, Any]:
    return {
        "usage": counted(model.invoke(QUESTION)),
        "stream_usage": stream(stream_usage=True)["usage"],
    }


main({
    "plain": plain, "stream": stream, "reasoning": reasoning, "structured": structured,
    "tools": lambda: _agent(WEATHER["question"], [get_weather]),
    "stream_tools": lambda: _agent(WEATHER["question"], [get_weather], streaming=True),
    "agent": lambda: _agent(AGENT["task"], list(AGENT_TOOLS.values())), "usage": usage,
})  # fmt: skip
