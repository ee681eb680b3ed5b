"""Turns a slow upstream, a bare relay and k3mock into figures: delay of a write, truth of a replay.

The upstream writes the time into every event. The same events are read directly, through a bare
relay of bytes and through `k3mock record`, at the same time, since machines stall. Then the
recording is replayed at speed 1 and each write is compared with its recorded time.

Usage: python benchmarks/recording.py [--streams 8] [--events 60] [--gap-ms 50]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n"
)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def upstream_client(reader, writer, events: int, gap_s: float) -> None:
    """Answer one request with events that hold the time of their write."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    writer.write(HEAD)
    for number in range(events):
        await asyncio.sleep(gap_s)
        delta = {"content": "word "} if number % 5 else {"reasoning_content": "thought "}
        if number % 11 == 10:
            delta = {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}
        event = {"t": time.monotonic_ns(), "choices": [{"index": 0, "delta": delta}]}
        writer.write(chunk(b"data: %s\n\n" % json.dumps(event).encode()))
        await writer.drain()
    writer.write(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    await writer.drain()
    writer.close()


async def relay_client(reader, writer, port: int) -> None:
    """Pass bytes both ways."""
    there, back = await asyncio.open_connection("127.0.0.1", port)

    async def pump(source, target) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await source.read(65_536):
                target.write(piece)
                await target.drain()
        target.close()

    await asyncio.gather(pump(reader, back), pump(there, writer))


def serve(client, ready) -> None:
    """Serve on a free port in this process, and say which."""

    async def run() -> None:
        server = await asyncio.start_server(client, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


def run_upstream(ready, events: int, gap_s: float) -> None:
    serve(lambda reader, writer: upstream_client(reader, writer, events, gap_s), ready)


def run_relay(ready, port: int) -> None:
    serve(lambda reader, writer: relay_client(reader, writer, port), ready)


def started(target, *given) -> tuple[multiprocessing.Process, int]:
    """Start a process that serves; return it and its port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=target, args=(theirs, *given), daemon=True)
    process.start()
    return process, ours.recv()


async def read(port: int, number: int) -> tuple[int, list[tuple[int, bytes]]]:
    """Send one request; return when it left, and each event with the time when it was seen."""
    body = json.dumps({"model": "kimi-k3", "stream": True, "messages": [
        {"role": "user", "content": f"stream {number}"}]}).encode()  # fmt: skip
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = time.monotonic_ns()
    writer.write(head.encode() + body)
    await reader.readuntil(b"\r\n\r\n")
    seen = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        data = await reader.readexactly(size + 2)
        seen.append((time.monotonic_ns(), data[:-2]))
    writer.close()
    return sent, seen


def delays_ms(answers) -> list[float]:
    """Return how long after the upstream's write each event was seen."""
    return [
        (at - json.loads(data[6:])["t"]) / 1e6
        for _, seen in answers
        for at, data in seen
        if b"[DONE]" not in data
    ]


def shown(values: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum."""
    ranked = sorted(values)
    return {
        "median": round(statistics.median(ranked), 3),
        "p95": round(ranked[int(len(ranked) * 0.95)], 3),
        "max": round(ranked[-1], 3),
    }


@contextlib.contextmanager
def k3mock(*flags: str):
    """Run a command of k3mock; yield its process and port."""
    command = [sys.executable, "-m", "k3mock", *flags, "--port", "0"]
    environ = {**os.environ, "K3MOCK_TOKENIZER": "counter=splintr"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
    ) as process:
        try:
            yield process, int(process.stdout.readline().rsplit(":", 1)[1])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


async def together(streams: int, *ports: int):
    """Read so many streams from each port at the same time."""
    reads = [[read(port, number) for number in range(streams)] for port in ports]
    found = await asyncio.gather(*(each for one in reads for each in one))
    return [found[at : at + streams] for at in range(0, len(found), streams)]


def deviations_ms(answers, cassette: Path) -> tuple[list[float], bool, bool]:
    """Return how far each replayed write is from its time, and whether writes and bytes agree."""
    from k3mock.cassette.format import load

    recorded = {json.loads(each.request.body)["messages"][0]["content"]: each
                for each in load(cassette).interactions}  # fmt: skip
    found, same_writes, same_bytes = [], True, True
    for number, (sent, seen) in enumerate(answers):
        interaction = recorded[f"stream {number}"]
        chunks = interaction.timing.chunks
        same_writes &= [size for _, size in chunks] == [len(data) for _, data in seen]
        same_bytes &= b"".join(data for _, data in seen) == interaction.response.body
        due = 0
        for (delta, _), (at, _) in zip(chunks, seen, strict=False):
            due += delta
            found.append(abs((at - sent) / 1e6 - due / 1e3))
    return found, same_writes, same_bytes


def measure(streams: int, events: int, gap_s: float) -> dict[str, object]:
    """Run everything once; return the figures."""
    upstream, port = started(run_upstream, events, gap_s)
    relay, relay_port = started(run_relay, port)
    with tempfile.TemporaryDirectory() as folder:
        cassette = Path(folder) / "tape.yaml"
        base = f"http://127.0.0.1:{port}/v1"
        with k3mock("record", "--upstream", base, "--cassette", str(cassette)) as (_, own_port):
            direct, bare, own = asyncio.run(together(streams, port, relay_port, own_port))
        with k3mock("replay", str(cassette)) as (_, replay_port):
            (replayed,) = asyncio.run(together(streams, replay_port))
        deviations, same_writes, same_bytes = deviations_ms(replayed, cassette)
    upstream.terminate()
    relay.terminate()
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        + platform.python_version(),
        "streams": streams,
        "events": events,
        "gap_ms": gap_s * 1000,
        "delay_ms": {
            "direct": shown(delays_ms(direct)),
            "bare_relay": shown(delays_ms(bare)),
            "k3mock_record": shown(delays_ms(own)),
        },
        "replay_off_by_ms": shown(deviations),
        "replay_same_writes": same_writes,
        "replay_same_bytes": same_bytes,
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--events", type=int, default=60)
    parser.add_argument("--gap-ms", type=float, default=50)
    given = parser.parse_args()
    print(json.dumps(measure(given.streams, given.events, given.gap_ms / 1000), indent=2))


if __name__ == "__main__":
    main()
