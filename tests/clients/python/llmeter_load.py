"""Turns LLMeter, a load tool, into evidence: its endpoints for chat completions."""

from __future__ import annotations

from typing import Any

from llmeter.endpoints.openai import OpenAICompletionEndpoint, OpenAICompletionStreamEndpoint
from use import API_KEY, BASE_URL, MODEL, QUESTION, main, numbers


class EndpointError(Exception):
    """What the tool reports as an error."""


def measured(kind: Any) -> tuple[dict[str, Any], Any]:
    endpoint = kind(model_id=MODEL, api_key=API_KEY, base_url=BASE_URL)
    payload = kind.create_payload(QUESTION, max_completion_tokens=4096)
    found = endpoint.invoke(payload)
    if found.error:
        raise EndpointError(found.error)
    return {"text": found.response_text}, found


def counted(found: Any) -> dict | None:
    if not found.num_tokens_input:
        return None
    return numbers(
        found.num_tokens_input,
        found.num_tokens_output,
        found.num_tokens_output_reasoning,
        found.num_tokens_input_cached,
    )


def plain() -> dict[str, Any]:
    return measured(OpenAICompletionEndpoint)[0]


def stream() -> dict[str, Any]:
    saw, found = measured(OpenAICompletionStreamEndpoint)
    early = found.time_to_first_token and found.time_to_first_token < found.time_to_last_token
    return {**saw, "pieces": 2 if early else 1}


def usage() -> dict[str, Any]:
    return {
        "usage": counted(measured(OpenAICompletionEndpoint)[1]),
        "stream_usage": counted(measured(OpenAICompletionStreamEndpoint)[1]),
    }


main({"plain": plain, "stream": stream, "stream_usage": stream, "usage": usage})
