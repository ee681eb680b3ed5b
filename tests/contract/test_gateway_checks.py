"""The checks in the words of a gateway's table or schema, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.checks import CHECKS, gateway
from k3mock.contract.checks.fields import TYPE_NAMES
from k3mock.contract.checks.gateway import expected_words
from k3mock.contract.checks.subject import Stage, Subject
from k3mock.contract.load import load_profile
from k3mock.contract.profile import Limits
from k3mock.contract.read import read_request
from k3mock.contract.rule import Rule

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile


def found(
    check: str, body: dict[str, Any], moonshot: Profile, position: int = 0, **args: Any
) -> list[tuple[str, dict[str, str]]]:
    """Return what a check finds in a body, as (path, words)."""
    rule = Rule(id="a", check=check, message="", args=args)
    subject = Subject(
        body=body,
        request=read_request(body, moonshot),
        models=frozenset(),
        limits=Limits(),
        size=0,
        prompt_tokens=lambda: 0,
        position=position,
    )
    findings = list(CHECKS[check].look(subject, rule))
    for finding in findings:
        assert set(finding.values) == CHECKS[check].fills
    return [(finding.path, dict(finding.values)) for finding in findings]


def message(**fields: Any) -> dict[str, Any]:
    return {"messages": [fields]}


def function(**fields: Any) -> dict[str, Any]:
    return {"tools": [{"type": "function", "function": fields}]}


@pytest.mark.parametrize(
    ("kind", "low", "high", "words"),
    [
        ("string", None, None, "a string"),
        ("bool", None, None, "a boolean"),
        ("number", None, None, "a number"),
        ("integer", None, None, "an integer"),
        ("object", None, None, "an object"),
        ("array", None, None, "an array"),
        ("string or array", None, None, "a string or an array"),
        ("string or object", None, None, "a string or an object"),
        ("number", 0, 2, "a number between 0 and 2"),
        ("integer", 1, None, "an integer of at least 1"),
        ("number", None, 1, "a number of at most 1"),
        ("number", 0, 0.5, "a number between 0 and 0.5"),
    ],
)
def test_what_is_expected_is_said_in_words(
    kind: str, low: float | None, high: float | None, words: str
) -> None:
    assert expected_words(kind, low, high) == words
    assert kind in TYPE_NAMES


@pytest.mark.parametrize(
    ("body", "kind", "ok"),
    [
        pytest.param({"a": "x"}, "string", True, id="text"),
        pytest.param({"a": ""}, "string", True, id="empty-text"),
        pytest.param({"a": []}, "array", True, id="list"),
        pytest.param({"a": 1.0}, "integer", True, id="whole-number"),
        pytest.param({}, "string", False, id="absent"),
        pytest.param({"a": None}, "string", False, id="null"),
        pytest.param({"a": 5}, "string", False, id="other-type"),
        pytest.param({"a": True}, "integer", False, id="true-is-no-number"),
    ],
)
def test_present(body: dict[str, Any], kind: str, *, ok: bool, moonshot: Profile) -> None:
    expected = [] if ok else [("a", {"field": "a", "expected": expected_words(kind)})]
    assert found("present", body, moonshot, field="a", type_name=kind) == expected


@pytest.mark.parametrize(
    ("value", "kind", "bounds", "ok"),
    [
        pytest.param(None, "number", {"min": 0}, True, id="null"),
        pytest.param(0, "number", {"min": 0, "max": 2}, True, id="lower-end"),
        pytest.param(2, "number", {"min": 0, "max": 2}, True, id="upper-end"),
        pytest.param(-0.0, "number", {"min": 0}, True, id="minus-zero"),
        pytest.param(-0.1, "number", {"min": 0, "max": 2}, False, id="below"),
        pytest.param(2.1, "number", {"min": 0, "max": 2}, False, id="above"),
        pytest.param(-1, "number", {"min": 0}, False, id="below-alone"),
        pytest.param(9, "number", {"min": 0}, True, id="no-upper-end"),
        pytest.param(9, "number", {"max": 2}, False, id="above-alone"),
        pytest.param(-9, "number", {"max": 2}, True, id="no-lower-end"),
        pytest.param("x", "number", {"min": 0}, False, id="text"),
        pytest.param(True, "number", {"min": 0}, False, id="true"),
        pytest.param(True, "bool", {}, True, id="bool"),
        pytest.param(1.5, "integer", {"min": 1}, False, id="fraction"),
        pytest.param(2.0, "integer", {"min": 1}, True, id="whole"),
        pytest.param("x", "string or array", {}, True, id="first-of-two"),
        pytest.param([], "string or array", {}, True, id="second-of-two"),
        pytest.param({}, "string or array", {}, False, id="neither"),
    ],
)
def test_typed(
    value: Any, kind: str, bounds: dict[str, float], *, ok: bool, moonshot: Profile
) -> None:
    words = expected_words(kind, bounds.get("min"), bounds.get("max"))
    expected = [] if ok else [("a.b", {"field": "a.b", "expected": words})]
    args: dict[str, Any] = {"field": "a.b", "type_name": kind, **bounds}
    assert found("typed", {"a": {"b": value}}, moonshot, **args) == expected
    assert found("typed", {"a": 5}, moonshot, **args) == []
    assert found("typed", {}, moonshot, **args) == []


@pytest.mark.parametrize(
    ("body", "ok"),
    [
        pytest.param({"a": 1, "b": {"c": 1}}, True, id="equal"),
        pytest.param({"a": 1, "b": {"c": 2}}, False, id="different"),
        pytest.param({"a": 1}, True, id="first-alone"),
        pytest.param({"b": {"c": 2}}, True, id="second-alone"),
        pytest.param({"a": None, "b": {"c": 2}}, True, id="first-null"),
        pytest.param({"a": 1, "b": {"c": None}}, True, id="second-null"),
        pytest.param({"a": 1, "b": 2}, True, id="second-no-object"),
        pytest.param({}, True, id="neither"),
    ],
)
def test_agree(body: dict[str, Any], *, ok: bool, moonshot: Profile) -> None:
    expected = [] if ok else [("a", {"field": "a", "other": "b.c"})]
    assert found("agree", body, moonshot, field="a", other="b.c") == expected


@pytest.mark.parametrize(
    ("value", "got"),
    [
        pytest.param("auto", None, id="listed"),
        pytest.param(5, None, id="no-text"),
        pytest.param({"type": "function"}, None, id="object"),
        pytest.param(None, None, id="null"),
        pytest.param("any", "any", id="other"),
        pytest.param("x" * 300, "x" * 100, id="long"),
    ],
)
def test_one_of_words(value: Any, got: str | None, moonshot: Profile) -> None:
    words = {"field": "a", "values": "auto, none", "got": got}
    expected = [] if got is None else [("a", words)]
    args: dict[str, Any] = {"field": "a", "values": ["auto", "none"]}
    assert found("one_of_words", {"a": value}, moonshot, **args) == expected
    assert found("one_of_words", {}, moonshot, **args) == []


def test_message_keys(moonshot: Profile) -> None:
    body = {"messages": [{}, {"role": None, "content": None}, {"role": "user"}, "x"]}

    def names(position: int) -> list[tuple[str, str]]:
        keys = found("message_keys", body, moonshot, position, keys=["role", "content"])
        assert all(words["position"] == str(position) for _, words in keys)
        return [(path, words["field"]) for path, words in keys]

    assert names(0) == [("messages.0.role", "role"), ("messages.0.content", "content")]
    assert names(1) == []
    assert names(2) == [("messages.2.content", "content")]
    assert names(3) == [("messages.3.role", "role"), ("messages.3.content", "content")]


@pytest.mark.parametrize(
    ("fields", "ok"),
    [
        pytest.param({"role": "user", "content": "hi"}, True, id="text"),
        pytest.param({"role": "user", "content": ""}, True, id="empty"),
        pytest.param({"role": "user", "content": []}, True, id="no-parts"),
        pytest.param({"role": "user", "content": None}, False, id="null"),
        pytest.param({"role": "user"}, False, id="absent"),
        pytest.param({"role": "assistant", "tool_calls": [1]}, True, id="calls"),
        pytest.param(
            {"role": "assistant", "content": None, "tool_calls": [1]}, True, id="null-calls"
        ),
        pytest.param(
            {"role": "assistant", "content": None, "tool_calls": []}, False, id="no-calls"
        ),
        pytest.param({"role": "user", "tool_calls": [1]}, False, id="calls-of-a-user"),
    ],
)
def test_content_present(fields: dict[str, Any], *, ok: bool, moonshot: Profile) -> None:
    expected = [] if ok else [("messages.0.content", {"position": "0"})]
    assert found("content_present", message(**fields), moonshot) == expected


@pytest.mark.parametrize(
    ("fields", "ok"),
    [
        pytest.param({"role": "tool", "tool_call_id": "x"}, True, id="there"),
        pytest.param({"role": "tool", "tool_call_id": ""}, False, id="empty"),
        pytest.param({"role": "tool", "tool_call_id": 5}, False, id="number"),
        pytest.param({"role": "tool", "tool_call_id": None}, False, id="null"),
        pytest.param({"role": "tool"}, False, id="absent"),
        pytest.param({"role": "user"}, True, id="another-role"),
    ],
)
def test_tool_call_id_present(fields: dict[str, Any], *, ok: bool, moonshot: Profile) -> None:
    expected = [] if ok else [("messages.0.tool_call_id", {"position": "0"})]
    assert found("tool_call_id_present", message(**fields), moonshot) == expected


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        pytest.param(function(name="f", parameters={}), [], id="both"),
        pytest.param(function(parameters={}), ["name"], id="no-name"),
        pytest.param(function(name="", parameters={}), ["name"], id="empty-name"),
        pytest.param(function(name=5, parameters={}), ["name"], id="name-of-another-type"),
        pytest.param(function(name="f", parameters=None), ["parameters"], id="null"),
        pytest.param(function(name="f", parameters=[]), ["parameters"], id="list"),
        pytest.param(function(), ["name", "parameters"], id="neither"),
        pytest.param({"tools": [5, {"type": "function"}]}, [], id="no-function"),
        pytest.param({}, [], id="no-tools"),
    ],
)
def test_tool_function_keys(body: dict[str, Any], missing: list[str], moonshot: Profile) -> None:
    keys = {"name": "string", "parameters": "object"}
    assert found("tool_function_keys", body, moonshot, keys=keys) == [
        (f"tools.0.function.{key}", {"field": key, "type": keys[key]}) for key in missing
    ]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        pytest.param(function(description="d", strict=True), {}, id="right"),
        pytest.param(function(), {}, id="absent"),
        pytest.param(function(description=None, strict=None), {}, id="null"),
        pytest.param(function(strict="yes"), {"strict": ("bool", "string")}, id="word"),
        pytest.param(
            function(description=5, strict=1),
            {"description": ("string", "number"), "strict": ("bool", "number")},
            id="numbers",
        ),
    ],
)
def test_tool_function_types(
    body: dict[str, Any], wrong: dict[str, tuple[str, str]], moonshot: Profile
) -> None:
    fields = {"description": "string", "strict": "bool"}
    assert found("tool_function_types", body, moonshot, fields=fields) == [
        (f"tools.0.function.{key}", {"field": key, "type": kind, "got": got})
        for key, (kind, got) in wrong.items()
    ]


@pytest.mark.parametrize(
    ("choice", "stranger"),
    [
        pytest.param({"type": "function", "function": {"name": "f"}}, None, id="offered"),
        pytest.param({"function": {"name": "g"}}, "g", id="other"),
        pytest.param({"function": {"name": "x" * 300}}, "x" * 100, id="long"),
        pytest.param({"function": {"name": 5}}, None, id="no-text"),
        pytest.param({"function": {}}, None, id="no-name"),
        pytest.param({"function": "f"}, None, id="no-function"),
        pytest.param("required", None, id="word"),
        pytest.param(None, None, id="null"),
    ],
)
def test_tool_choice_offered(choice: Any, stranger: str | None, moonshot: Profile) -> None:
    expected = [] if stranger is None else [("tool_choice", {"name": stranger})]
    names: list[Any] = [[], {}, None, 5]
    odd = [{"type": "function", "function": {"name": name}} for name in names]
    body = {"tools": [*odd, *function(name="f")["tools"]], "tool_choice": choice}
    assert found("tool_choice_offered", body, moonshot) == expected


def test_a_dynamic_tool_is_offered_as_well(moonshot: Profile) -> None:
    body = {
        "messages": [{"role": "system", **function(name="f")}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
    }
    assert found("tool_choice_offered", body, moonshot) == []
    assert found("tool_choice_offered", {"tool_choice": body["tool_choice"]}, moonshot)


@pytest.mark.parametrize(
    ("calls", "missing"),
    [
        pytest.param([{"id": "a", "type": "function"}], [], id="both"),
        pytest.param([{"id": "", "type": ""}], [], id="empty"),
        pytest.param([{"type": "function"}, {"id": "b"}], [(0, "id"), (1, "type")], id="one-each"),
        pytest.param([{"id": 5, "type": None}], [(0, "id"), (0, "type")], id="wrong"),
        pytest.param(["x", None, {}], [(2, "id"), (2, "type")], id="no-objects"),
        pytest.param("x", [], id="no-list"),
        pytest.param(None, [], id="null"),
    ],
)
def test_call_keys(calls: Any, missing: list[tuple[int, str]], moonshot: Profile) -> None:
    keys = {"id": "string", "type": "string"}
    body = message(role="assistant", tool_calls=calls)
    assert found("call_keys", body, moonshot, keys=keys) == [
        (f"messages.0.tool_calls.{index}.{key}", {"position": "0", "field": key, "type": "string"})
        for index, key in missing
    ]


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        pytest.param([{"type": "function"}], [], id="listed"),
        pytest.param([{"type": "plugin"}, {}, {"type": []}], [0, 1, 2], id="others"),
        pytest.param(["x"], [], id="no-object"),
    ],
)
def test_call_type(calls: Any, wrong: list[int], moonshot: Profile) -> None:
    body = message(role="assistant", tool_calls=calls)
    assert found("call_type", body, moonshot, values=["function"]) == [
        (f"messages.0.tool_calls.{index}.type", {"position": "0"}) for index in wrong
    ]


@pytest.mark.parametrize("check", gateway.CHECKS, ids=lambda check: check.name)
def test_without_arguments_a_check_finds_something_or_nothing_but_does_not_break(
    check: Any, moonshot: Profile
) -> None:
    """The loader asks for them; the check itself is lenient."""
    body = {"messages": [{"role": "user", "tool_calls": [{}]}], **function(name="f")}
    rule = Rule(id="a", check=check.name, message="")
    subject = Subject(
        body=body,
        request=read_request(body, moonshot),
        models=frozenset(),
        limits=Limits(),
        size=0,
        prompt_tokens=lambda: 0,
    )
    if "type_name" in check.args:
        return
    assert isinstance(list(check.look(subject, rule)), list)


def test_each_check_is_used_by_some_gateway() -> None:
    used = {
        rule.check
        for name in ("apiany", "devotel", "evolink", "hotrouter")
        for rule in load_profile(name).rules
    }
    assert {check.name for check in gateway.CHECKS} <= used


def test_checks_of_messages_look_at_one_message() -> None:
    staged = {check.name for check in gateway.CHECKS if check.stage is Stage.MESSAGE}
    assert staged == {
        "message_keys", "content_present", "tool_call_id_present", "call_keys", "call_type",
    }  # fmt: skip
