"""Cases about tool calls in the answer (C)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.cases.case import case
from tests.support import request, tool

if TYPE_CHECKING:
    from tests.cases.case import World
    from tests.cases.raw import Exchange

ONE = """
    name: {name}
    turns:
      - reply:
          tool_calls: [{{name: get_weather, arguments: {{city: Izmir}}}}]
    """
TWO = """
    name: {name}
    turns:
      - reply:
          tool_calls:
            - {{name: get_weather, arguments: {{city: Izmir, unit: C}}}}
            - {{name: get_time, arguments: {{zone: Europe/Istanbul}}}}
    """
TOOLS = [tool("get_weather"), tool("get_time"), tool("ping")]
WEATHER = {"city": "Izmir", "unit": "C"}
ZONE = {"zone": "Europe/Istanbul"}


def _streamed(world: World, options: str = "") -> Exchange:
    return world.send(request("weather?", stream=True, tools=TOOLS), options=options)


def _whole(world: World, options: str = "") -> list[Any]:
    answer = world.send(request("weather?", tools=TOOLS), options=options)
    found: list[Any] = answer.message["tool_calls"]
    return found


def _arguments(deltas: list[Any]) -> str:
    return "".join(item["function"].get("arguments") or "" for item in deltas)


@case(
    "C01",
    "Deltas of tool calls carry no `index`, or null, for one call and for several.",
    scenario=TWO.format(name="c01"),
    options="wire.tool_index=omit",
)
def _(world: World) -> None:
    deltas = _streamed(world).tool_deltas
    assert len(deltas) > 4
    assert not any("index" in item for item in deltas)
    nulls = _streamed(world, "wire.tool_index=null").tool_deltas
    assert all(item["index"] is None for item in nulls)
    second = next(at for at, item in enumerate(deltas) if at and item.get("id"))
    assert json.loads(_arguments(deltas[:second])) == WEATHER
    assert json.loads(_arguments(deltas[second:])) == ZONE


@case(
    "C02",
    """The head of the second call has the index of the first, its rest the right one; arguments
    joined by index alone give broken JSON.""",
    scenario="""
    name: c02
    turns:
      - reply:
          events:
            - tool_delta: {index: 0, id: a, type: function, function: {name: get_weather, arguments: "{}"}}
            - tool_delta: {index: 0, id: b, type: function, function: {name: get_time, arguments: ""}}
            - tool_delta: {index: 1, function: {arguments: "{\\"zone\\":"}}
            - tool_delta: {index: 1, function: {arguments: "\\"UTC\\"}"}}
    """,
)
def _(world: World) -> None:
    deltas = _streamed(world).tool_deltas
    assert [(item["index"], item.get("id")) for item in deltas] == [
        (0, "a"), (0, "b"), (1, None), (1, None),
    ]  # fmt: skip
    assert _arguments(deltas[2:]) == '{"zone":"UTC"}'
    collided = _streamed(world, "scenario=c01;wire.tool_index=present;fault=colliding_index")
    heads = [item["index"] for item in collided.tool_deltas if item.get("id")]
    assert heads == [0, 0]
    assert {item["index"] for item in collided.tool_deltas} == {0, 1}


@case(
    "C03",
    "The first index is not 0, so that a list that is filled by index has a hole.",
    scenario=ONE.format(name="c03"),
    options="wire.tool_index_base=1",
)
def _(world: World) -> None:
    assert {item["index"] for item in _streamed(world).tool_deltas} == {1}


@case(
    "C04",
    "Later deltas of a call carry an empty `id` and an empty `name` instead of none.",
    scenario=ONE.format(name="c04"),
    options="wire.tool_continuation=empty",
)
def _(world: World) -> None:
    head, *later = _streamed(world).tool_deltas
    assert head["function"]["name"] == "get_weather"
    assert later
    assert all((item["id"], item["function"]["name"]) == ("", "") for item in later)
    repeated = _streamed(world, "wire.tool_continuation=repeat").tool_deltas
    assert {item["id"] for item in repeated} == {head["id"]}
    only_id = _streamed(
        world, "wire.continuation_type=omit;wire.continuation_name=omit"
    ).tool_deltas[1]
    assert only_id["id"] == ""
    assert "name" not in only_id["function"]


@case(
    "C07",
    "A finished call has no name at all.",
    scenario="""
    name: c07
    turns:
      - reply:
          events:
            - tool_call: {name: "", arguments: "{}", id: call_0, force: true}
    """,
)
def _(world: World) -> None:
    names = {item["function"].get("name") for item in _streamed(world).tool_deltas}
    assert names <= {"", None}
    assert "" in names
    assert _whole(world)[0]["function"]["name"] == ""


@case(
    "C08",
    "A tool without parameters is called with empty text as arguments, or with a blank.",
    scenario="""
    name: c08
    turns:
      - when: {last: {content: {contains: blank}}}
        reply: {tool_calls: [{name: ping, arguments: " "}]}
      - reply: {tool_calls: [{name: ping, arguments: ""}]}
    """,
)
def _(world: World) -> None:
    deltas = _streamed(world).tool_deltas
    assert len(deltas) == 1
    assert deltas[0]["function"]["arguments"] == ""
    assert _whole(world)[0]["function"]["arguments"] == ""
    blank = world.send(request("blank", tools=TOOLS))
    assert blank.message["tool_calls"][0]["function"]["arguments"] == " "


@case(
    "C09",
    "`arguments` is null, or the key is missing.",
    scenario="""
    name: c09
    turns:
      - when: {last: {content: {contains: absent}}}
        reply:
          events:
            - tool_delta: {index: 0, id: t, type: function, function: {name: get_time}}
      - reply:
          events:
            - tool_delta: {index: 0, id: t, type: function, function: {name: get_time, arguments: null}}
    """,
)
def _(world: World) -> None:
    assert _streamed(world).tool_deltas[0]["function"] == {"name": "get_time", "arguments": None}
    absent = world.send(request("absent", stream=True, tools=TOOLS))
    assert absent.tool_deltas[0]["function"] == {"name": "get_time"}


@case(
    "C11",
    "Tool calls were sent, but the finish reason says `stop`, or nothing.",
    scenario="""
    name: c11
    turns:
      - when: {last: {content: {contains: nothing}}}
        reply:
          tool_calls: [{name: get_weather, arguments: {city: Izmir}}]
          finish_reason: null
      - reply:
          content: I look it up.
          tool_calls: [{name: get_weather, arguments: {city: Izmir}}]
          finish_reason: stop
    """,
)
def _(world: World) -> None:
    streamed = _streamed(world)
    assert streamed.tool_deltas
    assert streamed.finishes == ["stop"]
    assert streamed.done
    nothing = world.send(request("nothing", stream=True, tools=TOOLS))
    assert nothing.tool_deltas
    assert nothing.finishes == []
    assert nothing.done


@case(
    "C13",
    "The arguments of parallel calls come in turns, told apart by index only.",
    scenario=TWO.format(name="c13"),
    options="wire.parallel_order=round_robin",
)
def _(world: World) -> None:
    for order in ("round_robin", "random"):
        deltas = _streamed(world, f"wire.parallel_order={order}").tool_deltas
        indexes = [item["index"] for item in deltas]
        assert indexes != sorted(indexes)
        assert sum(1 for item in deltas if item.get("id")) == 2
        assert json.loads(_arguments([item for item in deltas if item["index"] == 0])) == WEATHER
        assert json.loads(_arguments([item for item in deltas if item["index"] == 1])) == ZONE


@case(
    "C15",
    "`arguments` is a JSON object instead of its text.",
    scenario=ONE.format(name="c15"),
    options="wire.tool_arguments=object",
)
def _(world: World) -> None:
    objects = [
        item["function"]["arguments"] for item in _streamed(world).tool_deltas
        if item["function"].get("arguments")
    ]  # fmt: skip
    assert objects == [{"city": "Izmir"}]
    assert _whole(world)[0]["function"]["arguments"] == {"city": "Izmir"}


@case(
    "C17",
    "The finished arguments are no JSON: a lone backslash, a literal line break in a string.",
    scenario=r"""
    name: c17
    turns:
      - when: {last: {content: {contains: break}}}
        reply: {tool_calls: [{name: get_weather, arguments: "{\"city\":\"Iz\nmir\"}"}]}
      - reply: {tool_calls: [{name: get_weather, arguments: '{"city":"C:\users"}'}]}
    """,
)
def _(world: World) -> None:
    for prompt, text in (("weather?", '{"city":"C:\\users"}'), ("break", '{"city":"Iz\nmir"}')):
        streamed = world.send(request(prompt, stream=True, tools=TOOLS))
        joined = _arguments(streamed.tool_deltas)
        assert joined == text
        try:
            json.loads(joined)
        except ValueError:
            continue
        raise AssertionError(joined)
