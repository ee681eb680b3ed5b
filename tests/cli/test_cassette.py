"""`k3mock cassette …`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from k3mock.cassette import format as files
from k3mock.cassette.interaction import End
from k3mock.cassette.library import Manner
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.source import Shelf
from k3mock.cassette.store import Tape
from k3mock.cli.main import main
from k3mock.scenario.check import problems
from tests.cassette.samples import JSON, STREAM, completion, interaction, sse
from tests.support import request

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click.testing import Result

    from k3mock.cassette.interaction import Interaction

KEY = "sk-planted0123456789abcdefghijkl"


def run(*words: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner(env=env).invoke(main, ["cassette", *map(str, words)])


def saved(folder: Path, *interactions: Interaction, name: str = "a.yaml") -> Path:
    path = folder / name
    numbered = [replace(each, number=at) for at, each in enumerate(interactions, 1)]
    files.write(path, numbered)
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return saved(tmp_path, interaction(request("Hello?", stream=True), STREAM), interaction())


def test_ls_shows_a_table_for_each_file(recording: Path) -> None:
    shown = run("ls", recording.parent)
    assert shown.exit_code == 0
    name, heading, first, second = shown.stdout.strip().splitlines()
    assert (name, heading.split()[:3]) == (str(recording), ["#", "request", "model"])
    assert first.split() == [
        "1", "POST", "/v1/chat/completions", "kimi-k3", "user:", "Hello?", "yes", "0", "200",
        "12+7", "90", "complete",
    ]  # fmt: skip
    assert second.split()[-4:] == ["200", "12+7", "10", "complete"]


def test_ls_as_json(recording: Path) -> None:
    [file] = json.loads(run("ls", recording, "--json").stdout)
    assert (file["file"], file["error"]) == (str(recording), None)
    assert [row["last"] for row in file["interactions"]] == ["user: Hello?", "user: hi"]


def test_a_broken_file_does_not_hide_the_others(recording: Path) -> None:
    broken = recording.with_name("b.yaml")
    broken.write_text("interactions: []\n", encoding="utf-8")
    shown = run("ls", recording, broken)
    assert shown.exit_code == 1
    assert "kimi-k3" in shown.stdout
    assert "b.yaml: the cassette has no version" in shown.stderr
    [_, error] = json.loads(run("ls", recording, broken, "--json").stdout)
    assert "has no version" in error["error"]
    for command in ("show", "recover"):
        assert run(command, broken, *(["1"] if command == "show" else [])).exit_code == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ls",), "Missing argument"),
        (("ls", "no.yaml"), "no such file or folder"),
        (("ls", "."), "the folder holds no cassette"),
        (("show", "no.yaml", "1"), "no such file"),
        (("show", ".", "1"), "a folder, where one file is wanted"),
        (("show", "a.yaml", "0"), "0 is not in the range"),
        (("show", "a.yaml", "9"), "1 to 2"),
        (("check", "a.yaml", "--max-age", "long"), "accepted: 36h, 90d, 12w"),
        (("scan", "a.yaml", "--known-env", "K3MOCK_NOT_SET"), "K3MOCK_NOT_SET is empty or not set"),
        (("convert", "a.yaml", "--to", "html", "-o", "b"), "'scenario', 'json', 'yaml'"),
        (("convert", "a.yaml", "-o", "a.yaml"), "the output is there already"),
        (("convert", "a.yaml", "--to", "json", "-o", "b.yaml"), "do not agree"),
        (("diff", "a.yaml", "a.yaml", "--fail-on", "all"), "'words'"),
        (("verify", "a.yaml", "--upstream", "http://h", "--only", "7"), "has no interaction 7"),
    ],
)
def test_wrong_usage_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "." not in words:
        saved(tmp_path, interaction(), interaction())
    shown = run(*words)
    assert shown.exit_code == 2, shown.output
    assert told in shown.stderr
    assert "Traceback" not in shown.output


def test_show_is_for_people_or_for_scripts(recording: Path) -> None:
    assert "  reasoning: I should look it up.\n" in run("show", recording, 1).stdout
    view = json.loads(run("show", recording, 2, "--json").stdout)
    assert view["answer"]["content"] == "Hello."
    assert view["request"]["body"] == request()


def test_check_fails_for_broken_files_and_old_recordings(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction(), interaction(answer=STREAM[:3], end=End.TIMEOUT))
    shown = run("check", path)
    assert shown.exit_code == 0
    assert f"{path}#2: warning: partial: the answer was cut off, timeout" in shown.stdout
    assert shown.stderr == "1 file: 0 errors\n"
    assert run("check", path, "--strict").exit_code == 1
    assert run("check", path, "--max-age", "9999w").exit_code == 0
    old = run("check", path, "--max-age", "0h", "--json")
    assert old.exit_code == 1
    found = json.loads(old.stdout)
    assert {(row["severity"], row["kind"], row["number"]) for row in found} == {
        ("error", "age", 1), ("warning", "partial", 2), ("error", "age", 2),
    }  # fmt: skip
    path.write_bytes(path.read_bytes()[:-20])
    broken = run("check", path)
    assert broken.exit_code == 1
    assert f"{path}: error: broken: " in broken.stdout


def test_check_notes_missing_times_and_warns_of_a_journal(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction(timing=None))
    shown = run("check", path, "--strict")
    assert shown.exit_code == 0
    assert f"{path}#1: note: timing: " in shown.stdout
    left_behind(path)
    assert "warning: format: a recording was not finished" in run("check", path).stdout


def left_behind(path: Path, *interactions: Interaction) -> None:
    """Leave a journal as a recorder does that dies."""
    tape = Tape.open(path)
    for each in interactions or (interaction(request("lost")),):
        tape.append(each)
    tape.close()


LEAKING = interaction(request(f"my key is {KEY}"))


def test_scan_says_where_a_secret_is_and_never_what(tmp_path: Path) -> None:
    clean = saved(tmp_path, interaction(), name="clean.yaml")
    assert run("scan", clean).exit_code == 0
    path = saved(tmp_path, interaction(), LEAKING)
    shown = run("scan", tmp_path)
    assert shown.exit_code == 1
    [line] = shown.stdout.splitlines()
    assert line.startswith(f"{path}: #2.request.body: ")
    assert shown.stderr == "2 files: 1 secret\n"
    assert KEY not in shown.output
    [row] = json.loads(run("scan", path, "--json").stdout)
    assert (row["file"], row["place"], row["error"]) == (str(path), "#2.request.body", None)


def test_scan_knows_the_secrets_in_variables(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction(request("the word is swordfish-and-chips")))
    assert run("scan", path).exit_code == 0
    shown = run(
        "scan", path, "--known-env", "OUR_SECRET", env={"OUR_SECRET": "swordfish-and-chips"}
    )
    assert shown.exit_code == 1
    assert "swordfish" not in shown.output


def test_scan_looks_into_journals_and_takes_no_broken_file_for_clean(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction())
    left_behind(path, LEAKING)
    shown = run("scan", path)
    assert (shown.exit_code, KEY in shown.output) == (1, False)
    assert "a.yaml.journal" in shown.stdout
    path.write_text("nonsense", encoding="utf-8")
    broken = run("scan", path)
    assert broken.exit_code == 1
    assert "error: " in broken.stdout
    as_json = saved(tmp_path, LEAKING, name="b.json")
    assert "#1.request.body" in run("scan", as_json).stdout


def test_scrub_takes_secrets_out_in_place(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction(), LEAKING)
    before = files.load(path)
    shown = run("scrub", path)
    assert (shown.exit_code, shown.stdout) == (0, f"{path}: 1 interaction of 2 changed\n")
    assert KEY.encode() not in path.read_bytes()
    assert run("scan", path).exit_code == 0
    after = files.load(path)
    assert after.interactions[0] == before.interactions[0]
    stamp = path.stat().st_mtime_ns
    [row] = json.loads(run("scrub", path, "--json").stdout)
    assert (row["changed"], row["error"], path.stat().st_mtime_ns) == ([], None, stamp)


def test_scrub_takes_secrets_out_of_foreign_recordings(tmp_path: Path) -> None:
    path = saved(tmp_path, replace(LEAKING, timing=None))
    assert run("scrub", path).exit_code == 0
    [found] = files.load(path).interactions
    assert (b"[redacted]" in found.request.body, found.timing) == (True, None)


def test_scrub_takes_texts_out_when_asked(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction(request("a private matter"), completion("so it is")))
    assert run("scrub", path, "--redact-content").exit_code == 0
    assert b"private" not in path.read_bytes()
    assert files.load(path).interactions[0].timing.redacted == ("content",)  # type: ignore[union-attr]
    shown = run("convert", path, "--to", "scenario", "-o", tmp_path / "s.yaml")
    assert shown.exit_code == 1
    assert "its texts were redacted" in shown.stderr


def test_scrub_keeps_media_when_asked(tmp_path: Path) -> None:
    picture = "data:image/png;base64," + "QUJD" * 40
    part = {"type": "image_url", "image_url": {"url": picture}}
    asked = interaction(request(messages=[{"role": "user", "content": [part]}]))
    kept, gone = saved(tmp_path, asked, name="k.yaml"), saved(tmp_path, asked, name="g.yaml")
    run("scrub", kept, "--keep-media")
    run("scrub", gone)
    assert picture.encode() in files.load(kept).interactions[0].request.body
    assert b"QUJDQUJD" not in files.load(gone).interactions[0].request.body


def test_scrub_leaves_a_file_alone_that_it_cannot_clean(tmp_path: Path) -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text}}]} for text in (KEY[:9], KEY[9:])
    ]
    path = saved(tmp_path, interaction(answer=sse(*chunks, "[DONE]")))
    before = path.read_bytes()
    shown = run("scrub", path)
    assert shown.exit_code == 1
    assert path.read_bytes() == before
    assert "spread over several events" in shown.stderr
    [row] = json.loads(run("scrub", path, "--json").stdout)
    assert row["changed"] == []
    assert "spread" in row["error"]


def test_recover_publishes_a_journal(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction())
    left_behind(path)
    shown = run("recover", path)
    assert shown.stdout == f"{path}: 1 interaction recovered, 2 in the cassette\n"
    assert [each.number for each in files.load(path).interactions] == [1, 2]
    again = run("recover", path)
    assert again.exit_code == 1
    assert "no journal to recover" in again.stderr


def test_what_only_a_journal_holds_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    left_behind(path)
    told = f"a recording was not finished: k3mock cassette recover {path}"
    for where in (path, tmp_path):
        for command in ("ls", "check"):
            shown = run(command, where)
            assert shown.exit_code == 1
            assert told in shown.output
        assert run("scan", where).exit_code == 2
        if where == path:
            with pytest.raises(CassetteError, match="a recording was not finished"):
                Shelf([str(where)], Manner())
        else:
            assert Shelf([str(where)], Manner()).warnings == [f"own.yaml: {told}"]
    saved(tmp_path, interaction(), name="own.yaml")
    shown = run("ls", path)
    assert shown.exit_code == 0
    assert told in shown.stderr
    assert Shelf([str(path)], Manner()).warnings == [f"own.yaml: {told}"]
    with Tape.open(tmp_path / "alive.yaml") as tape:
        tape.append(interaction())
        assert "no such file" in run("ls", tmp_path / "alive.yaml").stderr
        assert "alive.yaml" not in run("ls", tmp_path).output


def test_recover_tells_what_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    left_behind(path)
    journal = tmp_path / "a.yaml.journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole[: len(whole) // 2])
    shown = json.loads(run("recover", journal, "--json").stdout)
    assert (shown["added"], shown["torn"] > 0, shown["kept"]) == (1, True, None)
    left_behind(other := tmp_path / "b.yaml")
    torn = tmp_path / "b.yaml.journal"
    torn.write_bytes(torn.read_bytes() + whole[:300])
    assert "bytes of an interaction that was being written are lost" in run("recover", other).stderr


def test_recover_publishes_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    left_behind(path, LEAKING)
    shown = run("recover", path)
    assert shown.exit_code == 1
    assert "must not be kept" in shown.stderr
    assert KEY not in shown.output
    assert not path.exists()


@pytest.mark.parametrize(
    ("after", "fail_on", "code"),
    [
        (completion("Bye."), "value", 0),
        (completion("Bye."), "words", 1),
        (completion(finish="length"), "value", 1),
        (completion(finish="length"), "added", 0),
        (completion(finish="length"), "never", 0),
    ],
)
def test_diff_fails_from_a_grade_on(tmp_path: Path, after: Any, fail_on: str, code: int) -> None:
    one = saved(tmp_path, interaction(), name="1.yaml")
    two = saved(tmp_path, interaction(answer=after), name="2.yaml")
    shown = run("diff", one, two, "--fail-on", fail_on)
    assert shown.exit_code == code
    assert shown.stdout.startswith("#1 ↔ #1  POST /v1/chat/completions\n")
    assert shown.stderr == "0 the same, 1 not\n"


def test_diff_as_json(recording: Path) -> None:
    shown = json.loads(run("diff", recording, recording, "--json").stdout)
    assert (shown["worst"], len(shown["pairs"])) == (None, 2)
    other = saved(recording.parent, interaction(), name="b.yaml")
    worse = run("diff", recording, other, "--json")
    assert (worse.exit_code, json.loads(worse.stdout)["worst"]) == (1, "removed")


def test_convert_writes_a_scenario_that_loads(tmp_path: Path, recording: Path) -> None:
    out = tmp_path / "scenario.yaml"
    shown = run("convert", recording, "--to", "scenario", "-o", out)
    assert (shown.exit_code, shown.stdout) == (0, f"{out}: 2 turns\n")
    assert problems([out]) == []


def test_convert_goes_to_json_and_back(tmp_path: Path, recording: Path) -> None:
    middle, out = tmp_path / "b.json", tmp_path / "c.yaml"
    assert run("convert", recording, "-o", middle).stdout == f"{middle}: 2 interactions\n"
    assert json.loads(middle.read_bytes())["version"] == 1
    assert run("convert", middle, "--to", "yaml", "-o", out).exit_code == 0
    assert out.read_bytes() == recording.read_bytes()
    assert run("convert", middle, "-o", out).exit_code == 2
    assert run("convert", middle, "-o", out, "--force").exit_code == 0


def test_convert_reads_an_archive_and_keeps_no_secret(tmp_path: Path) -> None:
    entry = {
        "startedDateTime": "2026-11-29T19:26:09.5+01:00",
        "request": {
            "method": "POST", "url": "https://api.moonshot.ai/v1/chat/completions?key=abcdefgh",
            "headers": [{"name": "Authorization", "value": f"Bearer {KEY}"},
                        {"name": "Content-Type", "value": "application/json"}],
            "postData": {"text": json.dumps(request(f"say {KEY}"))},
        },
        "response": {"status": 200, "statusText": "OK", "headers": [
            {"name": "content-type", "value": "application/json"},
            {"name": "set-cookie", "value": "session=0123456789"}],
            "content": {"text": json.dumps(completion())}},
    }  # fmt: skip
    other = {"request": {"method": "GET", "url": "https://example.com/x"}, "response": {}}
    source, out = tmp_path / "a.har", tmp_path / "a.yaml"
    source.write_text(json.dumps({"log": {"entries": [entry, other]}}), encoding="utf-8")
    shown = run("convert", source, "-o", out)
    assert (shown.exit_code, shown.stdout) == (0, f"{out}: 1 interaction\n")
    assert shown.stderr == "entry 2: GET https://example.com/x is no chat completion\n"
    [found] = files.load(out).interactions
    assert found.request.uri == "https://api.moonshot.ai/v1/chat/completions"
    assert found.request.headers == JSON
    assert KEY.encode() not in out.read_bytes()
    assert run("scan", out).exit_code == 0
    assert run("convert", source, "--to", "scenario", "-o", tmp_path / "s.yaml").exit_code == 0


def test_recover_keeps_a_journal_that_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    left_behind(path, interaction(), interaction(request("b"), number=2))
    journal = tmp_path / "a.yaml.journal"
    journal.write_bytes(journal.read_bytes().replace(b"method: POST", b"method: [POST", 1))
    shown = run("recover", path)
    assert "1 interaction recovered, 1 in the cassette" in shown.stdout
    assert "could not be read; it is kept as" in shown.stderr


def test_scan_says_when_a_file_cannot_be_opened(tmp_path: Path) -> None:
    path = saved(tmp_path, interaction())
    journal = tmp_path / "a.yaml.journal"
    journal.mkdir()
    assert run("scan", path).exit_code == 0
    path.unlink()
    path.symlink_to(tmp_path / "a.yaml.journal")
    shown = run("scan", path)
    assert shown.exit_code == 2
    assert "the folder holds no cassette" in shown.stderr
