from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from k3mock.generator.calling import Caller, arguments
from k3mock.generator.mentions import Hints
from k3mock.generator.names import Vocabularies
from k3mock.generator.reading import read
from k3mock.protocol.request import ChoiceMode, Message, TextPart, Tool, ToolCall, ToolChoice
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.calling import Call
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter


def tool(name: str, description: str = "", parameters: JSONObject | None = None) -> Tool:
    return Tool(name=name, description=description, parameters=parameters or {}, declared={})


def text(*keys: str) -> JSONObject:
    properties: JSONObject = {key: {"type": "string"} for key in keys}
    return {"type": "object", "properties": properties, "required": list(keys)}


WEATHER = tool("get_weather", "Get the current weather for a city", text("city"))
SEARCH = tool("search_web", "Search the web for pages", text("query"))
SUMS = tool("evaluate", "Evaluate an expression", text("expression"))
FLIGHT = tool("book_flight", "Book a flight", text("origin", "destination"))
LIGHT = tool(
    "set_mode", "Set it", {"type": "object", "properties": {"mode": {"enum": ["disco", "calm"]}}}
)
CHINESE_WEATHER = tool("查询天气", "查询指定城市的天气情况", text("城市"))
REQUIRED = ToolChoice(mode=ChoiceMode.REQUIRED)


@pytest.fixture
def call(
    chat: Callable[..., ChatRequest], counter: TokenCounter
) -> Callable[..., tuple[Call, ...]]:
    def calls(*messages: object, **fields: object) -> tuple[Call, ...]:
        request = chat(*messages, **fields)
        reading = read(request, counter)
        chance = Seed(value=1).chance(request.digest)
        names = Vocabularies().seeded(reading.language, chance)
        hints = Hints(reading.text, reading.language, names, reading.keywords)
        return Caller(request, reading, hints, chance).calls()

    return calls


@pytest.mark.parametrize(
    ("question", "name", "given"),
    [
        ("What's the weather in Izmir?", "get_weather", '{"city":"Izmir"}'),
        ("Will it rain in Oslo? Give me the forecast", "get_weather", '{"city":"Oslo"}'),
        ("Searching the web for green tea", "search_web", '{"query":"searching web green tea"}'),
        ("12 * (7+3)?", "evaluate", '{"expression":"12 * (7+3)"}'),
        ("Flights from Izmir to Oslo", "book_flight", '{"origin":"Izmir","destination":"Oslo"}'),
        ("Let us have a DISCO of modes", "set_mode", '{"mode":"disco"}'),
        ("上海的天气怎么样？", "get_weather", '{"city":"上海"}'),
    ],
)
def test_the_fitting_tool_is_called(
    question: str, name: str, given: str, call: Callable[..., tuple[Call, ...]]
) -> None:
    (made,) = call(question, tools=(SEARCH, WEATHER, SUMS, FLIGHT, LIGHT))
    assert (made.name, made.arguments) == (name, given)


def test_chinese_tools_fit_by_shared_letters(call: Callable[..., tuple[Call, ...]]) -> None:
    (made,) = call("上海的天气怎么样？", tools=(SEARCH, CHINESE_WEATHER))
    assert (made.name, made.arguments) == ("查询天气", '{"城市":"上海"}')


def test_several_places_are_several_calls(call: Callable[..., tuple[Call, ...]]) -> None:
    made = call("Weather in Paris, Rome and Izmir", tools=(WEATHER,))
    assert [each.arguments for each in made] == [
        '{"city":"Paris"}',
        '{"city":"Rome"}',
        '{"city":"Izmir"}',
    ]


@pytest.mark.parametrize("question", ["Hello there", "Tell me a joke", ""])
def test_auto_calls_nothing_that_does_not_fit(
    question: str, call: Callable[..., tuple[Call, ...]]
) -> None:
    assert call(question, tools=(SEARCH, WEATHER)) == ()


def test_auto_calls_nothing_after_another_role(call: Callable[..., tuple[Call, ...]]) -> None:
    assert call("Weather in Rome", ("tool", "31"), tools=(WEATHER,)) == ()
    assert call("Weather in Rome", ("assistant", "Hm"), tools=(WEATHER,)) == ()
    assert call(tools=(WEATHER,)) == ()


def test_none_never_calls(call: Callable[..., tuple[Call, ...]]) -> None:
    choice = ToolChoice(mode=ChoiceMode.NONE)
    assert call("Weather in Rome", tools=(WEATHER,), tool_choice=choice) == ()


@pytest.mark.parametrize("messages", [["Hi"], [("assistant", "Hm")], [], [("tool", "")]])
def test_required_always_calls(
    messages: list[object], call: Callable[..., tuple[Call, ...]]
) -> None:
    assert call(*messages, tools=(SEARCH, WEATHER), tool_choice=REQUIRED)
    assert call(*messages, tool_choice=REQUIRED) == ()


def test_a_named_tool_is_called_if_it_is_offered(call: Callable[..., tuple[Call, ...]]) -> None:
    named = ToolChoice(mode=ChoiceMode.NAMED, name="search_web")
    (made,) = call("Weather in Rome", tools=(WEATHER, SEARCH), tool_choice=named)
    assert made.name == "search_web"
    assert call("Weather in Rome", tools=(WEATHER,), tool_choice=named) == ()


def test_dynamic_tools_are_offered_too(call: Callable[..., tuple[Call, ...]]) -> None:
    system = Message(position=0, role="system", tools=(WEATHER,))
    user = Message(position=1, role="user", parts=(TextPart("Weather in Rome"),))
    assert call(system, user)[0].name == "get_weather"


def _called(name: str, given: str) -> Message:
    calls = (ToolCall(id="a", name=name, arguments=given),)
    return Message(position=1, role="assistant", tool_calls=calls)


def test_required_takes_another_tool_after_a_result(call: Callable[..., tuple[Call, ...]]) -> None:
    history = ("Weather in Rome", _called("get_weather", '{"city": "Rome"}'), ("tool", "31"))
    (made,) = call(*history, tools=(WEATHER, SEARCH), tool_choice=REQUIRED)
    assert made.name == "search_web"


def test_required_takes_other_arguments_if_there_is_one_tool(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    history = ("Weather in Rome", _called("get_weather", '{"city": "Rome"}'), ("tool", "31"))
    (made,) = call(*history, tools=(WEATHER,), tool_choice=REQUIRED)
    assert made.name == "get_weather"
    assert orjson.loads(made.arguments) != {"city": "Rome"}


def test_required_repeats_itself_only_if_it_must(call: Callable[..., tuple[Call, ...]]) -> None:
    only = tool("ping", "", {"type": "object", "properties": {}})
    history = ("Ping", _called("ping", "{}"), ("tool", "pong"))
    assert call(*history, tools=(only,), tool_choice=REQUIRED)[0].arguments == "{}"
    odd = ("Ping", _called("ping", "{"), ("tool", "pong"))
    assert call(*odd, tools=(only,), tool_choice=REQUIRED)[0].arguments == "{}"


def test_tools_without_names_or_parameters_are_called(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    odd = tool("", "", {"properties": {"a": 5, "b": {"enum": [1, "ab", "Rome"]}}})
    assert call("Rome", tools=(odd,), tool_choice=REQUIRED)


@pytest.mark.parametrize(
    ("parameters", "given"),
    [
        ({}, "{}"),
        ({"type": "string"}, "{}"),
        ({"const": {"a": 10**30}}, "{}"),
        ({"properties": {"a": {"const": 1}}, "required": ["a"]}, '{"a":1}'),
    ],
)
def test_arguments_are_always_an_object(
    parameters: JSONObject, given: str, chance: Chance, hint: Callable[..., Hints]
) -> None:
    assert arguments(parameters, chance, hint("")) == given


LIST = tool("list_files", "List the files of a directory", text("path"))
READ = tool("read_file", "Read a text file", text("path"))
CLOCK = tool("get_time", "Current time in a city", text("city"))
STEPS = "List the files in ./src, then read ./src/a.py, then read ./src/b.py"


def _done(*calls: tuple[str, str]) -> list[object]:
    """Return the turns of calls that were made, with a result for each."""
    turns: list[object] = []
    for at, (name, given) in enumerate(calls):
        call = ToolCall(id=str(at), name=name, arguments=given)
        turns.append(Message(position=0, role="assistant", tool_calls=(call,)))
        result = (TextPart('["a.py", "b.py"]'),)
        turns.append(Message(position=0, role="tool", parts=result, tool_call_id=str(at)))
    return turns


def test_steps_are_taken_one_after_the_other(call: Callable[..., tuple[Call, ...]]) -> None:
    done: list[tuple[str, str]] = []
    for _ in range(3):
        (made,) = call(STEPS, *_done(*done), tools=(WEATHER, LIST, READ))
        done.append((made.name, made.arguments))
    assert done == [
        ("list_files", '{"path":"./src"}'),
        ("read_file", '{"path":"./src/a.py"}'),
        ("read_file", '{"path":"./src/b.py"}'),
    ]
    assert call(STEPS, *_done(*done), tools=(WEATHER, LIST, READ)) == ()


def test_a_step_without_values_takes_those_of_the_results(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    task = "List the files in ./src, then read the files"
    done = [("list_files", '{"path":"./src"}')]
    made = call(task, *_done(*done), tools=(LIST, READ))
    assert [each.arguments for each in made] == ['{"path":"a.py"}', '{"path":"b.py"}']
    done += [(each.name, each.arguments) for each in made]
    assert call(task, *_done(*done), tools=(LIST, READ)) == ()


def test_a_step_in_parallel_calls_several_tools(call: Callable[..., tuple[Call, ...]]) -> None:
    made = call("Get the weather in Paris and the time in Tokyo", tools=(WEATHER, CLOCK))
    assert [(each.name, each.arguments) for each in made] == [
        ("get_weather", '{"city":"Paris"}'),
        ("get_time", '{"city":"Tokyo"}'),
    ]


@pytest.mark.parametrize(
    ("question", "tools", "given"),
    [
        ("Read ./a.py and ./b.py", READ, ['{"path":"./a.py"}', '{"path":"./b.py"}']),
        ("Search for 'tea' and 'milk'", SEARCH, ['{"query":"tea"}', '{"query":"milk"}']),
        ("Wetter in Berlin und Wien", WEATHER, ['{"city":"Berlin"}', '{"city":"Wien"}']),
        ("Погода в Москве", WEATHER, ['{"city":"Москва"}']),
        ("東京と大阪の天気", WEATHER, ['{"city":"東京"}', '{"city":"大阪"}']),
    ],
)
def test_several_values_are_several_calls(
    question: str, tools: Tool, given: list[str], call: Callable[..., tuple[Call, ...]]
) -> None:
    assert [each.arguments for each in call(question, tools=(tools,))] == given


def test_calls_of_one_step_differ_only_in_what_is_mentioned(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    parameters: JSONObject = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "note": {}},
        "required": ["city", "days", "note"],
    }
    made = call("Weather in Paris and Rome", tools=(tool("weather", "", parameters),))
    first, second = (orjson.loads(each.arguments) for each in made)
    assert first | {"city": "Rome"} == second


def test_nothing_is_asked_for_again_in_a_conversation(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    done = _done(("get_weather", '{"city":"Rome"}'))
    assert call("Weather in Rome", *done, "Weather in Rome", tools=(WEATHER,)) == ()
    assert call("Weather in Rome", *done, "Weather in Oslo", tools=(WEATHER,)) != ()


def test_a_second_sentence_is_no_second_call(call: Callable[..., tuple[Call, ...]]) -> None:
    made = call("What is the weather in Rome? I hope the weather is fine.", tools=(WEATHER,))
    assert [each.arguments for each in made] == ['{"city":"Rome"}']
    after = _done(("get_weather", '{"city":"Rome"}'))
    asked = "What is the weather in Rome? I hope the weather is fine."
    assert call(asked, *after, tools=(WEATHER,)) == ()


def test_an_endless_loop_is_left(call: Callable[..., tuple[Call, ...]]) -> None:
    done = _done(*[("read_file", f'{{"path":"{n}.py"}}') for n in range(60)])
    assert call(STEPS, *done, tools=(LIST, READ)) == ()


@pytest.mark.parametrize(
    "final",
    [
        tool("final_result", "", text("city")),
        tool("final_answer", "Provides a final answer to the given problem.", text("answer")),
        tool("done", "The final response which ends this conversation", text("city")),
    ],
    ids=lambda final: str(final.name),
)
def test_the_tool_that_takes_the_answer_is_called_when_nothing_else_is_left_to_do(
    call: Callable[..., tuple[Call, ...]], final: Tool
) -> None:
    asked = "What's the weather in Izmir?"
    assert [each.name for each in call(asked, tools=(final,))] == [final.name]
    assert [each.name for each in call(asked, tools=(final, WEATHER))] == ["get_weather"]
    known = (asked, _called("get_weather", '{"city":"Izmir"}'), ("tool", "18 degrees"))
    assert [each.name for each in call(*known, tools=(final, WEATHER))] == [final.name]
    over = (*known, _called(final.name, "{}"), ("tool", "Final result processed."))
    assert call(*over, tools=(final, WEATHER)) == ()


def test_a_tool_that_speaks_of_results_does_not_take_the_answer(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    scores = tool("scores", "Final results of football matches", text("match"))
    assert call("Tell me a story about a lighthouse", tools=(scores,)) == ()


SEND: JSONObject = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "line_offset": {"type": "integer"},
        "max_chars": {"type": "integer", "minimum": 1},
        "follow": {"type": "boolean"},
        "encoding": {"enum": ["utf-8", "latin-1"]},
        "email": {"type": "string"},
        "body": {"type": "string"},
    },
    "required": ["path"],
}


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ("Read main.c", {"path", "body"}),
        ("Read main.c as latin-1", {"path", "encoding", "body"}),
        ("Read main.c and send it to ann@example.org", {"path", "email", "body"}),
    ],
)
def test_a_call_leaves_to_its_tool_what_nobody_mentioned(
    said: str, keys: set[str], call: Callable[..., tuple[Call, ...]]
) -> None:
    [made] = call(said, tools=(tool("read", "Read a file and send it", SEND),))
    given = orjson.loads(made.arguments)
    assert set(given) == keys
    assert given["path"] == "main.c"


def test_a_call_of_a_tool_that_demands_nothing_has_values_all_the_same(
    call: Callable[..., tuple[Call, ...]],
) -> None:
    shape: JSONObject = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    }
    [made] = call("What is the weather in Izmir?", tools=(tool("get_weather", "", shape),))
    assert orjson.loads(made.arguments)["city"] == "Izmir"
