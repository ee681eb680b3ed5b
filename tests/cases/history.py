"""Histories that cases send."""

from __future__ import annotations

from typing import Any


def user(content: Any = "What is the weather in Izmir?") -> dict[str, Any]:
    return {"role": "user", "content": content}


def said(content: str | None = "Sunny.", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def called(*ids: str, name: str = "get_weather", **more: Any) -> dict[str, Any]:
    """An assistant message that called a tool, once for each id."""
    calls = [
        {"id": call_id, "type": "function",
         "function": {"name": name, "arguments": '{"city":"Izmir"}'}}
        for call_id in ids
    ]  # fmt: skip
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def result(call_id: str | None, content: str = "31 °C") -> dict[str, Any]:
    """A tool's result; None leaves the id out."""
    found = {"role": "tool", "content": content}
    return found if call_id is None else {**found, "tool_call_id": call_id}


def round_trip(**more: Any) -> list[dict[str, Any]]:
    """Ask, call, result; `more` goes into the calling message."""
    return [user(), called("get_weather_0", **more), result("get_weather_0")]
