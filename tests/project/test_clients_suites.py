"""The suites of other projects: how their reports are counted and their rows are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.clients import suites
from tests.clients.groups import SkippedError
from tests.clients.suites import FOLDER, HERE, Suite

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """<testsuites><testsuite>
  <testcase classname="tests.test_a" name="test_good"/>
  <testcase classname="tests.test_a" name="test_bad[1]"><failure message="no"/></testcase>
  <testcase classname="tests.test_b" name="test_broken"><error message="no"/></testcase>
  <testcase classname="tests.test_b" name="test_left"><skipped message="later"/></testcase>
</testsuite></testsuites>"""
KNOWN = suites.suites([])


def test_a_report_is_counted_and_what_failed_is_named() -> None:
    assert suites.counted(REPORT) == {
        "passed": 1, "failed": 2, "skipped": 1,
        "failures": ["test_a.test_bad[1]", "test_b.test_broken"],
    }  # fmt: skip


@pytest.mark.parametrize("suite", KNOWN, ids=lambda suite: suite.name)
def test_a_suite_is_pinned_and_may_be_run(suite: Suite) -> None:
    assert len(suite.revision) == 40
    assert all("==" in requirement for requirement in suite.requirements)
    assert suite.licence in {"MIT", "Apache-2.0"}
    assert any("{url}" in each for each in suite.command)
    assert any("{report}" in each for each in suite.command)
    assert suite.profile == "moonshot" or (HERE / "profiles" / suite.profile).is_file()


def test_suites_are_chosen_by_name() -> None:
    assert [suite.name for suite in suites.suites([KNOWN[0].name])] == [KNOWN[0].name]
    assert {suite.name for suite in KNOWN} == {path.stem for path in FOLDER.glob("*.toml")}


def test_a_row_has_a_suite_and_every_failure_a_reason() -> None:
    rows = suites.rows()
    assert {row["title"] for row in rows} <= {suite.title for suite in KNOWN}
    unexplained = [
        name for row in rows for name in row.get("failures", ()) if not suites.why(row, name)
    ]
    assert unexplained == []


def test_the_part_of_the_page_tells_counts_and_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    row: dict[str, Any] = {
        "title": "Theirs", "source": "a/b", "revision": "abc", "licence": "MIT", "about": "all",
        "passed": 3, "failed": 1, "skipped": 0, "failures": ["t.bad"], "explained": {"bad": "true"},
    }  # fmt: skip
    out = {**row, "title": "Other", "skipped_because": "no git"}
    out.pop("failures")
    monkeypatch.setattr(suites, "rows", lambda: [row, out])
    page = "\n".join(suites.lines())
    assert "| [Theirs](https://github.com/a/b) abc | MIT | 3 | 1 | 0 | all |" in page
    assert "| – | – | not run: no git |" in page
    assert "| Theirs | t.bad | true |" in page
    assert suites.why(row, "t.other") == ""
    monkeypatch.setattr(suites, "rows", list)
    assert suites.lines() == []


def test_a_suite_that_cannot_be_had_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "INSTALLED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SkippedError, match="git: FileNotFoundError"):
        suites.install(KNOWN[0])
