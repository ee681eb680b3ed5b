from __future__ import annotations

import pytest

from k3mock import errors
from k3mock.errors import (
    K3MockError,
    PortError,
    ProfileError,
    SettingsError,
    StartError,
    VocabularyError,
    did_you_mean,
    nearest,
    one_line,
)


def test_a_mistake_is_told_in_five_parts_and_their_order() -> None:
    error = SettingsError(
        "what failed",
        where="own.yaml:3",
        found="what was found",
        accepted="what would do",
        hint="what to do next",
    )
    assert str(error).splitlines() == [
        "own.yaml:3: what failed",
        "  found: what was found",
        "  accepted: what would do",
        "  do: what to do next",
    ]


def test_parts_that_are_not_known_leave_no_empty_lines() -> None:
    assert str(SettingsError("only this")) == "only this"
    assert str(SettingsError("this", hint="that")) == "this\n  do: that"
    assert str(SettingsError("this", found="")) == "this"


def test_the_parts_stay_readable_for_programs() -> None:
    error = ProfileError("what", where="here", found="this", accepted="that", hint="so")
    assert (error.what, error.where, error.found) == ("what", "here", "this")
    assert (error.accepted, error.hint) == ("that", "so")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(SettingsError, "settings", id="settings"),
        pytest.param(ProfileError, "profile", id="profile"),
        pytest.param(VocabularyError, "vocabulary", id="vocabulary"),
        pytest.param(PortError, "port", id="port"),
        pytest.param(StartError, "start", id="start"),
    ],
)
def test_every_mistake_has_a_code_and_can_be_caught_as_one(
    kind: type[K3MockError], code: str
) -> None:
    assert issubclass(kind, K3MockError)
    assert kind.code == code
    assert kind.__name__ in (errors.__doc__ or "")


def test_codes_are_used_once() -> None:
    codes = [kind.code for kind in K3MockError.__subclasses__()]
    assert len(codes) == len(set(codes))


def test_the_nearest_spelling_is_found_and_nothing_when_none_is_near() -> None:
    assert nearest("tokeniser", ["tokenizer", "profile"]) == "tokenizer"
    assert nearest("zebra", ["tokenizer", "profile"]) is None
    assert nearest("anything", []) is None


def test_known_words_are_listed_with_the_nearest_first() -> None:
    assert did_you_mean("generator", ["generate", "error"]) == (
        "did you mean 'generate'? known: error, generate"
    )
    assert did_you_mean("zebra", ("generate", "error")) == "known: error, generate"


def test_a_mistake_fits_on_one_line() -> None:
    error = SettingsError("what", where="here", found="this", hint="do that")
    assert one_line(error) == "here: what; found: this; do: do that"
