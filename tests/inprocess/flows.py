"""Turns a list of flows into what a client sees of them, over a socket or in process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2

from tests.cassette.tapes import recorded
from tests.support import CHAT, KEY, request, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.asgi.app import App
    from k3mock.inprocess.transport import Served

PATIENCE_S = 10.0
TIMEOUT_S = 0.15

SCENARIOS = """\
scenarios:
  - name: spoken
    turns:
      - when: {last: {content: {contains: scripted}}}
        reply:
          reasoning: Grün, 你好, we think about it for a while.
          content: one two three four five six seven eight 🌷 nine ten
          tool_calls: [{name: get_weather, arguments: {city: İzmir}}]
  - name: events
    turns:
      - when: {last: {content: {contains: scripted}}}
        reply:
          events:
            - {content: one}
            - {stall: 20}
            - {comment: still here}
            - {content: two}
            - {disconnect: reset}
  - name: twice
    turns:
      - times: 1
        when: {last: {content: {contains: scripted}}}
        reply: {error: rate_limited}
      - when: {last: {content: {contains: scripted}}}
        reply: {content: fine now}
"""

TAPE = recorded(
    request("recorded", stream=True),
    'data: {"choices":[{"index":0,"delta":{"content":"taped"}}]}\n\ndata: [DONE]\n\n',
    headers=(("content-type", "text/event-stream"),),
)


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Requests of one session: `body` is sent `times` times with these options."""

    name: str
    body: Any = None
    options: str = ""
    method: str = "POST"
    path: str = CHAT
    key: str | None = KEY
    times: int = 1
    read_timeout: float = 10.0

    def url(self, address: str) -> str:
        chosen = ";".join(filter(None, (f"session={self.name}", self.options)))
        return f"{address}/with/{chosen}{self.path}"

    def sent(self) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        given: dict[str, Any] = {
            "headers": headers,
            "timeout": httpx2.Timeout(10.0, read=self.read_timeout),
        }
        if isinstance(self.body, bytes):
            return {**given, "content": self.body}
        return given if self.body is None else {**given, "json": self.body}


@dataclass
class Seen:
    """What one request gave: status, headers, the body as far as it came, and the error."""

    status: int | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    error: str = ""


def said(error: Exception) -> str:
    """Return an error's name, and its words where they are the parser's."""
    words = str(error) if isinstance(error, httpx2.RemoteProtocolError) else ""
    return f"{type(error).__name__}: {words}"


def see(client: httpx2.Client, flow: Flow, address: str) -> list[Seen]:
    """Go through a flow."""
    found = []
    for _ in range(flow.times):
        seen = Seen()
        found.append(seen)
        try:
            with client.stream(flow.method, flow.url(address), **flow.sent()) as response:
                seen.status, seen.headers = response.status_code, kept(response)
                for piece in response.iter_raw():
                    seen.body += piece
        except httpx2.TransportError as error:
            seen.error = said(error)
    return found


async def see_async(client: httpx2.AsyncClient, flow: Flow, address: str) -> list[Seen]:
    """Go through a flow on the loop."""
    found = []
    for _ in range(flow.times):
        seen = Seen()
        found.append(seen)
        try:
            async with client.stream(flow.method, flow.url(address), **flow.sent()) as response:
                seen.status, seen.headers = response.status_code, kept(response)
                async for piece in response.aiter_raw():
                    seen.body += piece
        except httpx2.TransportError as error:
            seen.error = said(error)
    return found


def kept(response: httpx2.Response) -> list[tuple[str, str]]:
    """Return the headers that do not tell the time."""
    return sorted((name, value) for name, value in response.headers.items() if name != "date")


def noted(app: App | Served, session: str) -> list[Any]:
    """Return a session's journal, once all of it has ended, without addresses and real times."""
    deadline = time.monotonic() + PATIENCE_S
    entries = app.journal.entries(session)
    while any(entry.outcome.end is None for entry in entries) and time.monotonic() < deadline:
        time.sleep(0.002)
    return [_plain(entry.as_json()) for entry in entries]


def _plain(entry: Any) -> Any:
    for name in ("host", "user-agent"):
        entry["received"]["headers"].pop(name)
    for name in ("ttft_ms", "duration_ms", "lateness_ms"):
        entry["outcome"].pop(name)
    for name in ("arrived", "arrived_ms"):
        entry.pop(name)
    return entry


SILENT = ("silence_before_headers", "stall_forever", "half_headers", "half_status_line")

FAULTS = (
    "rate_limited", "quota_exhausted", "bad_gateway_html", "error_200", "empty_body", "blank_lines",
    "silence_before_headers", "reset_before_headers", "close_before_headers", "half_status_line",
    "half_headers", "garbage_status_line", "body_refused_halfway", "cut_mid_stream", "clean_close",
    "reset_mid_stream", "unterminated_chunk", "cut_in_tool_arguments", "cut_in_character",
    "stall", "stall_forever", "error_event", "keepalive", "broken_json", "leaked_markers",
    "length_in_content", "split_utf8", "seven_byte_writes", "crlf", "no_done",
)  # fmt: skip


def flows() -> Iterator[Flow]:
    """Yield them all."""
    hello = request("hello")
    yield from _twofold()
    streamed = request("hello", stream=True)
    yield Flow(name="usage", body={**streamed, "stream_options": {"include_usage": True}})
    yield Flow(name="json", body={**hello, "response_format": {"type": "json_object"}})
    yield Flow(name="cap", body={**streamed, "max_tokens": 3}, times=2)
    yield Flow(name="no-key", body=hello, key=None)
    yield Flow(name="refused", body={**hello, "temperature": 3})
    yield Flow(name="no-json", body=b"{nothing")
    yield Flow(name="long", body=request("word " * 40_000), times=2)
    yield Flow(name="too-large", body=b" " * 30_000_000 + b"{}", options="profile=devotel")
    yield Flow(name="models", method="GET", path="/v1/models")
    yield Flow(name="head", method="HEAD", path="/v1/models")
    yield Flow(name="unknown", method="GET", path="/v1/nothing")
    yield Flow(name="wrong-option", body=hello, options="nothing=1")
    yield Flow(name="miss", body=hello, options="scenario=nothing")
    few = {**streamed, "max_tokens": 20}
    yield Flow(name="one-byte", body=few, options="wire.writes=one_byte;wire.write_gap_ms=0")
    yield Flow(name="taped", body=request("recorded", stream=True), options="cassette=tape.yaml")
    yield Flow(name="tape-miss", body=hello, options="cassette=tape.yaml")


def _twofold() -> Iterator[Flow]:
    """Yield those that stream and those that do not."""
    hello = request("hello")
    tools = request("weather in Izmir", tools=[tool()], tool_choice="required")
    spoken = request("scripted", tools=[tool()])
    for stream in (False, True):
        kind = "stream" if stream else "whole"
        for name, body, options in (
            ("plain", hello, ""),
            ("tools", tools, ""),
            ("scenario", spoken, "scenario=spoken"),
            ("events", request("scripted"), "scenario=events"),
            ("devotel", hello, "profile=devotel"),
        ):
            yield Flow(name=f"{name}-{kind}", body={**body, "stream": stream}, options=options)
        yield Flow(
            name=f"retry-{kind}", body={**request("scripted"), "stream": stream},
            options="scenario=twice", times=2,
        )  # fmt: skip
        for fault in FAULTS:
            given = "(gap_ms:0)" if fault == "seven_byte_writes" else ""
            yield Flow(
                name=f"{fault}-{kind}",
                body={**spoken, "stream": stream},
                options=f"scenario=spoken;fault={fault}{given};pace=speed=100",
                read_timeout=TIMEOUT_S if fault in SILENT else 10.0,
            )
