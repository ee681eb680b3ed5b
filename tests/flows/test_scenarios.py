"""Scenarios over a socket: loaded, pinned, retried, refused by the contract, and missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import k3mock
from k3mock.scenario.problem import ScenarioError
from tests.scenario.loading import saved
from tests.support import call, chat, request, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer
    from tests.support import Answer

TEXT = """
    scenarios:
      - name: greeting
        turns:
          - when: {last: {role: user, content: {starts_with: hello, ignore_case: true}}}
            reply:
              reasoning: A greeting.
              content: {template: "You said {{ last.content }}."}
              headers: {x-seen: greeting}
      - name: flaky
        turns:
          - {when: {last: flaky}, reply: {error: {name: rate_limited, seconds: 1}}, times: 2}
          - {when: {last: flaky}, reply: Fine., times: 1}
      - name: broken_template
        turns: [{when: {last: broken}, reply: {content: {template: "{{ request.user }}"}}}]
      - name: million
        turns: [{when: {last: many words}, reply: {content: {tokens: 1000000}}}]
      - name: lenient
        contract: "off"
        turns: [{when: {last: lenient}, reply: Anything goes.}]
      - name: made_up
        turns: [{when: {last: made-up}, reply: {finish_reason: content_filter, cached_tokens: 3}}]
"""


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    path = saved(tmp_path_factory.mktemp("flows"), TEXT)
    with serving(scenarios=(str(path),)) as server:
        yield server


def labels(server: MockServer, content: str, times: int, **more: Any) -> list[str]:
    answers = [chat(server, content, **more) for _ in range(times)]
    return [f"{each.status} {each.headers['x-k3mock-source']}" for each in answers]


def test_a_loaded_scenario_answers_what_it_matches(scripted: MockServer) -> None:
    answer = chat(scripted, "Hello, you")
    assert answer.headers["x-k3mock-source"] == "scenario:greeting#1"
    assert answer.headers["x-seen"] == "greeting"
    assert answer.message["content"] == "You said Hello, you."
    assert answer.message["reasoning_content"] == "A greeting."


def test_the_generator_answers_the_rest(scripted: MockServer) -> None:
    assert chat(scripted, "something else").headers["x-k3mock-source"] == "generator"


def test_a_stream_says_the_same(scripted: MockServer) -> None:
    events = chat(scripted, "hello", stream=True).events
    deltas = [event["choices"][0]["delta"] for event in events[:-1] if event["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "You said hello."


def test_a_turn_that_fails_twice_counts_retries_and_then_works(scripted: MockServer) -> None:
    assert labels(scripted, "flaky", 4, options="session=flaky") == [
        "429 scenario:flaky#1+rate_limited", "429 scenario:flaky#1+rate_limited",
        "200 scenario:flaky#2", "200 generator",
    ]  # fmt: skip


def test_the_clients_retry_count_says_that_it_tries_again(scripted: MockServer) -> None:
    def send(count: int) -> Answer:
        headers = {"x-stainless-retry-count": str(count)}
        path = "/with/session=counted/v1/chat/completions"
        return call(scripted, path, request("flaky"), headers=headers)

    assert [send(count).status for count in (0, 1, 2)] == [429, 429, 200]
    again = send(3)
    assert (again.status, again.message["content"]) == (200, "Fine.")


def test_a_pinned_scenario_answers_alone(scripted: MockServer) -> None:
    assert labels(scripted, "hello", 1, options="scenario=greeting") == ["200 scenario:greeting#1"]
    missed = chat(scripted, "bye", options="scenario=greeting")
    assert (missed.status, missed.headers["x-k3mock-source"]) == (422, "miss:no_match")
    assert missed.headers["x-should-retry"] == "false"
    assert "last.content: wanted starts_with 'hello'" in missed.error["message"]


def test_an_unknown_pin_names_the_nearest(scripted: MockServer) -> None:
    wrong = chat(scripted, options="scenario=greting")
    assert (wrong.status, wrong.error["type"]) == (422, "k3mock_error")
    assert "did you mean 'greeting'?" in wrong.error["message"]


def test_a_failing_template_is_the_mocks_own_error(scripted: MockServer) -> None:
    wrong = chat(scripted, "broken")
    assert wrong.error["type"] == "k3mock_error"
    assert (
        "own.yaml:14:13: scenario 'broken_template', turn 1, reply.content: the template failed: "
    ) in wrong.error["message"]


def test_the_contract_goes_before_a_loaded_scenario_unless_that_says_otherwise(
    scripted: MockServer,
) -> None:
    assert chat(scripted, "hello", temperature=0.1).status == 400
    assert chat(scripted, "lenient", temperature=0.1).status == 200


def test_generated_words_may_end_otherwise(scripted: MockServer) -> None:
    answer = chat(scripted, "made-up", options="session=made")
    assert answer.json["choices"][0]["finish_reason"] == "content_filter"
    assert answer.message["content"]
    assert answer.json["usage"]["cached_tokens"] == 3


def test_without_the_generator_a_miss_says_what_came_near(tmp_path: Path) -> None:
    path = saved(tmp_path, "name: a\nturns: [{when: {last: {role: user, content: x}}, reply: y}]")
    with serving(scenarios=(str(path),), on_miss="error") as server:
        missed = chat(server, "hi")
    assert "last.content: wanted equals 'x', found 'hi'" in missed.error["message"]


def test_start_takes_scenarios(tmp_path: Path) -> None:
    path = saved(tmp_path, "name: a\nturns: [{reply: from a file}]")
    with k3mock.start(scenarios=[str(path)]) as server:
        assert chat(server).message["content"] == "from a file"


def test_a_broken_file_keeps_the_server_from_starting(tmp_path: Path) -> None:
    path = saved(tmp_path, "name: a\nturns: [{rply: x}]")
    with pytest.raises(ScenarioError, match="unknown key 'rply'"):
        k3mock.start(scenarios=[str(path)]).start()


def test_the_contract_refuses_before_a_template_is_filled_in(scripted: MockServer) -> None:
    assert chat(scripted, "broken", temperature=0.3).status == 400
    assert chat(scripted, "broken").error["type"] == "k3mock_error"


def test_a_million_words_are_not_made_up_for_ten_tokens(scripted: MockServer) -> None:
    answer = chat(scripted, "many words", max_tokens=10)
    assert answer.json["usage"]["completion_tokens"] == 10
    assert answer.json["choices"][0]["finish_reason"] == "length"
