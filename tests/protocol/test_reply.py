from __future__ import annotations

import pytest
from hypothesis import given

from k3mock.protocol.reply import (
    CallText,
    ContentDelta,
    FinishReason,
    ReasoningDelta,
    Reply,
    ToolArgumentsDelta,
    ToolCallStart,
    written,
)
from tests.strategies import calls, texts


def test_a_written_reply_has_an_event_for_each_text_that_is_there() -> None:
    assert written(reasoning="think", content="say", calls=(("f", "{}"), ("g", "[]"))) == Reply(
        events=(
            ReasoningDelta("think"),
            ContentDelta("say"),
            ToolCallStart("f"),
            ToolArgumentsDelta("{}"),
            ToolCallStart("g", index=1),
            ToolArgumentsDelta("[]", index=1),
        )
    )
    assert written().events == ()
    assert written(finish=FinishReason.LENGTH).finish is FinishReason.LENGTH


@given(reasoning=texts(), content=texts(), called=calls())
def test_what_was_written_can_be_read(
    reasoning: str, content: str, called: tuple[tuple[str, str], ...]
) -> None:
    reply = written(reasoning=reasoning, content=content, calls=called)
    assert (reply.reasoning, reply.content) == (reasoning, content)
    assert tuple((call.name, call.arguments) for call in reply.calls) == called
    assert [call.index for call in reply.calls] == list(range(len(called)))


def test_pieces_are_joined_in_order_and_by_call() -> None:
    reply = Reply(
        events=(
            ReasoningDelta("a"),
            ContentDelta("x"),
            ReasoningDelta("b"),
            ContentDelta("y"),
            ToolCallStart("f", id="f_0"),
            ToolCallStart("g", index=1),
            ToolArgumentsDelta("1"),
            ToolArgumentsDelta("2", index=1),
            ToolArgumentsDelta("3"),
        )
    )
    assert (reply.reasoning, reply.content) == ("ab", "xy")
    assert reply.calls == (
        CallText(index=0, id="f_0", name="f", arguments="13"),
        CallText(index=1, id="", name="g", arguments="2"),
    )


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (FinishReason.STOP, "stop"),
        (FinishReason.LENGTH, "length"),
        (FinishReason.TOOL_CALLS, "tool_calls"),
        (FinishReason.CONTENT_FILTER, "content_filter"),
    ],
)
def test_finish_reasons_are_named_as_on_the_wire(reason: FinishReason, shown: str) -> None:
    assert reason == shown
