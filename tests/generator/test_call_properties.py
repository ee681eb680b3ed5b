"""Whatever the tools look like: every call is valid, and the loop around it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.source import GeneratorSource
from k3mock.protocol.request import (
    ChatRequest,
    ChoiceMode,
    Message,
    ResponseFormat,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
)
from k3mock.seed import Seed
from k3mock.state import Session
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter
from tests.generator.schemas import PARAMETERS, SCHEMAS, rooted

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject

SOURCE = GeneratorSource(Seed(value=3), TokenCounter(vocabulary.load("kimi_k3", counter="splintr")))
SESSION = Session("test")
PROMPTS = st.sampled_from(
    [
        "What's the weather in Paris and Rome?", "Read ./a.txt, then search for 'tea', then stop",
        "Book a table for 2 on 2026-05-01 at ann@example.com", "查询上海的天气", "погода в Москве",
        "", "Do it", "Lies a.txt und b.txt",
    ]
)  # fmt: skip
TOOLS = st.lists(
    st.builds(
        lambda name, schema: Tool(name=name, description="", parameters=schema, declared={}),
        st.sampled_from(["get_weather", "read_file", "search", "do_it", "book_table"]),
        PARAMETERS,
    ),
    min_size=1, max_size=4, unique_by=lambda tool: tool.name,
)  # fmt: skip


def _validate(value: Any, schema: JSONObject) -> None:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(value)


def _request(messages: list[Message], tools: list[Tool], **fields: Any) -> ChatRequest:
    digest = str([(each.role, each.text, each.tool_calls) for each in messages]).encode()
    return ChatRequest(
        body={}, digest=digest, model="kimi-k3", messages=tuple(messages), tools=tuple(tools),
        **fields,
    )  # fmt: skip


@settings(max_examples=120)
@given(PROMPTS, TOOLS, st.sampled_from(ChoiceMode))
def test_every_call_is_valid_under_its_tool(
    prompt: str, tools: list[Tool], mode: ChoiceMode
) -> None:
    message = Message(position=0, role="user", parts=(TextPart(prompt),))
    choice = ToolChoice(mode=mode, name=tools[0].name)
    reply = SOURCE.reply(_request([message], tools, tool_choice=choice))
    offered = {tool.name: tool.parameters for tool in tools}
    assert reply.calls or mode in {ChoiceMode.AUTO, ChoiceMode.NONE}
    for call in reply.calls:
        _validate(orjson.loads(call.arguments), offered[call.name])


@settings(max_examples=40)
@given(PROMPTS, TOOLS)
def test_every_loop_ends_without_a_call_that_was_made_before(
    prompt: str, tools: list[Tool]
) -> None:
    messages = [Message(position=0, role="user", parts=(TextPart(prompt),))]
    seen: set[tuple[str, str]] = set()
    for _ in range(12):
        reply = SOURCE.reply(_request(messages, tools))
        if not reply.calls:
            assert reply.content
            return
        for call in reply.calls:
            assert (call.name, call.arguments) not in seen
            seen.add((call.name, call.arguments))
        made = tuple(
            ToolCall(id=f"{len(messages)}-{call.index}", name=call.name, arguments=call.arguments)
            for call in reply.calls
        )
        messages.append(Message(position=len(messages), role="assistant", tool_calls=made))
        messages += [
            Message(position=len(messages) + at, role="tool", parts=(TextPart('["b.txt", 4]'),),
                    tool_call_id=call.id)
            for at, call in enumerate(made)
        ]  # fmt: skip
    raise AssertionError("the loop does not end")


@settings(max_examples=120)
@given(SCHEMAS.map(rooted), PROMPTS)
def test_structured_output_is_valid_and_compact(schema: JSONObject, prompt: str) -> None:
    message = Message(position=0, role="user", parts=(TextPart(prompt),))
    form = ResponseFormat(kind="json_schema", schema=schema)
    content = SOURCE.reply(_request([message], [], response_format=form)).content
    value = orjson.loads(content)
    assert orjson.dumps(value).decode() == content
    _validate(value, schema)
