from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest

from k3mock.errors import PortError, SettingsError, StartError
from k3mock.serving import MockServer, address_of, bind
from k3mock.settings import Settings
from tests.support import CHAT, chat, serving

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"counter": "splintr"}


def test_a_free_port_is_picked_and_named() -> None:
    with serving() as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert server.base_url == f"{server.address}/v1"
        assert not server.address.endswith(":0")
        assert chat(server, max_tokens=1).status == 200


def test_a_port_in_use_is_one_clear_message() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortError) as caught:
            MockServer(Settings(port=port, tokenizer=FAST)).start()
    text = str(caught.value)
    assert f"port {port} on 127.0.0.1 is in use" in text
    assert "--port 0" in text


def test_an_unknown_address_is_one_clear_message() -> None:
    with pytest.raises(PortError, match="is not known"):
        bind("no-such-host.invalid", 0)
    with pytest.raises(PortError, match="cannot listen on"):
        bind("192.0.2.1", 0)


def test_an_ipv6_address_stands_in_brackets() -> None:
    try:
        sock = bind("::1", 0)
    except PortError:
        pytest.skip("this machine has no IPv6 loopback")
    with sock:
        assert address_of(sock, Settings(host="::1")).startswith("http://[::1]:")


def test_stopping_cuts_running_streams_and_frees_the_port() -> None:
    with serving(pace="1") as server:
        received: list[bytes] = []
        port = int(server.address.rsplit(":", 1)[1])
        reader = threading.Thread(target=_read_stream, args=(port, received))
        reader.start()
        deadline = time.monotonic() + 10
        while not received and time.monotonic() < deadline:
            time.sleep(0.005)
        started = time.monotonic()
    reader.join(10)
    assert not reader.is_alive()
    assert time.monotonic() - started < 5
    assert b"[DONE]" not in b"".join(received)
    bind("127.0.0.1", port).close()


def _read_stream(port: int, received: list[bytes]) -> None:
    body = b'{"model":"kimi-k3","stream":true,"messages":[{"role":"user","content":"long"}]}'
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: "
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
        while piece := sock.recv(65_536):
            received.append(piece)


def test_an_idle_server_stops_at_once() -> None:
    """A suite that starts a server for each test does not wait for their ends."""
    taken: list[float] = []
    with serving() as server, socket.create_connection(_address(server)) as idle:
        for _ in range(5):
            with serving() as own:
                assert chat(own, max_tokens=1).status == 200
                started = time.monotonic()
            taken.append(time.monotonic() - started)
        server.stop()
        assert idle.recv(1) == b""
        server.stop()
    assert min(taken) < 0.09


def test_a_server_that_is_not_done_in_a_moment_is_given_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("k3mock.serving._MOMENTS", 0)
    with serving() as server, socket.create_connection(_address(server)) as idle:
        assert chat(server, max_tokens=1).status == 200
        server.stop()
        assert idle.recv(1) == b""
    bind(*_address(server)).close()


def _address(server: MockServer) -> tuple[str, int]:
    return "127.0.0.1", int(server.address.rsplit(":", 1)[1])


def test_a_server_that_was_not_started_has_no_app() -> None:
    with pytest.raises(StartError, match="not running"):
        _ = MockServer(Settings()).app


def test_a_server_that_fails_to_come_up_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        text = "planted"
        raise OSError(text)

    monkeypatch.setattr("k3mock.serving._Server.serve", broken)
    with pytest.raises(StartError, match="planted"):
        MockServer(Settings(port=0, tokenizer=FAST)).start()


def test_tls_files_that_cannot_be_used_are_one_clear_message(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pem")
    with pytest.raises(SettingsError, match="certificate or key cannot be used"):
        MockServer(Settings(port=0, tokenizer=FAST, ssl_certfile=missing, ssl_keyfile=missing)
                   ).start()  # fmt: skip


def test_tls_is_served_with_a_certificate(tmp_path: Path) -> None:
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    try:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
             "-out", cert],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("no openssl program to make a certificate with")
    with serving(ssl_certfile=cert, ssl_keyfile=key) as server:
        assert server.address.startswith("https://")
        trusted = ssl.create_default_context(cafile=cert)
        health = f"{server.address}/__k3mock__/health"
        with urllib.request.urlopen(health, context=trusted, timeout=10) as answer:  # noqa: S310 - loopback
            assert answer.status == 200
