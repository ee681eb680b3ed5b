"""What a recorded response says."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.cassette.answer import Call, is_stream, joined, json_of
from tests.cassette.samples import JSON, STREAM, USAGE, chunk, completion, interaction, sse


def test_the_deltas_of_a_stream_are_joined() -> None:
    answer = joined(interaction(answer=STREAM).response)
    assert answer.reasoning == "I should look it up."
    assert answer.calls == [Call(id="get_weather:0", name="get_weather",
                                 arguments='{"city":"Izmir"}')]  # fmt: skip
    assert (answer.finish, answer.model, answer.usage) == ("tool_calls", "kimi-k3", USAGE)
    assert (answer.stream, answer.done, len(answer.parts), answer.raw) == (True, True, 8, [])


def test_a_whole_body_says_the_same_as_a_stream() -> None:
    call = {"id": "get_weather:0", "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city":"Izmir"}'}}  # fmt: skip
    whole = completion("", reasoning_content="I should look it up.", tool_calls=[call],
                       finish="tool_calls")  # fmt: skip
    answer = joined(interaction(answer=whole).response)
    assert answer.as_json() == joined(interaction(answer=STREAM).response).as_json()
    assert not answer.stream


@pytest.mark.parametrize(
    ("said", "reasoning"),
    [
        pytest.param({"reasoning": "a"}, "a", id="reasoning"),
        pytest.param({"reasoning_content": "a", "reasoning": "a"}, "a", id="both"),
        pytest.param({"reasoning_details": [{"text": "a"}, {"summary": "b"}]}, "ab", id="details"),
        pytest.param({}, "", id="none"),
    ],
)
def test_thinking_is_found_where_hosts_put_it(said: dict[str, str], reasoning: str) -> None:
    assert joined(interaction(answer=completion(**said)).response).reasoning == reasoning


@pytest.mark.parametrize(
    ("items", "calls"),
    [
        pytest.param(
            [{"id": "a", "function": {"name": "f", "arguments": "1"}},
             {"id": "a", "function": {"arguments": "2"}},
             {"id": "b", "function": {"name": "g", "arguments": "3"}}],
            [("f", "12"), ("g", "3")], id="no-index",
        ),
        pytest.param([{"function": {"name": "f", "arguments": {"a": 1}}}], [("f", '{"a":1}')],
                     id="object"),
        pytest.param([{"index": 7, "function": {"name": "f"}}], [("f", "")], id="odd-index"),
        pytest.param([{"index": 0, "function": {"arguments": None}}], [("", "")], id="null"),
    ],
)  # fmt: skip
def test_calls_are_joined_whatever_numbers_them(items: Any, calls: Any) -> None:
    answer = joined(interaction(answer=sse(*(chunk(tool_calls=[item]) for item in items))).response)
    assert [(call.name, call.arguments) for call in answer.calls] == calls


def test_only_the_first_choice_counts() -> None:
    second = completion("no")["choices"][0] | {"index": 1}
    both = completion("yes")
    both["choices"].append(second)
    assert joined(interaction(answer=both).response).content == "yes"


def test_errors_and_what_is_no_json_are_kept() -> None:
    answer = joined(interaction(answer=sse({"error": {"message": "m"}}, "oops")).response)
    assert (answer.error, answer.raw) == ({"message": "m"}, ["oops"])
    page = joined(interaction(answer=b"<html>", headers=()).response)
    assert (page.raw, page.parts, page.stream) == (["<html>"], [], False)
    assert joined(interaction(answer=b"").response).as_json() == {}


def test_a_stream_is_known_by_its_type_or_by_its_bytes() -> None:
    assert is_stream(interaction(answer=b"\xef\xbb\xbf\n: hi\n\n", headers=JSON).response)
    assert is_stream(interaction(answer=b"", headers=(("content-type", "Text/Event-Stream"),))
                     .response)  # fmt: skip
    assert not is_stream(interaction().response)


def test_typed_blocks_are_text() -> None:
    answer = joined(interaction(answer=completion([{"type": "text", "text": "a"}, {"text": "b"}]))  # type: ignore[arg-type]
                    .response)  # fmt: skip
    assert answer.content == "ab"


def test_json_of_gives_none_for_what_is_none() -> None:
    assert json_of('{"a": 1}') == {"a": 1}
    assert json_of(b"{") is None
