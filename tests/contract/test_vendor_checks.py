"""What the vendor's public verifier asks of every host of the model, in words of our own.

Its suites: dynamic tools, tool choice, response formats, thinking effort, fixed parameters, tool
schemas, prompt tokens. What it skips as not true of its own endpoint is left out here too.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.read import read_request
from k3mock.text import accounting
from tests.contract.black_box import body, declared, entries, function, post, user
from tests.support import tool

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer
    from k3mock.text.template import Template
    from tests.support import Answer

WEATHER = tool("get_weather")
QUESTION = user("What is the weather in Beijing?")
TOLERANCE = 3
"""The verifier takes up to three prompt tokens more than its own count, and none less."""


def ask(server: MockServer, *messages: dict[str, Any], **fields: Any) -> Answer:
    return post(server, body(*messages, **fields), session="vendor-checks")


def names_called(answer: Answer) -> list[str]:
    """Return the functions that an answer calls; it must be one that ends in calls."""
    assert answer.status == 200, answer.body
    assert answer.json["choices"][0]["finish_reason"] == "tool_calls"
    return [made["function"]["name"] for made in answer.message["tool_calls"]]


def declaring(*items: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"role": "system", "content": "", "tools": list(items), **fields}


# Dynamic tools.

NESTED = tool("nested_tool", location={"type": "object", "properties": {"lat": {"type": "number"},
              "lon": {"type": "number"}}})  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "fields", "expected"),
    [
        pytest.param([declaring(WEATHER), QUESTION], {}, {"get_weather"}, id="first"),
        pytest.param(
            [
                {"role": "system", "content": "You are helpful."},
                user("hi"),
                {"role": "assistant", "content": "Hello!"},
                declaring(WEATHER),
                QUESTION,
            ],
            {},
            {"get_weather"},
            id="later",
        ),
        pytest.param([QUESTION, declaring(WEATHER)], {}, {"get_weather"}, id="last"),
        pytest.param(
            [declaring(function("get_weather"), function("get_time"), function("get_news")),
             QUESTION],
            {}, {"get_weather", "get_time", "get_news"}, id="three-in-one",
        ),
        pytest.param([declaring(NESTED), user("Use the tool.")], {}, {"nested_tool"}, id="nested"),
        pytest.param(
            [declaring(function("get_weather")), declaring(function("get_time")), QUESTION],
            {},
            {"get_weather", "get_time"},
            id="two-messages",
        ),
        pytest.param(
            [declaring(function("get_weather", strict=False)), QUESTION],
            {},
            {"get_weather"},
            id="not-strict",
        ),
        pytest.param(
            [declaring(WEATHER), QUESTION],
            {"tools": [function("get_stock_price")]},
            {"get_weather"},
            id="beside-a-top-level-tool",
        ),
    ],
)  # fmt: skip
def test_a_dynamic_tool_is_called_when_a_call_is_demanded(
    messages: list[dict[str, Any]], fields: dict[str, Any], expected: set[str], server: MockServer
) -> None:
    answer = ask(server, *messages, **fields, tool_choice="required")
    called = names_called(answer)
    assert called
    assert set(called) <= expected


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(body(user("hi", tools=[WEATHER]), QUESTION), id="on-a-user"),
        pytest.param(
            body(user("hi"), {"role": "assistant", "content": "x", "tools": [WEATHER]}, QUESTION),
            id="on-an-assistant",
        ),
        pytest.param(declared([WEATHER], content="not empty"), id="beside-content"),
        pytest.param(declared([{"function": {"name": "good_tool"}}]), id="no-type"),
        pytest.param(declared([{"type": "function"}]), id="no-function"),
        pytest.param(declared([{"type": "function", "function": {}}]), id="no-name"),
        pytest.param(declared([function("1bad_name")]), id="digit-first"),
        pytest.param(declared([function("bad@name")]), id="special-character"),
        pytest.param(declared([function("")]), id="empty-name"),
        pytest.param(declared([function("a" * 257)]), id="257-letters"),
        pytest.param(declared([{"type": "bogus", "function": {"name": "x"}}]), id="bogus-type"),
        pytest.param(
            declared([function("good_tool"), {"type": "bogus", "function": {"name": "x"}}]),
            id="good-and-bogus",
        ),
        pytest.param(declared({"type": "function"}), id="not-an-array"),
        pytest.param(declared([None]), id="item-not-an-object"),
        pytest.param(declared([function("dup"), function("dup")]), id="twice-in-a-message"),
        pytest.param(
            body(declaring(function("dup")), declaring(function("dup")), user()),
            id="twice-in-two-messages",
        ),
        pytest.param(
            body(declaring(function("dup")), user(), tools=[function("dup")]),
            id="twice-with-top-level",
        ),
        pytest.param(
            body({"role": "tool", "content": "some result"}, user()), id="result-without-id"
        ),
        pytest.param(body(tool_choice="required"), id="required-without-tools"),
        pytest.param(body(tool_choice="required", tools=[]), id="required-with-no-tools"),
        pytest.param(body(tool_choice="bogus", tools=[WEATHER]), id="bogus-choice"),
        pytest.param(body(response_format={"type": "bogus"}), id="bogus-format"),
        *(
            pytest.param(
                body(response_format={"type": "json_schema", "json_schema": held}), id=f"schema-{n}"
            )
            for n, held in (
                ("without-name", {"schema": {"type": "object"}}),
                ("without-schema", {"name": "weather"}),
                ("missing", None),
                ("strict-word", {"name": "w", "strict": "yes", "schema": {"type": "object"}}),
                ("as-text", {"name": "w", "schema": "x"}),
            )
        ),
    ],
)
def test_what_the_verifier_expects_to_be_refused_is_refused(
    sent: dict[str, Any], server: MockServer
) -> None:
    answer = post(server, sent, session="vendor-checks")
    assert answer.status == 400
    assert answer.error["type"] == "invalid_request_error"


# Tool choice.


def test_a_demanded_call_is_made(server: MockServer) -> None:
    assert names_called(ask(server, QUESTION, tools=[WEATHER], tool_choice="required"))


def test_an_automatic_choice_calls_where_the_question_needs_it(server: MockServer) -> None:
    assert names_called(ask(server, QUESTION, tools=[WEATHER], tool_choice="auto"))


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tool_choice": "none", "tools": [WEATHER]}, id="none"),
        pytest.param({"tool_choice": "none"}, id="none-without-tools"),
        pytest.param({"tool_choice": "auto"}, id="auto-without-tools"),
    ],
)
def test_where_no_call_is_allowed_there_is_a_plain_answer(
    fields: dict[str, Any], server: MockServer
) -> None:
    answer = ask(server, QUESTION, **fields)
    assert "tool_calls" not in answer.message
    assert answer.json["choices"][0]["finish_reason"] == "stop"
    assert answer.message["content"]


# Response formats.


def test_a_json_object_is_one_and_has_the_key_that_was_asked_for(server: MockServer) -> None:
    question = user("Return the weather of Beijing as JSON. It must have a key named 'city'.")
    answer = ask(server, question, response_format={"type": "json_object"})
    assert "city" in json.loads(answer.message["content"])


@pytest.mark.parametrize("strict", [None, True, False])
def test_json_after_a_schema_fits_it_and_is_compact(
    strict: bool | None,
    server: MockServer,
) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "temperature": {"type": "number"}},
        "required": ["city", "temperature"],
        "additionalProperties": False,
    }
    wanted: dict[str, Any] = {"name": "weather", "schema": schema}
    if strict is not None:
        wanted["strict"] = strict
    answer = ask(
        server,
        user("Return the weather of Beijing as JSON."),
        response_format={"type": "json_schema", "json_schema": wanted},
    )
    content = answer.message["content"]
    given = json.loads(content)
    assert set(given) == {"city", "temperature"}
    assert isinstance(given["city"], str)
    assert isinstance(given["temperature"], int | float)
    assert not set(content) & {"\n", "\t"}


# Thinking effort.


@pytest.mark.parametrize(
    ("fields", "effort"),
    [
        pytest.param({"thinking": {"type": "enabled", "keep": "all"}}, "max", id="default"),
        pytest.param({"thinking": {"keep": "all"}}, "max", id="type-left-out"),
        *(
            pytest.param({"thinking": {"type": "enabled", "effort": e}}, e, id=f"inside-{e}")
            for e in ("low", "high", "max")
        ),
        pytest.param(
            {"thinking": {"type": "enabled", "effort": "low"}, "reasoning_effort": "max"},
            "low",
            id="inside-wins",
        ),
        pytest.param(
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}, "high", id="outside"
        ),
    ],
)
def test_thinking_has_the_effort_that_was_asked_for(
    fields: dict[str, Any], effort: str, server: MockServer
) -> None:
    session = f"vendor-effort-{len(str(fields))}-{effort}"
    answer = post(server, body(**fields), session=session)
    assert answer.message["reasoning_content"]
    assert answer.message["content"]
    [entry] = entries(server, session)
    assert entry["effective"]["reasoning_effort"] == effort
    asked = "What is your thinking_effort? Say only low, high or max."
    report = ask(server, user(asked), **fields, max_tokens=256)
    assert report.message["content"] == effort
    assert report.message["reasoning_content"]


def test_more_effort_is_more_reasoning(server: MockServer) -> None:
    """The verifier compares lengths: less effort with `low` inside than with `max`."""
    question = user("There are 35 heads and 94 legs, of hens and rabbits. How many of each?")
    lengths = [
        len(ask(server, question, thinking={"type": "enabled", "effort": effort}).message[
            "reasoning_content"])
        for effort in ("low", "max")
    ]  # fmt: skip
    assert lengths[0] < lengths[1]


def test_a_stream_thinks_and_then_answers(server: MockServer) -> None:
    thinking = {"type": "enabled", "keep": "all", "effort": "high"}
    answer = ask(server, stream=True, thinking=thinking)
    choices = [event["choices"][0] for event in answer.events[:-1]]
    assert any(choice["delta"].get("reasoning_content") for choice in choices)
    assert any(choice["delta"].get("content") for choice in choices)
    assert choices[-1]["finish_reason"] == "stop"


def test_earlier_reasoning_is_part_of_the_prompt(server: MockServer) -> None:
    """Documented as Preserved Thinking; the verifier's own test of it is skipped."""
    turns = [user("hi"), {"role": "assistant", "content": "ok"}, user("And now?")]
    spoken = {**turns[1], "reasoning_content": "The first number is 7382."}
    with_it = ask(server, turns[0], spoken, turns[2], max_tokens=1)
    without = ask(server, *turns, max_tokens=1)
    assert with_it.json["usage"]["prompt_tokens"] > without.json["usage"]["prompt_tokens"]


# Fixed parameters.


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 1.1),
        ("temperature", 2.0),
        ("temperature", -0.1),
        ("top_p", 0.8),
        ("presence_penalty", 0.5),
        ("frequency_penalty", 0.5),
        ("n", 2),
    ],
)
def test_a_fixed_parameter_takes_no_other_value(
    field: str, value: float, server: MockServer
) -> None:
    for fields in ({}, {"thinking": {"type": "enabled"}}):
        answer = ask(server, **fields, **{field: value})
        assert answer.status == 400
        assert field in answer.error["message"]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="none"),
        pytest.param({"temperature": 1.0}, id="temperature"),
        pytest.param({"top_p": 0.95}, id="top_p"),
        pytest.param({"presence_penalty": 0}, id="presence_penalty"),
        pytest.param({"frequency_penalty": 0}, id="frequency_penalty"),
        pytest.param({"n": 1}, id="n"),
    ],
)
def test_a_fixed_parameter_takes_its_own_value(fields: dict[str, Any], server: MockServer) -> None:
    assert ask(server, **fields, thinking={"type": "enabled"}).status == 200


# Tool schemas: one of ours for each of the validator's suites of good schemas.

SCHEMAS: dict[str, Any] = {
    "additional properties": {"type": "object", "additionalProperties": {"type": "string"}},
    "any additional properties": {"type": "object", "additionalProperties": True},
    "any of": {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"},
               {"type": "number"}]}}},
    "any of at the root": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    "array": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    "definitions": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                    "$defs": {"a": {"type": "integer"}}},
    "definition of a list": {"$ref": "#/$defs/list", "$defs": {"list": {"type": "object",
                             "properties": {"next": {"anyOf": [{"$ref": "#/$defs/list"},
                                                               {"type": "null"}]}}}}},
    "description": {"type": "object", "description": "Where to look.", "title": "place"},
    "empty": {},
    "enum": {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"]}}},
    "enum with null": {"type": "object", "properties": {"a": {"type": ["string", "null"],
                       "enum": ["x", None]}}},
    "id": {"$id": "place", "type": "object"},
    "itself": {"type": "object", "properties": {"a": {"$ref": "#"}}},
    "number format": {"type": "object", "properties": {"a": {"type": "number", "minimum": 1.5,
                      "maximum": 2e3}}},
    "one type in an array": {"type": ["object"], "properties": {"a": {"type": ["boolean"]}}},
    "range": {"type": "object", "properties": {"a": {"type": "string", "minLength": 1,
              "maxLength": 9}}},
    "required": {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]},
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_of_the_vendor_s_flavour_is_taken_for_a_tool(
    name: str, server: MockServer
) -> None:
    """The verifier sends all of its validator's good schemas as tool parameters."""
    answer = ask(server, tools=[function("place", SCHEMAS[name])], tool_choice="auto")
    assert answer.status == 200, answer.body


# Prompt tokens.


def png(width: int, height: int) -> str:
    """Return a plain picture as a data URL."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    rows = (b"\0" + b"\x20\x60\xa0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return (
        "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()
    )


def pictured(width: int, height: int) -> dict[str, Any]:
    return user(
        [
            {"type": "image_url", "image_url": {"url": png(width, height)}},
            {"type": "text", "text": "这张图是什么颜色?只回答颜色名称。"},
        ]
    )


HELLO = user("Reply with exactly one word: hello.")
CAPITAL = user("请用 JSON 格式回答：北京是中国的首都吗？答案需要包含键 capital。")
CAPITAL_FORMAT = {
    "type": "json_schema",
    "json_schema": {
        "name": "capital_answer",
        "schema": {
            "type": "object",
            "properties": {"capital": {"type": "boolean"}},
            "required": ["capital"],
            "additionalProperties": False,
        },
    },
}


@pytest.mark.parametrize(
    ("expected", "message", "fields"),
    [
        pytest.param(93, HELLO, {}, id="one-word"),
        pytest.param(94, HELLO, {"reasoning_effort": "low"}, id="one-word-low"),
        pytest.param(
            140, HELLO, {"response_format": {"type": "json_object"}}, id="one-word-as-json"
        ),
        pytest.param(
            97,
            user("Invent a fictional animal and describe it in two sentences."),
            {},
            id="two-sentences",
        ),
        pytest.param(87, user("say hi"), {}, id="say-hi"),
        pytest.param(89, user("count to 5"), {}, id="count"),
        pytest.param(
            158,
            user("weather in Paris?"),
            {"tools": [tool("get_weather")], "tool_choice": "auto"},
            id="weather-with-a-tool",
        ),
        pytest.param(
            99,
            {"role": "assistant", "content": "你好"},
            {
                "reasoning_effort": "high",
                "max_tokens": 1024,
                "temperature": 1,
                "top_p": 0.95,
                "n": 1,
            },
            id="assistant-alone",
        ),
        pytest.param(103, pictured(1, 1), {}, id="one-pixel"),
        pytest.param(106, pictured(32, 32), {}, id="32-by-32"),
    ],
)
def test_a_stream_reports_the_published_number_of_prompt_tokens(
    expected: int, message: dict[str, Any], fields: dict[str, Any], server: MockServer
) -> None:
    """Published counts: raw captures of 2026-07 and 2026-09, and the verifier's own cases."""
    answer = ask(server, message, **{"max_tokens": 1, **fields}, stream=True)
    finish = answer.events[-2]["choices"][0]
    reported = finish["usage"]["prompt_tokens"]
    assert expected <= reported <= expected + TOLERANCE
    assert reported == expected


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        pytest.param(36, {}, id="plain"),
        pytest.param(119, {"response_format": CAPITAL_FORMAT}, id="with-a-schema"),
    ],
)
def test_prompts_without_thinking_count_as_published(
    expected: int, fields: dict[str, Any], template: Template, moonshot: Profile
) -> None:
    """The verifier's two cases with thinking off, which the public endpoint does not take of K3."""
    asked = read_request(body(CAPITAL, **fields), moonshot)
    prompt = template.render(asked, thinking=False)
    assert accounting.prompt_tokens(prompt, "moonshot") == expected
