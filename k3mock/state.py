"""Turns requests into memory: all mutable state of the server, a session at a time; ground layer.

Everything lives on the event loop and needs no lock. Resetting a session drops its object.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

MAX_SESSIONS = 10_000
MAX_REMEMBERED = 20_000


class Bounded(OrderedDict[bytes, int]):
    """A mapping of digests to numbers that forgets the oldest beyond `MAX_REMEMBERED`."""

    def remember(self, key: bytes, value: int) -> None:
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


@dataclass(slots=True)
class Session:
    """What one client's conversations have left behind.

    `seen` counts each canonical request; `prompts` are the ends of answered prompts with their
    token counts, the simulated prefix cache, a host at a time; `files` are
    its uploads by id.
    """

    name: str
    seen: Bounded = field(default_factory=Bounded)
    prompts: dict[str, Bounded] = field(default_factory=dict)

    files: dict[str, StoredFile] = field(default_factory=dict)

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

    def kept_prompts(self, profile: str) -> Bounded:
        """Return the prefix cache of one host."""
        return self.prompts.setdefault(profile, Bounded())


class SessionStore:
    """All sessions by name; the oldest unused one is dropped beyond `MAX_SESSIONS`."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def get(self, name: str) -> Session:
        """Return the session of that name, made on first sight."""
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = Session(name)
            if len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(name)
        return session

    def drop(self, name: str) -> None:
        """Forget one session."""
        self._sessions.pop(name, None)

    def reset(self) -> None:
        """Forget all sessions."""
        self._sessions.clear()

    def __len__(self) -> int:
        return len(self._sessions)
