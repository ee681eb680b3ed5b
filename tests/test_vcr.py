"""`k3mock.vcr`: what vcrpy's users get."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx2
import pytest
import requests
import vcr as stock
from vcr.request import Request
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

import k3mock.vcr as ours
from k3mock.cassette import format as files
from k3mock.cassette.problem import CassetteError
from k3mock.redaction.leak import LeakError
from k3mock.redaction.rules import Rules
from tests.cassette.samples import STREAM, cassette, completion, interaction, sse
from tests.recorder.upstream import FakeUpstream, Say, head
from tests.support import request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.recorder.upstream import Act, Seen

KEY = "sk-client0123456789abcdefghij"
BODY = request("Hello?", user="jane@example.com")
HEADERS = {"Authorization": f"Bearer {KEY}", "X-Custom": "a-secret-of-this-client"}


def _httpx(url: str) -> bytes:
    return httpx2.post(url, json=BODY, headers=HEADERS, trust_env=False).content


def _requests(url: str) -> bytes:
    return requests.post(url, json=BODY, headers=HEADERS, timeout=10).content


def _urllib(url: str) -> bytes:
    headers = {**HEADERS, "Content-Type": "application/json"}
    asked = urllib.request.Request(url, json.dumps(BODY).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
        data: bytes = answer.read()
        zipped = answer.headers.get("content-encoding") == "gzip"
        return gzip.decompress(data) if zipped else data


def _aiohttp(url: str) -> bytes:
    async def post() -> bytes:
        async with aiohttp.ClientSession() as session:
            async with session.post(url, json=BODY, headers=HEADERS) as answer:
                return await answer.read()

    return asyncio.run(post())


CLIENTS: dict[str, Callable[[str], bytes]] = {
    "httpx": _httpx, "requests": _requests, "urllib": _urllib, "aiohttp": _aiohttp,
}  # fmt: skip


def answers(*, zipped: bool = False, content: str = "Hello.") -> Callable[[Seen], Sequence[Act]]:
    body = json.dumps(completion(content)).encode()
    lines = ["Content-Type: application/json", "Set-Cookie: session=0123456789abcdef",
             "Msh-Request-Id: 9f1c", "Msh-Org-Id: org-0123456789"]  # fmt: skip
    if zipped:
        body = gzip.compress(body)
        lines.append("Content-Encoding: gzip")
    return lambda _: [Say(head("200 OK", *lines, f"Content-Length: {len(body)}") + body)]


def configured(**more: Any) -> Any:
    """Return a VCR as a user sets it up."""
    recorder = stock.VCR(**{**ours.vcr_config(), **more})
    ours.register(recorder)
    return recorder


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_records_without_secrets_and_plays_again(
    tmp_path: Path, client: str, zipped: bool
) -> None:
    path = tmp_path / "a.yaml"
    call = CLIENTS[client]
    with FakeUpstream(answers(zipped=zipped)) as upstream:
        url = f"{upstream.url}/chat/completions"
        with configured().use_cassette(path):
            assert json.loads(call(url)) == completion()
        stored = path.read_bytes()
        for secret in (KEY, "a-secret-of", "jane@", "0123456789", "9f1c"):
            assert secret.encode() not in stored
        with configured(record_mode="none").use_cassette(path) as played:
            assert json.loads(call(url)) == completion()
            assert played.play_count == 1
    assert len(upstream.seen) == 1
    assert upstream.seen[0].json == BODY
    assert upstream.seen[0].header("authorization") == f"Bearer {KEY}"
    [found] = files.load(path).interactions
    assert {name for name, _ in found.request.headers} <= {"content-type", "accept"}
    assert found.response.headers == (
        ("content-type", "application/json"), ("msh-request-id", "k3mock-000000"),
    )  # fmt: skip
    assert json.loads(found.response.body) == completion()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_plays_what_another_one_recorded(tmp_path: Path, client: str) -> None:
    path = tmp_path / "a.yaml"
    with FakeUpstream(answers()) as upstream:
        url = f"{upstream.url}/chat/completions"
        with configured().use_cassette(path):
            _aiohttp(url)
    with configured(record_mode="none").use_cassette(path):
        assert json.loads(CLIENTS[client](url)) == completion()


def test_a_recording_of_k3mock_keeps_its_times_when_vcrpy_adds_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with FakeUpstream(answers()) as upstream:
        url = f"{upstream.url}/chat/completions"
        files.write(path, [interaction(request("known"), STREAM, uri=url)])
        before = files.load(path).interactions[0]
        with configured(record_mode="new_episodes").use_cassette(path):
            assert httpx2.post(url, json=request("known"), trust_env=False).content == b"".join(
                STREAM
            )
            _httpx(url)
    kept, added = files.load(path).interactions
    assert kept == before
    assert added.timing is None


def test_times_follow_a_response_that_is_changed() -> None:
    leaking = interaction(answer=[b'{"a": "', KEY.encode(), b'"}'])
    [response] = _responses(leaking)
    clean = ours.vcr_config()["before_record_response"](response)
    assert clean["body"]["string"] == b'{"a": "[redacted]"}'
    assert clean["k3mock"] == {**response["k3mock"], "chunks": "10000/7 10000/10 10000/2"}
    again = ours.vcr_config()["before_record_response"](clean)
    assert again == clean


def _responses(*interactions: Any) -> list[dict[str, Any]]:
    text = b"".join(files.rendered(cassette([]).path, interactions)).decode()
    return list(deserialize(text, yamlserializer)[1])


def test_a_key_that_is_echoed_is_taken_out_of_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    odd = "swordfish-and-chips"
    with FakeUpstream(answers(content=f"You sent {odd} and a-secret-of-this-client.")) as upstream:
        config = ours.vcr_config(known=[odd])
        with configured(**config).use_cassette(path):
            _httpx(f"{upstream.url}/chat/completions")
    [found] = files.load(path).interactions
    assert b"You sent [redacted] and [redacted]." in found.response.body


def test_a_body_that_nobody_can_decode_keeps_its_encoding() -> None:
    odd = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Encoding": ["x-odd"]},
           "body": {"string": b"\xff\xfe"}}  # fmt: skip
    assert ours.vcr_config()["before_record_response"](odd) == {
        **odd, "headers": {"content-encoding": ["x-odd"]}
    }  # fmt: skip


def test_a_secret_in_pieces_is_not_recorded() -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text}}]} for text in (KEY[:9], KEY[9:])
    ]
    [response] = _responses(interaction(answer=sse(*chunks)))
    with pytest.raises(LeakError, match="spread over several events"):
        ours.vcr_config()["before_record_response"](response)


def test_rules_say_what_else_is_kept() -> None:
    hook = ours.vcr_config(Rules(request_headers=("x-custom",)))["before_record_request"]
    kept = hook(Request("POST", "http://h/?a=1", b"", {"X-Custom": "v", "Cookie": "c=1"}))
    assert (dict(kept.headers), kept.uri) == ({"x-custom": "v"}, "http://h/")


class _File:
    def read(self) -> bytes:
        return b'{"a": 1}'


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1}', '{"a":1.0}', {"a": 1, "b": None}, bytearray(b'{"a":1}'), _File(),
        iter([b'{"a":', b"1}"]), [b'{"a":', "1}"],
    ],
    ids=["bytes", "text", "mapping", "bytearray", "file", "iterator", "parts"],
)  # fmt: skip
def test_bodies_of_every_form_are_the_same(body: Any) -> None:
    one = Request("POST", "http://h/", body, {})
    ours.body_matcher(one, Request("POST", "http://h/", b'{"a": 1}', {}))
    hooked = ours.vcr_config()["before_record_request"](one)
    ours.body_matcher(hooked, Request("POST", "http://h/", b'{"a": 1}', {}))


def test_a_body_that_is_a_list_of_json_is_read() -> None:
    one = Request("POST", "http://h/", None, {})
    one.body = [{"a": 1}]
    ours.body_matcher(one, Request("POST", "http://h/", b'[{"a":1}]', {}))
    ours.body_matcher(Request("GET", "http://h/", None, {}), Request("GET", "http://h/", b"", {}))


def test_bodies_that_differ_are_told_apart_field_by_field() -> None:
    one = Request("POST", "http://h/", json.dumps(request("a")), {})
    with pytest.raises(AssertionError, match=r'value    body.messages\[0\].content: "b" → "a"'):
        ours.body_matcher(one, Request("POST", "http://h/", json.dumps(request("b")), {}))
    with pytest.raises(AssertionError, match="one of them is no JSON"):
        ours.body_matcher(one, Request("POST", "http://h/", b"{", {}))
    many = Request("POST", "http://h/", json.dumps(dict.fromkeys("abcdefghijklmn", 1)), {})
    with pytest.raises(AssertionError, match="and 4 more"):
        ours.body_matcher(many, Request("POST", "http://h/", b"{}", {}))


def test_a_file_that_was_cut_off_is_not_taken_for_a_shorter_one(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    files.write(path, [interaction(), interaction(request("b"), number=2)])
    path.write_bytes(path.read_bytes().removesuffix(b"version: 1\n"))
    with pytest.raises(CassetteError, match="cut off"):
        with configured(record_mode="new_episodes").use_cassette(path):
            pass


def test_a_secret_is_never_saved_and_the_file_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    files.write(path, [interaction()])
    before = path.read_bytes()
    plain = stock.VCR(record_mode="new_episodes", match_on=["uri", "body"])
    plain.register_persister(ours.persister)
    with FakeUpstream(answers()) as upstream:
        with pytest.raises(CassetteError, match="holds what must not be kept") as told:
            with plain.use_cassette(path):
                _httpx(f"{upstream.url}/chat/completions")
    assert KEY not in str(told.value)
    assert "authorization: header" in str(told.value)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]


def test_k3mock_alone_does_not_load_vcrpy() -> None:
    code = "import sys, k3mock, k3mock.pytest_plugin; sys.exit('vcr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


CONFTEST = """
import pytest
from k3mock import vcr as k3mock_vcr
from k3mock.vcr import pytest_recording_configure

@pytest.fixture(scope="session")
def vcr_config():
    return k3mock_vcr.vcr_config()
"""

SUITE = """
import asyncio, aiohttp, pytest

@pytest.mark.vcr
def test_chat():
    async def post():
        async with aiohttp.ClientSession() as session:
            headers = {{"Authorization": "Bearer {key}"}}
            async with session.post("{url}", json={body}, headers=headers) as answer:
                return (await answer.json())["choices"][0]["message"]["content"]
    assert asyncio.run(post()) == "Hello."
"""


def test_a_suite_with_pytest_recording_records_once_and_replays_without_network(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(CONFTEST)
    with FakeUpstream(answers(zipped=True)) as upstream:
        url = f"{upstream.url}/chat/completions"
        pytester.makepyfile(test_suite=SUITE.format(key=KEY, url=url, body=BODY))
        pytester.runpytest_subprocess("--record-mode=once").assert_outcomes(passed=1)
    assert len(upstream.seen) == 1
    [path] = pytester.path.rglob("test_chat.yaml")
    assert KEY.encode() not in path.read_bytes()
    assert files.load(path).warnings == ()
    pytester.runpytest_subprocess("--block-network").assert_outcomes(passed=1)
    path.write_bytes(path.read_bytes()[:-20])
    pytester.runpytest_subprocess("--block-network").assert_outcomes(errors=1)
