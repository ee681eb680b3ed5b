"""`k3mock cassette verify`: recorded requests against a live endpoint."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from k3mock.cassette import format as files
from k3mock.cli.main import main
from tests.cassette.samples import STREAM, completion, interaction
from tests.recorder.upstream import (
    STREAM_HEAD,
    Close,
    FakeUpstream,
    Hold,
    Say,
    chunk,
    head,
    streamed,
    whole,
)
from tests.support import request

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click.testing import Result

    from k3mock.cassette.interaction import Interaction
    from tests.recorder.upstream import Act, Seen

KEY = "sk-live0123456789abcdefghijkl"


def verified(
    folder: Path, acts: Sequence[Act], *interactions: Interaction, words: Sequence[str] = ()
) -> tuple[Result, list[Seen]]:
    """Verify against an upstream that always does the same, and see that nothing is stored."""
    path = folder / "a.yaml"
    files.write(path, interactions)
    before = path.read_bytes()
    with FakeUpstream(lambda _: acts) as upstream:
        shown = CliRunner(env={"MOONSHOT_API_KEY": KEY, "NO_PROXY": "*"}).invoke(
            main, ["cassette", "verify", str(path), "--upstream", upstream.url, *words]
        )
    assert [each.name for each in folder.iterdir()] == ["a.yaml"]
    assert path.read_bytes() == before
    assert KEY not in shown.output
    return shown, upstream.seen


def body(value: Any) -> list[Act]:
    data = json.dumps(value).encode()
    lines = ("Content-Type: application/json", f"Content-Length: {len(data)}")
    return [Say(head("200 OK", *lines) + data)]


def test_the_same_answer_is_no_drift(tmp_path: Path) -> None:
    recorded = interaction(uri="https://elsewhere.example/api/openai/v1/chat/completions?a=1")
    said, seen = verified(tmp_path, body(completion("Other words.")), recorded)
    assert said.exit_code == 0
    assert said.stdout == (
        "#1  POST /api/openai/v1/chat/completions\n"
        '  words    answer.content: "Hello." → "Other words."\n'
    )
    assert said.stderr == "1 request asked, 1 answered otherwise, 0 not asked\n"
    [asked] = seen
    assert (asked.method, asked.target) == ("POST", "/v1/chat/completions?a=1")
    assert asked.json == request()
    assert asked.header("authorization") == f"Bearer {KEY}"
    assert asked.header("content-type") == "application/json"


def test_a_field_that_is_gone_fails(tmp_path: Path) -> None:
    less = {key: value for key, value in completion().items() if key != "usage"}
    said, _ = verified(tmp_path, body(less), interaction(), words=["--json"])
    assert said.exit_code == 1
    found = json.loads(said.stdout)
    assert found["worst"] == "removed"
    assert found["interactions"] == [{
        "number": 1, "request": "POST /v1/chat/completions", "skipped": None,
        "changes": [{"grade": "removed", "place": "answer.usage", "before": "object",
                     "after": ""}],
    }]  # fmt: skip
    accepted, _ = verified(tmp_path, body(less), interaction(), words=["--fail-on", "type"])
    assert accepted.exit_code == 0


def test_a_stream_may_be_cut_into_other_pieces_and_held_open(tmp_path: Path) -> None:
    joined = b"".join(STREAM)
    acts: list[Act] = [Say(STREAM_HEAD), Say(chunk(joined[:100])), Say(chunk(joined[100:-5])),
            Say(chunk(joined[-5:])), Hold()]  # fmt: skip
    said, _ = verified(tmp_path, acts, interaction(answer=STREAM))
    assert (said.exit_code, said.stdout) == (0, "#1  POST /v1/chat/completions  the same\n")


@pytest.mark.parametrize(
    ("acts", "change"),
    [
        ([*streamed(STREAM[:4], end=False), Close()], "answer.end: complete → upstream_error"),
        (whole(b'{"error": {}}', "429 Too Many Requests"), "answer.status: 200 → 429"),
    ],
)
def test_a_cut_and_a_refusal_are_the_worst(tmp_path: Path, acts: list[Act], change: str) -> None:
    said, _ = verified(tmp_path, acts, interaction(answer=STREAM))
    assert said.exit_code == 1
    assert f"status   {change}" in said.stdout


def test_silence_is_a_time_out(tmp_path: Path) -> None:
    acts: list[Act] = [Say(STREAM_HEAD), Say(chunk(STREAM[0])), Hold()]
    said, _ = verified(
        tmp_path, acts, interaction(answer=STREAM), words=["--upstream-timeout", "0.2"]
    )
    assert "answer.end: complete → timeout" in said.stdout


def test_what_changes_things_or_was_redacted_is_not_sent(tmp_path: Path) -> None:
    upload = interaction(b"x", uri="https://api.moonshot.ai/v1/files", number=1)
    models = interaction(
        b"", {"data": []}, method="GET", uri="https://api.moonshot.ai/v1/models", number=2
    )
    private = interaction(request("[text:0123456789ab]"), number=3)
    said, seen = verified(tmp_path, body({"data": []}), upload, models, private)
    assert said.stdout == (
        "#1  POST /v1/files  not asked: POST /v1/files may change something\n"
        "#2  GET /v1/models  the same\n"
        "#3  POST /v1/chat/completions  not asked: parts of the request were redacted\n"
    )
    assert said.stderr == "1 request asked, 0 answered otherwise, 2 not asked\n"
    assert [(each.method, each.target) for each in seen] == [("GET", "/v1/models")]


def test_only_what_is_named_is_asked(tmp_path: Path) -> None:
    pair = [interaction(number=1), interaction(request("second"), number=2)]
    _, seen = verified(tmp_path, body(completion()), *pair, words=["--only", "2"])
    assert [each.json["messages"][0]["content"] for each in seen] == ["second"]


def test_a_key_in_the_answer_is_not_shown(tmp_path: Path) -> None:
    said, _ = verified(tmp_path, body(completion(f"Your key is {KEY}.")), interaction())
    assert "[redacted]" in said.stdout
    halves = [
        {"choices": [{"index": 0, "delta": {"content": text}}]} for text in (KEY[:9], KEY[9:])
    ]
    pieces = [f"data: {json.dumps(each)}\n\n".encode() for each in halves]
    spread, _ = verified(tmp_path, streamed(pieces), interaction(answer=STREAM))
    assert spread.exit_code == 1
    assert "the answer holds a secret and is not compared" in spread.stderr


def test_an_upstream_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    files.write(path, [interaction()])
    with FakeUpstream(lambda _: [Say(head("200 OK")), Close()]) as upstream:
        pass
    said = CliRunner(env={"MOONSHOT_API_KEY": KEY}).invoke(
        main, ["cassette", "verify", str(path), "--upstream", upstream.url]
    )
    assert said.exit_code == 1
    assert "gave no answer: ConnectError" in said.stderr
    missing = CliRunner(env={"MOONSHOT_API_KEY": ""}).invoke(
        main, ["cassette", "verify", str(path), "--upstream", upstream.url]
    )
    assert missing.exit_code == 2
    assert "MOONSHOT_API_KEY is empty or not set" in missing.stderr
