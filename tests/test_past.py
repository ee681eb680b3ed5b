"""What is known of a conversation changes nothing but the work."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.contract.jsontext import read_json
from k3mock.contract.profiles import NAMES
from k3mock.contract.read import request_digest
from k3mock.hosts import Hosts
from k3mock.past import LEAST_BYTES, Conversations, Found, Past, Step
from k3mock.protocol.request import RawRequest
from k3mock.state import Session
from k3mock.text.prefix import CachePolicy, cached_tokens, kept_states
from k3mock.work import Read, examine, read_body, recalled

if TYPE_CHECKING:
    from k3mock.hosts import Host
    from k3mock.jsonvalue import JSONObject
    from k3mock.work import Body, Examined

LONG = "word " * 60
CALL = {"id": "f_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
WORDS: Step[int] = Step("words")


def user(text: str = "hi") -> dict[str, Any]:
    return {"role": "user", "content": f"{text} {LONG}"}


def said(text: str = "so", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": f"{text} {LONG}", **more}


MESSAGES: tuple[Any, ...] = (
    user(), user("ü—語"), said(), said(reasoning_content="because"), said(partial=True),
    said(tool_calls=[CALL]), said(tool_calls=[CALL, CALL], reasoning_content=""),
    {"role": "tool", "tool_call_id": "f_0", "content": "1"},
    {"role": "tool", "tool_call_id": "f_9", "content": "1"},
    {"role": "system", "tools": [TOOL]}, {"role": "system", "content": "be", "tools": [7]},
    {"role": "user", "content": [{"type": "text", "text": ""}, {"type": "odd", "more": 1}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "ms://x"}}]},
    {"role": "stranger", "content": "", "zz": 1, "aa": 2}, {"role": "user"}, "no object", 3,
)  # fmt: skip


@pytest.fixture(scope="module")
def hosts() -> Hosts:
    return Hosts("moonshot", {})


def raw(body: Any, **how: Any) -> RawRequest:
    data = body if isinstance(body, bytes) else json.dumps(body, **how).encode()
    return RawRequest(method="POST", path="/", headers={}, body=data, size=len(data))


def remembering(host: Host) -> Host:
    return replace(host, conversations=Conversations())


def ask(host: Host, body: Any, session: Session | None = None, **how: Any) -> Body:
    """Read and examine a request as a server does."""
    asked = raw(body, **how)
    read = recalled(asked, host) or read_body(asked, host)
    examined(host, read, asked.size, session or Session("s"))
    return read


def examined(host: Host, read: Body, size: int, session: Session) -> Examined:
    body, _, past = read
    assert isinstance(body, dict)
    return examine(host, Read(body, past), size, session, "warn")


def facts(host: Host, read: Body, size: int, session: Session) -> Any:
    """Return everything that is made of a request."""
    found = examined(host, read, size, session)
    states = kept_states(found.prompt, found.prompt.rendered)
    cached = cached_tokens(found.prompt, dict.fromkeys(states, 7), CachePolicy(), 0.0)
    request = replace(found.request, body={})
    return (read[0], read[1], request, found.violations, found.notes, found.prompt, found.cap,
            list(states.items()), cached)  # fmt: skip


def issued(session: Session) -> Session:
    session.issued.note(f"so {LONG}", [], "otherwise")
    session.issued.note_call("f_1")
    return session


@pytest.mark.parametrize("name", ["moonshot", *sorted(NAMES)[:3]])
@given(
    messages=st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=8),
    other=st.lists(st.sampled_from(MESSAGES), max_size=3),
    cut=st.integers(0, 8),
    spaced=st.booleans(),
)
def test_what_is_made_of_a_request_is_the_same_whatever_was_asked_before(
    hosts: Hosts, name: str, messages: list[Any], other: list[Any], cut: int, spaced: bool
) -> None:
    host = remembering(hosts.get(name))
    how: Any = {} if spaced else {"separators": (",", ":"), "ensure_ascii": False}
    before = {"model": "kimi-k3", "messages": messages, "stream": True}
    after = {"model": "kimi-k3", "messages": [*messages[: cut or 8], *other], "seed": 1}
    ask(host, before, **how)
    asked = raw(after, **how)
    read = recalled(asked, host) or read_body(asked, host)
    anew = read_body(asked, remembering(host))
    assert facts(host, read, asked.size, issued(Session("s"))) == facts(
        host, anew, asked.size, issued(Session("s"))
    )
    again = recalled(asked, host) or read_body(asked, host)
    assert facts(host, again, asked.size, Session("t"))[2] == facts(
        host, anew, asked.size, Session("t")
    )[2]  # fmt: skip


def test_the_same_messages_are_not_looked_at_again(hosts: Hosts) -> None:
    host = remembering(hosts.default)
    history = [user(str(number)) for number in range(9)]
    _, _, past = ask(host, {"model": "kimi-k3", "messages": history})
    assert (past.known, past.fresh) == (0, len(past.body))
    longer = ask(host, {"model": "kimi-k3", "messages": [*history, said(), user("new")]})[2]
    assert longer.known == 9
    assert longer.fresh < 2 * len(json.dumps(user())) + 100
    retried = ask(host, {"model": "kimi-k3", "messages": [*history, said(), user("new")]})[2]
    assert retried.known == 10
    forked = ask(host, {"model": "kimi-k3", "messages": [*history[:4], user("else"), user("x")]})[2]
    assert forked.known == 4
    other = ask(host, {"model": "other", "messages": history})[2]
    assert other.known == 0


def test_a_prefix_of_the_answer_is_not_known_behind_which_something_stands(hosts: Hosts) -> None:
    host = remembering(hosts.default)
    history = [*(user(str(number)) for number in range(6)), said(partial=True)]
    ask(host, {"model": "kimi-k3", "messages": history})
    assert ask(host, {"model": "kimi-k3", "messages": [*history, user("x")]})[2].known == 6
    alone = remembering(hosts.default)
    ask(alone, {"model": "kimi-k3", "messages": [said(LONG * 5, partial=True)]})
    assert alone.conversations.size == 0


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('{"model":"kimi-k3","messages":[%s],"messages":[1]}', id="twice"),
        pytest.param('{"messages":[1],"model":"kimi-k3","messages":[%s]}', id="twice-before"),
        pytest.param('{"x":{"messages":[%s]},"messages":[1]}', id="inside-another"),
        pytest.param('{"messages":[%s],"mess\\u0061ges":[1]}', id="twice-in-disguise"),
        pytest.param('{"messages":[],"x":[%s]}', id="none"),
        pytest.param('{"messages":[],"messages":[%s]}', id="none-at-first"),
        pytest.param('{"mess\\u0061ges":[%s]}', id="in-disguise"),
        pytest.param('{"messages":{"a":[%s]}}', id="no-list"),
        pytest.param('{"x":[%s]}', id="not-there"),
    ],
)  # fmt: skip
def test_messages_that_are_none_are_not_taken_for_some(hosts: Hosts, body: str) -> None:
    host = remembering(hosts.default)
    history = ",".join(json.dumps(user(str(number))) for number in range(6))
    for tail in ("", ', {"role": "user", "content": "new"}', "]", ","):
        asked = raw((body % (history + tail)).encode())
        read = recalled(asked, host) or read_body(asked, host)
        assert read[:2] == read_body(asked, host)[:2]
        if isinstance(read[0], dict):
            examined(host, read, asked.size, Session("s"))
            again = recalled(asked, host) or read_body(asked, host)
            assert again[:2] == read[:2]


@pytest.mark.parametrize(
    "tail", [b"}", b"]", b",]}", b'],"messages":[2]}', b",\x00]}", b', "' + b"x" * 9, b" , 3 ]}"]
)
def test_what_follows_known_messages_is_read_as_strictly_as_ever(hosts: Hosts, tail: bytes) -> None:
    host = remembering(hosts.default)
    body = orjson.dumps({"model": "kimi-k3", "messages": [user(str(each)) for each in range(6)]})
    ask(host, body)
    asked = raw(body[:-2] + tail)
    read = recalled(asked, host) or read_body(asked, host)
    assert read[:2] == read_body(asked, host)[:2]


def test_a_number_that_goes_on_is_another_number(hosts: Hosts) -> None:
    host = remembering(hosts.default)
    text = json.dumps(user(LONG * 4))
    ask(host, f'{{"model":"kimi-k3","messages":[{text},1,2]}}'.encode())
    body, _, past = ask(host, f'{{"model":"kimi-k3","messages":[{text},1,23,4]}}'.encode())
    assert past.known == 2
    assert isinstance(body, dict)
    assert body["messages"][1:] == [1, 23, 4]  # type: ignore[index]


def test_the_mark_of_known_messages_can_stand_in_a_request(hosts: Hosts) -> None:
    host = remembering(hosts.default)
    history = [user(str(number)) for number in range(6)]
    ask(host, {"model": "kimi-k3", "messages": history})
    marked = "\x00k3mock: messages that are known\x00"
    body, _, past = ask(host, {"model": "kimi-k3", "messages": [*history, user(), marked]})
    assert past.known == 0
    assert isinstance(body, dict)
    assert body["messages"][-1] == marked  # type: ignore[index]


def test_a_body_that_only_the_slow_reader_reads_is_known_too(hosts: Hosts) -> None:
    host = remembering(hosts.default)
    history = [user(str(number)) for number in range(6)]
    text = json.dumps({"model": "kimi-k3", "messages": [*history, user("\ud83d")]})
    ask(host, text.encode())
    longer = json.dumps({"model": "kimi-k3", "messages": [*history, user("\ud83d"), user("b")]})
    body, digest, past = ask(host, longer.encode())
    assert past.known == 7
    assert (body, digest) == read_body(raw(longer.encode()), host)[:2]


@given(
    st.dictionaries(st.sampled_from(["a", "messages", "model", "n", "stream", "z", "é"]),
                    st.one_of(st.integers(0, 9), st.lists(st.integers(0, 99), max_size=5))),
    st.integers(0, 5),
)  # fmt: skip
def test_a_digest_in_pieces_is_the_digest(body: dict[str, Any], known: int) -> None:
    past = Past()
    assert request_digest(body, past) == request_digest(body)
    assert request_digest(body, past) == request_digest(body)
    messages = body.get("messages")
    if isinstance(messages, list):
        host = Conversations()
        text = orjson.dumps({**body, "x": "x" * LEAST_BYTES})
        value = read_json(text)
        assert isinstance(value, dict)
        first = Past(text)
        request_digest(value, first)
        host.keep(value, first)
        longer: JSONObject = {**value, "messages": [*messages[:known], 7, 8]}
        found = host.recall(orjson.dumps(longer), read_json)
        if found is not None:
            assert request_digest(*found) == request_digest(longer)


def lines(count: int, first: int = 0, *, head: str = "") -> bytes:
    messages = [head, *(f"{number} {LONG}" for number in range(first, first + count))]
    return orjson.dumps({"messages": messages})


def keep(conversations: Conversations, body: bytes) -> Past:
    found = conversations.recall(body, read_json)
    value, past = found or (orjson.loads(body), Past(body))
    lane, messages = WORDS.lane(past), value["messages"]
    assert isinstance(messages, list)
    lane.extend(range(len(lane), len(messages)))
    conversations.keep(value, past)
    return past


def test_what_is_kept_is_bounded_and_the_newest() -> None:
    conversations = Conversations(most_bytes=60_000)
    bodies = [lines(9, first=100 * number, head="x" * 9000) for number in range(12)]
    for body in bodies:
        keep(conversations, body)
        assert conversations.size <= 60_000
    found = [conversations.recall(body, read_json) for body in bodies]
    known = [past.known for _, past in filter(None, found)]
    assert known == [1] * 8 + [9] * 4
    forgetful = Conversations(most_bytes=100)
    keep(forgetful, bodies[0])
    assert forgetful.size == 0


def test_a_longer_request_takes_the_place_of_the_one_it_goes_on_with() -> None:
    conversations = Conversations()
    for count in range(10, 40):
        past = keep(conversations, lines(count))
        assert past.known == (count if count > 10 else 0)
        assert len(WORDS.lane(past)) == count + 1
        assert conversations.size == len(lines(count))
    assert keep(conversations, lines(39)).known == 39
    assert conversations.size == len(lines(39))


@pytest.mark.parametrize(("alike", "kept"), [(2000, 6), (9000, 4)])
def test_of_requests_that_begin_alike_for_long_the_newest_are_known(alike: int, kept: int) -> None:
    conversations = Conversations()
    bodies = [lines(9, head=f"{'y' * alike} {number} {'x' * 9000}") for number in range(6)]
    for body in bodies:
        keep(conversations, body)
    known = [conversations.recall(body, read_json) is not None for body in bodies]
    assert known == [False] * (6 - kept) + [True] * kept
    assert conversations.size == sum(map(len, bodies[-kept:]))


def test_two_may_go_on_with_one_request_at_once() -> None:
    conversations = Conversations()
    keep(conversations, lines(9))
    pasts = [conversations.recall(lines(count), read_json) for count in (10, 11)]
    for found in filter(None, pasts):
        conversations.keep(*found)
    assert conversations.size == len(lines(10)) + len(lines(11))


def test_short_requests_are_not_looked_up() -> None:
    conversations = Conversations()
    keep(conversations, b'{"messages":[1,2,3]}')
    assert conversations.size == 0
    assert conversations.recall(b'{"messages":[1,2,3,4]}', read_json) is None


def test_who_stops_in_the_middle_of_a_message_begins_there_again() -> None:
    past = Past()
    step: Step[str] = Step("finds")
    found = step.found(past)
    found.items += [(0, "a"), (1, "b"), (1, "c")]
    found.upto = 1
    assert step.found(past).items == [(0, "a")]
    assert step.found(past, "other").items == []
    cut: Found[str] = Found()
    cut.items, cut.upto = [(0, "a"), (4, "b")], 5
    assert (cut.cut(3).items, cut.cut(3).upto) == ([(0, "a")], 3)
