"""Turns rows of a gateway's tables into requests over a real socket and into exact answers.

Marks beside a row say how it is known: S stated on the gateway's page, P on another page of the
same vendor, I chosen here.
"""

from __future__ import annotations

import http.client
import re
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from k3mock.contract.load import load_profile
from tests.contract.black_box import JSON_TYPE, entries, wire
from tests.support import CHAT, KEY, Answer, call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from _pytest.mark import ParameterSet

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

GATEWAYS = ("apiany", "devotel", "evolink", "hotrouter")
PROFILES = ("moonshot", *GATEWAYS)
INVALID = "invalid_request_error"
GOOD_KEYS = ("sk-good",)
ENDS = ("stop", "tool_calls", "length")
BODY_KEYS = ["id", "object", "created", "model", "choices", "usage"]
CHUNK_KEYS = ["id", "object", "created", "model", "choices"]
COUNTS = ["prompt_tokens", "completion_tokens", "total_tokens"]
PNG = "data:image/png;base64,iVBORw0KGgo="
JPEG_URL = "https://example.com/a.jpg"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION: dict[str, Any] = {"type": "function", "function": {"name": "f", "parameters": CITY}}
NAMED = {"type": "function", "function": {"name": "f"}}
CALL = {"id": "f_0", "type": "function", "function": {"name": "f", "arguments": '{"city":"Rome"}'}}


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A request and its whole refusal.

    Attributes:
        rule: who refuses; rules of the engine are named `engine:…`.
        mark: how it is known that this is refused.
        error: the error object, keys in the order of the wire.
        sent: the body, as JSON unless it is bytes; or `head`, header lines for a raw exchange.
        key: the bearer key, None for no header at all.
        good_keys: whether the server accepts only the keys that it knows.
        own: what a profile of one's own changes, the gateway's own profile if None.
    """

    rule: str
    mark: str
    error: dict[str, Any]
    sent: Any = None
    status: int = 400
    method: str | None = None
    path: str = CHAT
    headers: Mapping[str, str] = field(default_factory=dict)
    head: tuple[str, ...] | None = None
    key: str | None = KEY
    good_keys: bool = False
    own: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A request that is answered, and what the journal must say of it.

    Attributes:
        mark: how it is known that this is answered.
        end: the finish reason.
        effective: what must be among the effective values.
        forwarded: what must be in the forwarded body.
        gone: keys that must not be in the forwarded body.
        whole: whether the forwarded body must be the received one.
    """

    mark: str
    sent: dict[str, Any]
    end: str = "stop"
    effective: Mapping[str, Any] = field(default_factory=dict)
    forwarded: Mapping[str, Any] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    whole: bool = False


def refused(name: str, rule: str, mark: str, error: dict[str, Any], **more: Any) -> ParameterSet:
    """Return a row of refusals, named by its rule and a word."""
    row = Refused(rule=rule, mark=mark, error=error, **more)
    return pytest.param(row, id=f"{rule.replace(':', '-')}-{name}")


def answered(name: str, mark: str, sent: dict[str, Any], **more: Any) -> ParameterSet:
    """Return a row of answers."""
    return pytest.param(Answered(mark=mark, sent=sent, **more), id=name)


def rows(*tables: Iterable[ParameterSet]) -> list[ParameterSet]:
    """Return the rows of several tables, each id once."""
    found = [row for table in tables for row in table]
    ids = [str(row.id) for row in found]
    assert len(set(ids)) == len(ids), sorted(name for name in ids if ids.count(name) > 1)
    return found


def turn(role: str, content: Any = "hi", **more: Any) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "content": content, **more}


def chat_body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request with these messages, or with one of two letters."""
    return {"model": "kimi-k3", "messages": list(messages) or [turn("user")], **fields}


def without(key: str, **fields: Any) -> dict[str, Any]:
    """Return a request that lacks a key."""
    return {name: value for name, value in chat_body(**fields).items() if name != key}


def called(**more: Any) -> dict[str, Any]:
    """Return an assistant message that calls the function."""
    return {"role": "assistant", "content": None, "tool_calls": [CALL], **more}


def result(**more: Any) -> dict[str, Any]:
    """Return the call's result."""
    return {"role": "tool", "tool_call_id": "f_0", "content": "sunny", **more}


def picture(url: str, kind: str = "image", *, bare: bool = False) -> dict[str, Any]:
    """Return a user message with a text and a medium."""
    part = {"type": f"{kind}_url", f"{kind}_url": url if bare else {"url": url}}
    return turn("user", [{"type": "text", "text": "What is this?"}, part])


def tools(count: int) -> list[dict[str, Any]]:
    """Return that many tools."""
    return [{"type": "function", "function": {"name": f"f{n}", "parameters": CITY}}
            for n in range(count)]  # fmt: skip


def at(gateway: str, session: str, path: str = CHAT, **options: str) -> str:
    """Return a path with the profile and session in front."""
    chosen = {"profile": gateway, "session": session, **options}
    text = ";".join(f"{name}={value}" for name, value in chosen.items())
    return f"/with/{text}{path}"


def ask(server: MockServer, gateway: str, session: str, sent: Any, **more: Any) -> Answer:
    """Post a body to a gateway's chat address."""
    return call(server, at(gateway, session), sent, **more)


def exchange(server: MockServer, path: str, head: Iterable[str], body: bytes = b"") -> Answer:
    """Send header lines and bytes as they are, and read one answer."""
    address = urlsplit(server.address)
    with socket.create_connection((address.hostname, address.port or 80), timeout=10) as sock:
        lines = ["Host: 127.0.0.1", f"Authorization: Bearer {KEY}", *head, "", ""]
        sock.sendall(f"POST {path} HTTP/1.1\r\n".encode() + "\r\n".join(lines).encode())
        if body:
            sock.sendall(body)
        response = http.client.HTTPResponse(sock, method="POST")
        response.begin()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())


def _session(row: pytest.FixtureRequest) -> str:
    return "row-" + re.sub(r"[^a-z0-9.-]", "-", row.node.name.lower())[:150]


def check_refused(
    gateway: str, case: Refused, worlds: Worlds, request: pytest.FixtureRequest
) -> None:
    """Assert a refusal to the byte, plain and, for a chat body, the same when a stream is asked.

    The row's marks must be among those of its rule.
    """
    rule = None if case.rule.startswith("engine:") else load_profile(gateway).rule(case.rule)
    assert rule is None or set(case.mark) <= {str(mark) for mark in rule.evidence}
    own = None if case.own is None else {"extends": gateway, "profile": f"my-{gateway}", **case.own}
    server = worlds(own, GOOD_KEYS if case.good_keys else ())
    session = _session(request)
    path = f"/with/session={session}{case.path}" if own else at(gateway, session, case.path)
    bodies = [case.sent]
    if isinstance(case.sent, dict) and "stream" not in case.sent:
        bodies.append({**case.sent, "stream": True})
    for sent in bodies:
        if case.head is not None:
            answer = exchange(server, path, case.head, case.sent or b"")
        else:
            answer = call(
                server, path, sent, method=case.method, headers=case.headers, key=case.key
            )
        assert answer.headers["x-k3mock-source"] == f"contract:{case.rule}", answer.body
        assert answer.body == wire(case.error)
        assert answer.status == case.status
        assert answer.headers["content-type"] == JSON_TYPE
        assert answer.headers["content-length"] == str(len(answer.body))
        check_headers(gateway, answer)


def check_answered(
    gateway: str, case: Answered, server: MockServer, request: pytest.FixtureRequest
) -> Answer:
    """Assert a whole answer's shape, and the journal's view of the request."""
    session = _session(request)
    answer = ask(server, gateway, session, case.sent)
    assert (answer.status, answer.headers["x-k3mock-source"]) == (200, "generator"), answer.body
    check_headers(gateway, answer)
    check_whole(answer)
    assert answer.json["choices"][0]["finish_reason"] == case.end
    [entry] = entries(server, session)
    effective, forwarded = entry["effective"], entry["forwarded"]
    assert {key: effective[key] for key in case.effective} == dict(case.effective)
    assert {key: forwarded.get(key) for key in case.forwarded} == dict(case.forwarded)
    assert not set(case.gone) & set(forwarded)
    if case.whole:
        assert forwarded == case.sent
        assert list(forwarded) == list(case.sent)
    assert entry["received"]["body"] == case.sent
    return answer


def check_headers(gateway: str, answer: Answer) -> None:
    """Assert that a gateway sends its own headers and none of another host's."""
    assert ("x-request-id" in answer.headers) == (gateway == "apiany")
    if gateway == "apiany":
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert not [name for name in answer.headers if name.startswith(("msh-", "x-msh-"))]


def check_whole(answer: Answer) -> None:
    """Assert what the body of an answer has at each of the gateways."""
    body = answer.json
    assert list(body) == BODY_KEYS
    assert body["id"].startswith("chatcmpl-")
    assert body["object"] == "chat.completion"
    assert type(body["created"]) is int
    assert body["model"] == "kimi-k3"
    [choice] = body["choices"]
    assert list(choice) == ["index", "message", "finish_reason"]
    assert choice["index"] == 0
    assert choice["finish_reason"] in ENDS
    assert choice["message"]["role"] == "assistant"
    check_counts(body["usage"])


def check_counts(usage: Mapping[str, Any]) -> None:
    """Assert that the counts of a usage object are whole numbers that add up."""
    assert all(type(usage[name]) is int for name in COUNTS)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    thought = usage.get("completion_tokens_details", {}).get("reasoning_tokens", 0)
    assert 0 <= thought <= usage["completion_tokens"]
    cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
    assert 0 <= cached <= usage["prompt_tokens"]


def details(answer: Answer) -> list[str]:
    """Return the keys of usage that an answer has only if it came after some thinking."""
    return ["completion_tokens_details"] if answer.message.get("reasoning_content") else []


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """What a stream said: its texts joined, its usage chunk if it had one, how it ended."""

    reasoning: str
    content: str
    end: str
    usage: dict[str, Any] | None


def check_stream(gateway: str, answer: Answer) -> Streamed:
    """Assert the form of a stream that every gateway has, and return what it said."""
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "text/event-stream"
    check_headers(gateway, answer)
    assert b"system_fingerprint" not in answer.body
    *chunks, done = answer.events
    assert done == "[DONE]"
    usage = chunks.pop()["usage"] if chunks[-1]["choices"] == [] else None
    assert answer.body.count(b'"usage"') == (0 if usage is None else 1)
    texts = {"reasoning_content": "", "content": ""}
    ends = []
    for chunk in chunks:
        assert list(chunk) == CHUNK_KEYS
        assert chunk["object"] == "chat.completion.chunk"
        [choice] = chunk["choices"]
        assert list(choice) == ["index", "delta", "finish_reason"]
        kinds = [kind for kind in (*texts, "tool_calls") if choice["delta"].get(kind)]
        assert len(kinds) <= 1
        for kind in texts:
            texts[kind] += choice["delta"].get(kind, "")
        if choice["finish_reason"] is not None:
            ends.append(choice["finish_reason"])
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in chunks}) == 1
    [end] = ends
    assert chunks[-1]["choices"][0]["finish_reason"] == end
    if usage is not None:
        check_counts(usage)
    return Streamed(
        reasoning=texts["reasoning_content"], content=texts["content"], end=end, usage=usage
    )


def journal(server: MockServer, session: str) -> dict[str, Any]:
    """Return the journal's last entry of a session."""
    return entries(server, session)[-1]


def transport(
    codes: Mapping[str, dict[str, Any]],
    *,
    limit: int,
    paths: Mapping[str, str],
    marks: Mapping[str, str],
) -> Iterator[ParameterSet]:
    """Yield rows for what is refused before a body is understood, alike at all gateways.

    `codes` holds the error by rule, its text open where the wire names path, problem or type;
    `paths` are unknown ones (`METHOD path`) with their marks, `marks` those of rules that the
    gateway's pages state.
    """
    for where, mark in paths.items():
        method, _, path = where.partition(" ")
        error = {**codes["path.unknown"]}
        error["message"] = error["message"].format(method=method, path=path)
        name = f"{method}{path.replace('/', '-')}".lower()
        more: dict[str, Any] = {"status": 404, "method": method, "path": path}
        yield refused(name, "path.unknown", mark, error, **more)
    for method, path in (("GET", CHAT), ("PUT", CHAT), ("DELETE", CHAT), ("POST", "/v1/models")):
        error = {**codes["method.wrong"]}
        error["message"] = error["message"].format(method=method, path=path)
        name = f"{method}{path.replace('/', '-')}".lower()
        yield refused(name, "method.wrong", "I", error, status=405, method=method, path=path)
    yield from _keys(codes, marks)
    body_size = codes["body.size"]
    head = (f"Content-Length: {limit + 1}",)
    yield refused(
        "announced", "body.size", marks.get("body.size", "I"), body_size, status=413, head=head
    )
    invalid = {**codes["body.json"]}
    invalid["message"] = invalid["message"].format(problem="malformed JSON at line 1 column 2")
    yield refused("broken", "body.json", marks.get("body.json", "I"), invalid, sent=b"{")
    empty = {**codes["body.json"]}
    empty["message"] = empty["message"].format(problem="the request body is empty")
    yield refused("nothing", "body.json", marks.get("body.json", "I"), empty, method="POST")
    for got, sent in (("array", b"[]"), ("null", b"null"), ("string", b'"x"')):
        error = {**codes["body.object"]}
        error["message"] = error["message"].format(got=got)
        yield refused(got, "body.object", marks.get("body.object", "I"), error, sent=sent)


def _keys(codes: Mapping[str, dict[str, Any]], marks: Mapping[str, str]) -> Iterator[ParameterSet]:
    missing, unknown = codes["auth.missing"], codes["auth.unknown_key"]
    first, second = marks.get("auth.missing", "I"), marks.get("auth.unknown_key", "I")
    for name, headers in (("none", {}), ("basic", {"Authorization": "Basic c2s6"}),
                          ("empty", {"Authorization": "Bearer "})):  # fmt: skip
        more: dict[str, Any] = {"status": 401, "key": None, "headers": headers}
        yield refused(name, "auth.missing", first, missing, sent=chat_body(), **more)
    for name, sent in (("valid", chat_body()), ("broken", b"{")):
        more = {"status": 401, "good_keys": True}
        yield refused(name, "auth.unknown_key", second, unknown, sent=sent, **more)
    yield refused(
        "models", "auth.missing", first, missing, status=401, key=None, method="GET",
        path="/v1/models",
    )  # fmt: skip
