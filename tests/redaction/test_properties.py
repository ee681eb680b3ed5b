"""Scrubbing anything: pure, idempotent, JSON stays JSON, and nothing is left to find."""

from __future__ import annotations

import base64
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.redaction.find import find, usable
from k3mock.redaction.hide import hidden
from k3mock.redaction.leak import LeakError
from k3mock.redaction.rules import USUAL, Rules
from k3mock.redaction.scan import scan_text
from k3mock.redaction.scrub import scrub_request, scrub_response
from tests.redaction.planting import URI, Request, stream

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

KNOWN = ("canary-of-mine", "redacted", "abc [reda", "text:abcdef", "k3mock,bytes", "1234567890",
         'x":{"y":"', "naïve-päss")  # fmt: skip
LOOKING = "sk-Abcdefgh12345678"
RULES = st.sampled_from(
    [USUAL, Rules(keep_media=True), Rules(redact_content=True), Rules(query=("a",))]
)

PIECES = st.sampled_from(
    [*KNOWN, LOOKING, f"Bearer {LOOKING}", "Bearer abc123456", "eyJhbGciOiJ9.eyJzdWIiOiI9.c2ln",
     "[redacted]", "[text:0123456789ab]", "[", "]", "\\", "\\u002d", "\\n", "%2D", "%", '"', "{",
     "}", ":", ",", "\n", "data: ", "\n\n", " ", "é", "你好", "🙂", "\ud800", "a",
     "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" * 9, "-----END RSA PRIVATE KEY-----",
     base64.b64encode(b"(canary-of-mine) and more").decode(),
     base64.b64encode(LOOKING.encode()).decode(),
     "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg", "data:;base64,", ";base64,",
     "AKIAABCDEFGHIJKLMNOP", "canary%2Dof-mine", "canary\\u002dof\\u002dmine"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join)
FIELDS = st.sampled_from(
    ["user", "metadata", "safety_identifier", "content", "text", "messages", "choices", "message",
     "arguments", "logprobs", "bytes", "data", "index", "canary-of-mine", "a", "delta"]
)  # fmt: skip


def _documents() -> SearchStrategy[Any]:
    leaves = st.one_of(TEXTS, st.none(), st.booleans(), st.sampled_from([0, 1.5, 1234567890]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(FIELDS, inner, max_size=3),
            inner.map(json.dumps),
        ),
        max_leaves=8,
    )


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Draw a body: JSON in some spelling, a part of it, text, or any bytes."""
    kind = draw(st.sampled_from(["json", "json", "part", "text", "bytes"]))
    if kind == "bytes":
        return draw(st.binary(max_size=40))
    if kind == "text":
        return draw(TEXTS).encode("utf-8", "surrogatepass")
    fields = st.dictionaries(FIELDS, _documents(), max_size=4)
    text = json.dumps(draw(fields), ensure_ascii=draw(st.booleans()), indent=draw(st.none()))
    if draw(st.booleans()):
        text = text.replace("-", "\\u002d")
    body = text.encode("utf-8", "surrogatepass")
    return body[: draw(st.integers(0, len(body)))] if kind == "part" else body


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


@given(body=bodies(), rules=RULES)
def test_scrubbing_a_request_twice_changes_nothing(body: bytes, rules: Rules) -> None:
    request = Request(uri=f"{URI}?a=canary-of-mine&b=2", body=body)
    once = scrub_request(request, rules, KNOWN)
    assert once == scrub_request(request, rules, KNOWN)
    twice = scrub_request(Request(once.uri, once.headers, once.body), rules, KNOWN)
    assert twice == (once.uri, once.headers, once.body, ())


@given(body=bodies(), rules=RULES)
def test_a_request_that_is_json_stays_json(body: bytes, rules: Rules) -> None:
    if body[:1] in (b"{", b"[") and _is_json(body):
        assert _is_json(scrub_request(Request(body=body), rules, KNOWN).body)


@given(body=bodies())
def test_nothing_is_left_to_find_in_a_request(body: bytes) -> None:
    known = ("canary-of-mine", "naïve-päss")
    kept = scrub_request(Request(body=body), USUAL, known).body
    assert scan_text(kept, known) == []


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    deltas = draw(
        st.lists(
            st.one_of(
                st.fixed_dictionaries({"content": TEXTS}),
                st.fixed_dictionaries({"content": TEXTS, "reasoning_content": TEXTS}),
                st.just({"role": "assistant", "content": None}),
            ),
            max_size=4,
        )
    )
    end = draw(st.sampled_from(["data: [DONE]\n\n", "", ": canary-of-mine\n\n", "data: half"]))
    body = stream(*deltas, end=end)
    return body.replace(b"\n", b"\r\n") if draw(st.booleans()) else body


@given(body=st.one_of(streams(), bodies()), rules=RULES, data=st.data())
def test_scrubbing_a_response_twice_changes_nothing(
    body: bytes, rules: Rules, data: st.DataObject
) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=5)) | {0, len(body)})
    chunks = tuple((1, end - start) for start, end in itertools.pairwise(places))
    known = ("canary-of-mine", "naïve-päss", "1234567890")
    try:
        once = scrub_response((), body, chunks, rules, known)
    except LeakError:
        return
    assert scan_text(once.body, known) == []
    if once.chunks is not None:
        assert sum(length for _, length in once.chunks) == len(once.body)
        assert sum(delta for delta, _ in once.chunks) <= len(chunks)
    twice = scrub_response(once.headers, once.body, once.chunks, rules, known)
    assert twice == (once.headers, once.body, once.chunks, ())


@given(text=TEXTS)
def test_nothing_is_left_to_find_in_a_text(text: str) -> None:
    kept = hidden(text, usable(KNOWN))
    assert find(kept, usable(KNOWN)) == []
    assert hidden(kept, usable(KNOWN)) == kept


@pytest.mark.parametrize("known", KNOWN)
def test_a_placeholder_is_never_a_secret(known: str) -> None:
    assert find("[redacted] [text:abcdef012345]", usable([known])) == []
