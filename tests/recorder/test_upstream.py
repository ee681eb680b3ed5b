from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from k3mock.errors import SettingsError
from k3mock.options import behind_options
from k3mock.recorder.travel import back, onward
from k3mock.recorder.upstream import Upstream
from k3mock.settings import environment_proxy, from_sources
from tests.recorder.upstream import FakeUpstream, event, streamed, whole
from tests.support import chat

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.recorder.conftest import Studio

    Start = Callable[..., Studio]

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("base", "target", "address"),
    [
        ("https://h/v1", "/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/v1/", "/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h", "/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/", "/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/api/v3", "/v1/chat/completions", "https://h/api/v3/chat/completions"),
        ("https://h/proxy", "/v1/models?a=b", "https://h/proxy/models?a=b"),
        ("https://h/v1", "/v1?a=b", "https://h/v1?a=b"),
        ("https://h/v1", "/v1", "https://h/v1"),
        ("https://h/v1", "/v11/x", "https://h/v1/v11/x"),
        ("https://h/v1", "/chat/completions", "https://h/v1/chat/completions"),
        ("https://h", "/chat/completions", "https://h/chat/completions"),
        ("https://h:8443/v1", "/v1/a%2Fb%20c", "https://h:8443/v1/a%2Fb%20c"),
        ("http://[::1]:80/v1", "/v1/x", "http://[::1]:80/v1/x"),
    ],
)
def test_a_path_joins_the_upstream_as_sdks_join_it_to_a_base_url(
    base: str, target: str, address: str
) -> None:
    assert Upstream(base, timeout_s=1, ca=None, proxy=None).address(target) == address


def test_options_do_not_travel() -> None:
    assert behind_options("/with/session=a%2Fb;cassette=c/v1/x%20y") == "/v1/x%20y"
    assert behind_options("/v1/x") == "/v1/x"
    assert behind_options("/with/session=a") == "/"


def test_headers_of_the_hop_stay_here() -> None:
    pairs = (("host", "h"), ("connection", "X-Own, close"), ("x-own", "1"), ("accept", "*/*"),
             ("content-length", "3"), ("accept-encoding", "br"), ("x-k3mock", "session=a"),
             ("transfer-encoding", "chunked"), ("cookie", "a"), ("cookie", "b"))  # fmt: skip
    assert onward(pairs) == (
        ("accept", "*/*"), ("cookie", "a"), ("cookie", "b"), ("accept-encoding", "identity"),
    )  # fmt: skip
    answer = (("connection", "close"), ("content-encoding", "gzip"), ("content-length", "3"),
              ("vary", "a"), ("keep-alive", "timeout=5"))  # fmt: skip
    assert back(answer, decoded=True) == (("vary", "a"),)
    assert back(answer, decoded=False) == answer[1:4]


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({}, "https://h/v1", None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://h/v1", "http://p:1"),
        ({"https_proxy": "p:1"}, "https://h/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://h/v1", None),
        ({"ALL_PROXY": "http://p:2"}, "http://h/v1", "http://p:2"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "h"}, "https://u:p@h/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".own"}, "https://h.own:8443/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://h/v1", None),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], url: str, proxy: str | None
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert environment_proxy(url) == proxy


def test_a_proxy_is_asked_instead_of_the_upstream(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeUpstream(lambda _: whole(b'"from the proxy"')) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        running = studio([], upstream="http://upstream.invalid/v1")
        assert chat(running.server).body == b'"from the proxy"'
        assert proxy.seen[0].target == "http://upstream.invalid/v1/chat/completions"
    [interaction] = running.recorded()
    assert interaction.request.uri == "http://upstream.invalid/v1/chat/completions"


def test_every_setting_of_a_recording_can_come_from_the_environment(tmp_path: Path) -> None:
    environ = {
        "K3MOCK_RECORD": "all", "K3MOCK_UPSTREAM": "http://h/v1", "K3MOCK_CASSETTES": str(tmp_path),
        "K3MOCK_UPSTREAM_TIMEOUT": "2.5", "K3MOCK_MAX_BODY": "99", "K3MOCK_DRAIN": "yes",
        "K3MOCK_RECORD_ERRORS": "1", "K3MOCK_KEEP_MEDIA": "true", "K3MOCK_REDACT_CONTENT": "true",
        "K3MOCK_UPSTREAM_CA": "ca.pem", "K3MOCK_UPSTREAM_PROXY": "http://p",
    }  # fmt: skip
    found = from_sources({}, environ=environ)
    assert (found.record, found.upstream, found.cassettes) == (
        "all",
        "http://h/v1",
        (str(tmp_path),),
    )
    assert (found.upstream_timeout, found.max_body) == (2.5, 99)
    assert (found.drain, found.record_errors, found.keep_media, found.redact_content) == (True,) * 4
    assert (found.upstream_ca, found.upstream_proxy) == ("ca.pem", "http://p")


def test_a_variable_that_holds_no_number_is_named() -> None:
    with pytest.raises(SettingsError, match="K3MOCK_UPSTREAM_TIMEOUT is a number of seconds"):
        from_sources({}, environ={"K3MOCK_UPSTREAM_TIMEOUT": "soon"})


@pytest.mark.parametrize("trust", ["flag", "variable", "none"])
def test_a_tls_upstream_needs_certificates_that_are_trusted(
    studio: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trust: str
) -> None:
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
    if trust == "variable":
        monkeypatch.setenv("SSL_CERT_FILE", cert)
    with FakeUpstream(lambda _: whole(b'"safe"'), tls=(cert, key)) as upstream:
        running = studio([], upstream=upstream.url, upstream_ca=cert if trust == "flag" else None)
        answer = chat(running.server)
        running.stop()
    if trust == "none":
        assert answer.status == 502
        assert "CERTIFICATE_VERIFY_FAILED" in answer.error["message"]
    else:
        assert answer.body == b'"safe"'


def test_a_variable_that_names_no_certificates_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate", encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(broken))
    with pytest.raises(SettingsError, match="SSL_CERT_FILE: the certificates cannot be used"):
        Upstream("https://h/v1", timeout_s=1, ca=None, proxy=None)


def test_a_cassette_in_use_in_the_same_process_does_not_see_the_relays_own_request(
    tmp_path: Path,
) -> None:
    """In a process of its own: importing vcrpy wraps the clients of the whole process."""
    code = f"""
import vcr, httpx2
from tests.recorder.upstream import FakeUpstream, whole
from tests.support import serving
tape, users = {str(tmp_path / "tape.yaml")!r}, {str(tmp_path / "users.yaml")!r}
with FakeUpstream(lambda _: whole(b'"live"')) as upstream:
    with serving(record="once", upstream=upstream.url, cassettes=(tape,)) as server:
        with vcr.VCR(record_mode="all").use_cassette(users) as used:
            answer = httpx2.post(server.base_url + "/chat/completions", json={{}}, trust_env=False)
            assert answer.json() == "live"
        assert len(used) == 1, used.requests
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "127.0.0.1" in (tmp_path / "users.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "tape.yaml").exists()


def test_connections_are_used_again(studio: Start) -> None:
    running = studio(streamed([event("[DONE]")]))
    for _ in range(3):
        assert chat(running.server).status == 200
    assert len({seen.port for seen in running.seen}) == 1
