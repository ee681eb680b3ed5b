"""Turns a raw request into the steps of its answer: the whole path on one page; pipeline layer.

key → body → pinned fault → contract → sources in order → tokens, cap, usage → bytes → pace.
Long bodies are read, checked and counted in a thread; everything else runs on the event loop, so
that session state needs no lock.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from k3mock.contract import parse
from k3mock.contract.read import request_digest
from k3mock.delivery import script
from k3mock.delivery.pacing import parse_pace
from k3mock.delivery.step import Start, Step
from k3mock.errors import SettingsError, did_you_mean, one_line
from k3mock.files import with_uploads
from k3mock.journal import Journal, JournalEntry, without_secrets
from k3mock.matching.source import Hit, Miss, MissReason, ReplySource
from k3mock.options import OptionError, RequestOptions
from k3mock.protocol.failure import ApiError, mock_error
from k3mock.protocol.policy import ToolIdScope
from k3mock.seed import AnswerIds, Seed
from k3mock.state import Session, SessionStore
from k3mock.text import accounting, prefix
from k3mock.text.turn import generate
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames, shows_usage
from k3mock.wire.envelope import Envelope
from k3mock.wire.failure import JSON_TYPE, encode_error
from k3mock.wire.headers import STREAM_TYPE, content_headers, response_headers
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from k3mock.clock import Clock
    from k3mock.delivery.pacing import Pacing
    from k3mock.hosts import Host, Hosts
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest, RawRequest
    from k3mock.settings import Settings
    from k3mock.text.template import Prompt

TEXT_TYPE = "text/plain; charset=utf-8"

OFFLOAD_BYTES = 64_000
"""Bodies above this size are read, checked and counted in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An answer ready to travel; `started_ms` is when the request was taken."""

    steps: Iterator[Step]
    entry: JournalEntry
    started_ms: float
    good_end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What an answer that is no chat completion may look at and change."""

    host: Host
    session: Session
    ids: AnswerIds


Answering: TypeAlias = "Callable[[Visit], JSONObject | str | ApiError]"
"""Gives JSON, plain text or a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A request that has arrived, with everything drawn or looked up for it."""

    raw: RawRequest
    host: Host
    session: Session
    options: RequestOptions
    seed: Seed
    ids: AnswerIds
    digest: bytes
    body: JSONObject | ApiError
    entry: JournalEntry
    started_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examined:
    """A body that the contract has looked at."""

    request: ChatRequest
    refusals: tuple[ApiError, ...]
    prompt: Prompt


class Pipeline:
    """One server's path from requests to answers.

    `sources` are asked in order for whoever answers; what none of them does is a miss.
    """

    def __init__(
        self, settings: Settings, hosts: Hosts, sources: Sequence[ReplySource], *,
        clock: Clock, seed: Seed,
    ) -> None:  # fmt: skip
        self.settings = settings
        self.hosts = hosts
        self.clock = clock
        self.sessions = SessionStore()
        self.journal = Journal()
        self._sources = sources
        self._seed = seed
        self._arrived = 0

    async def chat(self, raw: RawRequest, options: RequestOptions) -> Delivery:
        """Answer a chat-completions request."""
        taken = self._take(raw, options, json=True)
        try:
            return await self._answer(taken)
        except (OptionError, SettingsError) as error:
            return self._fail(taken, mock_error(one_line(error)), "k3mock")

    def other(self, raw: RawRequest, options: RequestOptions, answer: Answering) -> Delivery:
        """Answer a request for something else: a list, a record, a file, an unknown path.

        `answer` is asked only when the key is accepted.
        """
        taken = self._take(raw, options, json=False)
        profile = taken.host.profile
        refusal = parse.check_key(raw.headers, profile, self.settings.api_keys)
        if refusal is not None:
            return self._refuse(taken, refusal)
        found = answer(Visit(host=taken.host, session=taken.session, ids=taken.ids))
        if isinstance(found, ApiError):
            return self._refuse(taken, found)
        return self._succeed(taken, found)

    async def estimate(self, raw: RawRequest, options: RequestOptions) -> Delivery:
        """Count the tokens of a request, as `usage.prompt_tokens` would."""
        taken = self._take(raw, options, json=True)
        profile = taken.host.profile
        refusal = parse.check_key(raw.headers, profile, self.settings.api_keys)
        if refusal is not None:
            return self._refuse(taken, refusal)
        if isinstance(taken.body, ApiError):
            return self._refuse(taken, taken.body)
        mode = options.contract or self.settings.contract
        examined = await self._examine(taken, taken.body, mode)
        self._note(taken, examined)
        if examined.refusals and mode == "enforce":
            return self._refuse(taken, examined.refusals[0])
        total = accounting.prompt_tokens(examined.prompt, taken.host.accounting)
        return self._succeed(taken, {"data": {"total_tokens": total}})

    def broken(self, raw: RawRequest, message: str, *, status: int = 422) -> Delivery:
        """Answer with an error that the mock itself makes."""
        taken = self._take(raw, RequestOptions(), json=False)
        return self._fail(taken, mock_error(message, status=status), "k3mock")

    def _take(self, raw: RawRequest, options: RequestOptions, *, json: bool) -> _Taken:
        """Note the arrival: look up host and session, draw the ids, open the journal entry."""
        host = self.hosts.get(options.profile)
        session = self.sessions.get(options.session)
        body = parse.read_body(raw, host.profile) if json else {}
        digest = _digest(raw) if isinstance(body, ApiError) or not json else request_digest(body)
        seed = self._seed if options.seed is None else _seeded(options.seed)
        occurrence = session.count(digest)
        ids = seed.answer_ids(digest, occurrence, self.clock.now())
        entry = JournalEntry(
            id=self._entry_id(seed, session, digest, occurrence),
            session=session.name,
            profile=host.profile.name,
            method=raw.method,
            path=raw.path,
            headers=without_secrets(raw.headers),
            body=raw.body[:65_536].decode("utf-8", "replace")
            if isinstance(body, ApiError)
            else body or None,
            size=len(raw.body),
        )
        self.journal.add(entry)
        return _Taken(
            raw=raw, host=host, session=session, options=options, seed=seed, ids=ids,
            digest=digest, body=body, entry=entry, started_ms=self.clock.monotonic_ms(),
        )  # fmt: skip

    def _entry_id(self, seed: Seed, session: Session, digest: bytes, occurrence: int) -> str:
        if seed.value is None:
            self._arrived += 1
            return f"req_{self._arrived:06d}"
        named = hashlib.blake2b(digest_size=8)
        for part in (session.name.encode(), digest, occurrence.to_bytes(8)):
            named.update(part)
        return f"req_{named.hexdigest()}"

    async def _answer(self, taken: _Taken) -> Delivery:
        profile = taken.host.profile
        if taken.options.fault is not None:
            return self._pinned_fault(taken, taken.options.fault)
        refusal = parse.check_key(taken.raw.headers, profile, self.settings.api_keys)
        if refusal is not None:
            return self._refuse(taken, refusal)
        if isinstance(taken.body, ApiError):
            return self._refuse(taken, taken.body)
        mode = taken.options.contract or self.settings.contract
        examined = await self._examine(taken, taken.body, mode)
        self._note(taken, examined)
        if mode == "enforce" and examined.refusals:
            return self._refuse(taken, examined.refusals[0])
        found = self._find(taken, examined.request)
        if isinstance(found, Miss):
            return self._fail(taken, mock_error(found.message), f"miss:{found.reason}")
        return self._deliver(taken, examined, found)

    def _pinned_fault(self, taken: _Taken, name: str) -> Delivery:
        presets = taken.host.profile.errors
        if name not in presets:
            raise OptionError(
                f"unknown fault {name[:60]!r}", accepted=did_you_mean(name[:60], presets)
            )
        return self._fail(taken, presets[name].error(), f"fault:{name}")

    def _refuse(self, taken: _Taken, refusal: ApiError) -> Delivery:
        return self._fail(taken, refusal, f"contract:{refusal.rule}")

    async def _examine(self, taken: _Taken, body: JSONObject, mode: str) -> _Examined:
        if len(taken.raw.body) > OFFLOAD_BYTES:
            return await asyncio.to_thread(_examine, taken, body, mode)
        return _examine(taken, body, mode)

    def _note(self, taken: _Taken, examined: _Examined) -> None:
        """Fill in what the journal shows of a request that was understood."""
        entry, request = taken.entry, examined.request
        entry.forwarded = request.body
        entry.effective = {
            "reasoning_effort": request.effort,
            "max_completion_tokens": _cap(taken.host, examined),
            "stream": request.stream,
            "include_usage": shows_usage(taken.host.profile.wire, request.include_usage),
        }
        entry.warnings.extend(examined.refusals)

    def _find(self, taken: _Taken, request: ChatRequest) -> Hit | Miss:
        for source in self._sources:
            found = source.find(request, taken.session, taken.seed)
            if isinstance(found, Hit):
                return found
        return Miss(
            reason=MissReason.NOTHING_LOADED,
            message="no answer: no scenario and no cassette is loaded, and the generator is off "
            "(--on-miss error). Load one, or start with --on-miss generate.",
        )

    def _deliver(self, taken: _Taken, examined: _Examined, hit: Hit) -> Delivery:
        """Generate the written answer token by token, count it, and put it into bytes."""
        host, request = taken.host, examined.request
        turn = generate(
            hit.reply,
            host.template,
            cap=_cap(host, examined),
            stop=request.stop,
            partial=request.partial is not None,
            first_call=_first_call(host, request),
        )
        cached = self._cached(taken, examined.prompt)
        usage = accounting.usage(examined.prompt, turn.counts, host.accounting, cached=cached)
        reply = replace(turn.reply, usage=usage)
        return self._encode(taken, request, reply, hit.label)

    def _cached(self, taken: _Taken, prompt: Prompt) -> int:
        policy = taken.host.profile.cache
        kept = taken.session.kept_prompts(taken.host.profile.name)
        chance = 0.0
        if policy.hit_probability < 1:
            chance = taken.seed.chance(b"cache", taken.ids.completion.encode()).random()
        cached = prefix.cached_tokens(prompt, kept, policy, chance)
        shown = accounting.prompt_tokens(prompt, taken.host.accounting)
        if shown > policy.threshold_tokens:
            kept.remember(prefix.prompt_end(prompt), shown)
        return cached

    def _encode(self, taken: _Taken, request: ChatRequest, reply: Reply, label: str) -> Delivery:
        profile = taken.host.profile
        envelope = Envelope(
            id=taken.ids.completion,
            created=taken.ids.created,
            model=request.model,
            fingerprint=taken.seed.fingerprint,
        )
        pace = self._pace(taken)
        chance = taken.seed.chance(b"pace", taken.digest)
        cached = reply.usage.cached if reply.usage is not None else 0
        if request.stream:
            frames = encode_frames(
                reply, envelope, profile.wire, include_usage=request.include_usage
            )
            start = self._start(taken, 200, (("content-type", STREAM_TYPE),), label, cached=cached)
            return self._delivery(taken, script.stream(start, frames, pace, chance))
        body = encode_body(reply, envelope, profile.wire)
        at_ms, tokens = 0.0, sum(event.tokens for event in reply.events)
        if not pace.instant:
            frames = encode_frames(reply, envelope, profile.wire, include_usage=False)
            at_ms = script.complete_at_ms(frames, pace, chance)
        content = content_headers(body, JSON_TYPE, profile.wire)
        start = self._start(taken, 200, content, label, cached=cached)
        return self._delivery(taken, script.whole(start, body, at_ms=at_ms, tokens=tokens))

    def _pace(self, taken: _Taken) -> Pacing:
        return _parsed_pace(taken.options.pace or self.settings.pace)

    def _succeed(self, taken: _Taken, answer: JSONObject | str) -> Delivery:
        text = isinstance(answer, str)
        body = answer.encode() if isinstance(answer, str) else encode(answer, escape=False)
        kind = TEXT_TYPE if text else JSON_TYPE
        content = content_headers(body, kind, taken.host.profile.wire)
        start = self._start(taken, 200, content, "profile")
        return self._delivery(taken, script.whole(start, body))

    def _fail(self, taken: _Taken, error: ApiError, label: str) -> Delivery:
        body, content_type = encode_error(error, taken.host.profile.wire)
        content = content_headers(body, content_type, taken.host.profile.wire)
        start = self._start(taken, error.status, content, label, extra=error.headers)
        end = "fault" if label.startswith("fault:") else "error"
        return self._delivery(taken, script.whole(start, body), good_end=end)

    def _start(
        self, taken: _Taken, status: int, content: tuple[tuple[str, str], ...], label: str, *,
        cached: int = 0, extra: tuple[tuple[str, str], ...] = (),
    ) -> Start:  # fmt: skip
        headers = response_headers(
            taken.ids,
            taken.host.profile.headers,
            content=content,
            cached_tokens=cached,
            nonce=taken.raw.headers.get("x-msh-request-nonce"),
        )
        headers += [(name.lower(), value) for name, value in extra]
        headers += [("x-k3mock-source", label), ("x-k3mock-request", taken.entry.id)]
        taken.entry.status = status
        taken.entry.source = label
        return Start(status, tuple(headers))

    def _delivery(
        self, taken: _Taken, steps: Iterator[Step], *, good_end: str = "complete"
    ) -> Delivery:
        return Delivery(
            steps=steps, entry=taken.entry, started_ms=taken.started_ms, good_end=good_end
        )


def _examine(taken: _Taken, body: JSONObject, mode: str) -> _Examined:
    """Run the contract over a body and count its prompt once; changes nothing."""
    host, files = taken.host, taken.session.files
    rendered: list[Prompt] = []

    def render(request: ChatRequest) -> Prompt:
        if not rendered:
            rendered.append(host.template.render(with_uploads(request, files)))
        return rendered[0]

    request, against = parse.violations(
        body,
        host.profile,
        size=taken.raw.size,
        prompt_tokens=lambda asked: accounting.prompt_tokens(render(asked), host.accounting),
    )
    refusals: list[ApiError] = []
    if mode == "warn":
        refusals = list(against)
    elif mode == "enforce":
        refusals = [error for error in [next(against, None)] if error is not None]
    return _Examined(
        request=with_uploads(request, files), refusals=tuple(refusals), prompt=render(request)
    )


def _cap(host: Host, examined: _Examined) -> int:
    """Return the effective output cap: as asked or by default, within what the window leaves."""
    limits = host.profile.limits
    asked = examined.request.cap
    if asked is None or asked < 1:
        asked = limits.default_cap_tokens
    room = limits.window_tokens - accounting.prompt_tokens(examined.prompt, host.accounting)
    return max(1, min(asked, room))


def _first_call(host: Host, request: ChatRequest) -> int:
    if host.profile.wire.tool_id_scope is ToolIdScope.MESSAGE:
        return 0
    return sum(len(message.tool_calls) for message in request.messages)


def _digest(raw: RawRequest) -> bytes:
    named = hashlib.blake2b(digest_size=16)
    for part in (raw.method.encode(), raw.path.encode(), raw.body):
        named.update(len(part).to_bytes(8) + part)
    return named.digest()


@lru_cache(maxsize=256)
def _parsed_pace(text: str) -> Pacing:
    return parse_pace(text)


@lru_cache(maxsize=256)
def _seeded(value: int) -> Seed:
    return Seed(value)
