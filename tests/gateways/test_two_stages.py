"""The gateway's own rules first, then the engine's over what it forwards, in its own envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from tests.contract.black_box import (
    INVALID_FIXTURES,
    VALID_FIXTURES,
    assert_refused,
    entries,
    read_fixture,
    send,
    wire,
)
from tests.gateways.table import GATEWAYS, at, chat_body, check_whole, turn
from tests.support import call

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

PLAIN = [
    path
    for path in INVALID_FIXTURES
    if not {"profile", "api_keys", "path", "method"} & set(read_fixture(path))
]

DYNAMIC = {
    "dynamic_and_top_level_tools", "dynamic_tool_strict_false", "dynamic_tools_first",
    "dynamic_tools_last", "dynamic_tools_middle", "dynamic_tools_required", "dynamic_tools_twice",
}  # fmt: skip
PARTS = {
    "image_detail", "image_file", "image_object", "image_string", "images_without_text",
    "text_parts", "tool_result_parts", "video_data", "video_file",
}  # fmt: skip
NARROWER: dict[str, dict[str, str]] = {
    "apiany": {},
    "devotel": {
        **dict.fromkeys(DYNAMIC, "message.content_null"),
        "builtin_web_search": "tools.kind",
        "plugin_tool": "tools.kind",
        "cap_both": "max_tokens.range",
        "stop_five_words": "stop.count",
        "video_data": "message.part_type",
        "video_file": "message.part_type",
    },
    "hotrouter": {
        **dict.fromkeys(DYNAMIC, "message.keys"),
        "stop_word": "types.fields",
        "partial_empty": "engine:message.assistant_empty",
    },
    "evolink": {
        **dict.fromkeys(PARTS, "message.fields"),
        "builtin_web_search": "tools.kind",
        "plugin_tool": "tools.kind",
        "dynamic_tools_required": "tool_choice.required_without_tools",
        "dynamic_tools_empty_content": "engine:message.content_required",
        "effort_high": "reasoning_effort.value",
        "effort_low": "reasoning_effort.value",
        "partial_empty": "engine:message.assistant_empty",
        "tool_without_parameters": "tools.function_keys",
    },
}
"""What the engine takes and a gateway does not, and which of its rules says so."""


@pytest.mark.parametrize("path", VALID_FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("gateway", GATEWAYS)
def test_what_the_engine_takes_is_answered_unless_the_page_is_narrower(
    gateway: str, path: Path, server: MockServer
) -> None:
    answer = send(server, read_fixture(path), f"takes;profile={gateway}")
    rule = NARROWER[gateway].get(path.stem)
    assert answer.headers["x-k3mock-source"] == (f"contract:{rule}" if rule else "generator")


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
@pytest.mark.parametrize("gateway", GATEWAYS)
def test_what_the_engine_refuses_is_refused_where_its_rule_holds(
    gateway: str, path: Path, server: MockServer
) -> None:
    """The engine's text and status, the gateway's keys, no code and no param of the engine's."""
    fixture, profile = read_fixture(path), load_profile(gateway)
    assert profile.engine is not None
    rule = profile.engine.rule(path.stem)
    answer = send(server, fixture, f"refuses;profile={gateway}")
    source = answer.headers["x-k3mock-source"]
    if source == f"contract:engine:{rule.id}":
        assert profile.engine_holds(rule)
        values = {**dict.fromkeys(profile.wire.error_keys), **fixture["error"]}
        if (gateway, rule.id) == ("devotel", "cap.range"):
            # The prompt is counted as the host reports it: three tokens more.
            values["message"] = values["message"].replace("1048663", "1048666")
        assert answer.body == wire({key: values[key] for key in profile.wire.error_keys})
        assert answer.status == fixture["status"]
    elif source.startswith("contract:"):
        assert source.removeprefix("contract:") in {own.id for own in profile.rules}
        assert answer.status == profile.rule(source.removeprefix("contract:")).status
    else:
        assert (gateway, path.stem) in ANSWERED or not profile.engine_holds(rule)
        check_whole(answer)


ANSWERED = {("hotrouter", "cap.range"), ("apiany", "thinking.effort")}
"""Rules of the engine that hold and yet see nothing: a cap under a name that the gateway does not
list is used as far as it goes, and an object that is taken away is not looked at."""


def refusal(answer_keys: tuple[str, ...], message: str) -> dict[str, Any]:
    """Return an engine's error in a gateway's envelope."""
    values = {"message": message, "type": "invalid_request_error"}
    return {key: values.get(key) for key in answer_keys}


ONLY_ONE = "invalid n: only 1 is allowed for this model"
COOL = "invalid temperature: only 1 is allowed for this model"
EFFORT = "Invalid request: invalid reasoning_effort: only low, high, max are allowed for this model"
DEVOTEL = ("message", "type", "param", "code")
EVOLINK = ("message", "type", "code")


@pytest.mark.parametrize(
    ("own", "sent", "rule", "error"),
    [
        pytest.param(
            {"extends": "devotel", "engine_rules": ["sampling", "n"]},
            chat_body(temperature=0.7), "engine:temperature.fixed", refusal(DEVOTEL, COOL),
            id="widened",
        ),
        pytest.param(
            {"extends": "devotel", "engine_rules": ["sampling", "n"]},
            chat_body(n=2), "engine:n.fixed", refusal(DEVOTEL, ONLY_ONE),
            id="kept",
        ),
        pytest.param(
            {"extends": "evolink", "engine_rules": ["n"], "forward": {"remove": []}},
            chat_body(n=2), "engine:n.fixed", refusal(EVOLINK, ONLY_ONE),
            id="n-at-evolink",
        ),
        pytest.param(
            {"extends": "hotrouter", "engine_rules": ["effort"]},
            chat_body(reasoning_effort="medium"), "engine:reasoning_effort.value",
            refusal(DEVOTEL, EFFORT),
            id="effort-at-hotrouter",
        ),
        pytest.param(
            {"extends": "hotrouter", "unlisted": "forward"},
            chat_body(max_completion_tokens=0), "engine:cap.range",
            refusal(DEVOTEL, "Invalid request: Your request exceeded model token limit: 1048576 "
                    "(requested: 86)"),
            id="a-cap-that-is-forwarded",
        ),
        pytest.param(
            {"extends": "hotrouter", "unlisted": "forward"},
            chat_body(seed=1, response_format={"type": "odd"}), "engine:response_format.value",
            refusal(DEVOTEL, "Invalid request: response_format.type must be one of text, "
                    "json_object, json_schema"),
            id="a-field-that-is-forwarded",
        ),
        pytest.param(
            {"extends": "devotel", "error_types": {"400": "bad_request"}},
            chat_body(n=2), "engine:n.fixed",
            {"message": ONLY_ONE, "type": "bad_request", "param": None, "code": None},
            id="typed-by-status",
        ),
        pytest.param(
            {"extends": "devotel", "wire": {"error_nulls": False}},
            chat_body(n=2), "engine:n.fixed",
            {"message": ONLY_ONE, "type": "invalid_request_error"},
            id="without-nulls",
        ),
        pytest.param(
            {"extends": "devotel", "switches": {"named_tool_choice": "refuse"}},
            chat_body(
                tools=[{"type": "function", "function": {"name": "f"}}],
                tool_choice={"type": "function", "function": {"name": "f"}},
            ),
            "engine:tool_choice.named",
            refusal(DEVOTEL, "tool_choice 'specified' is incompatible with thinking enabled"),
            id="switched-on",
        ),
    ],
)  # fmt: skip
def test_a_profile_of_one_s_own_has_the_engine_look_at_more(
    own: dict[str, Any], sent: dict[str, Any], rule: str, error: dict[str, Any], worlds: Worlds
) -> None:
    answer = call(worlds(own), "/with/session=wider/v1/chat/completions", sent)
    assert_refused(answer, rule, error)


@pytest.mark.parametrize(
    ("own", "sent"),
    [
        pytest.param({"extends": "devotel", "engine_rules": ["sampling", "n"]},
                     chat_body(stop="x" * 33, reasoning_effort="medium"), id="groups-left-out"),
        pytest.param({"extends": "devotel", "engine_rules": []}, chat_body(n=2), id="no-group"),
        pytest.param({"extends": "devotel", "unlisted": "apply"},
                     chat_body(presence_penalty="x", seed=[], user=5), id="applied"),
        pytest.param({"extends": "devotel", "unlisted": "apply"},
                     chat_body(max_completion_tokens=0), id="applied-cap"),
        pytest.param({"extends": "devotel", "unlisted": "apply"},
                     chat_body(response_format={"type": "odd"}), id="applied-format"),
        pytest.param({"extends": "apiany", "rules": {"n.fixed": None}, "engine_rules": ["stop"]},
                     chat_body(n=2), id="rule-and-group-left-out"),
    ],
)  # fmt: skip
def test_a_profile_of_one_s_own_has_the_engine_look_at_less(
    own: dict[str, Any], sent: dict[str, Any], worlds: Worlds
) -> None:
    check_whole(call(worlds(own), "/with/session=narrower/v1/chat/completions", sent))


@pytest.mark.parametrize("gateway", ["hotrouter", "evolink"])
@pytest.mark.parametrize(
    "field",
    [
        "n", "seed", "temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs",
        "top_logprobs", "logit_bias", "response_format", "user", "stop", "metadata", "thinking",
        "max_tokens", "max_completion_tokens", "reasoning_effort", "reasoning", "stream_options",
        "parallel_tool_calls", "service_tier", "prompt_cache_key", "x_unknown",
    ],
)  # fmt: skip
def test_what_is_applied_is_never_a_reason_to_refuse(
    field: str, gateway: str, server: MockServer
) -> None:
    """[I] Whatever the table or schema does not list; the engine's rules do not see it."""
    listed = {
        "hotrouter": {"temperature", "top_p", "max_tokens", "stop", "response_format", "user"},
        "evolink": {"max_completion_tokens", "reasoning_effort", "stream_options"},
    }[gateway]
    values: list[Any] = [0, -1, 10**30, 1.5, "x", [], {}, True, None]
    for value in values:
        answer = call(server, at(gateway, "applied"), chat_body(**{field: value}))
        if field not in listed:
            check_whole(answer)
        assert answer.status in {200, 400}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_warnings_name_both_stages(gateway: str, server: MockServer) -> None:
    """In warning mode the request is answered, and the journal says what would be refused."""
    session = f"warned-{gateway}"
    path = at(gateway, session, contract="warn")
    sent = chat_body(turn("user", None), turn("developer"), stream=5)
    check_whole(call(server, path, sent))
    [entry] = entries(server, session)
    rules = [warning["rule"] for warning in entry["warnings"]]
    own = [rule for rule in rules if not rule.startswith("engine:")]
    assert own == rules[: len(own)]
    assert own
    assert "engine:message.content_required" in rules
    assert all(warning["message"] and warning["path"] for warning in entry["warnings"])


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_with_the_contract_off_nothing_is_refused(gateway: str, server: MockServer) -> None:
    path = at(gateway, f"off-{gateway}", contract="off")
    for sent in ({}, {"messages": 5}, chat_body("x", n=2, model=5, stop=7, tools=[5])):
        assert call(server, path, sent).status == 200
    assert "messages" not in entries(server, f"off-{gateway}")[0]["forwarded"]
