"""Turns what a plain client got into the line of JSON that the runner reads."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

BASE_URL = os.environ["K3_BASE_URL"]
URL = f"{BASE_URL}/chat/completions"
KEY = os.environ["K3_API_KEY"]
USE = os.environ["K3_USE"]
QUESTION = json.loads((Path(__file__).parents[1] / "words.json").read_text("utf-8"))["question"]


class UnsupportedError(Exception):
    """The client offers no such thing."""


class FailedError(Exception):
    """The client says that it failed; `kind` is how, in its own short words."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def body(*, stream: bool = False) -> bytes:
    asked = {
        "model": os.environ["K3_MODEL"],
        "messages": [{"role": "user", "content": QUESTION}],
        "stream": stream,
    }
    return json.dumps(asked).encode()


def squeezed() -> bytes:
    return gzip.compress(body())


def whole(answer: bytes | str) -> dict[str, Any]:
    """Read a whole answer, or the error that came in its place."""
    found = json.loads(answer)
    if "error" in found:
        return {"refused": found["error"]["message"]}
    return {"text": found["choices"][0]["message"]["content"]}


def several(answers: str) -> list[str]:
    """Read whole answers that stand one behind the other."""
    texts: list[str] = []
    decoder, at = json.JSONDecoder(), 0
    while at < len(answers.rstrip()):
        found, at = decoder.raw_decode(answers, at)
        texts.append(found["choices"][0]["message"]["content"])
    return texts


def streamed(answer: bytes | str) -> dict[str, Any]:
    """Read a stream: its text, in how many pieces, and whether it came to its end."""
    text = answer if isinstance(answer, str) else answer.decode()
    pieces: list[str] = []
    events = [line.removeprefix("data: ") for line in text.splitlines() if line]
    for event in events:
        if event == "[DONE]":
            continue
        found = json.loads(event)
        pieces += [choice["delta"].get("content") or "" for choice in found.get("choices", ())]
    said = [piece for piece in pieces if piece]
    return {"text": "".join(said), "pieces": len(said), "done": events[-1:] == ["[DONE]"]}


def main(uses: dict[str, Callable[[], dict[str, Any]]]) -> None:
    """Do what the environment asks for, and say how it came out."""
    outcome = "works"
    try:
        if USE not in uses:
            raise UnsupportedError(f"no {USE}")
        saw = uses[USE]()
    except UnsupportedError as why:
        outcome, saw = "unsupported", {"why": str(why)}
    except Exception as error:
        kind = getattr(error, "kind", type(error).__name__)
        message = " ".join(str(error).split())[:120]
        outcome, saw = "breaks", {"exception": {"class": kind, "message": message}}
    sys.stdout.write("\n" + json.dumps({"outcome": outcome, "saw": saw}) + "\n")
