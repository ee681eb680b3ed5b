"""Of several violations the first in the documented order is the one that is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.black_box import (
    assert_accepted,
    body,
    called,
    entries,
    function,
    post,
    result,
    user,
)
from tests.support import CHAT, call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

GONE = object()
"""Marks a field that a step takes away."""

BAD_TOOLS: list[Any] = [
    "find_train",
    {"function": {}},
    {"type": "function"},
    function("1st"),
    function("dup"),
    function("dup"),
    function("a", {"type": "object", "properties": {"a": {}}}),
    function("b", {"$ref": "x"}),
    function("c", {"type": "object", "description": "x" * 120_001}),
]
TOOL_RULES = [
    "tools.item", "tools.type", "tools.function", "tools.name", "tools.duplicate",
    "tools.schema.type", "tools.schema.ref", "tools.schema.limits",
]  # fmt: skip
BAD_MESSAGES: list[Any] = [
    "hello",
    {"role": "developer", "content": "hi"},
    user(5),
    user([{"type": "input_audio"}]),
    user([{"type": "text", "text": ""}]),
    user([{"type": "image_url", "image_url": "http://x.example/a.png"}]),
    user([{"type": "image_url", "image_url": "data:image/tiff;base64,AAAA"}]),
    {"role": "assistant", "content": ""},
    user(""),
    called("a_0", "a_0"),
    result("a_0", None),
    result("b_1"),
    user("hi", tools=[]),
    {"role": "system", "content": "Use it.", "tools": []},
    {"role": "assistant", "tool_calls": [{"id": "c_0"}]},
    result("c_0"),
    called("d_0"),
]
MESSAGE_RULES = [
    "message.object", "message.role", "message.fields", "message.part_type", "message.text_empty",
    "message.media_url", "message.media_type", "message.assistant_empty",
    "message.content_required", "message.call_unique", "message.tool_content",
    "message.result_known", "message.tools_role", "message.tools_alone", "message.call_shape",
    "history.unanswered",
]  # fmt: skip

EVERYTHING: dict[str, Any] = {
    "model": "kimi-k9",
    "messages": [],
    "reasoning_effort": 5,
    "thinking": True,
    "max_tokens": "many",
    "stop": ["a", 5, "c", "d", "e", "x" * 33],
    "temperature": 0.3,
    "top_p": 0.8,
    "n": 2,
    "presence_penalty": 1,
    "frequency_penalty": 1,
    "logprobs": True,
    "top_logprobs": 21,
    "logit_bias": {},
    "tools": BAD_TOOLS,
    "tool_choice": "bogus",
    "response_format": {"type": "bogus"},
}

STEPS: list[tuple[str, Mapping[str, Any]]] = [
    ("types.reasoning_effort", {"reasoning_effort": "medium"}),
    ("types.thinking", {"thinking": {"type": "disabled", "effort": "medium"}}),
    ("types.fields", {"max_tokens": 0}),
    ("types.stop_items", {"stop": ["a", "b", "c", "d", "e", "x" * 33]}),
    ("messages.empty", {"messages": BAD_MESSAGES}),
    ("model.unknown", {"model": "kimi-k3"}),
    ("temperature.fixed", {"temperature": 1}),
    ("top_p.fixed", {"top_p": 0.95}),
    ("n.fixed", {"n": 1}),
    ("presence_penalty.fixed", {"presence_penalty": 0}),
    ("frequency_penalty.fixed", {"frequency_penalty": 0}),
    ("logprobs.fixed", {"logprobs": False}),
    ("top_logprobs.range", {"top_logprobs": 5}),
    ("top_logprobs.alone", {"top_logprobs": GONE}),
    ("logit_bias.refused", {"logit_bias": None}),
    ("stop.count", {"stop": ["x" * 33]}),
    ("stop.bytes", {"stop": "end"}),
    ("reasoning_effort.value", {"reasoning_effort": "low"}),
    ("thinking.disabled", {"thinking": {"effort": "medium"}}),
    ("thinking.effort", {"thinking": {"effort": "low"}}),
    *((rule, {"tools": BAD_TOOLS[number:]}) for rule, number in zip(
        TOOL_RULES[:-1], (1, 2, 3, 4, 5, 7, 8), strict=True)),
    (TOOL_RULES[-1], {"tools": []}),
    ("tool_choice.value", {"tool_choice": {"type": "function", "function": {"name": "a"}}}),
    ("tool_choice.named", {"tool_choice": "required"}),
    ("tool_choice.required_without_tools", {"tool_choice": "none"}),
    ("response_format.value", {"response_format": {"type": "text"}}),
    *((rule, {"messages": BAD_MESSAGES[number:]}) for rule, number in zip(
        MESSAGE_RULES[:9], range(1, 10), strict=True)),
    ("message.call_unique", {"messages": [called("a_0"), *BAD_MESSAGES[10:]]}),
    ("message.tool_content", {"messages": [called("a_0"), result("a_0"), *BAD_MESSAGES[11:]]}),
    *((rule, {"messages": [called("a_0"), result("a_0"), *BAD_MESSAGES[number:]]})
      for rule, number in zip(MESSAGE_RULES[11:14], (12, 13, 14), strict=True)),
    ("message.call_shape", {"messages": [BAD_MESSAGES[-1]]}),
    ("history.unanswered", {"messages": [user()]}),
    ("cap.range", {"max_tokens": 1}),
]  # fmt: skip


def steps() -> list[Any]:
    """Return, for each rule, the request that breaks it and all behind it."""
    sent = dict(EVERYTHING)
    cases = []
    for rule, mended in STEPS:
        cases.append(pytest.param(rule, dict(sent), id=rule))
        sent = {key: value for key, value in {**sent, **mended}.items() if value is not GONE}
    cases.append(pytest.param(None, sent, id="nothing-left"))
    return cases


@pytest.mark.parametrize(("rule", "sent"), steps())
def test_the_first_violation_in_order_is_the_one_that_is_named(
    rule: str | None, sent: dict[str, Any], server: MockServer
) -> None:
    """The order is advised, not documented; rules stand in it in the profile."""
    answer = post(server, sent, session="order")
    if rule is None:
        assert_accepted(answer)
    else:
        assert answer.headers["x-k3mock-source"] == f"contract:{rule}", answer.body


def test_the_steps_go_through_the_profile_s_rules_in_order(moonshot: Profile) -> None:
    """What is not among the steps needs a switch, another server, or another message rule."""
    order = [rule.id for rule in moonshot.rules]
    asked = [rule for rule, _ in STEPS if not rule.startswith("message.")]
    assert asked == [rule for rule in order if rule in asked]
    left = {rule for rule in order if rule not in dict(STEPS)}
    assert left == {
        "path.unknown", "method.wrong", "auth.missing", "auth.unknown_key", "body.size",
        "body.json", "body.object", "thinking.refused", "tools.count", "tools.schema.anyof",
        "user_agent.refused", "temperature.without_thinking", "temperature.rejected",
        "thinking.type", "message.call_id", "message.alternation", "message.content_key",
        "message.reasoning_changed", "message.filtered",
        "message.reasoning_missing", "messages.size", "window.exceeded",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "key", "sent"),
    [
        pytest.param("auth.missing", None, b"{" * 100, id="key-before-size"),
        pytest.param("auth.unknown_key", "sk-other", b"{" * 100, id="unknown-key-before-size"),
        pytest.param("body.size", "sk-test", b"{" * 100, id="size-before-json"),
        pytest.param("body.json", "sk-test", b"{" * 10, id="json-before-fields"),
        pytest.param("body.object", "sk-test", b"[]", id="object-before-fields"),
        pytest.param("types.fields", "sk-test", b'{"model":5,"messages":[]}', id="types-first"),
    ],
)
def test_key_comes_before_size_and_size_before_json(
    rule: str, key: str | None, sent: bytes, worlds: Worlds
) -> None:
    """Advised: key, body size, JSON syntax, field types."""
    world = worlds({"limits": {"body_bytes": 64}}, ("sk-test",))
    answer = call(world, CHAT, sent, key=key)
    assert answer.headers["x-k3mock-source"] == f"contract:{rule}"


def test_the_first_bad_message_is_named_whatever_rule_it_breaks(server: MockServer) -> None:
    """Messages are checked one by one: an early fault of a late rule wins."""
    sent = body(user([{"type": "text", "text": ""}]), {"role": "developer", "content": "hi"})
    answer = post(server, sent, session="order")
    assert answer.headers["x-k3mock-source"] == "contract:message.text_empty"


@pytest.mark.parametrize("way", ["option", "header"])
def test_in_warning_mode_everything_is_noted_in_order(way: str, server: MockServer) -> None:
    """One request that breaks nearly every rule is answered all the same."""
    session = f"order-warned-{way}"
    sent = {**EVERYTHING, "messages": BAD_MESSAGES, "max_tokens": 0, "tool_choice": "bogus"}
    sent["thinking"] = {"type": "disabled", "effort": "medium"}
    if way == "option":
        answer = call(server, f"/with/contract=warn;session={session}{CHAT}", sent)
    else:
        options = {"x-k3mock": f"contract=warn; session={session}"}
        answer = call(server, CHAT, sent, headers=options)
    assert_accepted(answer)
    [entry] = entries(server, session)
    noted = [warning["rule"] for warning in entry["warnings"]]
    tried = {rule for rule, _ in STEPS} - {
        "types.thinking", "types.fields", "messages.empty", "top_logprobs.alone",
        "tool_choice.named", "tool_choice.required_without_tools",
    }  # fmt: skip
    assert set(noted) == {*tried, "replay.reasoning_missing"}
    assert all(warning["message"] and warning["path"] for warning in entry["warnings"])
    assert json.dumps(entry)
