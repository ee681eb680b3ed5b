"""What the plugin lets no test leave behind, and what it shows of a test that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.pytest_plugin import VARIABLES, cassette_name
from k3mock.version import __version__

if TYPE_CHECKING:
    from k3mock.serving import MockServer
    from tests.plugin.conftest import Run

_CALLER = """
import json, urllib.error, urllib.request

def ask(base_url, api_key, content="hi", **fields):
    body = {"model": "kimi-k3", "messages": [{"role": "user", "content": content}], **fields}
    sent = urllib.request.Request(
        base_url + "/chat/completions", json.dumps(body).encode(),
        {"Authorization": "Bearer " + api_key, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(sent, timeout=20) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

def swallow(base_url, api_key, *given, **fields):
    try:
        ask(base_url, api_key, *given, **fields)
    except urllib.error.HTTPError as error:
        error.close()
"""


@pytest.fixture
def run(pytester: pytest.Pytester, inside: Run) -> Run:
    """Run one file of tests."""

    def run(test: str, *flags: str, ini: str = "") -> pytest.RunResult:
        pytester.makepyfile(caller=_CALLER, test_app=test)
        pytester.makeini(f"[pytest]\n{ini}")
        return inside(*flags)

    return run


def test_unused_replies_and_misses_fail_a_test_unless_it_allows_them(run: Run) -> None:
    result = run(
        """
        import pytest
        from caller import ask, swallow

        def test_scripted(k3mock):
            k3mock.reply("Short summary.", reasoning="Three sentences are enough.")
            assert ask(k3mock.base_url, k3mock.api_key, reasoning_effort="low") == "Short summary."
            assert k3mock.last_request.json["reasoning_effort"] == "low"

        def test_leaves_a_reply(k3mock):
            k3mock.reply("first")
            k3mock.reply("second", times=2)
            assert ask(k3mock.base_url, k3mock.api_key) == "first"

        @pytest.mark.k3mock(allow_unused=True)
        def test_may_leave_a_reply(k3mock):
            k3mock.reply("first")

        def test_swallows_a_miss(k3mock):
            k3mock.when(last="hello").reply("hi")
            assert ask(k3mock.base_url, k3mock.api_key, "hello") == "hi"
            swallow(k3mock.base_url, k3mock.api_key, "bye")

        @pytest.mark.k3mock(allow_misses=True)
        def test_may_miss(k3mock):
            k3mock.when(last="hello").reply("hi")
            assert ask(k3mock.base_url, k3mock.api_key, "hello") == "hi"
            swallow(k3mock.base_url, k3mock.api_key, "bye")

        def test_asks_for_a_profile_that_is_none(k3mock):
            swallow(k3mock.base_url_for(profile="nowhere"), k3mock.api_key)
        """,
    )
    result.assert_outcomes(passed=6, errors=3)
    result.stdout.fnmatch_lines(
        ["not used: k3mock.reply('second'): wanted 2 times, used never",
         "1 request arrived; allow_unused=True in @pytest.mark.k3mock lets this pass"]
    )  # fmt: skip
    result.stdout.fnmatch_lines(
        ["nothing answered: nothing in what the test has scripted matches*last.content: wanted*",
         "*- k3mock requests -*", "req_* 200 from scenario:k3mock.when#1; complete*",
         "req_* 422 from miss:*", "k3mock refused: req_* 422 from k3mock; *"]
    )  # fmt: skip


def test_ini_settings_allow_the_same_everywhere(run: Run) -> None:
    test = """
        from caller import swallow

        def test_both(k3mock):
            k3mock.when(last="hello").reply("hi")
            swallow(k3mock.base_url, k3mock.api_key, "bye")
        """
    ini = "k3mock_allow_unused = true\nk3mock_allow_misses = true\n"
    run(test, ini=ini).assert_outcomes(passed=1)


def test_a_failing_test_shows_its_requests_and_is_not_blamed_twice(run: Run) -> None:
    result = run(
        """
        from caller import ask, swallow

        def test_fails(k3mock):
            k3mock.reply("first")
            k3mock.reply("second")
            assert ask(k3mock.base_url, "sk-secret-0123456789abcdef", "a") == "other"

        def test_fails_without_a_request(k3mock):
            assert k3mock.requests

        def test_fails_without_the_fixture():
            assert False
        """,
    )
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        ["*- k3mock requests -*",
         "req_* POST /v1/chat/completions -> 200 from scenario:k3mock.reply#1; complete, *"]
    )  # fmt: skip
    assert "sk-secret-0123" not in result.stdout.str().replace('"sk-secret-0123456789abcdef"', "")


def test_the_header_names_version_profile_and_tokenizer(run: Run) -> None:
    result = run("def test_it(): pass", ini="k3mock_profile = evolink\n")
    result.stdout.fnmatch_lines(
        [f"k3mock: {__version__}, profile evolink, tokenizer kimi_k3 (splintr)"]
    )


def test_a_list_of_profiles_runs_the_test_with_each(run: Run) -> None:
    result = run(
        """
        import pytest
        from caller import ask

        seen = []

        @pytest.mark.k3mock(profile=["moonshot", "evolink", "devotel"])
        def test_each(k3mock_env, k3mock):
            ask(k3mock.base_url, k3mock.api_key)
            seen.append(k3mock.last_request.profile)

        def test_all():
            assert seen == ["moonshot", "evolink", "devotel"]

        @pytest.mark.k3mock(profile="evolink")
        def test_one(k3mock):
            ask(k3mock.base_url, k3mock.api_key)
            assert k3mock.last_request.profile == "evolink"
        """,
        "-v",
    )
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["*test_each[[]evolink[]] PASSED*"])


def test_programs_find_the_session_through_the_environment(run: Run) -> None:
    result = run(
        f"""
        import os, unittest
        import pytest
        from caller import ask

        NAMES = {sorted(VARIABLES)!r}

        def test_six(k3mock_env):
            assert len(NAMES) == 6
            for name in NAMES:
                key = name.endswith("KEY")
                assert os.environ[name] == (k3mock_env.api_key if key else k3mock_env.base_url)

        @pytest.mark.usefixtures("k3mock_env")
        class TestCase(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _mock(self, k3mock):
                self.k3mock = k3mock

            def test_unittest(self):
                self.k3mock.reply("from unittest")
                address, key = os.environ["KIMI_BASE_URL"], os.environ["KIMI_API_KEY"]
                self.assertEqual(ask(address, key), "from unittest")

        def test_gone():
            assert not set(NAMES) & set(os.environ)
        """,
    )
    result.assert_outcomes(passed=3)


def test_asynchronous_tests_use_the_same_fixture(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.anyio
        @pytest.mark.parametrize("anyio_backend", ["asyncio"])
        async def test_async(k3mock, anyio_backend):
            k3mock.reply("Hello.")
            async with k3mock.async_openai() as client:
                answer = await client.chat.completions.create(
                    model="kimi-k3", messages=[{"role": "user", "content": "hi"}]
                )
            assert answer.choices[0].message.content == "Hello."
            k3mock.assert_called(where={"last": "hi"}, times=1)
        """,
    )
    result.assert_outcomes(passed=1)


def test_sessions_of_a_module_and_of_the_run_are_looked_at_when_they_end(run: Run) -> None:
    result = run(
        """
        from caller import ask

        def test_scripts(k3mock_module, k3mock_session):
            k3mock_module.reply("of the module")
            k3mock_session.reply("of the run")

        def test_asks(k3mock_module):
            assert ask(k3mock_module.base_url, k3mock_module.api_key) == "of the module"

        def test_fails(k3mock_module):
            assert not k3mock_module.requests
        """,
    )
    result.assert_outcomes(passed=2, failed=1, errors=1)
    result.stdout.fnmatch_lines(["req_* 200 from scenario:k3mock.reply#1; *"])
    result.stdout.fnmatch_lines(["not used: k3mock.reply('of the run'): wanted once, used never"])


def test_a_list_of_profiles_is_refused_where_nothing_can_run_several_times(run: Run) -> None:
    result = run(
        """
        import pytest

        pytestmark = pytest.mark.k3mock(profile=["moonshot", "evolink"])

        def test_it(k3mock_module):
            pass
        """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*here, give one profile"])


def test_each_test_records_a_cassette_of_its_own(
    pytester: pytest.Pytester, run: Run, server: MockServer
) -> None:
    test = """
        import pytest
        from caller import ask

        pytestmark = pytest.mark.k3mock(cassette=True)

        def test_plain(k3mock):
            assert ask(k3mock.base_url, k3mock.api_key)

        @pytest.mark.parametrize("word", ["a/b", "c"])
        def test_words(k3mock, word):
            assert ask(k3mock.base_url, k3mock.api_key, word)

        class TestGroup:
            def test_inside(self, k3mock):
                assert ask(k3mock.base_url, k3mock.api_key)
        """
    upstream = f"--k3mock-upstream={server.address}/with/session=plugin-strict/v1"
    recorded = run(test, "--k3mock-record=once", upstream)
    recorded.assert_outcomes(passed=4)
    recorded.stdout.fnmatch_lines(["k3mock: *, recording once"])
    names = sorted(path.name for path in (pytester.path / "cassettes").glob("*.yaml"))
    assert [name for name in names if "words-a" not in name] == [
        "test_app.TestGroup.test_inside.yaml", "test_app.test_plain.yaml",
        "test_app.test_words-c.yaml",
    ]  # fmt: skip
    assert len(names) == 4
    run(test).assert_outcomes(passed=4)
    assert len(server.app.journal.entries("plugin-strict")) == 4


def test_a_cassette_may_be_chosen_in_the_test_after_the_address_was_given(
    pytester: pytest.Pytester, run: Run, server: MockServer
) -> None:
    test = """
        import os
        import pathlib
        import pytest
        from caller import ask, swallow

        @pytest.mark.k3mock(cassette="login")
        def test_recorded(k3mock):
            assert ask(k3mock.base_url, k3mock.api_key, "login")
        """
    upstream = f"--k3mock-upstream={server.address}/with/session=plugin-chosen/v1"
    run(test, "--k3mock-record=once", upstream).assert_outcomes(passed=1)
    more = """
        def test_chosen(k3mock_env):
            k3mock_env.cassette(pathlib.Path("cassettes/login.yaml"))
            address = os.environ["OPENAI_BASE_URL"]
            assert ask(address, k3mock_env.api_key, "login")
            assert k3mock_env.last_request.source.startswith("cassette:login")

        def test_chosen_and_missed(k3mock):
            k3mock.cassette("cassettes/login.yaml")
            swallow(k3mock.base_url, k3mock.api_key, "logout")

        def test_unknown(k3mock):
            k3mock.cassette("nowhere")
        """
    result = run(test + more)
    result.assert_outcomes(passed=3, failed=1, errors=1)
    result.stdout.fnmatch_lines(["nothing answered: *login*"])
    result.stdout.fnmatch_lines(["E *NotFoundError: no cassette 'nowhere'"])


def test_names_of_cassettes_stay_apart_and_fit_into_files() -> None:
    assert cassette_name("tests/a/test_x.py::test_y") == "tests.a.test_x.test_y"
    assert cassette_name("test_x.py::T::test_y[1-b]") == "test_x.T.test_y-1-b"
    odd = [cassette_name(f"test_x.py::test_y[{sign}]") for sign in ("a/b", "a b", "a.b")]
    assert len(set(odd)) == 3
    long = [cassette_name(f"test_x.py::test_{'y' * 300}{end}") for end in "ab"]
    assert len(set(long)) == 2
    assert max(map(len, long)) < 150
