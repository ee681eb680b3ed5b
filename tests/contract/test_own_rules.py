"""What field cases ask of a host, told in a profile of one's own: effects, levels, keys, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.checks.history import has_form
from k3mock.protocol.policy import ToolIds
from tests.contract.black_box import (
    assert_accepted,
    assert_refused,
    body,
    called,
    entries,
    post,
    result,
    user,
)
from tests.support import CHAT, call, chat, profile_file, serving, tool

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds
    from tests.support import Answer

MISSING = (
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"
)
CHANGED = (
    "Invalid request: the reasoning_content of the message at position 1 "
    "is not the one that was given"
)


def said(content: str, **fields: Any) -> dict[str, Any]:
    """Return an assistant message."""
    return {"role": "assistant", "content": content, **fields}


def refused(answer: Answer, rule: str, message: str, **more: Any) -> None:
    """Assert a refusal of the usual form."""
    assert_refused(answer, rule, {"message": message, "type": "invalid_request_error"}, **more)


def noted(server: MockServer, session: str) -> list[str]:
    """Return the rules in the warnings of the session's last request."""
    return [warning["rule"] for warning in entries(server, session)[-1]["warnings"]]


# Effects.


def test_a_rule_that_only_warns_is_noted_and_the_request_answered(worlds: Worlds) -> None:
    world = worlds({"rules": {"temperature.fixed": {"effect": "warn"}}})
    assert_accepted(post(world, body(temperature=0.3), session="effect-warn"))
    assert noted(world, "effect-warn") == ["temperature.fixed"]


def test_a_warning_and_a_refusal_are_both_noted_and_the_refusal_is_given(worlds: Worlds) -> None:
    world = worlds({"rules": {"temperature.fixed": {"effect": "warn"}}})
    answer = post(world, body(temperature=0.3, n=2, top_p=0.5), session="effect-both")
    refused(answer, "top_p.fixed", "invalid top_p: only 0.95 is allowed for this model")
    assert noted(world, "effect-both") == ["temperature.fixed", "top_p.fixed"]
    path = f"/with/contract=off;session=effect-off{CHAT}"
    assert call(world, path, body(temperature=0.3)).status == 200
    assert noted(world, "effect-off") == []


def test_an_ignored_rule_is_not_looked_at(worlds: Worlds) -> None:
    world = worlds({"rules": {"temperature.fixed": {"effect": "ignore"}}})
    assert_accepted(post(world, body(temperature=0.3), session="effect-ignore"))
    assert noted(world, "effect-ignore") == []


def test_a_gateway_s_switch_sets_the_effect_of_the_engine_s_rule(tmp_path: Path) -> None:
    text = "extends: apiany\nswitches: {reasoning_replay: %s}\n"
    sent = body(user(), called("a_0"), result("a_0"))
    with serving(profile=profile_file(tmp_path, text % "warn", "warn.yaml")) as server:
        assert post(server, sent).status == 200
        assert noted(server, "black-box") == ["engine:message.reasoning_missing"]
    with serving(profile=profile_file(tmp_path, text % "refuse", "refuse.yaml")) as server:
        assert post(server, sent).error["message"] == MISSING


# Replayed reasoning.


@pytest.mark.parametrize(
    ("presence", "passing"),
    [
        ("key", ["null", "empty", "blank", "text"]),
        ("non_null", ["empty", "blank", "text"]),
        ("non_empty", ["blank", "text"]),
    ],
)
def test_what_counts_as_sent_back_is_a_switch(
    presence: str, passing: list[str], worlds: Worlds
) -> None:
    """Case: clients send nothing, null, an empty text, a blank or a dot in its place."""
    switches = {"reasoning_replay": "refuse", "reasoning_presence": presence}
    world = worlds({"switches": switches})
    forms: dict[str, dict[str, Any]] = {
        "absent": {}, "null": {"reasoning_content": None}, "empty": {"reasoning_content": ""},
        "blank": {"reasoning_content": " "}, "text": {"reasoning_content": "."},
    }  # fmt: skip
    passed = []
    for name, fields in forms.items():
        answer = post(world, body(user(), called("a_0", **fields), result("a_0")))
        if answer.status == 200:
            passed.append(name)
        else:
            refused(answer, "message.reasoning_missing", MISSING)
    assert passed == passing


def test_messages_without_calls_count_only_where_all_are_wanted(worlds: Worlds) -> None:
    sent = body(user(), said("Hello."), user("And now?"))
    only_calls = worlds({"switches": {"reasoning_replay": "refuse"}})
    assert_accepted(post(only_calls, sent))
    every = worlds({"switches": {"reasoning_replay": "refuse", "reasoning_messages": "all"}})
    refused(post(every, sent), "message.reasoning_missing", MISSING)
    prefix = body(user(), said("Hel", partial=True))
    assert_accepted(post(every, prefix))


def test_missing_reasoning_may_be_only_noted(worlds: Worlds) -> None:
    world = worlds({"switches": {"reasoning_replay": "warn"}})
    sent = body(user(), called("a_0"), result("a_0"))
    assert_accepted(post(world, sent, session="replay-warn"))
    assert noted(world, "replay-warn") == ["message.reasoning_missing"]


COMPARED = {
    "switches": {
        "reasoning_replay": "refuse",
        "reasoning_messages": "all",
        "reasoning_compare": "issued",
    }
}


def test_reasoning_must_come_back_as_it_was_given(worlds: Worlds) -> None:
    world = worlds(COMPARED)
    question = user("Name a colour.")
    given = post(world, body(question), session="compare").message
    again = body(question, given, user("Another one."))
    assert_accepted(post(world, again, session="compare"))
    changed = {**given, "reasoning_content": given["reasoning_content"] + " "}
    answer = post(world, body(question, changed, user("Another one.")), session="compare")
    refused(answer, "message.reasoning_changed", CHANGED)
    assert noted(world, "compare") == ["message.reasoning_changed"]


def test_the_content_of_an_answer_may_come_back_as_parts(worlds: Worlds) -> None:
    world = worlds(COMPARED)
    question = user("Name a colour.")
    given = post(world, body(question), session="compare-parts").message
    parts = [{"type": "text", "text": given["content"]}]
    changed = {**given, "content": parts, "reasoning_content": "Hm."}
    answer = post(world, body(question, changed, user("Why?")), session="compare-parts")
    refused(answer, "message.reasoning_changed", CHANGED)


def test_a_history_that_was_not_given_here_is_not_compared(worlds: Worlds) -> None:
    """Written by hand, or given in another session."""
    world = worlds(COMPARED)
    question = user("Name a colour.")
    by_hand = said("Blue.", reasoning_content="I like it.")
    assert_accepted(post(world, body(question, by_hand, user("Why?")), session="by-hand"))
    given = post(world, body(question), session="elsewhere-1").message
    changed = {**given, "reasoning_content": "Hm."}
    sent = body(question, changed, user("Why?"))
    assert_accepted(post(world, sent, session="elsewhere-2"))


def test_reasoning_that_the_client_never_saw_is_not_wanted_back(worlds: Worlds) -> None:
    world = worlds(COMPARED)
    question = user("Name a colour.")
    path = f"/with/session=hidden;wire.reasoning_field=hidden{CHAT}"
    given = call(world, path, body(question)).message
    assert "reasoning_content" not in given
    back = body(question, {**given, "reasoning_content": "Unseen."}, user("Why?"))
    assert_accepted(post(world, back, session="hidden"))


def test_streamed_answers_are_compared_too(worlds: Worlds) -> None:
    world = worlds(COMPARED)
    question = user("Name a colour.")
    streamed = post(world, body(question, stream=True), session="compare-stream")
    deltas = [event["choices"][0]["delta"] for event in streamed.events[:-1]]
    text = {
        key: "".join(delta.get(key) or "" for delta in deltas)
        for key in ("content", "reasoning_content")
    }
    back = body(question, {"role": "assistant", **text}, user("Why?"))
    assert_accepted(post(world, back, session="compare-stream"))
    wrong = {"role": "assistant", **text, "reasoning_content": "Hm."}
    answer = post(world, body(question, wrong, user("Why?")), session="compare-stream")
    refused(answer, "message.reasoning_changed", CHANGED)


# Tool ids.


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        (ToolIds.K3, ["get_it_0", "get_it_12"], ["get_it_", "get_it:0", "other_0", "x.get_it_0"]),
        (ToolIds.KIMI_FUNCTIONS, ["functions.get_it:0"], ["get_it:0", "functions_get_it:0", ""]),
        (ToolIds.KIMI_SHORT, ["get_it:58"], ["functions.get_it:0", "get_it:x"]),
        (ToolIds.OPENAI, ["call_01abc", "call_" + "A" * 24], ["call_", "call-1", "get_it_0"]),
        (ToolIds.UUID, ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567", "call_1"]),
    ],
)
def test_the_forms_of_ids(form: ToolIds, good: list[str], bad: list[str]) -> None:
    assert all(has_form(form, "get_it", call_id) for call_id in good)
    assert not any(has_form(form, "get_it", call_id) for call_id in bad)


def test_every_form_of_ids_has_a_pattern() -> None:
    for form in ToolIds:
        assert not has_form(form, "get_it", "%")


@pytest.mark.parametrize(
    ("wire", "call_id", "status"),
    [
        ({}, "find_train_3", 200),
        ({}, "call_01abc", 400),
        ({"tool_ids": "openai"}, "call_01abc", 200),
        ({"tool_ids": "openai"}, "find_train_0", 400),
    ],
)
def test_ids_must_have_the_host_s_form_where_it_is_asked_for(
    wire: dict[str, str], call_id: str, status: int, worlds: Worlds
) -> None:
    world = worlds({"wire": wire, "switches": {"tool_id_provenance": "shape"}})
    answer = post(world, body(user(), called(call_id), result(call_id)))
    assert answer.status == status
    if status == 400:
        message = f"Invalid request: tool call id {call_id} is not known"
        refused(answer, "message.call_id", message)


def test_ids_must_be_those_of_this_session_where_it_is_asked_for(worlds: Worlds) -> None:
    """Case: a proxy puts ids of its own in place of those that were given out."""
    world = worlds({"switches": {"tool_id_provenance": "issued"}})
    asked: dict[str, Any] = {"tools": [tool("get_weather")], "tool_choice": "required"}
    question = user("Weather in Izmir?")
    given = post(world, body(question, **asked), session="ids").message
    [made] = given["tool_calls"]
    back = body(question, given, result(made["id"]), tools=asked["tools"])
    assert_accepted(post(world, back, session="ids"))
    answer = post(world, back, session="ids-elsewhere")
    refused(answer, "message.call_id", f"Invalid request: tool call id {made['id']} is not known")
    renamed = {**given, "tool_calls": [{**made, "id": "functions.get_weather:0"}]}
    answer = post(world, body(question, renamed, result("functions.get_weather:0")), session="ids")
    assert "functions.get_weather:0 is not known" in answer.error["message"]


def test_rewritten_ids_may_be_only_noted(worlds: Worlds) -> None:
    world = worlds({
        "switches": {"tool_id_provenance": "issued"},
        "rules": {"message.call_id": {"effect": "warn"}},
    })  # fmt: skip
    sent = body(user(), called("a_0"), result("a_0"))
    assert_accepted(post(world, sent, session="ids-warn"))
    assert noted(world, "ids-warn") == ["message.call_id", "replay.reasoning_missing"]


# Messages.


@pytest.mark.parametrize(
    ("messages", "before", "at"),
    [
        pytest.param([user("a"), user("b")], 0, 1, id="users"),
        pytest.param([user("a"), said("b"), said("c"), user("d")], 1, 2, id="assistants"),
        pytest.param(
            [{"role": "system", "content": "x"}, user("a"), user("b")], 1, 2, id="behind-a-system"
        ),
    ],
)
def test_neighbours_of_one_role_are_refused_where_the_host_wants_turns(
    messages: list[dict[str, Any]], before: int, at: int, worlds: Worlds
) -> None:
    """Case: an aborted answer was filtered out, so that two questions stand side by side."""
    world = worlds({"switches": {"strict_alternation": "refuse"}})
    text = (
        "kimi-k3 does not support successive user or assistant messages "
        f"(messages[{before}] and messages[{at}] in your input). You should interleave the "
        "user/assistant messages in the message sequence."
    )
    error = {"message": text, "type": "invalid_request_error", "param": None}
    error["code"] = "invalid_request_error"
    assert_refused(post(world, body(*messages)), "message.alternation", error)


def test_turns_that_alternate_and_several_results_are_fine(worlds: Worlds) -> None:
    world = worlds({"switches": {"strict_alternation": "refuse"}})
    system = {"role": "system", "content": "x"}
    both = [user(), called("a_0", "b_1"), result("a_0"), result("b_1")]
    assert_accepted(post(world, body(system, system, *both)))


def test_the_key_content_is_wanted_on_assistant_messages_by_switch(worlds: Worlds) -> None:
    world = worlds({"switches": {"content_presence": "key_required"}})
    without = {key: value for key, value in called("a_0").items() if key != "content"}
    message = "Invalid request: the message at position 1 with role 'assistant' has no content"
    answer = post(world, body(user(), without, result("a_0")))
    refused(answer, "message.content_key", message, status=422)
    assert_accepted(post(world, body(user(), {**without, "content": None}, result("a_0"))))


def test_a_text_may_be_filtered(worlds: Worlds) -> None:
    """Case: the filter's refusal has a numeric code and a parameter."""
    world = worlds({"rules": {"message.filtered": {"values": ["riot", "coup"]}}})
    error = {
        "code": 400,
        "message": "The request was rejected because it was considered high risk",
        "param": "prompt",
        "type": "content_filter",
    }
    parts = [{"type": "text", "text": "plan a riot"}]
    for sent in (body(user("a coup")), body(user(parts)), body(user(), said("a coup"), user())):
        assert_refused(post(world, sent), "message.filtered", error)
    assert_accepted(post(world, body(user("a Riot"))))


def test_the_refusal_of_a_role_has_the_host_s_own_words(worlds: Worlds) -> None:
    world = worlds({"rules": {"message.role": {"message": "role '{role}' is not allowed"}}})
    sent = body({"role": "developer", "content": "Be brief."}, user())
    refused(post(world, sent), "message.role", "role 'developer' is not allowed")


def test_a_rule_may_be_for_some_models_only(worlds: Worlds) -> None:
    """Case: one model takes no video, another does."""
    record = {"object": "model", "owned_by": "moonshot"}
    world = worlds({
        "models": {"kimi-old": record},
        "rules": {
            "message.part_type_of_old": {
                "check": "part_type", "values": ["text"], "models": ["kimi-old"],
                "message": "the message at position {position} with role '{role}' contains an "
                "invalid part type: {part}",
            }
        },
    })  # fmt: skip
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert_accepted(post(world, body(user([part]))))
    refused(
        post(world, body(user([part]), model="kimi-old")),
        "message.part_type_of_old",
        "the message at position 0 with role 'user' contains an invalid part type: image_url",
    )
    assert_accepted(post(world, body(model="kimi-old")))


# Thinking, temperature and caps.

HONOUR = {"switches": {"thinking": "honour"}}
OFF = {"thinking": {"type": "disabled"}}


def test_thinking_that_can_be_switched_off_leaves_only_the_answer(worlds: Worlds) -> None:
    world = worlds(HONOUR)
    answer = post(world, body(**OFF))
    assert_accepted(answer)
    assert "reasoning_content" not in answer.message
    assert answer.message["content"]
    usage = answer.json["usage"]
    assert usage.get("completion_tokens_details", {"reasoning_tokens": 0}) == {
        "reasoning_tokens": 0
    }
    thinking = post(world, body(thinking={"type": "enabled"}))
    assert thinking.message["reasoning_content"]
    assert usage["prompt_tokens"] < thinking.json["usage"]["prompt_tokens"]


def test_a_stream_without_thinking_has_no_reasoning(worlds: Worlds) -> None:
    answer = post(worlds(HONOUR), body(**OFF, stream=True))
    deltas = [event["choices"][0]["delta"] for event in answer.events[:-1]]
    assert not any(delta.get("reasoning_content") for delta in deltas)
    assert "".join(delta.get("content") or "" for delta in deltas)


def test_calls_are_made_without_thinking_too(worlds: Worlds) -> None:
    sent = body(**OFF, tools=[tool("get_weather")], tool_choice="required")
    message = post(worlds(HONOUR), sent).message
    assert "reasoning_content" not in message
    assert message["tool_calls"]


@pytest.mark.parametrize("switch", ["enabled_only", "ignore", "refuse"])
def test_elsewhere_a_disabled_thinking_is_refused_or_has_no_effect(
    switch: str, worlds: Worlds
) -> None:
    answer = post(worlds({"switches": {"thinking": switch}}), body(**OFF))
    if switch == "ignore":
        assert answer.message["reasoning_content"]
    else:
        assert answer.status == 400


def test_the_one_temperature_depends_on_thinking(worlds: Worlds) -> None:
    world = worlds(HONOUR)
    text = "invalid temperature: only {} is allowed for this model"
    assert_accepted(post(world, body(temperature=1)))
    assert_accepted(post(world, body(temperature=0.6, **OFF)))
    refused(post(world, body(temperature=0.6)), "temperature.fixed", text.format(1))
    refused(
        post(world, body(temperature=1, **OFF)), "temperature.without_thinking", text.format(0.6)
    )


def test_a_host_that_refuses_whatever_it_gets(worlds: Worlds) -> None:
    """Case: 400 even for the value that the text asks for, and for no value at all."""
    rules = {"temperature.rejected": {"enabled": True}, "temperature.fixed": {"enabled": False}}
    world = worlds({"rules": rules})
    for fields in ({}, {"temperature": 0.6}, {"temperature": 1}):
        refused(
            post(world, body(**fields)),
            "temperature.rejected",
            "invalid temperature: only 0.6 is allowed for this model",
        )


def test_another_host_words_a_fixed_value_with_what_it_got(worlds: Worlds) -> None:
    words = "`top_p` is immutable for this model and must be {value}, got {got}"
    world = worlds({"rules": {"top_p.fixed": {"message": words}}})
    text = "`top_p` is immutable for this model and must be 0.95, got 1"
    refused(post(world, body(top_p=1)), "top_p.fixed", text)


def test_the_cap_that_holds_by_default_is_the_profile_s(worlds: Worlds) -> None:
    world = worlds({"limits": {"default_cap_tokens": 30}})
    answer = post(world, body())
    assert answer.json["choices"][0]["finish_reason"] == "length"
    assert answer.json["usage"]["completion_tokens"] == 30
    longer = post(world, body(max_tokens=900))
    assert longer.json["choices"][0]["finish_reason"] == "stop"


def test_a_schema_with_a_type_beside_any_of_is_refused_by_switch(worlds: Worlds) -> None:
    both = {"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}
    sent = body(tools=[tool("f", skill=both)])
    assert_accepted(post(worlds(), sent))
    answer = post(worlds({"switches": {"anyof_rule": "refuse"}}), sent)
    assert "<At path 'properties.skill': when using anyOf" in answer.error["message"]


# Keys, headers, pages.

WRONG_REGION = {"message": "Invalid Authentication", "type": "invalid_authentication_error"}
KEYS = {"sk-from-china": "wrong_region", "sk-cn-*": "wrong_region", "sk-cn-good": "ok",
        "sk-broke": "insufficient_balance"}  # fmt: skip


@pytest.mark.parametrize("path", [CHAT, "/v1/models", "/v1/files", "/v1/users/me/balance"])
@pytest.mark.parametrize("key", ["sk-from-china", "sk-cn-", "sk-cn-other"])
def test_a_key_of_the_other_site_is_refused_on_every_path(
    path: str, key: str, worlds: Worlds
) -> None:
    """Case: it is also refused where clients only try a key, at the list of models."""
    world = worlds({"keys": KEYS})
    answer = call(world, path, body() if path == CHAT else None, key=key)
    assert_refused(answer, "errors.wrong_region", WRONG_REGION, status=401)


@pytest.mark.parametrize(
    ("key", "keys", "status"),
    [
        ("sk-cn-good", (), 200),
        ("sk-cn-good", ("sk-main",), 200),
        ("sk-unlisted", (), 200),
        ("sk-unlisted", ("sk-main",), 401),
        ("sk-main", ("sk-main",), 200),
        ("sk-broke", ("sk-broke",), 429),
    ],
)
def test_the_table_of_keys_stands_before_those_of_the_server(
    key: str, keys: tuple[str, ...], status: int, worlds: Worlds
) -> None:
    assert call(worlds({"keys": KEYS}, keys), "/v1/models", key=key).status == status


def test_keys_of_the_table_are_in_no_answer_and_in_no_journal(worlds: Worlds) -> None:
    world = worlds({"keys": {"k-1234": "wrong_region"}})
    answer = call(world, f"/with/session=table{CHAT}", body(user("k-1234")), key="k-1234")
    assert b"k-1234" not in answer.body
    assert "k-1234" not in str(entries(world, "table"))
    assert "k-1234" not in repr(world.app.hosts.default.profile)


ACCESS = "Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code, Roo Code, Kilo Code, etc."  # noqa: E501


def test_a_client_with_another_user_agent_is_refused_on_every_path(worlds: Worlds) -> None:
    world = worlds({"rules": {"user_agent.refused": {"enabled": True}}})
    error = {"message": ACCESS, "type": "access_terminated_error"}
    for path, sent in ((CHAT, body()), ("/v1/models", None)):
        for agent in ({"user-agent": "python-httpx/0.28"}, {}):
            answer = call(world, path, sent, headers=agent)
            assert_refused(answer, "user_agent.refused", error, status=403)
        assert call(world, path, sent, headers={"user-agent": "KimiCLI/1.41"}).status == 200
    wrong_key = call(world, CHAT, body(), key=None)
    assert wrong_key.status == 401


@pytest.mark.parametrize(("mode", "count"), [("warn", 1), ("off", 0)])
def test_a_refused_client_is_answered_where_the_contract_is_not_enforced(
    mode: str, count: int, worlds: Worlds
) -> None:
    world = worlds({"rules": {"user_agent.refused": {"enabled": True}}})
    session = f"agent-{mode}"
    path = f"/with/contract={mode};session={session}/v1/models"
    assert call(world, path).status == 200
    assert len(noted(world, session)) == count


def test_a_header_rule_may_only_warn(worlds: Worlds) -> None:
    rule = {
        "check": "header_matches", "header": "X-Team", "pattern": "^red$", "effect": "warn",
        "message": "{header} is wrong",
    }  # fmt: skip
    world = worlds({"rules": {"team.wrong": rule}})
    answer = call(world, f"/with/session=team{CHAT}", body(), headers={"x-team": "blue"})
    assert_accepted(answer)
    [entry] = entries(world, "team")
    assert entry["warnings"] == [
        {"rule": "team.wrong", "message": "x-team is wrong", "path": "headers.x-team"}
    ]


PAGE = "<html><head><title>413 Request Entity Too Large</title></head></html>\n"


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(
            {"rules": {"body.size": {"body": PAGE, "content_type": "text/html"}}}, id="own-page"
        ),
        pytest.param(
            {
                "errors": {
                    "too_large_page": {"status": 413, "body": PAGE, "content_type": "text/html"}
                },
                "rules": {"body.size": {"error": "too_large_page"}},
            },
            id="named-error",
        ),
    ],
)
def test_a_refusal_may_be_a_page_of_the_proxy_in_front(own: dict[str, Any], worlds: Worlds) -> None:
    """Case: nginx refuses large bodies, and as the history is sent again, all that follow."""
    world = worlds({**own, "limits": {"body_bytes": 200}})
    for _ in range(2):
        answer = post(world, body(user("x" * 300)))
        assert answer.status == 413
        assert answer.body == PAGE.encode()
        assert answer.headers["content-type"] == "text/html"
        assert answer.headers["x-k3mock-source"] == "contract:body.size"
    assert post(world, body()).status == 200


def test_a_refusal_by_a_named_error_has_its_headers_and_numbers(worlds: Worlds) -> None:
    world = worlds({"rules": {"n.fixed": {"error": "rate_limited"}}})
    answer = post(world, body(n=2))
    assert (answer.status, answer.headers["retry-after"]) == (429, "1")
    assert answer.error["message"].endswith("max RPM: 3, please try again after 1 seconds")
    assert answer.headers["x-k3mock-source"] == "contract:n.fixed"


def test_the_overflow_names_both_numbers_and_goes_away_with_a_shorter_prompt(
    worlds: Worlds,
) -> None:
    world = worlds({"limits": {"window_tokens": 300, "default_cap_tokens": 50}})
    answer = post(world, body(user("fig " * 400)))
    text = "Invalid request: Your request exceeded model token limit: 300 (requested: 536)"
    refused(answer, "window.exceeded", text)
    assert_accepted(post(world, body(user("fig " * 40))))


def test_the_models_are_those_of_the_table_to_the_letter(worlds: Worlds) -> None:
    old = "not found the model or permission denied"
    world = worlds({
        "models": {"moonshotai/kimi-k3": {"object": "model"}, "kimi-k3": None},
        "rules": {"model.unknown": {"message": old}},
    })  # fmt: skip
    assert chat(world, model="moonshotai/kimi-k3").status == 200
    for model in ("kimi-k3", "Moonshotai/kimi-k3"):
        answer = chat(world, model=model)
        assert (answer.status, answer.error["message"]) == (404, old)
