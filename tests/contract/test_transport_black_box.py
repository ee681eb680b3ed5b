"""What is refused before a body is understood: keys, sizes, bytes, paths and methods."""

from __future__ import annotations

import http.client
import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.contract.black_box import (
    PREFIX,
    assert_accepted,
    assert_refused,
    body,
    entries,
    marks,
    post,
)
from tests.support import CHAT, KEY, Answer, call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

MISSING = {"message": "Invalid Authentication", "type": "invalid_authentication_error"}
UNKNOWN_KEY = {"message": "Incorrect API key provided", "type": "incorrect_api_key_error"}
TOO_LARGE = {"message": "Request exceeds the maximum size", "type": "invalid_request_error"}
SMALL = {"limits": {"body_bytes": 64}}
VALID = json.dumps(body()).encode()


def exchange(server: MockServer, head: Iterable[str], body_bytes: bytes = b"") -> Answer:
    """Send header lines and bytes as they are, and read one answer."""
    address = urlsplit(server.address)
    with socket.create_connection((address.hostname, address.port or 80), timeout=10) as sock:
        lines = ["Host: 127.0.0.1", f"Authorization: Bearer {KEY}", *head, "", ""]
        sock.sendall(f"POST {CHAT} HTTP/1.1\r\n".encode() + "\r\n".join(lines).encode())
        if body_bytes:
            sock.sendall(body_bytes)
        response = http.client.HTTPResponse(sock, method="POST")
        response.begin()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(None, id="absent"),
        pytest.param("", id="empty"),
        pytest.param("Bearer", id="scheme-alone"),
        pytest.param("Bearer ", id="no-key"),
        pytest.param("Basic c2stdGVzdDo=", id="basic"),
        pytest.param("Token sk-test", id="token"),
        pytest.param("sk-test", id="bare-key"),
        pytest.param("Bearersk-test", id="no-space"),
        pytest.param("Key Bearer sk-test", id="scheme-second"),
    ],
)
@pytest.mark.parametrize("keys", [(), ("sk-test",)], ids=["any-key", "named-keys"])
def test_a_missing_or_malformed_key_is_refused_whatever_keys_are_good(
    header: str | None, keys: tuple[str, ...], worlds: Worlds, moonshot: Profile
) -> None:
    """The documentation's 401; its raw body is quoted in issue threads."""
    assert marks(moonshot, "auth.missing") == "D"
    headers = {} if header is None else {"authorization": header}
    answer = call(worlds(None, keys), CHAT, body(), headers=headers, key=None)
    assert_refused(answer, "auth.missing", MISSING, status=401)


@pytest.mark.parametrize("key", ["sk-other", "sk-tes", "sk-test2", "SK-TEST", "schlüssel"])
def test_a_key_that_is_none_of_the_good_ones_is_refused(
    key: str, worlds: Worlds, moonshot: Profile
) -> None:
    """The documentation's other 401; the key itself never shows."""
    assert marks(moonshot, "auth.unknown_key") == "D"
    answer = call(worlds(None, ("sk-test",)), CHAT, body(), key=key)
    assert_refused(answer, "auth.unknown_key", UNKNOWN_KEY, status=401)
    assert key.encode() not in answer.body


@pytest.mark.parametrize("header", ["Bearer sk-test", "bearer sk-test", "Bearer   sk-test"])
@pytest.mark.parametrize("keys", [(), ("sk-first", "sk-test")], ids=["any-key", "named-keys"])
def test_a_good_key_is_let_through(header: str, keys: tuple[str, ...], worlds: Worlds) -> None:
    headers = {"authorization": header}
    answer = call(worlds(None, keys), CHAT, body(), headers=headers, key=None)
    assert_accepted(answer)


def test_the_list_of_models_needs_a_key_too(worlds: Worlds) -> None:
    answer = call(worlds(None, ("sk-test",)), "/v1/models", key="sk-other")
    assert_refused(answer, "auth.unknown_key", UNKNOWN_KEY, status=401)
    assert_refused(call(worlds(), "/v1/models", key=None), "auth.missing", MISSING, status=401)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        pytest.param(b" ", "the request body is empty", id="space"),
        pytest.param(b"\r\n\t ", "the request body is empty", id="white-space"),
        pytest.param(
            b"\xef\xbb\xbf" + VALID,
            "the request body starts with a byte order mark",
            id="byte-order-mark",
        ),
        pytest.param(b'{"a":"\xff"}', "the request body is not valid UTF-8 (byte 6)", id="no-utf8"),
        pytest.param(
            b'{"a":"\xed\xa0\x80"}',
            "the request body is not valid UTF-8 (byte 6)",
            id="utf8-of-half-a-pair",
        ),
        pytest.param(b'{"a":NaN}', "NaN is not a JSON number", id="nan"),
        pytest.param(b'{"a":Infinity}', "Infinity is not a JSON number", id="infinity"),
        pytest.param(b'{"a":-Infinity}', "-Infinity is not a JSON number", id="minus-infinity"),
        pytest.param(b'{"a":1e999}', "the number 1e999 is out of range", id="1e999"),
        pytest.param(b'{"a":-1e999}', "the number -1e999 is out of range", id="-1e999"),
        pytest.param(
            b'{"a":' + b"9" * 400 + b"}",
            f"the number {'9' * 40} is out of range",
            id="400-digits",
        ),
        pytest.param(
            b"{",
            "malformed JSON at line 1 column 2",
            id="open-brace",
        ),
        pytest.param(
            b"{\n  'a': 1}",
            "malformed JSON at line 2 column 3",
            id="single-quotes",
        ),
        pytest.param(b'{"a" 1}', "malformed JSON at line 1 column 6", id="no-colon"),
        pytest.param(b"{}{}", "malformed JSON at line 1 column 3", id="two-objects"),
        pytest.param(b"model=kimi-k3", "malformed JSON at line 1 column 1", id="a-form"),
        pytest.param(
            b'{"a":' + b"[" * 200 + b"]" * 200 + b"}",
            "the JSON body is nested more than 200 levels deep",
            id="201-levels",
        ),
        pytest.param(
            b'{"a":' * 100_000, "the JSON body is nested more than 200 levels deep", id="bomb"
        ),
    ],
)
def test_bytes_that_are_no_json_are_refused(
    sent: bytes, problem: str, server: MockServer, moonshot: Profile
) -> None:
    """The vendor's text is not known; the house's names the one reason."""
    assert marks(moonshot, "body.json") == "I"
    error = {"message": f"{PREFIX}{problem}", "type": "invalid_request_error"}
    assert_refused(call(server, CHAT, sent), "body.json", error)


def test_no_body_at_all_is_refused(server: MockServer) -> None:
    answer = call(server, CHAT, method="POST")
    message = f"{PREFIX}the request body is empty"
    error = {"message": message, "type": "invalid_request_error"}
    assert_refused(answer, "body.json", error)


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        pytest.param(b"[]", "array", id="array"),
        pytest.param(b"null", "null", id="null"),
        pytest.param(b"true", "bool", id="bool"),
        pytest.param(b"5", "number", id="number"),
        pytest.param(json.dumps(VALID.decode()).encode(), "string", id="encoded-twice"),
    ],
)
def test_json_that_is_no_object_is_refused(
    sent: bytes, got: str, server: MockServer, moonshot: Profile
) -> None:
    """House style, after the vendor's type errors."""
    assert marks(moonshot, "body.object") == "I"
    message = (
        f"{PREFIX}the request body (expected type object) is illegal, and {got} is not acceptable"
    )
    error = {"message": message, "type": "invalid_request_error"}
    assert_refused(call(server, CHAT, sent), "body.object", error)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(VALID[:-1] + b', "temperature": 0.3, "temperature": 1}', id="twice"),
        pytest.param(b'{"model": "none", ' + VALID[1:], id="twice-in-front"),
        pytest.param(b"\r\n\t " + VALID + b"\n", id="white-space-around"),
        pytest.param(VALID[:-1] + b', "x": ' + b"[" * 199 + b"]" * 199 + b"}", id="200-levels"),
        pytest.param(VALID.replace(b'"hi"', rb'"hi \ud83d"'), id="half-a-pair"),
        pytest.param(VALID.replace(b'"hi"', rb'"hi \u0000"'), id="nul"),
        pytest.param(VALID[:-1] + b', "seed": ' + b"9" * 60 + b"}", id="60-digits"),
        pytest.param(VALID[:-1] + b', "max_tokens": 1e3}', id="exponent"),
        pytest.param(VALID[:-1] + b', "temperature": 1.000}', id="zeros"),
    ],
)
def test_unusual_json_that_go_reads_is_read(sent: bytes, server: MockServer) -> None:
    """Of a key given twice the last value counts; halves of pairs become U+FFFD."""
    assert_accepted(call(server, CHAT, sent))


def test_of_a_key_given_twice_the_last_value_counts(server: MockServer) -> None:
    answer = call(server, CHAT, VALID[:-1] + b', "temperature": 1, "temperature": 0.3}')
    message = "invalid temperature: only 1 is allowed for this model"
    error = {"message": message, "type": "invalid_request_error"}
    assert_refused(answer, "temperature.fixed", error)


def test_an_announced_body_that_is_too_large_is_refused_without_being_read(
    server: MockServer, moonshot: Profile
) -> None:
    """100 MB on the vision page; the text is in the vendor's client's tests."""
    assert marks(moonshot, "body.size") == "CD"
    answer = exchange(server, ["Content-Length: 104857601"])
    assert_refused(answer, "body.size", TOO_LARGE, status=413)


def test_a_chunked_body_that_grows_too_large_is_refused(worlds: Worlds) -> None:
    chunk = b"28\r\n" + b" " * 40 + b"\r\n"
    answer = exchange(worlds(SMALL), ["Transfer-Encoding: chunked"], chunk * 2 + b"0\r\n\r\n")
    assert_refused(answer, "body.size", TOO_LARGE, status=413)


def test_a_chunked_body_below_the_limit_is_read(worlds: Worlds) -> None:
    chunked = b"2\r\n{}\r\n0\r\n\r\n"
    answer = exchange(worlds(SMALL), ["Transfer-Encoding: chunked"], chunked)
    message = f"{PREFIX}messages must not be empty"
    error = {"message": message, "type": "invalid_request_error"}
    assert_refused(answer, "messages.empty", error)


@pytest.mark.parametrize(("size", "rule"), [(64, "messages.empty"), (65, "body.size")])
def test_the_limit_itself_is_not_too_large(size: int, rule: str, worlds: Worlds) -> None:
    sent = b"{}".ljust(size)
    answer = call(worlds(SMALL), CHAT, sent)
    assert answer.headers["x-k3mock-source"] == f"contract:{rule}"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/chat/completions",
        "/v1/chat/completions/",
        "/v1/completions",
        "/v1/embeddings",
        "/v1/responses",
        "/v2/chat/completions",
        "/V1/chat/completions",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_path_is_not_found(
    path: str, method: str, server: MockServer, moonshot: Profile
) -> None:
    """404 is documented, the body's form is not known."""
    assert marks(moonshot, "path.unknown") == "I"
    message = f"Not found the path {method} {path}"
    error = {"message": message, "type": "resource_not_found_error"}
    answer = call(server, path, method=method)
    assert_refused(answer, "path.unknown", error, status=404)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *((method, CHAT) for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS")),
        ("POST", "/v1/models"),
        ("DELETE", "/v1/models"),
    ],
)
def test_a_wrong_method_is_not_found(
    method: str, path: str, server: MockServer, moonshot: Profile
) -> None:
    """As for an unknown path."""
    assert marks(moonshot, "method.wrong") == "I"
    message = f"Not found the path {method} {path}"
    error = {"message": message, "type": "resource_not_found_error"}
    answer = call(server, path, method=method)
    assert_refused(answer, "method.wrong", error, status=404)


def test_signs_of_markup_in_a_refusal_are_escaped(server: MockServer) -> None:
    """The raw 429 of 2026-09 has the length of the escaped form."""
    answer = call(server, "/v1/%3Cb%3E%26", method="POST")
    shown = b"Not found the path POST /v1/\\u003cb\\u003e\\u0026"
    assert answer.body == (
        b'{"error":{"message":"' + shown + b'","type":"resource_not_found_error"}}'
    )
    assert answer.status == 404


def test_an_unknown_model_among_the_records_is_refused_as_in_a_chat(server: MockServer) -> None:
    message = "Not found the model kimi-k9 or Permission denied"
    error = {"message": message, "type": "resource_not_found_error"}
    assert_refused(call(server, "/v1/models/kimi-k9"), "model.unknown", error, status=404)


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_has_the_length_of_the_raw_capture(
    stream: bool,
    server: MockServer,
) -> None:
    """108 bytes for a temperature, captured 2026-09-01 with the same message."""
    answer = post(server, body(temperature=0.3, stream=stream), session="raw-length")
    assert answer.headers["content-length"] == "108"
    assert len(answer.body) == 108


def test_the_journal_keeps_what_could_not_be_read(server: MockServer) -> None:
    sent: dict[str, Any] = {"headers": {"x-k3mock": "session=broken-bytes"}}
    call(server, CHAT, b'{"model":', **sent)
    [entry] = entries(server, "broken-bytes")
    assert entry["received"]["body"] == '{"model":'
    assert entry["status"] == 400
    assert entry["source"] == "contract:body.json"
    assert entry["forwarded"] is None
    assert entry["warnings"] == []
