"""Turns Python's http.client, of the standard library, into uses."""

from __future__ import annotations

import contextlib
import http.client
import time
from typing import Any
from urllib.parse import urlsplit

from told import KEY, URL, body, main, squeezed, streamed, whole

HEADERS = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
AT = urlsplit(URL)


def connected() -> http.client.HTTPConnection:
    return http.client.HTTPConnection(AT.hostname or "", AT.port, timeout=30)


def ask(
    connection: http.client.HTTPConnection, data: Any, **headers: str
) -> http.client.HTTPResponse:
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", AT.path, data, {**HEADERS, **more})
    return connection.getresponse()


def sent(data: Any, **headers: str) -> bytes:
    with contextlib.closing(connected()) as connection:
        return ask(connection, data, **headers).read()


def retry() -> dict[str, Any]:
    with contextlib.closing(connected()) as connection:
        answer = ask(connection, body())
        if answer.status == 429:
            answer.read()
            time.sleep(float(answer.headers["Retry-After"]))
            answer = ask(connection, body())
        return whole(answer.read())


def reuse() -> dict[str, Any]:
    with contextlib.closing(connected()) as connection:
        connection.connect()
        sock, texts = connection.sock, []
        for _ in range(2):
            texts.append(whole(ask(connection, body()).read())["text"])
        return {"texts": texts, "connections": 1 if connection.sock is sock else 2}


def http10() -> dict[str, Any]:
    class Old(http.client.HTTPConnection):
        _http_vsn, _http_vsn_str = 10, "HTTP/1.0"

    found: list[bytes] = []
    for stream in (False, True):
        with contextlib.closing(Old(AT.hostname or "", AT.port, timeout=30)) as connection:
            found.append(ask(connection, body(stream=stream)).read())
    return {**whole(found[0]), "stream_text": streamed(found[1])["text"]}


main({
    "plain": lambda: whole(sent(body())),
    "stream": lambda: streamed(sent(body(stream=True))),
    "retry": retry,
    "reuse": reuse,
    "http10": http10,
    "chunked": lambda: whole(sent(iter([body()[:20], body()[20:]]))),
    "compressed": lambda: whole(sent(squeezed(), Content_Encoding="gzip")),
})  # fmt: skip
