"""What is kept of requests and responses."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import time
from typing import Any

import pytest

from k3mock.redaction.leak import LeakError
from k3mock.redaction.rules import USUAL, Rules
from k3mock.redaction.scrub import ScrubbedResponse, scrub_request, scrub_response
from tests.redaction.planting import PNG, Request, asked, prompt, stream, writes
from tests.support import sse_events

SECRET = "canary-000-of-this-place"
PRIVATE = Rules(redact_content=True)


def body_of(request: Request, rules: Rules = USUAL, *known: str) -> Any:
    return json.loads(scrub_request(request, rules, known).body)


def answered(body: bytes, rules: Rules = USUAL, *known: str) -> ScrubbedResponse:
    return scrub_response((), body, writes(body), rules, known)


def test_a_body_without_secrets_stays_byte_for_byte() -> None:
    body = b'{ "model":"kimi-k3",\r\n"messages":[{"content":"\\u00e9\\/ \xc3\xa9 1.0e2"}]}\n'
    kept = scrub_request(asked(body), USUAL)
    assert kept.body is body
    assert kept.names == ()


def test_only_the_secret_of_a_body_changes() -> None:
    body = b'{ "a":"\\u00e9 canary-000-of-this-place\\/", "b" : 1.0e2, "a":2}'
    kept = scrub_request(asked(body), USUAL, [SECRET])
    assert kept.body == b'{ "a":"\\u00e9 [redacted]\\/", "b" : 1.0e2, "a":2}'
    assert kept.names == ("known",)


def test_bytes_that_are_no_text_stay_what_they_are() -> None:
    body = b"\xff\xfe binary " + SECRET.encode() + b" \x80"
    assert scrub_request(asked(body), USUAL, [SECRET]).body == b"\xff\xfe binary [redacted] \x80"


def test_a_number_that_is_a_known_secret_becomes_a_string() -> None:
    assert body_of(asked(b'{"uid": 990011223344, "n": [1]}'), USUAL, "990011223344") == {
        "uid": "[redacted]",
        "n": [1],
    }


def test_the_first_of_two_equal_keys_is_looked_at_too() -> None:
    kept = scrub_request(asked(b'{"a":"canary-000-of-this-place","a":"b"}'), USUAL, [SECRET])
    assert kept.body == b'{"a":"[redacted]","a":"b"}'


def test_structure_that_looks_like_a_known_value_stays() -> None:
    body = b'{"a":[{"b":1}],"c":2}'
    assert scrub_request(asked(body), USUAL, ['":[{"b":']).body == b'{"a":[{"[redacted]":1}],"c":2}'
    assert scrub_request(asked(b'{"a": [[[[[]]]]]}'), USUAL, ["[[[[[]]]]"]).names == ()


def test_a_document_that_was_cut_off_is_edited_as_well() -> None:
    kept = scrub_request(asked(b'{"a":{"b":"x canary-000-of-this-place and'), USUAL, [SECRET])
    assert kept.body == b'{"a":{"b":"x [redacted] and'


def test_values_of_dropped_headers_are_looked_for_in_the_body() -> None:
    kept = scrub_request(asked(prompt("it is tenant-4711"), ("x-tenant", "tenant-4711")), USUAL)
    assert json.loads(kept.body)["messages"][0]["content"] == "it is [redacted]"


@pytest.mark.parametrize(
    ("name", "value"), [("connection", "keep-alive"), ("user-agent", "OpenAI/Python")]
)
def test_what_every_client_sends_is_no_secret(name: str, value: str) -> None:
    kept = scrub_request(asked(prompt(f"what is {value}?"), (name, value)), USUAL)
    assert kept.headers == (("content-type", "application/json"),)
    assert json.loads(kept.body)["messages"][0]["content"] == f"what is {value}?"


def test_what_names_a_person_gets_a_placeholder() -> None:
    request = asked(
        prompt("hi", user="u-1", safety_identifier=None, metadata={"a": "x", "b": [1, None]})
    )
    kept = scrub_request(request, USUAL)
    assert kept.names == ("metadata", "user")
    assert json.loads(kept.body) == {
        **prompt("hi"),
        "user": "[redacted]",
        "safety_identifier": None,
        "metadata": {"a": "[redacted]", "b": ["[redacted]", None]},
    }


def test_fields_of_those_names_deeper_down_stay() -> None:
    request = asked({"messages": [{"role": "user", "user": "x"}], "tools": [{"metadata": 1}]})
    assert scrub_request(request, USUAL).body is request.body


def test_a_field_is_known_under_any_spelling_of_its_key() -> None:
    assert body_of(asked(b'{"us\\u0065r": "u-1"}')) == {"user": "[redacted]"}


def image(data: bytes, kind: str = "image/png", parameters: str = "") -> str:
    return f"data:{kind}{parameters};base64,{base64.b64encode(data).decode()}"


def stand_in(data: bytes, kind: str) -> str:
    return f"data:{kind};k3mock,bytes={len(data)},sha256={hashlib.sha256(data).hexdigest()}"


def test_media_become_type_size_and_digest() -> None:
    parts = [{"type": "image_url", "image_url": {"url": image(PNG)}}]
    kept = scrub_request(asked(prompt(parts)), USUAL)
    found = json.loads(kept.body)["messages"][0]["content"][0]["image_url"]["url"]
    assert found == stand_in(PNG, "image/png")
    assert kept.names == ("media",)
    again = scrub_request(Request(body=kept.body), USUAL)
    assert again.body is kept.body


@pytest.mark.parametrize(
    "written",
    [
        image(PNG).replace("/", "\\/"),
        image(PNG).replace("+", "\\u002B").replace("=", "\\u003d"),
        image(PNG).replace("+", "-").rstrip("="),
        image(PNG)[:90] + "\\r\\n" + image(PNG)[90:],
    ],
)
def test_media_are_the_same_however_they_are_written(written: str) -> None:
    body = json.dumps(prompt("PLANT")).replace("PLANT", written).encode()
    assert body_of(asked(body))["messages"][0]["content"] == stand_in(PNG, "image/png")


def test_media_inside_of_texts_and_nested_documents_are_found() -> None:
    inner = json.dumps({"url": image(b"abc", "audio/wav", ";rate=8"), "b": "c"})
    found = body_of(asked(prompt(f"![x]({image(b'abc', '')}) {inner}")))["messages"][0]["content"]
    assert found == (
        f"![x]({stand_in(b'abc', '')}) "
        + json.dumps({"url": stand_in(b"abc", "audio/wav;rate=8"), "b": "c"})
    )


def test_media_without_a_type_are_known_by_their_field() -> None:
    sound = base64.b64encode(bytes(range(256))).decode()
    parts = [{"type": "input_audio", "input_audio": {"data": sound, "format": "wav"}}]
    found = body_of(asked(prompt(parts)))["messages"][0]["content"][0]["input_audio"]["data"]
    assert found == stand_in(bytes(range(256)), "application/octet-stream")


@pytest.mark.parametrize("word", ["x" * 400, "abc", "Ab" * 200])
def test_long_words_are_no_media(word: str) -> None:
    request = asked({"input": {"data": word}})
    assert scrub_request(request, USUAL).body is request.body


def test_media_that_are_no_base64_have_a_digest_too() -> None:
    found = body_of(asked(prompt("data:a/b;base64,AAAAA")))["messages"][0]["content"]
    assert found.startswith("data:a/b;k3mock,bytes=3,")


def test_media_are_kept_on_demand() -> None:
    request = asked(prompt(image(os.urandom(3000))))
    assert scrub_request(request, Rules(keep_media=True)).body is request.body


def test_media_of_an_answer_stay() -> None:
    body = json.dumps({"choices": [{"message": {"content": image(PNG)}}]}).encode()
    assert answered(body).body is body


def test_a_compressed_body_stays_compressed() -> None:
    packed = gzip.compress(json.dumps(prompt(f"x {SECRET}")).encode())
    kept = scrub_request(asked(packed), USUAL, [SECRET])
    assert json.loads(gzip.decompress(kept.body)) == prompt("x [redacted]")
    assert scrub_request(asked(kept.body), USUAL, [SECRET]).body is kept.body


def test_a_compressed_answer_keeps_its_writes_only_if_it_stays_the_same() -> None:
    packed = gzip.compress(b'{"a": "canary-000-of-this-place"}')
    halves = ((1, 10), (2, len(packed) - 10))
    assert scrub_response((), packed, halves, USUAL).chunks == halves
    assert scrub_response((), packed, halves, USUAL, [SECRET]).chunks is None


def test_what_only_begins_like_a_compressed_body_is_left_alone() -> None:
    assert scrub_request(asked(b"\x1f\x8b\x08nonsense"), USUAL).body == b"\x1f\x8b\x08nonsense"


def test_writes_follow_the_edits_of_a_stream() -> None:
    body = stream({"content": "It is "}, {"content": f"{SECRET}!"}, {"content": " Bye."})
    kept = answered(body, USUAL, SECRET)
    assert kept.chunks == writes(kept.body)
    assert kept.body == body.replace(SECRET.encode(), b"[redacted]")
    assert kept.names == ("known",)


def test_writes_that_never_fitted_are_dropped() -> None:
    assert scrub_response((), b"abc", ((1, 2),), USUAL).chunks is None
    assert scrub_response((), b"abc", None, USUAL).chunks is None
    assert scrub_response((), b"abc", ((1, 2), (3, 1)), USUAL).chunks == ((1, 2), (3, 1))


def test_ids_of_an_answer_count_the_requests() -> None:
    headers = (("X-Request-Id", "5f3c-99"), ("msh-context-cache-token-saved", "12"))
    kept = scrub_response(headers, b"", None, USUAL, seq=12)
    assert kept.headers == (
        ("x-request-id", "k3mock-000012"),
        ("msh-context-cache-token-saved", "12"),
    )
    assert kept.names == ("id",)
    again = scrub_response(kept.headers, b"", None, USUAL)
    assert (again.headers, again.names) == (kept.headers, ())


def test_an_account_in_a_header_is_looked_for_in_the_body() -> None:
    body = b'{"error": {"message": "org-0123456789 has no balance"}}'
    kept = scrub_response((("msh-org-id", "org-0123456789"),), body, None, USUAL)
    assert kept.headers == ()
    assert kept.body == b'{"error": {"message": "[redacted] has no balance"}}'


def test_a_secret_that_an_edit_would_bare_in_part_is_refused() -> None:
    body = stream({"content": "sk-Abcdefgh12"}, {"content": "34567890"})
    with pytest.raises(LeakError, match="spread over several events"):
        answered(body)


def test_a_secret_in_pieces_that_an_edit_bares_is_refused() -> None:
    body = stream({"content": SECRET}, {"content": "sk-Abcd"}, {"content": "efgh1234"})
    assert answered(body).body is body
    with pytest.raises(LeakError, match=r"choices\[0\]\.delta\.content"):
        answered(body, USUAL, SECRET)


def test_a_secret_inside_one_event_of_a_text_in_pieces_is_none_in_pieces() -> None:
    body = stream({"content": "a "}, {"content": f'{{"k": "{SECRET}"}}'}, {"content": " b"})
    assert SECRET.encode() not in answered(body, USUAL, SECRET).body


def test_a_private_request_says_nothing_and_equal_texts_stay_equal() -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Be kind."}, {"text": ""}]},
        {"role": "assistant", "content": "x", "reasoning_content": "y", "tool_calls": [
            {"function": {"name": "run", "arguments": '{"city": "Rome", "n": 3}'}}]},
    ]  # fmt: skip
    kept = body_of(asked({"messages": messages, "model": "kimi-k3"}), PRIVATE)
    text = json.dumps(kept)
    assert not any(word in text for word in ("kind", "Rome", '"x"', '"y"'))
    system, user, said = kept["messages"]
    assert system["content"] == user["content"][0]["text"]
    assert user["content"][1] == {"text": ""}
    arguments = json.loads(said["tool_calls"][0]["function"]["arguments"])
    assert (list(arguments), arguments["n"]) == (["city", "n"], 3)
    assert said["tool_calls"][0]["function"]["name"] == "run"
    assert kept["model"] == "kimi-k3"


def _said(body: bytes) -> str:
    return "".join(
        event["choices"][0]["delta"].get("content") or ""
        for event in sse_events(body)
        if event != "[DONE]"
    )


@pytest.mark.parametrize("text", ["Hello, my friend!", '{"city": "Rome", "n": 1}', "Der Käse 你好"])
def test_a_private_answer_that_is_sent_back_matches_what_was_recorded(text: str) -> None:
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    kept = answered(stream({"role": "assistant", "content": ""}, *({"content": p} for p in pieces)),
                    PRIVATE)  # fmt: skip
    recorded = scrub_request(asked({"messages": [{"content": text}]}), PRIVATE)
    replayed = scrub_request(asked({"messages": [{"content": _said(kept.body)}]}), PRIVATE)
    assert replayed.body == recorded.body
    assert text[:4].encode() not in kept.body
    assert kept.chunks is not None
    assert sum(length for _, length in kept.chunks) == len(kept.body)


def test_private_tool_arguments_in_a_stream_stay_arguments() -> None:
    calls = [
        {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}
        for piece in ('{"city"', ': "Rome"}')
        for at in (0, 1)
    ]
    kept = answered(stream(*calls), PRIVATE)
    said = ["", ""]
    for event in sse_events(kept.body)[:-1]:
        call = event["choices"][0]["delta"]["tool_calls"][0]
        said[call["index"]] += call["function"]["arguments"]
    assert said[0] == said[1]
    assert list(json.loads(said[0])) == ["city"]
    assert "Rome" not in said[0]


@pytest.mark.parametrize("streamed", [False, True])
def test_likelihoods_of_a_private_answer_hold_no_token(streamed: bool) -> None:
    token = {"token": "Hi", "logprob": -0.5, "bytes": [72, 105], "top_logprobs": []}
    logprobs = {"content": [token, {**token, "bytes": None}]}
    body = json.dumps({"choices": [{"message": {"content": "Hi"}, "logprobs": logprobs}]})
    raw = f"data: {body}\n\n" if streamed else body
    kept = answered(raw.encode(), PRIVATE).body.decode().removeprefix("data: ")
    first, second = json.loads(kept)["choices"][0]["logprobs"]["content"]
    assert first == {"token": "", "logprob": -0.5, "bytes": [0, 0], "top_logprobs": []}
    assert second["bytes"] is None


def test_a_private_session_takes_secrets_out_before_digesting() -> None:
    one, other = (
        body_of(asked(prompt(f"key {secret}")), PRIVATE, secret)
        for secret in ("canary-000-of-this-place", "another-secret-of-mine")
    )
    assert one == other


def test_texts_with_halves_of_surrogate_pairs_stay_json() -> None:
    body = (
        b'{"messages":[{"content":"{\\"\\ud83d\\": \\"b\\"} \xc3\xa9"},{"content":"\\ud83d \xc3"}]}'
    )
    kept = scrub_request(asked(body), PRIVATE)
    assert kept.names == ("content",)
    json.loads(kept.body)
    assert scrub_request(asked(kept.body), PRIVATE).body is kept.body


def _fastest_ms(request: Request, times: int) -> float:
    spent: list[float] = []
    for _ in range(times):
        before = time.process_time()
        scrub_request(request, USUAL, [SECRET])
        spent.append(time.process_time() - before)
    return min(spent) * 1000


def test_a_large_image_takes_well_under_a_second() -> None:
    request = asked(prompt(image(os.urandom(1_500_000))))
    assert _fastest_ms(request, 2) < 500
    assert len(scrub_request(request, USUAL).body) < 300


def test_a_usual_request_takes_a_few_milliseconds() -> None:
    request = asked(prompt('A text with `some_code("in it")`\nand lines. ' * 450))
    assert len(request.body) > 20_000
    assert _fastest_ms(request, 20) < 10
