"""Turns the body that a gateway received into the one that it forwards; rules layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """What a gateway changes before the engine sees a request, in this order.

    Attributes:
        fold: dotted path to a top-level key that takes its value, unless it has one already.
        rename: old to new name; where both are sent, the new name's value is kept.
        remove: top-level keys that are taken away.
        remove_from_messages: keys that are taken away from every message; a message with nothing
            left but its role is dropped.
        set: keys that are overwritten.
        set_when_streaming: whether `set` is for streams only.
    """

    fold: Mapping[str, str] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    remove_from_messages: tuple[str, ...] = ()
    set: Mapping[str, JSONValue] = field(default_factory=dict)
    set_when_streaming: bool = False

    def apply(self, body: JSONObject) -> JSONObject:
        """Return the forwarded body; the received one is not touched."""
        result = dict(body)
        for path, key in self.fold.items():
            value = lookup(body, path)
            result.pop(path.partition(".")[0], None)
            if value is not None and result.get(key) is None:
                result[key] = value
        for old, new in self.rename.items():
            if old in result:
                value = result.pop(old)
                if result.get(new) is None and value is not None:
                    result[new] = value
        for key in self.remove:
            result.pop(key, None)
        if self.remove_from_messages and "messages" in result:
            result["messages"] = self._messages(result["messages"])
        if not self.set_when_streaming or body.get("stream") is True:
            result.update(self.set)
        return result

    def seen(self, body: JSONObject) -> JSONObject:
        """Return the body as the gateway's own rules look at it.

        Tools on messages mean nothing to a gateway that takes them away, so that its rules for
        tools are not for them.
        """
        messages = as_list(body.get("messages"))
        if messages is None or "tools" not in self.remove_from_messages:
            return body
        if not any("tools" in message for message in messages if isinstance(message, dict)):
            return body
        return {**body, "messages": [_without(message, "tools") for message in messages]}

    def _messages(self, value: JSONValue) -> JSONValue:
        messages = as_list(value)
        if messages is None:
            return value
        removed = frozenset(self.remove_from_messages)
        if all(removed.isdisjoint(message) for message in messages if isinstance(message, dict)):
            # The very same list: what is known of it holds behind the gateway, too.
            return value
        kept: list[JSONValue] = []
        for item in messages:
            message = as_object(item)
            if message is None or removed.isdisjoint(message):
                kept.append(item)
                continue
            left = {key: inner for key, inner in message.items() if key not in removed}
            if left.keys() - {"role"}:
                kept.append(left)
        return kept


def _without(value: JSONValue, key: str) -> JSONValue:
    holder = as_object(value)
    if holder is None or key not in holder:
        return value
    return {name: inner for name, inner in holder.items() if name != key}


def lookup(body: JSONObject, path: str) -> JSONValue:
    """Return the value at a dotted path, None where there is none."""
    value: JSONValue = body
    for step in path.split("."):
        inner = as_object(value)
        if inner is None:
            return None
        value = inner.get(step)
    return value
