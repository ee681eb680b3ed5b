"""The README's commands and programs do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.fault.catalogue import catalogue_rows
from k3mock.protocol.knobs import SHORTCUTS, knobs
from k3mock.scenario import check
from tests.project import cases
from tests.project.generated import PAGES
from tests.project.readme import ADDRESS, README, python_blocks, run, transcripts, yaml_blocks
from tests.support import call, chat, request, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

TEXT = README.read_text(encoding="utf-8")
DOCS = README.parent / "docs"


@pytest.fixture(scope="module")
def seeded() -> Iterator[MockServer]:
    with serving(seed=7, tokenizer={}) as server:
        yield server


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*pair, id=f"transcript-{n}") for n, pair in enumerate(transcripts(TEXT))],
)
def test_every_transcript_shows_what_its_command_prints(
    seeded: MockServer, command: str, output: str
) -> None:
    call(seeded, "/__k3mock__/reset", b"")
    assert run(command, seeded.address) == output


def test_there_are_transcripts_of_curl() -> None:
    assert sum(command.startswith("curl ") for command, _ in transcripts(TEXT)) >= 4


def test_the_sdk_program_prints_an_answer(seeded: MockServer, tmp_path: Path) -> None:
    [program] = [block for block in python_blocks(TEXT) if "stream_options" in block]
    path = tmp_path / "program.py"
    path.write_text(program.replace(ADDRESS, seeded.address))
    shown = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert "\ntokens: " in shown.stdout
    assert len(shown.stdout) > 200


def test_the_pytest_program_passes(pytester: pytest.Pytester) -> None:
    [program] = [
        block for block in python_blocks(TEXT) if "def test_" in block and "cassette" not in block
    ]
    pytester.makepyfile(program)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_the_program_without_pytest_prints_a_base_url() -> None:
    [program] = [block for block in python_blocks(TEXT) if "k3mock.start(" in block]
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout.startswith("http://127.0.0.1:")
    assert shown.stdout.endswith("/v1\n")


def test_the_users_profile_is_served_beside_the_built_in_ones(tmp_path: Path) -> None:
    [text] = [block for block in yaml_blocks(TEXT) if "extends:" in block]
    path = tmp_path / "my-gateway.yaml"
    path.write_text(text)
    with serving(profile=str(path)) as server:
        body = {**request(), "model": "moonshotai/kimi-k3", "max_completion_tokens": 4}
        own = call(server, "/api/v1/chat/completions", {**body, "reasoning_effort": "low"})
        assert own.json["model"] == "moonshotai/kimi-k3"
        assert chat(server).status == 404
        evolink = chat(server, options="profile=evolink", reasoning_effort="low")
        assert evolink.error["message"] == "reasoning_effort must be one of: max"
        for name in NAMES:
            assert chat(server, options=f"profile={name}", max_tokens=4).status == 200


def test_the_scenarios_have_no_problem_and_answer(tmp_path: Path) -> None:
    blocks = [block for block in yaml_blocks(TEXT) if "turns:" in block]
    assert len(blocks) >= 2
    for number, block in enumerate(blocks):
        (tmp_path / f"{number}.yaml").write_text(block, encoding="utf-8")
    assert [str(found) for found in check.problems([str(tmp_path)]) if found.severity != "note"
            ] == []  # fmt: skip
    with serving(scenarios=[str(tmp_path)]) as server:
        asked = chat(server, "How is the weather?", options="scenario=weather", tools=[tool()])
        assert asked.message["tool_calls"][0]["function"]["arguments"] == '{"city":"Izmir"}'
        other = [chat(server, options="scenario=weather").status for _ in range(2)]
        assert other == [429, 200]
        shaky = [chat(server, options="scenario=shaky;pace=speed=1000") for _ in range(3)]
        assert [answer.status for answer in shaky] == [502, 502, 200]


def test_the_scenario_that_the_page_of_the_control_api_posts_is_one(server: MockServer) -> None:
    text = (DOCS / "control.md").read_text(encoding="utf-8")
    [posted] = re.findall(r"<<'YAML'\n(.*?)\nYAML\n", text, re.DOTALL)
    answer = call(server, "/__k3mock__/scenarios?session=t1", posted.encode())
    assert (answer.status, answer.json["problems"]) == (201, [])
    assert chat(server, "hello there", options="session=t1").message["content"] == "Hi."


def test_every_rule_error_and_command_stands_in_the_generated_tables() -> None:
    profile = load_profile("moonshot")
    contract = (DOCS / "contract.md").read_text(encoding="utf-8")
    for name in (*(rule.id for rule in profile.rules), *profile.errors):
        assert f"| `{name}`" in contract, name
    assert "| `k3mock serve` |" in TEXT
    assert "| `temperature: 0.7` | **400** | 200 | 200 |" in TEXT


def test_it_stays_short_enough_to_be_read() -> None:
    assert TEXT.count("\n") <= 700


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_generated_pages_are_current(path: Path) -> None:
    """`make docs` rewrites them."""
    assert path.read_text(encoding="utf-8") == PAGES[path]()


def test_the_page_of_cases_is_current() -> None:
    assert cases.PAGE.read_text(encoding="utf-8") == cases.page()


def test_every_knob_and_fault_is_named() -> None:
    rows = catalogue_rows(load_profile("moonshot"))
    for name in (*knobs(), *SHORTCUTS, *(str(row["name"]) for row in rows)):
        assert f"`{name}`" in TEXT, name
    assert len(rows) >= 50
