"""Turns profiles into hosts that can count and account; shared vocabularies are loaded once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.errors import SettingsError, did_you_mean
from k3mock.options import OptionError
from k3mock.past import Conversations
from k3mock.text import vocabulary
from k3mock.text.accounting import ACCOUNTINGS
from k3mock.text.counter import TokenCounter
from k3mock.text.template import STYLES, Template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile, TokenizerChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A profile with the template that renders and counts its prompts.

    `conversations` are what is known of earlier requests.
    """

    profile: Profile
    template: Template
    conversations: Conversations = field(default_factory=Conversations, compare=False, repr=False)

    @property
    def accounting(self) -> str:
        return self.profile.tokenizer.accounting


class Hosts:
    """The hosts that a server can stand for: the built-in ones and its own default."""

    def __init__(self, default: str, tokenizer: Mapping[str, str]) -> None:
        self._tokenizer = tokenizer
        self._counters: dict[tuple[str, str | None, str], TokenCounter] = {}
        self.default = self._host(load_profile(default))
        self._hosts = {self.default.profile.name: self.default}

    def get(self, name: str | None) -> Host:
        """Return a host by the name of its profile.

        Raises:
            OptionError: a name that is neither built in nor the server's own; files are only
                read when the server starts, never because a request names them.
        """
        if name is None:
            return self.default
        if name not in self._hosts:
            if name not in NAMES:
                known = {*NAMES, *self._hosts}
                raise OptionError(
                    f"unknown profile {name[:60]!r}", accepted=did_you_mean(name[:60], known)
                )
            self._hosts[name] = self._host(load_profile(name))
        return self._hosts[name]

    def _host(self, profile: Profile) -> Host:
        choice = replace(profile.tokenizer, **self._tokenizer)
        _check("template", choice.template, STYLES)
        _check("accounting", choice.accounting, ACCOUNTINGS)
        _check("replayed_reasoning", choice.replayed_reasoning, ("count", "drop"))
        template = Template(
            self._counter(choice),
            choice.template,
            profile.media,
            replayed_reasoning=choice.replayed_reasoning == "count",
        )
        return Host(profile=replace(profile, tokenizer=choice), template=template)

    def _counter(self, choice: TokenizerChoice) -> TokenCounter:
        key = (choice.vocabulary, choice.path, choice.counter)
        if key not in self._counters:
            loaded = vocabulary.load(choice.vocabulary, counter=choice.counter, path=choice.path)
            self._counters[key] = TokenCounter(loaded)
        return self._counters[key]


def _check(key: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse what the settings override with a value that nobody knows.

    Raises:
        SettingsError: with the values that there are.
    """
    if value not in known:
        raise SettingsError(
            f"tokenizer {key}: unknown value {value!r}", accepted=did_you_mean(value, known)
        )
