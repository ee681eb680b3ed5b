"""Turns a raw request into the steps of its answer: the whole path on one page; pipeline layer.

recordings → pinned fault → key → body → scenarios → contract → notes → limits → other sources →
faults → tokens, cap, usage → bytes → pace. Where scenarios are loaded, recordings come after them.
Long bodies are read, checked, counted and answered in a thread, a few at a time; everything else
runs on the event loop, so that session state needs no lock.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from k3mock import asking, bending, noting, respond
from k3mock.cassette.library import CassetteMiss
from k3mock.checking import Checking
from k3mock.contract import parse
from k3mock.contract.rule import Effect
from k3mock.errors import K3MockError, one_line
from k3mock.fault.catalogue import bend
from k3mock.intake import Intake
from k3mock.limits import Hold, Limiter, Refusal
from k3mock.matching.source import Hit, Miss, MissReason
from k3mock.protocol.failure import ApiError, mock_error
from k3mock.remember import cached_tokens, charge, note_issued, note_served
from k3mock.replaying import Replaying
from k3mock.respond import STYLE, Delivery, Manner, Taken, Visit
from k3mock.text import accounting
from k3mock.work import Read, examine, generate_turn, raw_digest, read_body, recalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.clock import Clock
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Hosts
    from k3mock.matching.source import Asked, Parts
    from k3mock.memory import State
    from k3mock.options import RequestOptions
    from k3mock.protocol.request import RawRequest
    from k3mock.protocol.style import Style
    from k3mock.recorder.session import Recorder
    from k3mock.respond import Answering
    from k3mock.seed import Seed
    from k3mock.settings import Settings
    from k3mock.text.turn import Turn
    from k3mock.work import Examined

OFFLOAD_BYTES = 64_000
"""Bodies above this size are read, checked, counted and answered in a thread."""

HEAVY_AT_ONCE = 2
"""So many long bodies are worked on at the same time; the others wait their turn."""

Work = ParamSpec("Work")
Done = TypeVar("Done")


class Pipeline:
    """One server's path from requests to answers.

    `parts` answer: scenarios first, then the sources in order; what none of them answers is a miss.
    `state` is all that is remembered between requests.
    """

    def __init__(
        self,
        settings: Settings,
        hosts: Hosts,
        parts: Parts,
        state: State,
        *,
        clock: Clock,
        seed: Seed,
    ) -> None:
        self.settings = settings
        self.hosts = hosts
        self.clock = clock
        self._scripts = parts.scripts
        self._generator = parts.generator
        self.intake = Intake(settings, hosts, state, clock=clock, seed=seed)
        self.sessions = self.intake.sessions
        if parts.scripts is not None:
            self.sessions.listen(parts.scripts.forget)
        self.journal = self.intake.journal
        self.replaying = Replaying(settings, hosts, self.intake)
        self.sessions.listen(self.replaying.forget)
        self.misses = self.replaying.misses
        self._checking = Checking(settings, hosts, parts.scripts)
        self.check = self._checking.check
        self._sources = parts.sources
        self._limiter = Limiter(settings.limits, clock)
        self.recorder: Recorder | None = None
        self._slots = asyncio.Semaphore(HEAVY_AT_ONCE)

    async def recorded(
        self, raw: RawRequest, options: RequestOptions, *, chat: bool
    ) -> Delivery | None:
        """Give the recorded answer to a request, where there is one and no scenario goes first."""
        unknown = await self.replaying.unknown(raw, options)
        if unknown is not None:
            return unknown
        if chat and self._scripts is not None and self._scripts.goes_first(options.session):
            return None
        return await self.replaying.first(raw, options)

    async def chat(self, raw: RawRequest, options: RequestOptions) -> Delivery:
        """Answer a chat-completions request."""
        taken = await self._take_json(raw, options)
        try:
            return await self._answer(self._ready(taken))
        except K3MockError as error:
            return _mistake(taken, error)

    def other(self, raw: RawRequest, options: RequestOptions, answer: Answering) -> Delivery:
        """Answer a request for something else: a list, a record, a file, an unknown path.

        `answer` is asked only when the key is accepted.
        """
        taken = self.intake.take(raw, options, {}, raw_digest(raw))
        try:
            return self._other(self._ready(taken), answer)
        except K3MockError as error:
            return _mistake(taken, error)

    def _other(self, taken: Taken, answer: Answering) -> Delivery:
        pinned = self._pinned(taken)
        if pinned is not None:
            return pinned
        refusal = self._check_head(taken)
        if refusal is not None:
            return self._refuse(taken, refusal)
        account = taken.session.account(taken.host.profile.name)
        left = self._limiter.balance(taken.options.limits, account)
        found = answer(Visit(host=taken.host, session=taken.session, ids=taken.ids, balance=left))
        if isinstance(found, ApiError):
            return self._refuse(taken, found)
        return respond.success(taken, found)

    async def estimate(self, raw: RawRequest, options: RequestOptions) -> Delivery:
        """Count the tokens of a request, as `usage.prompt_tokens` would."""
        taken = await self._take_json(raw, options)
        try:
            return await self._estimate(self._ready(taken))
        except K3MockError as error:
            return _mistake(taken, error)

    async def _estimate(self, taken: Taken) -> Delivery:
        pinned = self._pinned(taken)
        if pinned is not None:
            return pinned
        examined = await self._accept(taken)
        if isinstance(examined, Delivery):
            return examined
        refused = self._enforce(taken, examined, self._mode(taken))
        if refused is not None:
            return refused
        total = accounting.prompt_tokens(examined.prompt, taken.host.accounting)
        return respond.success(taken, {"data": {"total_tokens": total}})

    async def relay(self, raw: RawRequest, options: RequestOptions) -> Delivery:
        """Answer from what is recorded, or from the upstream, whatever contract and key say."""
        taken = self.intake.take(raw, options, {}, raw_digest(raw))
        try:
            found = await self._relayed(taken)
            if isinstance(found, CassetteMiss):
                return await self.replaying.missed(taken, found)
        except K3MockError as error:
            return _mistake(taken, error)
        return found

    async def _relayed(self, taken: Taken) -> Delivery | CassetteMiss:
        if self.recorder is None or taken.raw.size > len(taken.raw.body):
            raise K3MockError(f"the request is too long to be recorded: {taken.raw.size} bytes")
        pace = respond.chosen_pace(taken.options, self.settings.pace)
        return await self.recorder.answer(taken, pace)

    def broken(self, raw: RawRequest, options: RequestOptions, message: str) -> Delivery:
        """Answer with an error that the mock itself makes."""
        taken = self.intake.take(raw, options, {}, raw_digest(raw))
        return respond.failure(taken, mock_error(message), "k3mock")

    def refuse(self, raw: RawRequest, options: RequestOptions, refusal: ApiError) -> Delivery:
        """Answer with a refusal that was found before anything else was looked at."""
        taken = self._ready(self.intake.take(raw, options, {}, raw_digest(raw)))
        return self._pinned(taken) or self._refuse(taken, refusal)

    async def _take_json(self, raw: RawRequest, options: RequestOptions) -> Taken:
        host = self.hosts.get(options.profile)
        read = recalled(raw, host)
        if read is None:
            read = await self._heavy(len(raw.body), read_body, raw, host)
        return self.intake.take(raw, options, *read)

    async def _heavy(
        self, size: int | None, work: Callable[Work, Done], *args: Work.args, **k: Work.kwargs
    ) -> Done:
        """Do pure work: here for a few bytes, else (None, too) in a thread, a few at a time."""
        if size is not None and size <= OFFLOAD_BYTES:
            return work(*args, **k)
        async with self._slots:
            return await asyncio.to_thread(work, *args, **k)

    async def _answer(self, taken: Taken) -> Delivery:
        pinned = self._pinned(taken)
        if pinned is not None:
            return pinned
        examined = await self._accept(taken)
        if isinstance(examined, Delivery):
            return await self.replaying.instead(taken, taken.bend) or examined
        asked = asking.asked(taken, examined)
        found, examined, mode = await self._scripted(taken, examined, asked)
        if isinstance(found, Miss) and taken.options.scenario is not None:
            return self._missed(taken, found)
        hit, missed = (found, None) if isinstance(found, Hit) else (None, found)
        refused = self._enforce(taken, examined, mode)
        if hit is None or refused is not None:
            refused = await self.replaying.instead(taken, taken.bend) or refused
        refused = refused or noting.note(taken, examined, self.settings)
        if refused is not None:
            return refused
        held = self._charge(taken, examined)
        if isinstance(held, Delivery):
            return held
        try:
            if hit is None:
                answered = await self._fallback(taken, asked, missed)
                if isinstance(answered, Miss):
                    return self._missed(taken, answered)
                hit = answered
            hit.take()
            return await self._styled(taken, examined, asked, hit)
        except BaseException:
            held.end()
            raise

    def _charge(self, taken: Taken, examined: Examined) -> Hold | Delivery:
        """Take the request in under the session's limits, until its answer has ended."""
        found = charge(self._limiter, taken, examined)
        if isinstance(found, Refusal):
            return respond.failure(taken, found.error, f"limits:{found.limit}")
        return found

    async def _scripted(
        self, taken: Taken, examined: Examined, asked: Asked
    ) -> tuple[Hit | Miss | None, Examined, str]:
        """Ask the scenarios, and look at the contract as whoever answers wants it."""
        found = self._find(asked)
        mode = self._mode(taken, found)
        if mode not in {self._mode(taken), "off"}:
            # The scenario looks otherwise than the server; meanwhile others may have answered.
            examined = await self._examine(taken, mode)
            found = self._find(asked)
        return found, examined, mode

    def _find(self, asked: Asked) -> Hit | Miss | None:
        return None if self._scripts is None else self._scripts.find(asked)

    def _missed(self, taken: Taken, found: Miss) -> Delivery:
        miss = found.full()
        self.misses.note(taken, miss.reason, miss.message)
        return respond.failure(taken, mock_error(miss.message), f"miss:{miss.reason}")

    def _enforce(self, taken: Taken, examined: Examined, mode: str) -> Delivery | None:
        """Give the contract's refusal, unless who asks or who answers does not want it."""
        if mode == "off":
            return None
        violations = examined.violations
        taken.entry.warnings.extend(found.error for found in violations)
        against = [found.error for found in violations if found.effect is Effect.REFUSE]
        return self._refuse(taken, against[0]) if against and mode == "enforce" else None

    def _mode(self, taken: Taken, found: Hit | Miss | None = None) -> str:
        """Return how the contract is applied: as asked for, as the scenario says, or as usual."""
        usual = taken.options.contract or self.settings.contract
        if taken.options.contract is not None or not isinstance(found, Hit):
            return usual
        return found.contract or (usual if taken.options.scenario is None else "off")

    async def _examine(self, taken: Taken, mode: str) -> Examined:
        read = Read({} if isinstance(taken.body, ApiError) else taken.body, taken.past)
        host, session, size = taken.host, taken.session, taken.raw.size
        return await self._heavy(read.past.fresh, examine, host, read, size, session, mode)

    async def _fallback(self, taken: Taken, asked: Asked, found: Miss | None) -> Hit | Miss:
        """Ask who else may answer."""
        if found is not None and found.final:
            return found
        for source in self._sources:
            if source.heavy:
                answered = await self._heavy(len(taken.raw.body), source.find, asked)
            else:
                answered = source.find(asked)
            if isinstance(answered, Hit):
                return answered
            found = found or answered
        if found is not None and found.reason is not MissReason.NOTHING_LOADED:
            return found
        said = "no scenario and no cassette is loaded" if found is None else found.message
        return Miss(
            reason=MissReason.NOTHING_LOADED,
            message=f"no answer: {said}, and the generator is off (--on-miss error). Load one, or "
            "start with --on-miss generate.",
        )

    async def _styled(self, taken: Taken, examined: Examined, asked: Asked, hit: Hit) -> Delivery:
        """Give the answer as its style and the faults want it."""
        style = hit.style
        if self._scripts is not None and taken.options.scenario is None:
            style = style.over(self._scripts.overlay(asked))
        chance = taken.seed.chance(b"answer", taken.digest, taken.occurrence.to_bytes(8))
        drawn = tuple(draw.fault for draw in style.chaos if chance.random() < draw.probability)
        bent = bend((*style.faults, *drawn), taken.host.profile).then(taken.bend)
        taken = bending.turned(taken, style, bent)
        label = "+".join((hit.label, *bent.names))
        note_served(taken, hit.label)
        if bent.exclusive:
            return respond.bent(taken, bent, label, self._pace(taken, style))
        size = None if hit.long else len(taken.raw.body)
        reply = hit.reply
        if reply is None:
            write = hit.write or partial(self._generator.reply, asked.request, taken.seed)
            reply = await self._heavy(size, write)
        turn = await self._heavy(
            size, generate_turn, taken.host, examined, reply, taken.wire, bent, chance
        )
        return self._deliver(taken, examined, turn, style, bent, label)

    def _ready(self, taken: Taken) -> Taken:
        return bending.ready(taken, self._pace(taken, STYLE), self._checking.own(taken.options))

    def _pinned(self, taken: Taken) -> Delivery | None:
        return bending.pinned(taken, self._pace(taken, STYLE))

    def early(self, options: RequestOptions) -> bool:
        """Say whether a pinned fault answers before the request's body was read to its end."""
        return bending.early(options, self.hosts)

    def _pace(self, taken: Taken, style: Style) -> str:
        return respond.chosen_pace(taken.options, style.pace or self.settings.pace)

    async def _accept(self, taken: Taken) -> Examined | Delivery:
        """Return the examined body, or the answer of whatever stands before it."""
        refusal = self._check_head(taken)
        if refusal is not None:
            return self._refuse(taken, refusal)
        if isinstance(taken.body, ApiError):
            return self._refuse(taken, taken.body)
        examined = await self._examine(taken, self._mode(taken))
        self.intake.note(taken, examined)
        return examined

    def _check_head(self, taken: Taken) -> ApiError | None:
        """Return the refusal of the key or, where the contract is enforced, of other headers."""
        headers, profile, mode = taken.raw.headers, taken.host.profile, self._mode(taken)
        refusal = parse.check_key(headers, profile, self.settings.api_keys)
        if refusal is not None or mode == "off":
            return refusal
        for found in parse.check_headers(headers, profile):
            taken.entry.warnings.append(found.error)
            if mode == "enforce" and found.effect is Effect.REFUSE:
                return found.error
        return None

    def _refuse(self, taken: Taken, refusal: ApiError) -> Delivery:
        return respond.failure(taken, refusal, f"contract:{refusal.rule}")

    def _deliver(
        self, taken: Taken, examined: Examined, turn: Turn, style: Style, bent: Bend, label: str
    ) -> Delivery:
        """Account for the generated answer and put it into bytes."""
        host, request = taken.host, examined.request
        cached = cached_tokens(taken, examined.prompt)
        if style.cached is not None:
            cached = min(style.cached, accounting.prompt_tokens(examined.prompt, host.accounting))
        usage = accounting.usage(examined.prompt, turn.counts, host.accounting, cached=cached)
        taken.entry.usage = usage
        note_issued(taken.session, turn.reply, taken.wire)
        shown = usage if style.show_usage else None
        reply = replace(turn.reply, usage=shown, shown_usage=style.usage)
        pace = self._pace(taken, style)
        return respond.reply(taken, request, reply, Manner(label, pace, style, bent))


def _mistake(taken: Taken, error: K3MockError) -> Delivery:
    """Tell what is wrong with the options of a request."""
    return respond.failure(taken, mock_error(one_line(error)), "k3mock")
