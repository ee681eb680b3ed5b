from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.fault import calls, connection, cuts, instead, lengths, midstream, shapes, texts
from k3mock.fault.bend import UNBENT
from k3mock.fault.catalogue import (
    CATALOGUE,
    KINDS,
    bend,
    catalogue_rows,
    check_call,
    find_fault,
    known_names,
    named_error,
)
from k3mock.fault.entry import FaultError
from k3mock.protocol.knobs import read_knobs
from k3mock.protocol.reply import (
    Disconnect,
    Stall,
)
from k3mock.protocol.style import FaultCall
from tests.fault.effects import effect

if TYPE_CHECKING:
    from k3mock.text.template import Template

WANTED = """
rate_limited concurrency_limited engine_overloaded quota_exhausted invalid_key wrong_region
model_not_found context_overflow request_too_large content_filtered server_error bad_gateway_html
gateway_timeout_html cloudflare_524 empty_body silence_before_headers reset_before_headers
cut_mid_stream cut_in_tool_arguments stall error_event error_chunk no_done no_finish
duplicate_finish keepalive split_utf8 split_line one_byte_writes crlf broken_json leaked_markers
reasoning_only length_in_reasoning length_in_content wrong_content_type json_instead_of_stream
"""
"""Names that people are promised."""


def test_the_catalogue_is_large_and_each_entry_is_described() -> None:
    assert len(CATALOGUE) >= 50
    for name, fault in CATALOGUE.items():
        assert name == fault.name
        assert fault.kind in KINDS
        assert fault.about.endswith(".")
        assert re.search(r"[\w.-]+/[\w.-]+#\d+|public|all HTTP errors", fault.seen), name
        parameters = [parameter.name for parameter in fault.parameters]
        assert len(set(parameters)) == len(parameters)
        assert all(parameter.about for parameter in fault.parameters)


def test_no_fault_is_defined_twice() -> None:
    modules = (instead, connection, cuts, midstream, texts, lengths, calls, shapes)
    assert sum(len(module.FAULTS) for module in modules) == len(CATALOGUE)


def test_presets_of_knobs_are_knobs() -> None:
    for name, fault in CATALOGUE.items():
        bent = bend([FaultCall(name=name)], load_profile("moonshot"))
        assert read_knobs(bent.wire) == dict(bent.wire), fault


@pytest.mark.parametrize("profile", NAMES)
def test_the_promised_names_are_known_at_every_host(profile: str) -> None:
    host = load_profile(profile)
    assert set(WANTED.split()) <= known_names(host)
    rows = [row["name"] for row in catalogue_rows(host)]
    assert len(rows) == len(set(rows))
    assert set(rows) == known_names(host)


def test_rows_come_by_kind_with_their_parameters() -> None:
    rows = catalogue_rows(load_profile("moonshot"))
    kinds = [str(row["kind"]) for row in rows]
    assert list(dict.fromkeys(kinds)) == list(KINDS)
    assert kinds == sorted(kinds, key=list(KINDS).index)
    [row] = [row for row in rows if row["name"] == "cut_after_reasoning"]
    assert row == {
        "name": "cut_after_reasoning",
        "kind": "stream",
        "about": "The connection ends when the thinking is over.",
        "parameters": [
            {
                "name": "how",
                "takes": "one of clean, unterminated, reset",
                "default": "unterminated",
                "about": "`clean` ends the body properly, `unterminated` closes without, `reset` "
                "sends RST",
            }
        ],
        "seen": "MoonshotAI/kimi-code#520 (B09), can1357/oh-my-pi#9609 (H01)",
    }


def test_a_host_s_own_error_wins_over_the_catalogue_and_that_over_the_engine() -> None:
    moonshot, hotrouter = load_profile("moonshot"), load_profile("hotrouter")
    assert find_fault("cloudflare_524", moonshot).seen.startswith("BlockRunAI/blockrun-mcp#76;")
    assert find_fault("cloudflare_524", hotrouter) is CATALOGUE["cloudflare_524"]
    assert find_fault("engine_overloaded", hotrouter).seen.startswith("the engine's error")


def test_an_unknown_fault_is_told_the_nearest() -> None:
    with pytest.raises(FaultError) as raised:
        find_fault("cut_mid_steam", load_profile("moonshot"))
    assert str(raised.value) == (
        "unknown fault 'cut_mid_steam'\n"
        "  accepted: did you mean 'cut_mid_stream'?\n"
        "  do: k3mock faults lists them all"
    )
    with pytest.raises(FaultError, match="one of 176 names"):
        find_fault("zzzzzzzzzzzz", load_profile("moonshot"))


def check(name: str, **parameters: Any) -> None:
    names = known_names(load_profile("moonshot"))
    check_call(FaultCall(name=name, parameters=parameters), names)


def test_a_call_is_checked_without_a_host() -> None:
    check("stall", after={"events": 3}, ms="forever")
    check("rate_limited", limit=3, retry_after=5)
    for name, parameters in (
        ("stal", {}), ("stall", {"mss": 1}), ("rate_limited", {"limits": 3}),
        ("rate_limited", {"status": 99}), ("stall", {"after": "never"}),
    ):  # fmt: skip
        with pytest.raises(FaultError):
            check(name, **parameters)


def test_a_call_is_checked_at_a_host_by_the_host_s_own_parameters() -> None:
    moonshot = load_profile("moonshot")
    call = FaultCall(name="server_error", parameters={"limit": "3"})
    check_call(call, known_names(moonshot))
    with pytest.raises(FaultError, match="has no parameter 'limit'"):
        check_call(call, known_names(moonshot), moonshot)
    call = FaultCall(name="error_event", parameters={"error": "nobody"})
    check_call(call, known_names(moonshot))
    with pytest.raises(FaultError, match="has no error 'nobody'"):
        check_call(call, known_names(moonshot), moonshot)


def test_an_error_can_be_had_by_itself() -> None:
    moonshot = load_profile("moonshot")
    call = FaultCall(name="rate_limited", parameters={"limit": 7})
    assert "max RPM: 7," in named_error(call, moonshot).message
    with pytest.raises(FaultError, match="is not an error with a body"):
        named_error(FaultCall(name="crlf"), moonshot)


def test_no_fault_is_no_effect() -> None:
    assert bend([], load_profile("moonshot")) == UNBENT


def test_faults_add_up_in_their_order(template: Template) -> None:
    found = effect(template, "stall(after:1,ms:5)", "cut_mid_stream(after:3)", "crlf",
                   "engine_overloaded", "slow_headers", "slow_headers")  # fmt: skip
    assert found.bend.names == (
        "stall", "cut_mid_stream", "crlf", "engine_overloaded", "slow_headers", "slow_headers",
    )  # fmt: skip
    assert found.new == [Stall(5), Disconnect()]
    between = found.before(Disconnect)[len(found.before(Stall)) + 1 :]
    assert [event.text for event in between] == [" is", " sunny"]
    assert found.bend.instead is not None
    assert found.bend.exclusive
    assert (found.bend.delay_ms, dict(found.bend.wire)) == (2000, {"newline": "crlf"})


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("cut_mid_stream(after:12,how:reset)", "cut_mid_stream",
         {"after": {"content_tokens": 12}, "how": "reset"}),
        ("cut_mid_stream(after_events:2)", "cut_mid_stream", {"after": {"events": 2}}),
        ("stall(after:{reasoning_tokens:2},ms:forever)", "stall",
         {"after": {"reasoning_tokens": 2}, "ms": None}),
        ("cut_mid_stream(after:{bytes:300})", "cut_mid_stream", {"after": {"bytes": 300}}),
        ("cut_mid_stream(after_ms:30.5)", "cut_mid_stream", {"after": {"ms": 30.5}}),
        ("error(status:418,message:no tea)", "error", {"status": 418, "message": "no tea"}),
        ("error_200(choices:[])", "error_200", {"choices": []}),
        ("error_200(choices:null)", "error_200", {"choices": None}),
        ("rate_limited(values:{limit:9})", "rate_limited", {"values": {"limit": 9}}),
    ],
)  # fmt: skip
def test_text_and_yaml_mean_the_same(
    text: str, name: str, parameters: dict[str, Any], template: Template
) -> None:
    by_text = effect(template, text)
    by_yaml = effect(template, FaultCall(name=name, parameters=parameters))
    assert by_text.reply == by_yaml.reply
    for part in ("instead", "wire", "cut", "cut_ms", "before", "delay_ms", "lead"):
        assert getattr(by_text.bend, part) == getattr(by_yaml.bend, part)
