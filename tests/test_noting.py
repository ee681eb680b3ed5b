"""What a host does without a word: in the journal, in a header, and as an error on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support import Answer, call, chat, profile_file, serving, tool

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from k3mock.serving import MockServer

HEADER = "x-k3mock-warnings"


def warnings(server: MockServer, session: str) -> list[dict[str, str]]:
    """Return the warnings of the newest request of a session, as the control API shows them."""
    listed = call(server, f"/__k3mock__/requests?session={session}").json["requests"]
    found: list[dict[str, str]] = listed[-1]["warnings"]
    return found


def ask(server: MockServer, session: str, options: str = "", **fields: Any) -> Answer:
    return chat(server, options=f"session={session};{options}", **fields)


def test_a_warning_is_in_the_journal_with_rule_message_and_path(server: MockServer) -> None:
    answer = ask(server, "note-1", "profile=apiany", temperature=0.2, max_tokens=50, x=1)
    assert answer.status == 200
    assert answer.headers[HEADER] == "forward.rename,forward.remove,field.unknown"
    assert warnings(server, "note-1")[1] == {
        "rule": "forward.remove",
        "message": "temperature is taken away before the model sees it",
        "path": "temperature",
    }


def test_a_rule_stands_once_in_the_header_however_often_it_is_broken(server: MockServer) -> None:
    assert ask(server, "note-2", x=1, y=2).headers[HEADER] == "field.unknown"
    assert [found["path"] for found in warnings(server, "note-2")] == ["x", "y"]


def test_a_stream_has_the_header_too_and_the_usual_ones_keep_their_order(
    server: MockServer,
) -> None:
    plain = list(ask(server, "note-3", stream=True).headers)
    warned = list(ask(server, "note-3b", stream=True, x=1).headers)
    assert HEADER not in plain
    assert [name for name in warned if name != HEADER] == plain


def test_information_is_in_the_journal_alone(server: MockServer) -> None:
    answer = ask(server, "note-4", "profile=devotel;warnings=error", stream=True)
    assert answer.status == 200
    assert HEADER not in answer.headers
    (found,) = warnings(server, "note-4")
    assert (found["rule"], found["level"]) == ("forward.added", "info")


def test_what_a_request_is_refused_for_is_no_warning(server: MockServer) -> None:
    answer = ask(server, "note-5", temperature=0.2, x=1)
    assert answer.status == 400
    assert HEADER not in answer.headers
    assert [found["rule"] for found in warnings(server, "note-5")] == ["temperature.fixed"]


def test_a_broken_rule_that_is_only_noted_is_not_said_twice(server: MockServer) -> None:
    answer = ask(server, "note-6", "contract=warn", reasoning_effort="medium", x=1)
    assert answer.headers[HEADER] == "reasoning_effort.value,field.unknown"


def test_who_switches_the_contract_off_hears_nothing(server: MockServer) -> None:
    answer = ask(server, "note-7", "contract=off;warnings=error", temperature=0.2, x=1)
    assert answer.status == 200
    assert HEADER not in answer.headers
    assert warnings(server, "note-7") == []


def test_a_fault_s_answer_keeps_the_warnings_of_its_request(server: MockServer) -> None:
    answer = ask(server, "note-8", "fault=length_in_content", x=1)
    assert answer.headers[HEADER] == "field.unknown"


def test_a_pinned_scenario_s_answer_has_warnings_although_it_is_never_refused() -> None:
    with serving(scenarios=("hello",)) as running:
        answer = ask(running, "t", "scenario=hello", temperature=0.2, x=1)
    assert answer.status == 200
    assert answer.headers[HEADER] == "field.unknown"


# As an error.


def test_a_warning_is_an_error_on_request_that_names_rule_and_path(server: MockServer) -> None:
    answer = ask(server, "note-9", "profile=apiany;warnings=error", temperature=0.2, x=1)
    assert answer.status == 422
    assert answer.headers["x-k3mock-source"] == "warning:forward.remove"
    assert answer.headers["x-should-retry"] == "false"
    assert answer.error["type"] == "k3mock_error"
    assert answer.error["message"] == (
        "k3mock: the warning forward.remove at temperature: temperature is taken away before the "
        "model sees it (warnings=note lets the request pass)"
    )
    assert [found["rule"] for found in warnings(server, "note-9")] == [
        "forward.remove", "field.unknown",
    ]  # fmt: skip


def test_an_error_for_a_warning_takes_no_turn_and_no_place(server: MockServer) -> None:
    options = "limits=rpm=1;warnings=error"
    assert ask(server, "note-10", options, x=1).status == 422
    assert ask(server, "note-10", options).status == 200


def test_a_refusal_goes_before_an_error_for_a_warning(server: MockServer) -> None:
    answer = ask(server, "note-11", "warnings=error", temperature=0.2, x=1)
    assert (answer.status, answer.headers["x-k3mock-source"]) == (
        400, "contract:temperature.fixed",
    )  # fmt: skip


def test_a_broken_rule_that_is_only_noted_is_an_error_as_well(server: MockServer) -> None:
    answer = ask(server, "note-12", "contract=warn;warnings=error", temperature=0.2)
    assert answer.status == 422
    assert "the warning temperature.fixed at temperature" in answer.error["message"]


def test_a_server_may_make_errors_of_all_warnings_and_a_client_may_not_want_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from k3mock.serving import start  # noqa: PLC0415

    monkeypatch.setenv("K3MOCK_WARNINGS", "error")
    with start(tokenizer={"counter": "splintr"}) as running:
        assert running.settings.warnings == "error"
        assert chat(running, x=1).status == 422
        assert chat(running, x=1, options="warnings=note").status == 200
        assert chat(running).status == 200
    with start(warnings="note", tokenizer={"counter": "splintr"}) as running:
        assert chat(running, x=1).status == 200


def test_the_mode_has_two_values_only(server: MockServer) -> None:
    answer = chat(server, options="warnings=eror")
    assert answer.status == 422
    assert "unknown warnings mode 'eror'" in answer.error["message"]
    assert "error" in answer.error["message"]


# The header has bounds.


def test_the_header_is_cut_and_holds_ascii_only(tmp_path: Path) -> None:
    notes = "\n".join(
        f"  n{at:02}.ü{'y' * 200}: "
        f"{{look: deprecated, field: x{at}, other: z, message: m, evidence: [I]}}"
        for at in range(25)
    )
    path = profile_file(tmp_path, f"extends: moonshot\nnotes:\n  field.unknown: null\n{notes}\n")
    with serving(profile=path) as running:
        fields: dict[str, Any] = {f"x{at}": 1 for at in range(25)}
        answer = chat(running, **fields)
    names = answer.headers[HEADER].split(",")
    assert names[0] == f"n00.?{'y' * 75}"
    assert len(names) == 21
    assert names[-1] == "+5"


# What comes back of this very session.


def test_an_agent_that_drops_or_alters_its_reasoning_is_told(server: MockServer) -> None:
    body: dict[str, Any] = {"tools": [tool()], "tool_choice": "required"}
    first = ask(server, "note-13", content="Weather in Rome?", **body)
    replayed = {key: first.message[key] for key in ("role", "content", "tool_calls")}
    result = {
        "role": "tool", "content": "31",
        "tool_call_id": first.message["tool_calls"][0]["id"],
    }  # fmt: skip
    asked = {"role": "user", "content": "Weather in Rome?"}
    given = first.message["reasoning_content"]
    expected = {
        None: "replay.reasoning_missing",
        "something else": "replay.reasoning_changed",
        given: None,
    }
    for reasoning, rule in expected.items():
        sent = replayed if reasoning is None else {**replayed, "reasoning_content": reasoning}
        answer = ask(server, "note-13", messages=[asked, sent, result], tools=[tool()])
        assert answer.status == 200
        assert answer.headers.get(HEADER) == rule
