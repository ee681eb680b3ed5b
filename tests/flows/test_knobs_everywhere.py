"""Every knob means the same wherever it is written: profile, scenario, reply, base URL, header."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from k3mock.contract.load import load_profile
from k3mock.protocol.knobs import Knob, apply_knobs, knobs
from tests.cases.raw import Exchange, exchange
from tests.support import profile_file, request, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer

VALUES: dict[str, Any] = {
    "extra": {"provider": "Moonshot"}, "extra_message": {"refusal": None},
    "usage_details": ["prompt_tokens_details"], "error_keys": ["type", "message"],
    "writes": "bytes:200",
    "content_type": "text/plain", "event_name": "chunk", "keepalive_text": " still here",
    "streaming": "never", "finish_chunks": 2, "length_below_bytes": 0,
}  # fmt: skip


def other(knob: Knob) -> Any:
    """Return a value that is not the default."""
    if knob.name in VALUES:
        return VALUES[knob.name]
    if knob.kind == "flag":
        return knob.default != "true"
    if knob.kind == "number":
        return int(knob.default) + 3
    return next(choice for choice in knob.choices if choice != knob.default)


NAMES = sorted(knobs())
_SESSIONS = itertools.count()


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    said = {
        "reasoning": "Look <up>.",
        "content": "Grüße.",
        "tool_calls": [{"name": "get_weather", "arguments": {"city": "Izmir"}}],
    }
    scenarios: list[dict[str, Any]] = [{"name": "plain", "turns": [{"reply": said}]}]
    for name in NAMES:
        wire = {name: other(knobs()[name])}
        scenarios.append({"name": f"all-{name}", "wire": wire, "turns": [{"reply": said}]})
        scenarios.append({"name": f"one-{name}", "turns": [{"reply": {**said, "wire": wire}}]})
    path: Path = tmp_path_factory.mktemp("knobs") / "all.json.yaml"
    path.write_text(json.dumps({"scenarios": scenarios}), encoding="utf-8")
    with serving(scenarios=[str(path)]) as server:
        yield server


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return quote(str(value).lower() if isinstance(value, bool) else str(value), safe="")


def _ask(server: MockServer, scenario: str, *more: str, header: str = "") -> bytes:
    session = f"session=knob-{next(_SESSIONS)}"
    options = ";".join(("seed=5", f"scenario={scenario}", session, *more))
    seen: Exchange = exchange(
        server.address,
        f"/with/{options}/v1/chat/completions",
        request(stream=True, tools=[tool()]),
        headers={"x-k3mock": header} if header else None,
    )
    head = [line for line in seen.head.split(b"\r\n") if not line.startswith(b"x-k3mock-")]
    return b"\r\n".join(head) + seen.body


@pytest.mark.parametrize("name", NAMES)
def test_a_knob_is_the_same_wherever_it_is_turned(
    scripted: MockServer, tmp_path: Path, moonshot: Profile, name: str
) -> None:
    value = other(knobs()[name])
    own = profile_file(tmp_path, json.dumps({"extends": "moonshot", "wire": {name: value}}))
    assert load_profile(own).wire == apply_knobs(moonshot.wire, {name: value})
    by_scenario = _ask(scripted, f"all-{name}")
    assert by_scenario == _ask(scripted, f"one-{name}")
    if not isinstance(value, dict):
        knob = f"wire.{name}={_text(value)}"
        assert _ask(scripted, "plain", knob) == by_scenario
        assert _ask(scripted, "plain", header=knob) == by_scenario


def test_most_knobs_change_this_very_answer(scripted: MockServer) -> None:
    plain = _ask(scripted, "plain")
    same = {name for name in NAMES if _ask(scripted, f"all-{name}") == plain}
    assert same <= {
        "error_choices", "error_envelope", "error_keys", "error_nulls", "parallel_order",
        "cached_tokens", "absent_content", "zero_details", "keepalive_text", "keepalive_ms",
        "write_gap_ms", "writes", "length_below_bytes", "partial_result", "tool_id_scope",
        "tool_index_in_body", "absent_channel", "delta_reasoning", "usage_details", "usage_chunk",
    }  # fmt: skip
