"""Templates: what they see, what they must not do, and how they fail."""

from __future__ import annotations

from typing import Any

import pytest

from k3mock.scenario import template
from k3mock.scenario.template import TemplateError, complaints, fill
from k3mock.state import Session
from tests.matching.asking import called, dialogue, view
from tests.support import tool

TALK = dialogue(
    ("system", "Be short."),
    ("user", "weather?"),
    {**called("get_weather"), "reasoning_content": "hm"},
    {"role": "tool", "tool_call_id": "get_weather_0", "content": '{"sky": "clear", "c": 31}'},
)


@pytest.mark.parametrize(
    ("text", "given", "filled"),
    [
        pytest.param("plain", {}, "plain", id="plain"),
        pytest.param("{{ last.content }}/{{ last.role }}", {}, "hi/user", id="last"),
        pytest.param("{{ messages | length }} {{ messages[1].content }}", {"messages": TALK},
                     "4 weather?", id="messages"),
        pytest.param("{{ messages[2].tool_calls[0].name }} {{ messages[2].reasoning }}",
                     {"messages": TALK}, "get_weather hm", id="calls"),
        pytest.param("{{ system }}", {"messages": TALK}, "Be short.", id="system"),
        pytest.param("{{ tools | join(',') }}", {"tools": [tool("f"), tool("g")]}, "f,g",
                     id="tools"),
        pytest.param("{{ turn }} {{ attempt }}", {"messages": TALK, "attempt": 3}, "1 3",
                     id="numbers"),
        pytest.param("{{ session }} {{ model }}", {"session": Session("blue")}, "blue kimi-k3",
                     id="names"),
        pytest.param("{{ request.temperature }}", {"temperature": 0.5}, "0.5", id="request"),
        pytest.param("{{ tool_result.sky }} {{ tool_result.c + 1 }}", {"messages": TALK},
                     "clear 32", id="result-as-json"),
        pytest.param("{{ tool_result }}", {"messages": dialogue(("tool", "31 °C"))}, "31 °C",
                     id="result-as-text"),
        pytest.param("{{ {'a': 'ü<&>', 'b': [1]} | tojson }}", {}, '{"a":"ü<&>","b":[1]}',
                     id="tojson"),
        pytest.param("{{ [1] | tojson(indent=1) }}", {}, "[\n 1\n]", id="tojson-indent"),
        pytest.param("<b>{{ last.content }}</b>\n", {"content": "<&>"}, "<b><&></b>\n",
                     id="nothing-is-escaped"),
        pytest.param("{{ request.user | default('nobody') }}", {}, "nobody", id="default"),
        pytest.param("{% if turn == 0 %}first{% endif %}", {}, "first", id="branch"),
        pytest.param("{{ 'half \\ud800' }}", {}, "half ?", id="half-a-character"),
        pytest.param("{{ 'ab' * 3 }}{{ 2 * 3 }}{{ 2 ** 3 }}", {}, "ababab68", id="repeated"),
    ],
)  # fmt: skip
def test_a_template_is_filled_in(text: str, given: dict[str, Any], filled: str) -> None:
    assert list(complaints(text)) == []
    assert fill(text, view(**given)) == filled


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("{{ request.user }}", "'dict object' has no attribute 'user'", id="absent"),
        pytest.param("{{ tool_result }}", "'tool_result' is undefined", id="no-result"),
        pytest.param("{{ 1 / 0 }}", "division by zero", id="zero"),
        pytest.param("{{ turn + 'a' }}", "unsupported operand", id="types"),
        pytest.param("{{ ''.__class__.__mro__ }}", "unsafe", id="inside"),
        pytest.param("{{ messages.append(1) }}", "unsafe", id="change"),
        pytest.param("{{ 'a' * 100000000 }}", "too large", id="much-text"),
        pytest.param("{{ 9 ** 9 ** 9 }}", "too large", id="much-number"),
        pytest.param("{% for i in range(99999) %}{{ 'a' * 1000 }}{% endfor %}", "more than",
                     id="many-texts"),
        pytest.param("{% include 'x' %}", "no loader", id="include"),
        pytest.param("{{ range(9999999) | list }}", "range", id="range"),
    ],
)  # fmt: skip
def test_a_template_fails_with_a_reason(text: str, told: str) -> None:
    with pytest.raises(TemplateError) as caught:
        fill(text, view())
    assert told.lower() in str(caught.value).lower()


def test_a_request_without_messages_has_no_last_one() -> None:
    with pytest.raises(TemplateError, match="'last' is undefined"):
        fill("{{ last.content }}", view(messages=[]))


@pytest.mark.parametrize(
    ("text", "told", "accepted"),
    [
        pytest.param("a\n{{ last.content", "mistake in its line 2", None, id="open"),
        pytest.param("{% nonsense %}", "mistake in its line 1", None, id="tag"),
        pytest.param("{{ lst.content }}", "unknown name 'lst'", "did you mean 'last'?", id="name"),
        pytest.param("{{ last | upcase }}", "No filter named 'upcase'", None, id="filter"),
        pytest.param(
            "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "cannot be used", None, id="deep"
        ),
    ],
)
def test_what_can_be_seen_before_is_said_before(text: str, told: str, accepted: str | None) -> None:
    found = list(complaints(text))
    assert told in found[0].what
    assert (found[0].accepted or "").startswith(accepted or "")


def test_names_of_the_language_are_known() -> None:
    assert list(complaints("{% set n = namespace(x=1) %}{% for i in range(3) %}{{ i }}{% endfor %}")
                ) == []  # fmt: skip
    assert set(template.NAMES) == {
        "request", "last", "messages", "system", "tools", "turn", "attempt", "session", "model",
        "tool_result",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "{{ '%999999999d' % 1 }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ 'x'.ljust(999999999) }}",
        "{{ 'x' * 999999999 }}",
        "{{ 9 ** 999999 }}",
    ],
)
def test_a_width_cannot_fill_the_memory(text: str) -> None:
    with pytest.raises(TemplateError):
        fill(text, view())


def test_a_remainder_is_still_a_remainder() -> None:
    assert fill("{{ 7 % 4 }}", view()) == "3"
