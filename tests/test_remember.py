"""What a session remembers of its answers, seen from what rules ask of it."""

from __future__ import annotations

from k3mock.protocol.policy import ReasoningField, WirePolicy
from k3mock.protocol.reply import ContentDelta, Reply, ToolCallStart, ToolDelta
from k3mock.remember import note_issued
from k3mock.state import Session

EVENTS = (
    ContentDelta("Yes."),
    ToolCallStart("f", "f_0"),
    ToolDelta({"index": 1, "id": "grep:3"}),
    ToolDelta({"index": 1, "id": None}),
    ToolDelta({"index": 1}),
)


def test_ids_of_literal_deltas_are_given_out_like_all_others() -> None:
    session = Session("t")
    note_issued(session, Reply(events=EVENTS), WirePolicy())
    assert session.issued.issued_call("f_0")
    assert session.issued.issued_call("grep:3")
    assert len(session.issued.calls) == 2
    assert session.issued.same_reasoning("Yes.", [("f_0", "f")], "") is True


def test_reasoning_that_does_not_show_is_not_remembered() -> None:
    session = Session("t")
    hidden = WirePolicy(reasoning_field=ReasoningField.HIDDEN)
    note_issued(session, Reply(events=EVENTS), hidden)
    assert session.issued.issued_call("f_0")
    assert session.issued.same_reasoning("Yes.", [("f_0", "f")], "") is None
