"""Turns a running server into raw HTTP exchanges for tests, without any client's help."""

from __future__ import annotations

import contextlib
import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from k3mock.serving import MockServer

CHAT = "/v1/chat/completions"
KEY = "sk-test"
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Answer:
    """A whole answer: status, headers (names in lower case), body bytes."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = self.json["error"]
        return error

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = self.json["choices"][0]["message"]
        return message

    @property
    def events(self) -> list[Any]:
        """The JSON of every SSE event, `[DONE]` as text."""
        return sse_events(self.body)


def sse_events(body: bytes) -> list[Any]:
    """Decode a stream strictly: `data: …` and a blank line each."""
    assert body.endswith(b"\n\n")
    events: list[Any] = []
    for block in body.decode().removesuffix("\n\n").split("\n\n"):
        assert block.startswith("data: "), block
        data = block.removeprefix("data: ")
        assert "\n" not in data
        events.append(data if data == "[DONE]" else json.loads(data))
    return events


def call(
    server: MockServer | str,
    path: str = CHAT,
    body: Any = None,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    key: str | None = KEY,
) -> Answer:
    """Send one request over a socket of its own and read the whole answer.

    `body` is sent as JSON unless it is bytes; GET without one, POST with one.
    """
    address = urlsplit(server if isinstance(server, str) else server.address)
    sent = {"Content-Type": "application/json", **(headers or {})}
    if key is not None:
        sent.setdefault("Authorization", f"Bearer {key}")
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection(
        address.hostname or "", address.port or 80, timeout=TIMEOUT_S
    )
    with contextlib.closing(connection):
        connection.request(method or ("GET" if data is None else "POST"), path, data, sent)
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())


def chat(server: MockServer | str, content: str = "hi", **fields: Any) -> Answer:
    """Send a plain chat request; `messages` among the fields replaces the one message.

    Options of the base URL go into `options`, such as `session=t1;pace=instant`.
    """
    options = fields.pop("options", None)
    path = CHAT if options is None else f"/with/{options}{CHAT}"
    return call(server, path, request(content, **fields))


def request(content: str = "hi", **fields: Any) -> dict[str, Any]:
    """Return a valid request body; fields that are given replace or add."""
    return {"model": "kimi-k3", "messages": [{"role": "user", "content": content}], **fields}


def tool(name: str = "get_weather", **properties: Any) -> dict[str, Any]:
    """Return a tool declaration; properties default to one required string `city`."""
    shape = properties or {"city": {"type": "string"}}
    return {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": shape, "required": list(shape)},
        },
    }


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[MockServer]:
    """Run a server of its own with these settings; the fast counter, a free port."""
    from k3mock.serving import MockServer  # noqa: PLC0415
    from k3mock.settings import Settings  # noqa: PLC0415

    given = {"port": 0, "tokenizer": {"counter": "splintr"}, **settings}
    with MockServer(Settings(**given)) as server:
        yield server


def profile_file(folder: Path, text: str, name: str = "own.yaml") -> str:
    """Write a profile file and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)
