from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.protocol.policy import Newline, WirePolicy
from k3mock.wire.frame import DONE, Frame, FrameKind
from k3mock.wire.sse import BOM, Decoder, Event, comment, decode, deviates, event, pretty, reframe
from k3mock.wire.text import encode
from tests.strategies import json_objects

FIRST = Frame(b'data: {"a":[1,{}],"b":"x, {y}: \\"z"}\n\n', FrameKind.CONTENT, 1)
NOTE = Frame(b": note: 1\n\n", FrameKind.OTHER)
RAW = Frame(b"data: {}\n\n", FrameKind.OTHER, literal=True)
ERROR = Frame(b"event: error\ndata: {}\n\n", FrameKind.ERROR)
SILENT = Frame(b"", FrameKind.REASONING, 2)
LAST = Frame(DONE, FrameKind.DONE)
ALL = (SILENT, FIRST, NOTE, RAW, ERROR, LAST)


def shown(**policy: Any) -> list[bytes]:
    return [frame.data for frame in reframe(ALL, WirePolicy(**policy))]


def test_by_default_nothing_changes() -> None:
    assert reframe(ALL, WirePolicy()) == ALL
    assert not deviates(WirePolicy())


@pytest.mark.parametrize(
    ("policy", "data"),
    [
        pytest.param(
            {"newline": Newline.CRLF},
            [b"", FIRST.data.replace(b"\n", b"\r\n"), b": note: 1\r\n\r\n", RAW.data,
             b"event: error\r\ndata: {}\r\n\r\n", b"data: [DONE]\r\n\r\n"],
            id="crlf",
        ),
        pytest.param(
            {"newline": Newline.CR},
            [b"", FIRST.data.replace(b"\n", b"\r"), b": note: 1\r\r", RAW.data,
             b"event: error\rdata: {}\r\r", b"data: [DONE]\r\r"],
            id="cr",
        ),
        pytest.param(
            {"space_after_colon": False},
            [b"", FIRST.data.replace(b"data: ", b"data:"), NOTE.data, RAW.data,
             b"event:error\ndata:{}\n\n", b"data:[DONE]\n\n"],
            id="no-space",
        ),
        pytest.param(
            {"split_data_lines": True},
            [b"",
             (b'data: {\ndata:   "a": [\ndata:     1,\ndata:     {}\ndata:   ],\n'
              b'data:   "b": "x, {y}: \\"z"\ndata: }\n\n'),
             NOTE.data, RAW.data, ERROR.data, LAST.data],
            id="several-data-lines",
        ),
        pytest.param(
            {"event_name": "message"},
            [b"", b"event: message\n" + FIRST.data, NOTE.data, RAW.data, ERROR.data, LAST.data],
            id="event-name",
        ),
        pytest.param(
            {"final_blank_line": False},
            [*(frame.data for frame in ALL[:-1]), b"data: [DONE]\n"],
            id="no-final-blank-line",
        ),
        pytest.param(
            {"final_blank_line": False, "newline": Newline.CRLF},
            [b"", FIRST.data.replace(b"\n", b"\r\n"), b": note: 1\r\n\r\n", RAW.data,
             b"event: error\r\ndata: {}\r\n\r\n", b"data: [DONE]\r\n"],
            id="no-final-blank-line-of-two-bytes",
        ),
        pytest.param(
            {"bom": True},
            [b"", BOM + FIRST.data, *(frame.data for frame in ALL[2:])],
            id="byte-order-mark",
        ),
    ],
)  # fmt: skip
def test_a_knob_changes_these_bytes_and_no_others(
    policy: dict[str, Any], data: list[bytes]
) -> None:
    assert shown(**policy) == data
    assert deviates(WirePolicy(**policy))


def test_literal_bytes_at_the_end_keep_their_blank_line() -> None:
    frames = (FIRST, RAW, Frame(b"", FrameKind.END))
    assert reframe(frames, WirePolicy(final_blank_line=False)) == frames


def test_a_stream_without_bytes_gets_none() -> None:
    policy = WirePolicy(bom=True, final_blank_line=False)
    assert reframe((SILENT,), policy) == (SILENT,)


def test_frames_keep_what_else_they_say() -> None:
    found = reframe(ALL, WirePolicy(bom=True, newline=Newline.CR, split_data_lines=True))
    assert [(frame.kind, frame.tokens, frame.literal) for frame in found] == [
        (frame.kind, frame.tokens, frame.literal) for frame in ALL
    ]


def test_comments_have_the_hosts_newline() -> None:
    assert comment(" a", Newline.CRLF) == b": a\r\n\r\n"
    assert comment("a\r\nb") == b":a\n:b\n\n"


def test_the_name_of_an_event_is_one_line() -> None:
    assert event(b"{}", "a\r\ndata: b") == b"event: a data: b\ndata: {}\n\n"


@given(value=json_objects())
def test_spread_json_says_the_same_and_its_lines_join_again(value: Any) -> None:
    policy = WirePolicy(split_data_lines=True, space_after_colon=False)
    for escape in (False, True):
        data = encode(value, escape=escape)
        assert json.loads(pretty(data)) == value
        [frame] = reframe((Frame(event(data), FrameKind.OTHER),), policy)
        [read] = decode(frame.data)
        assert json.loads(read.data) == value


@pytest.mark.parametrize(
    ("data", "events"),
    [
        pytest.param(b"data: a\n\n", [Event("a")], id="lf"),
        pytest.param(b"data: a\r\n\r\n", [Event("a")], id="crlf"),
        pytest.param(b"data: a\r\r", [Event("a")], id="cr"),
        pytest.param(b"data: a\rdata: b\n\r\n", [Event("a\nb")], id="mixed"),
        pytest.param(b"data:a\n\n", [Event("a")], id="no-space"),
        pytest.param(b"data:  a\n\n", [Event(" a")], id="one-space-only"),
        pytest.param(b"data\n\n", [Event("")], id="no-colon"),
        pytest.param(b"data:\ndata:\n\n", [Event("\n")], id="empty-lines"),
        pytest.param(b"event: x\ndata: a\n\ndata: b\n\n", [Event("a", "x"), Event("b")], id="name"),
        pytest.param(b"event: x\n\ndata: b\n\n", [Event("b")], id="name-without-data"),
        pytest.param(b": c\n:d\ndata: a\n\n", [Event("a", comments=(" c", "d"))], id="comments"),
        pytest.param(b": c\n\ndata: a\n\ndata: b\n\n",
                     [Event("a", comments=(" c",)), Event("b")], id="comment-alone"),
        pytest.param(BOM + b"data: a\n\n", [Event("a")], id="byte-order-mark"),
        pytest.param(BOM + BOM + b"data: a\n\n", [], id="only-one-mark"),
        pytest.param(b"data: a\n", [], id="unfinished"),
        pytest.param(b"data: a", [], id="unfinished-line"),
        pytest.param(b"data: a\n\ndata: b\r", [Event("a")], id="unfinished-after-cr"),
        pytest.param(b"id: 1\nretry: 2\nodd: 3\ndata: a\n\n", [Event("a")], id="other-fields"),
        pytest.param(b"data: \xff\n\n", [Event("\ufffd")], id="broken-utf-8"),
        pytest.param("data: a\u2028b\x0bc\n\n".encode(), [Event("a\u2028b\x0bc")], id="no-lines"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\xef", [], id="half-a-mark"),
    ],
)  # fmt: skip
def test_a_stream_is_read_by_the_standard_however_its_bytes_arrive(
    data: bytes, events: list[Event]
) -> None:
    assert decode(data) == events
    decoder = Decoder()
    found = [read for at in range(len(data)) for read in decoder.feed(data[at : at + 1])]
    assert [*found, *decoder.close()] == events


def test_comments_that_no_event_followed_can_be_had() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\n\n: late\n\n") == [Event("a")]
    assert decoder.comments == [" late"]


def test_an_event_is_read_as_soon_as_its_blank_line_is_there() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\n") == []
    assert decoder.feed(b"\n") == [Event("a")]


@given(data=st.binary(max_size=60) | st.text("data:event \r\n\ufeff", max_size=60).map(str.encode),
       at=st.integers(0, 60))  # fmt: skip
def test_where_the_bytes_are_cut_makes_no_difference(data: bytes, at: int) -> None:
    decoder = Decoder()
    found = [*decoder.feed(data[:at]), *decoder.feed(data[at:]), *decoder.close()]
    assert found == decode(data)
