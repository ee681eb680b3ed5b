"""Headers and addresses that may be kept, and the secrets that they hold."""

from __future__ import annotations

import base64

import pytest

from k3mock.errors import SettingsError
from k3mock.redaction.heads import kept_headers, kept_uri, secret_values
from k3mock.redaction.rules import NEVER, REQUEST_HEADERS, USUAL, Rules
from k3mock.redaction.scrub import scrub_request, scrub_response
from tests.redaction.planting import Request

SECRET = "canary-000-of-this-place"


@pytest.mark.parametrize(
    ("uri", "kept"),
    [
        ("https://api.moonshot.ai/v1/x", "https://api.moonshot.ai/v1/x"),
        ("https://me:pw@api.test:8443/v1/x?key=1#top", "https://api.test:8443/v1/x"),
        ("https://me@you@api.test/v1", "https://api.test/v1"),
        ("/v1/x?api-version=2&key=1&b", "/v1/x?api-version=2&b"),
        ("//me@h/p", "//h/p"),
        ("https://h/p@q?api%2Dversion=3", "https://h/p@q?api%2Dversion=3"),
        ("https://h?key=1", "https://h"),
        ("http://[::1", "http://[::1"),
        (
            "/v1/files?after=a&token=1&purpose=file-extract",
            "/v1/files?after=a&purpose=file-extract",
        ),
        ("", ""),
    ],
)
def test_an_address_loses_its_user_and_what_is_not_listed(uri: str, kept: str) -> None:
    assert kept_uri(uri, ("api-version", "b"), ()) == kept
    assert kept_uri(kept, ("api-version", "b"), ()) == kept


def test_secrets_in_a_kept_part_of_an_address_are_taken_out() -> None:
    request = Request(uri=f"https://h/{SECRET}/x?b={SECRET.replace('-', '%2D')}")
    kept = scrub_request(request, Rules(query=("b",)), [SECRET])
    assert kept.uri == "https://h/%5Bredacted%5D/x?b=%5Bredacted%5D"
    assert kept.names == ("uri",)
    again = scrub_request(Request(uri=kept.uri), Rules(query=("b",)), [SECRET])
    assert again.uri == kept.uri


@pytest.mark.parametrize("name", NEVER)
def test_some_headers_are_never_kept(name: str) -> None:
    assert kept_headers(((name.title(), "x"),), ("*",), ()) == ()
    with pytest.raises(SettingsError, match="cannot be kept"):
        Rules(response_headers=(name.upper(),))


def test_only_listed_headers_are_kept_in_their_order() -> None:
    headers = (("Accept", "a"), ("x-b", "1"), ("X-Team-Id", "2"), ("x-team-b", "3"))
    rules = Rules(request_headers=("X-Team-*",))
    kept = scrub_request(Request(headers=headers), rules).headers
    assert kept == (("accept", "a"), ("x-team-id", "2"), ("x-team-b", "3"))


def test_usual_headers_of_an_answer_are_kept() -> None:
    headers = (("content-type", "text/event-stream"), ("x-ratelimit-limit-requests", "3"),
               ("retry-after", "2"), ("date", "now"), ("msh-context-cache-id", "c-1"))  # fmt: skip
    kept = scrub_response(headers, b"", None, USUAL).headers
    assert kept == headers[:3]


def test_secrets_are_read_out_of_their_headers() -> None:
    basic = base64.b64encode(b"me:pass-word-1").decode()
    headers = (
        ("Authorization", "Bearer sk-of-the-user"),
        ("proxy-authorization", f"Basic {basic}"),
        ("cookie", 'a="cookie-one"; b=short; c=cookie-two'),
        ("x-tenant", " tenant-4711 "),
        ("x-small", "seven77"),
        ("accept", "application/json"),
        ("x-stainless-package-version", "3.57.0-alpha"),
        ("authorization", "sk-without-scheme"),
        ("authorization", "Basic !"),
        ("authorization", "Basic no-base64"),
    )
    assert secret_values(headers, REQUEST_HEADERS) == (
        "sk-of-the-user",
        basic,
        "me:pass-word-1",
        "pass-word-1",
        "cookie-one",
        "cookie-two",
        "tenant-4711",
        "sk-without-scheme",
        "no-base64",
    )


def test_attributes_of_a_cookie_are_no_secrets() -> None:
    headers = (("set-cookie", "id=cookie-one; expires=Wed, 21 Oct 2026; path=/a-long-path"),)
    assert secret_values(headers) == ("cookie-one",)


def test_secrets_are_read_out_of_an_address() -> None:
    uri = "https://someuser:pass%20word-1@h/p?key=abc%2Ddefgh&b=12345678&c=1&purpose=file-extract"
    assert secret_values((), uri=uri, query=("b",)) == ("someuser", "pass word-1", "abc-defgh")
