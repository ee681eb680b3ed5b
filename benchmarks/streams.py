"""Turns a running server and N paced streams into figures: start-up, memory, lateness.

Usage: python benchmarks/streams.py [--streams 50] [--pace realistic]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def processor_s(pid: int) -> float:
    """Return the processor time that a process has used, in seconds (Linux)."""
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / TICKS


def memory_mb(pid: int, field: str) -> float:
    """Return VmRSS or VmHWM of a process, in MB (Linux)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


async def stream(port: int, number: int) -> float:
    """Read one stream to its end; return how long it took, in seconds."""
    body = json.dumps(
        {
            "model": "kimi-k3",
            "stream": True,
            "messages": [{"role": "user", "content": f"Tell me about topic {number}."}],
        }
    ).encode()
    head = (
        f"POST /with/session=bench/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer k\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    started = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.encode() + body)
    tail = b""
    while piece := await reader.read(65_536):
        tail = (tail + piece)[-200:]
    writer.close()
    if b"[DONE]" not in tail:
        raise SystemExit(f"stream {number} did not end: {tail!r}")
    return time.monotonic() - started


def measure(streams: int, pace: str) -> dict[str, object]:
    """Run a server and the streams; return the figures."""
    command = [
        sys.executable,
        "-m",
        "k3mock",
        "serve",
        "--port",
        "0",
        "--pace",
        pace,
        "--seed",
        "1",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            address = server.stdout.readline().split()[-1]
            ready_s = processor_s(server.pid)
            idle_mb = memory_mb(server.pid, "VmRSS")
            port = int(address.rsplit(":", 1)[1])

            async def all_streams() -> list[float]:
                return await asyncio.gather(*(stream(port, n) for n in range(streams)))

            before = processor_s(server.pid)
            walls = asyncio.run(all_streams())
            used = processor_s(server.pid) - before
            listed = urllib.request.urlopen(
                f"{address}/__k3mock__/requests?session=bench&limit=1000", timeout=30
            )
            entries = json.load(listed)["requests"]
            lateness = sorted(entry["outcome"]["lateness_ms"] for entry in entries)
            events = sum(entry["outcome"]["events"] for entry in entries)
            return {
                "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
                + platform.python_version(),
                "pace": pace,
                "streams": streams,
                "ended_complete": sum(e["outcome"]["end"] == "complete" for e in entries),
                "processor_s_until_ready": round(ready_s, 2),
                "memory_mb_idle": round(idle_mb),
                "memory_mb_peak": round(memory_mb(server.pid, "VmHWM")),
                "longest_stream_s": round(max(walls), 2),
                "worst_lateness_ms": {
                    "median": lateness[len(lateness) // 2],
                    "max": lateness[-1],
                },
                "events": events,
                "processor_us_per_event": round(used * 1e6 / max(1, events), 1),
            }
        finally:
            server.terminate()


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--pace", default="realistic")
    given = parser.parse_args()
    print(json.dumps(measure(given.streams, given.pace), indent=2))


if __name__ == "__main__":
    main()
