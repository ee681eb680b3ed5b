"""What a list of events names at frame level becomes frames at its place."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.failure import ApiError
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.policy import WirePolicy
from k3mock.protocol.reply import (
    Chunk,
    Comment,
    ContentDelta,
    Disconnect,
    DoneEvent,
    Ending,
    ErrorEvent,
    FinishEvent,
    Raw,
    ReasoningDelta,
    Reply,
    ReplyEvent,
    Stall,
    ToolArgumentsDelta,
    ToolCallStart,
    UsageEvent,
)
from k3mock.protocol.usage import Usage
from k3mock.wire.chunks import DONE, Frame, FrameKind, encode_frames
from tests.wire.golden import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.jsonvalue import JSONObject

COUNTED = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
ERROR = ErrorEvent(ApiError(status=500, message="lost <it>", type="server_error"))
WORD = ContentDelta("Hi")


def told(*events: ReplyEvent, **more: Any) -> Reply:
    return Reply(events=events, finish="stop", usage=Usage(prompt=9, completion=3), **more)


def frames(reply: Reply, **knobs: Any) -> Sequence[Frame]:
    policy = apply_knobs(WirePolicy(), knobs)
    return encode_frames(reply, ENVELOPE, policy, include_usage=True)


def kinds(reply: Reply, **knobs: Any) -> str:
    return " ".join(frame.kind for frame in frames(reply, **knobs))


def chunk(frame: Frame) -> Any:
    return json.loads(frame.data.removeprefix(b"data: "))


@pytest.mark.parametrize(
    ("event", "frame"),
    [
        pytest.param(Raw(b"data: {\n\xff"), Frame(b"data: {\n\xff", FrameKind.OTHER, literal=True),
                     id="raw"),
        pytest.param(Comment(" keep-alive"), Frame(b": keep-alive\n\n", FrameKind.OTHER),
                     id="comment"),
        pytest.param(Comment(""), Frame(b":\n\n", FrameKind.OTHER), id="bare-comment"),
        pytest.param(Comment("a\nb"), Frame(b":a\n:b\n\n", FrameKind.OTHER), id="two-comments"),
        pytest.param(Stall(50), Frame(b"", FrameKind.STALL, stall_ms=50), id="stall"),
        pytest.param(Stall(), Frame(b"", FrameKind.STALL, stall_ms=math.inf), id="endless-stall"),
        pytest.param(
            ERROR,
            Frame(b'data: {"error":{"message":"lost \\u003cit\\u003e","type":"server_error"}}\n\n',
                  FrameKind.ERROR),
            id="error",
        ),
        pytest.param(
            replace(ERROR, event="error"),
            Frame(b'event: error\ndata: {"error":{"message":"lost \\u003cit\\u003e",'
                  b'"type":"server_error"}}\n\n', FrameKind.ERROR),
            id="named-error",
        ),
        pytest.param(
            ErrorEvent(replace(ERROR.error, body="<p>\nno")),
            Frame(b"data: <p>\ndata: no\n\n", FrameKind.ERROR), id="literal-error",
        ),
    ],
)  # fmt: skip
def test_an_event_becomes_one_frame_at_its_place(event: ReplyEvent, frame: Frame) -> None:
    found = frames(told(WORD, event, WORD))
    assert found[2] == frame
    assert found[3] == found[1]
    assert (*found[:2], *found[3:]) == frames(told(WORD, WORD))


def test_an_error_in_a_stream_has_the_hosts_envelope() -> None:
    found = frames(told(replace(ERROR, event="error")), error_envelope="anthropic", ascii=True)
    assert found[1].data == (
        b'event: error\ndata: {"type":"error","error":{"type":"server_error",'
        b'"message":"lost \\u003cit\\u003e"}}\n\n'
    )


def test_a_literal_chunk_is_laid_over_the_envelope_and_gets_nothing_else() -> None:
    fields: JSONObject = {"object": "odd", "choices": [], "error": {"code": 502}}
    found = frames(told(Chunk(fields)), extra={"x": 1}, usage_elsewhere="null", role="every")
    assert found[1].kind is FrameKind.OTHER
    assert found[1].tokens == 0
    assert json.dumps(chunk(found[1])) == json.dumps(
        {"id": ENVELOPE.id, "object": "odd", "created": ENVELOPE.created, "model": "kimi-k3",
         "choices": [], "error": {"code": 502}}
    )  # fmt: skip
    assert "choices" not in chunk(frames(told(Chunk({})))[1])


@pytest.mark.parametrize("how", list(Ending))
def test_a_disconnect_is_the_end_of_the_frames(how: Ending) -> None:
    found = frames(told(WORD, Disconnect(how), WORD))
    assert found == (*frames(told(WORD))[:2], Frame(b"", FrameKind.END, ending=how))


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        pytest.param((WORD,), "role content finish usage done", id="nothing-named"),
        pytest.param((WORD, FinishEvent("x"), WORD), "role content finish content usage done",
                     id="finish"),
        pytest.param((WORD, UsageEvent(), WORD), "role content usage content finish done",
                     id="usage-before-the-last-word"),
        pytest.param((WORD, UsageEvent()), "role content finish usage done",
                     id="usage-after-the-last-word"),
        pytest.param((WORD, DoneEvent()), "role content finish usage done",
                     id="done-after-the-last-word"),
        pytest.param((DoneEvent(), WORD), "role done content finish usage",
                     id="done-before-the-last-word"),
        pytest.param((WORD, UsageEvent(), Comment("x"), DoneEvent()),
                     "role content finish usage other done", id="usage-and-done"),
        pytest.param((WORD, ERROR), "role content error finish usage done", id="error"),
        pytest.param((DoneEvent(), DoneEvent()), "role finish usage done done", id="done-twice"),
    ],
)  # fmt: skip
def test_what_a_list_names_is_not_added_again_and_the_rest_stands_before_it(
    events: tuple[ReplyEvent, ...], shown: str
) -> None:
    assert kinds(told(*events)) == shown


@pytest.mark.parametrize(
    ("omit", "shown"),
    [
        ("role", "content finish usage done"),
        ("finish", "role content usage done"),
        ("usage", "role content finish done"),
        ("done", "role content finish usage"),
    ],
)
def test_what_is_omitted_is_not_added(omit: str, shown: str) -> None:
    assert kinds(told(WORD, omit=frozenset({omit}))) == shown
    assert kinds(told(omit=frozenset({"role", "finish", "usage", "done"}))) == ""


def test_an_omitted_frame_that_the_list_names_is_sent() -> None:
    every = frozenset({"role", "finish", "usage", "done"})
    reply = told(WORD, FinishEvent("x"), UsageEvent(), DoneEvent(), omit=every)
    assert kinds(reply, done=False, finish_chunks=0, usage_chunk="off") == (
        "content finish usage done"
    )


def test_a_literal_list_has_its_role_first() -> None:
    assert kinds(told(Comment("x"), WORD, literal=True)).startswith("role other content")


@pytest.mark.parametrize("reason", ["stop", "any other word", None])
def test_an_explicit_finish_has_its_own_reason_and_the_usage_of_all(reason: str | None) -> None:
    found = frames(told(WORD, FinishEvent(reason), null_finish=True), finish_chunks=4)
    [finish] = [frame for frame in found if frame.kind is FrameKind.FINISH]
    choice = {"index": 0, "delta": {}, "finish_reason": reason, "usage": COUNTED}
    assert chunk(finish)["choices"] == [choice]


def test_a_finish_may_be_null() -> None:
    found = frames(told(WORD, null_finish=True))
    assert found[2].kind is FrameKind.FINISH
    assert chunk(found[2])["choices"][0]["finish_reason"] is None


def test_an_explicit_usage_is_as_given_or_as_counted() -> None:
    given, counted = frames(told(WORD, UsageEvent({"x": 1}), UsageEvent()))[3:5]
    assert chunk(given)["usage"] == {"x": 1}
    assert (chunk(given)["choices"], list(chunk(given))[-1]) == ([], "usage")
    assert chunk(counted)["usage"] == COUNTED
    uncounted = replace(told(UsageEvent()), usage=None)
    assert chunk(frames(uncounted)[2])["usage"] is None


def test_an_explicit_done_is_sent_where_the_host_has_none() -> None:
    assert frames(told(WORD, DoneEvent()), done=False)[-1] == Frame(DONE, FrameKind.DONE)


def test_silence_within_the_thinking_does_not_end_it() -> None:
    reply = told(ReasoningDelta("a"), Stall(5), ReasoningDelta("b"), Comment(""), WORD)
    assert kinds(reply, reasoning_end_mark=True) == (
        "role reasoning stall reasoning other reasoning content finish usage done"
    )
    cut = told(ReasoningDelta("a"), Stall(5))
    assert kinds(cut, reasoning_end_mark=True) == "role reasoning stall finish usage done"


def test_a_call_that_is_kept_back_is_never_sent_when_the_connection_ends_before() -> None:
    reply = told(ToolCallStart("f", id="f_0"), ToolArgumentsDelta("{"), Disconnect(),
                 ToolArgumentsDelta("}"))  # fmt: skip
    found = frames(reply, tool_arguments="whole")
    assert [frame.data for frame in found[1:]] == [b""] * 3
    assert found[-1].kind is FrameKind.END
