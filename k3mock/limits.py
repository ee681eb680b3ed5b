"""Turns rate limits and a balance into what a session may still ask for; hosts layer.

Requests and tokens are buckets that refill continuously. A request is charged in advance: itself,
and its prompt with its whole output cap (official documentation). A refused one charges nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.errors import SettingsError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.clock import Clock
    from k3mock.contract.profile import Prices, Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.usage import Usage
    from k3mock.state import Account

_MOST = 1e12
"""No limit is larger."""

_MOST_CHARS = 40
_ROUNDING = 1e-6
"""A bucket that lacks less than this is full enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What one session may use; None is without limit.

    Attributes:
        rpm: requests a window.
        tpm: tokens a window, prompt and output cap together.
        tpd: tokens a day, counted alike.
        concurrency: answers that run at the same time.
        balance: dollars; what was really produced goes off them.
        window_s: length of the minute in seconds.
        day_s: length of the day in seconds.
    """

    rpm: int | None = None
    tpm: int | None = None
    tpd: int | None = None
    concurrency: int | None = None
    balance: float | None = None
    window_s: float = 60.0
    day_s: float = 86_400.0


UNLIMITED = Quota()

TIERS: Mapping[str, Quota] = {
    "off": UNLIMITED,
    "tier0": Quota(concurrency=1, rpm=3, tpm=500_000, tpd=1_500_000),
    "tier1": Quota(concurrency=50, rpm=200, tpm=2_000_000),
    "tier2": Quota(concurrency=100, rpm=500, tpm=3_000_000),
    "tier3": Quota(concurrency=200, rpm=5_000, tpm=3_000_000),
    "tier4": Quota(concurrency=400, rpm=5_000, tpm=4_000_000),
    "tier5": Quota(concurrency=1_000, rpm=10_000, tpm=5_000_000),
}
"""The vendor's tiers by total top-up of 1, 10, 20, 100, 1000 and 3000 dollars (documentation)."""

_KEYS = tuple(known.name for known in fields(Quota))
_WHOLE = ("rpm", "tpm", "tpd", "concurrency")

_KINDS: Mapping[str, tuple[float, str]] = {
    "balance": (0, "a number of dollars"),
    "window_s": (0.001, "a number"),
    "day_s": (0.001, "a number"),
}

PRESETS: Mapping[str, tuple[str, ...]] = {
    "concurrency": ("concurrency_limited", "rate_limited"),
    "rpm": ("rate_limited",),
    "tpm": ("tpm_limited", "rate_limited"),
    "tpd": ("tpd_limited", "rate_limited"),
    "balance": ("insufficient_balance", "quota_exhausted"),
}
"""The named errors that say so, the one that fits best first: not every host has them all."""


@lru_cache(maxsize=256)
def parse_limits(text: str) -> Quota:
    """Read limits: a tier, `key=value` pairs separated by commas, or a tier and then pairs.

    Raises:
        SettingsError: an unknown tier or key, or a value out of range.
    """
    first, *_ = items = [part.strip() for part in text.split(",")]
    tier = TIERS.get(first)
    numbers: dict[str, float] = {}
    for item in items if tier is None else items[1:]:
        key, given, value = item.partition("=")
        key, value = key.strip(), value.strip()
        if not given:
            raise SettingsError(
                f"unknown limits {item[:60]!r}",
                accepted=f"{did_you_mean(item[:60], TIERS)}; or key=value pairs of "
                + ", ".join(_KEYS),
            )
        if key not in _KEYS:
            raise SettingsError(
                f"unknown limit {key[:60]!r}", accepted=did_you_mean(key[:60], _KEYS)
            )
        numbers[key] = _number(key, value)
    # Counts were read as whole numbers; a float stands for both types here.
    return replace(tier or UNLIMITED, **numbers)  # type: ignore[arg-type]


def _number(key: str, text: str) -> float:
    least, kind = _KINDS.get(key, (1, "a whole number"))
    try:
        number = int(text) if key in _WHOLE else float(text)
    except ValueError:
        number = math.nan
    if len(text) > _MOST_CHARS or not text.isascii() or not least <= number <= _MOST:
        raise SettingsError(
            f"the limit {key!r} has a value that cannot be used",
            found=repr(text[:60]),
            accepted=f"{kind} from {least} to {_MOST:,.0f}",
        )
    return number


class Hold:
    """An answer that runs; it ends once, however often it is told so."""

    def __init__(self, account: Account, prices: Prices) -> None:
        self._account = account
        self._prices = prices
        self._ended = False
        account.running += 1

    def end(self, usage: Usage | None = None, *, sent_tokens: int | None = None) -> None:
        """Free the place and book the price.

        `usage` is None where nothing was produced; `sent_tokens` is what left before the answer
        was cut, None where it arrived whole.
        """
        if self._ended:
            return
        self._ended = True
        self._account.running -= 1
        if usage is not None:
            output = usage.completion if sent_tokens is None else sent_tokens
            self._account.spent += price(usage, min(output, usage.completion), self._prices)


def price(usage: Usage, output: int, prices: Prices) -> float:
    """Return what tokens cost, in dollars; cached prompt tokens have a price of their own."""
    cost = (usage.prompt - usage.cached) * prices.input
    cost += usage.cached * prices.cached_input + output * prices.output
    return cost / 1_000_000


@dataclass(frozen=True, slots=True)
class _Bucket:
    """One refilling limit: `size` units in `span_s` seconds, of which a request takes `cost`."""

    name: str
    size: int
    span_s: float
    cost: int

    def used(self, account: Account, now_ms: float) -> float:
        """Return what is still used up at a moment."""
        used, at_ms = account.used.get(self.name, (0.0, now_ms))
        return max(0.0, used - (now_ms - at_ms) / 1000 * self.size / self.span_s)

    def wait_s(self, used: float) -> int:
        """Return the seconds until the request fits; if it never does, until the bucket is full."""
        missing = min(used + self.cost - self.size, used)
        return max(1, math.ceil(missing * self.span_s / self.size - _ROUNDING))


def _buckets(quota: Quota, tokens: int) -> Iterator[_Bucket]:
    if quota.rpm is not None:
        yield _Bucket("rpm", quota.rpm, quota.window_s, 1)
    if quota.tpm is not None:
        yield _Bucket("tpm", quota.tpm, quota.window_s, tokens)
    if quota.tpd is not None:
        yield _Bucket("tpd", quota.tpd, quota.day_s, tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A limit that is reached: which one, and the host's words for it."""

    limit: str
    error: ApiError


def charge(
    quota: Quota, account: Account, profile: Profile, *, tokens: int, now_ms: float
) -> Hold | Refusal:
    """Take a request in, or refuse it by the first limit that is reached.

    `tokens` are the prompt and the output cap together. The order is concurrency, requests and
    tokens a minute, tokens a day, balance.
    """
    if quota.concurrency is not None and account.running >= quota.concurrency:
        numbers = {"limit": quota.concurrency, "current": account.running + 1, "seconds": 1}
        return _refusal("concurrency", profile, numbers)
    taken: dict[str, tuple[float, float]] = {}
    for bucket in _buckets(quota, tokens):
        used = bucket.used(account, now_ms)
        if used + bucket.cost > bucket.size + _ROUNDING:
            current = math.ceil(used + bucket.cost - _ROUNDING)
            numbers = {"limit": bucket.size, "current": current, "seconds": bucket.wait_s(used)}
            return _refusal(bucket.name, profile, numbers)
        taken[bucket.name] = (used + bucket.cost, now_ms)
    left = balance_left(quota, account)
    if left is not None and left <= 0:
        return _refusal("balance", profile, {})
    account.used.update(taken)
    return Hold(account, profile.prices)


def _refusal(limit: str, profile: Profile, numbers: Mapping[str, int]) -> Refusal:
    names = PRESETS[limit]
    name = next((name for name in names if name in profile.errors), names[0])
    values = {key: str(number) for key, number in numbers.items()}
    return Refusal(limit=limit, error=profile.named_error(name, **values))


def balance_left(quota: Quota, account: Account) -> float | None:
    """Return the dollars that are left, None where no balance was set."""
    return None if quota.balance is None else quota.balance - account.spent


class Limiter:
    """The limits of one server; a request may choose its own for its session.

    Raises:
        SettingsError: limits that cannot be read.
    """

    def __init__(self, usual: str | None, clock: Clock) -> None:
        self._usual = parse_limits(usual or "off")
        self._clock = clock

    def charge(
        self, chosen: str | None, account: Account, profile: Profile, tokens: int
    ) -> Hold | Refusal:
        """Take a request in, or refuse it."""
        now_ms = self._clock.monotonic_ms()
        return charge(self._quota(chosen), account, profile, tokens=tokens, now_ms=now_ms)

    def balance(self, chosen: str | None, account: Account) -> float | None:
        """Return the dollars that are left, None where no balance was set."""
        return balance_left(self._quota(chosen), account)

    def _quota(self, chosen: str | None) -> Quota:
        return self._usual if chosen is None else parse_limits(chosen)


def shown_balance(record: JSONObject, left: float | None) -> JSONObject:
    """Return the host's record of a balance with the dollars that are left, all of them cash."""
    data = record.get("data")
    if left is None or not isinstance(data, dict) or "available_balance" not in data:
        return record
    cash = round(left, 5)
    shown: JSONObject = {"available_balance": cash, "voucher_balance": 0, "cash_balance": cash}
    return {**record, "data": {**data, **shown}}
