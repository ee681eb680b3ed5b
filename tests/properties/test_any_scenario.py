"""Any scenario that the check accepts can be asked anything; any other is told, never raised."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.delivery.pacing import parse_pace
from k3mock.fault.catalogue import CATALOGUE, named_error
from k3mock.matching.pattern import compile_pattern
from k3mock.matching.source import Hit
from k3mock.matching.view import View
from k3mock.scenario.kinds import (
    Anything,
    Context,
    Either,
    Flag,
    Items,
    Null,
    Number,
    Record,
    Ref,
    Shape,
    Text,
)
from k3mock.scenario.load import Library, read
from k3mock.scenario.problem import ScenarioError
from k3mock.scenario.schema import scenario_schema
from k3mock.scenario.shape import ROOT, names
from k3mock.scenario.source import ScenarioSource
from k3mock.yamlfile import Located
from tests.matching.asking import asked, moonshot
from tests.scenario.loading import Canned
from tests.strategies import any_text
from tests.support import tool

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from k3mock.matching.source import Asked
    from k3mock.text.counter import TokenCounter

CONTEXT = Context(folder=None, check_pace=parse_pace, profile=moonshot())
DEEPEST = 5
WORDS = ("", "a", "user", "kimi-k3", "{{ last.content }}", "{{ tool_result.x }}", "messages[0]",
         "^a", "(", ">=1", "moonshot", "f", "instant", "rate_limited",
         *sorted(CATALOGUE)[:40])  # fmt: skip

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(WORDS), inner,
                                                                max_size=2),
    max_leaves=4,
)  # fmt: skip


_MADE: dict[tuple[int, int], tuple[Shape, SearchStrategy[Any]]] = {}


def _of(shape: Shape, depth: int = 0) -> SearchStrategy[Any]:
    """Values that a shape takes, more or less; made once, which takes longer than to draw."""
    known = _MADE.get((id(shape), depth))
    if known is None:
        known = _MADE[id(shape), depth] = (shape, _made(shape, depth))
    return known[1]


def _made(shape: Shape, depth: int) -> SearchStrategy[Any]:  # noqa: PLR0911 - one a kind
    match shape:
        case Ref():
            return _of(names()[shape.name], depth)
        case Either():
            return st.one_of(*(_of(option, depth) for option in shape.options))
        case Text():
            return st.sampled_from([str(each) for each in shape.choices] or WORDS) | any_text()
        case Number():
            return st.integers(-1, 20) if shape.whole else st.floats(0, 1)
        case Flag():
            return st.booleans() if shape.only is None else st.just(shape.only)
        case Null():
            return st.none()
        case Anything():
            return _JSON
        case Items():
            most = 2 if depth < DEEPEST else 0
            return st.lists(st.deferred(lambda: _of(shape.item, depth + 1)), max_size=most)
        case Record():
            return _record(shape, depth)


def _record(shape: Record, depth: int) -> SearchStrategy[Any]:
    if depth >= DEEPEST:
        return st.just({})
    keys = list(shape.fields)
    if not keys:
        other = shape.others or Anything()
        return st.dictionaries(st.sampled_from(WORDS), _of(other, depth + 1), max_size=2)

    @st.composite
    def made(draw: Any) -> dict[str, Any]:
        some = list(shape.some_of) or keys
        chosen = {draw(st.sampled_from(some)), *shape.required}
        if not shape.single:
            chosen |= set(draw(st.lists(st.sampled_from(keys), max_size=2)))
        return {key: draw(_of(shape.fields[key], depth + 1)) for key in sorted(chosen)}

    return made()


REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant", "tool", "system", "odd"])},
                optional={
                    "content": any_text() | _JSON,
                    "name": any_text() | _JSON,
                    "tool_call_id": _JSON,
                    "reasoning_content": any_text() | _JSON,
                    "tool_calls": _JSON,
                    "partial": _JSON,
                },
            ),
            max_size=3,
        )
        | _JSON,
        "tools": st.lists(st.builds(tool, st.sampled_from(["f", "a"]))) | _JSON,
        "tool_choice": _JSON,
        "stream": _JSON,
        "model": _JSON,
        "response_format": _JSON,
        "reasoning_effort": _JSON,
    },
)


def _asked(body: dict[str, Any], *, retry: bool) -> Asked:
    return asked(
        body={"model": "kimi-k3", **body}, headers={"user": "a"}, retry=retry,
        answered_by="scenario:x#1", errors=lambda call: named_error(call, moonshot()),
    )  # fmt: skip


@given(when=_of(Ref(name="when")), body=REQUESTS)
@settings(max_examples=300)
def test_a_pattern_gives_a_verdict_on_any_request(when: Any, body: dict[str, Any]) -> None:
    content: Any = {"name": "x", "turns": [{"when": when, "reply": "hi"}]}
    _, problems = read(Located("x", content, {}), CONTEXT, stem=None)
    if problems:
        return
    pattern, view = compile_pattern(when), View(_asked(body, retry=False))
    verdict = pattern.verdict(view)
    assert pattern.matches(view) is verdict.matched
    assert verdict.matched is (verdict.held == verdict.parts)
    assert str(verdict.difference)


@given(content=_of(ROOT), body=REQUESTS, retry=st.booleans())
@settings(max_examples=300)
def test_a_scenario_is_told_wrong_or_answers(
    counter: TokenCounter, content: Any, body: dict[str, Any], *, retry: bool
) -> None:
    scenarios, problems = read(Located("x", content, {}), CONTEXT, stem="x")
    assert bool(scenarios) is not bool(problems)
    if problems:
        assert all(str(each) and each.what for each in problems)
        return
    assert _valid(content)
    source = ScenarioSource(
        Library(scenarios=tuple(scenarios)), CONTEXT, counter=counter, writer=Canned()
    )
    question = _asked(body, retry=retry)
    source.overlay(question)
    for pinned in (None, scenarios[0].name):
        try:
            found = source.find(replace(question, pinned=pinned))
        except ScenarioError as error:
            assert "the template" in str(error)  # noqa: PT017 - what else may fail is a defect
            continue
        assert found.label if isinstance(found, Hit) else found.full().message


@given(content=_JSON)
def test_any_content_is_told_wrong(content: Any) -> None:
    scenarios, problems = read(Located("x", content, {}), CONTEXT, stem="x")
    assert bool(scenarios) is not bool(problems)


@cache
def _validator() -> Any:
    return jsonschema.Draft202012Validator(scenario_schema())


def _valid(content: Any) -> bool:
    """Say whether the schema accepts what the loader accepted."""
    return bool(_validator().is_valid(content))
