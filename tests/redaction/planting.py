"""Turns places and encodings into exchanges with one planted secret each."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from k3mock.redaction.rules import USUAL, Rules
from k3mock.redaction.scrub import scrub_request, scrub_response

if TYPE_CHECKING:
    from collections.abc import Callable

URI = "https://api.moonshot.ai/v1/chat/completions"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@dataclass(frozen=True)
class Request:
    uri: str = URI
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    body: bytes = b"{}"


@dataclass(frozen=True)
class Response:
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    body: bytes = b"{}"


@dataclass(frozen=True)
class Exchange:
    number: int = 1
    request: Request = field(default_factory=Request)
    response: Response = field(default_factory=Response)


def asked(body: Any, *headers: tuple[str, str], uri: str = URI) -> Request:
    """Return a request whose body is JSON unless it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(uri, (("content-type", "application/json"), *headers), data)


def prompt(content: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "kimi-k3", "messages": [{"role": "user", "content": content}], **fields}


def stream(*deltas: dict[str, Any], end: str = "data: [DONE]\n\n") -> bytes:
    """Return a stream of deltas as the endpoint writes it."""
    chunks = [
        {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    return ("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end).encode()


def writes(body: bytes) -> tuple[tuple[int, int], ...]:
    """Return one write for each event of a stream."""
    events = body.split(b"\n\n")[:-1]
    return tuple((1000 + at, len(event) + 2) for at, event in enumerate(events))


def scrubbed(exchange: Exchange, rules: Rules = USUAL, known: tuple[str, ...] = ()) -> Exchange:
    """Return an exchange as a recorder keeps it."""
    uri, headers, body, _ = scrub_request(exchange.request, rules, known)
    answer = scrub_response(
        exchange.response.headers, exchange.response.body, None, rules, known, seq=exchange.number
    )
    return Exchange(
        exchange.number, Request(uri, headers, body), Response(answer.headers, answer.body)
    )


def _ask(content: str) -> Exchange:
    return Exchange(request=asked(prompt(content)))


def _raw(content: str) -> Exchange:
    """Ask with text that is already escaped as JSON."""
    body = json.dumps(prompt("PLANT")).replace("PLANT", content).encode()
    return Exchange(request=asked(body))


def _escaped(secret: str) -> str:
    return secret.replace("-", "\\u002d")


def _in_base64(skipped: int) -> Callable[[str], Exchange]:
    def plant(secret: str) -> Exchange:
        packed = base64.b64encode(b":" * skipped + secret.encode() + b"\nz").decode()
        return _ask(f"decode {packed} please")

    return plant


def _image(secret: str) -> Exchange:
    data = base64.b64encode(PNG + secret.encode()).decode()
    parts = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}]
    return Exchange(request=asked(prompt(parts)))


def _arguments(secret: str) -> str:
    return json.dumps({"command": f"curl -H 'x: {secret}'"})


def _call(secret: str) -> dict[str, Any]:
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": "run", "arguments": _arguments(secret)},
    }


def _answer(message: dict[str, Any], **fields: Any) -> Exchange:
    body = {"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}], **fields}
    return Exchange(response=Response(body=json.dumps(body).encode()))


def _in_header(name: str, value: str = "{}") -> Callable[[str], Exchange]:
    return lambda secret: Exchange(request=asked({}, (name, value.format(secret))))


def _in_answer_header(name: str, value: str = "{}") -> Callable[[str], Exchange]:
    return lambda secret: Exchange(response=Response(headers=((name, value.format(secret)),)))


def _compressed(secret: str) -> Exchange:
    return Exchange(request=asked(gzip.compress(json.dumps(prompt(secret)).encode())))


def _twice_packed(secret: str) -> Exchange:
    return _ask(base64.b64encode(gzip.compress(f"the key is {secret}".encode())).decode())


def _history(secret: str) -> Exchange:
    said = {"role": "assistant", "content": None, "tool_calls": [_call(secret)]}
    return Exchange(request=asked({"messages": [said]}))


PLACES: dict[str, Callable[[str], Exchange]] = {
    "authorization": _in_header("authorization", "Bearer {}"),
    "api-key": _in_header("api-key"),
    "x-api-key": _in_header("x-api-key"),
    "cookie": _in_header("cookie", "session={}; theme=dark"),
    "organization": _in_header("openai-organization"),
    "project": _in_header("openai-project"),
    "proxy credentials": _in_header("proxy-authorization", "Basic {}"),
    "kept request header": _in_header("accept", "text/event-stream; token={}"),
    "user of the address": lambda secret: Exchange(
        request=asked({}, uri=URI.replace("//", f"//me:{secret}@"))
    ),
    "query": lambda secret: Exchange(request=asked({}, uri=f"{URI}?key={secret}")),
    "query, percent-encoded": lambda secret: Exchange(
        request=asked({}, uri=f"{URI}?key={quote(secret).replace('-', '%2D')}")
    ),
    "path, percent-encoded": lambda secret: Exchange(
        request=asked({}, uri=URI.replace("/v1", f"/with/{secret.replace('-', '%2d')}/v1"))
    ),
    "set-cookie": _in_answer_header("set-cookie", "__cf_bm={}; path=/"),
    "account": _in_answer_header("msh-org-id"),
    "person": _in_answer_header("msh-uid"),
    "trace": _in_answer_header("x-msh-trace-id"),
    "request id": _in_answer_header("x-request-id"),
    "prompt": lambda secret: _ask(f"my key is {secret}, keep it"),
    "key of an object": lambda secret: Exchange(request=asked(prompt("hi", tools=[{secret: 1}]))),
    "user": lambda secret: Exchange(request=asked(prompt("hi", user=secret))),
    "safety_identifier": lambda secret: Exchange(
        request=asked(prompt("hi", safety_identifier=secret))
    ),
    "metadata": lambda secret: Exchange(request=asked(prompt("hi", metadata={"a": secret}))),
    "escaped": lambda secret: _raw(f"my key is {_escaped(secret)}"),
    "escaped, behind a line end": lambda secret: _raw(f"key:\\n{secret}\\n"),
    "percent-encoded": lambda secret: _ask(f"see https://x.test/?k={secret.replace('-', '%2D')}&b"),
    "base64": _in_base64(0),
    "base64, second alignment": _in_base64(1),
    "base64, third alignment": _in_base64(2),
    "base64url inside a path": lambda secret: _ask(
        f"/files/{base64.urlsafe_b64encode(b'??>' + secret.encode()).decode()}"
    ),
    "base64 in lines": lambda secret: _ask(
        base64.encodebytes(b"some text before it, long enough " + secret.encode()).decode()
    ),
    "image": _image,
    "compressed body": _compressed,
    "compressed and packed": _twice_packed,
    "nested tool arguments": _history,
    "nested tool arguments, escaped": lambda secret: _raw(
        json.dumps(json.dumps({"a": "PLANT"}))[1:-1].replace("PLANT", _escaped(_escaped(secret)))
    ),
    "answer": lambda secret: _answer({"role": "assistant", "content": f"It is {secret}."}),
    "reasoning": lambda secret: _answer({"role": "assistant", "reasoning_content": secret}),
    "tool call": lambda secret: _answer({"role": "assistant", "tool_calls": [_call(secret)]}),
    "echoed metadata": lambda secret: _answer({"content": "x"}, metadata={"team": secret}),
    "one event": lambda secret: Exchange(
        response=Response(body=stream({"content": "It "}, {"content": f" is {secret}"}))
    ),
    "error text": lambda secret: Exchange(
        response=Response(body=json.dumps({"error": {"message": f"bad key: {secret}"}}).encode())
    ),
    "page of a gateway": lambda secret: Exchange(
        response=Response(body=f"<html>denied: {secret}</html>".encode())
    ),
    "comment of a stream": lambda secret: Exchange(
        response=Response(body=f": {secret}\n\n".encode() + stream({"content": "x"}))
    ),
}
"""Every place of a recording, and every encoding, in which a secret was seen."""


def _spread(kind: str, pieces: list[str]) -> bytes:
    match kind:
        case "tool arguments":
            deltas: list[dict[str, Any]] = [
                {"tool_calls": [{"index": 1, "function": {"arguments": piece}}]} for piece in pieces
            ]
        case _:
            deltas = [{kind: piece} for piece in pieces]
    return stream(*deltas)


def cut(secret: str, size: int) -> list[str]:
    return [secret[at : at + size] for at in range(0, len(secret), size)]


SPREAD: dict[str, Callable[[str], bytes]] = {
    "content": lambda secret: _spread("content", cut(f"It is {secret}!", 3)),
    "content in halves": lambda secret: _spread("content", cut(secret, 15)),
    "reasoning": lambda secret: _spread("reasoning_content", cut(f"So {secret}", 4)),
    "tool arguments": lambda secret: _spread("tool arguments", cut(_arguments(secret), 5)),
    "escaped tool arguments": lambda secret: _spread(
        "tool arguments", cut('{"key":"' + _escaped(secret) + '"}', 5)
    ),
    "base64": lambda secret: _spread(
        "content", cut(base64.b64encode(f"key {secret}".encode()).decode(), 7)
    ),
    "data that is no JSON": lambda secret: "".join(
        f"data: {piece}\n\n" for piece in cut(secret, 6)
    ).encode(),
}
"""Secrets that a stream says in pieces."""
