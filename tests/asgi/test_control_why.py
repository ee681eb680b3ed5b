from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.asgi.test_control_openapi import check
from tests.support import Answer, call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

SCENARIO = b"""
scenarios:
  - name: weather
    turns:
      - {when: {last: {role: user, content: {contains: weather}}, stream: true}, reply: Sunny.}
      - {when: {last: {role: user, content: {contains: snow}}, attempt: 2}, reply: Cold.}
      - {when: {last: once}, reply: One., times: 1}
  - name: header
    headers: {x-a: b}
"""


@pytest.fixture(scope="module")
def asked() -> Iterator[MockServer]:
    with serving(on_miss="error") as server:
        call(server, "/__k3mock__/scenarios", SCENARIO)
        yield server


def why(server: MockServer, answer: Answer) -> Any:
    name = answer.headers["x-k3mock-request"]
    found = call(server, f"/__k3mock__/requests/{name}/why")
    assert found.status == 200
    check(found.json, "Why")
    return found.json


def test_the_turn_that_answered_comes_first_with_its_pattern(asked: MockServer) -> None:
    found = why(asked, chat(asked, "once"))
    first = found["turns"][0]
    assert (first["scenario"], first["turn"], first["answered"]) == ("weather", 3, True)
    assert (first["held"], first["parts"], first["hits"], first["times"]) == (1, 1, 1, 1)
    assert first["where"].startswith("scenario:")
    assert found["bending"] == ["header"]
    assert found["miss"] is None


def test_near_misses_say_every_part_that_differs(asked: MockServer) -> None:
    found = why(asked, chat(asked, "weather"))
    assert found["miss"]["reason"] == "no_match"
    near = found["turns"][0]
    assert (near["turn"], near["answered"], near["held"], near["parts"]) == (1, False, 2, 3)
    assert near["differences"] == [{"key": "stream", "wanted": "true", "found": "false"}]
    assert len(found["turns"][-1]["differences"]) >= 1


def test_the_attempt_is_that_of_the_request(asked: MockServer) -> None:
    first, second = chat(asked, "snow"), chat(asked, "snow")
    assert second.status == 200
    told = why(asked, first)["turns"][0]
    assert [each["key"] for each in told["differences"]] == ["attempt"]
    assert why(asked, second)["turns"][0]["answered"]


def test_a_refusal_and_warnings_show_their_evidence(asked: MockServer) -> None:
    found = why(asked, chat(asked, "once", temperature=0))
    assert found["source"] == "contract:temperature.fixed"
    rule = found["rules"]["temperature.fixed"]
    assert rule["evidence"]
    assert rule["where"]
    warned = why(asked, chat(asked, "once", max_tokens=1, options="session=w"))
    assert list(warned["rules"]) == ["max_tokens.deprecated"]


def test_a_request_that_is_no_chat_has_no_turns(asked: MockServer) -> None:
    assert why(asked, call(asked, "/v1/models"))["turns"] is None
    assert why(asked, call(asked, "/v1/chat/completions", b"{"))["turns"] is None
    assert call(asked, "/__k3mock__/requests/req_none/why").status == 404


def test_no_key_is_in_a_difference() -> None:
    text = b"name: p\nturns: [{when: {last: my-server-key, stream: true}, reply: x}]"
    with serving(on_miss="error", api_keys=["my-server-key"]) as server:
        call(server, "/__k3mock__/scenarios", text)
        body = {"model": "kimi-k3", "messages": [{"role": "user", "content": "my-server-key"}]}
        answer = call(server, "/v1/chat/completions", body, key="my-server-key")
        name = answer.headers["x-k3mock-request"]
        found = call(server, f"/__k3mock__/requests/{name}/why", key=None)
        assert b"my-server-key" not in found.body
