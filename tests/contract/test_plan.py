"""Looking at less finds the same: what a plan leaves out would have found nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.subject import Stage, Subject
from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.contract.read import read_request
from k3mock.state import Issued

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.profile import Profile

CALL = {"id": "f_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
USER = {"role": "user", "content": "hi"}
HISTORIES: tuple[list[Any], ...] = (
    [USER],
    [{"role": "user", "content": ""}],
    [{"role": "stranger", "content": "hi"}],
    [{"role": "user"}, {"role": "user", "content": None}, "no object", {"role": ["user"]}],
    [USER, {"role": "assistant", "content": ""}, {"role": "assistant", "tool_calls": []}],
    [USER, {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
     {"role": "tool", "tool_call_id": "f_0", "content": "1"},
     {"role": "tool", "tool_call_id": "f_9", "content": "1"}, {"role": "tool", "content": "1"}],
    [USER, {"role": "assistant", "tool_calls": [7, {"function": {"name": 3}}]}],
    [{"role": "user", "content": [{"type": "text", "text": ""}, {"type": "odd"}, 3]}],
    [{"role": "user", "content": [{"type": "image_url", "image_url": "ftp://x"}]}],
    [{"role": "system", "tools": [TOOL, {"type": "function"}], "content": "x"},
     {"role": "user", "tools": [TOOL]}],
    [USER, {"role": "assistant", "content": "a", "reasoning_content": "r", "partial": True}],
    [{"role": "r" * 500, "content": "x"}, {"role": "user", "content": "x", "k" * 500: 1}],
)  # fmt: skip
FIELDS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.3, "top_p": "x", "n": 4, "stop": ["a"] * 9, "max_tokens": 0},
    {"tools": [TOOL, TOOL, 7], "tool_choice": "sometimes", "response_format": {"type": "odd"}},
    {"stop": [3], "thinking": {"type": "odd"}, "reasoning_effort": "none", "stream": "yes"},
    {"tool_choice": "required", "top_logprobs": 3, "logit_bias": [], "presence_penalty": 9},
)


def _subjects(profile: Profile) -> Iterator[Subject]:
    for messages in HISTORIES:
        for fields in FIELDS:
            body = {"model": "kimi-k3", "messages": messages, **fields}
            yield Subject(
                body=body, request=read_request(body, profile), models=frozenset(profile.models),
                limits=profile.limits, size=0, prompt_tokens=lambda: 10,
                switches=profile.switches,
                tool_ids=profile.wire.tool_ids, issued=Issued(),
            )  # fmt: skip


def _plainly(subject: Subject, profile: Profile) -> list[tuple[str, str]]:
    """Let every rule that holds look at everything, as the order of the rules has it."""
    found: list[tuple[str, str]] = []
    block: list[Any] = []

    def of_messages() -> None:
        for position in range(len(subject.messages)):
            for rule in block:
                look(rule, replace(subject, position=position))
        block.clear()

    def look(rule: Any, at: Subject) -> None:
        if not rule.models or at.request.model in rule.models:
            found.extend((rule.id, one.path) for one in CHECKS[rule.check].look(at, rule))

    for rule in filter(profile.holds, profile.rules):
        stage = CHECKS[rule.check].stage
        if stage is Stage.MESSAGE:
            block.append(rule)
        elif stage is Stage.BODY:
            of_messages()
            look(rule, subject)
    of_messages()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_finds_what_all_rules_find_that_look_at_everything(name: str) -> None:
    profile = load_profile(name)
    differing = 0
    for subject in (*_subjects(profile), *_subjects(profile)):
        found = [
            (violation.error.rule, violation.error.path)
            for violation in profile.plan.violations(subject)
        ]
        assert found == _plainly(subject, profile)
        differing += bool(found)
    assert differing > 20


def test_what_is_remembered_of_requests_is_bounded() -> None:
    profile = load_profile("moonshot")
    for number in range(2500):
        body: Any = {
            "model": "kimi-k3", f"x{number}": 1,
            "messages": [{"role": "user", "content": "hi", f"y{number}": 1}],
        }  # fmt: skip
        subject = Subject(
            body=body, request=read_request(body, profile), models=frozenset(profile.models),
            limits=profile.limits, size=0, prompt_tokens=lambda: 10,
        )  # fmt: skip
        assert [*profile.plan.violations(subject)] == []
    assert profile.plan.remembered <= 3000


def test_a_changed_profile_has_a_plan_of_its_own() -> None:
    profile = load_profile("moonshot")
    assert profile.plan is profile.plan
    assert replace(profile, rules=()).plan is not profile.plan
    assert profile.engine_plan is None
