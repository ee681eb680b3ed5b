"""What a gateway changes before the engine sees a request, one change at a time."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from k3mock.contract.forward import Forward, lookup
from k3mock.contract.load import load_profile
from tests.strategies import chat_requests, json_values

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue

GATEWAYS = ("apiany", "devotel", "evolink", "hotrouter")
FOLD = Forward(fold={"reasoning.effort": "reasoning_effort"})
RENAME = Forward(rename={"max_tokens": "max_completion_tokens"})
REMOVE = Forward(remove=("temperature", "n"))
STRIP = Forward(remove_from_messages=("partial", "tools"))
SET = Forward(set={"stream_options": {"include_usage": True}})
SET_STREAM = Forward(set={"stream_options": {"include_usage": True}}, set_when_streaming=True)


def say(role: str, **more: Any) -> dict[str, Any]:
    return {"role": role, **more}


@pytest.mark.parametrize(
    ("forward", "body", "passed"),
    [
        pytest.param(Forward(), {"a": 1}, {"a": 1}, id="nothing"),
        pytest.param(FOLD, {"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"},
                     id="folded"),
        pytest.param(FOLD, {"reasoning": {"effort": "low"}, "reasoning_effort": "high"},
                     {"reasoning_effort": "high"}, id="folded-under-another"),
        pytest.param(FOLD, {"reasoning": {"effort": "low"}, "reasoning_effort": None},
                     {"reasoning_effort": "low"}, id="folded-over-null"),
        pytest.param(FOLD, {"reasoning": {"effort": None}}, {}, id="folded-null"),
        pytest.param(FOLD, {"reasoning": {}}, {}, id="folded-nothing"),
        pytest.param(FOLD, {"reasoning": "x", "a": 1}, {"a": 1}, id="folded-text"),
        pytest.param(FOLD, {"a": 1}, {"a": 1}, id="not-folded"),
        pytest.param(RENAME, {"max_tokens": 5}, {"max_completion_tokens": 5}, id="renamed"),
        pytest.param(RENAME, {"max_tokens": 5, "max_completion_tokens": 7},
                     {"max_completion_tokens": 7}, id="renamed-beside-another"),
        pytest.param(RENAME, {"max_tokens": 5, "max_completion_tokens": None},
                     {"max_completion_tokens": 5}, id="renamed-over-null"),
        pytest.param(RENAME, {"max_tokens": None}, {}, id="renamed-null"),
        pytest.param(RENAME, {"max_tokens": 0}, {"max_completion_tokens": 0}, id="renamed-zero"),
        pytest.param(RENAME, {"max_tokens": 5, "max_completion_tokens": 0},
                     {"max_completion_tokens": 0}, id="renamed-beside-zero"),
        pytest.param(REMOVE, {"temperature": 1, "n": None, "top_p": 1}, {"top_p": 1}, id="removed"),
        pytest.param(SET, {"a": 1}, {"a": 1, "stream_options": {"include_usage": True}}, id="set"),
        pytest.param(SET_STREAM, {"a": 1}, {"a": 1}, id="not-set-without-stream"),
        pytest.param(SET_STREAM, {"stream": "yes"}, {"stream": "yes"}, id="not-set-for-a-word"),
        pytest.param(SET_STREAM, {"stream": True, "stream_options": {"include_usage": False}},
                     {"stream": True, "stream_options": {"include_usage": True}},
                     id="set-over-another"),
        pytest.param(STRIP, {"a": 1}, {"a": 1}, id="no-messages"),
        pytest.param(STRIP, {"messages": None}, {"messages": None}, id="null-messages"),
        pytest.param(STRIP, {"messages": "x"}, {"messages": "x"}, id="messages-of-text"),
        pytest.param(STRIP, {"messages": []}, {"messages": []}, id="empty-messages"),
        pytest.param(STRIP, {"messages": [5, None, "x", []]}, {"messages": [5, None, "x", []]},
                     id="messages-that-are-none"),
    ],
)  # fmt: skip
def test_a_body_is_changed(forward: Forward, body: JSONObject, passed: JSONObject) -> None:
    before = copy.deepcopy(body)
    assert forward.apply(body) == passed
    assert body == before


@pytest.mark.parametrize(
    ("message", "passed"),
    [
        pytest.param(say("user", content="hi"), say("user", content="hi"), id="untouched"),
        pytest.param(say("user"), say("user"), id="bare-from-the-start"),
        pytest.param(say("assistant", content="x", partial=True), say("assistant", content="x"),
                     id="stripped"),
        pytest.param(say("assistant", content=None, partial=True), say("assistant", content=None),
                     id="null-content-is-left"),
        pytest.param(say("system", tools=[]), None, id="nothing-left-but-the-role"),
        pytest.param({"tools": []}, None, id="nothing-left-at-all"),
        pytest.param(say("user", content="hi", partial=False, tools=5, name="n"),
                     say("user", content="hi", name="n"), id="both-stripped"),
    ],
)  # fmt: skip
def test_a_message_is_changed_or_dropped(message: JSONObject, passed: JSONObject | None) -> None:
    kept: list[JSONValue] = [] if passed is None else [passed]
    assert STRIP.apply({"messages": ["x", message, "y"]}) == {"messages": ["x", *kept, "y"]}


def test_changes_come_one_after_the_other() -> None:
    """Folded, renamed, taken away, overwritten: each sees what the one before it left."""
    forward = Forward(
        fold={"x.y": "a"}, rename={"a": "b", "b": "c"}, remove=("d",), set={"d": 1, "c": 2}
    )
    assert forward.apply({"x": {"y": 5}, "d": 0}) == {"c": 2, "d": 1}


def test_two_values_of_one_holder_are_folded() -> None:
    forward = Forward(fold={"x.y": "a", "x.z": "b"})
    assert forward.apply({"x": {"y": 1, "z": 2}}) == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        pytest.param({"a": 1}, {"a": 1}, id="no-messages"),
        pytest.param({"messages": "x"}, {"messages": "x"}, id="messages-of-text"),
        pytest.param(
            {"messages": [say("system", tools=[5]), "x", say("user", partial=True)], "tools": [5]},
            {"messages": [say("system"), "x", say("user", partial=True)], "tools": [5]},
            id="only-tools-and-each-at-its-place",
        ),
    ],
)
def test_a_gateway_does_not_see_the_tools_that_it_takes_off_messages(
    body: JSONObject, seen: JSONObject
) -> None:
    before = copy.deepcopy(body)
    assert STRIP.seen(body) == seen
    assert body == before


def test_a_gateway_that_passes_tools_on_sees_them() -> None:
    body: JSONObject = {"messages": [say("system", tools=[5])]}
    for forward in (Forward(), REMOVE, Forward(remove_from_messages=("partial",))):
        assert forward.seen(body) is body


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", {"b": {"c": 5}, "n": None}),
        ("a.b", {"c": 5}),
        ("a.b.c", 5),
        ("a.b.c.d", None),
        ("a.n", None),
        ("a.n.x", None),
        ("a.x", None),
        ("x", None),
        ("x.y", None),
        ("l.0", None),
        ("", None),
    ],
)
def test_a_dotted_path_is_looked_up(path: str, found: object) -> None:
    body: JSONObject = {"a": {"b": {"c": 5}, "n": None}, "l": [1]}
    assert lookup(body, path) == found


@pytest.mark.parametrize("gateway", GATEWAYS)
@given(body=chat_requests(), odd=json_values())
def test_forwarding_twice_is_forwarding_once(
    gateway: str, body: JSONObject, odd: JSONValue
) -> None:
    """And what was received stays as it was."""
    forward = load_profile(gateway).forward
    assert forward is not None
    for sent in (body, {**body, "messages": odd, "reasoning": odd, "stream_options": odd}):
        before = copy.deepcopy(sent)
        once = forward.apply(sent)
        assert forward.apply(once) == once
        assert sent == before


@pytest.mark.parametrize(
    ("gateway", "changed"),
    [
        pytest.param("devotel", {"stream_options": {"include_usage": True}}, id="devotel"),
        pytest.param("apiany", {"max_completion_tokens": 9, "reasoning_effort": "low"},
                     id="apiany"),
        pytest.param("hotrouter", {}, id="hotrouter"),
        pytest.param("evolink", {}, id="evolink"),
    ],
)  # fmt: skip
def test_each_gateway_changes_what_its_page_says(gateway: str, changed: JSONObject) -> None:
    forward = load_profile(gateway).forward
    assert forward is not None
    kept: JSONObject = {"model": "kimi-k3", "stream": True, "seed": 1, "stop": ["x"], "user": "u",
                        "messages": [say("user", content="hi")], "x": {"y": 1}}  # fmt: skip
    sampling: JSONObject = {"temperature": 1, "top_p": 1, "frequency_penalty": 0,
                            "presence_penalty": 0}  # fmt: skip
    reasoned: JSONObject = {"max_tokens": 9, "reasoning": {"effort": "low"},
                            "thinking": {"type": "enabled"}, "n": 1}  # fmt: skip
    passed = forward.apply({**kept, **sampling, **reasoned})
    assert {key: passed[key] for key in kept} == kept
    rest = {key: value for key, value in passed.items() if key not in kept}
    left: dict[str, JSONObject] = {
        "devotel": {**sampling, **reasoned},
        "apiany": {"n": 1},
        "hotrouter": {"max_tokens": 9, "reasoning": {"effort": "low"}},
        "evolink": {"max_tokens": 9, "reasoning": {"effort": "low"}},
    }
    assert rest == {**left[gateway], **changed}
