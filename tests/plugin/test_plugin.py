"""The pytest plugin, run in projects of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from k3mock.handle import K3Mock
    from k3mock.serving import MockServer
    from tests.plugin.conftest import Run

_CALLER = """
import json, urllib.request

def ask(base_url, api_key, **fields):
    body = {"model": "kimi-k3", "messages": [{"role": "user", "content": "hi"}], **fields}
    sent = urllib.request.Request(
        base_url + "/chat/completions", json.dumps(body).encode(),
        {"Authorization": "Bearer " + api_key, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(sent, timeout=20) as answer:
        return json.load(answer)
"""


def test_the_fixture_gives_a_base_url_and_a_key(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        import pytest
        from caller import ask

        def test_answer(k3mock):
            answer = ask(k3mock.base_url, k3mock.api_key, reasoning_effort="low")
            assert answer["choices"][0]["message"]["content"]
            assert k3mock.last_request.body["reasoning_effort"] == "low"
            assert k3mock.last_request.status == 200

        def test_each_test_has_a_session_of_its_own(k3mock):
            assert k3mock.requests == []
            first = ask(k3mock.base_url, k3mock.api_key)
            assert "cached_tokens" not in first["usage"]
            assert "cached_tokens" in ask(k3mock.base_url, k3mock.api_key)["usage"]
            k3mock.reset()
            assert k3mock.requests == []
            with pytest.raises(AssertionError, match="has arrived in the session 'test-2'"):
                k3mock.last_request
            assert "cached_tokens" not in ask(k3mock.base_url, k3mock.api_key)["usage"]
        """,
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_the_profile_is_an_ini_setting(pytester: pytest.Pytester, inside: Run) -> None:
    pytester.makefile(".yaml", own="extends: moonshot\nmodels: {my-k3: {id: my-k3}}\n")
    pytester.makeini("[pytest]\nk3mock_profile = own.yaml\n")
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        from caller import ask

        def test_answer(k3mock):
            assert ask(k3mock.base_url, k3mock.api_key, model="my-k3")["model"] == "my-k3"
        """,
    )
    inside().assert_outcomes(passed=1)


def test_it_works_under_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        import pytest
        from caller import ask

        @pytest.mark.parametrize("number", range(4))
        def test_answer(k3mock, number):
            ask(k3mock.base_url, k3mock.api_key)
            assert len(k3mock.requests) == 1
        """,
    )
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=4)


def test_importing_the_plugin_pulls_in_nothing_heavy() -> None:
    heavy = ("uvicorn", "starlette", "yaml", "vcr", "faker", "tiktoken", "splintr", "orjson")
    code = f"import sys, k3mock.pytest_plugin; print([m for m in {heavy!r} if m in sys.modules])"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == "[]\n"


def test_the_fixture_of_this_very_run_works(k3mock: K3Mock) -> None:
    assert k3mock.base_url.startswith(k3mock.server.address)
    assert k3mock.session in k3mock.base_url
    assert k3mock.requests == []


_SCENARIO = """
name: greeting
turns:
  - when: {last: {content: {contains: hi}}}
    reply: {content: Hello from the scenario.}
"""


def test_the_marker_chooses_what_answers(pytester: pytest.Pytester, inside: Run) -> None:
    pytester.makefile(".yaml", greeting=_SCENARIO)
    pytester.makeini("[pytest]\nk3mock_scenarios = greeting.yaml\n")
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        import urllib.error
        import pytest
        from caller import ask

        pytestmark = pytest.mark.k3mock(profile="evolink", seed=3)

        @pytest.mark.k3mock(scenario="greeting", profile="moonshot")
        def test_scenario(k3mock):
            answer = ask(k3mock.base_url, k3mock.api_key)
            assert answer["choices"][0]["message"]["content"] == "Hello from the scenario."
            assert k3mock.last_request.profile == "moonshot"

        @pytest.mark.k3mock(fault="rate_limited(seconds:7)", profile="moonshot")
        def test_fault(k3mock):
            with pytest.raises(urllib.error.HTTPError) as caught:
                ask(k3mock.base_url, k3mock.api_key)
            caught.value.close()
            assert caught.value.headers["Retry-After"] == "7"

        def test_profile_of_the_module(k3mock):
            ask(k3mock.base_url, k3mock.api_key)
            assert k3mock.last_request.profile == "evolink"
        """,
    )
    inside().assert_outcomes(passed=3)


def test_a_request_that_nothing_answered_fails_the_test(
    pytester: pytest.Pytester, inside: Run
) -> None:
    pytester.makefile(".yaml", greeting=_SCENARIO)
    pytester.makeini("[pytest]\nk3mock_scenarios = greeting.yaml\n")
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        import urllib.error
        import pytest
        from caller import ask

        def swallowed(k3mock):
            try:
                ask(k3mock.base_url, k3mock.api_key,
                    messages=[{"role": "user", "content": "bye"}])
            except urllib.error.HTTPError as error:
                error.close()

        @pytest.mark.k3mock(scenario="greeting")
        def test_swallows(k3mock):
            swallowed(k3mock)

        @pytest.mark.k3mock(scenario="greeting", allow_misses=True)
        def test_may(k3mock):
            swallowed(k3mock)

        @pytest.mark.k3mock(scnario="greeting")
        def test_misspelt(k3mock):
            raise AssertionError
        """,
    )
    result = inside()
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(
        ["*nothing answered: nothing in the pinned scenario 'greeting' matches*"]
    )
    result.stdout.fnmatch_lines(["*k3mock does not take scnario; it takes scenario, cassette*"])


def test_a_cassette_is_recorded_once_and_replayed_without_an_upstream(
    pytester: pytest.Pytester, inside: Run, server: MockServer
) -> None:
    pytester.makepyfile(
        caller=_CALLER,
        test_app="""
        import pytest
        from caller import ask

        @pytest.mark.k3mock(cassette="login")
        def test_login(k3mock):
            assert ask(k3mock.base_url, "sk-my-own-key-12345678")["choices"]

        def test_beside(k3mock):
            assert ask(k3mock.base_url, k3mock.api_key)["choices"]
        """,
    )
    recording = inside(
        "--k3mock-record=once",
        f"--k3mock-upstream={server.address}/with/session=plugin-upstream/v1",
    )  # fmt: skip
    recording.assert_outcomes(passed=2)
    text = (pytester.path / "cassettes" / "login.yaml").read_text()
    assert "sk-my-own" not in text
    assert text.count("- request:") == 1
    assert len(server.app.journal.entries("plugin-upstream")) == 1
    inside().assert_outcomes(passed=2)
    assert len(server.app.journal.entries("plugin-upstream")) == 1
