"""The same request, whole and streamed, over a socket: the same answer."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import chat_requests
from tests.support import CHAT, Answer, call

if TYPE_CHECKING:
    from k3mock.serving import MockServer

_SESSIONS = itertools.count()


def fresh(server: MockServer, body: dict[str, Any]) -> Answer:
    """Send a request in a session of its own, so that neither is a repeat of the other."""
    return call(server, f"/with/session=forms-{next(_SESSIONS)}{CHAT}", body)


def joined(answer: Answer, *, include_usage: bool) -> dict[str, Any]:
    """Put a stream together as a message with its finish reason and usage."""
    *chunks, done = answer.events
    assert done == "[DONE]"
    usage: Any = None
    if include_usage:
        last = chunks.pop()
        assert last["choices"] == []
        usage = last["usage"]
    found: dict[str, Any] = {"reasoning_content": "", "content": "", "calls": [], "finish": None}
    for chunk in chunks:
        (choice,) = chunk["choices"]
        for kind in ("reasoning_content", "content"):
            found[kind] += choice["delta"].get(kind, "")
        for part in choice["delta"].get("tool_calls", ()):
            if "id" in part:
                assert part["index"] == len(found["calls"])
                found["calls"].append([part["id"], part["function"]["name"], ""])
            found["calls"][part["index"]][2] += part["function"]["arguments"]
        found["finish"] = choice["finish_reason"] or found["finish"]
    found["usage"] = chunks[-1]["choices"][0]["usage"]
    if include_usage:
        assert usage == found["usage"]
    return found


def taken_apart(answer: Answer) -> dict[str, Any]:
    (choice,) = answer.json["choices"]
    message = choice["message"]
    return {
        "reasoning_content": message.get("reasoning_content", ""),
        "content": message["content"],
        "calls": [
            [made["id"], made["function"]["name"], made["function"]["arguments"]]
            for made in message.get("tool_calls", ())
        ],
        "finish": choice["finish_reason"],
        "usage": answer.json["usage"],
    }


@hypothesis.settings(max_examples=120)
@given(body=chat_requests(), include_usage=st.booleans())
def test_a_stream_and_a_whole_answer_say_the_same(
    server: MockServer, body: dict[str, Any], *, include_usage: bool
) -> None:
    whole = fresh(server, body)
    streamed = fresh(
        server, {**body, "stream": True, "stream_options": {"include_usage": include_usage}}
    )
    assert (whole.status, streamed.status) == (200, 200), whole.body
    assert streamed.headers["content-type"] == "text/event-stream"
    assert joined(streamed, include_usage=include_usage) == taken_apart(whole)


@given(body=chat_requests())
def test_an_answer_keeps_to_what_was_asked(server: MockServer, body: dict[str, Any]) -> None:
    found = taken_apart(fresh(server, body))
    usage = found["usage"]
    cap = body.get("max_completion_tokens", body.get("max_tokens"))
    assert cap is None or usage["completion_tokens"] <= cap
    assert (found["finish"] == "length") <= (cap is not None)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    stop = body.get("stop", ())
    words = (stop,) if isinstance(stop, str) else stop
    assert not any(word in found["content"] for word in words)
    offered = {declared["function"]["name"] for declared in body.get("tools", ())}
    assert {name for _, name, _ in found["calls"]} <= offered
    if body.get("tool_choice") == "none":
        assert found["calls"] == []


@given(body=chat_requests())
def test_a_repeat_in_the_same_session_is_fully_cached(
    server: MockServer, body: dict[str, Any]
) -> None:
    path = f"/with/session=forms-{next(_SESSIONS)}{CHAT}"
    first, again = (taken_apart(call(server, path, body)) for _ in range(2))
    usage = again.pop("usage")
    before = first.pop("usage")
    assert first == again
    assert "cached_tokens" not in before
    assert usage["cached_tokens"] == usage["prompt_tokens"] == before["prompt_tokens"]
