from __future__ import annotations

import gzip
import json
from io import BytesIO
from typing import Any

import pytest

from k3mock.cassette.interaction import RecordedRequest, RecordedResponse
from k3mock.cassette.normalise import interaction, replayable
from k3mock.cassette.problem import CassetteError

STREAM = b'data: {"a": 1}\n\ndata: [DONE]\n\n'


def item(**response: Any) -> dict[str, Any]:
    """One item of a cassette as stock vcrpy has it."""
    return {
        "request": {
            "method": "POST",
            "uri": "http://h/v1/chat/completions",
            "headers": {"Content-Type": ["application/json"]},
            "body": "{}",
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": ["text/event-stream"]},
            "body": {"string": STREAM.decode()},
            **response,
        },
    }


def asking(body: Any) -> bytes:
    """Read a request's body."""
    raw = item()
    raw["request"]["body"] = body
    found, warnings = interaction(raw, 1, "own.yaml")
    assert warnings == ()
    return found.request.body


def test_an_item_becomes_one_form() -> None:
    found, warnings = interaction(item(), 7, "own.yaml")
    assert warnings == ()
    assert found.number == 7
    assert found.timing is None
    assert found.request == RecordedRequest(
        method="POST",
        uri="http://h/v1/chat/completions",
        headers=(("content-type", "application/json"),),
        body=b"{}",
    )
    assert found.response == RecordedResponse(
        status=200, reason="OK", headers=(("content-type", "text/event-stream"),), body=STREAM
    )


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        pytest.param(None, b"", id="nothing"),
        pytest.param("世", "世".encode(), id="text"),
        pytest.param(b"\xff\x00", b"\xff\x00", id="binary"),
        pytest.param(BytesIO(b"file"), b"file", id="file"),
        pytest.param(iter([b"a", "b"]), b"ab", id="pieces"),
    ],
)
def test_a_request_body_may_be_anything_that_a_client_gave_vcrpy(stored: Any, body: bytes) -> None:
    assert asking(stored) == body


@pytest.mark.parametrize("stored", [{"model": "kimi-k3", "n": [1, None]}, [1, {"a": "世"}]])
def test_a_mapping_of_aiohttp_becomes_the_json_that_it_sent(stored: Any) -> None:
    assert asking(stored) == json.dumps(stored).encode()


@pytest.mark.parametrize(
    ("headers", "pairs"),
    [
        pytest.param({"A": ["1", "2"], "b": ["3"]}, (("a", "1"), ("a", "2"), ("b", "3")),
                     id="lists"),
        pytest.param({"A": "1"}, (("a", "1"),), id="plain"),
        pytest.param({"A": [b"\xe9"]}, (("a", "\xe9"),), id="binary"),
        pytest.param({"A": ("1",)}, (("a", "1"),), id="tuple"),
        pytest.param({"Content-Length": [12], "x": 1.5}, (("content-length", "12"), ("x", "1.5")),
                     id="numbers"),
        pytest.param(None, (), id="none"),
    ],
)  # fmt: skip
def test_headers_may_have_any_case_and_form(headers: Any, pairs: Any) -> None:
    assert interaction(item(headers=headers), 1, "f")[0].response.headers == pairs


def test_the_old_layout_of_httpx_is_read() -> None:
    raw = item()
    raw["response"] = {
        "http_version": "HTTP/1.1",
        "status_code": 429,
        "headers": {"content-encoding": ["gzip"]},
        "content": gzip.compress(b"{}"),
    }
    found, _ = interaction(raw, 1, "f")
    assert found.response == RecordedResponse(status=429, headers=(), body=b"{}")


@pytest.mark.parametrize("body", ["text", b"text"], ids=["text", "binary"])
def test_a_body_without_its_level_is_read(body: Any) -> None:
    assert interaction(item(body=body), 1, "f")[0].response.body == b"text"


def test_a_status_may_be_text_and_a_reason_missing() -> None:
    found, _ = interaction(item(status={"code": "503", "message": None}), 1, "f")
    assert (found.response.status, found.response.reason) == (503, "")
    found, _ = interaction(item(status={"code": 503, "message": b"No"}), 1, "f")
    assert found.response.reason == "No"


def test_a_compressed_body_is_decoded_and_its_headers_with_it() -> None:
    headers = {"Content-Encoding": ["gzip"], "Content-Length": ["9"], "X-A": ["1"]}
    raw = item(headers=headers, body={"string": gzip.compress(STREAM)})
    found, warnings = interaction(raw, 1, "f")
    assert warnings == ()
    assert found.response.body == STREAM
    assert found.response.headers == (("x-a", "1"),)


def test_a_lie_about_compression_is_dropped_and_a_true_length_kept() -> None:
    headers = {"Content-Encoding": ["gzip"], "Content-Length": [str(len(STREAM))]}
    found, warnings = interaction(item(headers=headers), 1, "f")
    assert warnings == ()
    assert found.response.body == STREAM
    assert found.response.headers == (("content-length", str(len(STREAM))),)


def test_what_cannot_be_decoded_keeps_its_header_and_is_warned_of() -> None:
    body = b"\xff\xfe\xfd" * 9
    found, warnings = interaction(
        item(headers={"content-encoding": ["gzip, lzma"]}, body={"string": body}), 1, "f"
    )
    assert found.response.body == body
    assert found.response.headers == (("content-encoding", "gzip, lzma"),)
    assert replayable(found.response.headers) == found.response.headers
    assert warnings == ("the content encoding 'lzma' is unknown; the body stays encoded",)


def test_headers_of_one_connection_are_not_sent_again() -> None:
    names = ("date", "server", "set-cookie", "content-length", "transfer-encoding", "connection")
    headers = (*((name, "x") for name in names), ("retry-after", "1"), ("x-a", "2"))
    assert replayable(headers) == (("retry-after", "1"), ("x-a", "2"))


def test_times_that_do_not_fit_the_body_are_warned_of() -> None:
    found, warnings = interaction(item(k3mock={"v": 1, "chunks": "5/3 5/4"}), 1, "f")
    assert found.timing is not None
    said = f"the recorded writes hold 7 bytes, the body {len(STREAM)}: "
    assert warnings == (f"{said}the body was edited or cut, and the recorded times are not used",)


def test_members_that_vcrpy_cannot_load_are_warned_of() -> None:
    raw = item()
    raw["request"]["k3mock"] = {}
    assert interaction(raw, 1, "f")[1] == ("request has members that vcrpy cannot load: k3mock",)


def _broken(change: str) -> Any:
    raw = item()
    request, response = raw["request"], raw["response"]
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    changes: dict[str, Any] = {
        "nothing": lambda: None,
        "no response": lambda: raw.pop("response"),
        "request is a list": lambda: raw.update(request=[1]),
        "no uri, no body": lambda: (request.pop("uri"), request.pop("body")),
        "uri is a number": lambda: request.update(uri=1),
        "method is nothing": lambda: request.update(method=None),
        "body is a date": lambda: request.update(body=1.5),
        "body is cyclic": lambda: request.update(body=cyclic),
        "half a pair": lambda: request.update(body="a\ud800"),
        "no status": lambda: response.pop("status"),
        "no code": lambda: response.update(status={"message": "OK"}),
        "code is true": lambda: response.update(status={"code": True}),
        "code is 99": lambda: response.update(status={"code": 99}),
        "code is a word": lambda: response.update(status={"code": "OK"}),
        "no string": lambda: response.update(body={"base64": "x"}),
        "headers are text": lambda: response.update(headers="a: b"),
        "header is a mapping": lambda: response.update(headers={"a": {"b": 1}}),
    }
    changes[change]()
    return None if change == "nothing" else raw


@pytest.mark.parametrize(
    ("change", "what", "found"),
    [
        ("nothing", "the interaction is no mapping", "'nothing'"),
        ("no response", "the interaction has no response", "['request']"),
        ("request is a list", "request is no mapping", "[1]"),
        ("no uri, no body", "request has no uri and no body", "['headers', 'method']"),
        ("uri is a number", "request.uri is no text", "1"),
        ("method is nothing", "request.method is no text", "'nothing'"),
        ("body is a date", "request.body is no body", "1.5"),
        ("body is cyclic", "request.body cannot be written as JSON", "'Circular"),
        ("half a pair", "request.body holds half of a surrogate pair", "'\\ud800'"),
        ("no status", "response has no status", "['body', 'headers']"),
        ("no code", "response.status has no code", "['message']"),
        ("code is true", "the status is no HTTP status", "True"),
        ("code is 99", "the status is no HTTP status", "99"),
        ("code is a word", "the status is no HTTP status", "'OK'"),
        ("no string", "response.body has no string", "['base64']"),
        ("headers are text", "response.headers is no mapping", "'a: b'"),
        ("header is a mapping", "response.headers.a is no text", "{'b': 1}"),
    ],
)
def test_what_is_missing_or_wrong_is_said_with_file_and_number(
    change: str, what: str, found: str
) -> None:
    with pytest.raises(CassetteError) as caught:
        interaction(_broken(change), 3, "own.yaml")
    assert caught.value.what == what
    assert caught.value.where == "own.yaml: interaction 3"
    assert str(caught.value.found).startswith(found)
    assert caught.value.hint == "record this interaction again, or remove it from the file"
