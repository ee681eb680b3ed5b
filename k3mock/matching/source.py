"""Turns a request into a written answer or a reason why there is none; matching layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from k3mock.protocol.failure import mock_error
from k3mock.protocol.style import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.protocol.style import FaultCall
    from k3mock.seed import Seed
    from k3mock.state import Session


class MissReason(StrEnum):
    """Why a source has no answer."""

    NOTHING_LOADED = "nothing_loaded"
    NOTHING_SIMILAR = "nothing_similar"
    NO_MATCH = "no_match"
    USED_UP = "used_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request with all that sources may look at.

    Attributes:
        request: as the engine sees it, behind a gateway's changes.
        body: the JSON as received.
        headers: names in lower case.
        profile: name of the profile.
        session: what is remembered of this client.
        seed: the server's, or the one that the request chose for itself.
        attempt: how often this very request was seen in the session, this time included.
        retry: whether the client says, or the way its last answer ended shows, that it tries again.
        prompt_tokens: counts on demand.
        pinned: the name of the scenario that alone may answer.
        answered_by: the label of who answered this very request last.
        errors: gives an error as the host words it.
        cap: so many tokens can be answered at most.
    """

    request: ChatRequest
    body: JSONObject
    headers: Mapping[str, str]
    profile: str
    session: Session
    seed: Seed
    attempt: int
    retry: bool
    prompt_tokens: Callable[[], int]
    pinned: str | None = None
    answered_by: str | None = None
    errors: Callable[[FaultCall], ApiError] = lambda call: mock_error(f"no error {call.name!r}")
    cap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A written answer; `label` says who gave it, as `x-k3mock-source` shows it.

    `reply` is the answer where it is known, `write` writes it once nothing stands against it: no
    refusal of the contract, no limit. Without both the words are the generator's. `long` says that
    writing may take long. `style` says how the answer is given, `contract` is the scenario's own
    mode (`enforce`, `warn`, `off`); `take` is called when the answer is used, which is when
    sequences advance.
    """

    label: str
    reply: Reply | None = None
    write: Callable[[], Reply] | None = None
    long: bool = False
    style: Style = field(default_factory=Style)
    contract: str | None = None
    take: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """No answer, and what a tired person needs to know about it.

    `explain` gives the same with the nearest candidates, which nobody works out in vain. `final`
    says that the generator may not answer instead.
    """

    reason: MissReason
    message: str
    explain: Callable[[], Miss] | None = None
    final: bool = False

    def full(self) -> Miss:
        """Return the miss with all that can be said about it."""
        return self.explain() if self.explain is not None else self


Found: TypeAlias = "Hit | Miss"


class ReplySource(Protocol):
    """Who may answer: scenarios, cassettes, the generator.

    `heavy` says that `find` only reads, and may take long: then it is called in a thread for long
    requests. Others run on the event loop, where they may change the session.
    """

    heavy: bool

    def find(self, asked: Asked) -> Found:
        """Return the written answer to a request, or why there is none."""


class ScriptSource(ReplySource, Protocol):
    """Scenarios: they may also bend what others answer."""

    def goes_first(self, session: str) -> bool:
        """Say whether there is any scenario for a session: it goes before recordings."""

    def forget(self, session: str | None) -> None:
        """Forget what is one session's own, or what any session's is."""

    def check(self, name: str) -> None:
        """Look whether there is a scenario of that name.

        Raises:
            K3MockError: there is none.
        """

    def overlay(self, asked: Asked) -> Style:
        """Return the style that lies over every answer."""


class Writer(Protocol):
    """Writes an answer to any request, where a scenario leaves the words open."""

    def reply(self, request: ChatRequest, seed: Seed | None = None) -> Reply:
        """Return the written answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Who may answer."""

    generator: Writer
    scripts: ScriptSource | None = None
    sources: Sequence[ReplySource] = ()
