"""Many clients at once: no answer, sequence or journal entry ever crosses sessions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import call, chat, serving, sse_events

if TYPE_CHECKING:
    from k3mock.serving import MockServer

pytestmark = pytest.mark.slow

ROUNDS = 30
WAIT_S = 60

STEPS = b"""
name: steps
about: answers in an order, each session its own
turns:
- {when: {last: step}, reply: first of $SESSION, times: 1}
- {when: {last: step}, reply: second of $SESSION, times: 1}
- {when: {last: step}, reply: third of $SESSION}
- {when: {last: marker}, reply: {content: {template: "seen by $SESSION: {{ last.content }}"}}}
"""


def _said(server: MockServer, session: str, text: str, *, stream: bool) -> str:
    answer = chat(server, text, options=f"session={session}", stream=stream)
    assert answer.status == 200
    if not stream:
        said: str = answer.json["choices"][0]["message"]["content"]
        return said
    *events, done = sse_events(answer.body)
    assert done == "[DONE]"
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


@pytest.mark.parametrize("threads", [64])
def test_threads_never_see_each_other(threads: int) -> None:
    gate = Barrier(threads)

    def client(server: MockServer, number: int) -> None:
        session = f"thread-{number}"
        own = STEPS.replace(b"$SESSION", session.encode())
        posted = call(server, f"/__k3mock__/scenarios?session={session}", own)
        assert posted.status == 201, posted.body
        gate.wait(WAIT_S)
        expected: list[str] = []
        for turn in range(ROUNDS):
            stream = (turn + number) % 2 == 0
            place = ("first", "second", "third")[min(turn, 2)]
            assert _said(server, session, "step", stream=stream) == f"{place} of {session}"
            text = f"marker {number} {turn}"
            wanted = f"seen by {session}: {text}"
            assert _said(server, session, text, stream=stream) == wanted
            expected += ["step", text]
        page: dict[str, Any] = call(server, f"/__k3mock__/requests?session={session}").json
        found = [entry["received"]["body"]["messages"][-1]["content"] for entry in page["requests"]]
        assert found == expected
        assert {entry["session"] for entry in page["requests"]} == {session}
        assert {entry["outcome"]["end"] for entry in page["requests"]} == {"complete"}
        assert call(server, f"/__k3mock__/misses?session={session}").json["misses"] == []

    with serving() as server, ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(client, server, number) for number in range(threads)]:
            done.result(WAIT_S * 5)
        assert len(server.app.journal) == threads * ROUNDS * 2


def test_eight_workers_never_see_each_other(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import json, os, urllib.request
        import pytest

        SEEN = set()

        def ask(base_url, api_key, text):
            body = {"model": "kimi-k3", "messages": [{"role": "user", "content": text}]}
            sent = urllib.request.Request(
                base_url + "/chat/completions", json.dumps(body).encode(),
                {"Authorization": "Bearer " + api_key, "Content-Type": "application/json"},
            )
            with urllib.request.urlopen(sent, timeout=30) as answer:
                return json.load(answer)["choices"][0]["message"]["content"]

        @pytest.mark.parametrize("number", range(400))
        def test_own(k3mock, number):
            worker = os.environ["PYTEST_XDIST_WORKER"]
            assert k3mock.requests == []
            for turn in range(3):
                k3mock.reply(f"{worker} {number} {turn}")
            k3mock.when(last="marker").reply(f"marker of {worker} {number}")
            for turn in range(3):
                assert ask(k3mock.base_url, k3mock.api_key, "step") == f"{worker} {number} {turn}"
                marked = ask(k3mock.base_url, k3mock.api_key, f"marker {number}")
                assert marked == f"marker of {worker} {number}"
            asked = [entry.json["messages"][0]["content"] for entry in k3mock.requests]
            assert asked == ["step", f"marker {number}"] * 3
            SEEN.add(k3mock.session)

        def test_the_server_is_the_workers_own(k3mock_server):
            journal = k3mock_server.app.journal
            assert {entry.session for entry in journal.entries()} <= SEEN
        """
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "8", "-q", timeout=600)
    done.assert_outcomes(passed=401)
