"""Turns a request into what its host drops, changes or overlooks without a word; rules layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from k3mock.contract.checks import history
from k3mock.contract.checks.fields import shown_value
from k3mock.contract.checks.subject import Finding
from k3mock.contract.forward import Forward, lookup
from k3mock.contract.heard import changed_fields, empty, leaves, same
from k3mock.jsonvalue import JSONObject, as_list, as_object, as_text
from k3mock.past import Step
from k3mock.state import said_digest, text_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from k3mock.contract.heard import Heard
    from k3mock.contract.note import Note
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue
    from k3mock.past import Found as Noted

_NOTHING = Forward()
_PLAIN = frozenset({"role", "content"})
_PARTIAL = frozenset({"partial"})
_NOTED: Step[Finding] = Step("noted")
_REPLAYED: Step[tuple[bytes, bytes]] = Step("replayed")
_CALLED: Step[tuple[bytes, ...]] = Step("called")
_SHOWN = 100
"""So many characters of a name or a value are shown."""

Found: TypeAlias = "Iterator[Finding]"


def _found(path: str, **values: str) -> Finding:
    return Finding(path[: 2 * _SHOWN], {name: text[:_SHOWN] for name, text in values.items()})


def _folded(heard: Heard, _note: Note) -> Found:
    for path, name in (heard.profile.forward or _NOTHING).fold.items():
        if not empty(lookup(heard.received, path)) and heard.received.get(name) is None:
            yield _found(path, field=path, other=name)


def _renamed(heard: Heard, _note: Note) -> Found:
    for old, new in (heard.profile.forward or _NOTHING).rename.items():
        if heard.received.get(old) is not None and heard.received.get(new) is None:
            yield _found(old, field=old, other=new)


def _removed(heard: Heard, _note: Note) -> Found:
    forward = heard.profile.forward or _NOTHING
    for name in forward.remove:
        if not heard.harmless(name, heard.received.get(name)):
            yield _found(name, field=name)
    for path in forward.fold:
        root, _, kept = path.partition(".")
        for key, value in (as_object(heard.received.get(root)) or {}).items():
            if key != kept and not empty(value):
                yield _found(f"{root}.{key}", field=f"{root}.{key}")


def _removed_from_messages(heard: Heard, note: Note) -> Found:
    names = (heard.profile.forward or _NOTHING).remove_from_messages

    def look(at: int, message: JSONObject) -> Found:
        for name in names:
            if not empty(message.get(name)) and message.get(name) is not False:
                yield _found(f"messages.{at}.{name}", field=name)

    return _of_messages(heard, note, look, frozenset(names))


def _set(heard: Heard) -> Iterator[tuple[str, JSONValue, JSONValue]]:
    """Yield (field, as it came, as it is forwarded) of what a gateway sets."""
    for name in (heard.profile.forward or _NOTHING).set:
        came, sent = heard.received.get(name), heard.forwarded.get(name)
        if not same(came, sent):
            yield name, came, sent


def _overwritten(heard: Heard, _note: Note) -> Found:
    for name, came, sent in _set(heard):
        if came is not None:
            yield _found(name, field=name, value=shown_value(sent))


def _added(heard: Heard, _note: Note) -> Found:
    for name, came, sent in _set(heard):
        if came is None:
            yield _found(name, field=name, value=shown_value(sent))


def _overruled(heard: Heard, note: Note) -> Found:
    one, other = lookup(heard.received, note.field), lookup(heard.received, note.other)
    if one is not None and other is not None and not same(one, other):
        yield _found(note.field, field=note.field, other=note.other)


def _deprecated(heard: Heard, note: Note) -> Found:
    if heard.received.get(note.field) is not None:
        yield _found(note.field, field=note.field, other=note.other)


def _cap(heard: Heard, _note: Note) -> Found:
    asked = heard.request.cap
    if asked is None or asked == heard.cap:
        return
    preferred = heard.received.get("max_completion_tokens") is not None
    name = "max_completion_tokens" if preferred else "max_tokens"
    yield _found(name, field=name, asked=str(asked), used=str(heard.cap))


def _thinking(heard: Heard, _note: Note) -> Found:
    if not heard.harmless("thinking", heard.forwarded.get("thinking")):
        yield _found("thinking", field="thinking")


def _effort(heard: Heard, _note: Note) -> Found:
    asked, used = as_text(heard.received.get("reasoning_effort")), heard.request.effort
    if asked is not None and asked != used:
        yield _found("reasoning_effort", field="reasoning_effort", asked=asked, used=used)


def _unstreamed(heard: Heard, note: Note) -> Found:
    if not heard.request.stream and not empty(heard.received.get(note.field)):
        yield _found(note.field, field=note.field)


def _ignored(heard: Heard, _note: Note) -> Found:
    for name, value in _unchanged(heard):
        if _has_no_effect(heard.profile, name) and not heard.harmless(name, value):
            yield _found(name, field=name)


def _unlisted(heard: Heard, _note: Note) -> Found:
    engine = heard.profile.engine or heard.profile
    for name, value in _unchanged(heard):
        used = name in engine.known.fields and not _has_no_effect(heard.profile, name)
        if used and name not in heard.profile.known.fields and not empty(value):
            yield _found(name, field=name)


def _unknown(heard: Heard, _note: Note) -> Found:
    body = dict(_unchanged(heard))
    ignored = {name for name in body if _has_no_effect(heard.profile, name)}
    for name, value in leaves(body, known_fields(heard.profile, "fields") | ignored):
        if not empty(value):
            yield _found(name, field=name)


def _message_unknown(heard: Heard, note: Note) -> Found:
    known = known_fields(heard.profile, "message_fields")

    def look(at: int, message: JSONObject) -> Found:
        if message.keys() <= _PLAIN and known >= _PLAIN:
            return
        for name, value in leaves(message, known):
            if not empty(value):
                yield _found(f"messages.{at}.{name}", field=name)

    return _of_messages(heard, note, look)


def _part_unknown(heard: Heard, note: Note) -> Found:
    known = known_fields(heard.profile, "part_fields")

    def look(at: int, message: JSONObject) -> Found:
        for index, item in enumerate(as_list(message.get("content")) or []):
            for name, value in leaves(as_object(item) or {}, known):
                if not heard.harmless(name, value):
                    yield _found(f"messages.{at}.content.{index}.{name}", field=name)

    return _of_messages(heard, note, look)


def _partial(heard: Heard, note: Note) -> Found:
    if "partial" in (heard.profile.forward or _NOTHING).remove_from_messages:
        return iter(())
    last = len(heard.messages) - 1

    def look(at: int, message: JSONObject) -> Found:
        used = at == last and message.get("role") == "assistant"
        if message.get("partial") is True and not used:
            yield _found(f"messages.{at}.partial", field="partial")

    return _of_messages(heard, note, look, _PARTIAL)


def _of_messages(
    heard: Heard,
    note: Note,
    look: Callable[[int, JSONObject], Found],
    needed: frozenset[str] | None = None,
) -> Found:
    """Look at each message that is new, and tell what was found in the others.

    Without any of the `needed` fields there is nothing to find.
    """
    noted = _NOTED.found(heard.subject.past, note.id)
    for _, finding in noted.items:
        yield finding
    messages = heard.messages
    for at in range(noted.upto, len(messages)):
        message = as_object(messages[at]) or {}
        if needed is None or not needed.isdisjoint(message):
            for finding in look(at, message):
                noted.items.append((at, finding))
                yield finding
        noted.upto = at + 1


def _reasoning_missing(heard: Heard, note: Note) -> Found:
    def look(at: int, message: JSONObject) -> Found:
        if message.get("role") == "assistant":
            for finding in history.reasoning_missing(heard.subject.at(at)):
                yield _found(finding.path, field="reasoning_content")

    return _of_messages(heard, note, look)


def _reasoning_changed(heard: Heard, _note: Note) -> Found:
    given = heard.subject.issued.reasoning
    for at, (said, thought) in _replayed(heard).items if given else ():
        known = given.get(said)
        if known is not None and thought not in known:
            yield _found(f"messages.{at}.reasoning_content", field="reasoning_content")


def _replayed(heard: Heard) -> Noted[tuple[bytes, bytes]]:
    """Return what earlier answers said, and what they thought, as the client sends it back."""
    subject = heard.subject
    replayed = _REPLAYED.found(subject.past)
    for at in range(replayed.upto, len(heard.messages)):
        message = subject.request.messages[at]
        if message.role == "assistant" and history.reasoning_is_replayed(subject.at(at)):
            said = said_digest(message.text, [(call.id, call.name) for call in message.tool_calls])
            replayed.items.append((at, (said, text_digest(message.reasoning or ""))))
        replayed.upto = at + 1
    return replayed


def _call_unknown(heard: Heard, _note: Note) -> Found:
    given = heard.subject.issued.calls
    for at, calls in _called(heard).items if given else ():
        for index, call in enumerate(calls):
            if call not in given:
                yield _found(f"messages.{at}.tool_calls.{index}.id")


def _called(heard: Heard) -> Noted[tuple[bytes, ...]]:
    """Return the ids of calls, as what was given out is kept."""
    called = _CALLED.found(heard.subject.past)
    for at in range(called.upto, len(heard.messages)):
        calls = heard.subject.request.messages[at].tool_calls
        if calls:
            called.items.append((at, tuple(text_digest(call.id) for call in calls)))
        called.upto = at + 1
    return called


def _unchanged(heard: Heard) -> Iterator[tuple[str, JSONValue]]:
    """Yield the top-level fields that the gateway leaves as they are."""
    changed = changed_fields(heard.profile)
    for name, value in heard.received.items():
        if name not in changed:
            yield name, value


def _has_no_effect(profile: Profile, name: str) -> bool:
    own, engine = profile.known, profile.engine
    if name in own.ignored or name in own.fields:
        return name in own.ignored
    return engine is not None and name in engine.known.ignored


def known_fields(profile: Profile, kind: str) -> frozenset[str]:
    """Return the fields of a kind that the host or the engine behind it takes."""

    def joined() -> frozenset[str]:
        found: frozenset[str] = getattr(profile.known, kind)
        behind: frozenset[str] = getattr((profile.engine or profile).known, kind)
        return found | behind

    return profile.once(f"known.{kind}", joined)


Looking: TypeAlias = "Callable[[Heard, Note], Iterable[Finding]]"


def _anywhere(_profile: Profile) -> bool:
    return True


def _whatever(_profile: Profile, _note: Note) -> Iterable[str] | None:
    return None


def _of_note(_profile: Profile, note: Note) -> Iterable[str]:
    return (note.field.partition(".")[0],)


def _of_forward(*parts: str) -> Callable[[Profile, Note], Iterable[str]]:
    """Return the fields that a gateway changes in one of these ways."""
    return lambda profile, _: [
        path.partition(".")[0]
        for part in parts
        for path in getattr(profile.forward or _NOTHING, part)
    ]


def _as_sent(*names: str) -> Callable[[Profile, Note], Iterable[str] | None]:
    """Return fields of what is forwarded; a gateway may make them of others."""
    return lambda profile, _: names if profile.forward is None else None


def _without_effect(profile: Profile) -> set[str]:
    engine = profile.engine or profile
    listed = {*profile.known.ignored, *engine.known.ignored}
    return {name for name in listed if _has_no_effect(profile, name)}


def _known_whole(profile: Profile) -> Iterable[str]:
    known = known_fields(profile, "fields")
    inner = {name.partition(".")[0] for name in known if "." in name}
    return ((known | _without_effect(profile)) - inner) | changed_fields(profile)


def _forwards(part: str) -> Callable[[Profile], bool]:
    return lambda profile: bool(getattr(profile.forward, part, None))


@dataclass(frozen=True, slots=True)
class Look:
    """A named look.

    `fills` are the placeholders that it fills, `args` the keys it needs; `where` says at which
    hosts there is something to find. `needs` are the fields of the body without all of which there
    is nothing to find, `quiet` those of which nothing is said; None: that cannot be told.
    """

    about: str
    find: Looking
    fills: frozenset[str] = frozenset({"field"})
    args: tuple[str, ...] = ()
    where: Callable[[Profile], bool] = _anywhere
    needs: Callable[[Profile, Note], Iterable[str] | None] = _whatever
    quiet: Callable[[Profile], Iterable[str]] | None = None


_BOTH = frozenset({"field", "other"})
_VALUE = frozenset({"field", "value"})
_USED = frozenset({"field", "asked", "used"})

LOOKS: Mapping[str, Look] = {
    "folded": Look("what the gateway moves to the top level", _folded, _BOTH,
                   where=_forwards("fold"), needs=_of_forward("fold")),
    "renamed": Look("what the gateway renames", _renamed, _BOTH, where=_forwards("rename"),
                    needs=_of_forward("rename")),
    "removed": Look("what the gateway takes away", _removed,
                    where=lambda host: host.forward is not None
                    and bool(host.forward.remove or host.forward.fold),
                    needs=_of_forward("remove", "fold")),
    "removed_from_messages": Look("what it takes away from messages", _removed_from_messages,
                                  where=_forwards("remove_from_messages")),
    "overwritten": Look("what it overwrites", _overwritten, _VALUE, where=_forwards("set"),
                        needs=_of_forward("set")),
    "added": Look("what it adds", _added, _VALUE, where=_forwards("set")),
    "overruled": Look("a field that another one overrules", _overruled, _BOTH, ("field", "other"),
                      needs=_of_note),
    "deprecated": Look("a field that another one replaces", _deprecated, _BOTH, ("field", "other"),
                       needs=_of_note),
    "cap": Look("a cap that is not the one that is used", _cap, _USED,
                needs=_as_sent("max_completion_tokens", "max_tokens")),
    "thinking": Look("a `thinking` object without effect", _thinking,
                     where=lambda host: host.switches.get("thinking") == "ignore",
                     needs=_as_sent("thinking")),
    "effort": Look("an effort that is not the one that is used", _effort, _USED,
                   needs=lambda _host, _note: ("reasoning_effort",)),
    "unstreamed": Look("a field that is for streams alone", _unstreamed, args=("field",),
                       needs=_of_note),
    "ignored": Look("fields that are known to have no effect", _ignored,
                    needs=lambda host, _: _without_effect(host)),
    "unlisted": Look("fields that only the engine knows", _unlisted,
                     where=lambda host: host.engine is not None,
                     needs=lambda host, _: (host.engine or host).known.fields),
    "unknown": Look("fields that nobody knows", _unknown, quiet=_known_whole),
    "message_unknown": Look("fields of messages that nobody knows", _message_unknown),
    "part_unknown": Look("fields of content parts that nobody knows", _part_unknown),
    "partial": Look("`partial` where it has no effect", _partial),
    "reasoning_missing": Look("reasoning that did not come back", _reasoning_missing),
    "reasoning_changed": Look("reasoning that came back changed", _reasoning_changed),
    "call_unknown": Look("call ids that were not given out", _call_unknown, frozenset()),
}  # fmt: skip
