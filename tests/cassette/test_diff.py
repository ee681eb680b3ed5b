"""Two recordings of one session, compared and graded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.compare import answer_changes, changes
from k3mock.cassette.diff import compared
from k3mock.cassette.grade import GRADES, Change, Grade, short, text_change
from k3mock.cassette.interaction import End
from tests.cassette.samples import JSON, SSE, STREAM, USAGE, chunk, completion, interaction, sse
from tests.support import request

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Interaction


def found(before: Interaction, after: Interaction) -> list[tuple[str, str]]:
    return [(change.grade.word, change.place) for change in changes(before, after)]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in completion().items() if key != name}


def test_the_same_exchange_has_not_changed() -> None:
    assert changes(interaction(answer=STREAM), interaction(answer=STREAM)) == []


def test_ids_times_and_counts_of_words_are_no_change() -> None:
    counts = {"prompt_tokens": 12, "completion_tokens": 99, "total_tokens": 111}
    other = completion(usage=counts) | {"id": "chatcmpl-9", "created": 2}
    assert found(interaction(), interaction(answer=other)) == []


@pytest.mark.parametrize(
    ("after", "change"),
    [
        pytest.param(completion("Bye."), ("words", "answer.content"), id="words"),
        pytest.param(completion(finish="length"), ("value", "answer.choices[].finish_reason"),
                     id="value"),
        pytest.param(completion(usage=USAGE | {"prompt_tokens": 13}),
                     ("value", "answer.usage.prompt_tokens"), id="prompt"),
        pytest.param(completion() | {"service_tier": {"a": {}}}, ("added", "answer.service_tier"),
                     id="added"),
        pytest.param(without("usage"), ("removed", "answer.usage"), id="removed"),
        pytest.param(completion(None), ("type", "answer.choices[].message.content"),  # type: ignore[arg-type]
                     id="type"),
    ],
)  # fmt: skip
def test_a_change_has_a_grade_and_a_place(after: Any, change: tuple[str, str]) -> None:
    assert change in found(interaction(), interaction(answer=after))
    assert len(found(interaction(), interaction(answer=after))) <= 2


def test_the_grades_have_an_order() -> None:
    assert GRADES == ("words", "value", "added", "removed", "type", "status")
    assert [*Grade] == sorted(Grade)


def test_how_a_stream_is_cut_into_chunks_is_no_change() -> None:
    fine = sse(chunk(content="Hel"), chunk(content="lo"), chunk("stop"), "[DONE]")
    coarse = sse(chunk(content="Hello"), chunk("stop"), "[DONE]")
    assert found(interaction(answer=fine), interaction(answer=coarse)) == []


@pytest.mark.parametrize(
    ("writes", "change"),
    [
        pytest.param([*STREAM[:-1]], ("removed", "answer.[DONE]"), id="done"),
        pytest.param([*STREAM[:-1], b"data: oops\n\n", STREAM[-1]], ("added", "answer.other"),
                     id="other"),
        pytest.param([*STREAM[:1], *STREAM[2:]], ("words", "answer.reasoning"), id="reasoning"),
        pytest.param([*STREAM[:5], *STREAM[6:]], ("words", "answer.tool_calls"), id="call"),
        pytest.param([*STREAM[:3], *STREAM[6:]], ("removed", "answer.choices[].delta.tool_calls"),
                     id="no-call"),
    ],
)  # fmt: skip
def test_streams_are_compared_by_shape_and_words(
    writes: list[bytes], change: tuple[str, str]
) -> None:
    assert change in found(interaction(answer=STREAM), interaction(answer=writes))


def test_what_is_below_a_field_that_is_gone_is_not_told_again() -> None:
    without_call = interaction(answer=[*STREAM[:3], *STREAM[6:]])
    places = [place for _, place in found(interaction(answer=STREAM), without_call)]
    assert not [place for place in places if place.startswith("answer.choices[].delta.tool_calls[")]


def test_another_status_or_end_says_all() -> None:
    refused = interaction(answer={"error": {}}, status=429)
    assert found(interaction(), refused) == [("status", "answer.status")]
    cut = interaction(end=End.UPSTREAM_ERROR)
    assert found(interaction(), cut) == [("status", "answer.end")]
    left = interaction(answer=STREAM[:3], end=End.CLIENT_DISCONNECT)
    assert found(interaction(answer=STREAM), left) == [("words", "answer.tool_calls")]
    assert found(interaction(timing=None), interaction()) == []


def test_headers_that_mean_something_are_compared() -> None:
    limited = interaction(headers=(*JSON, ("retry-after", "3")))
    assert found(interaction(), limited) == [("added", "answer.headers.retry-after")]
    assert found(limited, interaction(headers=(*JSON, ("retry-after", "9")))) == []
    plain = interaction(headers=(("content-type", "text/plain"),))
    assert found(interaction(), plain) == [("value", "answer.headers.content-type")]
    spaced = interaction(headers=(("content-type", "Application/JSON"),))
    assert found(interaction(), spaced) == []


def test_a_stream_in_place_of_json_is_another_type() -> None:
    stream = interaction(answer=sse(chunk(content="Hello."), "[DONE]"), headers=SSE)
    assert ("type", "answer") in found(interaction(), stream)


def test_bodies_that_are_no_json_are_compared_as_text() -> None:
    page, other = interaction(answer=b"<html>a"), interaction(answer=b"<html>b")
    [change] = answer_changes(page, other)
    assert str(change) == 'value    answer.other: "<html>a" → "<html>b"'
    assert found(interaction(b"{"), interaction(b"[")) == [("value", "request")]
    assert found(interaction(b"{"), interaction(b"{")) == []


def test_requests_are_compared_field_by_field() -> None:
    history = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b",
               "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]},
               {"role": "tool", "tool_call_id": "1", "content": "x"}]  # fmt: skip
    other = [{"role": "user", "content": "c"}, {"role": "assistant", "content": "d",
             "tool_calls": [{"id": "2", "function": {"arguments": "[]"}}]},
             {"role": "tool", "tool_call_id": "2", "content": "y"}, {"role": "user"}]  # fmt: skip
    one = {"messages": history, "temperature": 1, "user": "u", "stop": "a", "n": 1}
    two = {"messages": other, "temperature": 2, "seed": 1, "stop": ["a"], "n": 1}
    assert found(interaction(one), interaction(two)) == [
        ("value", "request.messages[0].content"),
        ("words", "request.messages[1].content"),
        ("words", "request.messages[1].tool_calls[0].id"),
        ("words", "request.messages[1].tool_calls[0].function.arguments"),
        ("words", "request.messages[2].tool_call_id"),
        ("value", "request.messages[2].content"),
        ("added", "request.messages[3]"),
        ("value", "request.temperature"),
        ("removed", "request.user"),
        ("type", "request.stop"),
        ("added", "request.seed"),
    ]
    assert ("removed", "request.messages[3]") in found(interaction(two), interaction(one))


def test_exchanges_are_paired_by_their_requests_then_by_their_form() -> None:
    before = [
        interaction(request("a"), number=1),
        interaction(request("b"), number=2),
        interaction(request("b"), completion("2nd"), number=3),
        interaction(request("c", user="x"), number=4),
        interaction(request("d", stream=True), number=5),
        interaction(method="GET", uri="https://api.moonshot.ai/v1/models", number=6),
    ]
    after = [
        interaction(request("b"), number=1),
        interaction(request("a"), number=2),
        interaction(request("c", user="y"), number=3),
        interaction(request("e", stream=True), number=4),
        interaction(request("b"), completion("second"), number=5),
        interaction(request("f", messages=[]), number=6),
    ]
    pairs = compared(before, after)
    assert [(pair.before, pair.after) for pair in pairs] == [
        (1, 2), (2, 1), (3, 5), (4, 3), (5, 4), (6, None), (None, 6),
    ]  # fmt: skip
    assert [pair.worst for pair in pairs] == [
        None, None, Grade.WORDS, Grade.VALUE, Grade.VALUE, Grade.REMOVED, Grade.ADDED,
    ]  # fmt: skip


def test_a_pair_can_be_read_by_people_and_scripts() -> None:
    [pair] = compared([interaction(number=3)], [interaction(answer=completion("Bye."), number=4)])
    assert str(pair) == (
        "#3 ↔ #4  POST /v1/chat/completions\n"
        '  words    answer.content: "Hello." → "Bye."'
    )  # fmt: skip
    assert pair.as_json() == {
        "request": "POST /v1/chat/completions", "before": 3, "after": 4,
        "changes": [{"grade": "words", "place": "answer.content", "before": '"Hello."',
                     "after": '"Bye."'}],
    }  # fmt: skip
    [alone] = compared([], [interaction(number=2)])
    assert str(alone) == (
        "– ↔ #2  POST /v1/chat/completions\n  added    interaction: nothing → recorded"
    )


def test_texts_are_shown_where_they_part() -> None:
    same = "x" * 50
    [change] = text_change("p", f"{same}a{same}{same}", f"{same}b", Grade.WORDS)
    assert change.before == f'"…{"x" * 20}a{"x" * 38}…"'
    assert change.after == f'"…{"x" * 20}b"'
    assert [*text_change("p", "", "new", Grade.WORDS)] == [
        Change(grade=Grade.WORDS, place="p", after='"new"')
    ]
    assert short("a\n b") == "a b"
