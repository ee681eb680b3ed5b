"""Turns wget's options into uses: one run of wget each."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from told import KEY, URL, FailedError, body, main, several, squeezed, streamed, whole

_CODES = {4: "network failure", 8: "server issued an error response"}


def wget(*options: str, data: bytes, times: int = 1) -> tuple[str, str]:
    """Run wget and return what it fetched and what it told."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "body.json"
        file.write_bytes(data)
        command = [
            "wget", "-nv", "-O", "-", f"--header=Authorization: Bearer {KEY}",
            "--header=Content-Type: application/json", f"--post-file={file}", *options,
            *[URL] * times,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    told = done.stderr.decode(errors="replace")
    if done.returncode and "--content-on-error" not in options:
        kind = _CODES.get(done.returncode, "error")
        last = [line for line in told.splitlines() if line.strip()][-1:]
        raise FailedError(f"exit {done.returncode}, {kind}", "".join(last))
    return done.stdout.decode(), told


def stream() -> dict[str, Any]:
    # It tries twenty times by itself; the seconds between them are left out.
    return streamed(wget("--waitretry=0", data=body(stream=True))[0])


def retry() -> dict[str, Any]:
    options = ("--tries=3", "--waitretry=1", "--retry-on-http-error=429")
    return whole(wget(*options, data=body())[0])


def reuse() -> dict[str, Any]:
    out, told = wget("-v", data=body(), times=2)
    return {"texts": several(out), "connections": told.count("Connecting to ")}


def squeeze() -> dict[str, Any]:
    return whole(wget("--header=Content-Encoding: gzip", "--content-on-error", data=squeezed())[0])


main({
    "plain": lambda: whole(wget(data=body())[0]),
    "stream": stream,
    "retry": retry,
    "reuse": reuse,
    "compressed": squeeze,
})  # fmt: skip
