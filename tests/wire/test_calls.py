from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.policy import ToolArguments, WirePolicy
from k3mock.protocol.reply import (
    ContentDelta,
    ReplyEvent,
    ToolArgumentsDelta,
    ToolCallStart,
    ToolDelta,
)
from k3mock.wire.calls import Held, WholeCall, arguments_value, arranged, merged_calls

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject

START = ToolCallStart("f", id="f_0")
OBJECT = WirePolicy(tool_arguments=ToolArguments.OBJECT)
WHOLE = WirePolicy(tool_arguments=ToolArguments.WHOLE)


def merged(*events: ReplyEvent, **policy: Any) -> list[Any]:
    return [*merged_calls(events, WirePolicy(**policy))]


def literal(**fields: Any) -> ToolDelta:
    return ToolDelta(fields)


def call(arguments: Any, *, index: Any = 0, name: str = "f", id_: str = "f_0") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": id_, "type": "function", "function": function}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param('{"a": [1]}', {"a": [1]}, id="object"),
        pytest.param("{}", {}, id="empty-object"),
        pytest.param("", "", id="nothing"),
        pytest.param('{"a": ', '{"a": ', id="cut"),
        pytest.param('{"a": NaN}', '{"a": NaN}', id="no-number"),
        pytest.param("[1]", "[1]", id="no-object"),
        pytest.param('"x"', '"x"', id="text"),
    ],
)
def test_arguments_that_are_an_object_may_be_shown_as_one(text: str, shown: Any) -> None:
    assert arguments_value(text, OBJECT) == shown
    assert arguments_value(text, WirePolicy()) == arguments_value(text, WHOLE) == text


def test_arguments_too_deep_for_the_encoder_stay_text() -> None:
    def nested(levels: int) -> str:
        return '{"a":' * levels + "1" + "}" * levels

    assert arguments_value(nested(250), OBJECT) == nested(250)
    assert isinstance(arguments_value(nested(200), OBJECT), dict)


def test_whole_calls_stand_where_their_last_piece_stood() -> None:
    events = (
        START,
        ToolArgumentsDelta("1", tokens=2),
        ContentDelta("!"),
        ToolArgumentsDelta("2", tokens=3),
        ToolCallStart("g", index=1, tokens=5),
        ToolCallStart("h", index=1),
        ToolArgumentsDelta("3", index=9),
    )
    assert arranged(events, WHOLE) == [
        Held(1),
        Held(2),
        ContentDelta("!"),
        WholeCall(START, 0, "12", 3),
        WholeCall(events[4], 1, "", 5),
        WholeCall(events[5], 1, "", 1),
        WholeCall(None, 9, "3", 1),
    ]


def test_calls_are_put_together_by_index() -> None:
    other = ToolCallStart("g", id="g_1", index=1)
    events = (START, other, ToolArgumentsDelta("x", index=1), ToolArgumentsDelta("a"),
              ToolArgumentsDelta("y", index=1))  # fmt: skip
    assert merged(*events) == [call("a"), call("xy", index=1, name="g", id_="g_1")]
    assert [item["index"] for item in merged(*events, tool_index_base=3)] == [3, 4]
    assert all("index" not in item for item in merged(*events, tool_index_in_body=False))


def test_arguments_that_nothing_opened_are_not_shown() -> None:
    assert merged(ToolArgumentsDelta("x")) == []


def test_objects_are_shown_in_bodies_too() -> None:
    events = (START, ToolArgumentsDelta('{"a"'), ToolArgumentsDelta(":1}"))
    assert merged(*events, tool_arguments=ToolArguments.OBJECT) == [call({"a": 1})]


@pytest.mark.parametrize(
    ("deltas", "shown"),
    [
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
             {"index": 0, "function": {"arguments": "2"}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "12"}}],
            id="same-index",
        ),
        pytest.param(
            [{"id": "a", "function": {"name": "f", "arguments": "1"}},
             {"id": "b", "function": {"name": "g", "arguments": "2"}},
             {"id": "a", "function": {"arguments": "3"}}],
            [{"id": "a", "function": {"name": "f", "arguments": "13"}},
             {"id": "b", "function": {"name": "g", "arguments": "2"}}],
            id="ids-without-index",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
             {"index": 0, "id": "b", "function": {"name": "g", "arguments": "2"}},
             {"index": 1, "function": {"arguments": "3"}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
             {"index": 0, "id": "b", "function": {"name": "g", "arguments": "23"}}],
            id="colliding-index-and-a-tail-that-went-astray",
        ),
        pytest.param(
            [{"index": 1, "function": {"name": "f", "arguments": ""}},
             {"index": 3, "id": "", "function": {"name": "g", "arguments": "2"}}],
            [{"index": 1, "function": {"name": "f", "arguments": ""}},
             {"index": 3, "id": "", "function": {"name": "g", "arguments": "2"}}],
            id="names-at-unseen-indices",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
             {"index": 0, "id": "", "type": "function",
              "function": {"name": "", "arguments": "2"}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "12"},
              "type": "function"}],
            id="empty-means-unchanged",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}},
             {"index": 0, "function": {"arguments": {"y": 2}}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1, "y": 2}}}],
            id="objects",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}],
            id="null",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
             {"index": 0, "function": {"arguments": None}}],
            [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}}],
            id="null-adds-nothing",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "f"}}],
            [{"index": 0, "id": "a", "function": {"name": "f"}}],
            id="no-arguments",
        ),
        pytest.param([{"odd": 1}], [{"odd": 1}], id="anything"),
    ],
)  # fmt: skip
def test_literal_deltas_are_put_together_as_a_careful_client_does(
    deltas: list[dict[str, Any]], shown: list[dict[str, Any]]
) -> None:
    events = [ToolDelta(fields) for fields in deltas]
    assert merged(*events) == shown
    assert merged(*events, tool_arguments=ToolArguments.OBJECT) == shown


def test_putting_together_leaves_the_deltas_as_they_were() -> None:
    first: JSONObject = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}}
    merged(ToolDelta(first), literal(index=0, type="function", function={"arguments": "2"}))
    assert first == {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}}


def test_a_literal_delta_may_go_on_with_a_call_and_a_call_with_a_literal_delta() -> None:
    assert merged(
        START, literal(index=0, function={"arguments": "1"}), ToolArgumentsDelta("2")
    ) == [call("12")]
    assert merged(literal(index=0, id="x"), ToolArgumentsDelta("2")) == [
        {"index": 0, "id": "x", "function": {"arguments": "2"}}
    ]
