from __future__ import annotations

import http.client
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.inspecting.copies import PLACEHOLDER
from k3mock.scenario.kinds import Context
from k3mock.scenario.load import load_text
from tests.support import Answer, call, chat, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

PREFIX = "/__k3mock__/requests"
SCENARIO = r"""
name: p
turns:
  - when: {last: 'quotes'}
    reply: {content: 'a "quoted" back\slash', reasoning: 'Thinking.'}
  - {when: {last: 'plain'}, reply: {content: 'Line one, ä.', reasoning: 'x'}}
"""


@pytest.fixture(scope="module")
def asked() -> Iterator[MockServer]:
    """A server with a scenario, where nothing else answers."""
    with serving(on_miss="error") as server:
        call(server, "/__k3mock__/scenarios", SCENARIO.encode())
        yield server


def copy(server: MockServer, entry: str | Answer, form: str) -> str:
    name = entry if isinstance(entry, str) else entry.headers["x-k3mock-request"]
    found = call(server, f"{PREFIX}/{name}/copy?as={form}")
    assert found.status == 200, found.body
    assert found.headers["content-type"].startswith("text/plain")
    return found.body.decode()


def newest(server: MockServer, session: str) -> str:
    found = call(server, f"{PREFIX}?view=brief&order=newest&session={session}").json
    name: str = found["requests"][0]["id"]
    return name


def test_the_command_sends_the_same_request_again(asked: MockServer) -> None:
    content = 'it\'s "quoted" $HOME `x` \\ é'
    sent = chat(asked, content, options="session=it's;profile=devotel")
    command = copy(asked, sent, "curl")
    words = shlex.split(command.replace("\\\n", " "))
    assert "Authorization: Bearer $API_KEY" in words
    assert "/with/session=it%27s;profile=devotel/v1/chat/completions" in words[3]
    assert "sk-test" not in command
    again = subprocess.run(command, shell=True, check=True, capture_output=True,  # noqa: S602
                           env={"API_KEY": "sk-test", "PATH": "/usr/bin:/bin"}).stdout  # fmt: skip
    assert b"k3mock: " in again
    name = newest(asked, "it's")
    body = call(asked, f"{PREFIX}/{name}").json["received"]["body"]
    assert name != sent.headers["x-k3mock-request"]
    assert body["messages"][0]["content"] == content


def test_a_command_without_a_body_is_a_plain_get(asked: MockServer) -> None:
    command = copy(asked, call(asked, "/v1/models"), "curl")
    assert command.splitlines()[0].endswith("/v1/models \\")
    assert "--data" not in command


@pytest.mark.parametrize("content", ["quotes", "plain"])
def test_the_scenario_gives_the_same_answer(asked: MockServer, content: str) -> None:
    sent = chat(asked, content)
    text = copy(asked, sent, "scenario")
    with serving(on_miss="error") as other:
        assert call(other, "/__k3mock__/scenarios", text.encode()).status == 201
        again = chat(other, content)
    assert again.message == sent.message
    assert again.json["usage"] == sent.json["usage"]


def test_what_nothing_answered_becomes_a_turn_to_fill_in(asked: MockServer) -> None:
    text = copy(asked, chat(asked, "who knows?"), "scenario")
    assert PLACEHOLDER in text
    library = load_text(text.encode(), "copy", Context(folder=None, check_pace=lambda _: None,
                                                       profile=None))  # fmt: skip
    assert not library.broken


CASES: dict[str, dict[str, Any]] = {
    "json": {"content": "plain"},
    "quotes": {"content": "quotes"},
    "stream": {"content": "plain", "stream": True},
    "refusal": {"content": "plain", "temperature": 0},
    "miss": {"content": "who knows?"},
    "fault": {"content": "plain", "options": "fault=engine_overloaded"},
    "html": {"content": "plain", "options": "fault=bad_gateway_html"},
    "gateway": {"content": "plain", "options": "profile=devotel"},
}


def test_the_tests_pass_as_they_are(asked: MockServer, pytester: pytest.Pytester) -> None:
    """Each copy is run by pytest itself, whatever the answer was."""
    texts = {name: copy(asked, chat(asked, **case), "pytest") for name, case in CASES.items()}
    with serving() as generating:
        called = chat(generating, "weather?", tools=[tool()], tool_choice="required")
        texts["call"] = copy(generating, called, "pytest")
    with pytest.raises(http.client.HTTPException):
        chat(asked, "plain", stream=True, options="session=cut;fault=cut_mid_stream")
    texts["cut"] = copy(asked, newest(asked, "cut"), "pytest")
    pytester.makepyfile(**{f"test_{name}": text for name, text in texts.items()})
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    result.assert_outcomes(passed=len(texts))


def test_what_cannot_be_copied_is_explained(asked: MockServer) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        chat(asked, "plain", options="session=reset;fault=reset_before_headers")
    mistaken = chat(asked, "plain", options="pace=quick")
    models = call(asked, "/v1/models")
    for name, told in (
        (newest(asked, "reset"), "no HTTP answer"),
        (mistaken.headers["x-k3mock-request"], "options"),
        (models.headers["x-k3mock-request"], "chat completion"),
    ):
        wrong = call(asked, f"{PREFIX}/{name}/copy?as=scenario")
        assert wrong.status == 409
        assert told in wrong.error["message"]
    assert call(asked, f"{PREFIX}/{newest(asked, 'reset')}/copy?as=word").status == 400
    assert call(asked, f"{PREFIX}/req_none/copy").status == 404


def test_an_answer_that_is_not_kept_any_more_cannot_be_copied(asked: MockServer) -> None:
    name = chat(asked, "plain").headers["x-k3mock-request"]
    entry = asked.app.journal.find(name)
    assert entry is not None
    entry.writes.forget()
    assert call(asked, f"{PREFIX}/{name}/copy?as=pytest").status == 409
    entry.body_bytes = 10**9
    assert "beginning" in call(asked, f"{PREFIX}/{name}/copy").error["message"]


def test_no_key_is_in_a_copy(tmp_path: Path) -> None:
    key = "sk-Very4711secretkey"
    with serving(api_keys=["my-server-key"]) as server:
        text = f"name: p\nturns: [{{reply: 'keep {key} and my-server-key'}}]"
        call(server, "/__k3mock__/scenarios", text.encode())
        answer = call(server, "/v1/chat/completions", {
            "model": "kimi-k3", "messages": [{"role": "user", "content": f"my key is {key}"}],
        }, key="my-server-key", headers={"x-api-key": key})  # fmt: skip
        assert answer.status == 200
        for form in ("curl", "scenario", "pytest"):
            shown = copy(server, answer, form)
            assert "4711" not in shown
            assert "my-server-key" not in shown
