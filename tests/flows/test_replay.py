"""Recorded sessions are served over HTTP: in order, write for write, whatever the contract says."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import openai
import pytest
import requests
import vcr

import k3mock
from k3mock.cassette.format import write
from k3mock.cassette.interaction import End
from k3mock.errors import K3MockError
from tests.cassette.tapes import JSON, STREAM, recorded
from tests.sockets.raw import outcome, read_all
from tests.support import CHAT, call, chat, profile_file, request, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from k3mock.serving import MockServer

SCENARIO = """\
name: greeting
turns:
  - when: {last: {content: {contains: scripted}}}
    reply: {content: from the scenario}
"""


def answer(text: str) -> str:
    """Return a whole chat answer."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "kimi-k3",
                       "choices": [choice]})  # fmt: skip


def events(*texts: str) -> list[bytes]:
    """Return the events of a streamed answer."""
    chunks = [
        {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "kimi-k3",
         "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        for text in texts
    ]  # fmt: skip
    return [*(f"data: {json.dumps(each)}\n\n".encode() for each in chunks), b"data: [DONE]\n\n"]


@pytest.fixture
def taped(tmp_path: Path) -> Callable[..., str]:
    """Writes a cassette: requests with their answers, or whole interactions."""

    def made(*items: Any, name: str = "login.yaml") -> str:
        interactions = [
            recorded(request(item[0]), answer(item[1]), number=number)
            if isinstance(item, tuple)
            else item
            for number, item in enumerate(items, 1)
        ]
        write(tmp_path / name, interactions)
        return str(tmp_path / name)

    return made


def content(server: MockServer, text: str, **fields: Any) -> str:
    said: str = chat(server, text, **fields).message["content"]
    return said


def test_a_file_of_stock_vcrpy_is_served_to_another_client(tmp_path: Path) -> None:
    path = tmp_path / "stock.yaml"
    asked = request("Say it in five words.", stream=True)
    with serving(seed=1) as upstream, vcr.use_cassette(str(path), match_on=["method", "body"]):
        live = requests.post(f"{upstream.address}{CHAT}", json=asked, timeout=30,
                             headers={"authorization": "Bearer sk-secret-of-mine"})  # fmt: skip
    with k3mock.start(cassettes=[str(path)]) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="sk-other", max_retries=0)
        with client:
            chunks = list(client.chat.completions.create(**asked))
        again = call(server, CHAT, asked)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert b"[DONE]" in live.content
    assert again.status == 422
    assert again.error["code"] == "exhausted"


def test_bytes_headers_and_status_are_the_recorded_ones(taped: Callable[..., str]) -> None:
    headers = (*JSON, ("x-request-id", "abc"), ("content-length", "999"), ("server", "nginx"))
    item = recorded(request("hi"), answer("recorded"), headers=headers, number=1)
    with serving(cassettes=(taped(item),)) as server:
        found = chat(server)
    assert found.status == 200
    assert found.body == answer("recorded").encode()
    assert found.headers["x-request-id"] == "abc"
    assert found.headers["content-length"] == str(len(found.body))
    assert found.headers["x-k3mock-source"] == "cassette:login.yaml#1"
    assert found.headers["x-k3mock-match"] == "exact"
    assert found.headers["x-k3mock-interaction"] == "1"
    assert "date" in found.headers
    assert not {"server", "msh-request-id"} & set(found.headers)


def test_writes_are_the_recorded_ones_in_order_and_not_before_their_time(
    taped: Callable[..., str],
) -> None:
    body = b"".join(events("Hel", "lo", " world"))
    sizes = [10, 100, 3, 200]
    sizes.append(len(body) - sum(sizes))
    chunks = tuple((20_000, size) for size in sizes)
    item = recorded(request("hi", stream=True), body, headers=STREAM, head_us=10_000, chunks=chunks)
    with serving(cassettes=(taped(item),), pace="recorded") as server:
        seen = read_all(server, "session=w")
        ended = outcome(server, "w")
    assert [len(piece) for piece in seen.bodies] == sizes
    assert seen.body == body
    assert seen.times[-1] - seen.times[0] >= 0.07
    assert (ended.end, ended.events, ended.bytes) == ("complete", 4, len(body))


def test_a_stream_that_broke_off_breaks_off_again(taped: Callable[..., str]) -> None:
    body = b"".join(events("Hel", "lo")[:2])
    item = recorded(request("hi", stream=True), body, headers=STREAM, end=End.UPSTREAM_ERROR,
                    chunks=((0, len(body)),))  # fmt: skip
    with serving(cassettes=(taped(item),), exhausted="repeat-last") as server:
        seen = read_all(server)
        client = openai.OpenAI(base_url=server.base_url, api_key="x", max_retries=0)
        with client:
            chunks = client.chat.completions.create(**request("hi", stream=True))
            said = [next(chunks).choices[0].delta.content for _ in range(2)]
            with pytest.raises(openai.APIConnectionError):
                next(chunks)
    assert seen.body == body
    assert not seen.all.endswith(b"0\r\n\r\n")
    assert seen.end == "fin"
    assert said == ["Hel", "lo"]


def test_errors_come_again_with_their_headers_and_a_retry_gets_the_next_recording(
    taped: Callable[..., str],
) -> None:
    refused = recorded(
        request("hi"), '{"error": {"message": "slow down", "type": "rate_limit"}}', status=429,
        headers=(*JSON, ("retry-after", "0.01")),
    )  # fmt: skip
    served = recorded(request("hi"), answer("now"), number=2)
    with serving(cassettes=(taped(refused, served),)) as server:
        with openai.OpenAI(base_url=server.base_url, api_key="x", max_retries=2) as client:
            found = client.chat.completions.create(**request("hi"))
        entries = server.app.journal.entries()
    assert found.choices[0].message.content == "now"
    assert [entry.status for entry in entries] == [429, 200]
    assert [entry.outcome.end for entry in entries] == ["error", "complete"]


def test_recordings_need_no_key_and_no_valid_request(taped: Callable[..., str]) -> None:
    odd = recorded({"model": "other", "messages": "none"}, answer("anyway"))
    models = recorded(b"", '{"data": ["recorded"]}', method="GET", number=2,
                      uri="https://h/v1/models")  # fmt: skip
    strange = recorded({"input": "x"}, "[1, 2]", uri="https://h/api/v9/embeddings", number=3)
    with serving(cassettes=(taped(odd, models, strange),)) as server:
        assert call(server, CHAT, {"model": "other", "messages": "none"}, key=None).status == 200
        assert call(server, "/v1/models").json == {"data": ["recorded"]}
        assert call(server, "/other/v9/embeddings", {"input": "x"}, key=None).json == [1, 2]


def test_where_only_recordings_answer_the_rest_is_a_miss_not_a_refusal(
    taped: Callable[..., str],
) -> None:
    with serving(cassettes=(taped(("hi", "x")),)) as server:
        for found in (
            chat(server, "hi", temperature=7),
            chat(server, "ho"),
            call(server, "/v1/models", key=None),
            call(server, "/unknown", {"a": 1}),
        ):
            assert found.status == 422
            assert found.error["type"] == "k3mock_error"
            assert found.headers["x-should-retry"] == "false"
            assert found.headers["x-k3mock-source"].startswith("miss:")


def test_beside_the_generator_recordings_come_first(taped: Callable[..., str]) -> None:
    with serving(cassettes=(taped(("hi", "recorded")),), on_miss="generate") as server:
        assert content(server, "hi") == "recorded"
        assert chat(server, "hi").headers["x-k3mock-source"] == "generator"
        assert chat(server, "hi", temperature=7).status == 400
        assert call(server, "/v1/models").json["object"] == "list"
        assert chat(server, "hi", options="cassette=login;session=pinned").status == 200
        pinned = chat(server, "hi", options="cassette=login;session=pinned")
        assert pinned.error["code"] == "exhausted"


def test_a_scenario_goes_before_recordings_unless_the_contract_refuses(
    taped: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "greeting.yaml").write_text(SCENARIO)
    refused = recorded(request("scripted", temperature=7), answer("recorded"), number=3)
    tape = taped(("hi", "recorded"), ("scripted", "recorded"), refused)
    given = {"scenarios": (str(tmp_path / "greeting.yaml"),), "cassettes": (tape,)}
    with serving(**given) as server:
        assert content(server, "hi") == "recorded"
        assert content(server, "scripted") == "from the scenario"
        assert content(server, "scripted", temperature=7) == "recorded"
        assert not server.app.journal.entries()[-1].warnings
        assert chat(server, "scripted", temperature=7).status == 400
        assert call(server, CHAT, request("scripted"), key=None).json["choices"]
        assert chat(server, "new").headers["x-k3mock-source"] == "generator"
        alone = chat(server, "hi", options="scenario=greeting;session=s")
        assert "pinned scenario" in alone.error["message"]
        only = chat(server, "scripted", options="cassette=login;session=s")
        assert only.message["content"] == "from the scenario"
        missed = chat(server, "neither", options="cassette=login;session=s")
        assert missed.error["code"] == "no_match"


def test_a_pinned_fault_goes_before_everything(taped: Callable[..., str]) -> None:
    with serving(cassettes=(taped(("hi", "recorded")),)) as server:
        assert chat(server, "hi", options="fault=rate_limited").status == 429
        assert call(server, "/with/fault=engine_overloaded/v1/models").status != 422
        assert content(server, "hi") == "recorded"


def test_faults_of_bytes_and_time_act_on_recordings_and_others_say_that_they_cannot(
    taped: Callable[..., str],
) -> None:
    body = b"".join(events("Hello"))
    item = recorded(request("hi", stream=True), body, headers=STREAM)
    with serving(cassettes=(taped(item),), exhausted="repeat-last") as server:
        cut = read_all(server, "fault=cut_mid_stream(after_bytes:20)")
        bytewise = read_all(server, "fault=one_byte_writes;wire.write_gap_ms=0")
        words = chat(server, "hi", stream=True, options="fault=leaked_markers")
        knob = chat(server, "hi", stream=True, options="wire.writes=nothing")
        pace = chat(server, "hi", stream=True, options="pace=nothing")
    assert cut.body == body[:20]
    assert bytewise.body == body
    assert words.status == 422
    assert "recorded" in words.error["message"]
    assert "unknown value of the wire knob" in knob.error["message"]
    assert "unknown pace" in pace.error["message"]


def test_a_cassette_is_chosen_by_its_name(taped: Callable[..., str], tmp_path: Path) -> None:
    taped(("hi", "one"), name="one.yaml")
    taped(("hi", "two"), name="two.yaml")
    with serving(cassettes=(str(tmp_path),)) as server:
        assert content(server, "hi", options="cassette=two") == "two"
        assert content(server, "hi", options="cassette=one") == "one"
        assert content(server, "hi") == "one"
        header = call(server, CHAT, request("hi"), headers={"x-k3mock": "cassette=two;session=h"})
        assert header.message["content"] == "two"
        for name in ("three", "..%2Ftwo", "a%5Cb"):
            found = chat(server, "hi", options=f"cassette={name}")
            assert found.status == 422
            assert found.error["code"] == "cassette_not_found"
        assert "known: one, two" in chat(server, "hi", options="cassette=x").error["message"]


def test_without_any_cassette_a_named_one_is_not_found() -> None:
    with serving() as server:
        found = chat(server, "hi", options="cassette=login")
        assert found.error["code"] == "cassette_not_found"
        assert "none was given" in found.error["message"]


def test_a_miss_says_what_differs_and_is_remembered(taped: Callable[..., str]) -> None:
    with serving(cassettes=(taped(("What is the weather in Izmir?", "warm")),)) as server:
        asked = request("What is the weather in Bergama?", user="sk-abcdefghijkl")
        found = call(server, "/with/session=t1" + CHAT, asked, key="my-own-key-of-mine")
        text = found.error["message"]
        kept = call(server, "/__k3mock__/misses?session=t1").json["misses"]
        others = call(server, "/__k3mock__/misses?session=t2").json["misses"]
        wrong = call(server, "/__k3mock__/misses?sesion=t2")
        call(server, "/__k3mock__/reset?session=t2", b"")
        assert len(server.app.pipeline.misses.all()) == 1
        call(server, "/__k3mock__/reset", b"")
        assert server.app.pipeline.misses.all() == []
    assert found.error["code"] == "no_match"
    assert text.startswith("k3mock: no recording in login.yaml matches")
    assert "in [-Izmir-]{+Bergama+}?" in text
    assert "sk-abcdefghijkl" not in found.body.decode()
    assert [(each["reason"], each["nearest"], each["path"]) for each in kept] == [
        ("no_match", "login.yaml#1", CHAT)
    ]
    assert text == f"k3mock: {kept[0]['message']}"
    assert kept[0]["id"] == found.headers["x-k3mock-request"]
    assert others == []
    assert wrong.status == 400


def test_what_no_scenario_answers_is_remembered_too(tmp_path: Path) -> None:
    (tmp_path / "greeting.yaml").write_text(SCENARIO)
    with serving(scenarios=(str(tmp_path / "greeting.yaml"),), on_miss="error") as server:
        chat(server, "unheard of")
        kept = call(server, "/__k3mock__/misses").json["misses"]
    assert [each["reason"] for each in kept] == ["nothing_similar"]


def test_a_hundred_equal_requests_at_once_get_a_hundred_answers(
    taped: Callable[..., str],
) -> None:
    tape = taped(*(("hi", f"answer {number}") for number in range(100)))
    with serving(cassettes=(tape,)) as server, ThreadPoolExecutor(25) as pool:
        found = list(pool.map(lambda _: content(server, "hi"), range(100)))
    assert sorted(found) == sorted(f"answer {number}" for number in range(100))


def test_long_requests_are_found_too_and_in_their_order(taped: Callable[..., str]) -> None:
    long = "word " * 40_000
    tape = taped(*((long, f"answer {number}") for number in range(4)), ("hi", "short"))
    with serving(cassettes=(tape,)) as server, ThreadPoolExecutor(4) as pool:
        assert content(server, "hi") == "short"
        found = list(pool.map(lambda _: content(server, long), range(4)))
        missed = chat(server, f"{long}more")
    assert sorted(found) == [f"answer {number}" for number in range(4)]
    assert "{+more+}" in missed.error["message"]


def test_a_pace_in_the_base_url_changes_that_of_the_recording(taped: Callable[..., str]) -> None:
    body = b"".join(events("Hello"))
    item = recorded(request("hi", stream=True), body, headers=STREAM,
                    chunks=((60_000_000, len(body)),))  # fmt: skip
    given = {"cassettes": (taped(item),), "pace": "recorded", "exhausted": "cycle"}
    with serving(**given) as server:
        for pace in ("instant", "speed=1e4", "recorded,max_gap_ms=5"):
            assert read_all(server, f"pace={pace}").body == body


def test_what_is_only_nearly_the_same_is_marked_and_can_be_refused(
    taped: Callable[..., str],
) -> None:
    tape = taped(recorded(request("hi", prompt_cache_key="1"), answer("x")))
    with serving(cassettes=(tape,)) as server:
        assert chat(server, "hi", prompt_cache_key="2").headers["x-k3mock-match"] == "relaxed"
    with serving(cassettes=(tape,), strict_match=True) as server:
        assert chat(server, "hi", prompt_cache_key="2").error["code"] == "no_match"
    with serving(cassettes=(tape,), ignore=("seed",), ignore_text=("[a-z]+",)) as server:
        assert chat(server, "ho", seed=7).status == 200


def test_recorded_answers_and_contract_are_compared_when_asked(taped: Callable[..., str]) -> None:
    items = [
        recorded(request("one", temperature=7), answer("accepted live"), number=1),
        recorded(request("two"), '{"error": {}}', status=400, number=2),
        recorded(request("three"), answer("the same"), number=3),
        recorded(request("four", temperature=7), '{"error": {}}', status=400, number=4),
        recorded(request("five", temperature=7), '{"error": {}}', status=429, number=5),
        recorded(b"no json", '{"error": {}}', status=404, number=6),
        recorded(b"", "{}", method="GET", uri="https://h/v1/models", number=7),
    ]
    with serving(cassettes=(taped(*items),), check_contract=True) as server:
        hot: dict[str, Any] = {"temperature": 7}
        none: dict[str, Any] = {}
        for text, fields in zip(("one", "two", "three", "four", "five"),
                                (hot, none, none, hot, hot), strict=True):  # fmt: skip
            chat(server, text, **fields)
        call(server, CHAT, b"no json")
        call(server, "/v1/models")
        noted = [[(each.rule, each.message) for each in entry.warnings]
                 for entry in server.app.journal.entries()]  # fmt: skip
    [(rule, text)] = noted[0]
    assert rule != "drift"
    assert text.startswith("recorded 200, the contract refuses with 400: ")
    [(rule, text)] = noted[1]
    assert rule == "drift"
    assert "recorded 400, the contract of moonshot accepts" in text
    assert noted[2] == noted[3] == noted[4] == noted[6] == []
    assert noted[5][0][1].startswith("recorded 404, the contract refuses with 400")


def test_a_header_that_the_contract_refuses_is_told_as_drift(
    taped: Callable[..., str], tmp_path: Path
) -> None:
    tape = taped(("hi", "x"))
    rule = "extends: moonshot\nrules: {user_agent.refused: {enabled: true}}\n"
    profile = profile_file(tmp_path, rule)
    with serving(cassettes=(tape,), check_contract=True, profile=profile) as server:
        call(server, CHAT, request("hi"), headers={"User-Agent": "someone"})
        [entry] = server.app.journal.entries()
    assert [each.message[:12] for each in entry.warnings] == ["recorded 200"]


def test_call_ids_of_recordings_count_as_given_out(taped: Callable[..., str]) -> None:
    def called(call_id: str) -> list[dict[str, Any]]:
        function = {"name": "f", "arguments": "{}"}
        return [{"index": 0, "id": call_id, "type": "function", "function": function}]

    whole = json.dumps({"choices": [{"message": {"tool_calls": called("own_1")}}]})
    chunk = json.dumps({"choices": [{"delta": {"tool_calls": called("own_2")}}]})
    odd = json.dumps({"choices": [{"delta": {"tool_calls": [{"id": 7}]}}]})
    streamed = f'data: {chunk}\n\ndata: {odd}\n\ndata: {{"tool_calls": \n\ndata: [DONE]\n\n'
    items = [recorded(request("one"), whole), recorded(request("two"), streamed, number=2)]
    with serving(cassettes=(taped(*items),)) as server:
        chat(server, "one")
        chat(server, "two")
        issued = server.app.pipeline.sessions.get("default").issued
        assert issued.issued_call("own_1")
        assert issued.issued_call("own_2")


def test_a_damaged_cassette_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("interactions: null\nversion: 1\n")
    with pytest.raises(K3MockError, match=r"a\.yaml"):
        k3mock.start(cassettes=[str(tmp_path / "a.yaml")]).start()


def test_a_damaged_file_of_a_folder_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("interactions: null\nversion: 1\n")
    with serving(cassettes=(str(tmp_path),)) as server:
        found = chat(server, options="cassette=a")
        assert found.error["code"] == "cassette_not_found"
        assert "a.yaml" in found.error["message"]


def test_a_session_handle_forgets_its_misses(taped: Callable[..., str]) -> None:
    with serving(cassettes=(taped(("hi", "x")),)) as server:
        mock = k3mock.K3Mock(server, "mine")
        assert content(server, "hi", options="session=mine") == "x"
        assert chat(server, "hi", options="session=mine").status == 422
        mock.reset()
        assert server.app.pipeline.misses.all() == []
        assert content(server, "hi", options="session=mine") == "x"
