"""Turns `llm` with an OpenAI-compatible model of its extra-openai-models.yaml into evidence."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

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

folder = Path(os.environ["HOME"]) / "llm"
folder.mkdir()
os.environ["LLM_USER_PATH"] = str(folder)
os.environ["OPENAI_API_KEY"] = API_KEY
(folder / "extra-openai-models.yaml").write_text(f"""
- model_id: kimi
  model_name: {MODEL}
  api_base: {BASE_URL}
  supports_tools: true
  supports_schema: true
""")

import llm  # noqa: E402 - it looks for its folder when it is imported

model = llm.get_model("kimi")


def counted(response: Any) -> dict | None:
    found = response.usage()
    details = found.details or {}
    if not found.input:
        return None
    return numbers(
        found.input,
        found.output,
        (details.get("completion_tokens_details") or {}).get("reasoning_tokens"),
        (details.get("prompt_tokens_details") or {}).get("cached_tokens")
        or details.get("cached_tokens"),
    )


def thought(response: Any) -> str:
    return "".join(each.chunk for each in response.stream_events() if each.type == "reasoning")


def plain() -> dict[str, Any]:
    return {"text": model.prompt(QUESTION, stream=False).text()}


def stream() -> dict[str, Any]:
    pieces = list(model.prompt(QUESTION, stream=True))
    return {"text": "".join(pieces), "pieces": len(pieces)}


def reasoning() -> dict[str, Any]:
    return {
        "reasoning": thought(model.prompt(QUESTION, stream=False)),
        "stream_reasoning": thought(model.prompt(QUESTION, stream=True)),
    }


def _chain(question: str, tools: list[Any]) -> dict[str, Any]:
    chain = model.conversation().chain(question, tools=tools, stream=False, chain_limit=30)
    return {"text": [response.text() for response in chain.responses()][-1]}


def structured() -> dict[str, Any]:
    answer = model.prompt(STRUCTURED["question"], schema=STRUCTURED["schema"], stream=False)
    return {"parsed": json.loads(answer.text())}


def usage() -> dict[str, Any]:
    whole = model.prompt(QUESTION, stream=False)
    whole.text()
    streamed = model.prompt(QUESTION, stream=True)
    streamed.text()
    return {"usage": counted(whole), "stream_usage": counted(streamed)}


main({
    "plain": plain, "stream": stream, "reasoning": reasoning, "structured": structured,
    "tools": lambda: _chain(WEATHER["question"], [get_weather]),
    "agent": lambda: _chain(AGENT["task"], list(AGENT_TOOLS.values())), "usage": usage,
})  # fmt: skip
