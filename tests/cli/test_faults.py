from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import unquote

import yaml
from click.testing import CliRunner

from k3mock.cli.faults import examples
from k3mock.cli.main import main
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import KINDS, catalogue_rows, find_fault

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile


def test_faults_prints_one_line_each_by_kind_with_where_it_was_seen(moonshot: Profile) -> None:
    shown = CliRunner().invoke(main, ["faults"])
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    assert [line for line in lines if line and line[0] != " "] == [
        f"{kind}: {about}" for kind, about in KINDS.items()
    ]
    rows = catalogue_rows(moonshot)
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert listed == [row["name"] for row in rows]
    line = next(line for line in lines if line.startswith("  cut_mid_stream "))
    assert line.endswith("[2389-research/tracker#544, earendil-works/pi#8460 (H01)]")


def test_faults_of_a_gateway_show_its_own_errors() -> None:
    shown = CliRunner().invoke(main, ["faults", "--profile", "apiany"])
    assert (
        "  quota_exhausted            402 insufficient_quota: Insufficient credits" in shown.output
    )
    assert "the engine's error; capture of 2026-09-01" in shown.output


def test_a_fault_is_described_with_parameters_and_examples() -> None:
    shown = CliRunner().invoke(main, ["faults", "seven_byte_writes"])
    assert shown.output == (
        "seven_byte_writes: Each write has seven bytes.\n"
        "kind: shape, in how the answer is written: presets of wire knobs\n"
        "seen: musistudio/claude-code-router#1672 (G05)\n"
        "parameters:\n"
        "  bytes: bytes of a write (a whole number from 1 to 1,000,000; default 7)\n"
        "  gap_ms: silence between two writes (a whole number from 0 to 10,000; default 2)\n"
        "base URL: /with/fault=seven_byte_writes(bytes:64)/v1\n"
        "YAML: faults: [{name: seven_byte_writes, bytes: 64}]\n"
    )


def test_a_fault_without_parameters_is_named_alone() -> None:
    shown = CliRunner().invoke(main, ["faults", "crlf"])
    assert "parameters: none\nbase URL: /with/fault=crlf/v1\nYAML: faults: [crlf]\n" in shown.output


def test_faults_as_json_are_the_catalogue(moonshot: Profile) -> None:
    rows = json.loads(CliRunner().invoke(main, ["faults", "--json"]).output)
    assert rows == catalogue_rows(moonshot)
    one = json.loads(CliRunner().invoke(main, ["faults", "stall", "--json"]).output)
    assert one in rows


def test_an_unknown_fault_ends_with_status_2_and_the_nearest_name() -> None:
    shown = CliRunner().invoke(main, ["faults", "stal"])
    assert shown.exit_code == 2
    assert "unknown fault 'stal'\n  accepted: did you mean 'stall'?" in shown.output


def test_each_example_is_right_and_both_forms_say_the_same(moonshot: Profile) -> None:
    for row in catalogue_rows(moonshot):
        fault = find_fault(str(row["name"]), moonshot)
        text, written = examples(fault)
        assert "/" not in text
        assert ";" not in text
        call = parse_call(unquote(text))
        read = yaml.safe_load(written)
        if isinstance(read, str):
            read = {"name": read}
        assert call.name == read.pop("name") == fault.name
        assert dict(call.parameters) == read
        fault.make(fault.given(call.parameters), moonshot)
