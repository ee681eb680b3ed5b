"""Cassettes of k3mock in the hands of stock vcrpy, and those of stock vcrpy in the hands of k3mock.

Nothing here may reach a network: what is replayed carries the address of the real endpoint, in
vcrpy's mode `none`. `K3MOCK_TEST_VCRPY` names the version that must be under test, for runs against
another one.
"""

from __future__ import annotations

import asyncio
import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx2
import openai
import pytest
import requests
import vcr

from k3mock.cassette.format import document, load, write
from k3mock.cassette.interaction import End
from k3mock.cassette.journal import find
from k3mock.cassette.store import Tape, journal_file
from tests.cassette.recordings import (
    BASE,
    URI,
    answered,
    asked,
    completion,
    event,
    recorded,
    stock,
    streamed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
MATCH = ["method", "scheme", "host", "port", "path", "query", "body"]
HEADERS = {"content-type": "application/json", "authorization": "Bearer sk-none"}


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A session of the usual kinds, recorded as the recorder does it, out of order."""
    path = tmp_path / "session.yaml"
    made = [
        answered(1, "plain"),
        recorded(2, "stream"),
        answered(3, "again", completion("first")),
        answered(4, "busy", b'{"error": {"message": "slow down", "type": "rate"}}', 429,
                 (("retry-after", "7"),)),
        answered(5, "again", completion("second")),
        recorded(6, "cut", [event("Hel")], end=End.UPSTREAM_ERROR),
    ]  # fmt: skip
    with Tape.open(path) as tape:
        for each in reversed(made):
            tape.append(each)
        assert tape.publish((), lambda _: [])
    return path


@contextmanager
def replaying(path: Path) -> Iterator[Any]:
    """Replay with stock vcrpy, which refuses everything that is not recorded."""
    own = vcr.VCR(match_on=MATCH, record_mode="none", serializer=path.suffix[1:])
    with own.use_cassette(str(path)) as cassette:
        yield cassette


def client() -> openai.OpenAI:
    return openai.OpenAI(base_url=BASE, api_key="sk-none", max_retries=0)


def _urllib(url: str, body: Any) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), HEADERS)  # noqa: S310
    with urllib.request.urlopen(request, timeout=9) as answer:  # noqa: S310
        read: bytes = answer.read()
        return read


def test_the_version_under_test_is_the_one_that_was_asked_for() -> None:
    version = vcr.__version__
    assert version == os.environ.get("K3MOCK_TEST_VCRPY", version)
    assert tuple(map(int, version.split("."))) >= (8, 2, 1)


def test_the_openai_sdk_gets_whole_answers_streams_repeats_and_errors(cassette: Path) -> None:
    with replaying(cassette) as tape, client() as sdk:
        create = sdk.chat.completions.create
        assert create(**asked("plain")).choices[0].message.content == "Hello 世界"
        words = [chunk.choices[0].delta.content for chunk in create(**asked("stream", stream=True))]
        assert words == ["Hel", "lo ", "世界"]
        answers = [create(**asked("again")).choices[0].message.content for _ in range(2)]
        assert answers == ["first", "second"]
        with pytest.raises(openai.RateLimitError) as caught:
            create(**asked("busy"))
        assert caught.value.response.headers["retry-after"] == "7"
        assert tape.play_count == 5


def test_the_asynchronous_openai_sdk_gets_answers_and_streams(cassette: Path) -> None:
    async def talk() -> tuple[str | None, list[str | None]]:
        async with openai.AsyncOpenAI(base_url=BASE, api_key="sk-none", max_retries=0) as sdk:
            whole = await sdk.chat.completions.create(**asked("plain"))
            stream = await sdk.chat.completions.create(**asked("stream", stream=True))
            words = [chunk.choices[0].delta.content async for chunk in stream]
            return whole.choices[0].message.content, words

    with replaying(cassette):
        assert asyncio.run(talk()) == ("Hello 世界", ["Hel", "lo ", "世界"])


def test_a_partial_stream_ends_silently_in_stock_vcrpy(cassette: Path) -> None:
    with replaying(cassette), client() as sdk:
        stream = sdk.chat.completions.create(**asked("cut", stream=True))
        assert [chunk.choices[0].delta.content for chunk in stream] == ["Hel"]


def test_requests_gets_the_bytes_of_a_stream(cassette: Path) -> None:
    with replaying(cassette):
        answer = requests.post(URI, json=asked("stream", stream=True), headers=HEADERS, timeout=9)
        assert answer.content == b"".join(streamed("Hel", "lo ", "世界"))
        busy = requests.post(URI, json=asked("busy"), headers=HEADERS, timeout=9)
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "7")


def test_urllib_gets_the_bytes_of_a_stream(cassette: Path) -> None:
    with replaying(cassette):
        assert _urllib(URI, asked("stream", stream=True)) == b"".join(
            streamed("Hel", "lo ", "世界")
        )
        assert _urllib(URI, asked("plain")) == completion("Hello 世界")


def test_aiohttp_gets_the_bytes_of_a_stream(cassette: Path) -> None:
    async def post(body: Any) -> bytes:
        async with aiohttp.ClientSession(headers=HEADERS) as session:
            async with session.post(URI, data=json.dumps(body)) as answer:
                return await answer.read()

    with replaying(cassette):
        body = asyncio.run(post(asked("stream", stream=True)))
        assert body == b"".join(streamed("Hel", "lo ", "世界"))


def test_json_cassettes_are_replayed_too(cassette: Path) -> None:
    path = cassette.with_suffix(".json")
    write(path, load(cassette).interactions)
    with replaying(path), client() as sdk:
        stream = sdk.chat.completions.create(**asked("stream", stream=True))
        assert [chunk.choices[0].delta.content for chunk in stream] == ["Hel", "lo ", "世界"]


SUITE = """
import urllib.request
import openai
import pytest
from vcr.errors import CannotOverwriteExistingCassetteException

@pytest.fixture(scope="module")
def vcr_config():
    return {"match_on": ["method", "host", "path", "body"]}

@pytest.mark.vcr("SESSION")
@pytest.mark.block_network
def test_stream():
    body = {"messages": [{"role": "user", "content": "stream"}], "model": "kimi-k3", "stream": True}
    with openai.OpenAI(base_url="BASE", api_key="sk-none", max_retries=0) as sdk:
        words = [chunk.choices[0].delta.content for chunk in sdk.chat.completions.create(**body)]
    assert words == ["Hel", "lo ", "世界"]

@pytest.mark.vcr("SESSION")
def test_nothing_else():
    body = {"messages": [{"role": "user", "content": "unknown"}], "model": "kimi-k3"}
    with openai.OpenAI(base_url="BASE", api_key="sk-none", max_retries=0) as sdk:
        with pytest.raises(CannotOverwriteExistingCassetteException):
            sdk.chat.completions.create(**body)

def test_the_network_is_blocked():
    with pytest.raises(RuntimeError, match="Network is disabled"):
        urllib.request.urlopen("http://127.0.0.1:9/")
"""


def test_pytest_recording_replays_with_the_network_blocked(
    pytester: pytest.Pytester, cassette: Path
) -> None:
    pytester.makepyfile(SUITE.replace("SESSION", str(cassette)).replace("BASE", BASE))
    result = pytester.runpytest_subprocess("--block-network", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3)


class _Upstream(http.server.BaseHTTPRequestHandler):
    """Answers with a stream, encoded as the path's first part says."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        encoding = self.path.split("/")[1]
        body = ENCODERS[encoding](STREAM)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        if encoding != "plain":
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


STREAM = b"".join(streamed("Hel", "lo ", "世界"))
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda body: body,
    "gzip": gzip.compress,
    "br": lambda body: bytes(pytest.importorskip("brotli").compress(body)),
    "zstd": lambda body: bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(body)),
}


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """An endpoint that compresses."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def _httpx2(url: str) -> None:
    with httpx2.Client() as sdk:
        sdk.post(url, json=asked("x", stream=True))


def _openai(url: str) -> None:
    base = url.removesuffix("/chat/completions")
    with openai.OpenAI(base_url=base, api_key="sk-none", max_retries=0) as sdk:
        list(sdk.chat.completions.create(**asked("x", stream=True)))


def _requests(url: str) -> None:
    requests.post(url, json=asked("x", stream=True), timeout=9)


def _aiohttp(url: str, **arguments: Any) -> None:
    async def post() -> None:
        async with aiohttp.ClientSession() as session, session.post(url, **arguments) as answer:
            await answer.read()

    asyncio.run(post())


CLIENTS: dict[str, Callable[[str], object]] = {
    "openai": _openai,
    "httpx2": _httpx2,
    "requests": _requests,
    "urllib": lambda url: _urllib(url, asked("x", stream=True)),
    "aiohttp data": lambda url: _aiohttp(url, data=json.dumps(asked("x", stream=True))),
    "aiohttp json": lambda url: _aiohttp(url, json=asked("x", stream=True)),
}


PAIRS = [(name, encoding) for name in CLIENTS for encoding in ENCODERS]


@pytest.mark.parametrize(
    ("name", "encoding"),
    # These clients hand the body to vcrpy only after they have decoded it, and cannot decode zstd.
    [pair for pair in PAIRS if pair[1] != "zstd" or pair[0] in {"httpx2", "requests", "urllib"}],
)
def test_what_stock_vcrpy_recorded_is_read_alike(
    tmp_path: Path, upstream: str, name: str, encoding: str
) -> None:
    ENCODERS[encoding](b"")
    path = tmp_path / "foreign.yaml"
    url = f"{upstream}/{encoding}/v1/chat/completions"
    with vcr.VCR(record_mode="once").use_cassette(str(path)):
        CLIENTS[name](url)
    cassette = load(path)
    (found,) = cassette.interactions
    assert cassette.warnings == ()
    assert found.timing is None
    assert (found.request.method, found.request.uri) == ("POST", url)
    assert json.loads(found.request.body) == asked("x", stream=True)
    assert (found.response.status, found.response.reason) == (200, "OK")
    assert found.response.body == STREAM
    headers = dict(found.response.headers)
    assert headers["content-type"] == "text/event-stream"
    assert "content-encoding" not in headers
    write(path, cassette.interactions)
    assert load(path) == cassette


def test_an_episode_that_stock_vcrpy_adds_leaves_the_times_alone(
    cassette: Path, upstream: str
) -> None:
    before = load(cassette)
    own = vcr.VCR(match_on=MATCH, record_mode="new_episodes")
    with own.use_cassette(str(cassette)), client() as sdk:
        sdk.chat.completions.create(**asked("plain"))
        _httpx2(f"{upstream}/plain/v1/chat/completions")
    after = load(cassette)
    assert after.warnings == ()
    assert after.interactions[:-1] == before.interactions
    assert after.interactions[-1].timing is None
    assert after.interactions[-1].response.body == STREAM


def test_a_recording_goes_on_where_stock_vcrpy_left_it(cassette: Path, upstream: str) -> None:
    own = vcr.VCR(match_on=MATCH, record_mode="new_episodes")
    with own.use_cassette(str(cassette)):
        _httpx2(f"{upstream}/gzip/v1/chat/completions")
    known = load(cassette)
    with Tape.open(cassette, known) as tape:
        assert tape.next_seq == 8
        tape.append(recorded(8, "later"))
        tape.publish(known.interactions, lambda _: [])
    found = load(cassette).interactions
    assert found[:-1] == known.interactions
    with replaying(cassette):
        _httpx2(f"{upstream}/gzip/v1/chat/completions")
        answer = requests.post(URI, json=asked("later", stream=True), headers=HEADERS, timeout=9)
        assert answer.status_code == 200


def test_a_joined_journal_is_what_stock_vcrpy_serializes(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    made = [recorded(1), answered(2, answer=b"\xff\x00\xfe" * 30), answered(3, answer=b"")]
    tape = Tape.open(path)
    for each in made:
        tape.append(each)
    raw = journal_file(path).read_bytes()
    texts = [raw[each.start : each.start + each.size].decode() for each in find(raw).records]
    assert texts == [document(each) for each in made] == [stock([each]) for each in made]
    tape.publish((), lambda _: [])
    tape.close()
    assert path.read_text("ascii") == stock(made)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", ["8.2.1", "9.0.0"])
def test_all_of_this_holds_for_an_older_vcrpy(tmp_path: Path, version: str) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    place = tmp_path / "older"
    fetched = subprocess.run(
        [*pip, str(place), f"vcrpy=={version}"], capture_output=True, text=True, check=False
    )
    if fetched.returncode:
        pytest.skip(f"vcrpy {version} cannot be had here: {fetched.stderr[-200:]}")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(place), str(ROOT)]),
        "K3MOCK_TEST_VCRPY": version,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/cassette"]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-4000:]
