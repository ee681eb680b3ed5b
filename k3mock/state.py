"""Turns requests into memory: all mutable state of the server, a session at a time; ground layer.

Everything lives on the event loop and needs no lock. Resetting a session drops its object.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_SESSIONS = 10_000
MAX_REMEMBERED = 20_000


Kept = TypeVar("Kept")


class Bounded(OrderedDict[bytes, Kept]):
    """A mapping of digests to values that forgets the oldest beyond `MAX_REMEMBERED`."""

    def remember(self, key: bytes, value: Kept) -> None:
        """Store `value` as the newest entry."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > MAX_REMEMBERED:
            self.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """An uploaded file; `created_at` is in unix seconds."""

    id: str
    filename: str
    purpose: str
    data: bytes
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The last answer to a request: who gave it (`label`), and how it ended, once it has."""

    label: str
    ended: Callable[[], str | None]


@dataclass(slots=True)
class Issued:
    """What the answers of a session held, for rules about the history that is sent back.

    Attributes:
        calls: the ids of tool calls.
        reasoning: by what an answer said and called, its reasoning; several where answers said the
            same.
    """

    calls: Bounded[None] = field(default_factory=Bounded)
    reasoning: Bounded[frozenset[bytes]] = field(default_factory=Bounded)

    def note_call(self, call_id: str) -> None:
        """Note the id of a call."""
        self.calls.remember(text_digest(call_id), None)

    def note(self, content: str, calls: Sequence[tuple[str, str]], reasoning: str) -> None:
        """Note an answer: its text, its calls as (id, name), and its reasoning."""
        said = said_digest(content, calls)
        known = self.reasoning.get(said, frozenset())
        self.reasoning.remember(said, known | {text_digest(reasoning)})

    def issued_call(self, call_id: str) -> bool:
        """Say whether a call of that id was made in this session."""
        return text_digest(call_id) in self.calls

    def same_reasoning(
        self, content: str, calls: Sequence[tuple[str, str]], reasoning: str
    ) -> bool | None:
        """Say whether an answer came with that reasoning; None where there was no such answer."""
        known = self.reasoning.get(said_digest(content, calls))
        return None if known is None else text_digest(reasoning) in known


def said_digest(content: str, calls: Sequence[tuple[str, str]]) -> bytes:
    """Identify an answer by its text and its calls as (id, name)."""
    return text_digest(content, *(part for call in calls for part in call))


def text_digest(*texts: str) -> bytes:
    """Identify texts, as what answers held is kept."""
    named = hashlib.blake2b(digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        named.update(len(data).to_bytes(8) + data)
    return named.digest()


@dataclass(slots=True)
class Account:
    """What a session has used of its limits at one host.

    Attributes:
        used: by limit, how much was used up and when that was, in milliseconds.
        running: answers that have not ended.
        spent: dollars.
    """

    used: dict[str, tuple[float, float]] = field(default_factory=dict)
    running: int = 0
    spent: float = 0.0


@dataclass(slots=True)
class Played:
    """How far a session is in the recordings of a library.

    Attributes:
        used: the places that were served.
        at: by key, where in its queue the next look begins.
        lent: keys of requests whose recording went to one that was nearly the same.
    """

    used: set[int] = field(default_factory=set)
    at: dict[bytes, int] = field(default_factory=dict)
    lent: set[bytes] = field(default_factory=set)


@dataclass(slots=True)
class Session:
    """What one client's conversations have left behind.

    Attributes:
        seen: how often each canonical request came.
        served: the last answer to each canonical request.
        uses: how often each turn of a scenario has answered, by what the turn says.
        prompts: the ends of answered prompts with their token counts, the simulated prefix cache,
            a host at a time.
        files: its uploads by id.
        accounts: what it has used of its limits, a host at a time.
        issued: what its answers held.
        played: how far it is in the recordings, a library at a time.
    """

    name: str
    seen: Bounded[int] = field(default_factory=Bounded)
    served: Bounded[Served] = field(default_factory=Bounded)
    uses: dict[str, int] = field(default_factory=dict)
    prompts: dict[str, Bounded[int]] = field(default_factory=dict)
    files: dict[str, StoredFile] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    issued: Issued = field(default_factory=Issued)
    played: dict[str, Played] = field(default_factory=dict)

    def keep_file(
        self, file_id: str, filename: str, purpose: str, data: bytes, created_at: int
    ) -> StoredFile:
        """Keep an uploaded file under its id."""
        stored = StoredFile(
            id=file_id, filename=filename, purpose=purpose, data=data, created_at=created_at
        )
        self.files[file_id] = stored
        return stored

    def count(self, request: bytes) -> int:
        """Note one more sight of a request; return how often it was seen before."""
        before = self.seen.get(request, 0)
        self.seen.remember(request, before + 1)
        return before

    def failed_before(self, request: bytes) -> bool:
        """Say whether the last answer to a request ended in an error, a cut or a disconnect."""
        last = self.served.get(request)
        return last is not None and last.ended() not in {None, "complete"}

    def kept_prompts(self, profile: str) -> Bounded[int]:
        """Return the prefix cache of one host."""
        return self.prompts.setdefault(profile, Bounded())

    def used(self, turn: str) -> int:
        """Return how often a turn of a scenario has answered, by its key."""
        return self.uses.get(turn, 0)

    def use(self, turn: str) -> None:
        """Note that a turn of a scenario answers."""
        self.uses[turn] = self.used(turn) + 1

    def forget_uses(self, scenario: str) -> None:
        """Count the uses of a scenario's turns from the start again."""
        for key in [key for key in self.uses if key.startswith(f"{scenario}#")]:
            del self.uses[key]

    def account(self, profile: str) -> Account:
        """Return what was used at one host."""
        return self.accounts.setdefault(profile, Account())


class SessionStore:
    """All sessions by name; the oldest unused one is dropped beyond `MAX_SESSIONS`."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._listeners: list[Callable[[str | None], None]] = []

    def listen(self, listener: Callable[[str | None], None]) -> None:
        """Call `listener` with the name of each session that is forgotten, None for all."""
        self._listeners.append(listener)

    def known(self, name: str) -> Session:
        """Return a session to read from, an empty one where there is none."""
        return self._sessions.get(name) or Session(name)

    def get(self, name: str) -> Session:
        """Return the session of that name, made on first sight."""
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = Session(name)
            if len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(name)
        return session

    def peek(self, name: str) -> Session | None:
        """Return the session of that name, if it is there."""
        return self._sessions.get(name)

    def all(self) -> list[Session]:
        """Return all sessions."""
        return list(self._sessions.values())

    def drop(self, name: str) -> None:
        """Forget one session."""
        self._sessions.pop(name, None)
        self._tell(name)

    def reset(self) -> None:
        """Forget all sessions."""
        self._sessions.clear()
        self._tell(None)

    def _tell(self, name: str | None) -> None:
        for listener in self._listeners:
            listener(name)

    def __len__(self) -> int:
        return len(self._sessions)
