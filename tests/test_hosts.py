from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.errors import ProfileError, SettingsError, VocabularyError
from k3mock.hosts import Hosts
from k3mock.options import OptionError
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"vocabulary": "chars"}


def test_the_default_host_answers_when_no_name_is_given() -> None:
    hosts = Hosts("moonshot", FAST)
    assert hosts.get(None) is hosts.default
    assert hosts.get("moonshot") is hosts.default
    assert hosts.default.accounting == "moonshot"


def test_the_settings_tokenizer_stands_above_the_profiles() -> None:
    hosts = Hosts("moonshot", {**FAST, "template": "openai", "accounting": "visible"})
    assert hosts.default.accounting == "visible"
    assert hosts.default.template.style == "openai"
    assert hosts.default.template.counter.vocabulary.name == "chars"


@pytest.mark.parametrize(
    ("tokenizer", "says"),
    [
        pytest.param({"template": "kimi"}, "did you mean 'kimi_k3'", id="template"),
        pytest.param({"accounting": "moonshoot"}, "did you mean 'moonshot'", id="accounting"),
        pytest.param({"replayed_reasoning": "off"}, "known: count, drop", id="reasoning"),
    ],
)
def test_a_tokenizer_value_that_nobody_knows_is_refused(
    tokenizer: dict[str, str], says: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Hosts("moonshot", {**FAST, **tokenizer})
    assert says in str(caught.value)


@pytest.mark.parametrize(("value", "counts"), [("count", True), ("drop", False)])
def test_whether_earlier_reasoning_counts_reaches_the_template(value: str, *, counts: bool) -> None:
    hosts = Hosts("moonshot", {**FAST, "replayed_reasoning": value})
    assert hosts.default.template.replayed_reasoning is counts


def test_a_vocabulary_that_nobody_knows_is_refused() -> None:
    with pytest.raises(VocabularyError):
        Hosts("moonshot", {"vocabulary": "kimi_k2"})


def test_a_users_own_profile_is_the_default_beside_the_built_in_ones(tmp_path: Path) -> None:
    own = profile_file(tmp_path, "profile: own\nextends: moonshot\n")
    hosts = Hosts(own, FAST)
    assert hosts.default.profile.name == "own"
    assert hosts.get("own") is hosts.default
    moonshot = hosts.get("moonshot")
    assert moonshot.profile.name == "moonshot"
    assert hosts.get("moonshot") is moonshot


def test_hosts_share_a_vocabulary_that_they_have_in_common(tmp_path: Path) -> None:
    own = profile_file(tmp_path, "profile: own\nextends: moonshot\n")
    hosts = Hosts(own, FAST)
    assert hosts.default.template.counter is hosts.get("moonshot").template.counter


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    hosts = Hosts("moonshot", FAST)
    with pytest.raises(OptionError) as caught:
        hosts.get("moonshoot")
    assert "did you mean 'moonshot'" in str(caught.value)


def test_a_request_cannot_make_the_server_read_a_file(tmp_path: Path) -> None:
    own = profile_file(tmp_path, "profile: own\nextends: moonshot\n")
    with pytest.raises(OptionError):
        Hosts("moonshot", FAST).get(own)


def test_a_missing_profile_is_told_at_the_start() -> None:
    with pytest.raises(ProfileError):
        Hosts("no-such-profile", FAST)
