"""Turns a request and what became of it into what looks for notes see; rules layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.jsonvalue import JSONObject, JSONValue, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.profile import Profile
    from k3mock.protocol.request import ChatRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A request as notes look at it.

    `received` is the body as it came, `forwarded` as the engine sees it, `request` the reading of
    that; `subject` is for checks of the history that came. `cap` is what the answer may have.
    """

    received: JSONObject
    forwarded: JSONObject
    request: ChatRequest
    profile: Profile
    subject: Subject
    cap: int

    @property
    def messages(self) -> list[JSONValue]:
        return self.subject.messages

    def harmless(self, name: str, value: JSONValue) -> bool:
        """Say whether nothing is lost when a field with this value has no effect."""
        engine = self.profile.engine or self.profile
        fitting = [
            rule.args.get("value")
            for rule in engine.rules
            if rule.check == "only" and rule.args.get("field") == name and not rule.when
        ]
        for known in (self.profile.known, engine.known):
            fitting += (*known.ignored.get(name, ()), *known.harmless.get(name, ()))
        return empty(value) or any(same(value, fits) for fits in fitting)


def changed_fields(profile: Profile) -> frozenset[str]:
    """Return the top-level fields that a gateway changes or takes away."""
    forward = profile.forward
    if forward is None:
        return frozenset()

    def listed() -> frozenset[str]:
        folded = (path.partition(".")[0] for path in forward.fold)
        return frozenset((*folded, *forward.rename, *forward.remove, *forward.set))

    return profile.once("changed", listed)


def empty(value: JSONValue) -> bool:
    """Say whether a value says nothing."""
    return value is None or value in ("", [], {})


def same(one: JSONValue, other: JSONValue) -> bool:
    """Say whether two values are the same; true and 1 are not."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


@lru_cache(maxsize=64)
def _outer(known: frozenset[str]) -> frozenset[str]:
    """Return the fields inside of which some are known."""
    return frozenset(name.partition(".")[0] for name in known if "." in name)


def leaves(holder: JSONObject, known: frozenset[str]) -> Iterator[tuple[str, JSONValue]]:
    """Yield (dotted name, value) of the fields of an object that are not known.

    What is inside a field is looked at where something inside it is known.
    """
    inner = _outer(known)
    for name, value in holder.items():
        if name not in known:
            yield name, value
        elif name in inner:
            for key, more in (as_object(value) or {}).items():
                if f"{name}.{key}" not in known:
                    yield f"{name}.{key}", more
