"""Turns a request body into what sources are asked, for tests without a server."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.matching.source import Asked
from k3mock.matching.view import View
from k3mock.seed import Seed
from k3mock.state import Session
from tests.support import request

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile


@cache
def moonshot() -> Profile:
    return load_profile("moonshot")


def asked(content: str = "hi", **given: Any) -> Asked:
    """Return a request as sources see it; `body` replaces it, other names are those of `Asked`."""
    fields = {key: given.pop(key) for key in list(given) if key not in Asked.__slots__}
    body = given.pop("body", None) or request(content, **fields)
    usual: dict[str, Any] = {
        "headers": {}, "profile": "moonshot", "session": Session("t"), "seed": Seed(1),
        "attempt": 1, "retry": False, "prompt_tokens": lambda: 10,
    }  # fmt: skip
    return Asked(request=read_request(body, moonshot()), body=body, **{**usual, **given})


def view(content: str = "hi", **given: Any) -> View:
    return View(asked(content, **given))


def dialogue(*messages: Any) -> list[dict[str, Any]]:
    """Return messages of `(role, content)` pairs, mappings taken as they are."""
    return [
        each if isinstance(each, dict) else {"role": each[0], "content": each[1]}
        for each in messages
    ]


def called(*names: str, **more: Any) -> dict[str, Any]:
    """Return an assistant turn that calls functions."""
    calls = [
        {"id": f"{name}_{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(names)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}
