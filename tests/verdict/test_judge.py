from __future__ import annotations

import itertools
import json
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from openai import APIStatusError, OpenAI

from k3mock.answered import MAX_CHARS, answered
from k3mock.journal import JournalEntry, Outcome
from k3mock.protocol.reply import ContentDelta, Reply
from k3mock.verdict.finding import Severity
from k3mock.verdict.judge import judge
from k3mock.verdict.replay import replays
from tests.support import serving, tool
from tests.verdict.clients import ASK, LIMITED, OVERLOADED, TOOLS, Client, results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

GO_ON = {"role": "user", "content": "Go on."}
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with serving() as running:
        yield running


@pytest.fixture
def client(server: MockServer) -> Client:
    return Client(server, f"verdict-{next(NUMBERS)}")


def test_a_client_that_does_everything_right_is_clean(client: Client) -> None:
    history = [ASK]
    for _ in range(3):
        message = client.stream(history, stream_options={"include_usage": True}, **TOOLS).message
        history = [*history, message, *results(message)]
    client.ask(history)
    verdict = client.server.verdict(client.session)
    assert (verdict.findings, verdict.requests, verdict.calls) == ((), 4, 4)
    verdict.assert_clean(Severity.INFO)


def test_a_retry_before_half_of_the_wait_ignores_it(client: Client) -> None:
    client.ask([ASK], fault=LIMITED)
    client.ask([ASK])
    assert client.rules == ["retry_after_ignored"]
    (finding,) = client.findings
    assert finding.severity is Severity.ERROR
    assert finding.message.startswith("the 429 asked for 0.3 s, the retry came after 0.0")
    entries = client.server.app.journal.entries(client.session)
    assert [seen.id for seen in finding.evidence] == [entry.id for entry in entries]
    assert [seen.arrived for seen in finding.evidence] == [entry.arrived for entry in entries]


def test_a_retry_near_the_end_of_the_wait_undercuts_it(client: Client) -> None:
    client.ask([ASK], fault=LIMITED)
    client.wait(0.2)
    client.ask([ASK])
    assert client.rules == ["retry_after_undercut"]


def test_a_retry_after_the_wait_is_right(client: Client) -> None:
    client.ask([ASK], fault=LIMITED)
    client.wait(0.3)
    client.ask([ASK])
    assert client.rules == []


def test_another_request_during_the_wait_is_no_retry(client: Client) -> None:
    client.ask([ASK], fault=LIMITED)
    client.ask([GO_ON])
    assert client.rules == []


def test_a_retry_at_once_has_no_backoff(client: Client) -> None:
    client.ask([ASK], fault=OVERLOADED)
    client.ask([ASK])
    assert client.rules == ["no_backoff"]


def test_a_retry_after_a_pause_has_backoff(client: Client) -> None:
    client.ask([ASK], fault=OVERLOADED)
    client.wait(0.15)
    client.ask([ASK])
    assert client.rules == []


def test_waits_that_never_grow_are_no_backoff(client: Client) -> None:
    for _ in range(4):
        client.ask([ASK], fault=OVERLOADED)
        client.wait(0.2)
    (finding,) = client.findings
    assert finding.rule == "no_backoff"
    assert finding.message.startswith("the waits between 4 attempts never grew: 0.2")


def test_waits_that_grow_are_backoff(client: Client) -> None:
    for wait in (0.12, 0.24, 0.48, 0):
        client.ask([ASK], fault=OVERLOADED)
        client.wait(wait)
    assert client.rules == []


def test_who_is_cut_off_may_try_again_at_once_but_once_only(client: Client) -> None:
    client.stream([ASK], fault="reset_before_headers")
    client.stream([ASK], fault="cut_mid_stream")
    assert client.rules == []
    client.stream([ASK])
    assert client.rules == ["no_backoff"]


def test_many_attempts_in_short_time_are_a_storm(client: Client) -> None:
    for _ in range(6):
        client.ask([ASK], fault=OVERLOADED)
    assert client.rules == ["no_backoff", "retry_storm"]
    assert "one call was tried 6 times, 6 of them within 0." in client.findings[1].message


def test_many_requests_at_once_are_no_storm(client: Client) -> None:
    for fault in ("engine_overloaded(delay_ms:150)", None):
        asked = [
            Thread(target=client.ask, args=([ASK],), kwargs={"fault": fault}) for _ in "1234567"
        ]
        for thread in asked:
            thread.start()
        for thread in asked:
            thread.join()
        client.wait(0.15)
    assert client.rules == []


@pytest.mark.parametrize(
    "fault",
    ["invalid_request", "invalid_key", "api_not_open", "model_not_found", "quota_exhausted",
     "insufficient_balance"],
)  # fmt: skip
def test_an_error_that_waiting_does_not_change_must_not_be_retried(
    client: Client, fault: str
) -> None:
    client.ask([ASK], fault=fault)
    client.wait(1.1 if "quota" in fault or "balance" in fault else 0.15)
    client.ask([GO_ON])
    assert client.rules == []
    client.ask([ASK])
    assert client.rules == ["retried_final_error"]


def test_another_key_after_a_401_is_no_retry(client: Client) -> None:
    client.ask([ASK], fault="invalid_key")
    client.ask([ASK], key="sk-another")
    assert client.rules == []


def test_what_the_mock_itself_refuses_is_no_error_of_the_host(client: Client) -> None:
    client.ask([ASK], fault="no_such_fault")
    client.wait(0.15)
    client.ask([ASK], fault="no_such_fault")
    assert client.rules == []


@pytest.mark.parametrize("fault", ["cut_mid_stream", "clean_close", "cut_before_finish", "neither"])
def test_a_truncated_stream_that_comes_back_was_taken_for_whole(client: Client, fault: str) -> None:
    got = client.stream([ASK], fault=fault)
    assert (got.status, got.finish) == (200, None)
    assert got.message["content"]
    client.stream([ASK, got.message, GO_ON])
    assert client.rules == ["truncated_taken_for_whole"]
    client.stream([ASK, got.message, GO_ON, GO_ON])
    assert client.rules == ["truncated_taken_for_whole"], "it is told once"


def test_a_truncated_stream_that_is_asked_for_again_is_not(client: Client) -> None:
    client.stream([ASK], fault="cut_mid_stream")
    got = client.stream([ASK])
    client.stream([ASK, got.message, GO_ON])
    assert client.rules == []


def test_a_truncated_stream_may_be_gone_on_with(client: Client) -> None:
    got = client.stream([ASK], fault="cut_mid_stream")
    client.stream([ASK, {**got.message, "partial": True}])
    assert client.rules == []


def test_an_answer_without_done_alone_is_whole(client: Client) -> None:
    got = client.stream([ASK], fault="cut_before_done")
    client.stream([ASK, got.message, GO_ON])
    assert client.rules == []


def test_who_stops_an_answer_may_keep_its_beginning(client: Client) -> None:
    got = client.begin([ASK], "stall_forever")
    assert got.message["content"]
    client.stream([ASK, got.message, GO_ON])
    assert client.rules == []


def test_a_call_whose_arguments_broke_off_was_executed(client: Client) -> None:
    got = client.stream([ASK], fault="cut_in_tool_arguments", **TOOLS)
    message = got.message
    assert message["tool_calls"][0]["function"]["arguments"]
    message["tool_calls"][0]["function"]["arguments"] = json.dumps({"city": "P"})
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == ["half_call_executed"]
    assert client.findings[0].severity is Severity.ERROR


def test_a_call_that_is_asked_for_again_is_executed_once_whole(client: Client) -> None:
    client.stream([ASK], fault="cut_in_tool_arguments", **TOOLS)
    message = client.stream([ASK], **TOOLS).message
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == []


def test_a_result_for_a_call_that_the_cap_cut_is_a_warning(client: Client) -> None:
    message = client.stream([ASK], fault="length_in_tool_arguments", **TOOLS).message
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == ["half_call_executed"]
    assert client.findings[0].severity is Severity.WARNING


def test_a_call_with_wrong_arguments_may_be_answered(client: Client) -> None:
    message = client.stream([ASK], fault="invalid_arguments", **TOOLS).message
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == []


def test_calls_that_come_back_under_other_ids(client: Client) -> None:
    message = client.stream([ASK], **TOOLS).message
    for call in message["tool_calls"]:
        call["id"] = f"call_{call['id']}"
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == ["tool_id_changed"]


def test_a_result_under_another_id(client: Client) -> None:
    message = client.stream([ASK], **TOOLS).message
    client.stream([ASK, message, *results(message, id="call_1")], **TOOLS)
    assert client.rules == ["tool_id_changed"]


def test_arguments_may_be_written_otherwise(client: Client) -> None:
    message = client.stream([ASK], **TOOLS).message
    function = message["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(json.loads(function["arguments"]), indent=4)
    client.stream([ASK, message, *results(message)], **TOOLS)
    assert client.rules == []


@pytest.mark.parametrize(
    ("kept", "rule"),
    [(None, "reasoning_dropped"), ("", "reasoning_dropped"), ("Hm.", "reasoning_altered")],
)
def test_reasoning_that_does_not_come_back(client: Client, kept: str | None, rule: str) -> None:
    message = client.stream([ASK]).without("reasoning_content")
    if kept is not None:
        message["reasoning_content"] = kept
    client.stream([ASK, message, GO_ON])
    assert client.rules == [rule]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_may_come_back_under_both_names(client: Client, name: str) -> None:
    got = client.stream([ASK])
    message = got.without("reasoning_content")
    client.stream([ASK, {**message, name: got.message["reasoning_content"]}, GO_ON])
    assert not {"reasoning_dropped", "reasoning_altered"} & set(client.rules)
    assert client.rules == ([] if name == "reasoning_content" else ["silently_removed"])


@pytest.mark.parametrize("profile", ["devotel", "hotrouter"])
def test_reasoning_need_not_come_back_where_the_host_takes_it_away_or_hides_it(
    server: MockServer, profile: str
) -> None:
    client = Client(server, f"{profile};profile={profile}")
    message = client.stream([ASK]).without("reasoning_content")
    client.stream([ASK, message, GO_ON])
    assert server.verdict(profile).at_least("warning") == ()


def test_reasoning_that_a_fault_tore_is_not_held_against_the_client(client: Client) -> None:
    got = client.stream([ASK], fault="dropped_frame")
    client.stream([ASK, got.message, GO_ON])
    assert client.rules == []


def test_another_conversation_is_not_compared(client: Client) -> None:
    message = client.stream([ASK]).without("reasoning_content")
    client.stream([GO_ON, message, GO_ON])
    assert client.rules == []


def test_what_the_host_takes_without_a_word_is_told_once(server: MockServer) -> None:
    client = Client(server, "removed;contract=warn")
    for _ in range(2):
        client.ask([ASK], temperature=0.1)
    (finding,) = server.verdict("removed").findings
    assert (finding.rule, len(finding.evidence)) == ("silently_removed", 2)
    assert finding.message.startswith("2 requests were answered, but: ")
    assert "temperature" in finding.message


def test_who_never_asks_for_usage_is_told(client: Client) -> None:
    for number in range(3):
        client.ask([{"role": "user", "content": f"{number}?"}], stream=True)
    assert client.rules == ["usage_never_asked"]
    client.server.verdict(client.session).assert_clean()
    client.stream([ASK], stream_options={"include_usage": True})
    assert client.rules == []


def test_who_asks_again_for_want_of_done_expects_it(client: Client) -> None:
    client.stream([ASK], fault="no_done")
    client.stream([GO_ON])
    assert client.rules == []
    client.stream([ASK])
    assert client.rules == ["done_expected"]


def long_chat(first: str, turns: int) -> list[dict[str, Any]]:
    said = [{"role": "system", "content": first}]
    for turn in range(turns):
        said += [{"role": "user", "content": f"Question {turn}: " + "why? " * 100},
                 {"role": "assistant", "content": "So."}]  # fmt: skip
    return [*said, GO_ON]


def test_a_beginning_that_changes_keeps_the_cache_from_helping(client: Client) -> None:
    for turns in (2, 3, 4):
        client.ask(long_chat(f"It is {turns} o'clock.", turns))
    (finding,) = client.findings
    assert finding.rule == "growing_prompt_uncached"
    assert "the prompt grew 2 times without one cached token, because messages[0]" in str(finding)


def test_tools_that_change_do_so_too(client: Client) -> None:
    for turns in (2, 3, 4):
        client.ask(long_chat("Be short.", turns), tools=[tool(f"tool_{turns}")])
    assert client.rules == ["growing_prompt_uncached"]


def test_a_beginning_that_stays_is_right(client: Client) -> None:
    for turns in (2, 3, 4):
        client.ask(long_chat("Be short.", turns))
    assert client.rules == []


def test_a_retry_beside_the_attempt_that_still_runs_left_it_open(client: Client) -> None:
    with client.asking([ASK], fault="stall_forever", stream=True, retry=0):
        client.wait(0.05)
        client.stream([ASK], retry=1)
        assert client.rules == ["connection_left_open"]


def test_a_retry_after_the_connection_was_closed_is_right(client: Client) -> None:
    with client.asking([ASK], fault="stall_forever", stream=True, retry=0):
        client.wait(0.05)
    client.stream([ASK], retry=1)
    assert client.rules == []


def test_the_same_request_beside_another_is_no_retry(client: Client) -> None:
    with client.asking([ASK], fault="stall_forever", stream=True, retry=0):
        client.wait(0.05)
        client.stream([ASK], retry=0)
        assert client.rules == []


def test_an_answer_that_runs_on_after_it_was_given_up(client: Client) -> None:
    with client.asking([ASK], fault="slow_headers(delay_ms:300)", retry=0) as connection:
        client.wait(0.05)
        client.ask([ASK], retry=1)
        connection.getresponse().read()
    (finding,) = client.findings
    assert finding.rule == "abort_never_arrived"
    assert "it ran on for 0." in finding.message


def test_going_on_with_the_beginning_of_an_answer_that_still_runs_left_it_open(
    client: Client,
) -> None:
    with client.asking([ASK], fault="stall_forever", stream=True) as connection:
        message = client.begun(connection).message
        client.stream([ASK, message, GO_ON])
        assert client.rules == ["connection_left_open"]


def test_the_last_answer_may_be_shortened_at_once(client: Client) -> None:
    message = client.stream([ASK]).message
    message["content"] = message["content"][:9]
    client.stream([ASK, message, GO_ON])
    assert client.rules == []


def test_a_truncated_answer_may_come_back_shortened_once_a_whole_one_came(client: Client) -> None:
    message = client.stream([ASK], fault="cut_mid_stream").message
    client.stream([ASK])
    client.stream([ASK, message, GO_ON])
    assert client.rules == []


def test_broken_text_that_is_none_of_the_answer_is_not_compared(client: Client) -> None:
    client.stream([ASK], fault="cut_mid_stream")
    client.stream([ASK, {"role": "assistant", "content": "[stopped]"}, GO_ON])
    assert client.rules == []


def test_a_half_call_without_a_result_was_not_executed(client: Client) -> None:
    got = client.stream([ASK], fault="cut_in_tool_arguments", **TOOLS)
    client.stream([ASK, {**got.without("tool_calls"), "content": "Hm."}, GO_ON])
    assert client.rules == []
    client.stream([ASK, got.message, GO_ON], **TOOLS)
    assert client.rules == []


def test_content_may_come_back_as_parts_and_reasoning_in_another_form(client: Client) -> None:
    got = client.stream([ASK])
    parts = [{"type": "text", "text": got.message["content"]}]
    client.stream([ASK, {"role": "assistant", "content": parts}, GO_ON])
    assert client.rules == []


def test_a_longer_pause_begins_another_call() -> None:
    def entry(number: int, at_ms: float) -> JournalEntry:
        return JournalEntry(
            id=f"req_{number}", session="s", profile="moonshot", method="POST",
            path="/v1/chat/completions", headers={}, status=400, arrived_ms=at_ms,
            outcome=Outcome(end="error", duration_ms=1.0),
        )  # fmt: skip

    soon, late = judge([entry(1, 0), entry(2, 60_000)]), judge([entry(1, 0), entry(2, 200_000)])
    assert [found.rule for found in soon.findings] == ["retried_final_error"]
    assert (late.findings, late.calls) == ((), 2)


def test_of_a_long_answer_its_beginning_is_compared() -> None:
    said = Reply(events=(ContentDelta("x" * (MAX_CHARS + 9)),))
    kept = answered(said, None, reasoning=False)
    assert kept is not None
    for text, begins in (
        ("x" * (MAX_CHARS + 5), True),
        ("y" * (MAX_CHARS + 5), False),
        ("x", True),
    ):
        (back,) = replays([{"role": "assistant", "content": text}])
        assert back.begins(kept) is begins


@pytest.mark.parametrize("fault", [OVERLOADED, "rate_limited(retry_after:1)", "invalid_key"])
def test_the_sdk_retries_as_it_should(client: Client, fault: str) -> None:
    base = f"{client.server.address}/with/session={client.session};fault={quote(fault)}/v1"
    with OpenAI(base_url=base, api_key="sk-x", max_retries=1) as sdk, pytest.raises(APIStatusError):
        sdk.chat.completions.create(model="kimi-k3", messages=[{"role": "user", "content": "?"}])
    verdict = client.server.verdict(client.session)
    assert (verdict.findings, verdict.calls) == ((), 1)
    assert verdict.requests == (1 if fault == "invalid_key" else 2)


def test_what_only_two_changed_requests_show_is_not_told(client: Client) -> None:
    client.ask(long_chat("It is 2.", 2), tools=[tool("a")])
    client.ask(long_chat("It is 3.", 3), model="kimi-k3", tools=[tool("b")])
    client.ask([{"role": "user", "content": str(number) * 900} for number in range(9)])
    assert client.rules == []


def test_sessions_are_judged_apart(server: MockServer) -> None:
    guilty, innocent = Client(server, "guilty"), Client(server, "innocent")
    guilty.ask([ASK], fault=OVERLOADED)
    innocent.ask([ASK])
    assert (guilty.rules, innocent.rules) == ([], [])
    guilty.ask([ASK])
    assert (guilty.rules, innocent.rules) == (["no_backoff"], [])
    assert {found.session for found in server.verdict().findings} >= {"guilty"}


def test_a_verdict_that_is_not_clean_fails_with_what_was_found(client: Client) -> None:
    client.ask([ASK], fault=OVERLOADED)
    client.ask([ASK])
    verdict = client.server.verdict(client.session)
    verdict.assert_clean(Severity.ERROR)
    with pytest.raises(AssertionError, match=r"did 1 thing wrong:\n  warning no_backoff: "):
        verdict.assert_clean()
