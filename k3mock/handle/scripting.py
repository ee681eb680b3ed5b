"""Turns calls in Python into the mappings that scenario files hold; handle layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from k3mock.protocol.reply import Reply

if TYPE_CHECKING:
    from typing import Unpack

    from k3mock.handle.words import Fields, ReplyWords, WhenWords
    from k3mock.scenario.scripted import Scripts

_SHOWN_CHARS = 60


class Scripting:
    """What both a session and a pattern of it can be told to answer, `usual` times."""

    def __init__(self, session: str, usual: int | None) -> None:
        self.session = session
        self._usual = usual

    def reply(
        self,
        said: str | Fields | Reply | None = None,
        /,
        *,
        times: int | None = None,
        **words: Unpack[ReplyWords],
    ) -> None:
        """Script an answer.

        Args:
            said: the content; or the whole `reply` as a scenario file has it; or a `Reply`. Without
                it and without words the generator speaks.
            times: how often it is given.
            **words: further keys of `reply`: `reasoning`, `tool_calls`, `finish_reason`, ….

        Raises:
            ScenarioError: a word or value that a scenario file could not have either.
        """
        given: dict[str, object] = dict(words)
        if isinstance(said, str):
            given = {"content": said, **given}
        elif isinstance(said, Mapping):
            given = {**said, **given}
        answer = said if isinstance(said, Reply) else None
        if answer is not None:
            # The words are the reply's; the rest says how it is given.
            given = {"content": "", **given}
        self._script(given, times, f"reply({_shown(said, words)})", answer)

    def reply_error(
        self, error: str | int | None = None, /, *, times: int | None = None, **fields: object
    ) -> None:
        """Script an error instead of an answer.

        Args:
            error: its name at the host (`rate_limited`), or a status.
            times: how often it is given.
            **fields: parameters of the named error, or `status`, `message`, `type`, `headers`, ….

        Raises:
            ScenarioError: no error of that name, or it does not take such a field.
        """
        given: dict[str, object] = dict(fields)
        if isinstance(error, int):
            given = {"status": error, **given}
        elif error is not None:
            given = {"name": error, **given}
        self._script({"error": given}, times, f"reply_error({_shown(error, fields)})")

    def reply_fault(
        self,
        fault: str,
        said: str | Fields | None = None,
        /,
        *,
        times: int | None = None,
        **parameters: object,
    ) -> None:
        """Script an answer that a fault of the catalogue spoils.

        Args:
            fault: its name, as `k3mock faults` lists it.
            said: the answer as for `reply`; without it the generator speaks.
            times: how often it is given.
            **parameters: of the fault, such as `after={"content_tokens": 12}`.

        Raises:
            ScenarioError: no fault of that name, or it does not take such a parameter.
        """
        reply: Fields = {"content": said} if isinstance(said, str) else said or {}
        spoiled = {**reply, "faults": [{"name": fault, **parameters}]}
        self._script(spoiled, times, f"reply_fault({_shown(fault, parameters)})")

    def _script(
        self, reply: Fields, times: int | None, said: str, answer: Reply | None = None
    ) -> None:
        turn: dict[str, object] = {"reply": reply}
        when = self._pattern()
        if when:
            turn["when"] = when
        many = self._usual if times is None else times
        if many is not None:
            turn["times"] = many
        self._scripts().add_turn(self.session, turn, f"{self._called()}.{said}", answer)

    def _pattern(self) -> Fields:
        return {}

    def _called(self) -> str:
        return "k3mock"

    def _scripts(self) -> Scripts:
        raise NotImplementedError  # pragma: no cover - both kinds have their own


class When(Scripting):
    """Requests that a pattern matches; what is scripted for them answers without limit."""

    def __init__(self, session: str, scripts: Scripts, pattern: Fields) -> None:
        super().__init__(session, None)
        self._home = scripts
        self._when = pattern

    def _pattern(self) -> Fields:
        return self._when

    def _called(self) -> str:
        return f"k3mock.when({_shown(None, self._when)})"

    def _scripts(self) -> Scripts:
        return self._home


def pattern_of(given: Fields | None, words: WhenWords) -> Fields:
    """Return a pattern as a scenario file has it."""
    named: dict[str, object] = {("not" if key == "not_" else key): item
                                for key, item in words.items()}  # fmt: skip
    return {**(given or {}), **named}


def _shown(said: object, words: Mapping[str, object]) -> str:
    """Return arguments as the test wrote them, in short."""
    parts = [] if said is None else ["Reply(…)" if isinstance(said, Reply) else repr(said)]
    parts += [f"{name}={value!r}" for name, value in words.items()]
    text = ", ".join(parts)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
