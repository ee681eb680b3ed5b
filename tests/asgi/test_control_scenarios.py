from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.asgi import control_answers
from k3mock.scenario import posted
from tests.support import Answer, call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

PATH = "/__k3mock__/scenarios"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[MockServer]:
    """A server with one scenario from a file."""
    file = tmp_path / "filed.yaml"
    file.write_text("name: filed\nturns:\n  - {when: {last: hello}, reply: from the file}\n")
    with serving(scenarios=[str(file)], on_miss="error") as server:
        yield server


def post(server: MockServer, text: str, query: str = "") -> Answer:
    return call(server, PATH + query, text.encode())


def said(server: MockServer, content: str, session: str = "default") -> Any:
    answer = chat(server, content, options=f"session={session}")
    return answer.message["content"] if answer.status == 200 else answer.error["message"]


def test_a_posted_scenario_answers_everyone(own: MockServer) -> None:
    added = post(own, "name: p\nturns:\n  - {when: {last: hi}, reply: posted}\n")
    assert added.status == 201
    assert added.json == {"loaded": ["p"], "replaced": [], "session": None, "problems": []}
    assert said(own, "hi") == said(own, "hi", "other") == "posted"
    assert said(own, "hello") == "from the file"


def test_a_session_sees_its_own_scenario_and_no_other_does(own: MockServer) -> None:
    assert post(own, "name: p\nturns: [{reply: mine}]", "?session=s1").json["session"] == "s1"
    post(own, "name: p\nturns: [{reply: yours}]", "?session=s2")
    assert said(own, "hello", "s1") == "mine"
    assert said(own, "hello", "s2") == "yours"
    assert said(own, "hello", "s3") == "from the file"
    assert "k3mock: nothing in 1 loaded scenario" in said(own, "x", "s3")


def test_one_of_the_same_name_is_replaced_and_counts_from_the_start(own: MockServer) -> None:
    text = "name: p\nturns:\n  - {when: {last: a}, reply: first, times: 1}\n"
    post(own, text)
    assert said(own, "a") == "first"
    assert "used up" in said(own, "a", "default")
    assert post(own, text).json["replaced"] == ["p"]
    assert said(own, "a") == "first"
    post(own, "name: filed\nturns: [{when: {last: hello}, reply: instead}]")
    assert said(own, "hello") == "instead"


def test_one_without_turns_bends_only_its_sessions_answers(own: MockServer) -> None:
    post(own, "name: p\nheaders: {x-a: b}", "?session=s1")
    post(own, "name: q\nheaders: {x-a: c, x-b: d}")
    post(own, "name: r\nheaders: {x-b: e}")
    bent = chat(own, "hello", options="session=s1").headers
    assert (bent["x-a"], bent["x-b"]) == ("b", "e")
    assert chat(own, "hello", options="session=s2").headers["x-a"] == "c"


def test_the_listing_shows_hits_origin_and_pages(own: MockServer) -> None:
    post(own, "name: p\nabout: why\nturns: [{when: {last: hi}, reply: x, times: 3}]", "?session=s1")
    post(own, "name: q\nturns: [{when: {last: never}, reply: x}]")
    said(own, "hi", "s1")
    listed = call(own, f"{PATH}?session=s1").json
    assert [(each["name"], each["origin"]) for each in listed["scenarios"]] == [
        ("p", "session"), ("q", "posted"), ("filed", "file"),
    ]  # fmt: skip
    assert listed["scenarios"][0]["turns"] == [
        {"number": 1, "when": {"last": "hi"}, "times": 3, "hits": 1}
    ]
    assert (listed["session"], listed["next"], listed["trouble"]) == ("s1", None, None)
    first = call(own, f"{PATH}?session=s1&limit=2").json
    rest = call(own, f"{PATH}?session=s1&limit=2&after={first['next']}").json
    assert [each["name"] for each in first["scenarios"] + rest["scenarios"]] == ["p", "q", "filed"]
    assert rest["next"] is None
    assert [each["name"] for each in call(own, PATH).json["scenarios"]] == ["q", "filed"]
    assert len(own.app.pipeline.sessions) == 1


def test_json_means_what_it_says(own: MockServer) -> None:
    given = {"name": "j", "turns": [{"when": {"last": "😀"}, "reply": "🎉"}]}
    raw = json.dumps(given, indent="\t")
    assert "\\ud83d" in raw
    assert post(own, raw).status == 201
    assert said(own, "😀") == "🎉"


def test_several_scenarios_come_in_one_body(own: MockServer) -> None:
    text = """scenarios:
      - {name: a, turns: [{when: {last: x}, reply: one}]}
      - {name: b, turns: [{when: {last: y}, reply: two}]}"""
    assert post(own, text).json["loaded"] == ["a", "b"]
    assert (said(own, "x"), said(own, "y")) == ("one", "two")


def test_a_posted_scenario_reads_no_file(own: MockServer, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    text = f"name: p\nturns:\n  - reply: {{content: {{file: {tmp_path / 'secret.txt'}}}}}\n"
    refused = post(own, text)
    assert refused.status == 400
    assert "cannot read files" in refused.error["message"]
    assert b"the secret" not in refused.body
    assert said(own, "hello") == "from the file"


def test_a_broken_scenario_is_explained_and_nothing_changes(own: MockServer) -> None:
    post(own, "name: p\nturns: [{when: {last: hi}, reply: old}]")
    refused = post(own, "name: p\nturns:\n  - {repli: new}\n")
    assert refused.status == 400
    assert refused.error["message"].startswith("k3mock: the scenario cannot be used: scenario:3:")
    assert refused.error["type"] == "k3mock_error"
    assert {each["severity"] for each in refused.json["problems"]} == {"error"}
    assert any("'reply'" in (each["accepted"] or "") for each in refused.json["problems"])
    assert said(own, "hi") == "old"
    for body, told in (
        ("", "as YAML or JSON"),
        ("turns: [{reply: x}]", "needs a name"),
        ("]", "YAML"),
    ):
        answer = post(own, body)
        assert answer.status == 400
        assert told in answer.error["message"]


def test_errors_and_listings_hold_no_keys() -> None:
    with serving(api_keys=("plain-secret-key",)) as server:
        key = "sk-Abcdefgh12345678"
        text = "name: p\nturns:\n  - {{when: {{last: '{0}'}}, reply: x{1}}}\n"
        assert post(server, text.format(key, "")).status == 201
        post(server, text.format("plain-secret-key", "").replace("name: p", "name: q"))
        listed = call(server, PATH).body
        broken = post(server, f"name: p\nturns:\n  - {{when: {{lasst: {key}}}, {key}: x}}\n")
        assert broken.status == 400
        for secret in (key, "plain-secret-key"):
            assert secret.encode() not in listed + broken.body
        assert listed.count(b"[redacted]") == 2


def test_what_was_posted_is_forgotten_and_files_stay(own: MockServer) -> None:
    for name, query in (("a", ""), ("b", ""), ("a", "?session=s1"), ("c", "?session=s1")):
        post(own, f"name: {name}\nturns: [{{when: {{last: z}}, reply: {name}}}]", query)
    wrong = call(own, f"{PATH}?name=filed", method="DELETE")
    assert wrong.status == 404
    assert "those of files stay" in wrong.error["message"]
    gone = call(own, f"{PATH}?session=s1&name=c", method="DELETE")
    assert gone.json == {"removed": ["c"]}
    assert call(own, f"{PATH}?name=a", method="DELETE").json == {"removed": ["a"]}
    assert said(own, "z", "s1") == "b"
    assert call(own, PATH, method="DELETE").json == {"removed": ["b"]}
    assert call(own, f"{PATH}?session=s1", method="DELETE").json == {"removed": []}
    assert said(own, "hello", "s1") == "from the file"
    assert "matches this request" in said(own, "z")


def test_a_long_body_is_refused(own: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_answers, "MAX_POSTED_BYTES", 1000)
    announced = post(own, "name: p\nabout: " + "x" * 1000)
    assert announced.status == 413
    assert "longer than 1000 bytes" in announced.error["message"]


def test_there_is_an_end_to_the_room(own: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posted, "MAX_SCENARIOS", 1)
    assert post(own, "name: p\nturns: [{reply: x}]").status == 201
    full = post(own, "name: q\nturns: [{reply: x}]")
    assert full.status == 413
    assert "no room" in full.error["message"]


def test_a_wrong_session_name_is_refused(own: MockServer) -> None:
    for query in ("?session=", "?session=" + "x" * 201):
        assert post(own, "name: p\nturns: [{reply: x}]", query).status == 400
    unknown = post(own, "name: p\nturns: [{reply: x}]", "?sesion=a")
    assert unknown.status == 400
    assert "did you mean 'session'" in unknown.error["message"]


def test_a_server_that_records_takes_no_scenario(tmp_path: Path) -> None:
    with serving(
        record="once", upstream="http://127.0.0.1:9/v1", cassettes=[str(tmp_path / "t.yaml")]
    ) as server:
        refused = post(server, "name: p\nturns: [{reply: x}]")
        assert refused.status == 409
        assert "records" in refused.error["message"]


def test_a_catch_all_of_a_session_goes_before_the_patterns_of_files(own: MockServer) -> None:
    post(own, "name: all\nturns: [{reply: for all}]")
    assert said(own, "hello") == "for all"
    post(own, "name: mine\nturns: [{reply: mine}]", "?session=s1")
    assert said(own, "hello", "s1") == "mine"
    post(own, "name: first\npriority: 1\nturns: [{when: {last: hello}, reply: first}]")
    assert said(own, "hello", "s2") == "first"
    assert said(own, "hello", "s1") == "mine"
    assert said(own, "x", "s1") == "mine"


def test_a_sessions_own_scenarios_go_with_its_reset_and_free_their_room(own: MockServer) -> None:
    post(own, "name: p\nturns: [{when: {last: hi}, reply: mine}]", "?session=s1")
    post(own, "name: q\nturns: [{when: {last: hi}, reply: yours}]", "?session=s2")
    post(own, "name: r\nturns: [{when: {last: hi}, reply: all}]")
    assert said(own, "hi", "s1") == "mine"
    call(own, "/__k3mock__/reset?session=s1", b"")
    assert (said(own, "hi", "s1"), said(own, "hi", "s2")) == ("all", "yours")
    call(own, "/__k3mock__/reset", b"")
    assert (said(own, "hi", "s1"), said(own, "hi", "s2")) == ("all", "all")
    assert own.app.scenarios.posted.owners() == (None,)


def test_the_names_of_replies_in_python_are_not_given_away(own: MockServer) -> None:
    refused = post(own, "name: k3mock.reply\nturns: [{reply: x}]", "?session=s1")
    assert refused.status == 400
    assert "k3mock's own" in refused.error["message"]
