"""Turns `any-llm` and its provider `moonshot` into evidence."""

from __future__ import annotations

import json
from typing import Any

import any_llm
from use import (
    AGENT,
    API_KEY,
    BASE_URL,
    MODEL,
    QUESTION,
    STRUCTURED,
    TOOLS,
    WEATHER,
    main,
    openai_numbers,
)


def ask(content: Any = QUESTION, **more: Any) -> Any:
    messages = more.pop("messages", None) or [{"role": "user", "content": content}]
    return any_llm.completion(
        model=MODEL, provider="moonshot", api_base=BASE_URL, api_key=API_KEY, messages=messages,
        **more,
    )  # fmt: skip


def plain() -> dict[str, Any]:
    choice = ask().choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason}


def _streamed(**more: Any) -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0, "reasoning": "", "finish": None}
    for chunk in ask(stream=True, **more):
        if getattr(chunk, "usage", None):
            saw["usage"] = openai_numbers(chunk.usage)
        for choice in chunk.choices:
            saw["text"] += choice.delta.content or ""
            saw["pieces"] += bool(choice.delta.content)
            saw["reasoning"] += getattr(choice.delta.reasoning, "content", None) or ""
            saw["finish"] = choice.finish_reason or saw["finish"]
    return saw


def reasoning() -> dict[str, Any]:
    message = ask().choices[0].message
    return {
        "reasoning": getattr(message.reasoning, "content", None),
        "stream_reasoning": _streamed()["reasoning"],
    }


def _loop(question: str, tools: list[Any]) -> dict[str, Any]:
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        message = ask(messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"text": message.content}
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def structured() -> dict[str, Any]:
    schema = {"name": STRUCTURED["name"], "schema": STRUCTURED["schema"], "strict": True}
    answer = ask(
        STRUCTURED["question"], response_format={"type": "json_schema", "json_schema": schema}
    )
    return {"parsed": json.loads(answer.choices[0].message.content)}


def usage() -> dict[str, Any]:
    return {
        "usage": openai_numbers(ask().usage),
        "stream_usage": _streamed(stream_options={"include_usage": True}).get("usage"),
    }


main({
    "plain": plain, "stream": _streamed, "reasoning": reasoning, "structured": structured,
    "tools": lambda: _loop(WEATHER["question"], [WEATHER["tool"]]),
    "agent": lambda: _loop(AGENT["task"], AGENT["tools"]),
    "usage": usage,
})  # fmt: skip
