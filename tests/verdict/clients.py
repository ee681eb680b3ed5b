"""Turns a session of a server into a small client whose every step a test decides."""

from __future__ import annotations

import contextlib
import http.client
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from tests.support import CHAT, KEY, TIMEOUT_S, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer
    from k3mock.verdict.finding import Finding

TOOLS = {"tools": [tool()], "tool_choice": "required"}
ASK = {"role": "user", "content": "What is the weather in Paris?"}
LIMITED = "rate_limited(retry_after:0.3)"
OVERLOADED = "engine_overloaded"


@dataclass
class Got:
    """What came of one request: the status, and the message as far as it came."""

    status: int | None
    message: dict[str, Any]
    finish: str | None = None

    def without(self, *keys: str) -> dict[str, Any]:
        return {key: value for key, value in self.message.items() if key not in keys}


@dataclass
class Client:
    server: MockServer
    session: str
    fields: dict[str, Any] = field(default_factory=dict)

    def ask(
        self,
        messages: list[dict[str, Any]],
        *,
        fault: str | None = None,
        key: str = KEY,
        retry: int | None = None,
        **fields: Any,
    ) -> Got:
        """Send a request, and read what comes until it ends, however it ends."""
        with self.asking(messages, fault=fault, key=key, retry=retry, **fields) as connection:
            try:
                response = connection.getresponse()
            except (http.client.HTTPException, ConnectionError):
                return Got(None, {})
            body = _read(response)
        if response.status != 200:
            return Got(response.status, {})
        return _got(body)

    @contextlib.contextmanager
    def asking(
        self,
        messages: list[dict[str, Any]],
        *,
        fault: str | None = None,
        key: str = KEY,
        retry: int | None = None,
        **fields: Any,
    ) -> Iterator[http.client.HTTPConnection]:
        """Send a request and leave its answer on the connection."""
        chosen = f"session={self.session}" + (f";fault={quote(fault)}" if fault else "")
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        if retry is not None:
            headers["x-stainless-retry-count"] = str(retry)
        body = {"model": "kimi-k3", "messages": messages, **self.fields, **fields}
        address = urlsplit(self.server.address)
        connection = http.client.HTTPConnection(
            address.hostname or "", address.port or 80, timeout=TIMEOUT_S
        )
        with contextlib.closing(connection):
            path = f"/with/{chosen}{CHAT}"
            connection.request("POST", path, json.dumps(body).encode(), headers)
            yield connection

    def stream(self, messages: list[dict[str, Any]], **given: Any) -> Got:
        """Stream an answer, and ask for its usage."""
        given.setdefault("stream_options", {"include_usage": True})
        return self.ask(messages, stream=True, **given)

    def begin(self, messages: list[dict[str, Any]], fault: str) -> Got:
        """Read a stream until its content begins, and leave."""
        with self.asking(messages, fault=fault, stream=True) as connection:
            return self.begun(connection)

    def begun(self, connection: http.client.HTTPConnection) -> Got:
        """Read a stream until its content begins."""
        response = connection.getresponse()
        body = b""
        while b'"delta":{"content":' not in body:
            piece = response.read1(65_536)
            assert piece, body
            body += piece
        return _got(body)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.server.verdict(self.session).findings

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.findings]


def results(message: dict[str, Any], **ids: str) -> list[dict[str, Any]]:
    """Return a tool message for each call of an assistant message; `id` replaces the calls' own."""
    return [
        {"role": "tool", "tool_call_id": ids.get("id", call["id"]), "content": "sunny"}
        for call in message["tool_calls"]
    ]


def _read(response: http.client.HTTPResponse) -> bytes:
    pieces = []
    try:
        while piece := response.read1(65_536):
            pieces.append(piece)
    except (http.client.HTTPException, ConnectionError):
        pass
    return b"".join(pieces)


def _got(body: bytes) -> Got:
    if body.startswith(b"{"):
        choice = json.loads(body)["choices"][0]
        return Got(200, choice["message"], choice["finish_reason"])
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    finish = None
    for line in body.decode("utf-8", "replace").splitlines():
        data = line.removeprefix("data: ")
        if not line.startswith("data: {") or not line.endswith("}"):
            continue
        for choice in json.loads(data).get("choices", ()):
            finish = choice["finish_reason"] or finish
            _add(message, choice["delta"])
    return Got(200, message, finish)


def _add(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key in ("content", "reasoning_content"):
        if delta.get(key):
            message[key] = message.get(key, "") + delta[key]
    for call in delta.get("tool_calls", ()):
        calls = message.setdefault("tool_calls", [])
        if "id" in call:
            calls.append({"id": call["id"], "type": "function", "function": call["function"]})
        else:
            calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
