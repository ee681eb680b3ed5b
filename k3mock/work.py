"""Turns a body into what is known of it: the pure and possibly long work of a request.

Nothing here changes shared state, so that long bodies can be worked on in a thread.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from k3mock.contract import noticing, parse
from k3mock.contract.jsontext import read_json
from k3mock.contract.read import request_digest
from k3mock.contract.rule import Effect
from k3mock.files import with_uploads
from k3mock.past import LEAST_BYTES, Past
from k3mock.protocol.failure import ApiError
from k3mock.protocol.policy import Partial, ToolIds, ToolIdScope
from k3mock.protocol.reply import ContentDelta, ReasoningDelta
from k3mock.text import accounting
from k3mock.text.turn import generate

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.contract.rule import Violation
    from k3mock.fault.bend import Bend
    from k3mock.hosts import Host
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply, ReplyEvent
    from k3mock.protocol.request import ChatRequest, RawRequest
    from k3mock.seed import Chance
    from k3mock.state import Session
    from k3mock.text.template import Prompt
    from k3mock.text.turn import Turn


@dataclass(frozen=True, slots=True)
class Read:
    """A body as JSON, and what is known of it."""

    body: JSONObject
    past: Past = field(default_factory=Past)


Body: TypeAlias = "tuple[JSONObject | ApiError, bytes, Past]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A body that the contract has looked at: its reading, violations and rendered prompt.

    `cap` is the effective output cap, `notes` are what the host does without a word.
    """

    request: ChatRequest
    violations: tuple[Violation, ...]
    prompt: Prompt
    cap: int
    notes: tuple[ApiError, ...] = ()


def raw_digest(raw: RawRequest) -> bytes:
    """Identify a request whose body is not understood, or does not matter."""
    named = hashlib.blake2b(digest_size=16)
    for part in (raw.method.encode(), raw.path.encode("utf-8", "replace"), raw.body):
        named.update(len(part).to_bytes(8) + part)
    return named.digest()


def recalled(raw: RawRequest, host: Host) -> Body | None:
    """Return a body that begins like an earlier one, where there was one, as `read_body` does."""
    if raw.size > host.profile.limits.body_bytes:
        return None
    found = host.conversations.recall(raw.body, read_json)
    if found is None:
        return None
    body, past = found
    past.request = request_digest(body, past)
    return body, past.request, past


def read_body(raw: RawRequest, host: Host) -> Body:
    """Return a body as JSON or its refusal, what identifies the request, and what is known of it.

    Nothing is known yet.
    """
    past = Past(raw.body)
    body = parse.read_body(raw, host.profile)
    if isinstance(body, ApiError):
        return body, raw_digest(raw), past
    past.request = request_digest(body, past if raw.size >= LEAST_BYTES else None)
    return body, past.request, past


def examine(host: Host, read: Read, size: int, session: Session, mode: str) -> Examined:
    """Run the contract over a body and count its prompt once.

    `mode` is `enforce` (nothing is looked for behind the first refusal), `warn` (everything is
    wanted) or `off`. Of the session, its files and what it was answered are read; `past` is what
    is known of the messages, and gets to know what is found out of them.
    """
    files = session.files
    body, past = read.body, read.past
    rendered: list[Prompt] = []

    def render(request: ChatRequest) -> Prompt:
        if not rendered:
            asked = with_uploads(request, files)
            same = request.body.get("messages") is body.get("messages")
            known = past if same and asked is request else Past()
            rendered.append(host.template.render(asked, thinking=asked.thinking, past=known))
        return rendered[0]

    request, found = parse.violations(
        body,
        host.profile,
        size=size,
        prompt_tokens=lambda asked: accounting.prompt_tokens(render(asked), host.accounting),
        issued=session.issued,
        past=past,
    )
    violations: list[Violation] = []
    for violation in found if mode != "off" else ():
        violations.append(violation)
        if mode == "enforce" and violation.effect is Effect.REFUSE:
            break
    prompt = render(request)
    cap = effective_cap(host, request, prompt)
    notes = noticing.notes(body, request, host.profile, cap=cap, issued=session.issued, past=past)
    host.conversations.keep(body, past)
    return Examined(
        request=with_uploads(request, files),
        violations=tuple(violations),
        prompt=prompt,
        cap=cap,
        notes=notes,
    )


def generate_turn(
    host: Host, examined: Examined, written: Reply, policy: WirePolicy, bend: Bend, chance: Chance
) -> Turn:
    """Generate a written answer token by token, as the faults change and cut it."""
    request = examined.request
    written = _after_prefix(written, request, policy)
    for rewrite in bend.rewrites:
        written = rewrite(written, request, chance)
    if not request.thinking and not written.literal:
        spoken = (event for event in written.events if not isinstance(event, ReasoningDelta))
        written = replace(written, events=tuple(spoken))
    caps = [cap(written, request, host.template) for cap in bend.caps]
    turn = generate(
        written,
        host.template,
        cap=min([examined.cap, *caps]),
        stop=request.stop,
        partial=request.partial is not None,
        call_id=call_ids(policy, request, chance),
    )
    if not request.thinking:
        # Where nothing was thought, no block of it ended either, so that none is reported.
        turn = replace(turn, counts=replace(turn.counts, closed=False))
    for edit in bend.edits:
        turn = replace(turn, reply=edit(turn.reply, request, chance))
    return turn


def _after_prefix(written: Reply, request: ChatRequest, policy: WirePolicy) -> Reply:
    """Return the answer to a prefix as the dialect has it: the rest, all of it, or nothing."""
    if request.partial is None or policy.partial_result is Partial.CONTINUE:
        return written
    events: list[ReplyEvent] = [
        event for event in written.events if not isinstance(event, ContentDelta)
    ]
    if policy.partial_result is Partial.REPEAT_PREFIX:
        events.append(ContentDelta(request.partial.text + written.content))
    return replace(written, events=tuple(events))


def effective_cap(host: Host, request: ChatRequest, prompt: Prompt) -> int:
    """Return the output cap: as asked or by default, within what the window leaves."""
    limits = host.profile.limits
    asked = request.cap
    if asked is None or asked < 1:
        asked = limits.default_cap_tokens
    room = limits.window_tokens - accounting.prompt_tokens(prompt, host.accounting)
    return max(1, min(asked, room))


def call_ids(policy: WirePolicy, request: ChatRequest, chance: Chance) -> Callable[[str, int], str]:
    """Return what makes the id of a call from its name and its place in the message."""
    before: list[int] = []

    def made(name: str, number: int) -> str:
        if not before:
            counted = request.messages if policy.tool_id_scope is ToolIdScope.CONVERSATION else ()
            before.append(sum(len(message.tool_calls) for message in counted))
        first = policy.tool_id_start + before[0]
        match policy.tool_ids:
            case ToolIds.K3:
                return f"{name}_{first + number}"
            case ToolIds.KIMI_FUNCTIONS:
                return f"functions.{name}:{first + number}"
            case ToolIds.KIMI_SHORT:
                return f"{name}:{first + number}"
            case ToolIds.OPENAI:
                return "call_" + "".join(chance.choices(_ID_LETTERS, k=24))
            case ToolIds.UUID:
                return str(uuid.UUID(int=chance.getrandbits(128), version=4))

    return made


_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
