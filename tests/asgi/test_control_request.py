from __future__ import annotations

import contextlib
import http.client
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.asgi.test_control_openapi import check
from tests.support import Answer, call, chat, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

PREFIX = "/__k3mock__"
EARLY_MS = 1.5
"""Timers of the loop count whole milliseconds: a write may leave that much before its time."""


@pytest.fixture(scope="module")
def paced() -> Iterator[MockServer]:
    """A server that writes each event by itself, with little time between."""
    with serving(pace="ttft_ms=5,reasoning_tps=2000,content_tps=2000", seed=7) as server:
        yield server


def writes(server: MockServer, answer: Answer, query: str = "?limit=1000") -> Any:
    found = call(server, f"{PREFIX}/requests/{answer.headers['x-k3mock-request']}/writes{query}")
    assert found.status == 200
    check(found.json, "Writes")
    return found.json


def test_every_write_of_a_stream_is_there_with_its_times_and_bytes(paced: MockServer) -> None:
    answer = chat(paced, "name two colours", stream=True, max_tokens=40)
    found = writes(paced, answer)
    rows = found["writes"]
    assert len(rows) == found["total"] == len(answer.events)
    assert "".join(row["data"] for row in rows).encode() == answer.body
    assert [row["bytes"] for row in rows] == [len(row["data"].encode()) for row in rows]
    assert all(
        row["at_ms"] > row["planned_ms"] - EARLY_MS and row["planned_ms"] >= 5 for row in rows
    )
    assert rows[-1]["planned_ms"] > rows[0]["planned_ms"]
    kinds = [row["kind"] for row in rows]
    assert kinds[0] == kinds[-1] == "other"
    assert {"reasoning", "other"} <= set(kinds)
    assert not found["running"]
    assert found["answer"]["reasoning"].startswith(rows[1]["text"])


def test_headers_are_there_with_the_time_at_which_they_left(paced: MockServer) -> None:
    answer = chat(paced, "hi", stream=True, max_tokens=2)
    head = writes(paced, answer)["head"]
    assert head["status"] == 200
    assert head["at_ms"] > 5 - EARLY_MS
    assert dict(head["headers"])["x-k3mock-source"] == "generator"


def test_a_whole_body_is_one_write(server: MockServer) -> None:
    answer = chat(server, "hi", max_tokens=30)
    found = writes(server, answer)
    [row] = found["writes"]
    assert row["data"].encode() == answer.body
    assert row["planned_ms"] is None
    assert found["answer"]["usage"] == answer.json["usage"]


def test_calls_have_a_kind_of_their_own(paced: MockServer) -> None:
    answer = chat(paced, "weather in Rome?", stream=True, tools=[tool()], tool_choice="required")
    found = writes(paced, answer)
    assert any(row["kind"] == "tool" for row in found["writes"])
    [made] = found["answer"]["tool_calls"]
    assert made["name"] == "get_weather"


def test_an_event_in_several_writes_is_told_whole(paced: MockServer) -> None:
    options = "wire.writes=bytes:40;wire.write_gap_ms=0"
    answer = chat(paced, "hi", stream=True, max_tokens=6, options=options)
    rows = writes(paced, answer)["writes"]
    assert len(rows) > len(answer.events)
    assert "".join(row["data"] for row in rows).encode() == answer.body
    assert sum(row["events"] for row in rows) == len(answer.events)
    assert "reasoning" in {row["kind"] for row in rows}


@pytest.mark.parametrize(
    ("fault", "what"),
    [("cut_mid_stream", "end: unterminated"), ("reset_before_headers", "end: reset")],
)
def test_an_end_before_its_time_is_beside_the_writes(
    paced: MockServer, fault: str, what: str
) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        chat(paced, f"cut {fault}", stream=True, options=f"session={fault};fault={fault}")
    [entry] = call(paced, f"{PREFIX}/requests?session={fault}").json["requests"]
    found = call(paced, f"{PREFIX}/requests/{entry['id']}/writes").json
    check(found, "Writes")
    assert found["beside"][-1]["what"] == what
    assert found["beside"][-1]["kind"] == "fault"


def test_silence_on_purpose_has_a_beginning_and_a_planned_end(paced: MockServer) -> None:
    answer = chat(paced, "hi", stream=True, options="fault=stall(ms:30)")
    [silence] = writes(paced, answer)["beside"]
    assert silence["kind"] == "silence"
    assert silence["planned_until_ms"] - silence["at_ms"] == pytest.approx(30, abs=15)


def test_bytes_past_http_are_shown() -> None:
    with serving() as server:
        with pytest.raises((http.client.HTTPException, OSError)):
            chat(server, options="fault=half_status_line")
        [entry] = call(server, f"{PREFIX}/requests").json["requests"]
        found = call(server, f"{PREFIX}/requests/{entry['id']}/writes").json
    check(found, "Writes")
    assert found["beside"][0]["data"].startswith("HTTP/1.1")
    assert found["head"] is None


def test_a_running_answer_shows_what_left_so_far() -> None:
    with serving(pace="ttft_ms=0,reasoning_tps=20,content_tps=20") as server:

        def ask() -> None:
            with contextlib.suppress(http.client.HTTPException):
                chat(server, "hi", stream=True)

        asking = threading.Thread(target=ask)
        asking.start()
        found: Any = {"writes": []}
        until = time.monotonic() + 10
        while len(found["writes"]) < 3 and time.monotonic() < until:
            time.sleep(0.02)
            listed = call(server, f"{PREFIX}/requests").json["requests"]
            if listed:
                found = call(server, f"{PREFIX}/requests/{listed[0]['id']}/writes").json
        check(found, "Writes")
        assert found["running"]
        assert found["answer"] is None
        server.stop()
        asking.join(10)


def test_writes_come_in_pages(paced: MockServer) -> None:
    answer = chat(paced, "page", stream=True, max_tokens=10)
    whole = writes(paced, answer)["writes"]
    first = writes(paced, answer, "?limit=4")
    assert first["next"] == 3
    rest = writes(paced, answer, f"?after={first['next']}")
    assert first["writes"] + rest["writes"] == whole
    assert rest["next"] is None


def test_no_key_is_in_a_write_or_a_header() -> None:
    key = "sk-Very4711secretkey"
    text = f"""
name: leak
headers: {{x-echo: "{key}"}}
turns: [{{reply: {{reasoning: "safe", content: "your key is {key}, keep it"}}}}]
"""
    with serving(pace="ttft_ms=0,content_tps=5000,reasoning_tps=5000") as server:
        call(server, f"{PREFIX}/scenarios", text.encode())
        answer = chat(server, stream=True)
        assert key in answer.headers["x-echo"]
        path = f"{PREFIX}/requests/{answer.headers['x-k3mock-request']}/writes"
        found = call(server, path)
    assert key.encode() not in found.body
    shown = "".join(row["data"] + row["text"] for row in found.json["writes"])
    assert "4711" not in shown
    assert "safe" in shown
    assert "your key is [redacted], keep it" in found.json["answer"]["content"]


def test_an_unknown_request_has_no_writes(server: MockServer) -> None:
    assert call(server, f"{PREFIX}/requests/req_none/writes").status == 404
