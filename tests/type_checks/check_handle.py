"""What a user's type checker must accept and refuse; it is checked, never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

from openai import AsyncOpenAI, OpenAI

from k3mock.handle import When
from k3mock.journal import JournalEntry

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock import K3Mock
    from k3mock.protocol.reply import Reply


def accepted(k3mock: K3Mock, path: Path, answer: Reply) -> None:
    k3mock.reply("Short.", reasoning="Three sentences.")
    k3mock.reply(tool_calls=[{"name": "f", "arguments": {"a": 1}}], times=2)
    k3mock.reply({"content": {"tokens": 20}}, pace="realistic", cached_tokens=3)
    k3mock.reply(answer)
    k3mock.reply_error("rate_limited", seconds=7)
    k3mock.reply_error(503)
    k3mock.reply_fault("cut_mid_stream", "text", after={"content_tokens": 3}, how="reset")
    k3mock.scenario(path)
    k3mock.scenario({"turns": [{"reply": "a"}]})
    k3mock.cassette("login")
    assert_type(k3mock.when(last={"role": "tool"}, tools=["f"], not_={"stream": True}), When)
    assert_type(k3mock.last_request, JournalEntry)
    assert k3mock.last_request.json["reasoning_effort"] == "low"
    assert_type(k3mock.requests, list[JournalEntry])
    assert_type(k3mock.calls(where={"last": "hi"}), list[JournalEntry])
    k3mock.calls(lambda entry: entry.status == 200)
    k3mock.assert_called(where={"stream": True}, times=1)
    assert_type(k3mock.openai(max_retries=0), OpenAI)
    assert_type(k3mock.async_openai(), AsyncOpenAI)
    assert_type(k3mock.base_url_for(profile="evolink"), str)


def refused(k3mock: K3Mock) -> None:
    k3mock.reply(3)  # type: ignore[arg-type]
    k3mock.reply("a", reasonning="b")  # type: ignore[call-arg]
    k3mock.reply("a", cached_tokens="3")  # type: ignore[arg-type]
    k3mock.when(lst="a")  # type: ignore[call-arg]
    k3mock.reply_fault()  # type: ignore[call-arg]
    k3mock.assert_called(times="1")  # type: ignore[arg-type]
