"""Counts of whole prompts.

The goldens equal `usage.prompt_tokens` of raw answers and of the vendor's own verifier, or, where
the text says so, of an independent server.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.read import read_request
from k3mock.protocol.request import MediaPart, ToolCall
from k3mock.text.accounting import prompt_tokens
from k3mock.text.media import MediaCosts
from k3mock.text.template import (
    Template,
    argument_text,
    argument_type,
    compact_sorted,
    read_arguments,
)
from tests.support import request, tool

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.request import ChatRequest
    from k3mock.text.template import Prompt


@pytest.fixture
def read(moonshot: Profile) -> Any:
    return lambda body: read_request(body, moonshot)


@pytest.fixture
def render(template: Template, moonshot: Profile) -> Any:
    def render(body: dict[str, Any], *, thinking: bool = True) -> Prompt:
        return template.render(read_request(body, moonshot), thinking=thinking)

    return render


@pytest.fixture
def cost(render: Any) -> Any:
    """What `prompt_tokens` reports, less what a plain user message of one token does."""

    def cost(*messages: dict[str, Any], **fields: Any) -> int:
        rendered: int = render({"model": "kimi-k3", "messages": list(messages), **fields}).rendered
        return rendered - 67 - 10

    return cost


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def image(width: int, height: int) -> dict[str, Any]:
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + width.to_bytes(4) + height.to_bytes(4)
    data = base64.b64encode(head).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


HELLO = "Reply with exactly one word: hello."
CAPITAL = "请用 JSON 格式回答：北京是中国的首都吗？答案需要包含键 capital。"
CAPITAL_SCHEMA = {
    "type": "object",
    "properties": {"capital": {"type": "boolean"}},
    "required": ["capital"],
    "additionalProperties": False,
}
COLOUR = "这张图是什么颜色?只回答颜色名称。"


def with_image(side: int) -> dict[str, Any]:
    return request(messages=[user_parts({"type": "text", "text": COLOUR}, image(side, side))])


def user_parts(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


GOLDEN = [
    pytest.param(request(HELLO), 93, id="one-word-at-max"),
    pytest.param(request(HELLO, reasoning_effort="low"), 94, id="one-word-at-low"),
    pytest.param(request(HELLO, reasoning_effort="high"), 94, id="one-word-at-high"),
    pytest.param(request(HELLO, response_format={"type": "json_object"}), 140, id="json-object"),
    pytest.param(
        request("Invent a fictional animal and describe it in two sentences."), 97, id="animal"
    ),
    pytest.param(request("say hi"), 87, id="say-hi"),
    pytest.param(request("count to 5"), 89, id="count-to-5"),
    pytest.param(request("hi"), 86, id="hi-live"),
    pytest.param(
        request("weather in Paris?", tools=[tool()], tool_choice="auto"), 158, id="one-tool"
    ),
    pytest.param(
        request(messages=[{"role": "assistant", "content": "你好"}], reasoning_effort="high"),
        99,
        id="assistant-alone",
    ),
    pytest.param(with_image(1), 103, id="one-pixel-image"),
    pytest.param(with_image(32), 106, id="32-pixel-image"),
]


@pytest.mark.parametrize(("body", "tokens"), GOLDEN)
def test_published_prompt_counts_come_out(body: dict[str, Any], tokens: int, render: Any) -> None:
    """Raw captures of 2026-07 and 2026-09, the vendor's verifier, a live "hi"."""
    assert prompt_tokens(render(body), "moonshot") == tokens


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        pytest.param({}, 36, id="plain"),
        pytest.param(
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "capital", "schema": CAPITAL_SCHEMA},
                }
            },
            119,
            id="json-schema",
        ),
    ],
)
def test_published_counts_without_thinking_come_out(
    fields: dict[str, Any], tokens: int, render: Any
) -> None:
    """The vendor's verifier, thinking off: no effort sentence, no think block."""
    prompt = render(request(CAPITAL, **fields), thinking=False)
    assert prompt_tokens(prompt, "moonshot") == tokens


def test_an_image_costs_what_an_independent_server_reports(template: Template) -> None:
    """179 tokens with and 94 without a 303x181 image were reported."""
    part = MediaPart("image", str(image(303, 181)["image_url"]["url"]))
    assert template.media_tokens(part) == 179 - 94


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        pytest.param(MediaPart("video", "data:video/mp4;base64,AAAA"), 7, id="video"),
        pytest.param(MediaPart("image", "ms://file"), 5, id="uploaded-image"),
    ],
)
def test_media_of_unknown_size_cost_what_the_profile_says(
    part: MediaPart, tokens: int, template: Template
) -> None:
    own = Template(template.counter, media=MediaCosts(unknown_image_tokens=5, video_tokens=7))
    assert own.media_tokens(part) == tokens


@pytest.mark.parametrize("text", ["hi", "hello world", "你好，世界！我是 Kimi K3。"])
def test_a_plain_message_costs_eleven_and_its_text(
    text: str, cost: Any, template: Template
) -> None:
    tokens = template.counter.count(text)
    assert cost(user(text)) == 11 + tokens
    assert cost({"role": "system", "content": text}) == 11 + tokens


def test_a_name_enters_the_prompt(cost: Any, template: Template) -> None:
    named = cost({**user("hi"), "name": "ann"})
    assert named == cost(user("hi")) + template.counter.count(' name="ann"')


def test_marks_in_a_name_are_written_as_entities(cost: Any, template: Template) -> None:
    named = cost({**user("hi"), "name": 'a"&b'})
    assert named == cost(user("hi")) + template.counter.count(' name="a&quot;&amp;b"')


def test_text_parts_are_counted_one_by_one(cost: Any, template: Template) -> None:
    parts = [{"type": "text", "text": "hello"}, {"type": "text", "text": " world"}]
    assert cost(user_parts(*parts)) == 11 + 2
    assert template.counter.count("hello world") == 2


def test_parts_of_an_unknown_type_cost_nothing(cost: Any) -> None:
    assert cost(user_parts({"type": "audio", "audio": "x"})) == 11


@pytest.mark.parametrize(("thinking", "fixed"), [(True, 23), (False, 17)])
def test_an_assistant_message_costs_its_blocks(*, thinking: bool, fixed: int, render: Any) -> None:
    bare = {"role": "assistant", "content": ""}
    alone = render(request(messages=[user("hi")]), thinking=thinking)
    both = render(request(messages=[user("hi"), bare]), thinking=thinking)
    assert both.rendered - alone.rendered == fixed


def test_earlier_reasoning_is_counted(cost: Any, template: Template) -> None:
    thought = "The user greets me. I greet back."
    bare = cost({"role": "assistant", "content": "hi"})
    full = cost({"role": "assistant", "content": "hi", "reasoning_content": thought})
    assert full - bare == template.counter.count(thought)


def test_a_host_may_drop_earlier_reasoning(template: Template, read: Any) -> None:
    """The vendor's verifier skips its own test for it as not passing, so it is a choice."""
    dropping = Template(template.counter, replayed_reasoning=False)
    bare, full, other = (
        read(request(messages=[{"role": "assistant", "content": "hi", **thought}]))
        for thought in ({}, {"reasoning_content": "So."}, {"reasoning_content": "Hm."})
    )
    assert dropping.render(full) == dropping.render(bare) == template.render(bare)
    assert template.render(full).rendered == template.render(other).rendered
    assert template.render(full) != template.render(other)


@pytest.mark.parametrize(
    ("name", "arguments", "tokens"),
    [
        pytest.param("get", "{}", 20, id="no-argument"),
        pytest.param("get_weather", '{"city":"Paris"}', 37, id="one-short-string"),
        pytest.param("get_weather", '{ "city" : "Paris" }', 37, id="spaces-do-not-count"),
    ],
)
def test_a_call_in_the_history_costs_its_block(
    name: str, arguments: str, tokens: int, cost: Any
) -> None:
    """The raw tool call of 2026-07-17 has a block of 37 tokens."""
    called = {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "get_weather_0",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
        ],
    }
    assert cost(called) - cost({"role": "assistant", "content": ""}) == tokens


def test_arguments_that_are_no_object_are_counted_as_text(template: Template) -> None:
    whole = template.calls((ToolCall(id="a", name="f", arguments="[1, 2"),))
    empty = template.calls((ToolCall(id="a", name="f", arguments="{}"),))
    assert whole - empty == template.counter.count("[1, 2")


def test_two_calls_cost_the_sum_of_their_parts(template: Template) -> None:
    one = ToolCall(id="a", name="get_weather", arguments='{"city":"Paris"}')
    two = ToolCall(id="b", name="get_weather", arguments='{"city":"Paris"}')
    assert template.calls(()) == 0
    assert template.calls((one, two)) == 6 + 2 * (template.calls((one,)) - 6)


def test_a_tool_message_costs_nineteen_and_its_text(cost: Any) -> None:
    """With a short tool name; `tool` and `index` are read from the answered turn."""
    call = {"id": "x", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    turn = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "x", "content": "hi"}
    assert cost(turn, result) - cost(turn) == 19 + 1


def test_a_tool_message_names_its_tool_wherever_that_is_known_from(
    cost: Any, template: Template
) -> None:
    long = "get_the_weather_of_a_city"
    call = {"id": "x", "type": "function", "function": {"name": long, "arguments": "{}"}}
    turn = {"role": "assistant", "content": "", "tool_calls": [call]}
    tokens = template.counter.count(f' tool="{long}"') - template.counter.count(' tool="tool"')
    plain = cost({"role": "tool", "content": "sunny"})
    assert cost({"role": "tool", "name": long, "content": "sunny"}) == plain + tokens
    answered = cost(turn, {"role": "tool", "tool_call_id": "x", "content": "sunny"})
    assert answered - cost(turn) == plain + tokens


def test_tools_at_the_top_cost_35_and_their_json(cost: Any, template: Template) -> None:
    declared = compact_sorted([tool()])
    assert template.counter.count(declared) == 34
    assert cost(user("hi"), tools=[tool()]) - cost(user("hi")) == 35 + 34


def test_the_end_of_the_json_merges_with_its_fence(cost: Any, template: Template) -> None:
    """`[]}` before a line break is a token less apart than together; counted as one piece."""
    bare: dict[str, Any] = {
        "type": "function",
        "function": {"name": "get", "parameters": {"required": []}},
    }
    tail = template.counter.count(compact_sorted([bare]) + "\n```")
    assert cost(user("hi"), tools=[bare]) - cost(user("hi")) == 34 + tail


def test_the_order_of_keys_does_not_matter(render: Any) -> None:
    turned = json.loads(json.dumps(tool(), sort_keys=True))
    assert list(turned) != list(tool()) or list(turned["function"]) != list(tool()["function"])
    one, two = render(request(tools=[tool()])), render(request(tools=[turned]))
    assert one == two


def test_tools_declared_in_a_system_message_cost_56_and_their_json(cost: Any) -> None:
    declared = {"role": "system", "tools": [tool()]}
    assert cost(user("hi"), declared) - cost(user("hi")) == 56 + 34


def test_an_empty_content_beside_dynamic_tools_costs_nothing(cost: Any) -> None:
    declared = {"role": "system", "tools": [tool()]}
    assert cost(declared) == cost({**declared, "content": ""})


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        pytest.param({"tool_choice": "auto"}, 0, id="choice-auto"),
        pytest.param({"tool_choice": "required"}, 36, id="choice-required"),
        pytest.param({"tool_choice": "none"}, 38, id="choice-none"),
        pytest.param({"response_format": {"type": "text"}}, 0, id="text"),
        pytest.param({"response_format": {"type": "json_object"}}, 47, id="json-object"),
        pytest.param({"response_format": {"type": "json_schema"}}, 0, id="schema-missing"),
        pytest.param(
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
            60 + 1,
            id="empty-schema",
        ),
        pytest.param({"temperature": 1, "max_tokens": 64, "seed": 3}, 0, id="other-fields"),
    ],
)
def test_wishes_behind_the_conversation_have_fixed_costs(
    fields: dict[str, Any], tokens: int, cost: Any
) -> None:
    assert cost(user("hi"), **fields) - cost(user("hi")) == tokens


def test_an_unknown_effort_costs_as_the_default(template: Template, read: Any) -> None:
    asked: ChatRequest = read(request("hi"))
    assert asked.effort == "max"
    assert template.render(asked).front[0].tokens == 67


def test_a_continued_answer_opens_nothing(render: Any) -> None:
    """Partial mode: the prompt ends inside the open response block."""
    begun = {"role": "assistant", "content": "Once upon"}
    closed = render(request(messages=[user("hi"), begun]))
    partial = render(request(messages=[user("hi"), {**begun, "partial": True}]))
    assert (partial.header, partial.stub, partial.inside) == (0, 0, True)
    assert (closed.header, closed.stub, closed.inside) == (7, 3, False)
    assert closed.rendered - partial.rendered == 7 + 10


def test_partial_on_an_earlier_message_changes_nothing(render: Any) -> None:
    begun = {"role": "assistant", "content": "Once upon"}
    plain = render(request(messages=[begun, user("hi")]))
    marked = render(request(messages=[{**begun, "partial": True}, user("hi")]))
    assert plain.rendered == marked.rendered


@pytest.mark.parametrize(
    ("style", "tokens"),
    [pytest.param("openai", 3 + 2 + 3, id="openai"), pytest.param("none", 2, id="none")],
)
def test_other_styles_count_little_more_than_the_text(
    style: str, tokens: int, template: Template, read: Any
) -> None:
    own = Template(template.counter, style)
    prompt = own.render(read(request("hello world")))
    assert prompt.rendered == tokens
    assert prompt_tokens(prompt, "moonshot") == tokens
    declared = template.counter.count(compact_sorted([tool()]))
    assert own.render(read(request("hello world", tools=[tool()]))).rendered == tokens + declared


def test_an_empty_request_is_rendered_too(render: Any) -> None:
    assert render({}).rendered == 67 + 10
    assert render({"messages": [None, 3]}).rendered > 77


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        pytest.param("Paris", "string", "Paris", id="string"),
        pytest.param('say "hi"', "string", 'say "hi"', id="string-is-raw"),
        pytest.param(3, "number", "3", id="integer"),
        pytest.param(0.5, "number", "0.5", id="fraction"),
        pytest.param(True, "boolean", "true", id="boolean"),
        pytest.param(None, "null", "null", id="null"),
        pytest.param([1, "二"], "array", '[1,"二"]', id="array"),
        pytest.param({"a": [1]}, "object", '{"a":[1]}', id="object"),
    ],
)
def test_arguments_are_written_by_their_type(value: JSONValue, name: str, text: str) -> None:
    assert argument_type(value) == name
    assert argument_text(value) == text


def test_arguments_are_read_when_they_are_an_object() -> None:
    assert read_arguments('{"a": 1}') == {"a": 1}
    assert read_arguments("[1]") is None
    assert read_arguments("{") is None
    assert read_arguments("") is None


def test_declarations_are_sorted_at_every_level_and_keep_their_script() -> None:
    assert compact_sorted({"b": [{"d": "é", "c": 1}], "a": "你"}) == (
        '{"a":"你","b":[{"c":1,"d":"é"}]}'
    )
