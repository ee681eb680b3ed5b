"""What each host drops, changes or overlooks without a word, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.looks import LOOKS
from k3mock.contract.note import Level
from k3mock.contract.noticing import MOST, notes
from k3mock.contract.profiles import NAMES
from k3mock.contract.read import read_request
from k3mock.contract.rule import placeholders
from k3mock.state import Issued
from tests.support import profile_file, request

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.protocol.failure import ApiError

PIXEL = "data:image/png;base64,AA=="
CALL = {"id": "f_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "f_0", "content": "ok"}
ALL = tuple(NAMES)
GATEWAYS = tuple(name for name in NAMES if name != "moonshot")


def heard(
    profile: Profile | str, body: Any, *, issued: Issued | None = None, cap: int | None = None
) -> list[ApiError]:
    """Return the notes on a body; the cap is granted unless another one is."""
    host = load_profile(profile) if isinstance(profile, str) else profile
    forwarded = read_request(body if host.forward is None else host.forward.apply(body), host)
    granted = forwarded.cap or 1 if cap is None else cap
    return list(notes(body, forwarded, host, cap=granted, issued=issued or Issued()))


def told(profile: Profile | str, body: Any, level: str = "warn", **more: Any) -> list[str]:
    """Return `rule path` of the notes of a level."""
    found = heard(profile, body, **more)
    return [f"{note.rule} {note.path}" for note in found if note.info == (level == "info")]


def turns(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a body with a history and a question behind it."""
    return request(messages=[{"role": "user", "content": "hi"}, *messages], **fields)


def called(**fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an earlier answer that calls a function, and the result."""
    return {"role": "assistant", "content": "", "tool_calls": [CALL], **fields}, RESULT


PART = {"type": "image_url", "image_url": {"url": PIXEL, "detail": "high"}}
SAID = {"role": "assistant", "content": "x", "reasoning_content": "so"}

WARNED = [
    # What gateways change.
    ("apiany", {"temperature": 0.7}, ["forward.remove temperature"]),
    ("apiany", {"top_p": 1.5}, ["forward.remove top_p"]),
    ("apiany", {"presence_penalty": 1, "frequency_penalty": 1},
     ["forward.remove frequency_penalty", "forward.remove presence_penalty"]),
    ("apiany", {"temperature": True}, ["forward.remove temperature"]),
    ("apiany", {"thinking": {"type": "enabled", "effort": "low"}}, ["forward.remove thinking"]),
    ("apiany", {"max_tokens": 5}, ["forward.rename max_tokens"]),
    ("apiany", {"max_tokens": 5, "max_completion_tokens": 6}, ["max_tokens.overruled max_tokens"]),
    ("apiany", {"reasoning": {"effort": "low", "summary": "auto"}},
     ["forward.fold reasoning.effort", "forward.remove reasoning.summary"]),
    ("apiany", {"reasoning": {"effort": "low"}, "reasoning_effort": "low"}, []),
    ("apiany", {"logprobs": True, "top_logprobs": 3, "logit_bias": {"1": 2}},
     ["field.ignored logprobs", "field.ignored top_logprobs", "field.ignored logit_bias"]),
    ("devotel", {"temperature": 0.7, "top_p": 0.5},
     ["field.ignored temperature", "field.ignored top_p"]),
    ("devotel", {"presence_penalty": 1, "frequency_penalty": 1, "logprobs": True},
     ["field.ignored presence_penalty", "field.ignored frequency_penalty",
      "field.ignored logprobs"]),
    ("devotel", {"stream": True, "stream_options": {"include_usage": False}},
     ["forward.set stream_options"]),
    ("devotel", {"stream": True, "stream_options": {"include_usage": True}}, []),
    ("devotel", {"reasoning": {"effort": "low"}}, ["field.unknown reasoning"]),
    ("hotrouter", {"temperature": 0.7, "n": 2, "logprobs": True},
     ["forward.remove temperature", "forward.remove n", "forward.remove logprobs"]),
    ("hotrouter", {"thinking": {"type": "disabled"}}, ["forward.remove thinking"]),
    ("hotrouter", {"reasoning_effort": "medium"},
     ["reasoning_effort.changed reasoning_effort"]),
    ("hotrouter", {"max_completion_tokens": 0}, ["cap.changed max_completion_tokens"]),
    ("evolink", {"n": 3, "top_logprobs": 2}, ["forward.remove n", "forward.remove top_logprobs"]),
    ("evolink", {"user": "u"}, ["field.ignored user"]),
    # What the model itself does not look at.
    ("moonshot", {"max_tokens": 5}, ["max_tokens.deprecated max_tokens"]),
    ("moonshot", {"max_tokens": 5, "max_completion_tokens": 6},
     ["max_tokens.overruled max_tokens"]),
    ("moonshot", {"seed": 0, "user": "u", "store": True, "parallel_tool_calls": False},
     ["field.ignored seed", "field.ignored user", "field.ignored store",
      "field.ignored parallel_tool_calls"]),
    ("moonshot", {"reasoning_effort": "low", "thinking": {"effort": "high"}},
     ["reasoning_effort.changed reasoning_effort"]),
    ("moonshot", {"thinking": {"type": "enabled", "budget_tokens": 5}},
     ["field.unknown thinking.budget_tokens"]),
    ("moonshot", {"stream": True, "stream_options": {"include_obfuscation": True}},
     ["field.unknown stream_options.include_obfuscation"]),
]  # fmt: skip


@pytest.mark.parametrize(("profile", "fields", "expected"), WARNED)
def test_what_a_host_does_without_a_word_is_told(
    profile: str, fields: dict[str, Any], expected: list[str]
) -> None:
    cap = 7 if "cap.changed max_completion_tokens" in expected else None
    assert told(profile, request(**fields), cap=cap) == expected


FOR_ALL = [
    ({"x_made_up": 1}, "field.unknown x_made_up"),
    ({"parallel_tool_calls": False}, "field.ignored parallel_tool_calls"),
    ({"seed": 7}, "field.ignored seed"),
    ({"stream_options": {"include_usage": True}}, "stream_options.unused stream_options"),
    ({"messages": [{"role": "user", "content": "hi", "x": 1}]},
     "message.field_unknown messages.0.x"),
    ({"messages": [{"role": "user", "content": [PART]}]},
     "field.ignored messages.0.content.0.image_url.detail"),
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "cache": 1}]}]},
     "message.part_field_unknown messages.0.content.0.cache"),
]  # fmt: skip


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize(("fields", "expected"), FOR_ALL)
def test_every_host_overlooks_what_it_does_not_know(
    profile: str, fields: dict[str, Any], expected: str
) -> None:
    rule = expected.replace("field.ignored messages", "message.part_field_unknown messages")
    assert told(profile, request(**fields)) == [rule]


@pytest.mark.parametrize("profile", ALL)
def test_a_cap_above_what_the_window_leaves_is_told_with_both_numbers(profile: str) -> None:
    (found,) = [
        note for note in heard(profile, request(max_completion_tokens=900), cap=800)
        if not note.info
    ]  # fmt: skip
    assert (found.rule, found.path) == ("cap.changed", "max_completion_tokens")
    assert "900" in found.message
    assert "800" in found.message


def test_a_cap_under_its_old_name_is_told_there() -> None:
    assert told("hotrouter", request(max_tokens=9), cap=8) == ["cap.changed max_tokens"]


NOTHING = [
    {},
    {"stream": True},
    {"temperature": 1, "top_p": 0.95, "n": 1, "presence_penalty": 0, "frequency_penalty": 0},
    {"temperature": 1.0, "logprobs": False},
    {"temperature": None, "seed": None, "x": None, "stream_options": None, "user": None},
    {"metadata": {}, "x": [], "stop": ["END"]},
    {"parallel_tool_calls": True, "store": False, "service_tier": "auto"},
    {"thinking": {"type": "enabled"}},
    {"response_format": {"type": "json_object"}},
    {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": PIXEL}]}]},
    {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": PIXEL, "detail": "auto"}}]}]},
    {"messages": [{"role": "user", "content": "hi", "name": "ann"}]},
    {"messages": [{"role": "user", "content": "hi"},
                  {"role": "assistant", "content": "x", "refusal": None, "annotations": []}]},
    {"messages": [{"role": "user", "content": "hi"},
                  {"role": "assistant", "content": "x", "partial": False}]},
]  # fmt: skip


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize("fields", NOTHING)
def test_nothing_is_told_where_nothing_is_lost(profile: str, fields: dict[str, Any]) -> None:
    assert told(profile, request(**fields)) == []


@pytest.mark.parametrize("body", [
    {}, {"messages": 5}, {"messages": [5, None, "x"]}, {"messages": [{"content": [5]}]},
    {"messages": [{"role": "assistant", "tool_calls": [5]}], "thinking": 5, "reasoning": 5},
    {"stream_options": 5, "reasoning_effort": 5, "max_tokens": "x"},
])  # fmt: skip
@pytest.mark.parametrize("profile", ALL)
def test_a_body_of_wrong_types_is_looked_at_without_a_mistake(profile: str, body: Any) -> None:
    assert all(note.rule and note.message for note in heard(profile, body))


# The history.


def test_reasoning_that_is_sent_back_to_devotel_is_told_message_by_message() -> None:
    body = turns(SAID, {"role": "user", "content": "and"}, SAID)
    assert told("devotel", body) == [
        "forward.remove_from_messages messages.1.reasoning_content",
        "forward.remove_from_messages messages.3.reasoning_content",
    ]
    assert told("moonshot", body) == []


@pytest.mark.parametrize("profile", ALL)
def test_reasoning_that_did_not_come_back_is_told_where_the_host_wants_it(profile: str) -> None:
    expected = ["replay.reasoning_missing messages.1.reasoning_content"]
    wanted = profile not in {"devotel", "hotrouter"}
    assert told(profile, turns(*called())) == (expected if wanted else [])
    assert told(profile, turns({"role": "assistant", "content": "plain"})) == []


@pytest.mark.parametrize("profile", ["moonshot", "apiany", "evolink"])
def test_reasoning_that_came_back_changed_is_told_where_the_session_knows_it(profile: str) -> None:
    issued = Issued()
    issued.note("", [("f_0", "f")], "first this")
    changed = turns(*called(reasoning_content="then that"))
    expected = ["replay.reasoning_changed messages.1.reasoning_content"]
    assert told(profile, changed, issued=issued) == expected
    assert told(profile, turns(*called(reasoning_content="first this")), issued=issued) == []
    assert told(profile, changed) == []


def test_a_call_id_that_was_not_given_out_is_information_once_others_were() -> None:
    issued = Issued()
    body = turns(*called(reasoning_content="so"))
    assert told("moonshot", body, "info", issued=issued) == []
    issued.note_call("g_0")
    path = "messages.1.tool_calls.0.id"
    expected = [f"replay.call_id_unknown {path}"]
    assert told("moonshot", body, "info", issued=issued) == expected
    assert told("moonshot", body, issued=issued) == []
    issued.note_call("f_0")
    assert told("moonshot", body, "info", issued=issued) == []


def test_partial_is_told_where_it_has_no_effect() -> None:
    begun = {"role": "assistant", "content": "x", "partial": True}
    assert told("moonshot", turns(begun)) == []
    assert told("moonshot", turns(begun, {"role": "user", "content": "go"})) == [
        "message.partial_unused messages.1.partial"
    ]
    last = turns({"role": "user", "content": "go", "partial": True})
    assert told("apiany", last) == ["message.partial_unused messages.1.partial"]
    assert told("evolink", turns(begun)) == ["forward.remove_from_messages messages.1.partial"]


# What is only good to know.


def test_a_gateway_s_page_that_does_not_list_a_parameter_is_information() -> None:
    body = request(max_completion_tokens=5, reasoning_effort="low")
    expected = ["field.unlisted max_completion_tokens", "field.unlisted reasoning_effort"]
    for profile in ("hotrouter", "devotel"):
        assert told(profile, body, "info") == expected
        assert told(profile, body) == []
    assert told("moonshot", body, "info") == []


def test_what_devotel_adds_to_a_stream_is_information() -> None:
    assert told("devotel", request(stream=True), "info") == ["forward.added stream_options"]
    assert told("devotel", request(), "info") == []


# Profiles of one's own.


def own(folder: Path, text: str) -> Profile:
    return load_profile(profile_file(folder, f"extends: moonshot\n{text}\n"))


def test_a_host_of_one_s_own_may_know_more_and_ignore_more(tmp_path: Path) -> None:
    text = "known: {ignored: {provider: [any], seed: null}, fields: [model, messages, seed]}"
    profile = own(tmp_path, text)
    assert told(profile, request(provider="x", seed=5, stop="x")) == [
        "field.ignored provider", "field.unknown stop",
    ]  # fmt: skip
    assert told(profile, request(provider="any")) == []


def test_a_note_can_be_taken_away_switched_off_reworded_or_made_information(
    tmp_path: Path,
) -> None:
    body = request(x=1, max_tokens=5)
    off = "notes: {field.unknown: null, max_tokens.deprecated: {enabled: false}}"
    assert told(own(tmp_path, off), body) == []
    (found,) = heard(own(tmp_path, "notes: {field.unknown: {message: 'no {field}', level: info}}"),
                     request(x=1))  # fmt: skip
    assert (found.message, found.info) == ("no x", True)
    new = "notes: {stop.old: {look: deprecated, field: stop, other: stops, message: 'use {other}'}}"
    (found,) = heard(own(tmp_path, new), request(stop="x"))
    assert (found.rule, found.message) == ("stop.old", "use stops")


def test_thinking_that_a_switch_ignores_is_told(tmp_path: Path) -> None:
    profile = own(tmp_path, "switches: {thinking: ignore}")
    asked: Any = {"reasoning_effort": "low", "thinking": {"type": "disabled", "effort": "high"}}
    assert told(profile, request(**asked)) == ["thinking.ignored thinking"]
    assert told(profile, request(thinking={"type": "enabled"})) == []


# The whole.


def test_a_request_has_no_more_than_so_many_notes_and_names_are_cut() -> None:
    many: Any = {f"{number:03}{'x' * 900}": 1 for number in range(90)}
    found = heard("moonshot", request(**many))
    assert len(found) == MOST
    assert all(len(note.message) < 300 and len(note.path or "") <= 200 for note in found)


@pytest.mark.parametrize("profile", ALL)
def test_every_note_says_how_it_is_known_and_fills_its_text(profile: str) -> None:
    host = load_profile(profile)
    found = host.notes
    assert len({note.id for note in found}) == len(found) > 15
    assert {note.id for note in found}.isdisjoint(rule.id for rule in host.rules)
    for note in found:
        assert note.evidence
        assert note.source
        assert placeholders(note.message) <= LOOKS[note.look].fills
        assert note.level in Level


@pytest.mark.parametrize("profile", GATEWAYS)
def test_what_a_gateway_takes_away_is_looked_for(profile: str) -> None:
    """Each entry of `forward:` gives a note when it is sent with a value of its own."""
    host = load_profile(profile)
    assert host.forward is not None
    for name in host.forward.remove:
        sent: Any = {name: 0.123}
        assert told(profile, request(**sent)) == [f"forward.remove {name}"]
    for name in host.forward.remove_from_messages:
        value: Any = True if name == "partial" else "x" if name != "tools" else [{}]
        body = turns({"role": "assistant", "content": "x", name: value})
        assert told(profile, body) == [f"forward.remove_from_messages messages.1.{name}"]
