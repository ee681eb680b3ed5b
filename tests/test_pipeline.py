"""The path of a request, seen from its ends."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import call, chat, profile_file, serving

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.serving import MockServer


def test_a_small_cap_is_used_up_by_thinking(server: MockServer) -> None:
    """Evidence: raw capture of 2026-09, a cap of 16 on this very prompt."""
    answer = chat(
        server, "Reply with exactly one word: hello.", options="session=cap", max_tokens=16
    )
    choice = answer.json["choices"][0]
    assert choice["finish_reason"] == "length"
    assert choice["message"]["content"] == ""
    assert answer.json["usage"] == {
        "prompt_tokens": 93,
        "completion_tokens": 16,
        "total_tokens": 109,
        "completion_tokens_details": {"reasoning_tokens": 13},
    }


def test_an_identical_request_is_fully_cached_and_says_so_in_a_header(server: MockServer) -> None:
    first = chat(server, "cache me", options="session=cache-1", max_tokens=8)
    second = chat(server, "cache me", options="session=cache-1", max_tokens=8)
    prompt = first.json["usage"]["prompt_tokens"]
    assert "msh-context-cache-token-saved" not in first.headers
    assert second.headers["msh-context-cache-token-saved"] == str(prompt)
    usage = second.json["usage"]
    assert usage["cached_tokens"] == prompt
    assert usage["prompt_tokens_details"] == {"cached_tokens": prompt}
    assert list(usage) == [
        "prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens",
        "completion_tokens_details", "prompt_tokens_details",
    ]  # fmt: skip


def test_sessions_do_not_share_a_cache(server: MockServer) -> None:
    chat(server, "cache me", options="session=cache-2", max_tokens=8)
    assert "cached_tokens" not in chat(
        server, "cache me", options="session=cache-3", max_tokens=8
    ).json["usage"]  # fmt: skip


def test_the_cache_follows_the_profiles_policy(tmp_path: Path) -> None:
    text = "extends: moonshot\ncache: {threshold_tokens: 256}\n"
    with serving(profile=profile_file(tmp_path, text)) as server:
        chat(server, "short", max_tokens=1)
        assert "cached_tokens" not in chat(server, "short", max_tokens=1).json["usage"]
        long = "many words " * 200
        chat(server, long, max_tokens=1)
        assert chat(server, long, max_tokens=1).json["usage"]["cached_tokens"] > 256
    text = "extends: moonshot\ncache: {hit_probability: 0}\n"
    with serving(profile=profile_file(tmp_path, text)) as server:
        chat(server, "x", max_tokens=1)
        assert "cached_tokens" not in chat(server, "x", max_tokens=1).json["usage"]


def test_tool_ids_count_within_the_message_or_over_the_conversation(tmp_path: Path) -> None:
    call_before = {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [call_before]},
        {"role": "tool", "tool_call_id": "x", "content": "done"},
    ]
    sent: dict[str, Any] = {"messages": messages, "tools": tools, "tool_choice": "required"}
    with serving() as server:
        assert chat(server, **sent).message["tool_calls"][0]["id"] == "f_0"
    text = "extends: moonshot\nwire: {tool_id_scope: conversation}\n"
    with serving(profile=profile_file(tmp_path, text)) as server:
        assert chat(server, **sent).message["tool_calls"][0]["id"] == "f_1"


def test_a_nonce_asks_for_a_signature_and_a_bad_one_is_no_error(server: MockServer) -> None:
    """Evidence: official documentation of `X-Msh-Request-Nonce`."""
    body = {"model": "kimi-k3", "messages": [{"role": "user", "content": "x"}], "max_tokens": 1}
    good = {"X-Msh-Request-Nonce": "9b2f0d4e-3c52-4d0e-8d0e-0d9a4e3b7f11"}
    signed = call(server, "/v1/chat/completions", body, headers=good)
    assert signed.headers["msh-request-timestamp"].isdigit()
    assert len(signed.headers["msh-request-signature"]) == 64
    bad = call(server, "/v1/chat/completions", body, headers={"X-Msh-Request-Nonce": "no"})
    assert bad.status == 200
    assert "msh-request-signature" not in bad.headers


def test_a_large_answer_is_chunked_and_a_small_one_has_its_length(
    server: MockServer, tmp_path: Path
) -> None:
    small = chat(server, "x", max_tokens=4)
    assert small.headers["content-length"] == str(len(small.body))
    assert small.headers["vary"] == "Origin"
    text = "extends: moonshot\nwire: {length_below_bytes: 300}\n"
    with serving(profile=profile_file(tmp_path, text)) as own:
        large = chat(own, "x", max_tokens=64)
    assert len(large.body) > 300
    assert large.headers["transfer-encoding"] == "chunked"
    assert large.headers["vary"] == "Accept-Encoding"
    assert "content-length" not in large.headers


def test_the_cdns_headers_are_a_knob(tmp_path: Path) -> None:
    with serving() as server:
        assert "cf-ray" not in chat(server, max_tokens=1).headers
    text = "extends: moonshot\nheaders: {cdn: true}\n"
    with serving(profile=profile_file(tmp_path, text)) as server:
        headers = chat(server, max_tokens=1).headers
        assert headers["cf-cache-status"] == "DYNAMIC"
        assert headers["server"] == "cloudflare"
    with serving(
        profile=profile_file(tmp_path, "extends: moonshot\nheaders: {set: none}\n")
    ) as own:
        assert "msh-request-id" not in chat(own, max_tokens=1).headers


@pytest.mark.parametrize("counter", ["tiktoken", "splintr"])
def test_hostile_text_neither_crashes_nor_blocks_other_requests(counter: str) -> None:
    """A million spaces make tiktoken panic unless the text is cut first."""
    hostile = {
        "model": "kimi-k3",
        "messages": [{"role": "user", "content": " " * 1_200_000 + "a" * 800_000}],
        "max_tokens": 4,
    }
    with serving(tokenizer={"counter": counter}) as server:
        answers = []
        sender = threading.Thread(
            target=lambda: answers.append(call(server, "/v1/chat/completions", hostile))
        )
        sender.start()
        served = 0
        while sender.is_alive():
            assert chat(server, f"other {served}", max_tokens=4).status == 200
            served += 1
        sender.join()
        assert answers[0].status == 200
        assert answers[0].json["usage"]["prompt_tokens"] > 100_000
        assert served >= 1


def test_the_answers_of_one_hundred_clients_do_not_mix(server: MockServer) -> None:
    answers: dict[int, str] = {}

    def ask(number: int) -> None:
        prompt = f"Reply with exactly: token{number}"
        sent = chat(server, prompt, options=f"session=mix-{number}", reasoning_effort="low")
        answers[number] = sent.message["content"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == {number: f"token{number}" for number in range(100)}


def test_fifty_realistic_streams_run_side_by_side() -> None:
    """They all end whole; how late each write was is measured in `benchmarks/`."""
    with serving(pace="realistic") as server:
        bodies: list[bytes] = []
        threads = [
            threading.Thread(
                target=lambda number=number: bodies.append(
                    chat(server, f"n {number}", stream=True, max_tokens=120).body
                )
            )
            for number in range(50)
        ]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert time.monotonic() - started < 60
        assert len(bodies) == 50
        assert all(body.endswith(b"data: [DONE]\n\n") for body in bodies)
        ends = {entry.outcome.end for entry in server.app.journal.entries()}
        assert ends == {"complete"}


def test_without_a_seed_ids_differ_and_texts_repeat(server: MockServer) -> None:
    first = chat(server, "repeat", options="session=no-seed-1")
    second = chat(server, "repeat", options="session=no-seed-2")
    assert first.message == second.message
    assert first.json["id"] != second.json["id"]
    assert len({first.json["id"][17:27], second.json["id"][17:27]}) == 1


def test_a_stream_shares_id_created_model_and_fingerprint(server: MockServer) -> None:
    answer = chat(server, "const", stream=True, stream_options={"include_usage": True})
    chunks = [event for event in answer.events if event != "[DONE]"]
    for key in ("id", "created", "model", "object"):
        assert len({json.dumps(chunk[key]) for chunk in chunks}) == 1
    assert {chunk.get("system_fingerprint") for chunk in chunks[:-1]} == {
        chunks[0]["system_fingerprint"]
    }
    assert "system_fingerprint" not in chunks[-1]
    assert answer.headers["content-type"] == "text/event-stream"
    assert "content-length" not in answer.headers
