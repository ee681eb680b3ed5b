"""The search for secrets, its limits, and what it does not take for one."""

from __future__ import annotations

import base64
import gzip
import time
import zlib

import pytest

from k3mock.redact import LOOKS
from k3mock.redaction import find as search
from k3mock.redaction import unpack
from k3mock.redaction.find import UNREADABLE, Hit, find, usable

SECRET = "canary-000-of-this-place"
KNOWN = (SECRET,)

EXAMPLES = {
    "key": "sk-4nQ8Zb7LmP2xR9tY",
    "bearer": "abcdef0123456789",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"
    + "MIIEowIBAAKCAQEA" * 4
    + "\n-----END RSA PRIVATE KEY-----",
    "aws-key": "AKIAIOSFODNN7EXAMPLE",
    "github-token": "ghp_" + "a1B2" * 9,
    "google-key": "AIza" + "a1B2c" * 7,
    "slack-token": "xoxb-1234567890-abc",
}


def shown(text: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(text[hit.start : hit.end], hit.rule) for hit in find(text, known)]


@pytest.mark.parametrize("rule", [look.rule for look in LOOKS])
def test_what_looks_like_a_secret_is_found_as_a_whole(rule: str) -> None:
    before = "Bearer " if rule == "bearer" else "it is "
    assert shown(f"{before}{EXAMPLES[rule]}, yes") == [(EXAMPLES[rule], rule)]


@pytest.mark.parametrize(
    "text",
    [
        "a task-management-system and sk-toggleable__content, sk-learn",
        "Bearer authentication with a bearer token and the bearer of 1 letter",
        "eyJhbGciOiJIUzI1NiJ9 alone, and eyJ.a.b",
        "-----BEGIN PRIVATE KEY----- is how it starts",
        "-----BEGIN PUBLIC KEY-----\n" + "MIIEowIBAAKCAQEA" * 4,
        "xAKIAIOSFODNN7EXAMPLE AKIA AIza ghp_short xoxb-short",
        "a/long/path/with_many_names_in_it/and/no_secret/at-all",
        "100% of C:\\users\\sam, %zz, \\u12",
    ],
)
def test_words_are_no_secrets(text: str) -> None:
    assert find(text, KNOWN) == []


def test_known_secrets_are_found_as_often_as_they_stand_there() -> None:
    assert find("ab canary-000-of-this-place canary-000-of-this-place", KNOWN) == [
        Hit(3, 27, "known"),
        Hit(28, 52, "known"),
    ]


def test_short_values_are_not_looked_for() -> None:
    assert usable(["test", "", "seven77", "eight888", "nine99999", "nine99999"]) == (
        "nine99999",
        "eight888",
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a \\u0063anary-000-of-this-plac\\u0065 b", "\\u0063anary-000-of-this-plac\\u0065"),
        ("\\ncanary-000-of-this-place", "canary-000-of-this-place"),
        ("\\\\u0063anary-000\\\\u002dof-this-place", "\\\\u0063anary-000\\\\u002dof-this-place"),
        ("\\u4f60\\u597dcanary-000-of-this-place\\ud83d\\ude00", "canary-000-of-this-place"),
        ("x%63anary%2D000%252dof-this-place%20", "%63anary%2D000%252dof-this-place"),
        ("%5cu0063anary-000-of-this-place", "%5cu0063anary-000-of-this-place"),
    ],
)
def test_encoded_secrets_are_found_in_their_place(text: str, found: str) -> None:
    assert set(shown(text, KNOWN)) == {(found, "known")}


def test_a_secret_with_a_backslash_is_found_plain_and_escaped() -> None:
    known = ("pass\\word\\1",)
    assert set(shown("x pass\\word\\1 y", known)) == {("pass\\word\\1", "known")}
    assert set(shown('"pass\\\\word\\\\1"', known)) == {("pass\\\\word\\\\1", "known")}


def test_a_find_never_cuts_an_escape_in_two() -> None:
    assert shown("a\\nabcdefgh\\u002dz", ("nabcdefgh\\u00",)) == [("\\nabcdefgh\\u002d", "known")]


@pytest.mark.parametrize(
    "written",
    ["grün-und-geheim", "gr\\u00fcn-und-geheim", "gr\\u00FCn-und-geheim", "gr%C3%BCn-und-geheim"],
)
def test_known_secrets_beyond_ascii_are_found_in_every_form(written: str) -> None:
    assert find(f"x {written} y", usable(["grün-und-geheim"]))


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "/x/"])
@pytest.mark.parametrize(
    "pack",
    [
        base64.b64encode,
        base64.urlsafe_b64encode,
        lambda data: base64.b64encode(base64.b64encode(b"?" + data)),
        lambda data: base64.b64encode(gzip.compress(data)),
        lambda data: base64.b64encode(b'{"a":"' + data.replace(b"-", b"\\u002d") + b'"}'),
    ],
    ids=["base64", "url", "twice", "gzip", "escaped"],
)
def test_packed_secrets_take_the_whole_run(before: str, pack: object) -> None:
    assert callable(pack)
    run = before + pack(b"it is " + SECRET.encode()).decode().rstrip("=")
    assert shown(f"run: {run}!", KNOWN) == [(run, "known")]


def test_a_zlib_stream_is_looked_through() -> None:
    run = base64.b64encode(zlib.compress(b"it is " + SECRET.encode())).decode()
    assert shown(run, KNOWN) == [(run.rstrip("="), "known")]


def test_many_runs_are_told_apart() -> None:
    packed = base64.b64encode(f"it is {SECRET}".encode()).decode().rstrip("=")
    names = [f"a_very_long_name_of_a_function_{at}" for at in range(50)]
    assert shown(" ".join([*names, packed, *names]), KNOWN) == [(packed, "known")]


def test_a_bomb_counts_as_found_and_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MAX_INFLATED", 1_000_000)
    bomb = gzip.compress(gzip.compress(bytes(50_000_000), 9), 9)
    run = base64.b64encode(gzip.compress(bytes(2_000_000))).decode()
    assert {rule for _, rule in shown(run, KNOWN)} == {UNREADABLE}
    before = time.process_time()
    find(base64.b64encode(bomb).decode(), KNOWN)
    assert time.process_time() - before < 5


def test_a_search_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_EFFORT", 100)
    monkeypatch.setattr(search, "EFFORT_PER_CHARACTER", 0)
    assert find("%20" * 30, KNOWN) == [Hit(0, 90, UNREADABLE)]
    assert find("a" * 101, KNOWN) == [Hit(0, 101, UNREADABLE)]


@pytest.mark.parametrize(
    "text",
    ["\\" * 100_000, "%25" * 30_000, "-eyJ" * 50_000, "sk-" * 50_000, "bearer " * 20_000,
     "-----BEGIN PRIVATE KEY-----" * 5_000, '"' * 100_000, "A" * 300_000, "\\u002d" * 30_000],
    ids=lambda text: str(text)[:12],
)  # fmt: skip
def test_hostile_texts_cost_little(text: str) -> None:
    before = time.process_time()
    find(text, KNOWN)
    assert time.process_time() - before < 5


def test_nothing_is_undone_for_ever() -> None:
    text = SECRET
    for _ in range(search.MAX_DEPTH + 1):
        text = text.replace("%", "%25").replace("-", "%2d")
    assert find(text, KNOWN) == []
