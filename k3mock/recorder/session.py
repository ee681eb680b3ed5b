"""Turns requests into live or recorded answers, and sessions into cassettes; pipeline layer."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from k3mock import respond
from k3mock.cassette.library import CassetteMiss
from k3mock.cassette.library import Played as PlayedAnswer
from k3mock.errors import K3MockError, one_line
from k3mock.options import OptionError
from k3mock.recorder.deck import Deck, Mode, open_deck
from k3mock.recorder.keeping import Keeping
from k3mock.recorder.place import Place
from k3mock.recorder.relay import Manners, Relay
from k3mock.settings import environment_proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from k3mock.cassette.library import Library, Wanted
    from k3mock.cassette.library import Manner as Playing
    from k3mock.clock import Clock
    from k3mock.recorder.exchange import Exchange
    from k3mock.recorder.upstream import Upstream
    from k3mock.respond import Delivery, Taken
    from k3mock.settings import Settings

SETTLE_S = 2.0
"""So long publishing waits for answers that still run."""

_LONG = 64_000
"""Bodies above this size are looked up in a thread."""

Work = ParamSpec("Work")
Done = TypeVar("Done")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a recorder has done: interactions kept, bytes relayed, answers played, losses."""

    kept: int = 0
    bytes: int = 0
    played: int = 0
    lost: int = 0


class Recorder:
    """All recordings of one server.

    `watch` is called for each exchange that is safe in the journal.
    `problems` is what a person must know when the server ends, such as a recording that was not
    published; `published` are the files that were written.

    Raises:
        K3MockError: an upstream, a folder or a cassette that cannot be used.
    """

    def __init__(self, settings: Settings, clock: Clock, playing: Playing) -> None:
        self._notes: list[str] = []
        self._listener: Callable[[str], None] = self._notes.append
        self.problems: list[str] = []
        self.published: list[str] = []
        self.tally = Tally()
        self.watch: Callable[[Exchange], None] = lambda _: None
        self._settings = settings
        self._clock = clock
        self._mode = Mode(settings.record or "none")
        self._keeping = Keeping(settings, self._mode, playing)
        self._place = Place.of(settings.cassettes[0])
        self._upstream = None if self._mode is Mode.NONE else _upstream(settings)
        self._decks: dict[Path, Deck] = {}
        self._gate = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="k3mock-recorder")
        # The library that writes files takes a third of a second to load: not amid a stream.
        self._writer.submit(self._keeping.warm)
        if not self._place.folder:
            # What is wrong with the one file is told at once; an unused one is let go at the end.
            path = self._place.path
            self._decks[path] = self._opened(path)

    @property
    def source(self) -> str | None:
        """The upstream, as people may see it."""
        return None if self._upstream is None else self._upstream.name

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with a sentence for the log: with those so far, then with each."""
        for text in self._notes:
            listener(text)
        self._notes.clear()
        self._listener = listener

    def _opened(self, path: Path) -> Deck:
        deck = open_deck(path, self._mode, self._keeping.playing)
        for text in deck.notes:
            self._listener(text)
        return deck

    async def answer(self, taken: Taken, pace: str) -> Delivery | CassetteMiss:
        """Answer a request from its cassette, or live.

        Raises:
            K3MockError: options that do not fit, or a cassette that cannot be used.
        """
        _check(taken)
        deck = await self._deck(taken)
        if deck.library is not None:
            wanted = await self._look(deck.library, taken)
            found = deck.library.take(wanted, taken.session)
            if isinstance(found, PlayedAnswer):
                self.tally.played += 1
                return respond.recorded(taken, found, pace)
            if deck.tape is None:
                return found
        return self._forward(taken, deck)

    async def _look(self, library: Library, taken: Taken) -> Wanted:
        if len(taken.raw.body) <= _LONG:
            return library.ask(taken.raw)
        return await self._work(library.ask, taken.raw)

    async def _deck(self, taken: Taken) -> Deck:
        """Return the cassette of a request, opened when its session first needs it."""
        path = self._place.file(taken.options)
        deck = self._decks.get(path)
        if deck is None or self._gate.locked():
            async with self._gate:
                deck = self._decks.get(path)
                if deck is None:
                    deck = await self._work(self._opened, path)
                    self._decks[path] = deck
        deck.sessions.add(taken.session.name)
        return deck

    async def _work(
        self, work: Callable[Work, Done], *args: Work.args, **more: Work.kwargs
    ) -> Done:
        """Do something that may wait for the disk, after everything that was asked for before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, partial(work, *args, **more))

    def _forward(self, taken: Taken, deck: Deck) -> Delivery:
        upstream = self._upstream
        if upstream is None:
            raise AssertionError
        settings = self._settings
        seq = deck.number()
        manners = Manners(
            source=f"recorder:{deck.path.name}#{seq}",
            seq=seq,
            max_body=settings.max_body,
            drain=settings.drain,
            errors=settings.record_errors,
        )
        return Relay(taken, upstream, self._clock, manners, _Desk(self, deck)).delivery()

    def spawn(self, deck: Deck, pump: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Start the task that reads an answer; it lives until the answer ends."""
        deck.begin()
        task = asyncio.get_running_loop().create_task(pump)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def keep(self, deck: Deck, exchange: Exchange | None, why: str) -> None:
        """Give what a relay has read to the writing thread; called on the loop, awaits nothing."""
        if exchange is None:
            if why:
                self._lose(deck, f"an answer is not in the recording: {why}")
            deck.end()
            return
        loop = asyncio.get_running_loop()
        written = loop.run_in_executor(self._writer, deck.write, exchange, self._keeping)
        written.add_done_callback(partial(self._written, deck, exchange))

    def _written(self, deck: Deck, exchange: Exchange, written: asyncio.Future[None]) -> None:
        error = None if written.cancelled() else written.exception()
        if error is None:
            self.tally.kept += 1
            self.watch(exchange)
        else:
            said = one_line(error) if isinstance(error, K3MockError) else repr(error)
            self._lose(deck, f"request {exchange.seq} is not in the recording: {said}")
        deck.end()

    def _lose(self, deck: Deck, text: str) -> None:
        self.tally.lost += 1
        self._trouble(f"{deck.path.name}: {text}")

    def _trouble(self, text: str) -> None:
        self.problems.append(text)
        self._listener(text)

    async def publish(self, session: str | None = None) -> list[str]:
        """Publish what a session has recorded, or all; return what went wrong.

        A cassette that another session still uses stays open.
        """
        found: list[str] = []
        async with self._gate:
            for path, deck in list(self._decks.items()):
                if session is not None and deck.sessions != {session}:
                    deck.sessions.discard(session)
                    continue
                del self._decks[path]
                found += await self._publish(deck)
        return found

    async def _publish(self, deck: Deck) -> list[str]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S):
                await deck.idle.wait()
        try:
            written = await self._work(deck.publish, self._keeping)
        except K3MockError as error:
            self._trouble(str(error))
            return [str(error)]
        finally:
            self.tally.kept -= len(deck.refused)
            for text in deck.refused:
                self._lose(deck, text)
            await self._work(deck.close)
        if written:
            count = len(deck.kept)
            text = f"{deck.path}: {count} interaction{'s' * (count != 1)} recorded"
            self.published.append(text)
            self._listener(text)
        elif deck.tape is not None:
            self._listener(f"{deck.path}: nothing was recorded, so nothing is written")
        return []

    async def finish(self) -> None:
        """Publish everything and let go of the upstream; nothing can be recorded after that."""
        for task in list(self._tasks):
            task.cancel()
        await self.publish()
        if self._upstream is not None:
            await self._upstream.close()
        self._writer.shutdown(wait=False)


@dataclass(frozen=True, slots=True)
class _Desk:
    """One cassette of a recorder, as a relay sees it."""

    recorder: Recorder
    deck: Deck

    def spawn(self, pump: Coroutine[None, None, None]) -> asyncio.Task[None]:
        return self.recorder.spawn(self.deck, pump)

    def passed(self, count: int) -> None:
        self.recorder.tally.bytes += count

    def keep(self, exchange: Exchange | None, why: str) -> None:
        self.recorder.keep(self.deck, exchange, why)


def _check(taken: Taken) -> None:
    """Refuse options that would change what is recorded."""
    options = taken.options
    if options.scenario is not None or options.faults or options.wire:
        raise OptionError(
            "scenarios, faults and knobs of the wire do not apply to what is being recorded",
            hint="record first; they work with a replay",
        )


def _upstream(settings: Settings) -> Upstream:
    # Only a server that records pays for the client.
    from k3mock.recorder.upstream import Upstream  # noqa: PLC0415

    url = settings.upstream or ""
    return Upstream(
        url,
        timeout_s=settings.upstream_timeout,
        ca=settings.upstream_ca,
        proxy=settings.upstream_proxy or environment_proxy(url),
    )
