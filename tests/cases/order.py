"""Cases about the order and the end of a stream, and errors in the middle of it (H)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.support import request, tool

if TYPE_CHECKING:
    from tests.cases.case import World

WORDS = """
    name: {name}
    turns:
      - reply: {{reasoning: Count., content: one two three four five six seven eight}}
    """
CALL = """
    name: {name}
    turns:
      - reply: {{tool_calls: [{{name: get_weather, arguments: {{city: Izmir}}}}]}}
    """
TEXT = "one two three four five six seven eight"


@case(
    "H01",
    "The stream ends properly after some deltas, with no finish chunk and no `[DONE]`.",
    scenario="""
    name: h01
    turns:
      - reply:
          content: one two three four five six seven eight
          faults: [{name: cut_mid_stream, after: {content_tokens: 3}, how: clean}]
    """,
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.end == "whole"
    assert streamed.joined("content") == "one two three"
    assert streamed.finishes == []
    assert not streamed.done


@case(
    "H02",
    "The stream ends inside the arguments of a tool call.",
    scenario="""
    name: h02
    turns:
      - reply:
          tool_calls: [{name: write_file, arguments: {path: a.py, text: "print('hello, world')"}}]
          faults: [{name: cut_in_tool_arguments, argument_chars: 20}]
    """,
)
def _(world: World) -> None:
    tools = [tool("write_file", path={"type": "string"}, text={"type": "string"})]
    streamed = world.send(request(stream=True, tools=tools))
    joined = "".join(item["function"]["arguments"] for item in streamed.tool_deltas)
    assert joined == '{"path":"a.py","text":"print(\'hello, world\')"}'[:20]
    assert streamed.end == "closed"
    assert streamed.finishes == []


@case(
    "H03",
    "`[DONE]` comes, but no chunk ever had a finish reason.",
    scenario=WORDS.format(name="h03"),
    options="fault=no_finish",
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.done
    assert streamed.finishes == []
    assert streamed.joined("content") == TEXT


@case(
    "H05",
    "An event with an `error` object stands in a stream that began with 200, with `[DONE]` behind it or not.",
    scenario=WORDS.format(name="h05"),
    options="fault=error_event",
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.status == 200
    errors = [event for event in streamed.events if isinstance(event, dict) and "error" in event]
    assert len(errors) == 1
    assert {"message", "type"} <= set(errors[0]["error"])
    assert 0 < len(streamed.joined("content")) < len(TEXT)
    assert streamed.finishes == []
    done = world.send(request(stream=True), options="fault=error_event(then:done)")
    assert done.events[-1] == "[DONE]"
    on = world.send(request(stream=True), options="fault=error_event(then:continue)")
    assert on.joined("content") == TEXT
    assert any("error" in event for event in on.events if isinstance(event, dict))


@case(
    "H06",
    "The error is merged into an object that looks like an ordinary chunk without choices.",
    scenario=WORDS.format(name="h06"),
    options="fault=error_chunk",
)
def _(world: World) -> None:
    wrong = next(event for event in world.stream().events if "error" in event)
    assert wrong["object"] == "chat.completion.chunk"
    assert wrong["choices"] == []
    assert wrong["error"]["message"]
    finished = world.send(request(stream=True), options="fault=finish_error")
    assert finished.finishes == ["error"]


@case(
    "H07",
    "The error event has a name: `event: error`.",
    scenario=WORDS.format(name="h07"),
    options="fault=named_error_event",
)
def _(world: World) -> None:
    assert b'event: error\ndata: {"' in world.stream().body


@case(
    "H08",
    "The finish chunk comes twice.",
    scenario=CALL.format(name="h08"),
    options="fault=duplicate_finish",
)
def _(world: World) -> None:
    streamed = world.send(request(stream=True, tools=[tool()]))
    assert streamed.finishes == ["tool_calls", "tool_calls"]
    assert streamed.done


@case(
    "H11",
    "Behind the deltas one more delta carries the whole text again.",
    scenario="""
    name: h11
    turns:
      - reply:
          events:
            - content: one two three
            - content: {text: one two three, whole: true}
    """,
)
def _(world: World) -> None:
    assert world.stream().joined("content") == "one two threeone two three"
    repeated = world.send(request(stream=True), options="scenario=h03;fault=repeated_text")
    assert repeated.joined("content") == TEXT + TEXT


@case(
    "H12",
    "The connection closes without the last chunk of length zero, or is reset.",
    scenario=WORDS.format(name="h12"),
    options="fault=cut_mid_stream",
)
def _(world: World) -> None:
    cut = world.stream()
    assert cut.chunked
    assert cut.end == "closed"
    assert not cut.raw.endswith(b"0\r\n\r\n")
    assert cut.joined("content") == "one"
    reset = world.send(request(stream=True), options="fault=cut_mid_stream(after:2,how:reset)")
    assert reset.end == "reset"
    assert reset.joined("content") == "one two"
    before = world.send(request(stream=True), options="fault=close_before_headers")
    assert (before.end, before.raw) == ("closed", b"")


@case(
    "H13",
    "Status 200, but the body is empty, or only blank lines come.",
    scenario=WORDS.format(name="h13"),
    options="fault=empty_body",
)
def _(world: World) -> None:
    empty = world.ask()
    assert (empty.status, empty.body, empty.end) == (200, b"", "whole")
    blank = world.send(request(), options="fault=blank_lines")
    assert blank.status == 200
    assert blank.body
    assert blank.body.strip() == b""


@case(
    "H14",
    "Blank lines are sent as signs of life before the JSON body.",
    scenario=WORDS.format(name="h14"),
    options="fault=leading_blank_lines",
)
def _(world: World) -> None:
    answer = world.ask()
    assert answer.body.startswith(b"\n")
    assert answer.message["content"] == TEXT
    assert answer.body.lstrip().startswith(b'{"id"')


@case(
    "H16",
    "`delta` is null in the finish chunk, `content` null in the first, `role` null in later ones.",
    scenario=WORDS.format(name="h16"),
    options="wire.finish_delta=null;wire.first_content=null;wire.role=null_later",
)
def _(world: World) -> None:
    first, *later, finish = world.stream().deltas
    assert first == {"role": "assistant", "content": None}
    assert all(delta["role"] is None for delta in later)
    assert finish is None
    absent = world.send(
        request(stream=True), options="wire.finish_delta=omit;wire.first_content=omit"
    )
    assert absent.deltas[0] == {"role": "assistant"}
    assert "delta" not in absent.chunks[-1]["choices"][0]
