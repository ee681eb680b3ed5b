from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from k3mock.answered import (
    MAX_CHARS,
    answered,
    arguments_digest,
    retry_after_s,
    same_words,
    text_digest,
)
from k3mock.protocol.failure import mock_error
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import (
    Chunk,
    ContentDelta,
    Disconnect,
    ErrorEvent,
    Raw,
    ReasoningDelta,
    Reply,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.protocol.usage import Usage
from k3mock.wire.chunks import encode_frames
from k3mock.wire.envelope import Envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.jsonvalue import JSONValue
    from k3mock.wire.frame import Frame

SAID = Reply(
    events=(
        ReasoningDelta("Think"),
        ContentDelta(" Hi"),
        ContentDelta(" there "),
        ToolCallStart("f", id="f_0"),
        ToolArgumentsDelta('{"b": 1, "a"'),
        ToolArgumentsDelta(": 2}"),
    ),
    finish="tool_calls",
    usage=Usage(prompt=7, completion=9, cached=3),
)
ENVELOPE = Envelope(id="i", created=1, model="m", fingerprint="f")


def frames(reply: Reply) -> Sequence[Frame]:
    return encode_frames(reply, ENVELOPE, WirePolicy(), include_usage=False)


def test_an_answer_is_kept_by_digests_ids_and_end() -> None:
    kept = answered(SAID, frames(SAID), reasoning=True)
    assert kept is not None
    assert kept.as_json() == {
        "content": {"start": "Hi there", "digest": text_digest("Hi there")},
        "reasoning": text_digest("Think"),
        "tool_calls": [
            {"id": "f_0", "name": "f", "arguments": arguments_digest('{"a":2,"b":1}')[0],
             "cut": False}
        ],
        "finish_reason": "tool_calls",
        "whole_after_events": 8,
        "done": True,
        "prompt_tokens": 7,
        "cached_tokens": 3,
    }  # fmt: skip
    assert kept.size == len("Hi there") + 128 + 256


def test_a_whole_body_is_one_event_and_reasoning_may_not_count() -> None:
    kept = answered(replace(SAID, usage=None), None, reasoning=False)
    assert kept is not None
    assert (kept.whole_after, kept.done, kept.reasoning) == (1, True, None)
    assert (kept.prompt_tokens, kept.cached_tokens) == (None, None)


def test_of_a_long_answer_the_beginning_is_kept() -> None:
    long = Reply(events=(ContentDelta("x" * MAX_CHARS + "y"),))
    kept = answered(long, None, reasoning=True)
    assert kept is not None
    assert kept.text == "x" * MAX_CHARS
    assert kept.content == text_digest("x" * MAX_CHARS + "y")


def test_keys_are_hidden_as_they_are_in_requests() -> None:
    kept = answered(Reply(events=(ContentDelta("mine-9 sk-Abcdefgh1"),)), None,
                    reasoning=True, secrets=("mine-9",))  # fmt: skip
    assert kept is not None
    assert kept.text == "[redacted] [redacted]"


@pytest.mark.parametrize("literal", [Chunk({"x": 1}), Raw(b"x"), ToolDelta({"index": 0})])
def test_what_stands_literally_in_an_answer_cannot_be_kept(
    literal: Chunk | Raw | ToolDelta,
) -> None:
    assert answered(Reply(events=(ContentDelta("x"), literal)), None, reasoning=True) is None


@pytest.mark.parametrize(
    ("omit", "whole_after", "done"),
    [
        (frozenset[str](), 8, True),
        (frozenset({"done"}), 8, False),
        (frozenset({"finish"}), 8, True),
        (frozenset({"finish", "done"}), None, False),
    ],
)
def test_a_stream_is_whole_after_its_finish_or_done(
    omit: frozenset[str], whole_after: int | None, *, done: bool
) -> None:
    kept = answered(SAID, frames(replace(SAID, omit=omit)), reasoning=True)
    assert kept is not None
    assert (kept.whole_after, kept.done) == (whole_after, done)


def test_a_stream_with_an_error_is_never_whole() -> None:
    failing = replace(SAID, events=(*SAID.events, ErrorEvent(mock_error("x"))))
    kept = answered(failing, frames(failing), reasoning=True)
    assert kept is not None
    assert (kept.whole_after, kept.done) == (None, False)


def test_what_faults_do_to_frames_may_leave_the_words() -> None:
    plain = frames(SAID)
    cut = frames(replace(SAID, events=(*SAID.events[:2], Disconnect(), *SAID.events[2:])))
    assert same_words(plain, plain)
    assert same_words(plain, cut)
    assert not same_words(plain, (*plain[:2], *plain[3:]))


@pytest.mark.parametrize(
    ("arguments", "cut"),
    [('{"a": 1}', False), ("", False), (None, False), ({"a": 1}, False), ('{"a": ', True)],
)
def test_arguments_are_cut_when_they_are_no_json(arguments: JSONValue, *, cut: bool) -> None:
    assert arguments_digest(arguments)[1] is cut


def test_no_arguments_are_the_same_in_every_form() -> None:
    nothing: list[JSONValue] = ["", "{}", " ", None, {}]
    assert len({arguments_digest(none)[0] for none in nothing}) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "50", "retry-after": "2"}, 0.05),
        ({"retry-after-ms": "-1", "retry-after": "1.5"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 10.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_the_wait_is_read_from_either_header(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after_s(headers, 90.0) == seconds
