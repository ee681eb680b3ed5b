"""Lenient reading: what has the wrong type is read as absent, never as an error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.read import read_request, request_digest
from k3mock.protocol.request import (
    ChoiceMode,
    MediaPart,
    OtherPart,
    ResponseFormat,
    TextPart,
    ToolCall,
    ToolChoice,
)
from tests.contract.black_box import called, function

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.request import ChatRequest, Message

ODD: list[Any] = [None, 5, 1.5, True, "x", [], {}, [None], [[]], {"a": 1}]


def read(profile: Profile, **body: Any) -> ChatRequest:
    return read_request(body, profile)


def message(profile: Profile, **fields: Any) -> Message:
    return read(profile, messages=[fields]).messages[0]


def test_an_empty_body_has_the_profile_s_defaults(moonshot: Profile) -> None:
    request = read(moonshot)
    assert (request.model, request.messages, request.tools) == ("", (), ())
    assert (request.effort, request.cap, request.stop) == ("max", None, ())
    assert not request.stream
    assert not request.include_usage
    assert request.tool_choice == ToolChoice(mode=ChoiceMode.AUTO)
    assert request.response_format == ResponseFormat(kind="text")


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    "field",
    ["model", "messages", "tools", "tool_choice", "response_format", "reasoning_effort",
     "thinking", "max_tokens", "max_completion_tokens", "stop", "stream", "stream_options"],
)  # fmt: skip
def test_any_value_in_any_field_is_read(field: str, value: Any, moonshot: Profile) -> None:
    request = read(moonshot, **{field: value})
    assert request.body == {field: value}
    assert request.effort == "max"


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    "field",
    ["role", "content", "name", "reasoning_content", "tool_calls", "tool_call_id", "tools",
     "partial"],
)  # fmt: skip
def test_any_value_in_any_field_of_a_message_is_read(
    field: str, value: Any, moonshot: Profile
) -> None:
    found = read(moonshot, messages=[{"role": "system", field: value}, value]).messages
    assert [item.position for item in found] == [0, 1]


@pytest.mark.parametrize(
    ("fields", "effort"),
    [
        pytest.param({"reasoning_effort": "low"}, "low", id="asked"),
        pytest.param({"reasoning_effort": "medium"}, "max", id="unknown"),
        pytest.param({"reasoning_effort": "low", "thinking": {}}, "low", id="empty-thinking"),
        pytest.param({"thinking": {"effort": "high"}}, "high", id="inside"),
        pytest.param(
            {"thinking": {"effort": "high"}, "reasoning_effort": "low"}, "high", id="inside-wins"
        ),
        pytest.param(
            {"thinking": {"effort": "odd"}, "reasoning_effort": "low"}, "low", id="odd-inside"
        ),
        pytest.param(
            {"thinking": {"effort": 5}, "reasoning_effort": ["low"]}, "max", id="wrong-types"
        ),
    ],
)
def test_the_effort_inside_thinking_wins(
    fields: dict[str, Any], effort: str, moonshot: Profile
) -> None:
    """The vendor's verifier asserts it, though its own introduction says the opposite."""
    assert read(moonshot, **fields).effort == effort


def test_an_ignored_thinking_object_is_not_looked_at(moonshot: Profile) -> None:
    ignoring = replace(moonshot, switches={**moonshot.switches, "thinking": "ignore"})
    assert read(ignoring, thinking={"effort": "high"}, reasoning_effort="low").effort == "low"


@pytest.mark.parametrize(
    ("fields", "cap"),
    [
        pytest.param({"max_tokens": 5}, 5, id="deprecated"),
        pytest.param({"max_completion_tokens": 5}, 5, id="newer"),
        pytest.param({"max_completion_tokens": 5, "max_tokens": 9}, 5, id="both"),
        pytest.param({"max_completion_tokens": 0, "max_tokens": 9}, 0, id="nothing"),
        pytest.param({"max_completion_tokens": None, "max_tokens": 9}, 9, id="null"),
        pytest.param({"max_completion_tokens": "5", "max_tokens": 9}, 9, id="text"),
        pytest.param({"max_completion_tokens": 5.0}, 5, id="point-nothing"),
        pytest.param({"max_completion_tokens": 5.5}, None, id="fraction"),
        pytest.param({"max_completion_tokens": True}, None, id="bool"),
    ],
)
def test_the_newer_cap_wins(fields: dict[str, Any], cap: int | None, moonshot: Profile) -> None:
    """A note in the vendor's own client: confirmed against the live endpoint."""
    assert read(moonshot, **fields).cap == cap


def test_stop_words_are_read_as_one_or_many(moonshot: Profile) -> None:
    assert read(moonshot, stop="a").stop == ("a",)
    assert read(moonshot, stop=["a", 5, None, "b"]).stop == ("a", "b")


def test_only_true_streams(moonshot: Profile) -> None:
    assert read(moonshot, stream=True, stream_options={"include_usage": True}).include_usage
    request = read(moonshot, stream="true", stream_options={"include_usage": 1})
    assert not request.stream
    assert not request.include_usage


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param("hi", (TextPart("hi"),), id="text"),
        pytest.param("", (), id="empty"),
        pytest.param(None, (), id="null"),
        pytest.param([{"type": "text", "text": "a"}], (TextPart("a"),), id="text-part"),
        pytest.param([{"type": "text"}], (TextPart(""),), id="text-part-without-text"),
        pytest.param(
            [{"type": "image_url", "image_url": {"url": "ms://a"}}],
            (MediaPart("image", "ms://a"),),
            id="image",
        ),
        pytest.param([{"type": "video_url", "video_url": "ms://a"}],
                     (MediaPart("video", "ms://a"),), id="video"),
        pytest.param([{"type": "image_url"}], (MediaPart("image", ""),), id="no-url"),
        pytest.param([{"type": "image_url", "image_url": {"url": 5}}], (MediaPart("image", ""),),
                     id="odd-url"),
        pytest.param([{"type": "file"}, "x", {}], (OtherPart("file"), OtherPart(""), OtherPart("")),
                     id="others"),
    ],
)  # fmt: skip
def test_content_is_read_as_parts(content: Any, parts: tuple[Any, ...], moonshot: Profile) -> None:
    assert message(moonshot, role="user", content=content).parts == parts


def test_calls_are_read_as_sent(moonshot: Profile) -> None:
    found = message(moonshot, **called("a_0", "b_1"))
    assert [call.id for call in found.tool_calls] == ["a_0", "b_1"]
    assert found.tool_calls[0] == ToolCall(id="a_0", name="find_train", arguments="{}")
    odd = message(moonshot, role="assistant", tool_calls=[5, {"id": 5, "function": 5}])
    assert odd.tool_calls == (ToolCall(id="", name="", arguments=""),) * 2


def test_tools_are_declared_by_system_messages_only(moonshot: Profile) -> None:
    declared = [function("a"), 5, function("b")]
    assert [tool.name for tool in message(moonshot, role="system", tools=declared).tools] == [
        "a",
        "b",
    ]
    assert message(moonshot, role="user", tools=declared).tools == ()


def test_a_tool_keeps_what_was_declared(moonshot: Profile) -> None:
    item = function("a", {"type": "object"}, description="Does it.", strict=False)
    [tool] = read(moonshot, tools=[item]).tools
    assert tool.declared == item
    assert (tool.name, tool.description) == ("a", "Does it.")
    assert tool.parameters == {"type": "object"}
    [odd] = read(moonshot, tools=[{"function": {"name": 5, "parameters": "x"}}]).tools
    assert (odd.name, odd.description, odd.parameters) == ("", "", {})


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param("none", ToolChoice(mode=ChoiceMode.NONE), id="none"),
        pytest.param("required", ToolChoice(mode=ChoiceMode.REQUIRED), id="required"),
        pytest.param("named", ToolChoice(), id="not-a-word-of-the-vendor"),
        pytest.param("bogus", ToolChoice(), id="bogus"),
        pytest.param(
            {"type": "function", "function": {"name": "a"}},
            ToolChoice(mode=ChoiceMode.NAMED, name="a"),
            id="by-name",
        ),
        pytest.param({"function": {"name": ""}}, ToolChoice(), id="no-name"),
    ],
)
def test_the_tool_choice_is_read(choice: Any, expected: ToolChoice, moonshot: Profile) -> None:
    assert read(moonshot, tool_choice=choice).tool_choice == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"type": "json_object"}, ResponseFormat(kind="json_object"), id="object"),
        pytest.param({"type": "text"}, ResponseFormat(), id="text"),
        pytest.param({"type": "json_schema"}, ResponseFormat(), id="no-schema"),
        pytest.param(
            {"type": "json_schema", "json_schema": {"schema": {"a": 1}}},
            ResponseFormat(kind="json_schema", schema={"a": 1}, strict=True),
            id="schema",
        ),
        pytest.param(
            {"type": "json_schema", "json_schema": {"schema": {}, "strict": False}},
            ResponseFormat(kind="json_schema", schema={}, strict=False),
            id="loose",
        ),
        pytest.param(
            {"type": "json_schema", "json_schema": {"schema": {}, "strict": None}},
            ResponseFormat(kind="json_schema", schema={}, strict=True),
            id="null-is-strict",
        ),
    ],
)
def test_the_response_format_is_read(
    value: Any, expected: ResponseFormat, moonshot: Profile
) -> None:
    """Strict unless told otherwise, unlike elsewhere (OpenAPI)."""
    assert read(moonshot, response_format=value).response_format == expected


def test_only_the_last_message_is_a_beginning_to_continue(moonshot: Profile) -> None:
    begun = {"role": "assistant", "content": "1.", "partial": True}
    assert read(moonshot, messages=[begun]).partial is not None
    assert read(moonshot, messages=[begun, {"role": "user"}]).partial is None
    assert read(moonshot, messages=[{**begun, "partial": "yes"}]).partial is None
    assert read(moonshot, messages=[{**begun, "role": "user"}]).partial is None


def test_a_digest_does_not_depend_on_the_way_of_travel_or_the_order_of_keys() -> None:
    base = request_digest({"model": "a", "messages": []})
    assert len(base) == 16
    assert request_digest({"messages": [], "model": "a"}) == base
    streamed: JSONObject = {"model": "a", "messages": [], "stream": True, "stream_options": {}}
    assert request_digest(streamed) == base
    assert request_digest({"model": "b", "messages": []}) != base
    assert request_digest({"model": "a", "messages": [], "seed": 1}) != base
