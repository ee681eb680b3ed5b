"""A profile of one's own that extends a gateway, served beside the built-in ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.errors import ProfileError
from tests.gateways.table import (
    CHUNK_KEYS,
    PROFILES,
    at,
    chat_body,
    check_stream,
    check_whole,
    picture,
    turn,
)
from tests.support import call, profile_file, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

FIVE_LINES = """\
extends: evolink
models: {kimi-k3: null, acme/kimi-k3: {owned_by: acme}}
paths: {chat: [/api/v1/chat/completions], models: [/api/v1/models]}
rules: {message.fields: {enabled: false}, model.unknown: {message: "{model} is not sold here"}}
wire: {usage_chunk: forced}
"""
CHAT = "/api/v1/chat/completions"
MODEL = {"model": "acme/kimi-k3"}


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    """A server whose default is the profile of five lines."""
    path = profile_file(tmp_path_factory.mktemp("own"), FIVE_LINES, "acme.yaml")
    with serving(profile=path) as server:
        yield server


def test_five_lines_serve_another_model_on_another_path(acme: MockServer) -> None:
    answer = call(acme, CHAT, chat_body(**MODEL))
    assert (answer.status, answer.json["model"]) == (200, "acme/kimi-k3")
    record = b'{"id":"acme/kimi-k3","owned_by":"acme"}'
    assert call(acme, "/api/v1/models").body == b'{"object":"list","data":[' + record + b"]}"
    assert call(acme, "/api/v1/models/acme/kimi-k3").body == record


def test_what_the_lines_do_not_say_is_the_gateway_s(acme: MockServer) -> None:
    refused = call(acme, CHAT, chat_body(**MODEL, reasoning_effort="low"))
    assert refused.body == (
        b'{"error":{"message":"reasoning_effort must be one of: max",'
        b'"type":"invalid_request_error","code":"invalid_parameter"}}'
    )
    lost = call(acme, "/v1/chat/completions", chat_body(**MODEL))
    assert (lost.status, lost.error["code"]) == (404, "not_found")


def test_a_text_of_one_s_own_is_told(acme: MockServer) -> None:
    refused = call(acme, CHAT, chat_body())
    assert refused.error["message"] == "kimi-k3 is not sold here"


def test_a_rule_that_is_off_refuses_nothing(acme: MockServer) -> None:
    sent = chat_body(picture("data:image/png;base64,iVBORw0KGgo="), **MODEL)
    assert call(acme, CHAT, sent).status == 200


def test_a_knob_of_the_wire_is_turned(acme: MockServer) -> None:
    answer = call(acme, CHAT, chat_body(**MODEL, stream=True))
    last = answer.events[-2]
    assert list(last) == [*CHUNK_KEYS, "usage"]
    assert last["choices"] == []


@pytest.mark.parametrize("name", PROFILES)
def test_the_built_in_ones_are_served_beside_it(name: str, acme: MockServer) -> None:
    check_whole(call(acme, at(name, f"beside-{name}"), chat_body()))
    sent = chat_body(stream=True, stream_options={"include_usage": True})
    answer = call(acme, at(name, f"beside-{name}"), sent)
    if name == "moonshot":
        assert answer.events[-2]["usage"]
    else:
        assert check_stream(name, answer).usage
    unknown = call(acme, at(name, f"beside-{name}"), chat_body(**MODEL))
    assert unknown.status in {400, 404}
    assert "sold" not in unknown.error["message"]


def test_it_can_be_asked_for_by_its_name_as_well(acme: MockServer) -> None:
    assert call(acme, at("acme", "by-name", CHAT), chat_body(**MODEL)).status == 200


@pytest.mark.parametrize(
    ("text", "about", "line"),
    [
        pytest.param("forward: {remov: [n]}", "unknown key 'remov' in forward", 2, id="key"),
        pytest.param("forward: {set_when: never}", "unknown value of forward.set_when", 2,
                     id="word"),
        pytest.param("forward: {remove: n}", "forward.remove has the wrong type", 2, id="type"),
        pytest.param("unlisted: refuse", "unknown value of unlisted", 2, id="unlisted"),
        pytest.param("engine: apiany", "unknown engine 'apiany'", 2, id="engine"),
        pytest.param("engine_rules: [samplings]", "unknown value of engine_rules", 2, id="group"),
        pytest.param("rules: {top_p.range: {minimum: 1}}",
                     "unknown key 'minimum' in rules.top_p.range", 2, id="argument"),
        pytest.param("rules:\n  a: {check: call_type, values: [x], message: '{name}'}",
                     "the message of rule 'a' has a placeholder that nothing fills", 3,
                     id="placeholder"),
        pytest.param("rules:\n  a: {check: agree, field: x, message: no}",
                     "rule 'a' needs 'other'", 3, id="argument-missing"),
        pytest.param("rules:\n  a: {check: present, field: x, type_name: text, message: no}",
                     "unknown value in rules.a.type_name", 3, id="type-name"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(text: str, about: str, line: int, tmp_path: Path) -> None:
    path = profile_file(tmp_path, f"extends: hotrouter\n{text}\n", "broken.yaml")
    with pytest.raises(ProfileError, match=re.escape(about)) as caught:
        load_profile(path)
    assert f"broken.yaml:{line}" in str(caught.value)


def test_a_forwarding_of_one_s_own_is_shown_in_the_journal(tmp_path: Path) -> None:
    """Folded, renamed, taken away, overwritten: each as the file says."""
    text = """\
extends: apiany
forward:
  fold: {options.seed: seed}
  rename: {limit: max_completion_tokens}
  remove: [secret]
  remove_from_messages: [name]
  set: {tier: gold}
"""
    sent: dict[str, Any] = {
        **chat_body(turn("user", name="me"), temperature=0.5, reasoning={"effort": "low"}),
        "options": {"seed": 5}, "limit": 3000, "secret": 1, "tier": "tin",
    }  # fmt: skip
    with serving(profile=profile_file(tmp_path, text)) as server:
        check_whole(call(server, "/with/session=own/v1/chat/completions", sent))
        [entry] = call(server, "/__k3mock__/requests?session=own", key=None).json["requests"]
    assert entry["forwarded"] == {
        **chat_body(), "temperature": 0.5, "reasoning_effort": "low", "seed": 5,
        "max_completion_tokens": 3000, "tier": "gold",
    }  # fmt: skip
