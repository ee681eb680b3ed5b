"""Turns a request into its recorded answer, where there is one; pipeline layer.

A recorded answer is given whatever contract or key say; what no recording answers goes on to the
rest of the pipeline, unless only recordings may answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from k3mock import bending, respond
from k3mock.cassette.issued import call_ids
from k3mock.cassette.key import Ignored
from k3mock.cassette.library import CassetteMiss, Manner, MissCode, Told
from k3mock.cassette.source import Shelf
from k3mock.drift import drift
from k3mock.errors import K3MockError, one_line
from k3mock.protocol.failure import mock_error
from k3mock.protocol.knobs import apply_knobs
from k3mock.redact import hide_secrets
from k3mock.remember import note_served
from k3mock.work import raw_digest

if TYPE_CHECKING:
    from k3mock.cassette.library import Library, Played, Wanted
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Hosts
    from k3mock.intake import Intake
    from k3mock.jsonvalue import JSONObject
    from k3mock.options import RequestOptions
    from k3mock.protocol.request import RawRequest
    from k3mock.respond import Delivery, Taken
    from k3mock.settings import Settings

HEAVY_BYTES = 64_000
"""Keys of larger bodies are worked out in a thread, one at a time, so that their order holds."""

MISSES = 1000
"""So many misses are remembered, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A request that nothing answered.

    `reason` is the code or the reason of the miss, `nearest` what came nearest, `file#number`.
    """

    id: str
    session: str
    method: str
    path: str
    reason: str
    message: str
    cassette: str | None = None
    nearest: str | None = None

    def as_json(self) -> JSONObject:
        return {name: getattr(self, name) for name in self.__slots__}


class Misses:
    """What nothing answered, oldest first."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, Missed]] = deque(maxlen=MISSES)
        self._next = 0
        # Tests read and clear from threads of their own.
        self._lock = threading.Lock()

    def note(self, taken: Taken, reason: str, message: str, nearest: str | None = None) -> None:
        """Remember a miss."""
        raw = taken.raw
        missed = Missed(
            id=taken.entry.id, session=taken.session.name, method=raw.method,
            path=raw.path[:1000], reason=reason, message=respond.without_keys(taken, message),
            cassette=taken.options.cassette, nearest=nearest,
        )  # fmt: skip
        with self._lock:
            self._kept.append((self._next, missed))
            self._next += 1

    def all(self, session: str | None = None) -> list[Missed]:
        """Return the misses of one session or of all."""
        return self.page(session)[0]

    def page(
        self, session: str | None = None, *, after: int = -1, limit: int = MISSES
    ) -> tuple[list[Missed], int | None]:
        """Return up to `limit` misses behind cursor `after`, and the cursor to go on with."""
        with self._lock:
            kept = list(self._kept)
        found = [
            (number, miss)
            for number, miss in kept
            if number > after and (session is None or miss.session == session)
        ]
        shown = found[:limit]
        more = shown and len(found) > limit
        return [miss for _, miss in shown], shown[-1][0] if more else None

    def clear(self, session: str | None = None) -> None:
        """Forget the misses of one session or of all."""
        with self._lock:
            kept = [one for one in self._kept if session is not None and one[1].session != session]
            self._kept = deque(kept, maxlen=MISSES)


class Replaying:
    """The recordings of one server.

    `alone` says that nothing else may answer: what no recording answers is a miss then.
    """

    def __init__(self, settings: Settings, hosts: Hosts, intake: Intake) -> None:
        manner = Manner(
            exhausted=settings.exhausted,
            strict=settings.strict_match,
            ignored=Ignored.of(settings.ignore, settings.ignore_text),
        )
        # What is being recorded is the recorder's, also where it plays.
        given = settings.cassettes if settings.record is None else ()
        self.shelf = Shelf(given, manner)
        self.alone = not settings.generates and not settings.scenarios
        self.misses = Misses()
        self._chosen: dict[str, str] = {}
        self._settings = settings
        self._hosts = hosts
        self._intake = intake
        self._given = bool(given)
        self._turn = asyncio.Lock()
        self._queued = 0

    def choose(self, session: str, name: str) -> None:
        """Let a cassette answer a session's requests, as if each of them named it."""
        self._chosen[session] = name

    def forget(self, session: str | None) -> None:
        """Forget what one session or any session chose."""
        for name in list(self._chosen) if session is None else [session]:
            self._chosen.pop(name, None)

    def chosen(self, options: RequestOptions) -> RequestOptions:
        """Return the options of a request with the cassette that its session chose."""
        name = self._chosen.get(options.session) if self._chosen else None
        if name is None or options.cassette is not None or options.scenario is not None:
            return options
        return replace(options, cassette=name)

    def asked(self, options: RequestOptions) -> bool:
        """Say whether a recording may answer a request with these options."""
        return options.scenario is None and (self._given or options.cassette is not None)

    async def unknown(self, raw: RawRequest, options: RequestOptions) -> Delivery | None:
        """Tell that there is no cassette of the name that a request gives; None where there is."""
        if options.cassette is None:
            return None
        try:
            self.shelf.path(options.cassette)
        except K3MockError as error:
            taken = self._intake.take(raw, options, {}, raw_digest(raw))
            return await self.missed(taken, _unreadable(error))
        return None

    async def first(self, raw: RawRequest, options: RequestOptions) -> Delivery | None:
        """Give the recorded answer to a request that was not taken in yet.

        None leaves the request to others: it was not recorded, or a fault answers.
        """
        profile = self._hosts.get(options.profile).profile
        pinned = bending.chosen(options.faults, profile)
        if not self.asked(options) or pinned.exclusive:
            return None
        found = await self.find(raw, options)
        if isinstance(found, CassetteMiss) and not self._alone(options):
            return None
        taken = self._intake.take(raw, options, {}, raw_digest(raw))
        return await self._deliver(taken, found, pinned)

    async def instead(self, taken: Taken, pinned: Bend) -> Delivery | None:
        """Give the recorded answer to a request that no scenario answers; None where none is."""
        if not self.asked(taken.options):
            return None
        found = await self.find(taken.raw, taken.options)
        if isinstance(found, CassetteMiss) and not self._alone(taken.options):
            return None
        return await self._deliver(taken, found, pinned)

    def _alone(self, options: RequestOptions) -> bool:
        """Say whether only a recording may answer."""
        return options.cassette is not None or self.alone

    async def _deliver(self, taken: Taken, found: Played | CassetteMiss, bent: Bend) -> Delivery:
        if isinstance(found, CassetteMiss):
            return await self.missed(taken, found)
        wrong = _unbendable(bent)
        if wrong is not None:
            return respond.failure(taken, mock_error(wrong), "k3mock")
        given = {**bent.wire, **taken.options.wire}
        try:
            pace = respond.chosen_pace(taken.options, self._settings.pace)
            taken = replace(taken, wire=apply_knobs(taken.wire, given))
            delivery = respond.recorded(taken, found, pace, bent)
        except K3MockError as error:
            return respond.failure(taken, mock_error(one_line(error)), "k3mock")
        await self._note(taken, found)
        return delivery

    async def _note(self, taken: Taken, found: Played) -> None:
        """Note what the rest of the session should know of a recorded answer."""
        response = found.interaction.response
        for call_id in call_ids(response.body):
            taken.session.issued.note_call(call_id)
        note_served(taken, found.label)
        # The contract has no say in it; what it found before was looked for in vain.
        taken.entry.warnings.clear()
        if self._settings.check_contract:
            taken.entry.warnings += await asyncio.to_thread(drift, taken, response.status)

    async def missed(self, taken: Taken, miss: CassetteMiss) -> Delivery:
        """Tell why there is no recorded answer, and remember it."""
        # The nearest recording is looked for among all of them, which takes its time.
        told = await asyncio.to_thread(lambda: miss.told)
        _, _, key = taken.raw.headers.get("authorization", "").partition(" ")
        message = hide_secrets(told.message.encode("utf-8", "replace"), key.strip()).decode()
        self.misses.note(taken, told.code, message, told.nearest)
        return respond.failure(taken, mock_error(message, code=told.code), f"miss:{told.code}")

    async def find(self, raw: RawRequest, options: RequestOptions) -> Played | CassetteMiss:
        """Return the next recorded answer of the request's session, which counts as served.

        Requests are served in the order in which they arrived: long bodies and files that have to
        be read first are worked on in a thread, one after the other.
        """
        try:
            light = len(raw.body) <= HEAVY_BYTES and self.shelf.at_hand(options.cassette)
            if light and not self._queued:
                return self._library(options).find(raw, self._intake.sessions.get(options.session))
            return await self._in_turn(raw, options)
        except K3MockError as error:
            return _unreadable(error)

    async def _in_turn(self, raw: RawRequest, options: RequestOptions) -> Played | CassetteMiss:
        self._queued += 1
        try:
            async with self._turn:
                wanted = await asyncio.to_thread(self._ask, raw, options)
                session = self._intake.sessions.get(options.session)
                return self._library(options).take(wanted, session)
        finally:
            self._queued -= 1

    def _ask(self, raw: RawRequest, options: RequestOptions) -> Wanted:
        return self._library(options).ask(raw)

    def _library(self, options: RequestOptions) -> Library:
        name = options.cassette
        return self.shelf.together() if name is None else self.shelf.named(name)


def _unreadable(error: K3MockError) -> CassetteMiss:
    message = one_line(error)
    return CassetteMiss(lambda: Told(code=MissCode.CASSETTE_NOT_FOUND, message=message))


def _unbendable(bent: Bend) -> str | None:
    """Return what is wrong with faults that cannot act on recorded bytes; None where all can."""
    words = bent.rewrites or bent.caps or bent.edits or bent.accounted
    if words or bent.frames or bent.body or bent.lead or set(bent.wire) - _WRITING:
        return (
            f"the fault {'+'.join(bent.names)!r} changes what the model says, and this answer is "
            "recorded; faults that come instead of an answer, cut it, stop or delay it act on "
            "recordings"
        )
    return None


_WRITING = {"writes", "write_gap_ms", "keepalive_ms", "keepalive_text"}
"""Knobs that say how bytes are written, not which."""
