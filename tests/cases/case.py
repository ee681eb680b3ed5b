"""Turns a case from the field into what is asked, by configuration alone, and what must be seen."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import openai

from tests.cases.raw import QUIET_S, Exchange, exchange
from tests.support import CHAT, KEY, request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from k3mock.journal import JournalEntry
    from k3mock.serving import MockServer


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case: a sentence of our own, the configuration that asks for it, and its check.

    `scenario` and `profile` are YAML files, `options` stands in the base URL behind `/with/`,
    `settings` are what the server is started with.
    """

    id: str
    about: str
    check: Callable[[World], None]
    scenario: str = ""
    profile: str = ""
    options: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    client: Callable[[World], None] | None = None

    @property
    def own_server(self) -> bool:
        return bool(self.profile or self.settings)


CASES: dict[str, Case] = {}


def case(
    case_id: str,
    about: str,
    *,
    scenario: str = "",
    profile: str = "",
    options: str = "",
    **settings: Any,
) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Declare a case; the decorated function is what a raw client must see."""

    def declared(check: Callable[[World], None]) -> Callable[[World], None]:
        assert case_id not in CASES
        CASES[case_id] = Case(
            id=case_id,
            about=" ".join(about.split()),
            check=check,
            scenario=textwrap.dedent(scenario).strip(),
            profile=textwrap.dedent(profile).strip(),
            options=options,
            settings=settings,
        )
        return check

    return declared


CLIENTS: dict[str, Callable[[World], None]] = {}


def client(case_id: str) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Declare what the case does to the real `openai` client."""

    def declared(check: Callable[[World], None]) -> Callable[[World], None]:
        assert case_id not in CLIENTS
        CLIENTS[case_id] = check
        return check

    return declared


@dataclass
class World:
    """A case's server and session, and clients that talk to it."""

    server: MockServer
    session: str
    options: str

    @property
    def prefix(self) -> str:
        return "/with/" + ";".join(filter(None, (f"session={self.session}", self.options)))

    def send(
        self,
        body: Any = None,
        *,
        options: str = "",
        path: str = CHAT,
        headers: Mapping[str, str] | None = None,
        quiet_s: float = QUIET_S,
        stop_after: bytes | None = None,
    ) -> Exchange:
        """Send a body over a raw socket; more options are laid over the case's own.

        Faults replace the case's own faults.
        """
        own = self.prefix
        if "fault=" in options:
            own = ";".join(part for part in own.split(";") if not part.startswith("fault="))
        prefix = ";".join(filter(None, (own, options))).replace(" ", "%20")
        return exchange(
            self.server.address, prefix + path, body, headers=headers, quiet_s=quiet_s,
            stop_after=stop_after,
        )  # fmt: skip

    def ask(self, content: str = "hi", **fields: Any) -> Exchange:
        """Send a plain request for a whole answer."""
        return self.send(request(content, **fields))

    def stream(self, content: str = "hi", **fields: Any) -> Exchange:
        """Send a plain request for a stream."""
        return self.send(request(content, stream=True, **fields))

    def models(self) -> Exchange:
        return self.send(path="/v1/models")

    def sdk(self, **settings: Any) -> openai.OpenAI:
        """Return the real client; it does not retry unless told to."""
        given: dict[str, Any] = {"max_retries": 0, "timeout": 10.0, **settings}
        return openai.OpenAI(
            base_url=f"{self.server.address}{self.prefix}/v1", api_key=KEY, **given
        )

    def entries(self) -> list[JournalEntry]:
        """What arrived in this session."""
        return self.server.app.journal.entries(self.session)
