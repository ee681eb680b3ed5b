"""Turns a running server into what a test holds: a session of its own; handle layer."""

from __future__ import annotations

import importlib
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.errors import K3MockError
from k3mock.handle.asserting import NoRequestError, Seen, listed, settled
from k3mock.handle.scripting import Scripting, When, pattern_of
from k3mock.scenario.scripted import unused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from openai import AsyncOpenAI, OpenAI

    from k3mock.handle.asserting import Where
    from k3mock.handle.words import Fields, WhenWords
    from k3mock.journal import JournalEntry
    from k3mock.scenario.scripted import Scripts
    from k3mock.serving import MockServer
    from k3mock.verdict.finding import Verdict

FINISH_TIMEOUT_S = 60.0


class K3Mock(Scripting):
    """One session on a running server.

    `base_url` and `api_key` are what a client takes; requests made through them are isolated from
    every other session (scripts, counters, cache, journal). `options` are further options of the
    base URL, such as `{"scenario": "hello"}`. What is scripted is given once, first in, first out.
    """

    api_key = "sk-k3mock"

    def __init__(
        self, server: MockServer, session: str, options: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(session, 1)
        self.server = server
        self._options = dict(options or {})
        self._clients: list[OpenAI] = []

    @property
    def base_url(self) -> str:
        return self.base_url_for()

    def base_url_for(self, **options: object) -> str:
        """Return a base URL of this session with other options: `base_url_for(profile="evolink")`.

        An option of None is left to the server. Knobs are written with `_` for the dot, such as
        `wire_newline="crlf"`.
        """
        named = {_option(name): value for name, value in options.items()}
        chosen = {"session": self.session, **self._options, **named}
        written = ";".join(
            f"{name}={quote(str(value), safe='=,:(){}')}"
            for name, value in chosen.items()
            if value is not None
        )
        return f"{self.server.address}/with/{written}/v1"

    def when(self, pattern: Fields | None = None, /, **words: Unpack[WhenWords]) -> When:
        """Script for the requests that a pattern matches: `when(last={"role": "tool"}).reply(…)`.

        The words are those of `when` in a scenario file; `not` is written `not_`.
        """
        return When(self.session, self._scripts(), pattern_of(pattern, words))

    def scenario(self, given: str | Path | Fields, /) -> None:
        """Script whole scenarios for this session.

        Args:
            given: a file, a folder, the name of a shipped scenario, YAML text, or a mapping.

        Raises:
            ScenarioError: there is no such file, or it has errors.
        """
        self._scripts().add_scenarios(self.session, given)

    def cassette(self, path: str | Path, /) -> None:
        """Let a cassette answer this session: a file, or a name in the folder of cassettes.

        Raises:
            CassetteError: there is no such cassette, or it cannot be read.
        """
        replaying, file = self.server.app.pipeline.replaying, Path(path)
        if self.server.app.recorder is not None:
            name = file.stem
        elif file.is_file():
            name = replaying.shelf.put(file)
        else:
            replaying.shelf.path(str(path))
            name = str(path)
        replaying.choose(self.session, name)

    def _scripts(self) -> Scripts:
        return self.server.app.scenarios.scripts

    @property
    def requests(self) -> list[JournalEntry]:
        """What arrived in this session, oldest first; running answers are waited for."""
        return settled(self.server.app.journal.entries(self.session))

    @property
    def last_request(self) -> JournalEntry:
        """The newest request of this session.

        Raises:
            NoRequestError: none has arrived.
        """
        requests = self.requests
        if not requests:
            raise NoRequestError(
                f"no request has arrived in the session {self.session!r}; give the program "
                "k3mock.base_url, and look after it has asked"
            )
        return requests[-1]

    def calls(self, where: Where | None = None) -> list[JournalEntry]:
        """Return the chat-completions requests, all or those that `where` holds for.

        Args:
            where: a pattern as for `when`, or a function of an entry.

        Raises:
            ScenarioError: a word or value that no pattern takes.
        """
        seen = Seen(self.server.app, self.requests)
        if where is None:
            return seen.calls
        if callable(where):
            return [entry for entry in seen.calls if where(entry)]
        return seen.matching(self._scripts().pattern(where, "k3mock.calls(where=…)"))

    def assert_called(self, where: Where | None = None, *, times: int | None = None) -> None:
        """Fail unless there was such a call, or so many of them.

        Raises:
            AssertionError: with what arrived, and what came nearest to the pattern.
            ScenarioError: a word or value that no pattern takes.
        """
        found = self.calls(where)
        if len(found) == times or (times is None and found):
            return
        requests = self.requests
        wanted = "at least 1" if times is None else str(times)
        such = "" if where is None else f" where {getattr(where, '__name__', where)}"
        lines = [f"calls{such}: wanted {wanted}, found {len(found)}"]
        if where is not None and not callable(where) and len(found) < (times or 1):
            pattern = self._scripts().pattern(where, "k3mock.assert_called(where=…)")
            lines.append(Seen(self.server.app, requests).difference(pattern))
        lines.append(listed(requests) or "no request has arrived")
        raise AssertionError("\n".join(filter(None, lines)))

    def openai(self, **settings: Any) -> OpenAI:  # noqa: ANN401 - as wide as the SDK
        """Return a client of the official SDK for this session; it is closed with the session.

        Raises:
            K3MockError: the package `openai` is not installed.
        """
        client: OpenAI = _sdk().OpenAI(**self._with(settings))
        self._clients.append(client)
        return client

    def async_openai(self, **settings: Any) -> AsyncOpenAI:  # noqa: ANN401 - as above
        """Return an asynchronous client; use it with `async with`, which closes it.

        Raises:
            K3MockError: the package `openai` is not installed.
        """
        client: AsyncOpenAI = _sdk().AsyncOpenAI(**self._with(settings))
        return client

    def _with(self, settings: Mapping[str, object]) -> dict[str, object]:
        return {"base_url": self.base_url, "api_key": self.api_key, **settings}

    @property
    def misses(self) -> list[str]:
        """What nothing answered in this session, in words."""
        return [miss.message for miss in self.server.app.pipeline.misses.all(self.session)]

    @property
    def unused(self) -> list[str]:
        """What was scripted in this session and not used, in words."""
        script = self._scripts().get(self.session)
        if script is None:
            return []
        return list(unused(script, self.server.app.pipeline.sessions.known(self.session)))

    @property
    def refused(self) -> list[str]:
        """What k3mock itself refused, such as an unknown option, in words."""
        return [listed([entry]) for entry in self.requests if entry.source == "k3mock"]

    def told(self) -> str:
        """Return the newest requests in words, a line each; without secrets."""
        return listed(self.server.app.journal.entries(self.session))

    def verdict(self) -> Verdict:
        """What the client of this session did wrong; `assert_clean()` fails where it did."""
        return self.server.verdict(self.session)

    def reset(self) -> None:
        """Forget this session's scripts, counters, cache and journal."""
        self.server.app.pipeline.sessions.drop(self.session)
        self.server.app.journal.clear(self.session)
        self.server.app.pipeline.misses.clear(self.session)

    def finish(self) -> list[str]:
        """End the session: publish what it recorded and forget it; return what went wrong."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        if self.server.app.pipeline.recorder is None:
            self.reset()
            return []
        address = f"{self.server.address}/__k3mock__/reset?session={quote(self.session)}"
        headers = {}
        if self.server.settings.control_key is not None:
            headers["Authorization"] = f"Bearer {self.server.settings.control_key}"
        asked = urllib.request.Request(address, b"", headers)  # noqa: S310 - the server's own
        try:
            urllib.request.urlopen(asked, timeout=FINISH_TIMEOUT_S).close()  # noqa: S310 - as above
        except urllib.error.HTTPError as error:
            return [str(json.loads(error.read())["error"]["message"])]
        return []


def _option(name: str) -> str:
    return f"wire.{name.removeprefix('wire_')}" if name.startswith("wire_") else name


def _sdk() -> Any:  # noqa: ANN401 - a module that may not be there
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise K3MockError("the package 'openai' is not installed",
                          hint="pip install openai, or give any client base_url and api_key",
                          ) from error  # fmt: skip
