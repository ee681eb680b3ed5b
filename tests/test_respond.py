"""How a decided answer becomes steps: what stands beside the words, and what faults change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from k3mock import respond
from k3mock.cassette.interaction import RecordedResponse
from k3mock.contract.read import read_request
from k3mock.delivery.step import Abort, Bare, Gap, Hold, Send, Start, Step, Wait
from k3mock.errors import K3MockError
from k3mock.fault.bend import UNBENT, Before, Bend, ByteCut
from k3mock.options import RequestOptions
from k3mock.protocol.failure import mock_error
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.reply import (
    ContentDelta,
    Disconnect,
    Ending,
    ErrorEvent,
    Reply,
    ReplyEvent,
    Stall,
)
from k3mock.protocol.request import RawRequest
from k3mock.protocol.style import Style
from k3mock.respond import Delivery, Manner
from tests.support import CHAT, request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.cassette.library import Played
    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.request import ChatRequest
    from k3mock.respond import Delivery, Taken
    from k3mock.serving import MockServer

ERROR = ErrorEvent(mock_error("no more", status=503))
HELLO = (ContentDelta("hel"), ContentDelta("lo"))


def steps_of(delivery: Delivery) -> list[Step]:
    """Return the steps of an answer that is decided, not relayed."""
    assert isinstance(delivery.steps, Iterator)
    return list(delivery.steps)


@pytest.fixture
def given(server: MockServer) -> Given:
    return Given(server)


class Given:
    """A request that has arrived at a server, to be answered by hand."""

    def __init__(self, server: MockServer) -> None:
        self._pipeline = server.app.pipeline

    def taken(self, **wire: JSONValue) -> Taken:
        raw = RawRequest(method="POST", path=CHAT, headers={}, body=b"{}")
        taken = self._pipeline.intake.take(raw, RequestOptions(session="by-hand"), {}, b"digest")
        return replace(taken, wire=apply_knobs(taken.wire, wire))

    def asked(self, *, stream: bool) -> ChatRequest:
        return read_request(request(stream=stream), self._pipeline.hosts.default.profile)

    def reply(
        self,
        *events: ReplyEvent,
        bend: Bend = UNBENT,
        pace: str = "instant",
        stream: bool = False,
        wire: Mapping[str, JSONValue] | None = None,
    ) -> tuple[Delivery, list[Step]]:
        answer = Reply(events=events, finish="stop", literal=True)
        manner = Manner("by-hand+fault", pace, bend=bend)
        delivery = respond.reply(
            self.taken(**(wire or {})), self.asked(stream=stream), answer, manner
        )
        return delivery, steps_of(delivery)


def body(steps: list[Step]) -> Any:
    return json.loads(b"".join(step.data for step in steps if isinstance(step, Send)))


def head(steps: list[Step]) -> Start:
    [start] = [step for step in steps if isinstance(step, Start)]
    return start


def test_stalls_add_to_the_time_before_a_whole_body(given: Given) -> None:
    _, steps = given.reply(HELLO[0], Stall(50), HELLO[1], Stall(30), pace="speed=10")
    assert steps[0] == Wait(8)
    assert body(steps)["choices"][0]["message"]["content"] == "hello"
    _, paced = given.reply(HELLO[0], Stall(50), HELLO[1], pace="content_tps=100,ttft_ms=5")
    assert paced[0] == Wait(65)


def test_a_stall_for_ever_holds_before_the_headers_of_a_whole_body(given: Given) -> None:
    delivery, steps = given.reply(HELLO[0], Stall())
    assert steps == [Hold()]
    assert (delivery.entry.status, delivery.entry.source) == (None, "by-hand+fault")


def test_a_disconnect_cuts_a_whole_body_in_the_middle(given: Given) -> None:
    whole = given.reply(HELLO[0])[1]
    _, steps = given.reply(HELLO[0], Disconnect(Ending.RESET), Stall(), ERROR)
    size = int(dict(head(whole).headers)["content-length"])
    sent = [step for step in steps if isinstance(step, Send)]
    assert len(sent[0].data) == size // 2
    assert steps[-1] == Abort(Ending.RESET)
    assert dict(head(steps).headers)["content-length"] == str(size)


def test_an_error_event_takes_the_place_of_a_whole_body(given: Given) -> None:
    delivery, steps = given.reply(HELLO[0], Stall(20), ERROR, Disconnect())
    assert steps[0] == Wait(20)
    assert head(steps).status == 503
    assert body(steps)["error"]["message"].endswith("no more")
    assert (delivery.entry.status, delivery.good_end) == (503, "fault")


@pytest.mark.parametrize(
    ("streaming", "stream", "streams"),
    [("follow", True, True), ("follow", False, False), ("always", False, True),
     ("never", True, False)],
)  # fmt: skip
def test_the_knob_streaming_decides_over_the_request(
    given: Given, streaming: str, stream: bool, streams: bool
) -> None:
    _, steps = given.reply(*HELLO, stream=stream, wire={"streaming": streaming})
    kind = dict(head(steps).headers)["content-type"]
    assert kind.startswith("text/event-stream" if streams else "application/json")


def test_faults_edit_frames_in_order_and_body_bytes_before_their_length(given: Given) -> None:
    edits = Bend(
        frames=(lambda frames, _: frames[:2], lambda frames, _: [*frames, *frames]),
        body=(lambda data, _: data + b" ", lambda data, _: data + b"\n"),
    )
    _, streamed = given.reply(*HELLO, bend=edits, stream=True)
    [sent] = [step for step in streamed if isinstance(step, Send)]
    assert (sent.data.count(b"data: "), sent.events) == (4, 4)
    _, whole = given.reply(*HELLO, bend=edits)
    [sent] = [step for step in whole if isinstance(step, Send)]
    assert sent.data.endswith(b"} \n")
    assert dict(head(whole).headers)["content-length"] == str(len(sent.data))


def test_chance_of_an_edit_is_its_own_and_repeats(given: Given) -> None:
    drawn: list[float] = []

    def draw(data: bytes, chance: Any) -> bytes:
        drawn.append(chance.random())
        return data

    for _ in range(2):
        given.reply(*HELLO, bend=Bend(body=(draw, draw)))
    assert drawn[:2] == drawn[2:]
    assert drawn[0] != drawn[1]


def test_a_delay_shows_in_the_date_and_comes_before_the_headers(given: Given) -> None:
    usual = dict(head(given.reply(*HELLO)[1]).headers)["date"]
    _, steps = given.reply(*HELLO, bend=Bend(delay_ms=3_600_000))
    assert steps[0] == Wait(3_600_000, quiet=True)
    assert dict(head(steps).headers)["date"] != usual


def test_an_error_of_a_fault_travels_as_the_fault_and_the_knobs_want_it(given: Given) -> None:
    bend = Bend(instead=mock_error("gone", status=502), delay_ms=40, lead=((10, b"\n"),),
                body=(lambda data, _: data + b"!",), cut=ByteCut(at=5))  # fmt: skip
    taken = given.taken(writes="bytes:3", write_gap_ms=1)
    delivery = respond.bent(taken, bend, "fault:x", "speed=10")
    steps = steps_of(delivery)
    assert [step for step in steps if not isinstance(step, Start)] == [
        Wait(4, quiet=True), Wait(5, quiet=True), Gap(1), Send(b"\n"), Wait(5, quiet=True),
        Gap(1), Send(b'{"e'), Gap(1), Send(b"r"), Abort(Ending.UNTERMINATED),
    ]  # fmt: skip
    assert "content-length" not in dict(head(steps).headers)
    assert delivery.good_end == "fault"


def test_an_early_answer_closes_its_connection(given: Given) -> None:
    bend = Bend(instead=mock_error("large", status=413), early=True)
    start = head(steps_of(respond.bent(given.taken(), bend, "fault:x")))
    assert ("connection", "close") in start.headers


def test_what_happens_before_an_answer_has_no_status(given: Given) -> None:
    bend = Bend(before=Before(silence_ms=20, data=b"HT"), delay_ms=10)
    delivery = respond.bent(given.taken(), bend, "fault:x", "speed=10")
    assert steps_of(delivery) == [
        Wait(1), Wait(3), Bare(b"HT"), Abort(Ending.UNTERMINATED),
    ]  # fmt: skip
    assert (delivery.entry.status, delivery.entry.source) == (None, "fault:x")
    assert delivery.good_end == "fault"


def test_a_fault_that_gives_nothing_instead_is_a_mock_made_error(given: Given) -> None:
    delivery = respond.bent(given.taken(), Bend(early=True), "fault:x")
    assert body(steps_of(delivery))["error"]["type"] == "k3mock_error"


@pytest.mark.parametrize("status", [101, 600, 999])
def test_a_recorded_status_that_no_server_sends_is_told(given: Given, status: int) -> None:
    response = RecordedResponse(status=status, reason="", headers=(), body=b"")
    played = SimpleNamespace(label="cassette:x#1", interaction=SimpleNamespace(response=response))
    with pytest.raises(K3MockError, match=f"has the status {status}"):
        respond.recorded(given.taken(), cast("Played", played), "instant")


def test_a_styles_headers_take_the_place_of_ours(given: Given) -> None:
    style = Style(headers=(("Content-Type", "text/x"), ("x-k3mock-source", "other")))
    answer = Reply(events=HELLO, finish="stop")
    manner = Manner("by-hand", "instant", style)
    steps = steps_of(respond.reply(given.taken(), given.asked(stream=False), answer, manner))
    names = [name for name, _ in head(steps).headers]
    assert len(set(names)) == len(names)
    assert dict(head(steps).headers)["content-type"] == "text/x"
    assert dict(head(steps).headers)["x-k3mock-source"] == "by-hand"
