"""Limits: buckets on a clock that the test holds, and each of them at a running server."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from k3mock.cli.main import main
from k3mock.clock import VirtualClock
from k3mock.contract.load import load_profile
from k3mock.contract.profile import Prices
from k3mock.errors import SettingsError
from k3mock.limits import (
    TIERS,
    Hold,
    Limiter,
    Quota,
    Refusal,
    parse_limits,
    price,
    shown_balance,
)
from k3mock.protocol.usage import Usage
from k3mock.settings import from_sources
from k3mock.state import Account
from tests.support import CHAT, KEY, call, chat, serving

if TYPE_CHECKING:
    import http.client

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer

ACCOUNT = "Your account org-00000000000000000000000000000000<ak-00000000000000000000> request reached organization"  # noqa: E501
BALANCE = "/v1/users/me/balance"


class World:
    """A session under limits, on a clock that only the test moves."""

    def __init__(self, limits: str, profile: Profile) -> None:
        self.clock = VirtualClock()
        self.account = Account()
        self.profile = profile
        self.limiter = Limiter(limits, self.clock)

    def ask(self, tokens: int = 100) -> Hold | Refusal:
        return self.limiter.charge(None, self.account, self.profile, tokens)

    def refused(self, tokens: int = 100) -> Refusal:
        found = self.ask(tokens)
        assert isinstance(found, Refusal)
        return found

    def taken(self, tokens: int = 100) -> Hold:
        found = self.ask(tokens)
        assert isinstance(found, Hold)
        return found

    def pass_s(self, seconds: float) -> None:
        self.clock._ms += seconds * 1000


# Reading.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("off", Quota(), id="off"),
        pytest.param(
            "tier0", Quota(concurrency=1, rpm=3, tpm=500_000, tpd=1_500_000), id="smallest-tier"
        ),
        pytest.param("tier5", Quota(concurrency=1000, rpm=10_000, tpm=5_000_000), id="largest"),
        pytest.param(
            "rpm=3, tpm=500000,tpd=1500000,concurrency=1,balance=5.0,window_s=60,day_s=10",
            Quota(
                rpm=3, tpm=500_000, tpd=1_500_000, concurrency=1, balance=5.0, window_s=60, day_s=10
            ),
            id="numbers",
        ),
        pytest.param(
            "tier0,rpm=9,window_s=0.5",
            Quota(concurrency=1, rpm=9, tpm=500_000, tpd=1_500_000, window_s=0.5),
            id="a-tier-and-numbers",
        ),
        pytest.param("balance=0", Quota(balance=0.0), id="nothing-left"),
    ],
)
def test_limits_are_a_tier_or_numbers(text: str, expected: Quota) -> None:
    assert parse_limits(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("teir0", ["unknown limits 'teir0'", "did you mean 'tier0'?"], id="tier"),
        pytest.param("", ["unknown limits ''", "rpm, tpm, tpd"], id="empty"),
        pytest.param("rmp=3", ["unknown limit 'rmp'", "did you mean 'rpm'?"], id="key"),
        pytest.param("rpm=3,tier0", ["unknown limits 'tier0'"], id="tier-behind-a-number"),
        pytest.param(
            "rpm=0",
            ["the limit 'rpm'", "'0'", "whole number from 1 to 1,000,000,000,000"],
            id="zero",
        ),
        pytest.param("tpm=1.5", ["the limit 'tpm'", "'1.5'"], id="fraction"),
        pytest.param("tpd=many", ["the limit 'tpd'", "'many'"], id="word"),
        pytest.param("concurrency=-1", ["the limit 'concurrency'"], id="negative"),
        pytest.param("balance=-1", ["dollars from 0 to"], id="debt"),
        pytest.param("balance=nan", ["the limit 'balance'", "'nan'"], id="not-a-number"),
        pytest.param(
            "window_s=inf", ["the limit 'window_s'", "a number from 0.001 to"], id="endless"
        ),
        pytest.param(f"rpm={'9' * 400}", ["the limit 'rpm'", f"'{'9' * 60}'"], id="too-many"),
        pytest.param(f"tpm={'9' * 5000}", ["the limit 'tpm'"], id="endless-count"),
        pytest.param("rpm=1000000000001", ["the limit 'rpm'"], id="one-too-many"),
        pytest.param("balance=1e13", ["the limit 'balance'"], id="too-rich"),
        pytest.param("window_s=1e-300", ["the limit 'window_s'"], id="no-window"),
        pytest.param("rpm=\u0663", ["the limit 'rpm'"], id="digits-of-another-script"),
        pytest.param("day_s=0", ["the limit 'day_s'"], id="no-day"),
    ],
)
def test_limits_that_cannot_be_read_say_what_is_accepted(text: str, words: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_limits(text)
    for word in words:
        assert word in str(caught.value)


def test_a_server_with_wrong_limits_does_not_start() -> None:
    with pytest.raises(SettingsError, match="unknown limits 'tier9'"), serving(limits="tier9"):
        pass


def test_the_tiers_are_those_of_the_vendor_s_page() -> None:
    assert list(TIERS) == ["off", "tier0", "tier1", "tier2", "tier3", "tier4", "tier5"]
    assert [quota.tpd for quota in TIERS.values()] == [None, 1_500_000, *[None] * 5]


def test_limits_come_from_the_environment_and_the_command_line() -> None:
    assert from_sources({}, environ={"K3MOCK_LIMITS": "tier1"}).limits == "tier1"
    shown = CliRunner().invoke(main, ["serve", "--port", "0", "--limits", "tier9"])
    assert shown.exit_code == 2
    assert "unknown limits 'tier9'" in shown.output
    assert "did you mean 'tier" in shown.output


# Buckets.


def test_a_minute_s_requests_come_back_one_by_one_to_the_second(moonshot: Profile) -> None:
    """Three a minute are one in 20 seconds; the text and the headers say how long to wait."""
    world = World("rpm=3", moonshot)
    for _ in range(3):
        world.taken()
    error = world.refused().error
    assert error.message == f"{ACCOUNT} max RPM: 3, please try again after 20 seconds"
    assert (error.status, error.type) == (429, "rate_limit_reached_error")
    assert dict(error.headers) == {
        "Msh-Cooldown-Seconds": "20", "Retry-After": "20", "X-Retry-After": "20",
    }  # fmt: skip
    world.pass_s(19.5)
    assert "after 1 seconds" in world.refused().error.message
    world.pass_s(0.5)
    world.taken()
    world.refused()
    world.pass_s(60)
    for _ in range(3):
        world.taken()
    world.refused()


def test_tokens_are_charged_in_advance_and_named_with_what_was_asked(moonshot: Profile) -> None:
    world = World("tpm=1000", moonshot)
    world.taken(700)
    found = world.refused(400)
    assert found.limit == "tpm"
    assert found.error.message == f"{ACCOUNT} TPM rate limit, current:1100, limit:1000"
    assert dict(found.error.headers)["Retry-After"] == "6"
    world.taken(300)
    world.pass_s(6)
    world.taken(100)


def test_what_is_larger_than_the_limit_never_fits(moonshot: Profile) -> None:
    world = World("tpm=1000", moonshot)
    found = world.refused(1001)
    assert "current:1001, limit:1000" in found.error.message
    assert dict(found.error.headers)["Retry-After"] == "1"
    world.taken(1000)
    assert dict(world.refused(1001).error.headers)["Retry-After"] == "60"


def test_a_day_s_tokens_last_a_day(moonshot: Profile) -> None:
    """Case: a client that waits for a second burns all its attempts against a limit of a day."""
    world = World("tpd=1500000", moonshot)
    world.taken(1_500_000)
    world.pass_s(60)
    found = world.refused(1_500_000)
    assert found.limit == "tpd"
    assert found.error.message.startswith(f"{ACCOUNT} TPD rate limit, current:")
    assert dict(found.error.headers)["Retry-After"] == str(86_400 - 60)
    world.pass_s(86_400 - 60)
    world.taken(1_500_000)


def test_a_refused_request_charges_nothing(moonshot: Profile) -> None:
    world = World("rpm=5,tpm=1000", moonshot)
    world.taken(1000).end()
    for _ in range(10):
        assert world.refused(500).limit == "tpm"
    world.pass_s(60)
    for _ in range(5):
        world.taken(200)
    assert world.account.running == 5


def test_a_place_is_free_again_when_its_answer_has_ended(moonshot: Profile) -> None:
    world = World("concurrency=2", moonshot)
    first, _second = world.taken(), world.taken()
    found = world.refused()
    assert found.limit == "concurrency"
    assert found.error.message == f"{ACCOUNT} max concurrency: 2, please try again after 1 seconds"
    first.end()
    first.end()
    world.taken()
    assert world.refused().limit == "concurrency"


def test_the_first_limit_that_is_reached_is_the_one_that_is_named(moonshot: Profile) -> None:
    world = World("concurrency=1,rpm=1,tpm=100,tpd=100,balance=0.001", moonshot)
    running = world.taken(100)
    assert world.refused().limit == "concurrency"
    running.end(Usage(prompt=1000, completion=0))
    assert world.refused().limit == "rpm"
    world.limiter = Limiter("tpm=100,tpd=100,balance=0.001", world.clock)
    assert world.refused().limit == "tpm"
    world.limiter = Limiter("tpd=100,balance=0.001", world.clock)
    assert world.refused().limit == "tpd"
    world.limiter = Limiter("balance=0.001", world.clock)
    assert world.refused().limit == "balance"


# Money.


def test_prices_are_those_of_the_page() -> None:
    """3 dollars for a million tokens of input, 0.3 where cached, 15 of output."""
    million = 1_000_000
    assert price(Usage(prompt=million, completion=0), 0, Prices()) == 3.0
    assert price(Usage(prompt=million, completion=0, cached=million), 0, Prices()) == 0.3
    assert price(Usage(prompt=0, completion=million), million, Prices()) == 15.0


def test_the_balance_goes_down_by_what_was_produced_until_nothing_is_left(
    moonshot: Profile,
) -> None:
    world = World("balance=0.002", moonshot)
    world.taken(1_000_000).end(Usage(prompt=100, completion=100))
    assert world.account.spent == pytest.approx(0.0018)
    world.taken().end(Usage(prompt=100, completion=100), sent_tokens=4)
    assert world.account.spent == pytest.approx(0.0018 + 0.00036)
    error = world.refused().error
    assert (error.status, error.type) == (429, "exceeded_current_quota_error")
    assert "is suspended due to insufficient balance" in error.message
    assert error.headers == ()


def test_an_answer_that_ends_twice_is_booked_once(moonshot: Profile) -> None:
    world = World("balance=5", moonshot)
    held = world.taken()
    held.end(Usage(prompt=1000, completion=0))
    held.end(Usage(prompt=1000, completion=0))
    assert world.account.spent == pytest.approx(0.003)
    assert world.account.running == 0


@pytest.mark.parametrize(
    ("gateway", "limit", "status", "type_"),
    [
        ("devotel", "rpm=1", 429, "rate_limit_error"),
        ("devotel", "concurrency=1", 429, "rate_limit_error"),
        ("devotel", "balance=0", 402, "insufficient_quota"),
        ("apiany", "tpm=1", 429, "rate_limit_error"),
        ("hotrouter", "tpd=1", 429, "rate_limit_error"),
        ("evolink", "balance=0", 429, "insufficient_quota_error"),
    ],
)
def test_a_gateway_says_it_in_its_own_words(
    gateway: str, limit: str, status: int, type_: str
) -> None:
    world = World(limit, load_profile(gateway))
    world.ask()
    error = world.refused().error
    assert (error.status, error.type) == (status, type_)


def test_a_record_without_a_balance_in_it_stays_as_it_is() -> None:
    records: list[Any] = [{}, {"data": 5}, {"data": {"credit": 3}}]
    for record in records:
        assert shown_balance(record, 4.0) == record
    assert shown_balance({"data": {"available_balance": 1}}, None) == {
        "data": {"available_balance": 1}
    }


# At a running server.


def test_the_server_answers_with_the_vendor_s_text_headers_and_body() -> None:
    with serving(limits="rpm=2,window_s=4") as server:
        assert [chat(server, max_tokens=1).status for _ in range(2)] == [200, 200]
        refused = chat(server, max_tokens=1, stream=True)
        assert refused.status == 429
        assert refused.headers["x-k3mock-source"] == "limits:rpm"
        assert refused.headers["content-type"].startswith("application/json")
        assert list(refused.error) == ["message", "type"]
        assert refused.error["message"] == (
            f"{ACCOUNT} max RPM: 2, please try again after 2 seconds"
        )
        assert refused.headers["retry-after"] == refused.headers["msh-cooldown-seconds"] == "2"
        other = chat(server, max_tokens=1, options="session=other")
        assert other.status == 200
        [entry] = [e for e in server.app.journal.entries() if e.status == 429]
        assert entry.outcome.end == "error"


def test_waiting_as_long_as_it_says_is_enough() -> None:
    with serving(limits="rpm=1,window_s=0.4") as server:
        assert chat(server, max_tokens=1).status == 200
        assert chat(server, max_tokens=1).status == 429
        time.sleep(0.45)
        assert chat(server, max_tokens=1).status == 200


def test_prompt_and_cap_count_against_the_tokens_of_a_minute_and_a_day() -> None:
    """`hi` at full effort counts 86 tokens; without a cap the default of 131,072 is charged."""
    with serving(limits="tpm=1000,tpd=1200,window_s=0.2,day_s=9000") as server:
        assert chat(server, max_tokens=900).status == 200
        short = chat(server, max_tokens=100)
        assert "TPM rate limit, current:1" in short.error["message"]
        assert (
            chat(server, options="session=b")
            .error["message"]
            .endswith("TPM rate limit, current:131158, limit:1000")
        )
        time.sleep(0.25)
        daily = chat(server, max_tokens=900)
        assert "TPD rate limit, current:1972, limit:1200" in daily.error["message"]
        assert int(daily.headers["retry-after"]) == pytest.approx(9000 * 772 / 1200, abs=3)


def test_a_refusal_by_the_contract_and_a_pinned_fault_charge_nothing(server: MockServer) -> None:
    options = "limits=rpm=1;session=limits-free"
    assert chat(server, options=options, temperature=0.2).status == 400
    assert chat(server, options=f"{options};fault=engine_overloaded").status == 429
    assert chat(server, options=options, max_tokens=1).status == 200
    assert chat(server, options=options, max_tokens=1).headers["x-k3mock-source"] == "limits:rpm"


def test_limits_hold_where_the_contract_is_off(server: MockServer) -> None:
    options = "limits=rpm=1;session=limits-off;contract=off"
    assert chat(server, options=options, max_tokens=1).status == 200
    assert chat(server, options=options, max_tokens=1).status == 429


def test_a_request_may_lift_the_limits_of_the_server() -> None:
    with serving(limits="rpm=1") as server:
        options = "limits=off;session=free"
        assert [chat(server, options=options, max_tokens=1).status for _ in range(3)] == [200] * 3


@pytest.mark.parametrize("path", [CHAT, "/v1/models"])
def test_wrong_limits_of_a_request_are_a_mistake_that_says_what_is_known(
    path: str, server: MockServer
) -> None:
    body = {"model": "kimi-k3", "messages": [{"role": "user", "content": "x"}]}
    answer = call(server, f"/with/limits=teir0{path}", body if path == CHAT else None)
    assert answer.status == 422
    assert "did you mean 'tier0'?" in answer.error["message"]


def running_stream(server: MockServer) -> http.client.HTTPConnection:
    """Begin a stream that takes long, and return its open connection."""
    import http.client  # noqa: PLC0415
    import json  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    address = urlsplit(server.address)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    body: dict[str, Any] = {
        "model": "kimi-k3", "stream": True, "messages": [{"role": "user", "content": "hi"}],
    }  # fmt: skip
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    connection.request("POST", f"/with/pace=2{CHAT}", json.dumps(body), head)
    assert connection.getresponse().status == 200
    return connection


def until(server: MockServer, status: int) -> float:
    """Ask until an answer has this status; return how long that took."""
    started = time.monotonic()
    while chat(server, max_tokens=1).status != status:
        assert time.monotonic() - started < 10
        time.sleep(0.01)
    return time.monotonic() - started


def test_an_answer_takes_its_place_until_the_client_has_left() -> None:
    with serving(limits="concurrency=1,balance=5") as server:
        with contextlib.closing(running_stream(server)):
            refused = chat(server, max_tokens=1)
            assert refused.headers["x-k3mock-source"] == "limits:concurrency"
            assert (
                "max concurrency: 1, please try again after 1 seconds" in refused.error["message"]
            )
        until(server, 200)
        [left] = [e for e in server.app.journal.entries() if e.outcome.end == "client_disconnect"]
        # What was not produced any more is not paid for: the prompt and a few tokens.
        assert left.usage is not None
        assert left.outcome.tokens < left.usage.completion
        account = server.app.pipeline.sessions.get("default").account("moonshot")
        assert account.running == 0
        assert account.spent < 0.003


def test_many_answers_at_once_stay_below_the_limit_and_none_leaks() -> None:
    with serving(limits="concurrency=3") as server:
        statuses: list[int] = []
        threads = [
            threading.Thread(
                target=lambda: statuses.append(chat(server, options="pace=400").status)
            )
            for _ in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert set(statuses) <= {200, 429}
        assert statuses.count(200) >= 3
        assert server.app.pipeline.sessions.get("default").account("moonshot").running == 0


def test_the_balance_is_shown_and_at_zero_the_vendor_refuses() -> None:
    with serving(limits="balance=0.001") as server:
        assert call(server, BALANCE).json["data"]["available_balance"] == 0.001
        usage = chat(server, max_tokens=100).json["usage"]
        spent = (3 * usage["prompt_tokens"] + 15 * usage["completion_tokens"]) / 1_000_000
        shown = call(server, BALANCE).json
        assert shown["data"] == {
            "available_balance": round(0.001 - spent, 5),
            "voucher_balance": 0,
            "cash_balance": round(0.001 - spent, 5),
        }
        assert list(shown) == ["code", "data", "scode", "status"]
        refused = chat(server, max_tokens=1)
        assert refused.status == 429
        assert refused.error["type"] == "exceeded_current_quota_error"
        assert "retry-after" not in refused.headers


def test_without_a_balance_the_host_s_own_record_is_shown(server: MockServer) -> None:
    assert call(server, BALANCE).json["data"]["available_balance"] == 49.58894


def test_prices_are_the_profile_s(tmp_path: Any) -> None:
    from tests.support import profile_file  # noqa: PLC0415

    path = profile_file(tmp_path, "extends: moonshot\nprices: {input: 0, output: 1000000}\n")
    with serving(profile=path, limits="balance=10") as server:
        assert chat(server, max_tokens=4).status == 200
        assert call(server, BALANCE).json["data"]["cash_balance"] == 6


def test_a_request_that_nobody_answers_frees_its_place() -> None:
    with serving(limits="concurrency=1", on_miss="error") as server:
        for _ in range(3):
            assert chat(server).headers["x-k3mock-source"].startswith("miss:")


def test_what_breaks_on_its_way_frees_its_place(server: MockServer) -> None:
    """An unknown pace shows only when the answer is put together."""
    options = "limits=concurrency=1;session=limits-broken"
    assert chat(server, options=f"{options};pace=slwo").status == 422
    assert chat(server, options=options, max_tokens=1).status == 200


@pytest.mark.parametrize("limits", [f"rpm={'9' * 400}", "window_s=1e-300", f"tpm={'9' * 5000}"])
def test_limits_out_of_range_in_a_base_url_are_told(server: MockServer, limits: str) -> None:
    answer = chat(server, options=f"session=out-of-range;limits={limits}")
    assert answer.status == 422
    assert "has a value that cannot be used" in answer.error["message"]
