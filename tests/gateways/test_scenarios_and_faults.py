"""What gateways do in situations that a scenario or a fault makes: hits, limits, cuts, stop words.

Rows are named after the checks of the gateways: DV Devotel, AA APIAny, HR HotRouter, EV EvoLink, X
across them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cases.raw import Exchange, exchange
from tests.support import request, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

SCENARIOS = """
scenarios:
  - name: cache
    turns:
      - reply: {content: Cached., cached_tokens: 40}
  - name: no_credit
    turns:
      - reply: {error: quota_exhausted}
  - name: rate
    turns:
      - reply: {error: rate_limited}
  - name: upstream_failure
    turns:
      - reply: {error: bad_gateway}
  - name: time_budget
    turns:
      - reply: {error: gateway_timeout}
  - name: mid_stream_error
    turns:
      - reply: {content: one two three four, faults: [{name: error_event, after: 2}]}
  - name: cut
    turns:
      - reply: {content: one two three four, faults: [cut_mid_stream]}
  - name: script_with_end
    turns:
      - reply: {content: "Before it. END Behind it."}
  - name: internal_fault
    turns:
      - reply: {error: server_error}
"""


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    path: Path = tmp_path_factory.mktemp("gateways") / "all.yaml"
    path.write_text(SCENARIOS, encoding="utf-8")
    with serving(scenarios=(str(path),)) as server:
        yield server


def _ask(server: MockServer, gateway: str, scenario: str, **fields: Any) -> Exchange:
    path = f"/with/profile={gateway};scenario={scenario}/v1/chat/completions"
    return exchange(server.address, path, request("word " * 60, **fields))


def dv_36(server: MockServer) -> None:
    usage = _ask(server, "devotel", "cache").usage
    plain = _ask(server, "devotel", "rate", stream=False)
    assert plain.status == 429
    assert usage["prompt_tokens_details"] == {"cached_tokens": 40}
    assert usage["cache_read_input_tokens"] == 40
    assert usage["cache_created_input_tokens"] == 0
    without = _ask(server, "devotel", "script_with_end").usage
    assert usage["prompt_tokens"] == without["prompt_tokens"] > 40


def aa_35(server: MockServer) -> None:
    answer = _ask(server, "apiany", "no_credit")
    assert answer.status == 402
    assert answer.error == {
        "message": "Insufficient credits", "type": "insufficient_quota",
        "code": "insufficient_credits", "param": None,
    }  # fmt: skip


def aa_36(server: MockServer) -> None:
    answer = _ask(server, "apiany", "rate")
    assert (answer.status, answer.error["type"]) == (429, "rate_limit_error")


def aa_38(server: MockServer) -> None:
    failed = _ask(server, "apiany", "upstream_failure")
    assert (failed.status, failed.error["type"]) == (502, "api_error")
    late = _ask(server, "apiany", "time_budget")
    assert (late.status, late.error["type"]) == (504, "api_error")


def aa_39(server: MockServer) -> None:
    answer = _ask(server, "apiany", "mid_stream_error", stream=True)
    assert answer.status == 200
    assert any("error" in event for event in answer.events if isinstance(event, dict))
    assert "stop" not in answer.finishes


def aa_40(server: MockServer) -> None:
    answer = _ask(server, "apiany", "cut", stream=True)
    assert answer.status == 200
    assert answer.end == "closed"
    assert not answer.done


def hr_18(server: MockServer) -> None:
    answer = _ask(server, "hotrouter", "script_with_end", stop=["END"])
    assert answer.message["content"] == "Before it. "
    assert answer.json["choices"][0]["finish_reason"] == "stop"
    streamed = _ask(server, "hotrouter", "script_with_end", stop=["END"], stream=True)
    assert (streamed.joined("content"), streamed.finishes) == ("Before it. ", ["stop"])


def ev_25(server: MockServer) -> None:
    assert _ask(server, "evolink", "no_credit").status == 429


def ev_26(server: MockServer) -> None:
    assert _ask(server, "evolink", "rate").status == 429


def ev_27(server: MockServer) -> None:
    answer = _ask(server, "evolink", "internal_fault")
    assert answer.status == 500
    assert list(answer.error) == ["message", "type", "code"]


def x_13(server: MockServer) -> None:
    assert _ask(server, "apiany", "no_credit").status == 402
    assert _ask(server, "evolink", "no_credit").status == 429


CHECKS = {
    "DV-36": dv_36, "AA-35": aa_35, "AA-36": aa_36, "AA-38": aa_38, "AA-39": aa_39,
    "AA-40": aa_40, "HR-18": hr_18, "EV-25": ev_25, "EV-26": ev_26, "EV-27": ev_27, "X-13": x_13,
}  # fmt: skip


@pytest.mark.parametrize("check", [pytest.param(CHECKS[name], id=name) for name in CHECKS])
def test_a_gateway_does_what_its_page_says(
    scripted: MockServer, check: Callable[[MockServer], None]
) -> None:
    check(scripted)
