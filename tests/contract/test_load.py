"""Profile files: what a user may write, and what each mistake says and where."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import FOLDER, NAMES
from k3mock.contract.rule import Evidence
from k3mock.errors import ProfileError
from k3mock.protocol.policy import Absent, CachedTokens, Escape, ToolIdScope, UsageChunk
from tests.contract.black_box import body, marks
from tests.support import call, profile_file, serving

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile

FIVE_LINES = """\
extends: moonshot
profile: bigmountain
models:
  kimi-k3: null
  moonshotai/kimi-k3: {owned_by: bigmountain}
paths: {chat: [/inference/v1/chat/completions], models: [/inference/v1/models]}
"""


def mistake(folder: Path, text: str) -> ProfileError:
    """Load a broken file and return what is said about it."""
    path = profile_file(folder, text)
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    return caught.value


def own(folder: Path, text: str) -> Profile:
    """Load a file that extends moonshot."""
    return load_profile(profile_file(folder, f"extends: moonshot\n{text}"))


# What works.


def test_the_built_in_profiles_load_by_name() -> None:
    assert "moonshot" in NAMES
    for name in NAMES:
        assert load_profile(name).name == name


def test_a_five_line_profile_serves_another_model_on_another_path(tmp_path: Path) -> None:
    path = profile_file(tmp_path, FIVE_LINES)
    with serving(profile=path) as server:
        sent = {**body(), "model": "moonshotai/kimi-k3"}
        chat = "/inference/v1/chat/completions"
        answer = call(server, chat, sent)
        assert answer.status == 200
        assert answer.json["model"] == "moonshotai/kimi-k3"
        assert call(server, chat, body()).error == {
            "message": "Not found the model kimi-k3 or Permission denied",
            "type": "resource_not_found_error",
        }
        assert call(server, "/v1/chat/completions", sent).status == 404
        listed = call(server, "/inference/v1/models").json["data"]
        assert listed == [{"id": "moonshotai/kimi-k3", "owned_by": "bigmountain"}]


def test_a_profile_is_told_from_the_one_that_it_extends(tmp_path: Path) -> None:
    profile = load_profile(profile_file(tmp_path, "extends: moonshot\n", "my_host.yaml"))
    assert profile.name == "my_host"
    assert profile.about == ""
    assert profile.file == str(tmp_path / "my_host.yaml")


def test_null_takes_a_rule_a_model_or_an_error_away(tmp_path: Path, moonshot: Profile) -> None:
    profile = own(
        tmp_path,
        "models: {kimi-k3: null, other: {}}\n"
        "rules: {temperature.fixed: null}\n"
        "errors: {rate_limited: null}\n",
    )
    assert list(profile.models) == ["other"]
    kept = [rule.id for rule in moonshot.rules if rule.id != "temperature.fixed"]
    assert [rule.id for rule in profile.rules] == kept
    assert set(profile.errors) == set(moonshot.errors) - {"rate_limited"}


def test_null_takes_a_limit_or_a_whole_part_back_to_the_usual(tmp_path: Path) -> None:
    profile = own(tmp_path, "limits: {window_tokens: null}\nwire: null\ntokenizer: null\n")
    assert profile.limits.window_tokens == 1_048_576
    assert profile.wire.error_keys == ("message", "type")
    assert profile.tokenizer.template == "kimi_k3"


def test_a_rule_is_changed_key_by_key(tmp_path: Path, moonshot: Profile) -> None:
    profile = own(
        tmp_path,
        "rules:\n  temperature.fixed: {value: 0.6, message: 'only {value}', status: 422}\n",
    )
    rule = profile.rule("temperature.fixed")
    assert (rule.args["value"], rule.message, rule.status) == (0.6, "only {value}", 422)
    assert rule.evidence == moonshot.rule("temperature.fixed").evidence
    assert [found.id for found in profile.rules] == [found.id for found in moonshot.rules]


def test_a_new_rule_stands_behind_the_others(tmp_path: Path) -> None:
    profile = own(
        tmp_path,
        "rules:\n  user.refused: {check: refused, field: user, message: 'no {field}', code: 7,"
        " param: user, evidence: [P, T]}\n",
    )
    rule = profile.rules[-1]
    assert rule.id == "user.refused"
    assert (rule.code, rule.param) == (7, "user")
    assert rule.evidence == (Evidence.VENDOR_PAGE, Evidence.THIRD_PARTY)
    assert (rule.status, rule.type, rule.source) == (400, "invalid_request_error", "")


def test_a_rule_without_marks_is_one_that_was_chosen(tmp_path: Path) -> None:
    profile = own(tmp_path, "rules: {a: {check: refused, field: user, message: 'no'}}\n")
    assert marks(profile, "a") == "I"


def test_a_field_is_taken_out_of_a_type_table_by_null(tmp_path: Path) -> None:
    profile = own(tmp_path, "rules: {types.fields: {fields: {n: null, user: string}}}\n")
    fields = profile.rule("types.fields").args["fields"]
    assert isinstance(fields, dict)
    assert "n" not in fields
    assert fields["user"] == "string"


def test_a_chain_of_files_is_merged_from_the_bottom_up(tmp_path: Path) -> None:
    profile_file(
        tmp_path, "extends: moonshot\nlimits: {window_tokens: 5, body_bytes: 6}\n", "a.yml"
    )
    profile_file(tmp_path, "extends: ./a.yml\nlimits: {window_tokens: 7}\n", "b.yaml")
    (tmp_path / "plain").write_text("extends: b.yaml\n", encoding="utf-8")
    path = profile_file(tmp_path, "extends: plain\nprofile: top\n", "c.yaml")
    profile = load_profile(path)
    assert (profile.limits.window_tokens, profile.limits.body_bytes) == (7, 6)
    assert profile.name == "top"


def test_every_part_of_the_layout_reaches_the_profile(tmp_path: Path) -> None:
    profile = own(
        tmp_path,
        """
about: A host of our own
defaults: {reasoning_effort: high, efforts: [low, high]}
wire:
  error_keys: [code, message]
  error_nulls: true
  absent_channel: empty
  usage_in_choice: false
  usage_chunk: forced
  cached_tokens: nested
  zero_details: true
  fingerprint: false
  reasoning_end_mark: true
  html_escape: errors
  tool_id_scope: conversation
  length_below_bytes: 0
tokenizer: {vocabulary: o200k_base, path: x.tiktoken, template: openai, accounting: vllm,
            counter: splintr}
cache: {mode: blocks, threshold_tokens: 256, hit_probability: 0.5}
media: {unknown_image_tokens: 1, video_tokens: 2}
headers: {set: none, cdn: true, account: {x-who: me}}
switches: {thinking: ignore}
engine_rules: [tools]
errors:
  teapot: {status: 418, type: odd, message: 'short by {n}', values: {n: 3}, keys: [type, message],
           headers: {x-n: '{n}'}, code: '418', param: pot}
  page: {status: 502, body: <p>, content_type: text/html}
""",
    )
    assert profile.about == "A host of our own"
    assert (profile.default_effort, profile.efforts) == ("high", ("low", "high"))
    wire = profile.wire
    assert wire.error_keys == ("code", "message")
    assert wire.error_nulls
    assert wire.absent_channel is Absent.EMPTY
    assert not wire.usage_in_choice
    assert wire.usage_chunk is UsageChunk.FORCED
    assert wire.cached_tokens is CachedTokens.NESTED
    assert wire.zero_details
    assert not wire.fingerprint
    assert wire.reasoning_end_mark
    assert wire.html_escape is Escape.ERRORS
    assert wire.tool_id_scope is ToolIdScope.CONVERSATION
    assert wire.length_below_bytes == 0
    choice = profile.tokenizer
    assert (choice.vocabulary, choice.path) == ("o200k_base", "x.tiktoken")
    assert (choice.template, choice.accounting, choice.counter) == ("openai", "vllm", "splintr")
    assert profile.cache.mode == "blocks"
    assert (profile.cache.threshold_tokens, profile.cache.hit_probability) == (256, 0.5)
    assert (profile.media.unknown_image_tokens, profile.media.video_tokens) == (1, 2)
    assert (profile.headers.set, profile.headers.cdn) == ("none", True)
    assert profile.headers.account["x-who"] == "me"
    assert not profile.holds(profile.rule("temperature.fixed"))
    assert profile.holds(profile.rule("tools.name"))
    assert not profile.holds(profile.rule("thinking.disabled"))
    teapot = profile.errors["teapot"].error()
    assert (teapot.status, teapot.type, teapot.message) == (418, "odd", "short by 3")
    assert (teapot.keys, teapot.headers) == (("type", "message"), (("x-n", "3"),))
    assert (teapot.code, teapot.param, teapot.rule) == ("418", "pot", "errors.teapot")
    page = profile.errors["page"].error()
    assert (page.status, page.body, page.content_type) == (502, "<p>", "text/html")
    assert (page.type, page.message) == ("invalid_request_error", "")


def test_a_rule_that_is_not_enabled_does_not_hold(tmp_path: Path) -> None:
    profile = own(tmp_path, "rules: {temperature.fixed: {enabled: false}}\n")
    assert not profile.holds(profile.rule("temperature.fixed"))


# What does not.


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="unknown profile 'moonshoot'") as caught:
        load_profile("moonshoot")
    assert caught.value.accepted is not None
    assert caught.value.accepted.startswith("did you mean 'moonshot'? known: ")
    assert caught.value.accepted.endswith("or the path of a YAML file")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.yaml")
    with pytest.raises(ProfileError, match="the file cannot be read") as caught:
        load_profile(path)
    assert caught.value.where == path
    assert caught.value.found == "No such file or directory"


@pytest.mark.parametrize("extends", ["./gone.yaml", "gone.yaml"])
def test_a_missing_file_that_is_extended_is_named(extends: str, tmp_path: Path) -> None:
    error = mistake(tmp_path, f"extends: {extends}\n")
    assert error.what == "the file cannot be read"
    assert error.where is not None
    assert error.where.endswith("gone.yaml")


def test_a_circle_is_found(tmp_path: Path) -> None:
    profile_file(tmp_path, "extends: own.yaml\n", "other.yaml")
    error = mistake(tmp_path, "extends: other.yaml\n")
    assert error.what == "profiles extend each other in a circle"
    assert mistake(tmp_path, "extends: own.yaml\n").what == error.what


def test_a_long_chain_ends(tmp_path: Path) -> None:
    for number in range(12):
        profile_file(tmp_path, f"extends: p{number + 1}.yaml\n", f"p{number}.yaml")
    profile_file(tmp_path, "extends: moonshot\n", "p12.yaml")
    assert mistake(tmp_path, "extends: p0.yaml\n").what == "profiles extend each other in a circle"


@pytest.mark.parametrize("check", ["key_present", "body_json", "known_model"])
def test_a_check_that_the_program_relies_on_cannot_be_taken_away(
    check: str, tmp_path: Path, moonshot: Profile
) -> None:
    rule = next(rule.id for rule in moonshot.rules if rule.check == check)
    error = mistake(tmp_path, f"extends: moonshot\nrules: {{{rule}: null}}\n")
    assert error.what == f"the profile has no rule with the check {check!r}"
    assert error.hint == "extends: moonshot brings one"


MISTAKES = {
    "not-yaml": ("extends: [moonshot", "1:19", "not valid YAML", "expected ',' or ']'"),
    "tab": ("extends: moonshot\nlimits:\n\twindow_tokens: 5\n", "3:1", "not valid YAML", "'\\t'"),
    "not-a-mapping": ("- extends: moonshot\n", "1:1", "a profile file holds a mapping", ""),
    "empty": ("", "1:1", "a profile file holds a mapping", ""),
    "extends-nothing": ("profile: mine\n", "1:1", "a profile of your own says what it extends",
                        "extends: one of "),
    "extends-null": ("extends: null\n", "1:1", "a profile of your own says what it extends", ""),
    "extends-unknown": ("extends: moonshott\n", "1:1", "unknown profile 'moonshott'",
                        "did you mean 'moonshot'?"),
    "extends-list": ("extends: [moonshot]\n", "1:1", "extends has the wrong type",
                     "accepted: text"),
    "twice": ("extends: moonshot\nextends: moonshot\n", "2:1", "the key 'extends' is given twice",
              "keep one of the two"),
    "unknown-key": ("extends: moonshot\nlimit: {}\n", "2:1", "unknown key 'limit'",
                    "did you mean 'limits'? known: "),
    "unknown-inner-key": ("extends: moonshot\nlimits:\n  window_token: 5\n", "3:3",
                          "unknown key 'window_token' in limits", "did you mean 'window_tokens'?"),
    "number-for-text": ("extends: moonshot\nprofile: 5\n", "2:1", "profile has the wrong type",
                        "found: 5"),
    "text-for-number": ("extends: moonshot\nlimits: {body_bytes: 5MB}\n", "2:10",
                        "limits.body_bytes has the wrong type", "accepted: whole number"),
    "bool-for-number": ("extends: moonshot\nlimits: {body_bytes: true}\n", "2:10",
                        "limits.body_bytes has the wrong type", "found: True"),
    "text-for-fraction": ("extends: moonshot\ncache: {hit_probability: half}\n", "2:9",
                          "cache.hit_probability has the wrong type", "accepted: number"),
    "text-for-bool": ("extends: moonshot\nwire: {error_nulls: maybe}\n", "2:8",
                      "unknown value of the wire knob 'error_nulls'", "accepted: true or false"),
    "text-for-list": ("extends: moonshot\npaths: {chat: /v1/chat}\n", "2:9",
                      "paths.chat has the wrong type", "accepted: list of texts"),
    "list-for-mapping": ("extends: moonshot\nlimits: [5]\n", "2:1", "limits has the wrong type",
                         "accepted: a mapping"),
    "list-for-map": ("extends: moonshot\nmodels: [kimi-k3]\n", "2:1", "models has the wrong type",
                     "accepted: mapping"),
    "unknown-switch": ("extends: moonshot\nswitches: {thinkng: refuse}\n", "2:12",
                       "unknown key 'thinkng' in switches", "did you mean 'thinking'?"),
    "unknown-switch-value": ("extends: moonshot\nswitches: {thinking: ignored}\n", "2:12",
                             "unknown value of switches.thinking",
                             "did you mean 'ignore'? known: enabled_only, honour, ignore, refuse"),
    "unknown-wire-value": ("extends: moonshot\nwire: {html_escape: some}\n", "2:8",
                           "wire knob 'html_escape'", "known: all, errors, off"),
    "unknown-group": ("extends: moonshot\nengine_rules: [tools, samplig]\n", "2:1",
                      "unknown value of engine_rules", "did you mean 'sampling'?"),
    "unknown-error-key": ("extends: moonshot\nwire: {error_keys: [messages]}\n", "2:8",
                          "unknown value of the wire knob 'error_keys'", "'message'"),
    "model-that-is-not-there": ("extends: moonshot\nmodels:\n  moonshotai/kimi-k3:\n", "3:3",
                                "null takes 'moonshotai/kimi-k3' away from models",
                                "a new entry needs a value, which may be {}"),
    "rule-that-is-not-there": ("extends: moonshot\nrules: {tempeature.fixed: null}\n", "2:9",
                               "null takes 'tempeature.fixed' away from rules",
                               "did you mean 'temperature.fixed'?"),
    "error-that-is-not-there": ("extends: moonshot\nerrors: {rate_limit: null}\n", "2:10",
                                "null takes 'rate_limit' away from errors",
                                "did you mean 'rate_limited'?"),
    "misspelt-rule": ("extends: moonshot\nrules:\n  tempeature.fixed: {enabled: false}\n", "3:3",
                      "unknown rule 'tempeature.fixed'", "did you mean 'temperature.fixed'?"),
    "rule-is-a-word": ("extends: moonshot\nrules: {temperature.fixed: off}\n", "2:9",
                       "rules.temperature.fixed has the wrong type",
                       "a mapping, or null to take the rule away"),
    "unknown-check": ("extends: moonshot\nrules:\n  a: {check: onely, message: x}\n", "3:7",
                      "rule 'a' names no known check", "did you mean 'only'?"),
    "check-null": ("extends: moonshot\nrules:\n  a: {check: null, message: x}\n", "3:7",
                   "rule 'a' names no known check", "found: None"),
    "missing-argument": ("extends: moonshot\nrules:\n  a: {check: only, field: n, message: x}\n",
                         "3:3", "rule 'a' needs 'value'", "the check only reads field, value"),
    "argument-of-wrong-type": ("extends: moonshot\nrules: {stop.count: {max: five}}\n", "2:22",
                               "rules.stop.count.max has the wrong type", "accepted: whole number"),
    "argument-is-a-bool": ("extends: moonshot\nrules: {stop.count: {max: true}}\n", "2:22",
                           "rules.stop.count.max has the wrong type", "found: True"),
    "argument-of-wrong-types": ("extends: moonshot\nrules: {n.fixed: {value: [1]}}\n", "2:19",
                                "rules.n.fixed.value has the wrong type",
                                "whole number or number or true or false or text"),
    "unknown-argument": ("extends: moonshot\nrules: {n.fixed: {values: 1}}\n", "2:19",
                         "unknown key 'values' in rules.n.fixed", "did you mean 'value'?"),
    "unknown-field-type": ("extends: moonshot\nrules: {types.fields: {fields: {user: text}}}\n",
                           "2:24", "unknown value in rules.types.fields.fields",
                           "known: array, bool, integer"),
    "unknown-message-type": ("extends: moonshot\nrules: {message.fields: {fields: {a: [text]}}}\n",
                             "2:26", "unknown value in rules.message.fields.fields",
                             "known: array, bool, number"),
    "unknown-problem": ("extends: moonshot\nrules: {tools.schema.type: {problem: types}}\n", "2:29",
                        "unknown value in rules.tools.schema.type.problem",
                        "did you mean 'type'?"),
    "broken-pattern": ("extends: moonshot\nrules: {tools.name: {pattern: '[a-z'}}\n", "2:22",
                       "rules.tools.name.pattern is not a regular expression",
                       "unterminated character set"),
    "rule-status": ("extends: moonshot\nrules: {n.fixed: {status: 99}}\n", "2:19",
                    "rules.n.fixed.status has the wrong type", "a status from 200 to 599"),
    "rule-enabled": ("extends: moonshot\nrules: {n.fixed: {enabled: nope}}\n", "2:19",
                     "rules.n.fixed.enabled has the wrong type", "accepted: true or false"),
    "rule-code": ("extends: moonshot\nrules: {n.fixed: {code: 1.5}}\n", "2:19",
                  "rules.n.fixed.code has the wrong type", "text or whole number"),
    "rule-group": ("extends: moonshot\nrules: {n.fixed: {group: samplng}}\n", "2:19",
                   "unknown value of rules.n.fixed.group", "did you mean 'sampling'?"),
    "rule-when": ("extends: moonshot\nrules: {n.fixed: {when: {think: refuse}}}\n", "2:26",
                  "unknown key 'think' in rules.n.fixed.when", "known: anyof_rule"),
    "rule-when-value": ("extends: moonshot\nrules: {n.fixed: {when: {thinking: true}}}\n", "2:26",
                        "rules.n.fixed.when.thinking has the wrong type", "one of enabled_only"),
    "rule-when-word": ("extends: moonshot\nrules: {n.fixed: {when: {thinking: ignor}}}\n", "2:26",
                       "unknown value of rules.n.fixed.when.thinking", "did you mean 'ignore'?"),
    "rule-evidence": ("extends: moonshot\nrules: {n.fixed: {evidence: [R, X]}}\n", "2:19",
                      "unknown evidence mark", "S, P, R, D, C, V, T, I"),
    "rule-without-message": ("extends: moonshot\nrules: {a: {check: refused, field: b}}\n", "2:9",
                             "rule 'a' has no message", ""),
    "rule-message-null": ("extends: moonshot\nrules: {n.fixed: {message: null}}\n", "2:9",
                          "rule 'n.fixed' has no message", ""),
    "rule-placeholder": ("extends: moonshot\nrules: {n.fixed: {message: 'no {filed}'}}\n", "2:19",
                         "the message of rule 'n.fixed' has a placeholder that nothing fills",
                         "accepted: field, got, value"),
    "rule-placeholder-none": ("extends: moonshot\nrules: {auth.missing: {message: 'no {key}'}}\n",
                              "2:24", "has a placeholder that nothing fills", "accepted: none"),
    "rule-effect": ("extends: moonshot\nrules: {n.fixed: {effect: wran}}\n", "2:19",
                    "unknown value of rules.n.fixed.effect", "did you mean 'warn'?"),
    "rule-effect-of": ("extends: moonshot\nrules: {n.fixed: {effect_of: thinking}}\n", "2:19",
                       "unknown value of rules.n.fixed.effect_of",
                       "known: reasoning_replay, strict_alternation"),
    "rule-effect-too-early": ("extends: moonshot\nrules: {body.json: {effect: warn}}\n", "2:21",
                              "the rule 'body.json' takes no 'effect'", "always refuses"),
    "rule-models-too-early": (
        "extends: moonshot\nrules: {user_agent.refused: {models: [a]}}\n", "2:30",
        "the rule 'user_agent.refused' takes no 'models'", "before the body is understood"),
    "rule-when-words": ("extends: moonshot\nrules: {n.fixed: {when: {thinking: [ignor]}}}\n",
                        "2:26", "unknown value of rules.n.fixed.when.thinking",
                        "did you mean 'ignore'?"),
    "rule-error": ("extends: moonshot\nrules: {body.size: {error: server_eror}}\n", "2:21",
                   "the rule 'body.size' gives an error that is not there",
                   "did you mean 'server_error'?"),
    "rule-error-keys": ("extends: moonshot\nrules: {n.fixed: {error_keys: [kind]}}\n", "2:19",
                        "unknown value of rules.n.fixed.error_keys", "known: code, message"),
    "rule-thinking": ("extends: moonshot\nrules: {n.fixed: {thinking: off}}\n", "2:19",
                      "unknown value in rules.n.fixed.thinking", "known: disabled, enabled"),
    "rule-header": ("extends: moonshot\nrules: {a: {check: header_matches, header: b}}\n", "2:9",
                    "rule 'a' needs 'pattern'", "reads header, pattern"),
    "error-in-use-taken-away": ("extends: moonshot\nerrors: {content_filtered: null}\n", "2:10",
                                "the rule 'message.filtered' gives an error that is not there",
                                "found: 'content_filtered'"),
    "key-with-unknown-error": ("extends: moonshot\nkeys: {sk-secret: wrong_regoin}\n", "2:8",
                               "a key of `keys` gets an error that is not there",
                               "did you mean 'wrong_region'?"),
    "key-with-a-number": ("extends: moonshot\nkeys: {sk-secret: 5}\n", "2:8",
                          "a key of `keys` gets an error that is not there", "found: 5"),
    "price": ("extends: moonshot\nprices: {input: free}\n", "2:10",
              "prices.input has the wrong type", "accepted: number"),
    "error-is-a-text": ("extends: moonshot\nerrors: {rate_limited: slow down}\n", "2:10",
                        "errors.rate_limited has the wrong type",
                        "a mapping, or null to take the error away"),
    "error-key": ("extends: moonshot\nerrors: {teapot: {statsu: 418}}\n", "2:19",
                  "unknown key 'statsu' in errors.teapot", "did you mean 'status'?"),
    "error-status": ("extends: moonshot\nerrors: {teapot: {status: 4018}}\n", "2:19",
                     "errors.teapot.status has the wrong type", "a status from 200 to 599"),
    "error-evidence": ("extends: moonshot\nerrors: {teapot: {evidence: [r]}}\n", "2:19",
                       "unknown evidence mark", "found: 'r'"),
    "error-shown-keys": ("extends: moonshot\nerrors: {teapot: {keys: [kind]}}\n", "2:19",
                         "unknown value of errors.teapot.keys", "known: code, message"),
    "error-placeholder": ("extends: moonshot\nerrors: {teapot: {message: '{n} short'}}\n", "2:10",
                          "the error 'teapot' has a placeholder that nothing fills",
                          "give it a value under `values`"),
    "error-header-hole": ("extends: moonshot\nerrors: {teapot: {headers: {a: '{b}'}}}\n", "2:10",
                          "has a placeholder that nothing fills", "accepted: none"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_where_it_stands_and_what_would_do(name: str, tmp_path: Path) -> None:
    text, place, what, says = MISTAKES[name]
    error = mistake(tmp_path, text)
    assert error.where == f"{tmp_path / 'own.yaml'}:{place}"
    assert re.search(re.escape(what), error.what), error
    assert says in str(error)
    assert str(error).startswith(f"{error.where}: ")


def test_a_key_never_stands_in_a_message(tmp_path: Path) -> None:
    for value in ("nope", "5", "[]", "{a: b}"):
        error = mistake(tmp_path, f"extends: moonshot\nkeys: {{sk-secret: {value}}}\n")
        assert "sk-secret" not in str(error)


def test_a_mistake_in_an_extended_file_is_told_there(tmp_path: Path) -> None:
    profile_file(tmp_path, "extends: moonshot\nlimit: 5\n", "base.yaml")
    error = mistake(tmp_path, "extends: base.yaml\n")
    assert error.where == f"{tmp_path / 'base.yaml'}:2:1"


def test_no_mistake_escapes_as_another_exception(tmp_path: Path) -> None:
    """Every key of the layout, given a value of every kind, loads or is explained."""
    from k3mock.contract import shape  # noqa: PLC0415

    values: list[Any] = ["5", "x", "true", "1.5", "[]", "[5]", "{}", "{a: 5}", "null", "''"]
    for key, inner in shape.PROFILE.items():
        keys = [f"{key}: {{{sub}: @}}" for sub in inner] if isinstance(inner, dict) else []
        for template in (f"{key}: @", *keys):
            for value in values:
                text = template.replace("@", value)
                path = profile_file(tmp_path, f"extends: moonshot\n{text}\n")
                with contextlib.suppress(ProfileError):
                    assert load_profile(path).rules


def test_the_built_in_files_are_those_of_the_folder() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(NAMES)
