"""The scan of recordings."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse
from k3mock.redaction import unpack
from k3mock.redaction.leak import Leak
from k3mock.redaction.rules import USUAL
from k3mock.redaction.scan import scan, scan_document, scan_text
from k3mock.redaction.scrub import scrub_request
from tests.redaction.planting import Exchange, Request, Response, asked, prompt, stream

if TYPE_CHECKING:
    import pytest

SECRET = "canary-000-of-this-place"


def test_a_clean_recording_has_no_leaks() -> None:
    answer = Response(body=stream({"content": "Hello"}, {"content": " you"}))
    assert scan([Exchange(request=asked(prompt("hi")), response=answer)], [SECRET]) == []


def test_what_a_cassette_holds_can_be_scrubbed_and_scanned() -> None:
    asked_for = RecordedRequest(method="POST", uri=f"https://h/v1?key={SECRET}", body=b"{}")
    answer = RecordedResponse(status=200, headers=(("msh-uid", SECRET),))
    assert scan([Interaction(number=2, request=asked_for, response=answer)]) == [
        Leak("#2.response.headers.msh-uid", "header")
    ]
    assert scrub_request(asked_for, USUAL).uri == "https://h/v1"


def test_leaks_are_told_once_and_in_order() -> None:
    first = Exchange(3, request=asked(prompt(f"{SECRET} {SECRET}")))
    second = Exchange(4, response=Response(headers=(("Set-Cookie", "a=b"), ("set-cookie", SECRET))))
    assert [str(leak) for leak in scan([first, second], [SECRET])] == [
        "#3.request.body: known",
        "#4.response.headers.set-cookie: header",
        "#4.response.headers.set-cookie[0]: known",
    ]


def test_headers_that_nothing_can_keep_are_leaks_whatever_they_hold() -> None:
    request = Request(headers=(("authorization", "[redacted]"),))
    assert scan([Exchange(request=request)]) == [Leak("#1.request.headers.authorization", "header")]
    assert scan_document({"headers": ["authorization"], "authorization": "x"}) == []


def test_every_kind_of_value_is_looked_through() -> None:
    document = {"a": [1234567890, 1.5, None, True, b"\xff " + SECRET.encode()], "b": (SECRET,)}
    assert scan_document(document, [SECRET, "1234567890"], "file") == [
        Leak("file.a[0]", "known"),
        Leak("file.a[4]", "known"),
        Leak("file.b[0]", "known"),
    ]


def test_a_compressed_stream_is_put_together_too() -> None:
    body = gzip.compress(stream({"content": SECRET[:9]}, {"content": SECRET[9:]}))
    assert scan_text(body, [SECRET], "body") == [Leak("body: choices[0].delta.content", "known")]


def test_what_is_too_large_or_too_deep_counts_as_found(monkeypatch: pytest.MonkeyPatch) -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    assert [leak.rule for leak in scan_document(deep)] == ["unreadable"]
    monkeypatch.setattr(unpack, "MAX_INFLATED", 1000)
    assert [leak.rule for leak in scan_text(gzip.compress(bytes(2000)))] == ["unreadable"]


def test_a_text_that_holds_json_in_json_is_looked_through() -> None:
    text = json.dumps({"a": json.dumps({"b": json.dumps({"c": f"é{SECRET}"})})})
    assert scan_text(text.replace("-", "\\u002d"), [SECRET]) == [Leak("text", "known")]
