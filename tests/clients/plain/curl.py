"""Turns curl's options into uses: one run of curl each, as people type it."""

from __future__ import annotations

import re
import subprocess
import tempfile
from typing import Any

from told import KEY, URL, FailedError, body, main, several, squeezed, streamed, whole

_CODES = {7: "cannot connect", 18: "partial file", 52: "empty reply", 56: "receive error"}


def curl(*options: str, data: bytes, times: int = 1) -> tuple[str, str]:
    """Run curl and return what it printed and what it told of its connections."""
    headers = ["-H", f"Authorization: Bearer {KEY}", "-H", "Content-Type: application/json"]
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        one = [*headers, *options, "--data-binary", f"@{file.name}", URL]
        command = ["curl", "-sS", "-v", *one]
        for _ in range(times - 1):
            command += ["--next", "-sS", *one]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    told = done.stderr.decode(errors="replace")
    if done.returncode:
        said = re.findall(r"^curl: \(\d+\) (.*)$", told, re.MULTILINE)
        kind = _CODES.get(done.returncode, f"exit {done.returncode}")
        raise FailedError(f"exit {done.returncode}, {kind}", said[-1] if said else "")
    return done.stdout.decode(), told


def retry() -> dict[str, Any]:
    return whole(curl("--retry", "3", "--fail", data=body())[0])


def reuse() -> dict[str, Any]:
    out, told = curl(data=body(), times=2)
    return {"texts": several(out), "connections": told.count("Connected to ")}


def http10() -> dict[str, Any]:
    saw = whole(curl("--http1.0", data=body())[0])
    saw["stream_text"] = streamed(curl("--http1.0", "-N", data=body(stream=True))[0])["text"]
    return saw


def expect() -> dict[str, Any]:
    out, told = curl("-H", "Expect: 100-continue", data=body())
    return {**whole(out), "continued": "HTTP/1.1 100 Continue" in told}


def squeeze() -> dict[str, Any]:
    return whole(curl("-H", "Content-Encoding: gzip", data=squeezed())[0])


main({
    "plain": lambda: whole(curl(data=body())[0]),
    "stream": lambda: streamed(curl("-N", data=body(stream=True))[0]),
    "retry": retry,
    "reuse": reuse,
    "http10": http10,
    "expect": expect,
    "chunked": lambda: whole(curl("-H", "Transfer-Encoding: chunked", data=body())[0]),
    "compressed": squeeze,
})  # fmt: skip
