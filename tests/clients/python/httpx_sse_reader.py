"""Turns `httpx` with `httpx-sse`, on which many clients are built, into evidence."""

from __future__ import annotations

import json
from typing import Any

import httpx
from httpx_sse import connect_sse
from use import API_KEY, BASE_URL, MODEL, QUESTION, main


def stream() -> dict[str, Any]:
    saw: dict[str, Any] = {"text": "", "pieces": 0}
    body = {
        "model": MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": QUESTION}],
    }
    headers = {"Authorization": f"Bearer {API_KEY}"}
    with (
        httpx.Client(timeout=30) as client,
        connect_sse(
            client, "POST", f"{BASE_URL}/chat/completions", json=body, headers=headers
        ) as source,
    ):
        for event in source.iter_sse():
            if event.data == "[DONE]":
                break
            chunk = json.loads(event.data)
            if "error" in chunk:
                raise RuntimeError(chunk["error"]["message"])
            for choice in chunk["choices"]:
                delta = choice["delta"]
                saw["text"] += delta.get("content") or ""
                saw["pieces"] += bool(delta.get("content"))
    return saw


main({"stream": stream})
