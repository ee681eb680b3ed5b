from __future__ import annotations

import math
import re

import pytest

from k3mock.protocol.headers import HeaderPolicy
from k3mock.protocol.policy import WirePolicy
from k3mock.seed import AnswerIds
from k3mock.wire.headers import content_headers, laid_over, response_headers, stream_headers

IDS = AnswerIds(
    completion="chatcmpl-6a980000c0ffee0123456789",
    created=0x6A980000,
    now=0x6A980000 + 0.75,
    request="f1f0641d-a608-11f1-88e1-eaf9ba74c120",
    trace="0123456789abcdef0123456789abcdef",
)
CONTENT = (("content-type", "text/plain"), ("content-length", "3"))
NONCE = "3f0e6f3c-8d8a-4f43-9f8e-0f5a9a1c2b3d"


def names(headers: list[tuple[str, str]]) -> list[str]:
    return [name for name, _ in headers]


def test_headers_stand_in_the_order_of_the_captures() -> None:
    """Raw captures of 2026-09."""
    policy = HeaderPolicy(account={"Msh-Org-Id": "org-0"})
    headers = response_headers(IDS, policy, content=CONTENT, cached_tokens=93)
    assert headers == [
        ("date", "Wed, 02 Sep 2026 10:52:48 GMT"),
        ("content-type", "text/plain"),
        ("content-length", "3"),
        ("msh-context-cache-token-saved", "93"),
        ("msh-request-id", IDS.request),
        ("msh-trace-mode", "on"),
        ("x-msh-trace-id", IDS.trace),
        ("msh-org-id", "org-0"),
    ]


def test_without_a_cache_hit_nothing_is_said_of_it() -> None:
    headers = response_headers(IDS, HeaderPolicy(), content=CONTENT)
    assert "msh-context-cache-token-saved" not in names(headers)


def test_no_header_of_the_captures_names_rate_limits_or_a_request_id_of_other_hosts() -> None:
    """Raw captures of 2026-09 have neither."""
    headers = response_headers(IDS, HeaderPolicy(), content=CONTENT, cached_tokens=1)
    assert not [name for name in names(headers) if name.startswith("x-ratelimit")]
    assert "x-request-id" not in names(headers)


def test_a_host_may_send_none_of_the_vendors_own_headers() -> None:
    headers = response_headers(
        IDS, HeaderPolicy(set="none"), content=CONTENT, cached_tokens=5, nonce=NONCE
    )
    assert names(headers) == ["date", "content-type", "content-length"]


def test_a_host_may_name_its_request_as_most_others_do() -> None:
    headers = response_headers(IDS, HeaderPolicy(set="x_request_id"), content=CONTENT)
    assert names(headers) == ["date", "content-type", "content-length", "x-request-id"]
    assert headers[-1] == ("x-request-id", IDS.trace)


def test_the_delivery_network_adds_its_own() -> None:
    """Raw captures of 2026-09 name them; the mock sends them on request only."""
    headers = dict(response_headers(IDS, HeaderPolicy(cdn=True), content=CONTENT))
    assert headers["server"] == "cloudflare"
    assert headers["cf-cache-status"] == "DYNAMIC"
    assert headers["server-timing"] == 'cfCacheStatus;desc="DYNAMIC"'
    assert headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert re.fullmatch(r"[0-9a-f]{16}-[A-Z]{3}", headers["cf-ray"])
    assert headers["set-cookie"].startswith("__cf_bm=")
    plain = response_headers(IDS, HeaderPolicy(), content=CONTENT)
    assert not {"server", "cf-ray", "set-cookie"} & set(names(plain))


def test_every_name_is_in_lower_case() -> None:
    policy = HeaderPolicy(cdn=True, account={"Msh-Uid": "0"})
    headers = response_headers(IDS, policy, content=CONTENT, cached_tokens=1, nonce=NONCE)
    assert all(name == name.lower() for name in names(headers))


def test_a_nonce_asks_for_a_signature() -> None:
    """Official documentation: a UUID version 4 brings timestamp and signature."""
    headers = dict(response_headers(IDS, HeaderPolicy(), content=CONTENT, nonce=NONCE))
    assert headers["msh-request-timestamp"] == str(IDS.created)
    assert re.fullmatch(r"[0-9a-f]{64}", headers["msh-request-signature"])
    other = dict(
        response_headers(IDS, HeaderPolicy(), content=CONTENT, nonce=NONCE.replace("3f", "4f"))
    )
    assert other["msh-request-signature"] != headers["msh-request-signature"]


@pytest.mark.parametrize(
    "nonce",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="empty"),
        pytest.param("not a uuid", id="text"),
        pytest.param("f1f0641d-a608-11f1-88e1-eaf9ba74c120", id="version-1"),
        pytest.param("ü" * 32, id="not-ascii"),
    ],
)
def test_an_invalid_nonce_is_no_error_and_gets_no_signature(nonce: str | None) -> None:
    headers = response_headers(IDS, HeaderPolicy(), content=CONTENT, nonce=nonce)
    assert "msh-request-signature" not in names(headers)
    assert "msh-request-timestamp" not in names(headers)


@pytest.mark.parametrize("now", [1e12, 1e300, math.inf])
def test_a_date_ends_with_the_years_of_four_digits(now: float) -> None:
    headers = dict(response_headers(IDS, HeaderPolicy(), content=CONTENT, now=now))
    assert headers["date"] == "Fri, 31 Dec 9999 23:59:59 GMT"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        pytest.param(0, ("content-length", "0"), id="empty"),
        pytest.param(2048, ("content-length", "2048"), id="at-the-border"),
        pytest.param(2049, ("vary", "Accept-Encoding"), id="above"),
    ],
)
def test_small_bodies_have_a_length_and_larger_ones_are_chunked(
    size: int, shown: tuple[str, str]
) -> None:
    """Raw captures show both forms, each with its own `Vary`."""
    headers = content_headers(bytes(size), "text/plain", WirePolicy())
    assert headers[0] == ("content-type", "text/plain")
    assert shown in headers
    assert ("vary", "Origin") in headers or "content-length" not in dict(headers)


def test_the_border_between_them_is_a_choice() -> None:
    headers = content_headers(bytes(11), "text/plain", WirePolicy(length_below_bytes=10))
    assert "content-length" not in dict(headers)


@pytest.mark.parametrize(
    ("knob", "body", "stream"),
    [
        pytest.param("", [("content-type", "a/b")], [("content-type", "text/event-stream")],
                     id="usual"),
        pytest.param("text/plain", [("content-type", "text/plain")],
                     [("content-type", "text/plain")], id="another"),
        pytest.param("none", [], [], id="none"),
    ],
)  # fmt: skip
def test_a_host_may_label_its_answers_otherwise_or_not_at_all(
    knob: str, body: list[tuple[str, str]], stream: list[tuple[str, str]]
) -> None:
    policy = WirePolicy(content_type=knob, length_below_bytes=3)
    assert list(stream_headers(policy)) == stream
    small, large = content_headers(b"abc", "a/b", policy), content_headers(b"abcd", "a/b", policy)
    assert list(small) == [*body, ("content-length", "3"), ("vary", "Origin")]
    assert list(large) == [*body, ("vary", "Accept-Encoding")]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        pytest.param([], [("a", "1"), ("b", "2")], id="none"),
        pytest.param([("B", "3")], [("a", "1"), ("b", "3")], id="a-namesake-in-any-case"),
        pytest.param([("c", "3"), ("C", "4")], [("a", "1"), ("b", "2"), ("c", "4")], id="last"),
        pytest.param([("set-cookie", "x=1"), ("set-cookie", "y=2")],
                     [("a", "1"), ("b", "2"), ("set-cookie", "x=1"), ("set-cookie", "y=2")],
                     id="cookies"),
        pytest.param([("Content-Length", "9"), ("transfer-encoding", "chunked")],
                     [("a", "1"), ("b", "2")], id="framing"),
        pytest.param([("b", "x\r\ny\tz\0")], [("a", "1"), ("b", "x??y\tz?")], id="control"),
    ],
)  # fmt: skip
def test_given_headers_take_the_place_of_their_namesakes(
    given: list[tuple[str, str]], shown: list[tuple[str, str]]
) -> None:
    assert laid_over([("a", "1"), ("b", "2")], given) == shown
