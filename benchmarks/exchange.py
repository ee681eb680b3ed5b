"""Turns a question into the raw bytes of a request, and a server into one answer to it."""

from __future__ import annotations

import http.client
import json

CHAT = "/v1/chat/completions"
KEY = "sk-benchmark"
TIMEOUT_S = 30.0
DIGITS = 8
"""A prompt ends in its number, written with so many digits, so that all have one length."""

PLACE = "#" * DIGITS
"""What holds the place of the number."""

HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}


def body(prompt: str, *, stream: bool) -> bytes:
    """Return the body of a request with one message."""
    return json.dumps(
        {"model": "kimi-k3", "stream": stream, "messages": [{"role": "user", "content": prompt}]}
    ).encode()


def template(prompt: str, *, stream: bool) -> str:
    """Return the body of requests that differ in the number behind their prompt."""
    return body(f"{prompt} {PLACE}", stream=stream).decode()


def request(data: bytes, path: str = CHAT) -> bytes:
    """Return a whole request as it goes over the wire."""
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}Content-Length: {len(data)}\r\n\r\n"
    ).encode() + data


def numbered(body_template: str, path: str = CHAT) -> tuple[bytes, bytes]:
    """Return a request in two parts; between them goes a number of `DIGITS` digits."""
    before, _, after = request(body_template.encode(), path).partition(PLACE.encode())
    return before, after


def ask(port: int, data: bytes, path: str = CHAT) -> bytes:
    """Return the body of the answer to one request.

    Raises:
        OSError: no answer, or one of another status than 200.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", path, data, HEADERS)
        answer = connection.getresponse()
        found = answer.read()
    except http.client.HTTPException as error:
        raise OSError(f"no HTTP answer: {error!r}") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise OSError(f"status {answer.status}: {found[:200]!r}")
    return found
