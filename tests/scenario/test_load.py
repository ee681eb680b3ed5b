"""Loading: every mistake at once with its place, layers, names, and texts over HTTP."""

from __future__ import annotations

import textwrap
import warnings
from typing import TYPE_CHECKING

import pytest

from k3mock.scenario.load import load_file, load_text
from k3mock.scenario.problem import Problem, Severity, refusal
from tests.scenario.loading import CONTEXT, library, saved

if TYPE_CHECKING:
    from pathlib import Path


def told(tmp_path: Path, text: str) -> list[tuple[str, str, str, str]]:
    """Return `(place, key, what, accepted)` of each problem."""
    path = saved(tmp_path, text)
    scenarios, problems = load_file(path, CONTEXT)
    assert (scenarios == []) is bool(problems)
    return [
        (
            each.where.removeprefix(f"{path}:"), each.key, each.what,
            "; ".join(part for part in (each.found, each.accepted) if part),
        )
        for each in problems
    ]  # fmt: skip


def test_every_problem_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    text = """
        name: my name
        aboutt: typing
        turns:
          - when: {last: {rol: user}, stream: 3}
            reply: {content: hi, wire: {newlin: crlf, bom: maybe}}
            times: 0
          - reply: {error: rate_limitd}
          - {}
    """
    assert [(where, key, what) for where, key, what, _ in told(tmp_path, text)] == [
        ("1:1", "name", "'name' has a text of another form"),
        ("2:1", "aboutt", "unknown key 'aboutt'"),
        ("4:19", "turns.0.when.last.rol", "unknown key 'rol'"),
        ("4:31", "turns.0.when.stream", "'stream' has a value that it does not take"),
        ("5:33", "turns.0.reply.wire.newlin", "unknown key 'newlin'"),
        ("5:47", "turns.0.reply.wire.bom", "'bom' has a value that it does not take"),
        ("6:5", "turns.0.times", "'times' has a value that it does not take"),
        ("7:13", "turns.1.reply.error", "unknown fault 'rate_limitd'"),
        ("8:5", "turns.2", "'turns' needs the key 'reply'"),
    ]


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        pytest.param("turns: [{reply: {error: {status: 99, msg: x}}}]",
                     ["'status' has a value that it does not take",
                      "the fault 'error' has no parameter 'msg'"], id="error"),
        pytest.param("turns: [{reply: {error: rate_limited, content: x, fautls: y}}]",
                     ["unknown key 'fautls'", "'error' leaves no room for content"], id="reply"),
        pytest.param("wire: {newlin: lf, usage: forcd, writes: bytez}",
                     ["unknown key 'newlin'", "'usage' has",
                      "unknown value of the wire knob 'writes'"], id="wire"),
        pytest.param("faults: {name: stall, msx: 4, ms: x}",
                     ["the fault 'stall' has no parameter 'msx'",
                      "the parameter 'ms' of the fault 'stall' does not take this"], id="fault"),
    ],
)  # fmt: skip
def test_every_problem_of_a_value_is_told_at_once(
    tmp_path: Path, text: str, told_of: list[str]
) -> None:
    found = [what for _, _, what, _ in told(tmp_path, text)]
    assert len(found) == len(told_of)
    for part in told_of:
        assert any(what.startswith(part) for what in found), part


MISTAKES = [
    pytest.param("", "1:1", "the file is empty", "name, about, turns", id="empty"),
    pytest.param("- a", "1:1", "a scenario file holds a mapping", "", id="list"),
    pytest.param("name: a", "1:1", "the file says nothing", "one of turns, chaos", id="no-body"),
    pytest.param("name: 3\npace: 1", "1:1", "'name' has a value that it does not take", "3; text",
                 id="name-number"),
    pytest.param("priority: high\npace: 1", "1:1", "'priority' has a value", "a whole number",
                 id="priority"),
    pytest.param("pace: -1", "1:1", "'pace' has a value", "a number from 0 up", id="pace-below"),
    pytest.param("chaos: often", "1:1", "'chaos' has a value", "a list", id="chaos"),
    pytest.param("pace: 1\nheaders: {x: true}", "2:11", "'x' has a value", "text; or a whole",
                 id="header-flag"),
    *(pytest.param(f"pace: 1\nheaders: {{{name}: x}}", "2:11", told, "letters, digits",
                   id=f"header-{at}")
      for at, (name, told) in enumerate({
          "'a:b'": "'a:b' is no header that can be given",
          "ü": "'ü' is no header that can be given", "''": "'' is no header",
          "transfer-encoding": "is no header that can be given",
      }.items())),
    pytest.param("turns: [{reply: {usage: {total: 10000000000000000000000}}}]", "1:26",
                 "'total' has a number that JSON", "finite numbers", id="large"),
    pytest.param("wire: {extra: {n: [10000000000000000000000]}}", "1:20",
                 "'n' has a number that JSON", "finite numbers", id="large-inside"),
    pytest.param("turns: [{reply: {events: [{chunk: {n: 1.0e+400}}]}}]", "1:36",
                 "'n' has a number that JSON", "inf; finite numbers", id="infinite"),
    pytest.param("turns: [{reply: {content: {json: {n: -1.0e+400}}}}]", "1:35",
                 "'n' has a number that JSON", "-inf; finite", id="infinite-text"),
    pytest.param("priority: 100000000000000000000\npace: 1", "1:1", "'priority' has a number", "",
                 id="large-priority"),
    pytest.param("turns: [{reply: {events: [{stall: 1.0e+300}]}}]", "1:28", "'stall' has a value",
                 "from 0 to 1000000000", id="long-stall"),
    pytest.param("turns: [{when: {headers: {authorization: {matches: 'Bearer sk-('}}}, reply: a}]",
                 "1:43", "not a regular expression", "", id="regex-of-a-secret"),
    pytest.param("turns: []", "1:1", "'turns' is empty", "at least one item", id="no-turns"),
    pytest.param("turns: {}", "1:1", "'turns' has a value that it does not take", "a list",
                 id="turns-mapping"),
    pytest.param("turns: [reply]", "1:9", "'turns' has a value that it does not take",
                 "a mapping with about, when, reply, times", id="turn-text"),
    pytest.param("turns:\n- reply: {}\n  when:", "3:3", "'when' has a value", "null; a mapping",
                 id="when-null"),
    pytest.param("turns:\n- reply: {}\nscenarios: [{name: a, pace: 1}]", "1:1",
                 "'turns' stands beside 'scenarios'", "a list of them", id="both"),
    pytest.param("scenarios: [{turns: [{reply: a}]}]", "1:13", "needs the key 'name'", "",
                 id="nameless"),
    pytest.param("turns: [{reply: {content: {}}}]", "1:18", "'content' says nothing",
                 "one of tokens, template, file, generate, json", id="content-empty"),
    pytest.param("turns: [{reply: {content: {tokens: 3, json: 1}}}]", "1:39",
                 "'content' says several things at once", "tokens, json; only one of", id="two"),
    pytest.param("turns: [{reply: {content: {tokens: -3}}}]", "1:28", "'tokens' has a value",
                 "-3; a whole number from 0 to 1000000", id="tokens"),
    pytest.param("turns: [{reply: {content: {tokens: 1.5}}}]", "1:28", "'tokens' has a value", "",
                 id="half-a-token"),
    pytest.param("turns: [{reply: {content: {generate: false}}}]", "1:28",
                 "'generate' has a value", "false; true", id="generate-false"),
    pytest.param("turns: [{reply: {content: [a]}}]", "1:18", "'content' has a value",
                 "text; or a mapping", id="content-list"),
    pytest.param('turns: [{reply: {content: {template: "{{ lst }}"}}}]', "1:28",
                 "unknown name 'lst'", "did you mean 'last'?", id="template"),
    pytest.param("turns: [{reply: {content: {file: ../a}}}]", "1:28", "outside the folder",
                 "a path below", id="file"),
    pytest.param("turns: [{reply: {error: {}}}]", "1:18", "the error says nothing", "a name",
                 id="error-empty"),
    pytest.param("turns: [{reply: {error: {name: rate_limited, nonsense: 1}}}]", "1:18",
                 "the fault 'rate_limited' has no parameter 'nonsense'", "known:", id="parameter"),
    pytest.param("turns: [{reply: {error: {statux: 500}}}]", "1:18",
                 "the fault 'error' has no parameter 'statux'", "did you mean 'status'?",
                 id="error-key"),
    pytest.param("turns: [{reply: {error: 'a b'}}]", "1:18", "not a fault", "NAME", id="no-fault"),
    pytest.param("turns: [{reply: {faults: ['crlf(']}}]", "1:27", "not a fault", "NAME(",
                 id="fault-text"),
    pytest.param("turns: [{reply: {faults: [crlff]}}]", "1:27", "unknown fault 'crlff'",
                 "did you mean 'crlf'?", id="fault"),
    pytest.param("turns: [{reply: {faults: [{name: crlf, a: 1}]}}]", "1:27",
                 "the fault 'crlf' has no parameter 'a'", "", id="fault-parameter"),
    pytest.param("chaos: [{fault: stall, probability: 2}]", "1:24", "'probability' has a value",
                 "a number from 0 to 1", id="probability"),
    pytest.param("chaos: [{fault: stal, probability: 1, ms: 3}]", "1:10", "unknown fault 'stal'",
                 "did you mean 'stall'?", id="chaos-fault"),
    pytest.param("turns: [{reply: {pace: warp}}]", "1:18", "unknown pace 'warp'", "instant",
                 id="pace"),
    pytest.param("turns: [{reply: {pace: {ttft: 3}}}]", "1:18", "unknown pace key 'ttft'",
                 "did you mean 'ttft_ms'?", id="pace-key"),
    pytest.param("wire: {writes: pigeon}", "1:8", "unknown value of the wire knob 'writes'",
                 "known:", id="writes"),
    pytest.param("wire: {newline: crfl}", "1:8", "'newline' has an unknown value",
                 "did you mean 'crlf'?", id="knob-value"),
    pytest.param("turns: [{reply: {events: [done, dnoe]}}]", "1:33", "'events' has an unknown",
                 "did you mean 'done'?", id="event"),
    pytest.param("turns: [{reply: {events: [{done: true, finish: stop}]}}]", "1:40",
                 "says several things at once", "", id="two-events"),
    pytest.param("turns: [{reply: {events: [{raw: {base64: '?'}}]}}]", "1:34", "not base64", "",
                 id="base64"),
    pytest.param("turns: [{reply: {events: [{error_event: crlf}]}}]", "1:28",
                 "not an error that an event can hold", "the name of an error", id="error-event"),
    pytest.param("turns: [{reply: {events: [{error_event: nonsense}]}}]", "1:28",
                 "unknown fault 'nonsense'", "", id="error-event-name"),
    pytest.param("turns: [{reply: {events: [], content: a}}]", "1:30",
                 "'events' leaves no room for content", "'events' alone", id="events-and-words"),
    pytest.param("turns: [{reply: {error: rate_limited, events: []}}]", "1:39",
                 "'error' leaves no room for events", "", id="error-and-events"),
    pytest.param("turns: [{reply: {headers: {a: \"b\\nc\"}}}]", "1:28",
                 "'a' has a text of another form", "text without line breaks", id="header"),
    pytest.param("turns: [{reply: {headers: {Content-Length: 3}}}]", "1:28",
                 "'Content-Length' is no header that can be given", "letters, digits and -",
                 id="header-that-frames"),
    pytest.param("headers: {\"a b\": c}", "1:11", "'a b' is no header", "", id="header-name"),
    pytest.param("turns: [{reply: {tool_calls: [{name: f, arguments: {}, "
                 "arguments_template: a}]}}]", "1:56", "the arguments are given twice", "",
                 id="arguments-twice"),
    pytest.param("turns: [{reply: {tool_calls: [{name: f, arguments: 3}]}}]", "1:41",
                 "'arguments' has a value that it does not take", "3; a mapping; or text; or null",
                 id="arguments"),
    pytest.param("turns: [{reply: a, when: {last: {content: {matches: '('}}}}]", "1:44",
                 "not a regular expression", "'('", id="regex"),
    pytest.param("turns: [{reply: a, when: {jmespath: 'a['}}]", "1:27",
                 "not a JMESPath expression", "", id="jmespath"),
    pytest.param("turns: [{reply: a, when: {turn: '=>2'}}]", "1:27", "not a range of numbers",
                 "a comparison such as", id="range"),
    pytest.param("turns: [{reply: a, when: {profile: moonshoot}}]", "1:27", "unknown profile",
                 "did you mean 'moonshot'?", id="profile"),
    pytest.param("turns: [{reply: a, when: {last: {parts: [picture]}}}]", "1:42",
                 "'parts' has an unknown value", "image", id="parts"),
    pytest.param("turns: [{reply: a, when: {not: {any_of: []}}}]", "1:33", "'any_of' is empty", "",
                 id="any-of"),
    pytest.param('turns: [{reply: "\\ud800"}]', "1:10", "'reply' holds half a character", "ud800",
                 id="surrogate"),
    pytest.param('turns: [{reply: {content: {json: {a: ["\\udfff"]}}}}]', "1:39",
                 "'a' holds half a character", "", id="surrogate-inside"),
    pytest.param("name: a\nname: b\npace: 1", "2:1", "the key 'name' is given twice", "",
                 id="twice"),
    pytest.param("pace: [", "1:8", "not valid YAML", "", id="yaml"),
    pytest.param("pace: !!python/object:os.system x", "1:7", "not valid YAML", "", id="unsafe"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "what", "accepted"), MISTAKES)
def test_a_mistake_is_told_where_it_stands(
    tmp_path: Path, text: str, place: str, what: str, accepted: str
) -> None:
    found = told(tmp_path, text)
    assert any(
        where.startswith(place) and what in said and accepted in rest
        for where, _, said, rest in found
    ), found


def test_double_keys_and_other_mistakes_are_told_together(tmp_path: Path) -> None:
    text = "namee: a\nname: b\nname: c\n1.5: x\n<<: {a: 1}\npace: !!int x\n"
    assert [(where, what) for where, _, what, _ in told(tmp_path, text)] == [
        ("1:1", "unknown key 'namee'"),
        ("3:1", "the key 'name' is given twice"),
        ("4:1", "a key must be text"),
        ("5:1", "merge keys are not read"),
        ("6:1", "'pace' has a value that it does not take"),
        ("6:7", "not a value of the type int"),
    ]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    _, (problem,) = load_file(tmp_path / "none.yaml", CONTEXT)
    assert problem.what == "the file cannot be read"


def test_a_scenario_without_a_name_has_that_of_its_file(tmp_path: Path) -> None:
    path = saved(tmp_path, "turns: [{reply: a}]", "my-own.yaml")
    ((scenario,), _) = load_file(path, CONTEXT)
    assert (scenario.name, scenario.turns[0].label) == ("my-own", "scenario:my-own#1")


def test_a_file_whose_name_cannot_be_one_needs_a_name(tmp_path: Path) -> None:
    path = saved(tmp_path, "turns: [{reply: a}]", "my own.yaml")
    _, (problem,) = load_file(path, CONTEXT)
    assert problem.what == "the scenario needs a name"


def test_several_scenarios_in_a_file(tmp_path: Path) -> None:
    text = """
        scenarios:
          - {name: a, turns: [{reply: x}], about: first, priority: 3, contract: off}
          - {name: b, turns: [{reply: y, about: why}], profile: devotel}
    """
    loaded = library(tmp_path, text).scenarios
    assert [(each.name, each.priority, each.contract, each.profiles) for each in loaded] == [
        ("a", 3, "off", ()), ("b", 0, None, ("devotel",)),
    ]  # fmt: skip
    assert [each.where.rpartition("yaml:")[2] for each in loaded] == ["2:5", "3:5"]


def test_a_later_layer_replaces_a_scenario_and_says_so(tmp_path: Path) -> None:
    loaded = library(
        tmp_path, "name: a\nturns: [{when: {turn: 0}, reply: old}]",
        "name: b\nturns: [{when: {turn: 1}, reply: x}]",
        "name: a\nturns: [{when: {turn: 2}, reply: new}]",
    )  # fmt: skip
    assert [each.name for each in loaded.scenarios] == ["b", "a"]
    assert loaded.scenarios[1].turns[0].when == {"turn": 2}
    (note,) = loaded.problems
    assert note.severity is Severity.NOTE
    assert "replaces the one at" in note.what
    assert not loaded.broken


def test_a_name_twice_in_one_file_is_an_error(tmp_path: Path) -> None:
    text = "scenarios: [{name: a, turns: [{reply: x}]}, {name: a, turns: [{reply: y}]}]"
    loaded = library(tmp_path, text)
    assert loaded.broken
    assert "given twice in one file" in loaded.problems[0].what


def test_files_that_were_read_are_known(tmp_path: Path) -> None:
    saved(tmp_path, "words", "texts/a.txt")
    loaded = library(tmp_path, "name: a\nturns: [{reply: {content: {file: texts/a.txt}}}]")
    assert [path.name for path in loaded.stamps] == ["0.yaml", "a.txt"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("name: a\nturns: [{reply: {content: {file: a.txt}}}]", "cannot read files",
                     id="file"),
        pytest.param("turns: [{reply: a}]", "needs a name", id="nameless"),
        pytest.param("name: [", "not valid YAML", id="broken"),
        pytest.param('{"name": "a", "turns": [{"rply": 1}]}', "unknown key 'rply'", id="json"),
    ],
)  # fmt: skip
def test_a_scenario_over_http_is_checked(text: str, told: str) -> None:
    loaded = load_text(text.encode(), "the request", CONTEXT)
    assert loaded.scenarios == ()
    assert any(told in each.what for each in loaded.problems)
    assert all(each.where.startswith("the request:") for each in loaded.problems)


def test_a_scenario_over_http_is_loaded() -> None:
    loaded = load_text(b'{"name": "a", "turns": [{"reply": "hi"}]}', "the request", CONTEXT)
    assert [each.name for each in loaded.scenarios] == ["a"]
    assert loaded.problems == ()


def test_a_refusal_names_all_errors_and_only_errors() -> None:
    one = Problem(what="bad", where="a:1:2", key="x.0", found="1", accepted="2")
    note = Problem(what="well", where="a:1:2", severity=Severity.NOTE)
    refused = refusal([one, note, one])
    assert str(refused) == textwrap.dedent("""\
        the scenarios cannot be used: 2 errors
        a:1:2: error: bad (at x.0)
          found: 1
          accepted: 2
        a:1:2: error: bad (at x.0)
          found: 1
          accepted: 2""")
    assert "1 error\n" in str(refusal([one]))
    assert refusal([note]) is None


def test_a_key_in_a_mistake_is_not_shown(tmp_path: Path) -> None:
    text = "turns: [{when: {headers: {%s: {matches: 'Bearer sk-Abcdefgh1234('}}}, reply: a}]"
    for name, shown in {"Authorization": "", "x-other": "'Bearer [redacted]('"}.items():
        ((_, _, _, accepted),) = told(tmp_path, text % name)
        assert accepted == shown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("turns: [{reply: a, times: 2.0}]", id="whole"),
        pytest.param("turns: [{when: {jmespath: {expression: n, equals: 100000000000000000000}}, "
                     "reply: {tool_calls: [{name: f, force: true, "
                     "arguments: {n: 100000000000000000000}}]}}]", id="large"),
        pytest.param("turns: [{reply: {content: {json: [100000000000000000000]}}}]", id="json"),
        pytest.param("turns: [{reply: {content: 12:30}}]", id="time"),
        pytest.param("turns: [{reply: {chaos: [{fault: crlf, probability: 0.5}]}}]", id="chaos"),
        pytest.param("turns: [{reply: {error: {status: 500.0, code: 7.0}}}]", id="whole-code"),
    ],
)  # fmt: skip
def test_what_is_unusual_is_taken(tmp_path: Path, text: str) -> None:
    assert library(tmp_path, f"name: a\n{text}").problems == ()


@pytest.mark.parametrize(
    ("expression", "told_of"),
    [
        pytest.param("[[a]]", "may change its meaning: Possible nested set", id="doubt"),
        pytest.param("^(a+)+$", "repeats what repeats and may take very long", id="long"),
    ],
)
def test_a_doubtful_expression_is_warned_of(tmp_path: Path, expression: str, told_of: str) -> None:
    text = f"name: a\nturns: [{{when: {{system: {{matches: '{expression}'}}}}, reply: a}}]"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (warning,) = library(tmp_path, text).problems
    assert warning.severity is Severity.WARNING
    assert told_of in warning.what
    assert warning.found == repr(expression)


@pytest.mark.parametrize(
    ("when", "key", "near"),
    [
        pytest.param("{last: {role: usr}}", "turns.0.when.last.role", "user", id="role"),
        pytest.param("{reasoning_effort: hgih}", "turns.0.when.reasoning_effort", "high",
                     id="effort"),
        pytest.param("{reasoning_effort: [low, mx]}", "turns.0.when.reasoning_effort.1", "max",
                     id="list"),
    ],
)  # fmt: skip
def test_a_word_that_no_request_has_is_warned_of(
    tmp_path: Path, when: str, key: str, near: str
) -> None:
    loaded = library(tmp_path, f"name: a\nturns: [{{when: {when}, reply: a}}]")
    (warning,) = loaded.problems
    assert (warning.severity, warning.key) == (Severity.WARNING, key)
    assert (warning.accepted or "").startswith(f"did you mean {near!r}?")
    assert [each.name for each in loaded.scenarios] == ["a"]
