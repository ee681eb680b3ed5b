"""The scenarios that come with the package, asked by the very curl lines that they begin with."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from k3mock.scenario import check
from tests.cases.raw import Exchange, exchange

if TYPE_CHECKING:
    from k3mock.serving import MockServer

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
NAMES = [path.stem for path in FILES]
PROMISED = {
    "hello", "reasoning_then_answer", "tool_round_trip", "parallel_tools", "agent_loop",
    "structured_output", "rate_limited_then_ok", "overloaded", "quota_exhausted",
    "length_in_reasoning", "cut_mid_stream", "cut_in_tool_arguments", "error_event",
    "slow_first_token", "long_silence", "split_utf8", "usage_everywhere",
    "missing_reasoning_refused", "gateway_html_error", "chaos",
}  # fmt: skip


def _curl(name: str) -> tuple[str, dict[str, Any]]:
    """Return path and body of a scenario's curl line."""
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# curl")]
    assert len(lines) == 1
    words = shlex.split(lines[0])
    url = next(word for word in words if word.startswith("http"))
    assert "Authorization: Bearer k" in words
    return urlsplit(url).path, json.loads(words[words.index("-d") + 1])


def _ask(server: MockServer, name: str, session: str, **changed: Any) -> Exchange:
    path, body = _curl(name)
    path = path.replace("/with/", f"/with/session={session};pace=speed=2000;")
    return exchange(server.address, path, {**body, **changed})


def test_there_is_a_catalogue() -> None:
    assert set(NAMES) >= PROMISED
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_says_what_it_shows_and_has_no_problem(name: str) -> None:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    assert re.match(r"# [A-Z0-9].{20,}", text)
    assert f"\nname: {name}\n" in text
    assert f"/with/scenario={name}/v1/" in text
    assert check.problems([str(FOLDER / f"{name}.yaml")]) == []


SEEN = {
    "hello": (200, "Hello! How can I help you today?"),
    "reasoning_then_answer": (200, "17 × 4 = **68**."),
    "tool_round_trip": (200, '"name":"get_weather"'),
    "parallel_tools": (200, '"name":"get_time"'),
    "agent_loop": (200, '"name":"list_files"'),
    "structured_output": (200, '"content":"{\\"name\\":\\"Ada Lovelace\\",\\"age\\":36}"'),
    "rate_limited_then_ok": (429, "max RPM: 3"),
    "overloaded": (429, "engine_overloaded_error"),
    "quota_exhausted": (429, "exceeded_current_quota_error"),
    "length_in_reasoning": (200, '"finish_reason":"length"'),
    "cut_mid_stream": (200, "Once upon a time there was a lighthouse"),
    "cut_in_tool_arguments": (200, "write_file"),
    "error_event": (200, '"error":{'),
    "slow_first_token": (200, "[DONE]"),
    "long_silence": (200, ": keep-alive"),
    "split_utf8": (200, "[DONE]"),
    "usage_everywhere": (200, '"usage"'),
    "missing_reasoning_refused": (400, "reasoning_content is missing"),
    "gateway_html_error": (502, "<title>502 Bad Gateway</title>"),
    "chaos": (None, ""),
    "content_filtered": (400, "high risk"),
    "cold_start": (503, "error"),
    "openai_shapes": (200, '"reasoning":'),
    "raw_events": (200, ": the queue is long today"),
    "empty_answers": (200, '"content":""'),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_curl_line_shows_it(server: MockServer, name: str) -> None:
    status, shown = SEEN[name]
    answer = _ask(server, name, f"shipped-{name}")
    if status is None:
        assert answer.raw == b"" or answer.status in {200, 429, 502}
        return
    assert answer.status == status
    text = answer.body.decode("utf-8", "replace")
    assert shown in (text + answer.joined("content") if "data: {" in text else text)


def test_sequences_of_the_catalogue_move_on(server: MockServer) -> None:
    limited = [_ask(server, "rate_limited_then_ok", "moves") for _ in range(3)]
    assert [answer.status for answer in limited] == [429, 429, 200]
    assert limited[0].headers["retry-after"] == "1"
    pages = [_ask(server, "gateway_html_error", "moves").status for _ in range(3)]
    assert pages == [502, 504, 200]
    starts = [_ask(server, "cold_start", "starts").status for _ in range(3)]
    assert starts == [503, 200, 200]
    empty = [_ask(server, "empty_answers", "moves").message for _ in range(3)]
    assert [message["content"] for message in empty] == ["", "", "Here I am."]


def test_an_agent_goes_through_its_loop(server: MockServer) -> None:
    _, body = _curl("agent_loop")
    messages = list(body["messages"])
    called = []
    for _step in range(2):
        message = _ask(server, "agent_loop", "loop", messages=messages).message
        (call,) = message["tool_calls"]
        called.append(call["function"]["name"])
        messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": "k3mock"}]
    last = _ask(server, "agent_loop", "loop", messages=messages).message
    assert called == ["list_files", "read_file"]
    assert last["content"] == "According to README.md: k3mock"


def test_chaos_repeats_with_a_seed(server: MockServer) -> None:
    def run(session: str) -> list[bytes]:
        path, body = _curl("chaos")
        path = path.replace("/with/", f"/with/session={session};seed=7;pace=speed=5000;")
        seen = [exchange(server.address, path, body) for _ in range(12)]
        return [answer.raw for answer in seen]

    def without_ids(raws: list[bytes]) -> list[bytes]:
        return [re.sub(rb"x-k3mock-request: \S+", b"", raw) for raw in raws]

    first = run("chaos-1")
    assert without_ids(first) == without_ids(run("chaos-2"))
    assert len({raw.split(b" ")[1] for raw in first if raw}) > 1
