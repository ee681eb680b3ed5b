"""Turns `instructor` over the `openai` package into evidence, in its default mode or another."""

from __future__ import annotations

import os
from typing import Any

import instructor
import openai
from pydantic import BaseModel
from use import API_KEY, BASE_URL, MODEL, QUESTION, STRUCTURED, main, openai_numbers

MODE = os.environ.get("K3_MODE")
sdk = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)
client = (
    instructor.from_openai(sdk, mode=instructor.Mode[MODE]) if MODE else instructor.from_openai(sdk)
)


class Weather(BaseModel):
    city: str
    degrees: int


def ask(content: str = QUESTION, model: Any = None, **more: Any) -> Any:
    messages = [{"role": "user", "content": content}]
    return client.chat.completions.create(
        model=MODEL, messages=messages, response_model=model, **more
    )


def plain() -> dict[str, Any]:
    choice = ask().choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason}


def _streamed(**more: Any) -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0, "reasoning": ""}
    for chunk in ask(stream=True, **more):
        if chunk.usage:
            saw["usage"] = openai_numbers(chunk.usage)
        for choice in chunk.choices:
            saw["text"] += choice.delta.content or ""
            saw["pieces"] += bool(choice.delta.content)
            saw["reasoning"] += getattr(choice.delta, "reasoning_content", None) or ""
    return saw


def reasoning() -> dict[str, Any]:
    return {
        "reasoning": getattr(ask().choices[0].message, "reasoning_content", None),
        "stream_reasoning": _streamed()["reasoning"],
    }


def structured() -> dict[str, Any]:
    return {"parsed": ask(STRUCTURED["question"], Weather).model_dump()}


def usage() -> dict[str, Any]:
    return {
        "usage": openai_numbers(ask().usage),
        "stream_usage": _streamed(stream_options={"include_usage": True}).get("usage"),
    }


main({
    "plain": plain, "stream": _streamed, "reasoning": reasoning, "structured": structured,
    "usage": usage,
})  # fmt: skip
