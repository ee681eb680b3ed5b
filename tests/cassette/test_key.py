"""Requests that are the same, nearly the same, and not the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.cassette.key import VOLATILE, Ignored, keys, path_of, short_path
from k3mock.errors import SettingsError
from tests.support import CHAT, request

PLAIN = {"model": "kimi-k3", "messages": [{"role": "user", "content": "hi"}]}


def key(body: Any, ignored: Ignored | None = None, path: str = CHAT, method: str = "POST") -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return keys(method, path, data, ignored or Ignored())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({**PLAIN, "temperature": None}, id="a-null-at-the-top"),
        pytest.param(dict(reversed(PLAIN.items())), id="order-of-keys"),
        pytest.param(json.dumps(PLAIN, indent=2).encode(), id="spaces"),
    ],
)
def test_what_clients_write_differently_is_the_same_request(other: Any) -> None:
    assert key(other) == key(PLAIN)


def test_whole_floats_are_integers_wherever_they_stand() -> None:
    assert key({"top_p": 1.0, "a": [{"b": 2.0}]}) == key({"top_p": 1, "a": [{"b": 2}]})
    assert key({"top_p": 0.5}) != key({"top_p": 0})
    assert key({"huge": 1e300}) != key({"huge": 2e300})


def test_truth_is_no_number_and_a_null_inside_counts() -> None:
    assert key({"a": True}) != key({"a": 1})
    assert key({"a": {"b": None}}) != key({"a": {}})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({**PLAIN, "model": "kimi-k2"}, id="model"),
        pytest.param({**PLAIN, "stream": True}, id="stream"),
        pytest.param({**PLAIN, "tools": []}, id="tools"),
        pytest.param(
            {**PLAIN, "messages": [{"role": "system", "content": ""}, *request()["messages"]]},
            id="history",
        ),
    ],
)
def test_what_changes_the_answer_is_another_request_in_both_tiers(other: Any) -> None:
    assert key(other).exact != key(PLAIN).exact
    assert key(other).relaxed != key(PLAIN).relaxed


@pytest.mark.parametrize("name", VOLATILE)
def test_fields_that_vary_are_left_out_of_the_relaxed_key_only(name: str) -> None:
    varied = {**PLAIN, name: {"include_usage": True}}
    assert key(varied).exact != key(PLAIN).exact
    assert key(varied).relaxed == key(PLAIN).relaxed


def test_any_base_url_and_host_find_a_recording() -> None:
    assert short_path("/openai/v1/chat/completions") == "chat/completions"
    assert short_path("/v1/models/kimi-k3/") == "models/kimi-k3"
    assert short_path("/") == ""
    assert path_of("https://h:1/a%20b/v1/models?x=1#y") == "/a b/v1/models"
    assert key(PLAIN, path="/v1/chat/completions") == key(PLAIN, path="/x/chat/completions")
    assert key(PLAIN, path="/v1/completions") != key(PLAIN)
    assert key(PLAIN, method="post") == key(PLAIN)
    assert key(b"", method="GET") != key(b"", method="HEAD")


def test_a_body_that_is_no_json_counts_byte_by_byte() -> None:
    assert key(b"a") != key(b"b")
    assert key(b"a").exact == key(b"a").relaxed
    assert key(b'{"a": "\\ud800"}') != key(b'{"a": "\\ud801"}')


def test_json_that_is_nested_beyond_reason_still_has_a_key() -> None:
    deep = b"[" * 600 + b"]" * 600
    assert key(deep) == key(deep)
    assert key(deep) != key(b"[" * 601 + b"]" * 601)
    deeper = b"[" * 1020 + b"]" * 1020
    assert key(deeper) != key(deep)


def test_the_boundary_of_a_form_is_not_compared() -> None:
    def form(boundary: str, text: str) -> bytes:
        return (
            f"--{boundary}\r\ncontent-disposition: form-data; name=f\r\n\r\n{text}\r\n"
            f"--{boundary}--\r\n"
        ).encode()

    assert key(form("abc", "x")) == key(form("d3f", "x"))
    assert key(form("abc", "x")) != key(form("abc", "y"))
    assert key(b"--abc\r\nno end") != key(b"--d3f\r\nno end")


def test_paths_can_be_ignored() -> None:
    def body(run: str, name: str) -> dict[str, Any]:
        return {"run": {"id": run}, "messages": [{"content": "hi", "name": name}]}

    ignored = Ignored.of(["run.id", "$.messages[*].name"])
    one, other = key(body("1", "a"), ignored), key(body("2", "b"), ignored)
    assert one.exact != other.exact
    assert one.relaxed == other.relaxed
    only = Ignored.of(["messages[0]"])
    assert key(body("1", "a"), only).relaxed == key(body("1", "b"), only).relaxed
    assert key(body("1", "a"), only).relaxed != key(body("2", "a"), only).relaxed
    nowhere = Ignored.of(["messages[7].name", "run.id.deeper", "tools.*"])
    assert key(body("1", "a"), nowhere).relaxed == key(body("1", "a")).relaxed


def test_an_ignored_item_keeps_the_places_of_the_others() -> None:
    ignored = Ignored.of(["a[0]"])
    assert key({"a": [1, 2]}, ignored).relaxed == key({"a": [9, 2]}, ignored).relaxed
    assert key({"a": [1, 2]}, ignored).relaxed != key({"a": [2]}, ignored).relaxed


def test_texts_can_be_ignored() -> None:
    ignored = Ignored.of(texts=[r"\d{4}-\d\d-\d\d"])

    def body(day: str) -> dict[str, Any]:
        return {"messages": [{"content": f"Today is {day}.", "n": 1}]}

    assert key(body("2026-11-29"), ignored).relaxed == key(body("2026-11-30"), ignored).relaxed
    assert key(body("2026-11-29"), ignored).exact != key(body("2026-11-30"), ignored).exact


@pytest.mark.parametrize("path", ["", "a..b", "a[x]", "[0]", "a[", "stream", "$.stream", "*"])
def test_a_path_that_cannot_be_ignored_is_refused(path: str) -> None:
    with pytest.raises(SettingsError):
        Ignored.of([path])


def test_a_broken_expression_is_refused_with_its_reason() -> None:
    with pytest.raises(SettingsError, match="unterminated"):
        Ignored.of(texts=["(a"])


@given(st.binary())
def test_any_bytes_have_a_key(body: bytes) -> None:
    assert key(body) == key(body)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON, max_size=4), st.booleans())
def test_spelling_never_changes_a_key(body: dict[str, Any], escaped: Any) -> None:
    again = json.dumps(body, ensure_ascii=escaped, indent=1, sort_keys=True)
    assert key(again.encode()) == key(body)
