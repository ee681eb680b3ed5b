"""Cases about the history of tool calls and their ids (D), and about control tokens in text (E)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.cases.history import called, result, user
from tests.support import request, tool

if TYPE_CHECKING:
    from tests.cases.case import World


@case(
    "D01",
    """A tool result has an empty id or none; the refusal shows two blanks where the id should
    be. The coding plan's surface gives the same text without its prefix.""",
)
def _(world: World) -> None:
    for call_id in ("", None):
        refused = world.send(request(messages=[user(), called("a_0"), result(call_id)]))
        assert refused.status == 400
        assert refused.error == {
            "message": "Invalid request: tool_call_id  is not found",
            "type": "invalid_request_error",
        }


@case(
    "D02",
    "Not every call of an assistant message has its result; the refusal lists those that have none.",
)
def _(world: World) -> None:
    history = [user(), called("Shell:57", "Shell:58", name="Shell"), result("Shell:57")]
    refused = world.send(request(messages=history))
    assert refused.status == 400
    assert refused.error["message"].endswith(
        "The following tool_call_ids did not have response messages: Shell:58"
    )


@case(
    "D03",
    "Ids are `functions.name:0`, `name:0`, `call_…` or UUIDs instead of `name_0`.",
    scenario="""
    name: d03
    turns:
      - reply: {tool_calls: [{name: get_weather, arguments: {city: Izmir}}]}
    """,
    options="wire.tool_ids=kimi_functions",
)
def _(world: World) -> None:
    def first_id(options: str) -> str:
        answer = world.send(request(tools=[tool()]), options=options)
        return str(answer.message["tool_calls"][0]["id"])

    assert first_id("") == "functions.get_weather:0"
    assert first_id("wire.tool_id_start=7") == "functions.get_weather:7"
    assert first_id("wire.tool_ids=kimi_short") == "get_weather:0"
    assert re.fullmatch(r"call_\w{24}", first_id("wire.tool_ids=openai"))
    assert re.fullmatch(r"[0-9a-f-]{36}", first_id("wire.tool_ids=uuid"))
    assert first_id("wire.tool_ids=k3") == "get_weather_0"


@case(
    "D05",
    "Two calls of one answer have the same id; sent back, they are refused as duplicated.",
    scenario="""
    name: d05
    turns:
      - reply:
          tool_calls:
            - {name: grep, arguments: {text: a}, id: "grep:3"}
            - {name: grep, arguments: {text: b}, id: "grep:3"}
    """,
)
def _(world: World) -> None:
    answer = world.send(request(tools=[tool("grep", text={"type": "string"})]))
    assert [call["id"] for call in answer.message["tool_calls"]] == ["grep:3", "grep:3"]
    message = {key: answer.message[key] for key in ("role", "content", "tool_calls")}
    for call in message["tool_calls"]:
        call.pop("index", None)
    replayed = request(messages=[user(), message, result("grep:3"), result("grep:3")])
    refused = world.send(replayed, options="scenario=b01;contract=enforce")
    assert refused.status == 400
    assert refused.error["message"] == "tool call id grep:3 is duplicated"


@case(
    "D07",
    "A client or proxy makes up its own ids; only ids that this session gave out are accepted.",
    profile="""
    extends: moonshot
    switches: {tool_id_provenance: issued}
    """,
    scenario="""
    name: d07
    turns:
      - when: {last: {role: user}}
        reply: {tool_calls: [{name: get_weather, arguments: {city: Izmir}}]}
      - reply: {content: It is sunny.}
    """,
    options="contract=enforce",
)
def _(world: World) -> None:
    tools = [tool()]
    asked = user()
    answer = world.send(request(messages=[asked], tools=tools)).message
    call_id = answer["tool_calls"][0]["id"]
    good = [asked, answer, result(call_id)]
    assert world.send(request(messages=good, tools=tools)).status == 200
    renamed = {
        **answer,
        "tool_calls": [{**answer["tool_calls"][0], "id": "functions.get_weather:0"}],
    }
    refused = world.send(
        request(messages=[asked, renamed, result("functions.get_weather:0")], tools=tools)
    )
    assert refused.status == 400
    assert "functions.get_weather:0" in refused.error["message"]


K2 = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>"
    '{"path":"/"}<|tool_call_end|><|tool_calls_section_end|>'
)


@case(
    "E01",
    "The markup of K2's tool calls stands in the reasoning, `tool_calls` is missing.",
    scenario="""
    name: e01
    turns:
      - reply:
          reasoning: 'I list it. <|tool_calls_section_begin|><|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>{"path":"/"}<|tool_call_end|><|tool_calls_section_end|>'
          finish_reason: stop
    """,
    options="wire.html_escape=errors",
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.joined("reasoning_content") == f"I list it. {K2}"
    assert streamed.tool_deltas == []
    assert streamed.finishes == ["stop"]
    pieces = [delta["reasoning_content"] for delta in streamed.deltas
              if "reasoning_content" in delta]  # fmt: skip
    assert not any("<|tool_calls_section_begin|>" in piece for piece in pieces)
    leaked = world.send(
        request(stream=True),
        options="scenario=b01;fault=leaked_markers(channel:reasoning,spelling:k2)",
    )
    assert "<|tool_call_begin|>" in leaked.joined("reasoning_content")


@case(
    "E04",
    "K3's own channel markup stands in the text.",
    scenario="""
    name: e04
    turns:
      - reply:
          content: 'Done.<|close|>response<|sep|><|close|>message<|sep|>'
    """,
)
def _(world: World) -> None:
    assert (
        world.stream().joined("content").endswith("<|close|>response<|sep|><|close|>message<|sep|>")
    )
    leaked = world.send(
        request(), options="scenario=b01;fault=leaked_markers(channel:content,spelling:k3)"
    )
    assert "<|open|>" in leaked.message["content"]
