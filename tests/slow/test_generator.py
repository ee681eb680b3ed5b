"""Two thousand answers to random requests: all valid, and every token of them accounted for."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from k3mock.text.template import argument_text
from tests.generator.schemas import PARAMETERS
from tests.support import call, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer
    from k3mock.text.counter import TokenCounter
    from k3mock.text.template import Template

pytestmark = pytest.mark.slow

ANSWERS = 2_000
PATH = "/with/contract=warn/v1/chat/completions"
"""Schemas that the host would refuse are answered, too."""

TAG_TOKENS = 3
CONTROL_TOKENS = 16
"""Opening stub, the tags of thinking and content, and the end of the message."""

PROMPTS = (
    "Tell me about {}", "How do I learn {}?", "Why is {} so popular?", "Three bullet points on {}",
    "Explain {} in exactly seven words", "Describe {} in two sentences", "A table about {}",
    "Write a haiku about {}", "Write a Go function about {}", "{} as JSON with keys name and age",
    "What's the weather in Paris and Rome? And {}?", "Read ./a.txt, then search for '{}'",
    "请介绍一下{}", "用五个字说明{}", "請說明{}的歷史", "{}について教えてください",
    "{}を三つの文で説明して",
    "Erkläre mir {}", "Nenne drei Gründe für {}", "Explique {} en deux phrases", "¿Qué es {}?",
    "Расскажи про {}", "{}", "Say {}", "Answer in German: what is {}?",
)  # fmt: skip
TOPICS = (
    "tea", "green energy", "Python", "42", "音乐", "人工智慧", "お茶", "Musik", "l’histoire",
    "космос",
    "the weather in Oslo", "ann@example.com", "./notes.md", "🎉", "“quoted”", "x" * 200, "",
)  # fmt: skip
NAMES = ("get_weather", "read_file", "search_web", "do_it", "查询", "book_flight")


@pytest.fixture(scope="module")
def running() -> Iterator[MockServer]:
    with serving(seed=11) as made:
        yield made


def _schemas(count: int) -> list[dict[str, Any]]:
    """Draw schemas of parameters, always the same ones."""
    drawn: list[dict[str, Any]] = []

    @settings(
        max_examples=count, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(PARAMETERS)
    def collect(schema: dict[str, Any]) -> None:
        drawn.append(json.loads(json.dumps(schema)))

    collect()
    return drawn


def _request(chance: random.Random, schemas: list[dict[str, Any]]) -> dict[str, Any]:
    prompt = chance.choice(PROMPTS).format(chance.choice(TOPICS)) + f" {chance.randrange(10**6)}"
    body: dict[str, Any] = {
        "model": "kimi-k3",
        "messages": [{"role": "user", "content": prompt}],
        "reasoning_effort": chance.choice(["low", "high", "max"]),
    }
    drawn = chance.random()
    if drawn < 0.5:
        names = chance.sample(NAMES[:4] + NAMES[5:], chance.randint(1, 3))
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": name, "parameters": chance.choice(schemas)},
            }
            for name in names
        ]
        body["tool_choice"] = chance.choice(["auto", "required", "required", "none"])
    elif drawn < 0.68:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "made", "schema": chance.choice(schemas), "strict": True},
        }
    elif drawn < 0.78:
        body["response_format"] = {"type": "json_object"}
    return body


def _tools_cost(message: dict[str, Any], template: Template) -> int:
    """Recount the block of tool calls from what was received."""
    calls = message.get("tool_calls") or []
    if not calls:
        return 0
    cost = 2 * TAG_TOKENS
    for number, made in enumerate(calls, 1):
        function = made["function"]
        cost += template.call_header(function["name"], number)
        for key, value in json.loads(function["arguments"]).items():
            text = template.counter.count(argument_text(value))
            cost += template.argument_header(key, value) + text + TAG_TOKENS
        cost += TAG_TOKENS
    return cost


def test_two_thousand_answers_are_valid_and_counted(
    running: MockServer, template: Template, counter: TokenCounter
) -> None:
    chance = random.Random(2026)
    schemas = _schemas(160)
    seen: Counter[str] = Counter()
    while seen.total() < ANSWERS:
        body = _request(chance, schemas)
        answer = call(running, PATH, body)
        assert answer.status == 200, (body, answer.body)
        seen[_check(body, answer.json, template, counter)] += 1
    assert seen["calls"] > 400
    assert seen["json"] > 300
    assert seen["text"] > 500


def _check(
    body: dict[str, Any], received: dict[str, Any], template: Template, counter: TokenCounter
) -> str:
    """Check one answer; return what it consists of."""
    choice = received["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls") or []
    assert choice["finish_reason"] == ("tool_calls" if calls else "stop")
    assert calls or message["content"]
    offered = {
        each["function"]["name"]: each["function"]["parameters"] for each in body.get("tools", ())
    }
    for made in calls:
        given = json.loads(made["function"]["arguments"])
        _validate(given, offered[made["function"]["name"]])
    form = body.get("response_format")
    if form is not None and not calls:
        value = json.loads(message["content"])
        if form["type"] == "json_schema":
            _validate(value, form["json_schema"]["schema"])
    reasoning = counter.count(message["reasoning_content"])
    content = counter.count(message["content"] or "")
    usage = received["usage"]
    tools = _tools_cost(message, template)
    assert usage["completion_tokens"] == reasoning + content + CONTROL_TOKENS + tools
    assert usage["completion_tokens_details"]["reasoning_tokens"] == reasoning + 1
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    return "calls" if calls else "json" if form is not None else "text"


def _validate(value: Any, schema: dict[str, Any]) -> None:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(value)
