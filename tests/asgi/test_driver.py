from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.asgi.driver import Driver, ready
from k3mock.asgi.sender import CONNECTION
from k3mock.clock import SystemClock, VirtualClock
from k3mock.delivery.step import Abort, Bare, Gap, Hold, Send, Start, Step, Wait
from k3mock.journal import Journal, JournalEntry
from k3mock.protocol.reply import Ending
from k3mock.respond import Delivery

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator


class Wire:
    """A client: collects what is sent, and leaves when told to."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)


def delivery(steps: Iterable[Step], started_ms: float = 0.0) -> Delivery:
    entry = JournalEntry(
        id="r1", session="s", profile="moonshot", method="POST", path="/x", headers={}
    )
    return Delivery(steps=iter(steps), entry=entry, started_ms=started_ms, good_end="complete")


SCOPE = {"type": "http", "http_version": "1.1"}
START = Start(200, (("content-type", "text/plain"),))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_steps_become_messages_in_order_and_the_outcome_is_noted() -> None:
    clock, journal, wire = VirtualClock(), Journal(), Wire()
    ended: list[JournalEntry] = []
    journal.listen(ended.append)
    sent = delivery([Wait(400), START, Send(b"a", 1, 1), Wait(900), Send(b"bc", 1, 2, last=True)])
    await Driver(clock, journal).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert [message["type"] for message in wire.sent] == [
        "http.response.start", "http.response.body", "http.response.body",
    ]  # fmt: skip
    assert wire.sent[0]["headers"] == [(b"content-type", b"text/plain")]
    assert [message.get("more_body") for message in wire.sent[1:]] == [True, False]
    outcome = sent.entry.outcome
    assert (outcome.end, outcome.events, outcome.tokens, outcome.bytes) == ("complete", 2, 3, 3)
    assert (outcome.ttft_ms, outcome.duration_ms, outcome.lateness_ms) == (400, 900, 0)
    assert ended == [sent.entry]


@pytest.mark.anyio
async def test_a_client_that_leaves_ends_the_answer_at_once() -> None:
    clock, journal, wire = SystemClock(), Journal(), Wire()
    sent = delivery(
        [START, Send(b"a", 1, 1), Wait(60_000), Send(b"b", 1, 1, last=True)], clock.monotonic_ms()
    )
    driver = Driver(clock, journal)
    running = asyncio.ensure_future(driver.run(ready(sent), SCOPE, wire.receive, wire.send))
    while not wire.body:
        await asyncio.sleep(0)
    assert driver.open_answers == 1
    wire.gone.set()
    await asyncio.wait_for(running, 5)
    assert wire.body == b"a"
    assert (sent.entry.outcome.end, sent.entry.outcome.tokens) == ("client_disconnect", 1)
    assert driver.open_answers == 0


@pytest.mark.anyio
async def test_stopping_cuts_running_answers_without_a_last_message() -> None:
    clock, journal, wire = SystemClock(), Journal(), Wire()
    sent = delivery([START, Send(b"a"), Wait(60_000), Send(b"b", last=True)], clock.monotonic_ms())
    driver = Driver(clock, journal)
    running = asyncio.ensure_future(driver.run(ready(sent), SCOPE, wire.receive, wire.send))
    while not wire.body:
        await asyncio.sleep(0)
    driver.stop()
    await asyncio.wait_for(running, 5)
    assert [message.get("more_body") for message in wire.sent[1:]] == [True]
    assert sent.entry.outcome.end == "error"


@pytest.mark.anyio
async def test_a_stream_behind_its_plan_still_notices_a_client_that_left() -> None:
    clock, journal, wire = SystemClock(), Journal(), Wire()
    late = [step for _ in range(5000) for step in (Wait(0), Send(b"x", 1, 1))]
    sent = delivery([START, *late, Send(b"", last=True)], clock.monotonic_ms())
    running = asyncio.ensure_future(
        Driver(clock, journal).run(ready(sent), SCOPE, wire.receive, wire.send)
    )
    await asyncio.sleep(0)
    wire.gone.set()
    await asyncio.wait_for(running, 5)
    assert sent.entry.outcome.end == "client_disconnect"
    assert 0 < sent.entry.outcome.tokens < 5000


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [OSError, RuntimeError])
async def test_a_connection_that_is_closed_under_an_answer_is_a_client_that_left(
    kind: type[Exception],
) -> None:
    wire = Wire()

    async def broken(_message: Any) -> None:
        raise kind

    sent = delivery([START])
    await Driver(VirtualClock(), Journal()).run(ready(sent), SCOPE, wire.receive, broken)
    assert sent.entry.outcome.end == "client_disconnect"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("step", "error"),
    [
        pytest.param(START, RuntimeError("Invalid HTTP header value."), id="header"),
        pytest.param(START, RuntimeError("Response content longer than Content-Length"), id="more"),
        pytest.param(Start(999, ()), None, id="status"),
        pytest.param(Start(101, ()), None, id="status-on-the-way"),
    ],
)
async def test_an_answer_that_cannot_be_sent_is_an_error_and_is_told(
    step: Start, error: RuntimeError | None, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire()

    async def refusing(message: Any) -> None:
        if error is not None:
            raise error
        wire.sent.append(message)

    sent = delivery([step, Send(b"a", last=True)])
    sent.entry.source = "generator"
    await Driver(VirtualClock(), Journal()).run(ready(sent), SCOPE, wire.receive, refusing)
    assert sent.entry.outcome.end == "error"
    [told] = caplog.records
    assert told.name == "uvicorn.error"
    assert told.getMessage().startswith("the answer to r1 (generator) cannot be sent: ")
    assert str(error or step.status) in told.getMessage()
    assert wire.sent == []


@pytest.mark.anyio
async def test_what_frames_a_body_is_left_out_where_there_is_none() -> None:
    wire = Wire()
    framed = (("content-length", "3"), ("transfer-encoding", "chunked"), ("x-a", "b"))
    sent = delivery([Start(304, framed), Send(b"ab", 1), Send(b"c", 1, last=True)])
    await Driver(VirtualClock(), Journal()).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert wire.sent[0]["headers"] == [(b"x-a", b"b")]
    assert [(message["body"], message["more_body"]) for message in wire.sent[1:]] == [(b"", False)]
    assert (sent.entry.outcome.end, sent.entry.outcome.bytes) == ("complete", 0)


@pytest.mark.anyio
async def test_an_old_client_gets_a_stream_at_once_where_the_connection_can_end_it() -> None:
    wire = Wire()
    start = Start(200, (("content-type", "text/event-stream"),))
    steps: list[Step] = [start, Send(b"a"), Send(b"b", last=True)]
    old = {**Connection(wire).scope, "http_version": "1.0"}
    assert await drive(steps, old, wire) == "complete"
    assert wire.sent[0]["headers"] == [(b"content-type", b"text/event-stream")]
    assert [message["body"] for message in wire.sent[1:]] == [b"a", b"b"]


@pytest.mark.anyio
async def test_a_client_that_leaves_while_its_answer_is_planned_gets_none() -> None:
    wire, sent = Wire(), delivery([START, Send(b"a", last=True)])

    async def planned() -> Delivery:
        wire.gone.set()
        await asyncio.sleep(0.01)
        return sent

    await Driver(SystemClock(), Journal()).run(planned(), SCOPE, wire.receive, wire.send)
    assert wire.sent == []
    assert sent.entry.outcome.end == "client_disconnect"


@pytest.mark.anyio
async def test_an_old_client_gets_a_stream_in_one_piece_with_its_length() -> None:
    wire = Wire()
    sent = delivery([START, Send(b"ab", 1, 1), Wait(5), Send(b"c", 1, 1, last=True)])
    old = {"type": "http", "http_version": "1.0"}
    await Driver(VirtualClock(), Journal()).run(ready(sent), old, wire.receive, wire.send)
    assert wire.sent[0]["headers"] == [(b"content-type", b"text/plain"), (b"content-length", b"3")]
    assert [message.get("body") for message in wire.sent[1:]] == [b"abc"]
    assert sent.entry.outcome.tokens == 2


@pytest.mark.anyio
async def test_stopping_gives_up_on_a_client_that_reads_nothing() -> None:
    wire, sent = Wire(), delivery([START, Send(b"a", last=True)])

    async def stuck(_message: Any) -> None:
        await asyncio.Event().wait()

    driver = Driver(SystemClock(), Journal())
    running = asyncio.ensure_future(driver.run(ready(sent), SCOPE, wire.receive, stuck))
    await asyncio.sleep(0.01)
    driver.stop()
    await asyncio.wait_for(running, 5)
    assert sent.entry.outcome.end == "error"


class Connection:
    """A connection of a server that was made for it; `deaf` ones do not end when asked to."""

    def __init__(self, wire: Wire, *, held: int = 0, deaf: bool = False) -> None:
        self.done: list[str] = []
        self._wire = wire
        self._held = held
        self._deaf = deaf

    @property
    def unsent(self) -> int:
        self._held = max(0, self._held - 1)
        return self._held

    def write(self, data: bytes) -> None:
        self._wire.sent.append({"bare": data})

    def close(self) -> None:
        self.done.append("close")
        if not self._deaf:
            self._wire.gone.set()

    def reset(self) -> None:
        self.done.append("reset")
        self._wire.gone.set()

    @property
    def scope(self) -> dict[str, Any]:
        return {**SCOPE, "extensions": {CONNECTION: self}}


async def drive(steps: Iterable[Step], scope: dict[str, Any], wire: Wire) -> str | None:
    """Carry out steps in time that jumps; return how they ended."""
    sent = delivery(steps)
    running = Driver(VirtualClock(), Journal()).run(ready(sent), scope, wire.receive, wire.send)
    await asyncio.wait_for(running, 5)
    return sent.entry.outcome.end


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("how", "done"), [(Ending.UNTERMINATED, ["close"]), (Ending.RESET, ["reset"])]
)
async def test_an_end_before_its_time_closes_or_resets_the_connection(
    how: Ending, done: list[str]
) -> None:
    wire = Wire()
    connection = Connection(wire)
    steps: list[Step] = [START, Send(b"a", 1, 1), Abort(how)]
    assert await drive(steps, connection.scope, wire) == "fault"
    assert connection.done == done
    assert [message.get("more_body") for message in wire.sent[1:]] == [True]


@pytest.mark.anyio
async def test_a_clean_end_is_an_empty_last_message() -> None:
    wire = Wire()
    connection = Connection(wire)
    steps: list[Step] = [START, Send(b"a"), Abort(Ending.CLEAN)]
    assert await drive(steps, connection.scope, wire) == "fault"
    assert connection.done == []
    assert [(message["body"], message["more_body"]) for message in wire.sent[1:]] == [
        (b"a", True),
        (b"", False),
    ]


@pytest.mark.anyio
async def test_there_is_no_clean_end_before_the_headers() -> None:
    wire = Wire()
    connection = Connection(wire)
    assert await drive([Abort(Ending.CLEAN)], connection.scope, wire) == "fault"
    assert (connection.done, wire.sent) == (["close"], [])


@pytest.mark.anyio
@pytest.mark.parametrize("how", [Ending.UNTERMINATED, Ending.RESET])
async def test_a_server_without_that_extension_gets_no_last_message(how: Ending) -> None:
    wire = Wire()
    steps: list[Step] = [START, Send(b"a"), Bare(b"x"), Abort(how)]
    assert await drive(steps, SCOPE, wire) == "fault"
    assert [message.get("more_body") for message in wire.sent[1:]] == [True]
    nothing = Wire()
    assert await drive([Abort(how)], {**SCOPE, "extensions": None}, nothing) == "fault"
    assert nothing.sent == []


@pytest.mark.anyio
async def test_bytes_past_http_go_to_the_connection() -> None:
    wire = Wire()
    connection = Connection(wire)
    steps: list[Step] = [Bare(b"HTTP/1.1 2"), Abort(Ending.UNTERMINATED)]
    assert await drive(steps, connection.scope, wire) == "fault"
    assert wire.sent == [{"bare": b"HTTP/1.1 2"}]


@pytest.mark.anyio
async def test_what_was_written_leaves_before_a_reset() -> None:
    wire, clock = Wire(), VirtualClock()
    connection = Connection(wire, held=100)
    sent = delivery([START, Send(b"a"), Abort(Ending.RESET)])
    await Driver(clock, Journal()).run(ready(sent), connection.scope, wire.receive, wire.send)
    assert connection.done == ["reset"]
    assert 200 <= clock.monotonic_ms() < 10_000


@pytest.mark.anyio
async def test_a_client_that_reads_nothing_is_reset_in_the_end() -> None:
    wire = Wire()
    connection = Connection(wire, held=1_000_000, deaf=True)
    steps: list[Step] = [START, Send(b"a"), Abort(Ending.UNTERMINATED)]
    assert await drive(steps, connection.scope, wire) == "fault"
    assert connection.done == ["close", "reset"]


@pytest.mark.anyio
async def test_a_client_that_leaves_first_is_not_closed_again() -> None:
    wire = Wire()
    connection = Connection(wire, held=1_000_000)

    def steps() -> Iterator[Step]:
        yield START
        yield Send(b"a")
        wire.gone.set()
        yield Abort(Ending.UNTERMINATED)

    assert await drive(steps(), connection.scope, wire) == "fault"
    assert connection.done == []


@pytest.mark.anyio
async def test_silence_for_ever_lasts_until_the_client_leaves_or_the_server_stops() -> None:
    for leave in (True, False):
        wire, sent = Wire(), delivery([START, Send(b"a"), Hold()])
        driver = Driver(VirtualClock(), Journal())
        running = asyncio.ensure_future(driver.run(ready(sent), SCOPE, wire.receive, wire.send))
        while not wire.body:
            await asyncio.sleep(0)
        await asyncio.sleep(0.02)
        assert not running.done()
        if leave:
            wire.gone.set()
        else:
            driver.stop()
        await asyncio.wait_for(running, 5)
        assert sent.entry.outcome.end == ("client_disconnect" if leave else "error")


@pytest.mark.anyio
async def test_a_gap_counts_from_now_and_an_answer_that_is_late_pauses_too() -> None:
    clock, wire = VirtualClock(), Wire()
    clock._ms = 500.0
    steps: list[Step] = [
        START,
        Wait(100),
        Send(b"a"),
        Gap(3),
        Send(b"b"),
        Gap(3),
        Send(b"c", last=True),
    ]
    sent = delivery(steps)
    await Driver(clock, Journal()).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert sent.entry.outcome.duration_ms == 506
    assert sent.entry.outcome.lateness_ms == 400


@pytest.mark.anyio
async def test_a_silence_on_purpose_is_not_shortened_by_lateness() -> None:
    clock, wire = VirtualClock(), Wire()
    clock._ms = 500.0
    sent = delivery(
        [Wait(100), START, Send(b"a"), Wait(150, quiet=True), Send(b"b"), Wait(600),
         Send(b"c", last=True)]
    )  # fmt: skip
    await Driver(clock, Journal()).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert sent.entry.outcome.duration_ms == 600
    assert sent.entry.outcome.lateness_ms == 400
    late = delivery([START, Wait(150, quiet=True), Send(b"b", last=True)])
    await Driver(clock, Journal()).run(ready(late), SCOPE, wire.receive, wire.send)
    assert late.entry.outcome.duration_ms == 750


@pytest.mark.anyio
async def test_an_old_client_is_promised_a_byte_that_never_comes() -> None:
    wire = Wire()
    connection = Connection(wire)
    old = {**connection.scope, "http_version": "1.0"}
    steps: list[Step] = [START, Send(b"ab", 1, 1), Send(b"c", 1, 1), Abort(Ending.UNTERMINATED)]
    assert await drive(steps, old, wire) == "fault"
    assert wire.sent[0]["headers"][-1] == (b"content-length", b"4")
    assert wire.body == b"abc"
    assert connection.done == ["close"]


class Live:
    """Steps that come when the test lets them come."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.more = asyncio.Event()
        self.closed = False

    async def __call__(self) -> AsyncGenerator[Step]:
        try:
            for step in self.steps:
                yield step
            await self.more.wait()
            yield Send(b"z", 1, last=True)
        finally:
            self.closed = True


def live(steps: AsyncGenerator[Step], verdict: str | None = None) -> Delivery:
    return replace(delivery([]), steps=steps, verdict=lambda: verdict)


@pytest.mark.anyio
async def test_steps_that_come_later_are_carried_out_as_they_come() -> None:
    clock, journal, wire, come = SystemClock(), Journal(), Wire(), Live(START, Send(b"a", 1))
    sent = live(come())
    running = asyncio.ensure_future(
        Driver(clock, journal).run(ready(sent), SCOPE, wire.receive, wire.send)
    )
    while not wire.body:
        await asyncio.sleep(0)
    assert not running.done()
    come.more.set()
    await asyncio.wait_for(running, 5)
    assert wire.body == b"az"
    assert (sent.entry.outcome.end, sent.entry.outcome.events) == ("complete", 2)
    assert come.closed


@pytest.mark.anyio
@pytest.mark.parametrize("who", ["client", "server"])
async def test_a_wait_for_a_step_ends_with_the_client_or_the_server(who: str) -> None:
    clock, journal, wire, come = SystemClock(), Journal(), Wire(), Live(START, Send(b"a", 1))
    sent, driver = live(come()), Driver(clock, journal)
    running = asyncio.ensure_future(driver.run(ready(sent), SCOPE, wire.receive, wire.send))
    while not wire.body:
        await asyncio.sleep(0)
    if who == "client":
        wire.gone.set()
    else:
        driver.stop()
    await asyncio.wait_for(running, 5)
    assert not running.cancelled()
    assert come.closed
    assert sent.entry.outcome.end == ("client_disconnect" if who == "client" else "error")
    assert wire.sent[-1]["more_body"]


@pytest.mark.anyio
async def test_steps_whose_client_left_before_the_first_are_never_begun() -> None:
    clock, journal, wire, come = SystemClock(), Journal(), Wire(), Live(START)
    wire.gone.set()

    async def planned() -> Delivery:
        await asyncio.sleep(0.01)
        return live(come())

    await Driver(clock, journal).run(planned(), SCOPE, wire.receive, wire.send)
    assert (wire.sent, come.closed) == ([], False)


@pytest.mark.anyio
async def test_a_task_that_is_cancelled_from_outside_stays_cancelled() -> None:
    clock, journal, wire, come = SystemClock(), Journal(), Wire(), Live(START, Send(b"a"))
    running = asyncio.ensure_future(
        Driver(clock, journal).run(ready(live(come())), SCOPE, wire.receive, wire.send)
    )
    while not wire.body:
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert come.closed


@pytest.mark.anyio
async def test_steps_that_come_later_may_end_before_their_time() -> None:
    clock, journal, wire = SystemClock(), Journal(), Wire()
    come = Live(START, Send(b"a"), Abort(Ending.UNTERMINATED))
    sent = live(come())
    await Driver(clock, journal).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert (wire.body, sent.entry.outcome.end, come.closed) == (b"a", "fault", True)


@pytest.mark.anyio
async def test_who_made_the_answer_may_know_better_how_it_ended() -> None:
    clock, journal, wire = SystemClock(), Journal(), Wire()
    come = Live(START, Send(b"a"), Abort(Ending.UNTERMINATED))
    sent = live(come(), "error")
    await Driver(clock, journal).run(ready(sent), SCOPE, wire.receive, wire.send)
    assert sent.entry.outcome.end == "error"
