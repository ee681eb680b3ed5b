from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.asgi.driver import Driver, ready
from k3mock.clock import SystemClock, VirtualClock
from k3mock.delivery.step import Send, Start, Step, Wait
from k3mock.journal import Journal, JournalEntry
from k3mock.respond import Delivery

if TYPE_CHECKING:
    from collections.abc import Iterable


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
