"""Texts without keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.redact import clean_text, hide_in, hide_secrets, names_a_secret

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue


@pytest.mark.parametrize("name", ["Authorization", "x-api-key", "Set-Cookie", "X-Amz-Signature"])
def test_some_names_hold_secrets(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["content-type", "user-agent", "x-team"])
def test_others_do_not(name: str) -> None:
    assert not names_a_secret(name)


def test_what_looks_like_a_key_is_hidden() -> None:
    assert clean_text("use sk-abcdefgh12 now") == "use [redacted] now"
    assert clean_text("half \ud800") == "half ?"


def test_known_keys_are_hidden_unless_they_are_too_short_to_tell() -> None:
    assert hide_secrets(b"a planted b abc", "planted", "abc") == b"a [redacted] b abc"


def test_what_overlaps_is_hidden_once_and_other_bytes_stay() -> None:
    body = b"\xff Bearer sk-Abcdefgh12 and eyJhbGciOiJ9.eyJzdWIiOiI9.c2ln \xc3\xa9"
    assert hide_secrets(body) == b"\xff Bearer [redacted] and [redacted] \xc3\xa9"


def test_what_is_only_shown_hides_what_may_be_a_key_as_well() -> None:
    assert clean_text("sk-onlyletters, Bearer token") == "[redacted], Bearer [redacted]"


def test_fields_that_are_named_like_secrets_are_hidden() -> None:
    assert hide_secrets(b'{"api_key": "abc", "city": "Rome"}') == (
        b'{"api_key": "[redacted]", "city": "Rome"}'
    )


def test_keys_are_hidden_in_every_text_of_a_value() -> None:
    given: JSONValue = {"a": ["my-plain-key and sk-Abcdefgh12345678", 1, None], "b": {"c": 'x"y'}}
    assert hide_in(given, ("my-plain-key",)) == {
        "a": ["[redacted] and [redacted]", 1, None], "b": {"c": 'x"y'},
    }  # fmt: skip
