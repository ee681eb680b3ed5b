"""Turns the `openai` package into evidence: its plain client, its stream and its parser."""

from __future__ import annotations

import json
from typing import Any

import openai
from pydantic import BaseModel
from use import (
    AGENT,
    API_KEY,
    BASE_URL,
    MODEL,
    PING,
    QUESTION,
    STRUCTURED,
    TOOLS,
    WEATHER,
    main,
    openai_numbers,
)

client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)


def asked(content: Any = QUESTION) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def plain() -> dict[str, Any]:
    answer = client.chat.completions.create(model=MODEL, messages=asked())
    choice = answer.choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason}


def _streamed(**more: Any) -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0, "reasoning": "", "finish": None}
    for chunk in client.chat.completions.create(model=MODEL, messages=asked(), stream=True, **more):
        if chunk.usage:
            saw["usage"] = openai_numbers(chunk.usage)
        for choice in chunk.choices:
            saw["text"] += choice.delta.content or ""
            saw["pieces"] += bool(choice.delta.content)
            saw["reasoning"] += getattr(choice.delta, "reasoning_content", None) or ""
            saw["finish"] = choice.finish_reason or saw["finish"]
    return saw


def stream() -> dict[str, Any]:
    return _streamed()


def reasoning() -> dict[str, Any]:
    answer = client.chat.completions.create(model=MODEL, messages=asked())
    return {
        "reasoning": getattr(answer.choices[0].message, "reasoning_content", None),
        "stream_reasoning": _streamed()["reasoning"],
    }


def _loop(question: str, tools: list[Any]) -> dict[str, Any]:
    messages: list[Any] = asked(question)
    while True:
        answer = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"text": message.content}
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def tools() -> dict[str, Any]:
    return _loop(WEATHER["question"], [WEATHER["tool"]])


def agent() -> dict[str, Any]:
    return _loop(AGENT["task"], AGENT["tools"])


def stream_tools() -> dict[str, Any]:
    """Let the package's own helper put the deltas together."""
    completions = client.chat.completions
    helper = getattr(completions, "stream", None) or client.beta.chat.completions.stream
    messages: list[Any] = asked(WEATHER["question"])
    while True:
        with helper(model=MODEL, messages=messages, tools=[WEATHER["tool"]]) as stream:
            message = stream.get_final_completion().choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"text": message.content}
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


class Ping(BaseModel):
    """Tell whether the machine is there."""


def ping() -> dict[str, Any]:
    """Let the package's own parser read the arguments of a tool without parameters."""
    parse = getattr(client.chat.completions, "parse", None) or client.beta.chat.completions.parse
    tool = openai.pydantic_function_tool(Ping, name="ping")
    messages: list[Any] = asked(PING["question"])
    while True:
        message = parse(model=MODEL, messages=messages, tools=[tool]).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"text": message.content}
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**dict(call.function.parsed_arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


class Weather(BaseModel):
    city: str
    degrees: int


def structured() -> dict[str, Any]:
    completions = getattr(client.chat.completions, "parse", None)
    parse = completions or client.beta.chat.completions.parse
    answer = parse(model=MODEL, messages=asked(STRUCTURED["question"]), response_format=Weather)
    return {"parsed": answer.choices[0].message.parsed.model_dump()}


def usage() -> dict[str, Any]:
    answer = client.chat.completions.create(model=MODEL, messages=asked())
    streamed = _streamed(stream_options={"include_usage": True})
    return {"usage": openai_numbers(answer.usage), "stream_usage": streamed.get("usage")}


main({
    "plain": plain, "stream": stream, "reasoning": reasoning, "tools": tools, "agent": agent,
    "structured": structured, "usage": usage, "stream_tools": stream_tools, "ping": ping,
})  # fmt: skip
