from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from k3mock.cli.main import main
from tests.cli.command import refused
from tests.project.readme import README
from tests.scenario.loading import saved
from tests.support import call, chat, profile_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAST = ("--tokenizer", "counter=splintr", "--port", "0")


@contextlib.contextmanager
def running(*flags: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `k3mock serve` and yield the process and the address of its ready line."""
    with subprocess.Popen(
        [sys.executable, "-m", "k3mock", "serve", *FAST, *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environ},
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            assert ready.startswith("k3mock listening on http://127.0.0.1:"), ready
            yield process, ready.split()[-1]
        finally:
            if process.poll() is None:
                process.kill()


def finished(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def failed(*flags: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "k3mock", *flags], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_it_serves_until_a_signal_and_ends_cleanly(number: signal.Signals) -> None:
    with running() as (process, address):
        assert chat(address, options="pace=instant", max_tokens=1).status == 200
        code, out, err = finished(process, number)
    assert (code, out) == (0, "")
    assert "profile    moonshot" in err
    assert "tokenizer  kimi_k3 (official ranks, splintr), accounting moonshot" in err
    assert f"base URL   {address}/v1" in err
    assert "POST /v1/chat/completions 200 generator complete" in err
    assert err.rstrip().endswith("k3mock stopped")
    assert "Traceback" not in err


def test_the_log_is_json_on_request_and_holds_no_key() -> None:
    with running("--log-format", "json") as (process, address):
        call(address, "/v1/models", key="sk-secret-4711")
        _, _, err = finished(process, signal.SIGTERM)
    [line] = [line for line in err.splitlines() if '"path"' in line]
    logged = json.loads(line)
    assert (logged["path"], logged["status"]) == ("/v1/models", 200)
    assert logged["outcome"]["end"] == "complete"
    assert "4711" not in err
    started = [json.loads(line) for line in err.splitlines()]
    assert started[0]["profile"].startswith("moonshot: ")
    assert started[-1] == {"note": "k3mock stopped"}


def test_the_log_of_requests_can_be_left_out() -> None:
    with running("--log-format", "off") as (process, address):
        call(address, "/v1/models")
        _, _, err = finished(process, signal.SIGTERM)
    assert "/v1/models" not in err
    assert err.startswith("k3mock ")
    assert err.rstrip().endswith("k3mock stopped")


def test_only_the_named_keys_are_accepted() -> None:
    with running("--api-key", "sk-a", "--api-key", "sk-b") as (_, address):
        assert call(address, "/v1/models", key="sk-b").status == 200
        refused = call(address, "/v1/models", key="sk-c")
        assert refused.error == {
            "message": "Incorrect API key provided",
            "type": "incorrect_api_key_error",
        }


def test_shipped_scenarios_and_files_are_served_and_read_again(tmp_path: Path) -> None:
    path = saved(tmp_path, "name: own\npriority: 1\nturns: [{when: {last: own}, reply: old}]")
    with running("hello", str(path), "--reload", "--pace", "instant") as (process, address):
        assert chat(address).headers["x-k3mock-source"] == "scenario:hello#1"
        assert chat(address, "own").message["content"] == "old"
        saved(tmp_path, "name: own\npriority: 1\nturns: [{when: {last: own}, reply: brand-new}]")
        deadline = time.monotonic() + 20
        while chat(address, "own").message["content"] == "old" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert chat(address, "own").message["content"] == "brand-new"
        _, _, err = finished(process, signal.SIGTERM)
    assert "the scenarios have changed: 2 loaded" in err


def test_warnings_about_scenarios_are_logged(tmp_path: Path) -> None:
    path = saved(tmp_path, "name: own\nturns: [{reply: a}, {reply: b}]")
    with running(str(path)) as (process, _):
        _, _, err = finished(process, signal.SIGTERM)
    assert f"{path}:2:21: warning: scenario 'own': turn 2 can never answer" in err


def test_a_broken_scenario_ends_with_status_1_and_every_error(tmp_path: Path) -> None:
    path = saved(tmp_path, "namee: own\nturns: [{rply: a}]")
    code, err = failed("serve", "--port", "0", str(path))
    assert code == 1
    assert f"{path}:1:1: error: unknown key 'namee'" in err
    assert f"{path}:2:10: error: unknown key 'rply'" in err


def test_settings_come_from_the_environment_and_flags_win() -> None:
    environ = {"K3MOCK_SEED": "7", "K3MOCK_CONTRACT": "off", "K3MOCK_PACE": "instant"}
    with running("--contract", "enforce", **environ) as (process, address):
        first = chat(address, "x", options="session=a")
        second = chat(address, "x", options="session=b")
        assert first.body == second.body
        assert chat(address, temperature=0).status == 400
        _, _, err = finished(process, signal.SIGTERM)
    assert "seed 7" in err


def test_a_port_in_use_ends_with_status_2_and_a_way_out() -> None:
    with running() as (_, address):
        port = address.rsplit(":", 1)[1]
        code, err = refused("serve", "--tokenizer", "counter=splintr", "--port", port)
    assert code == 2
    assert f"port {port} on 127.0.0.1 is in use by another program" in err
    assert "--port 0" in err


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        pytest.param(["--pace", "warp"], 2, "unknown pace 'warp'", id="pace"),
        pytest.param(["--profile", "moonshoot"], 1, "did you mean 'moonshot'?", id="profile"),
        pytest.param(["--profile", "none.yaml"], 1, "cannot be read", id="profile-file"),
        pytest.param(["--contract", "maybe"], 2, "'maybe' is not one of", id="contract"),
        pytest.param(["--tokenizer", "vocab=x"], 2, "did you mean 'vocabulary'?", id="tokenizer"),
        pytest.param(["--tokenizer", "vocabulary"], 2, "takes key=value", id="tokenizer-pair"),
        pytest.param(
            ["--tokenizer", "vocabulary=klingon"], 1, "unknown vocabulary", id="vocabulary"
        ),
        pytest.param(["--ssl-certfile", "x.pem"], 2, "--ssl-keyfile", id="tls-half"),
        pytest.param(["--port", "99999"], 2, "0 to 65535", id="port"),
        pytest.param(["helo"], 1, "did you mean 'hello'?", id="scenario"),
        pytest.param(["no/such.yaml"], 1, "no such file or folder", id="scenario-file"),
        pytest.param(["--prot", "1"], 2, "No such option", id="unknown-flag"),
    ],
)
def test_a_mistake_is_one_message_without_a_traceback(
    flags: list[str], code: int, says: str
) -> None:
    got, err = refused("serve", "--port", "0", *flags)
    assert got == code
    assert says in err


def test_a_broken_profile_is_reported_with_its_place(tmp_path: Path) -> None:
    path = profile_file(tmp_path, "extends: moonshot\nlimits:\n  window_token: 5\n")
    code, err = refused("serve", "--port", "0", "--profile", path)
    assert code == 1
    assert f"{path}:3:3: unknown key 'window_token' in limits" in err
    assert "did you mean 'window_tokens'?" in err


def test_a_page_lists_every_flag_of_every_command() -> None:
    text = (README.parent / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in ("serve", "record", "replay", "check", "faults", "rules", "profiles", "tokens"):
        shown = CliRunner().invoke(main, [name, "--help"])
        flags = re.findall(r"^  (--[a-z-]+)", shown.stdout, re.MULTILINE)
        assert flags
        for flag in set(flags) - {"--help"}:
            assert f"\n  {flag}" in text, (name, flag)


def test_a_signal_while_a_body_is_read_ends_cleanly() -> None:
    with running() as (process, address):
        port = int(address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
            head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
            sock.sendall(head.encode())
            assert call(address, "/__k3mock__/health").status == 200
            code, _, err = finished(process, signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in err


def test_nobody_needs_to_read_what_it_prints() -> None:
    """Requests go on when the log's pipe is full, and when its reader has gone."""
    with running("--pace", "instant") as (process, address):
        for number in range(900):
            path = f"/v1/{number}/{'x' * 150}"
            assert call(address, path).status == 404
        assert process.stderr is not None
        process.stderr.close()
        assert call(address, "/v1/models").status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


def test_standard_output_may_be_closed() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = f"exec {sys.executable} -m k3mock serve {' '.join(FAST[:2])} --port {port} >&-"
    with subprocess.Popen(["bash", "-c", command], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            lines: list[str] = []
            while not any("journal" in line for line in lines):
                line = process.stderr.readline()
                assert line, lines
                lines.append(line)
            assert call(f"http://127.0.0.1:{port}", "/v1/models").status == 200
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=20)
            assert process.returncode == 0
            assert "Traceback" not in err
        finally:
            if process.poll() is None:
                process.kill()


def test_beyond_loopback_it_names_an_address_that_can_be_reached() -> None:
    with running("--host", "0.0.0.0") as (process, address):  # noqa: S104 - the point
        assert address.startswith("http://127.0.0.1:")
        assert call(address, "/__k3mock__/requests").status == 403
        _, _, err = finished(process, signal.SIGTERM)
    assert "journal    off on this address; --control-key KEY opens it" in err
