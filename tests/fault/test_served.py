"""Faults whose effect only shows when an answer is accounted for and sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import chat

if TYPE_CHECKING:
    from k3mock.serving import MockServer


@pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])
def test_no_usage_is_nowhere(stream: bool, server: MockServer) -> None:
    options = "fault=no_usage;session=no-usage"
    asked = {"include_usage": True} if stream else None
    answer = chat(server, options=options, stream=stream, stream_options=asked)
    assert b"usage" not in answer.body


def test_zero_usage_is_zero(server: MockServer) -> None:
    answer = chat(server, options="fault=zero_usage;session=zero-usage")
    zeros = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
    assert answer.json["usage"] == zeros


def test_usage_agrees_with_an_answer_that_was_filtered_early(server: MockServer) -> None:
    options = "fault=content_filter_finish(after:{reasoning_tokens:7});session=filtered"
    answer = chat(server, options=options)
    [choice] = answer.json["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("content_filter", "")
    assert answer.json["usage"]["completion_tokens"] == 3 + 7
