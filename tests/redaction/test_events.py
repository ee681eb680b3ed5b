"""Documents of a body, and texts that a stream sends in pieces."""

from __future__ import annotations

import json

import pytest

from k3mock.redaction.events import documents, is_stream, joined, place_of
from tests.redaction.planting import stream


@pytest.mark.parametrize("body", ['{"a":1}', " \n[1]", '\ufeff{"a'])
def test_a_document_is_its_body(body: str) -> None:
    assert documents(body) == [(0, len(body), body)]
    assert not is_stream(body)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_documents(end: str) -> None:
    body = f"\ufeffdata: 1{end}{end}: data: no{end}event: x{end}data:2{end}data: 3{end}{end}"
    found = documents(body)
    assert [document.text for document in found] == ["1", "2\n3"]
    assert body[found[1].start : found[1].end] == f"2{end}data: 3"
    assert is_stream(body)


def test_plain_text_has_no_documents() -> None:
    assert documents("<html>data: x</html>") == []
    assert not is_stream("")


def test_texts_are_joined_by_the_index_that_the_stream_gives() -> None:
    chunks = [
        {"choices": [{"index": at, "delta": {"content": f"{at}{word}", "n": at}}], "id": "same"}
        for word in "ab"
        for at in (1, 0)
    ]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    assert {(sent.place, sent.text) for sent in joined(documents(body))} == {
        ("choices[1].delta.content", "1a1b"),
        ("choices[0].delta.content", "0a0b"),
    }


def test_a_span_is_spread_if_a_piece_ends_in_it() -> None:
    sent = joined(documents(stream({"content": "abc"}, {"content": "def"}).decode()))[0]
    assert (sent.spread(0, 3), sent.spread(3, 6), sent.spread(2, 4)) == (False, False, True)


def test_what_no_fast_parser_reads_is_read() -> None:
    half = documents('data: {"a":"\\ud800"}\n\n')[0]
    assert half.parsed() == {"a": "\ud800"}
    assert documents("data: [DONE]\n\n")[0].parsed() is None
    assert documents("data: " + "[" * 100_000 + "\n\n")[0].parsed() is None


def test_nesting_has_an_end() -> None:
    deep = '{"a":' * 200 + '"x"' + "}" * 200
    other = deep.replace("x", "y")
    assert joined(documents(f"data: {deep}\n\ndata: {other}\n\n")) == []


def test_a_place_outside_of_the_document_is_counted() -> None:
    assert place_of(("a", 1, "b"), {"a": [{"index": 7}, {"index": 9}]}) == "a[9].b"
    assert place_of(("a", 3, "b", 0), {"a": [1]}) == "a[3].b[0]"
    assert place_of((2, "b"), None) == "[2].b"
