"""What a test scripts, asks and asserts through its session."""

from __future__ import annotations

import asyncio
import threading
import uuid
from typing import TYPE_CHECKING, Any

import openai
import pytest

from k3mock import K3Mock
from k3mock.errors import K3MockError
from k3mock.handle import asserting
from k3mock.handle.words import ReplyWords, WhenWords
from k3mock.protocol.reply import written
from k3mock.scenario.problem import ScenarioError
from k3mock.scenario.shape_reply import REPLY
from k3mock.scenario.shape_when import WHEN
from tests.support import call, request, serving, sse_events, tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer
    from tests.support import Answer


@pytest.fixture
def mock(server: MockServer) -> Iterator[K3Mock]:
    handle = K3Mock(server, uuid.uuid4().hex)
    yield handle
    handle.finish()


def ask(mock: K3Mock, content: str = "hi", url: str | None = None, **fields: Any) -> Answer:
    path = (url or mock.base_url).removeprefix(mock.server.address)
    return call(mock.server, f"{path}/chat/completions", request(content, **fields))


def text(answer: Answer) -> Any:
    assert answer.status == 200, answer.body
    return answer.message["content"]


def test_replies_are_given_once_first_in_first_out(mock: K3Mock) -> None:
    mock.reply("one", reasoning="Thought.")
    mock.reply("two", times=2)
    first = ask(mock, "a")
    assert first.message["reasoning_content"] == "Thought."
    assert first.headers["x-k3mock-source"] == "scenario:k3mock.reply#1"
    assert [text(first), text(ask(mock, "b")), text(ask(mock, "c"))] == ["one", "two", "two"]
    missed = ask(mock, "d")
    assert (missed.status, missed.error["type"]) == (422, "k3mock_error")
    assert "used up" in missed.error["message"]
    assert len(mock.misses) == 1


def test_scripts_of_sessions_do_not_mix_and_others_still_get_generated_words(
    mock: K3Mock, server: MockServer
) -> None:
    mock.reply("mine")
    other = K3Mock(server, uuid.uuid4().hex)
    assert ask(other).headers["x-k3mock-source"] == "generator"
    assert text(ask(mock)) == "mine"
    other.finish()


def test_a_refusal_by_the_contract_uses_no_reply_up_and_is_no_miss(mock: K3Mock) -> None:
    mock.reply("kept")
    assert ask(mock, temperature="hot").status == 400
    assert text(ask(mock)) == "kept"
    assert ask(mock, temperature="hot").status == 400
    assert mock.misses == []


def test_a_reply_may_be_a_mapping_a_reply_object_or_the_generators(mock: K3Mock) -> None:
    mock.reply({"content": {"json": {"a": 1}}, "finish_reason": "length"})
    mock.reply(written(reasoning="Hm.", content="An object."), headers={"x-own": "yes"})
    mock.reply()
    first = ask(mock, "a").json["choices"][0]
    assert (first["message"]["content"], first["finish_reason"]) == ('{"a":1}', "length")
    second = ask(mock, "b")
    assert (text(second), second.headers["x-own"]) == ("An object.", "yes")
    assert second.message["reasoning_content"] == "Hm."
    assert text(ask(mock, "c"))
    assert mock.unused == []


def test_a_reply_calls_a_tool_with_arguments_as_an_object(mock: K3Mock) -> None:
    mock.reply(tool_calls=[{"name": "get_weather", "arguments": {"city": "Izmir"}}])
    [called] = ask(mock, tools=[tool()]).message["tool_calls"]
    assert called["function"] == {"name": "get_weather", "arguments": '{"city":"Izmir"}'}


def test_errors_are_given_by_name_by_status_and_written_out(mock: K3Mock) -> None:
    mock.reply_error("rate_limited", seconds=7)
    mock.reply_error(503)
    mock.reply_error(status=418, message="I am a teapot.")
    mock.reply("fine")
    first = ask(mock)
    assert (first.status, first.headers["retry-after"]) == (429, "7")
    assert ask(mock).status == 503
    third = ask(mock)
    assert (third.status, third.error["message"]) == (418, "I am a teapot.")
    assert text(ask(mock)) == "fine"


def test_a_fault_spoils_the_answer_that_is_scripted_with_it(mock: K3Mock) -> None:
    mock.reply_fault("no_done", "Whole words.")
    mock.reply_fault("duplicate_finish", {"reasoning": "Hm.", "content": "Twice."})
    spoiled = sse_events(ask(mock, "a", stream=True).body)
    assert "[DONE]" not in spoiled
    assert "Whole" in str(spoiled)
    answer = ask(mock, "b", stream=True)
    assert answer.headers["x-k3mock-source"] == "scenario:k3mock.reply#2+duplicate_finish"
    said = [event["choices"][0]["delta"] for event in sse_events(answer.body)[:-1]]
    assert "".join(delta.get("content") or "" for delta in said) == "Twice."
    assert mock.unused == []


def test_a_pattern_goes_before_replies_for_everything_and_has_no_limit(mock: K3Mock) -> None:
    mock.reply("anything")
    mock.when(last={"content": {"contains": "weather"}}).reply("Sunny.")
    mock.when({"system": "pirate"}, not_={"stream": True}).reply_error("engine_overloaded", times=1)
    assert [text(ask(mock, "weather?")) for _ in range(2)] == ["Sunny.", "Sunny."]
    pirate = "k3mock.when(system='pirate', not={'stream': True})"
    assert mock.unused == [
        "k3mock.reply('anything'): wanted once, used never",
        f"{pirate}.reply_error('engine_overloaded'): wanted once, used never",
    ]  # fmt: skip
    assert text(ask(mock, "else")) == "anything"
    messages = [{"role": "system", "content": "a pirate"}, {"role": "user", "content": "ahoy"}]
    assert ask(mock, messages=messages).status == 429
    assert mock.unused == []


def test_a_miss_names_the_nearest_of_what_was_scripted(mock: K3Mock) -> None:
    mock.when(stream=True, reasoning_effort="low").reply("never")
    missed = ask(mock, reasoning_effort="low")
    assert missed.headers["x-k3mock-source"] == "miss:no_match"
    assert "what the test has scripted" in missed.error["message"]
    assert "stream: wanted true, found false" in missed.error["message"]


def test_loaded_scenarios_answer_behind_the_script(tmp_path: Path) -> None:
    file = tmp_path / "loaded.yaml"
    file.write_text("name: loaded\nturns: [{when: {last: hi}, reply: from the file}]\n")
    with serving(scenarios=(str(file),)) as server:
        mock = K3Mock(server, "t")
        mock.reply("scripted")
        assert [text(ask(mock)), text(ask(mock))] == ["scripted", "from the file"]
        missed = ask(mock, "bye")
        assert missed.status == 422
        assert "Beside the script: nothing in 1 loaded scenario" in missed.error["message"]
        assert ask(K3Mock(server, "u"), "bye").status == 200
        [scripted, loaded] = server.app.scenarios.listing(server.app.pipeline.sessions.known("t"))
        assert (scripted["name"], loaded["name"]) == ("k3mock.reply", "loaded")


def test_a_pinned_scenario_answers_behind_the_script(server: MockServer) -> None:
    mock = K3Mock(server, uuid.uuid4().hex, {"scenario": "overloaded"})
    mock.reply("scripted")
    assert text(ask(mock)) == "scripted"
    assert ask(mock, "more").headers["x-k3mock-source"].startswith("scenario:overloaded")
    mock.finish()


def test_whole_scenarios_come_as_file_name_text_or_mapping(mock: K3Mock, tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    (tmp_path / "long.txt").write_text("from beside")
    file.write_text("turns: [{when: {last: file}, reply: {content: {file: long.txt}}}]\n")
    mock.scenario(file)
    mock.scenario("name: text\nturns:\n  - {when: {last: text}, reply: from text}\n")
    mock.scenario({"turns": [{"when": {"last": "mapping"}, "reply": "from a mapping"}]})
    mock.scenario({"name": "style", "headers": {"x-own": "yes"}})
    assert text(ask(mock, "file")) == "from beside"
    assert text(ask(mock, "text")) == "from text"
    assert mock.unused == ["k3mock.scenario(…): no turn of 'test' answered anything"]
    answer = ask(mock, "mapping")
    assert (text(answer), answer.headers["x-own"]) == ("from a mapping", "yes")
    mock.scenario("hello")
    with pytest.raises(ScenarioError, match="no file, folder or shipped scenario 'weathr'"):
        mock.scenario("weathr")


def test_a_style_alone_leaves_the_words_to_the_generator(mock: K3Mock) -> None:
    mock.scenario({"name": "style", "headers": {"x-own": "yes"}})
    answer = ask(mock)
    assert (answer.status, answer.headers["x-own"]) == (200, "yes")
    assert mock.unused == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda mock: mock.reply("a", reasonning="b"), "did you mean 'reasoning'?"),
        (lambda mock: mock.reply_error("rate_limitd"), "rate_limited"),
        (lambda mock: mock.reply_fault("cut_mid_strea"), "cut_mid_stream"),
        (lambda mock: mock.when(lst="x").reply("a"), "did you mean 'last'?"),
        (lambda mock: mock.reply("a", wire={"newline": {1}}), "a value that JSON does not have"),
        (lambda mock: mock.reply("a", wire={1: 2}), "a key must be text"),
        (lambda mock: mock.scenario("name: [\n"), "not valid YAML"),
        (lambda mock: mock.scenario({"turns": []}), "'turns' is empty"),
        (lambda mock: mock.calls({"strem": True}), "did you mean 'stream'?"),
    ],
)
def test_a_wrong_word_is_told_with_the_right_one(mock: K3Mock, script: Any, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        script(mock)
    assert said in str(caught.value)
    assert str(caught.value).count("k3mock.") >= 1
    assert mock.unused == []


def test_endless_values_are_refused(mock: K3Mock) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ScenarioError, match="nested too deeply"):
        mock.reply("a", events=endless)


def test_the_keywords_are_those_of_a_scenario_file() -> None:
    reply, when = REPLY.options[1], WHEN
    assert set(ReplyWords.__annotations__) == set(reply.fields)  # type: ignore[union-attr]
    named = {"not" if word == "not_" else word for word in WhenWords.__annotations__}
    assert named == set(when.fields)


def test_requests_wait_for_answers_that_still_run(mock: K3Mock) -> None:
    mock.reply("slow", pace={"ttft_ms": 300})
    thread = threading.Thread(target=ask, args=(mock,))
    thread.start()
    while not mock.server.app.journal.entries(mock.session):
        thread.join(0.01)
    [entry] = mock.requests
    assert entry.outcome.end == "complete"
    thread.join()


def test_requests_wait_for_a_silent_answer_no_longer_than_they_must(
    mock: K3Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asserting, "SETTLE_S", 0.05)
    mock.reply("slow", pace={"ttft_ms": 500})
    thread = threading.Thread(target=ask, args=(mock,))
    thread.start()
    while not mock.server.app.journal.entries(mock.session):
        thread.join(0.01)
    assert mock.requests[0].outcome.end is None
    assert "still running" in mock.told()
    thread.join()


def test_the_last_request_shows_its_json_and_is_an_error_where_there_is_none(mock: K3Mock) -> None:
    with pytest.raises(AssertionError, match="no request has arrived"):
        _ = mock.last_request
    ask(mock, reasoning_effort="low")
    assert mock.last_request.json["reasoning_effort"] == "low"
    assert mock.last_request.json["messages"][0]["content"] == "hi"


def test_calls_are_chosen_by_the_words_of_when_or_by_a_function(mock: K3Mock) -> None:
    mock.when().reply("ok")
    call(mock.server, f"/with/session={mock.session}/v1/models")
    ask(mock, "weather today", tools=[tool()])
    ask(mock, "weather today", tools=[tool()])
    ask(mock, "news")
    assert (len(mock.requests), len(mock.calls())) == (4, 3)
    assert len(mock.calls({"last": {"content": {"contains": "weather"}}})) == 2
    assert len(mock.calls({"attempt": 2, "tools": ["get_weather"]})) == 1
    assert len(mock.calls({"prompt_tokens": {"min": 1}})) == 3
    assert mock.calls(lambda entry: entry.json["messages"][0]["content"] == "news") == [
        mock.last_request
    ]


def test_assert_called_tells_what_arrived_and_what_came_nearest(mock: K3Mock) -> None:
    with pytest.raises(AssertionError, match="wanted at least 1, found 0\nno request has arrived"):
        mock.assert_called()
    mock.assert_called(times=0)
    ask(mock, "news", stream=False)
    mock.assert_called()
    mock.assert_called({"last": "news"}, times=1)
    mock.assert_called({"last": "olds"}, times=0)
    with pytest.raises(AssertionError) as caught:
        mock.assert_called({"last": "olds", "stream": False})
    told = str(caught.value)
    assert "wanted at least 1, found 0" in told
    assert "1 of 2 parts hold; last.content: wanted" in told
    assert "POST /v1/chat/completions -> 200 from generator; complete" in told
    with pytest.raises(AssertionError, match="calls: wanted 2, found 1"):
        mock.assert_called(times=2)
    with pytest.raises(AssertionError, match="wanted at least 1, found 0"):
        mock.assert_called(lambda _: False)
    for times in (0, 2):
        with pytest.raises(AssertionError, match=f"wanted {times}, found 1"):
            mock.assert_called({"last": "news"}, times=times)


def test_a_long_list_of_requests_shows_the_newest(mock: K3Mock) -> None:
    mock.when().reply_error(500)
    for number in range(22):
        ask(mock, f"{number}")
    assert mock.told().splitlines()[0] == "(the first 2 of 22 are not shown)"
    assert len(mock.told().splitlines()) == 21
    call(mock.server, f"/with/session={mock.session}/v1/{'x' * 400}")
    assert mock.told().splitlines()[-1].endswith("…")


def test_a_reset_forgets_the_script_too(mock: K3Mock) -> None:
    mock.reply("gone")
    mock.reset()
    assert ask(mock).headers["x-k3mock-source"] == "generator"
    mock.reply("there")
    reset = call(mock.server, f"/__k3mock__/reset?session={mock.session}", b"")
    assert reset.status == 200
    assert mock.unused == []
    assert ask(mock).headers["x-k3mock-source"] == "generator"


def test_all_sessions_together_forget_their_scripts() -> None:
    with serving() as server:
        mock = K3Mock(server, "a")
        mock.reply("gone")
        assert call(server, "/__k3mock__/reset", b"").status == 200
        assert ask(mock).headers["x-k3mock-source"] == "generator"


def test_a_base_url_may_have_other_options(mock: K3Mock) -> None:
    url = mock.base_url_for(profile="evolink", wire_newline="crlf", pace=None)
    mock.reply("Hello.")
    answer = ask(mock, url=url, stream=True)
    assert b"\r\n\r\n" in answer.body
    assert mock.last_request.profile == "evolink"


def test_what_k3mock_refused_itself_is_told(mock: K3Mock) -> None:
    assert ask(mock, url=mock.base_url_for(profile="evolnk")).status == 422
    [told] = mock.refused
    assert "-> 422 from k3mock" in told


def test_the_official_sdk_is_made_for_the_session_and_closed_with_it(mock: K3Mock) -> None:
    mock.reply("Hello.")
    client = mock.openai(max_retries=0)
    answer = client.chat.completions.create(
        model="kimi-k3", messages=[{"role": "user", "content": "hi"}]
    )
    assert answer.choices[0].message.content == "Hello."
    mock.finish()
    assert client.is_closed()


def test_the_asynchronous_sdk_is_made_too(mock: K3Mock) -> None:
    mock.reply("Hello.")

    async def asked() -> str | None:
        async with mock.async_openai() as client:
            answer = await client.chat.completions.create(
                model="kimi-k3", messages=[{"role": "user", "content": "hi"}]
            )
        return answer.choices[0].message.content

    assert asyncio.run(asked()) == "Hello."


def test_a_missing_sdk_is_told(mock: K3Mock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(K3MockError, match="the package 'openai' is not installed"):
        mock.openai()
    assert openai.OpenAI is not None


def test_a_cassette_answers_the_session_from_now_on_until_it_is_reset(
    tmp_path: Path, server: MockServer
) -> None:
    source = K3Mock(server, uuid.uuid4().hex)
    with serving(record="once", cassettes=(str(tmp_path),), upstream=source.base_url) as recorder:
        mock = K3Mock(recorder, "first")
        mock.cassette("login")
        recorded = text(ask(mock, "log in"))
        assert mock.finish() == []
    file = tmp_path / "login.yaml"
    mock = K3Mock(server, uuid.uuid4().hex)
    url = mock.base_url
    mock.cassette(file)
    assert text(ask(mock, "log in", url=url)) == recorded
    assert ask(mock, "log out", url=url).headers["x-k3mock-source"].startswith("miss:")
    mock.reset()
    assert ask(mock, "log out", url=url).headers["x-k3mock-source"] == "generator"
    with serving(cassettes=(str(tmp_path),)) as replaying:
        named = K3Mock(replaying, "named")
        named.cassette("login")
        assert text(ask(named, "log in")) == recorded
        with pytest.raises(K3MockError, match="no cassette 'logout'"):
            named.cassette("logout")
    source.finish()
