"""Turns the command `k3mock record` loose between real clients and a raw upstream."""

from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import gzip
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import openai
import pytest

from k3mock.cassette.format import load
from k3mock.cassette.interaction import (
    End,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from k3mock.cassette.store import journal_file, recover
from k3mock.redaction.scan import scan
from tests.cli.command import refused
from tests.recorder.test_relay import eventually
from tests.recorder.upstream import (
    END,
    FakeUpstream,
    Hold,
    Say,
    chunk,
    event,
    head,
    kimi,
    streamed,
    whole,
)
from tests.support import CHAT, call, chat, request, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.recorder.upstream import Seen

KEY = "sk-Canary0001canary0001"


@contextlib.contextmanager
def recording(
    *flags: str, command: str = "record", err: int = subprocess.PIPE, **more: Any
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `k3mock record` and yield the process and the address of its ready line."""
    with subprocess.Popen(
        [sys.executable, "-m", "k3mock", command, "--port", "0", *flags],
        stdout=subprocess.PIPE, stderr=err, text=True,
        env={**os.environ, "K3MOCK_TOKENIZER": "counter=splintr"}, **more,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            assert ready.startswith("k3mock listening on http://127.0.0.1:"), ready
            yield process, ready.split()[-1]
        finally:
            if process.poll() is None:
                process.kill()


def stopped(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str]:
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert "Traceback" not in (err or "")
    return process.returncode, err


def failed(*flags: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "k3mock", *flags], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def said(client: openai.OpenAI, content: str = "Wie ist das Wetter?") -> list[Any]:
    """Return the deltas of a streamed answer."""
    stream = client.chat.completions.create(
        model="kimi-k3", messages=[{"role": "user", "content": content}], stream=True
    )
    return [piece.model_dump() for piece in stream]


def test_an_sdk_streams_live_ctrl_c_publishes_and_the_replay_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "weather.yaml"
    events, gate = kimi(), threading.Event()
    acts = [*streamed(events[:-1], end=False), Say(chunk(events[-1]), gate), Hold()]
    with FakeUpstream(lambda _: acts) as upstream:
        with recording("--upstream", upstream.url, "--cassette", str(path)) as (process, address):
            with openai.OpenAI(base_url=f"{address}/v1", api_key=KEY, max_retries=0) as client:
                stream = client.chat.completions.create(
                    model="kimi-k3", messages=[{"role": "user", "content": "Wetter?"}], stream=True
                )
                live = [next(iter(stream)).model_dump()]
                assert not gate.is_set()
                gate.set()
                live += [piece.model_dump() for piece in stream]
            eventually(upstream.seen[0].left.is_set)
            code, err = stopped(process)
    assert code == 0
    assert f"recording  {upstream.url} into {path}, mode once" in err
    assert "1 interaction recorded, " in err
    assert "POST /v1/chat/completions 200 complete" in err
    assert f"{path}: 1 interaction recorded" in err
    assert err.rstrip().endswith("k3mock stopped")
    assert KEY not in err + path.read_text(encoding="utf-8")
    assert upstream.seen[0].header("authorization") == f"Bearer {KEY}"
    [interaction] = load(path).interactions
    assert interaction.whole
    assert interaction.timing is not None
    assert [size for _, size in interaction.timing.chunks] == [len(each) for each in events]
    with serving(cassettes=(str(path),), pace="recorded") as server:
        with openai.OpenAI(base_url=server.base_url, api_key="sk-else", max_retries=0) as client:
            assert said(client, "Wetter?") == live


def test_sigterm_publishes_too_and_cut_streams_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    def script(seen: Seen) -> Any:
        return streamed(kimi()) if b"whole" in seen.body else [
            *streamed(kimi()[:3], end=False), Hold()]  # fmt: skip

    with FakeUpstream(script) as upstream:
        with recording("--upstream", upstream.url, "--cassette", str(path)) as (process, address):
            assert chat(address, "whole", stream=True).events[-1] == "[DONE]"
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                cut = pool.submit(chat, address, "cut", stream=True)
                eventually(lambda: len(upstream.seen) == 2)
                eventually(lambda: b"wants" in (journal_file(path).read_bytes()))
                code, err = stopped(process, signal.SIGTERM)
                assert cut.exception() is not None
    assert code == 0
    first, second = load(path).interactions
    assert first.whole
    assert second.timing is not None
    assert second.timing.end is End.CLIENT_DISCONNECT
    assert f"{path}: 2 interactions recorded" in err


def test_a_kill_during_twenty_streams_loses_none_that_had_ended(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    def script(seen: Seen) -> Any:
        number = int(seen.json["messages"][0]["content"])
        pieces = [event({"number": number}), *kimi()]
        if number % 5 < 2:
            return streamed(pieces)
        return [*streamed(pieces[:3], end=False), Hold()]

    with FakeUpstream(script) as upstream:
        with recording("--upstream", upstream.url, "--cassette", str(path)) as (process, address):
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                answers = [pool.submit(chat, address, str(n), stream=True) for n in range(20)]
                eventually(lambda: sum(each.done() for each in answers) == 8)
                eventually(
                    lambda: journal_file(path).read_bytes().count(b"# k3mock journal=1 seq=") == 8
                )
                process.kill()
                process.wait(20)
            whole_ones = {n for n, each in enumerate(answers) if each.exception() is None}
            assert whole_ones == {n for n in range(20) if n % 5 < 2}
            assert not path.exists()
            code, err = failed("record", "--upstream", upstream.url, "--cassette", str(path))
    assert code == 1
    assert "a recording of this cassette was not finished" in err
    recovered = recover(path)
    assert (recovered.interactions, recovered.damaged) == (8, 0)
    found = load(path).interactions
    asked = [int(json.loads(each.request.body)["messages"][0]["content"]) for each in found]
    assert set(asked) == whole_ones
    assert all(each.response.body.endswith(b"data: [DONE]\n\n") for each in found)


def test_a_full_disk_is_told_and_serving_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))

    with FakeUpstream(lambda seen: whole(b"x" * len(seen.body))) as upstream:
        flags = ("--upstream", upstream.url, "--cassette", str(path))
        with recording(*flags, preexec_fn=limit) as (process, address):
            assert chat(address, "small").status == 200
            assert len(chat(address, "y" * 3_000_000).body) > 3_000_000
            assert chat(address, "small again").status == 200
            code, err = stopped(process)
    assert code == 1
    assert "request 2 is not in the recording" in err
    assert "File too large" in err
    assert "2 interactions recorded, 1 not recorded" in err
    assert len(load(path).interactions) == 2


def test_a_secret_that_cannot_be_taken_out_ends_with_status_1(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    pieces = [event({"choices": [{"index": 0, "delta": {"content": part}}]})
              for part in (KEY[:9], KEY[9:])]  # fmt: skip
    with FakeUpstream(lambda _: streamed([*pieces, event("[DONE]")])) as upstream:
        with recording("--upstream", upstream.url, "--cassette", str(path)) as (process, address):
            assert call(address, CHAT, request(stream=True), key=KEY).status == 200
            code, err = stopped(process)
    assert code == 1
    assert "request 1 is not in the recording: choices[0].delta.content" in err
    assert "rule k" in err
    assert KEY not in err
    assert not path.exists()


def test_a_terminal_shows_a_live_line(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(ours, 65_536):
                shown.extend(piece)

    with FakeUpstream(lambda _: streamed(kimi())) as upstream:
        flags = ("--upstream", upstream.url, "--cassette", str(path))
        with recording(*flags, err=theirs) as (process, address):
            os.close(theirs)
            reader = threading.Thread(target=read)
            reader.start()
            chat(address, stream=True)
            eventually(lambda: b"\r\x1b[K1 interaction recorded, 2.4 kB, 0:0" in shown)
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
            reader.join(10)
    os.close(ours)
    assert f"{path}: 1 interaction recorded".encode() in shown
    assert shown.rstrip().endswith(b"k3mock stopped")


def test_serve_records_into_a_folder_by_name(tmp_path: Path) -> None:
    with FakeUpstream(lambda _: streamed(kimi())) as upstream:
        flags = ("--record", "once", "--upstream", upstream.url, "--cassette", str(tmp_path / "t"))
        with recording(*flags, "--pace", "instant", command="serve") as (process, address):
            path = f"{address}/with/cassette=login/v1"
            with openai.OpenAI(base_url=path, api_key=KEY, max_retries=0) as client:
                live = said(client)
                call(address, "/__k3mock__/reset", method="POST")
                assert said(client) == live
            code, err = stopped(process)
    assert code == 0
    assert len(upstream.seen) == 1
    assert "recorder:login.yaml#1 complete" in err
    assert "cassette:login.yaml#1 complete" in err
    assert load(tmp_path / "t" / "login.yaml").interactions[0].whole


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        pytest.param(["--cassette", "t.yaml"], 2, "a recording needs an upstream", id="upstream"),
        pytest.param(["--upstream", "http://h/v1"], 2, "needs one place to go to", id="cassette"),
        pytest.param(["--upstream", "h/v1", "--cassette", "t.yaml"], 2, "not a base URL", id="url"),
        pytest.param(["--upstream", "http://h", "--cassette", "/dev/null/t.yaml"], 2,
                     "the folder cannot be used", id="folder"),
        pytest.param(["--upstream", "http://h", "--cassette", "t.yaml", "--mode", "onse"], 2,
                     "is not one of", id="mode"),
        pytest.param(["--upstream", "http://h", "--cassette", "t.yaml", "--upstream-timeout", "-1"],
                     2, "--upstream-timeout", id="timeout"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_message_without_a_traceback(
    flags: list[str], code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    got, err = refused("record", "--port", "0", *flags)
    assert got == code, err
    assert says in err


def test_a_cassette_in_use_is_one_message(tmp_path: Path) -> None:
    path = str(tmp_path / "tape.yaml")
    with FakeUpstream(lambda _: []) as upstream:
        with recording("--upstream", upstream.url, "--cassette", path) as (process, _):
            code, err = refused("record", "--upstream", upstream.url, "--cassette", path)
            assert code == 1
            assert f"{path}: the cassette is being recorded or replayed by somebody else" in err
            assert f"process {process.pid} (recording)" in err
            assert stopped(process)[0] == 0


def canary(number: int) -> str:
    return f"Canary{number:04}canary{number:04}"


PLACES = {
    "authorization": 1, "api-key header": 2, "cookie": 3, "organization": 4, "project": 5,
    "query": 6, "user": 7, "metadata": 8, "safety identifier": 9, "prompt": 10,
    "tool arguments": 11, "set-cookie": 12, "org header": 13, "uid header": 14,
    "echo of the key": 15, "escaped": 16, "base64 0": 17, "base64 1": 18, "base64 2": 19,
    "percent": 20, "own header": 21, "gzip": 22, "error text": 23,
}  # fmt: skip


def planted() -> tuple[dict[str, Any], dict[str, str]]:
    """Return a body and headers with a canary in each place of a request."""
    key = {place: f"sk-{canary(number)}" for place, number in PLACES.items()}
    encoded = [base64.b64encode(b"!" * n + key[f"base64 {n}"].encode()).decode() for n in range(3)]
    packed = base64.b64encode(gzip.compress(key["gzip"].encode())).decode()
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in key["escaped"])
    percent = "".join(f"%{ord(sign):02x}" for sign in key["percent"])
    prompt = " ".join([f"my key is {key['prompt']}", escaped, *encoded, packed, percent])
    call = {"id": "c", "type": "function", "function": {
        "name": "f", "arguments": json.dumps({"key": key["tool arguments"]})}}  # fmt: skip
    body = request(
        prompt, user=key["user"], metadata={"id": key["metadata"]},
        safety_identifier=key["safety identifier"], stream=True,
        messages=[{"role": "user", "content": prompt}, {"role": "assistant", "tool_calls": [call]}],
    )  # fmt: skip
    headers = {
        "authorization": f"Bearer {key['authorization']}", "api-key": key["api-key header"],
        "cookie": f"sid={key['cookie']}", "openai-organization": key["organization"],
        "openai-project": key["project"], "x-own-secret": key["own header"],
    }  # fmt: skip
    return body, headers


def planted_answer(seen: Seen) -> list[Any]:
    key = {place: f"sk-{canary(number)}" for place, number in PLACES.items()}
    lines = [f"Set-Cookie: s={key['set-cookie']}", f"Msh-Org-Id: {key['org header']}",
             f"Msh-Uid: {key['uid header']}"]  # fmt: skip
    if b"refuse" in seen.body:
        text = f"bad key {key['error text']} of {key['org header']}"
        return whole(json.dumps({"error": {"message": text}}).encode(), "401 Unauthorized", *lines)
    told = [f"your key is {key['authorization']}", f" and {key['echo of the key']}"]
    start = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked", *lines)
    deltas = [event({"choices": [{"delta": {"content": text}}]}) for text in told]
    return [Say(start), *(Say(chunk(data)) for data in [*deltas, event("[DONE]")]), Say(END)]


def test_no_secret_reaches_the_disk_the_log_or_the_control_api(tmp_path: Path) -> None:
    tape = tmp_path / "tape.yaml"
    body, headers = planted()
    secret = f"sk-{canary(PLACES['query'])}"
    everything: list[bytes] = []
    with FakeUpstream(planted_answer) as upstream:
        flags = ("--upstream", upstream.url, "--cassette", str(tape))
        with recording(*flags) as (process, address):
            live = call(address, f"{CHAT}?key={secret}", body, headers=headers)
            assert canary(PLACES["authorization"]).encode() in live.body
            refused = call(address, CHAT, request("refuse"), headers=headers)
            assert canary(PLACES["error text"]).encode() in refused.body
            eventually(
                lambda: journal_file(tape).read_bytes().count(b"# k3mock journal=1 seq=") == 2
            )
            everything += [path.read_bytes() for path in tmp_path.iterdir()]
            everything.append(call(address, "/__k3mock__/requests").body)
            code, err = stopped(process)
    assert code == 0, err
    everything += [path.read_bytes() for path in tmp_path.iterdir()]
    everything.append(err.encode())
    for found in everything:
        for place, number in PLACES.items():
            assert canary(number).encode() not in found, place
    known = tuple(f"sk-{canary(number)}" for number in PLACES.values())
    assert scan(load(tape).interactions, known) == []


def test_the_scanner_finds_every_secret_where_nothing_was_taken_out() -> None:
    """The control of the test above: the same places, each looked for on its own."""
    body, headers = planted()
    secret = f"sk-{canary(PLACES['query'])}"
    answers = [planted_answer(_seen(text)) for text in (b"", b"refuse")]
    raw = b"".join(act.data for acts in answers for act in acts)
    request_ = RecordedRequest(
        method="POST", uri=f"http://h{CHAT}?key={secret}", headers=tuple(headers.items()),
        body=json.dumps(body).encode(),
    )  # fmt: skip
    lines = [line.partition(": ") for line in raw.decode().split("\r\n")]
    shown = tuple((name.lower(), value) for name, found, value in lines
                  if found and " " not in name)  # fmt: skip
    response = RecordedResponse(status=200, headers=shown, body=raw)
    interaction = Interaction(number=1, request=request_, response=response)
    for place, number in PLACES.items():
        leaks = scan([interaction], (f"sk-{canary(number)}",))
        assert any(leak.rule == "known" for leak in leaks), place


def _seen(body: bytes) -> Any:
    class Asked:
        pass

    asked = Asked()
    asked.body = body  # type: ignore[attr-defined]
    return asked
