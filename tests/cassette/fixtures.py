"""Records the samples of `fixtures/cassettes` anew: `python -m tests.cassette.fixtures`.

Everything is local: a fake upstream on loopback stands for the endpoint and says words of our own.
What names the loopback address in a recording is replaced by the documented host.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp
import httpx2
import requests
import vcr

from tests.recorder.upstream import Close, FakeUpstream, Say, chunk, event, head
from tests.support import CHAT, serving, tool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.recorder.upstream import Act, Seen

FOLDER = Path(__file__).parents[2] / "fixtures" / "cassettes"
HOST = "api.moonshot.ai"
CREATED = 0x6A980000
STREAM = ("Content-Type: text/event-stream; charset=utf-8", "Msh-Request-Id: 9f1c2d3e")
USAGE = {"prompt_tokens": 96, "completion_tokens": 31, "total_tokens": 127}
QUESTION = [{"role": "user", "content": "When is high tide in St. Malo tomorrow?"}]
THOUGHT = "The tide has to be looked up."
ARGUMENTS = '{"harbour":"St. Malo","days":2}'
CALL: dict[str, Any] = {"id": "get_tide:0", "type": "function",
                        "function": {"name": "get_tide", "arguments": ARGUMENTS}}  # fmt: skip
RESULT = '{"high":["06:12","18:37"]}'
ANSWER = "High water is at 06:12 and at 18:37."
ROUND = [*QUESTION,
         {"role": "assistant", "content": "", "reasoning_content": THOUGHT, "tool_calls": [CALL]},
         {"role": "tool", "tool_call_id": "get_tide:0", "content": RESULT}]  # fmt: skip
TOOLS = [tool("get_tide", harbour={"type": "string"}, days={"type": "integer"})]
ASKED = {"model": "kimi-k3", "messages": QUESTION, "stream": True}


def deltas(*said: dict[str, Any], finish: str = "stop") -> list[bytes]:
    """Return the events of a stream, its finish, usage and end included."""
    base = {"id": f"chatcmpl-{CREATED:x}c0ffee01", "object": "chat.completion.chunk",
            "created": CREATED, "model": "kimi-k3"}  # fmt: skip
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in said
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    events = [event({**base, "choices": [choice]}) for choice in choices]
    return [*events, event({**base, "choices": [], "usage": USAGE}), event("[DONE]")]


def called() -> list[bytes]:
    """Return the stream that asks for the tool."""
    start = {**CALL, "function": {"name": "get_tide", "arguments": ""}, "index": 0}
    return deltas(
        {"role": "assistant", "content": ""},
        {"reasoning_content": "The tide has "},
        {"reasoning_content": "to be looked up."},
        {"tool_calls": [start]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"harbour":"St. Malo",'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"days":2}'}}]},
        finish="tool_calls",
    )


def answered() -> list[bytes]:
    """Return the stream that answers."""
    words = ("High water ", "is at 06:12 ", "and at 18:37.")
    return deltas({"role": "assistant", "content": ""}, *({"content": word} for word in words))


def streamed(events: Sequence[bytes]) -> list[Act]:
    """Write events one by one."""
    acts: list[Act] = [Say(head("200 OK", *STREAM, "Transfer-Encoding: chunked"))]
    return [*acts, *(Say(chunk(each), pause_s=0.02) for each in events)]


def session(seen: Seen) -> list[Act]:
    """Answer a conversation: a tool call, the answer; for the second one a limit first."""
    body = seen.json
    last = body["messages"][-1]
    if last["role"] == "tool":
        return [*streamed(answered()), Say(b"0\r\n\r\n")]
    if "tools" in body:
        return [*streamed(called()), Say(b"0\r\n\r\n")]
    if seen.header("x-stainless-retry-count") is None:
        said = {"error": {"message": "Your account is limited to 3 requests per minute.",
                          "type": "rate_limit_reached_error"}}  # fmt: skip
        return whole("429 Too Many Requests", said, "Retry-After: 1")
    message = {"role": "assistant", "content": ANSWER, "reasoning_content": THOUGHT}
    return whole("200 OK", {
        "id": f"chatcmpl-{CREATED:x}c0ffee02", "object": "chat.completion", "created": CREATED,
        "model": "kimi-k3",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE,
    })  # fmt: skip


def whole(status: str, value: Any, *lines: str) -> list[Act]:
    """Write a body in one piece."""
    body = json.dumps(value).encode()
    kind = "Content-Type: application/json; charset=utf-8"
    return [Say(head(status, kind, f"Content-Length: {len(body)}", *lines) + body)]


def cut(_: Seen) -> list[Act]:
    """Close the connection in the middle of the words."""
    return [*streamed(answered()[:3]), Close()]


def post(address: str, body: Any, **headers: str) -> None:
    """Send a request to the relay and read what comes, however it ends."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    sent = {"Content-Type": "application/json", "Authorization": "Bearer sk-not-kept-0123456789"}
    connection.request("POST", CHAT, json.dumps(body), {**sent, **headers})
    try:
        connection.getresponse().read()
    except (http.client.IncompleteRead, ConnectionError):
        # It was cut, as it was to be.
        pass
    finally:
        connection.close()


def relayed(path: Path, script: Callable[[Seen], list[Act]], *asked: tuple[Any, bool]) -> None:
    """Record requests through k3mock's own relay; a retry says that it is one."""
    with FakeUpstream(script) as upstream:
        with serving(record="rewrite", upstream=upstream.url, cassettes=(str(path),)) as server:
            for body, retry in asked:
                post(server.address, body, **({"X-Stainless-Retry-Count": "1"} if retry else {}))
        _placed(path, upstream.port)


def _httpx2(url: str) -> None:
    httpx2.post(url, json=ASKED, trust_env=False).raise_for_status()


def _requests(url: str) -> None:
    requests.post(url, json=ASKED, timeout=20).raise_for_status()


def _urllib(url: str) -> None:
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(url, json.dumps(ASKED).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310
        answer.read()


def _aiohttp(url: str) -> None:
    async def post_json() -> None:
        async with aiohttp.ClientSession() as client, client.post(url, json=ASKED) as answer:
            await answer.read()

    asyncio.run(post_json())


CLIENTS = {"httpx2": _httpx2, "requests": _requests, "urllib": _urllib, "aiohttp": _aiohttp}


def by_stock_vcrpy(path: Path, client: Callable[[str], None], *, zipped: bool) -> None:
    """Record one stream as vcrpy does it without any configuration."""
    body = b"".join(answered())
    lines = [*STREAM[:1]]
    if zipped:
        body = gzip.compress(body, mtime=0)
        lines.append("Content-Encoding: gzip")
    acts: list[Act] = [Say(head("200 OK", *lines, f"Content-Length: {len(body)}") + body)]
    with FakeUpstream(lambda _: acts) as upstream:
        path.unlink(missing_ok=True)
        with vcr.use_cassette(path):
            client(f"{upstream.url}/chat/completions")
        _placed(path, upstream.port)


def _placed(path: Path, port: int) -> None:
    """Put the documented host where the loopback address was."""
    text = path.read_text(encoding="ascii")
    text = text.replace(f"http://127.0.0.1:{port}", f"https://{HOST}")
    path.write_text(text.replace(f"127.0.0.1:{port}", HOST), encoding="ascii")


def record(folder: Path) -> None:
    """Record all samples into a folder."""
    (folder / "k3mock").mkdir(parents=True, exist_ok=True)
    (folder / "vcrpy").mkdir(exist_ok=True)
    plain = {"model": "kimi-k3", "messages": QUESTION}
    relayed(
        folder / "k3mock" / "tide.yaml", session,
        ({**ASKED, "tools": TOOLS}, False),
        ({**ASKED, "messages": ROUND, "tools": TOOLS}, False),
        (plain, False), (plain, True),
    )  # fmt: skip
    relayed(folder / "k3mock" / "cut.yaml", cut, (ASKED, False))
    for name, client in CLIENTS.items():
        for zipped in (False, True):
            path = folder / "vcrpy" / f"{name}_{'gzip' if zipped else 'plain'}.yaml"
            by_stock_vcrpy(path, client, zipped=zipped)
    for lock in folder.rglob("*.lock"):
        lock.unlink()


if __name__ == "__main__":
    record(FOLDER)
