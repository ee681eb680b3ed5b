from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.detection import spoken
from k3mock.generator.fitting import ENOUGH, Fitting, stem
from k3mock.protocol.request import Tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONObject, JSONValue


def tool(name: str, description: str = "", *keys: str, **properties: JSONValue) -> Tool:
    shape: JSONObject = {key: {"type": "string"} for key in keys}
    parameters: JSONObject = {"properties": shape | properties}
    return Tool(name=name, description=description, parameters=parameters, declared={})


WEATHER = tool("get_weather", "Current weather of a city", "city")
LIST = tool("list_files", "List the files of a directory", "path")
READ = tool("read_file", "Read a text file", "path")
SEARCH = tool("search_web", "Search the web", "query")
RUN = tool("run_tests", "Run the test suite")
MAIL = tool("send_email", "Send an e-mail", "to", "body")
LIGHT = tool("set_light", "", room={"enum": ["kitchen", "hall"]})
TOOLS = (WEATHER, LIST, READ, SEARCH, RUN, MAIL, LIGHT)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is it going to rain in Oslo?", "get_weather"),
        ("List the files in ./src", "list_files"),
        ("Read ./logs/test.log", "read_file"),
        ("open a.txt and read it", "read_file"),
        ("Search for green tea", "search_web"),
        ("Run the tests", "run_tests"),
        ("Please send an email to ann@example.com", "send_email"),
        ("Lights on in the kitchen", "set_light"),
        ("Wie wird das Wetter in Berlin?", "get_weather"),
        ("Quelle est la météo à Lyon ?", "get_weather"),
        ("¿Qué tiempo hace en Madrid?", "get_weather"),
        ("Какая погода в Москве?", "get_weather"),
        ("東京の天気は?", "get_weather"),
        ("台北的天氣如何？", "get_weather"),
        ("Lies die Datei a.txt", "read_file"),
        ("Прочитай файл a.txt", "read_file"),
    ],
)
def test_the_fitting_tool_has_the_best_score(
    text: str, name: str, hint: Callable[..., Hints]
) -> None:
    heard = spoken(text)
    fitting = Fitting(text, heard, hint(text, heard))
    scores = {each.name: fitting.score(each) for each in TOOLS}
    assert max(scores, key=lambda each: scores[each]) == name
    assert scores[name] >= ENOUGH


@pytest.mark.parametrize(
    "text",
    ["Hello", "Tell me a joke", "Write a poem about the sea", "Give me a list of fruits", "你好"],
)
def test_small_talk_fits_no_tool(text: str, hint: Callable[..., Hints]) -> None:
    heard = spoken(text)
    fitting = Fitting(text, heard, hint(text, heard))
    assert all(fitting.score(each) < ENOUGH for each in TOOLS)


def test_endings_do_not_matter() -> None:
    assert stem("Searching") == stem("searches") == stem("search")
    assert stem("is") == "is"
