"""The same seed and the same requests give the same bytes, headers included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import chat_requests
from tests.support import CHAT, Answer, call, request, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

REQUESTS: tuple[Any, ...] = (
    request("hi"),
    request("hi", stream=True),
    request("你好", stream=True, stream_options={"include_usage": True}),
    request("weather in Paris?", tools=[tool()], tool_choice="required"),
    request("hi", max_tokens=16),
    request("hi", temperature=0.3),
    request("hi", model="unknown"),
    request("hi"),
    b"not JSON",
)


@pytest.fixture(scope="module")
def one() -> Iterator[MockServer]:
    with serving(seed=7) as running:
        yield running


@pytest.fixture(scope="module")
def two() -> Iterator[MockServer]:
    with serving(seed=7) as running:
        yield running


@pytest.fixture(scope="module")
def other() -> Iterator[MockServer]:
    with serving(seed=8) as running:
        yield running


def asked(server: MockServer, session: str, body: Any) -> Answer:
    return call(server, f"/with/session={session}{CHAT}", body)


def test_two_servers_of_a_seed_answer_alike_byte_for_byte(one: MockServer, two: MockServer) -> None:
    first = [asked(one, "a", body) for body in REQUESTS]
    assert [asked(two, "a", body) for body in REQUESTS] == first
    assert [answer.status for answer in first] == [200] * 5 + [400, 404, 200, 400]


def test_it_does_not_matter_in_which_order_sessions_ask(one: MockServer, two: MockServer) -> None:
    one_after_the_other = {
        (session, number): asked(one, f"order-{session}", body)
        for session in ("x", "y", "z")
        for number, body in enumerate(REQUESTS)
    }
    in_turns = {
        (session, number): asked(two, f"order-{session}", body)
        for number, body in enumerate(REQUESTS)
        for session in ("z", "x", "y")
    }
    assert in_turns == one_after_the_other


def test_requests_that_share_nothing_may_come_in_any_order(
    one: MockServer, two: MockServer
) -> None:
    bodies = [request(f"question {number}") for number in range(4)]
    forth = [asked(one, "any-order", body) for body in bodies]
    back = [asked(two, "any-order", body) for body in reversed(bodies)]
    assert back[::-1] == forth


def test_sessions_differ_in_nothing_but_the_journals_id(one: MockServer) -> None:
    a, b = (asked(one, session, request("hi there")) for session in ("differ-a", "differ-b"))
    assert a.body == b.body
    entry = "x-k3mock-request"
    assert a.headers[entry] != b.headers[entry]
    assert {**a.headers, entry: ""} == {**b.headers, entry: ""}


def test_a_repeat_has_the_same_words_and_ids_of_its_own(one: MockServer) -> None:
    first, again = (asked(one, "repeat", request("hi")) for _ in range(2))
    assert first.message == again.message
    assert first.json["id"] != again.json["id"]
    assert first.headers["x-msh-trace-id"] != again.headers["x-msh-trace-id"]


def test_whole_and_streamed_answers_have_the_same_words(one: MockServer) -> None:
    whole = asked(one, "words", request("hi"))
    chunks = asked(one, "words", request("hi", stream=True)).events[:-1]
    content = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert content == whole.message["content"]


def test_another_seed_gives_other_ids_and_other_words(one: MockServer, other: MockServer) -> None:
    a, b = (asked(server, "seeds", request("hi")) for server in (one, other))
    assert a.json["id"] != b.json["id"]
    assert a.headers["msh-request-id"] != b.headers["msh-request-id"]
    assert a.message != b.message
    streams = [
        asked(server, "seeds", request("hi", stream=True)).events[0] for server in (one, other)
    ]
    assert streams[0]["system_fingerprint"] != streams[1]["system_fingerprint"]


def test_a_request_can_choose_the_seed_of_its_ids_for_itself(
    one: MockServer, other: MockServer
) -> None:
    a, b = (asked(server, "own;seed=99", request("hi")) for server in (one, other))
    assert (a.json["id"], a.json["created"]) == (b.json["id"], b.json["created"])
    for name in ("date", "msh-request-id", "x-msh-trace-id"):
        assert a.headers[name] == b.headers[name]
    assert a.json["id"] != asked(one, "own", request("hi")).json["id"]


@hypothesis.settings(max_examples=30)
@given(body=chat_requests(), stream=st.booleans())
def test_any_request_is_answered_alike_by_two_servers(
    one: MockServer, two: MockServer, body: dict[str, Any], *, stream: bool
) -> None:
    body = {**body, "stream": stream}
    a, b = (asked(server, "any", body) for server in (one, two))
    assert a == b
