"""Patterns: every key of `when`, what fits and what does not, and why."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.matching.pattern import KEYS, compile_pattern
from tests.matching.asking import called, dialogue, view
from tests.support import tool

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
NAMED = {"type": "function", "function": {"name": "f"}}
VIDEO = {"type": "video_url", "video_url": {"url": "ms://1"}}


def parts(*more: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "text", "text": "what is it?"}, *more]}]


TALK = dialogue(
    ("system", "You are a Pirate."),
    ("user", "hello"),
    called("get_weather", reasoning_content="I should look."),
    {"role": "tool", "tool_call_id": "get_weather_0", "name": "get_weather", "content": "31"},
)
BEGUN = dialogue(("user", "a JSON"), {"role": "assistant", "content": "{", "partial": True})

FITS: list[Any] = [
    pytest.param({}, {}, id="nothing-asked"),
    pytest.param({"last": "hi"}, {}, id="last-contains"),
    pytest.param({"last": {"role": "user"}}, {}, id="last-role"),
    pytest.param({"last": {"role": ["tool", "user"]}}, {}, id="last-one-role-of-several"),
    pytest.param({"last": {"content": "hi"}}, {}, id="last-equals"),
    pytest.param({"last": {"role": "user", "content": {"matches": "^h"}}}, {}, id="last-both"),
    pytest.param({"last": {"name": False}}, {}, id="no-name"),
    pytest.param({"last": {"name": {"starts_with": "get_"}}}, {"messages": TALK}, id="name"),
    pytest.param({"last": {"name": True, "tool_call_id": "get_weather_0"}}, {"messages": TALK},
                 id="tool-call-id"),
    pytest.param({"last": {"partial": True}}, {"messages": BEGUN}, id="partial"),
    pytest.param({"last": {"partial": False}}, {}, id="not-partial"),
    pytest.param({"last": {"parts": ["image"]}}, {"messages": parts(IMAGE)}, id="image"),
    pytest.param({"last": {"parts": ["image", "video", "text"]}},
                 {"messages": parts(IMAGE, VIDEO)}, id="several-parts"),
    pytest.param({"last": {"parts": {"any": ["video", "image"]}}}, {"messages": parts(IMAGE)},
                 id="any-part"),
    pytest.param({"last": {"parts": {"none": ["image", "video"]}}}, {}, id="none-of-parts"),
    pytest.param({"last": {"parts": {"none": "image", "count": 1}}}, {}, id="no-image-one-part"),
    pytest.param({"last": {"parts": ["other"]}}, {"messages": parts({"type": "file"})},
                 id="other-part"),
    pytest.param({"messages": {"any": {"tool_calls": ["get_weather"]}}}, {"messages": TALK},
                 id="called"),
    pytest.param({"messages": {"any": {"tool_calls": True}}}, {"messages": TALK}, id="called-any"),
    pytest.param({"messages": {"any": {"role": "assistant", "reasoning": True}}},
                 {"messages": TALK}, id="reasoning-there"),
    pytest.param({"messages": {"any": {"reasoning": {"contains": "look"}}}}, {"messages": TALK},
                 id="reasoning-text"),
    pytest.param({"messages": {"all": {"role": ["user", "system", "assistant", "tool"]}}},
                 {"messages": TALK}, id="all"),
    pytest.param({"messages": {"none": "goodbye"}}, {"messages": TALK}, id="none"),
    pytest.param({"messages": {"count": 4}}, {"messages": TALK}, id="count"),
    pytest.param({"messages": {"any": "hello", "none": "bye", "count": ">3"}},
                 {"messages": TALK}, id="messages-joined"),
    pytest.param({"system": "Pirate"}, {"messages": TALK}, id="system-contains"),
    pytest.param({"system": {"contains": "pirate", "ignore_case": True}}, {"messages": TALK},
                 id="system-any-case"),
    pytest.param({"turn": 0}, {}, id="first-turn"),
    pytest.param({"turn": ">=1"}, {"messages": TALK}, id="later-turn"),
    pytest.param({"tools": ["f"]}, {"tools": [tool("f"), tool("g")]}, id="tool"),
    pytest.param({"tools": ["f", "g"]}, {"tools": [tool("f"), tool("g")]}, id="tools"),
    pytest.param({"tools": {"any": ["x", "g"]}}, {"tools": [tool("g")]}, id="any-tool"),
    pytest.param({"tools": {"none": True}}, {}, id="no-tool"),
    pytest.param({"tools": {"none": False}}, {"tools": [tool("g")]}, id="not-none"),
    pytest.param({"tools": False}, {}, id="tools-false"),
    pytest.param({"tools": {"all": "f", "count": {"max": 2}}}, {"tools": [tool("f"), tool("g")]},
                 id="tool-count"),
    pytest.param({"tool_choice": "auto"}, {}, id="choice-default"),
    pytest.param({"tool_choice": "required"}, {"tool_choice": "required"}, id="choice"),
    pytest.param({"tool_choice": {"name": "f"}}, {"tool_choice": NAMED}, id="choice-name"),
    pytest.param({"tool_choice": "named"}, {"tool_choice": NAMED}, id="choice-named"),
    pytest.param({"stream": False}, {}, id="whole"),
    pytest.param({"stream": True}, {"stream": True}, id="stream"),
    pytest.param({"model": "kimi-k3"}, {}, id="model"),
    pytest.param({"model": {"starts_with": "kimi"}}, {}, id="model-start"),
    pytest.param({"profile": "moonshot"}, {}, id="profile"),
    pytest.param({"profile": ["devotel", "moonshot"]}, {}, id="profiles"),
    pytest.param({"reasoning_effort": "low"}, {"reasoning_effort": "low"}, id="effort"),
    pytest.param({"reasoning_effort": ["max", "high"]}, {}, id="effort-default"),
    pytest.param({"response_format": "text"}, {}, id="format-default"),
    pytest.param({"response_format": ["json_object", "json_schema"]},
                 {"response_format": {"type": "json_object"}}, id="format"),
    pytest.param({"headers": {"X-Team": "blue"}}, {"headers": {"x-team": "blue"}}, id="header"),
    pytest.param({"headers": {"user-agent": {"matches": "Bot/[0-9]"}, "x-none": False}},
                 {"headers": {"user-agent": "SomeBot/1"}}, id="headers"),
    pytest.param({"headers": {"authorization": True}}, {"headers": {"authorization": "x"}},
                 id="header-there"),
    pytest.param({"prompt_tokens": {"max": 10}}, {}, id="prompt-tokens"),
    pytest.param({"attempt": 2}, {"attempt": 2}, id="attempt"),
    pytest.param({"jmespath": "messages[0].content"}, {}, id="jmespath-true"),
    pytest.param({"jmespath": "max_tokens > `5`"}, {"max_tokens": 6}, id="jmespath-compared"),
    pytest.param({"jmespath": "n"}, {"n": 0}, id="jmespath-zero-is-true"),
    pytest.param({"jmespath": {"expression": "user"}}, {"user": "ann"}, id="jmespath-mapping"),
    pytest.param({"jmespath": {"expression": "user", "ignore_case": True}}, {"user": "ann"},
                 id="jmespath-says-no-more"),
    pytest.param({"jmespath": {"expression": "user", "equals": "ann"}}, {"user": "ann"},
                 id="jmespath-equals"),
    pytest.param({"jmespath": {"expression": "size", "equals": 7}}, {"size": 7},
                 id="jmespath-equals-number"),
    pytest.param({"jmespath": {"expression": "x", "equals": None}}, {}, id="jmespath-equals-null"),
    pytest.param({"jmespath": {"expression": "user", "matches": "^a"}}, {"user": "ann"},
                 id="jmespath-matches"),
    pytest.param({"jmespath": {"expression": "stop", "contains": "END"}}, {"stop": ["END", "."]},
                 id="jmespath-list-contains"),
    pytest.param({"jmespath": {"expression": "messages[].role", "equals": ["user"]}}, {},
                 id="jmespath-equals-list"),
    pytest.param({"not": {"stream": True}}, {}, id="not"),
    pytest.param({"any_of": [{"stream": True}, {"last": "hi"}]}, {}, id="any-of"),
    pytest.param({"all_of": [{"stream": False}, {"last": "hi"}]}, {}, id="all-of"),
    pytest.param({"not": {"any_of": [{"not": {"last": "hi"}}, {"turn": 3}]}}, {}, id="nested"),
]  # fmt: skip

DIFFERS: list[Any] = [
    pytest.param({"last": "bye"}, {}, "last.content", "contains 'bye'", "'hi'", id="last"),
    pytest.param({"last": {"role": "tool"}}, {}, "last.role", "tool", "user", id="last-role"),
    pytest.param({"last": {"name": "x"}}, {}, "last.name", "equals 'x'", "absent", id="name"),
    pytest.param({"last": {"name": "x"}}, {"messages": TALK}, "last.name", "equals 'x'",
                 "'get_weather'", id="other-name"),
    pytest.param({"last": {"reasoning": True}}, {}, "last.reasoning", "present", "absent",
                 id="reasoning"),
    pytest.param({"last": {"tool_call_id": False}}, {"messages": TALK}, "last.tool_call_id",
                 "absent", "present", id="tool-call-id"),
    pytest.param({"last": {"parts": ["image"]}}, {}, "last.parts", "image", "text", id="parts"),
    pytest.param({"last": {"partial": True}}, {}, "last.partial", "true", "false", id="partial"),
    pytest.param({"messages": {"any": {"role": "tool"}}}, {}, "messages.any",
                 "a message with role tool", "1 messages, the last of them user 'hi'", id="any"),
    pytest.param({"messages": {"all": {"role": "tool"}}}, {}, "messages.all",
                 "only messages with role tool", "1 messages, the last of them user 'hi'",
                 id="all"),
    pytest.param({"messages": {"none": {}}}, {}, "messages.none", "no message with any message",
                 "1 messages, the last of them user 'hi'", id="none"),
    pytest.param({"messages": {"count": 2}}, {}, "messages.count", "2", "1", id="count"),
    pytest.param({"system": "x"}, {}, "system", "contains 'x'", "no system message", id="system"),
    pytest.param({"system": "x"}, {"messages": TALK}, "system", "contains 'x'",
                 "'You are a Pirate.'", id="other-system"),
    pytest.param({"turn": 3}, {}, "turn", "3", "0", id="turn"),
    pytest.param({"tools": ["f"]}, {}, "tools", "f", "none", id="tools"),
    pytest.param({"tools": {"any": ["f"], "count": 2}}, {"tools": [tool("g"), tool("e")]}, "tools",
                 "one of f and 2 of them", "e, g", id="tools-any"),
    pytest.param({"tools": {"none": ["g"]}}, {"tools": [tool("g")]}, "tools", "none of g", "g",
                 id="tools-none"),
    pytest.param({"tools": True}, {}, "tools", "some", "none", id="some-tool"),
    pytest.param({"tool_choice": "none"}, {}, "tool_choice", "none", "'auto'", id="choice"),
    pytest.param({"tool_choice": {"name": "f"}}, {}, "tool_choice.name", "f", "''",
                 id="choice-name"),
    pytest.param({"stream": True}, {}, "stream", "true", "false", id="stream"),
    pytest.param({"model": "x"}, {}, "model", "equals 'x'", "'kimi-k3'", id="model"),
    pytest.param({"profile": "devotel"}, {}, "profile", "devotel", "'moonshot'", id="profile"),
    pytest.param({"reasoning_effort": "low"}, {}, "reasoning_effort", "low", "'max'", id="effort"),
    pytest.param({"response_format": "json_object"}, {}, "response_format", "json_object",
                 "'text'", id="format"),
    pytest.param({"headers": {"X-A": "b"}}, {}, "headers.X-A", "equals 'b'", "absent",
                 id="header"),
    pytest.param({"headers": {"x-a": "b"}}, {"headers": {"x-a": "c"}}, "headers.x-a",
                 "equals 'b'", "'c'", id="other-header"),
    pytest.param({"headers": {"x-a": True}}, {}, "headers.x-a", "present", "absent",
                 id="header-there"),
    pytest.param({"prompt_tokens": ">10"}, {}, "prompt_tokens", "at least 11", "10", id="tokens"),
    pytest.param({"attempt": [2, 3]}, {}, "attempt", "one of 2, 3", "1", id="attempt"),
    pytest.param({"jmespath": "stream"}, {}, "jmespath", "a true value of stream", "null",
                 id="jmespath-null"),
    pytest.param({"jmespath": "tools"}, {"tools": []}, "jmespath", "a true value of tools", "[]",
                 id="jmespath-empty"),
    pytest.param({"jmespath": "abs(model)"}, {}, "jmespath", "a true value of abs(model)",
                 "an error: In function abs(), invalid type for value: kimi-k3, expected one of: "
                 "['number'], received: \"string\"", id="jmespath-error"),
    pytest.param({"jmespath": {"expression": "n", "equals": True}}, {"n": 1}, "jmespath",
                 "equals true of n", "1", id="jmespath-true-is-not-one"),
    pytest.param({"jmespath": {"expression": "n", "contains": "1"}}, {"n": 1}, "jmespath",
                 "contains '1' of n", "1", id="jmespath-number-is-no-text"),
    pytest.param({"jmespath": {"expression": "stop", "equals": "x"}}, {"stop": ["x"]}, "jmespath",
                 "equals 'x' of stop", '["x"]', id="jmespath-list-is-no-text"),
    pytest.param({"not": {"last": "hi", "turn": 0}}, {}, "not",
                 "not (last.content contains 'hi' and turn 0)", "last.content 'hi'; turn 0",
                 id="not"),
    pytest.param({"not": {}}, {}, "not", "not (anything)", "anything", id="not-anything"),
    pytest.param({"any_of": [{"turn": 1}, {"stream": True}]}, {}, "any_of",
                 "(turn 1) or (stream true)", "turn 0; stream false", id="any-of"),
    pytest.param({"all_of": [{"turn": 0}, {"stream": True}]}, {}, "all_of",
                 "(turn 0) and (stream true)", "stream false", id="all-of"),
]  # fmt: skip


@pytest.mark.parametrize(("when", "given"), FITS)
def test_a_request_fits(when: Any, given: Any) -> None:
    pattern, seen = compile_pattern(when), view(**given)
    assert pattern.matches(seen)
    verdict = pattern.verdict(seen)
    assert verdict.matched
    assert verdict.held == verdict.parts
    assert verdict.difference is None


@pytest.mark.parametrize(("when", "given", "key", "wanted", "found"), DIFFERS)
def test_a_request_differs_and_the_verdict_says_where(
    when: Any, given: Any, key: str, wanted: str, found: str
) -> None:
    pattern, seen = compile_pattern(when), view(**given)
    assert not pattern.matches(seen)
    verdict = pattern.verdict(seen)
    assert not verdict.matched
    assert verdict.difference is not None
    assert (verdict.difference.key, verdict.difference.wanted, verdict.difference.found) == (
        key, wanted, found,
    )  # fmt: skip


def test_every_key_is_tried() -> None:
    tried = {key for each in (*FITS, *DIFFERS) for key in each.values[0]}
    assert tried == set(KEYS)


def test_a_verdict_counts_the_parts_and_names_the_first_that_differs() -> None:
    when: Any = {"last": {"role": "user", "content": "bye"}, "turn": 4, "stream": False}
    verdict = compile_pattern(when).verdict(view())
    assert (verdict.held, verdict.parts) == (2, 4)
    assert str(verdict.difference) == "last.content: wanted equals 'bye', found 'hi'"


def test_a_request_without_messages_has_no_last_one() -> None:
    pattern, seen = compile_pattern({"last": "hi"}), view(messages=[])
    assert not pattern.matches(seen)
    assert str(pattern.verdict(seen).difference).endswith("found no message")
    told = compile_pattern({"messages": {"any": "hi"}}).verdict(seen).difference
    assert told is not None
    assert told.found == "no messages"


@pytest.mark.parametrize("name", ["authorization", "cookie", "x-api-key", "x-auth-token"])
def test_values_of_secret_headers_are_never_shown(name: str) -> None:
    pattern = compile_pattern({"headers": {name: "planted-wanted"}})
    difference = pattern.verdict(view(headers={name: "planted-found"})).difference
    assert "planted" not in str(difference)
    assert "not shown" in str(difference)


def test_what_looks_like_a_key_is_hidden_and_long_texts_are_cut() -> None:
    text = "my key is sk-abcdefghijk1 and " + "x" * 1000
    told = str(compile_pattern({"last": "bye"}).verdict(view(text)).difference)
    assert "sk-abcdefghijk1" not in told
    assert len(told) < 400
    assert "…" in told


def test_tests_that_cost_less_run_first_and_tokens_are_counted_last() -> None:
    counted: list[int] = []

    def count() -> int:
        counted.append(1)
        return 5

    seen = view(prompt_tokens=count)
    assert not compile_pattern({"prompt_tokens": 5, "stream": True}).matches(seen)
    assert counted == []
    assert compile_pattern({"prompt_tokens": 5, "stream": False}).matches(seen)
    assert compile_pattern({"prompt_tokens": "<6"}).matches(seen)
    assert counted == [1]


def test_a_pattern_knows_the_role_and_the_text_that_it_needs() -> None:
    pattern = compile_pattern({"last": {"role": "user", "content": "hi"}})
    assert (pattern.roles, pattern.exact) == (("user",), "hi")
    pattern = compile_pattern({"last": {"role": ["a", "b"], "content": {"contains": "hi"}}})
    assert (pattern.roles, pattern.exact) == (("a", "b"), None)
    pattern = compile_pattern({"last": "hi"})
    assert (pattern.roles, pattern.exact) == (None, None)
