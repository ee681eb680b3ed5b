"""Turns a request into what checks look at, and what they find into places and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from k3mock.contract.shape import SWITCHES
from k3mock.jsonvalue import as_list, as_object
from k3mock.past import Past, Step
from k3mock.protocol.policy import ToolIds
from k3mock.state import Issued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from k3mock.contract.profile import Limits
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.request import ChatRequest


class Stage(StrEnum):
    """What a check looks at: the wire, the whole body, or one message at a time."""

    TRANSPORT = "transport"
    BODY = "body"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation: where in the body (dotted path), and the words that fill the rule's text."""

    path: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A request under examination.

    `size` is the body's length in bytes, `prompt_tokens` counts on demand, `position` is the
    message under examination for message checks. `switches` are the profile's, `tool_ids` is the
    form of its ids, `issued` what the session's answers held; `past` is what is known of the
    messages.
    """

    body: JSONObject
    request: ChatRequest
    models: frozenset[str]
    limits: Limits
    size: int
    prompt_tokens: Callable[[], int]
    position: int = 0
    switches: Mapping[str, str] = field(default_factory=dict)
    tool_ids: ToolIds = ToolIds.K3
    issued: Issued = field(default_factory=Issued)
    past: Past = field(default_factory=Past)

    def at(self, position: int) -> Subject:
        """Return the same request with another message under examination."""
        return Subject(
            body=self.body, request=self.request, models=self.models, limits=self.limits,
            size=self.size, prompt_tokens=self.prompt_tokens, position=position,
            switches=self.switches, tool_ids=self.tool_ids, issued=self.issued, past=self.past,
        )  # fmt: skip

    def switch(self, name: str) -> str:
        """Return the value of a switch; a profile that does not set it has the usual one."""
        return self.switches.get(name, SWITCHES[name][0])

    @property
    def messages(self) -> list[JSONValue]:
        return as_list(self.body.get("messages")) or []

    @property
    def message(self) -> JSONObject:
        """The message under examination; empty when it is not an object."""
        messages = self.messages
        return as_object(messages[self.position]) or {} if self.position < len(messages) else {}

    def declared_tools(self) -> Iterator[tuple[str, JSONValue]]:
        """Yield (path, item) of every tool: top level first, then dynamic declarations."""
        for index, item in enumerate(as_list(self.body.get("tools")) or []):
            yield f"tools.{index}", item
        messages = self.messages
        declaring = _DECLARING.found(self.past)
        for position in range(declaring.upto, len(messages)):
            declared = as_object(messages[position])
            if declared is not None and declared.get("role") == "system" and "tools" in declared:
                declaring.items.append((position, declared))
        declaring.upto = len(messages)
        for position, declared in declaring.items:
            for index, item in enumerate(as_list(declared.get("tools")) or []):
                yield f"messages.{position}.tools.{index}", item


_DECLARING: Step[JSONObject] = Step("declaring")
"""Messages that declare tools."""

Looking: TypeAlias = "Callable[[Subject, Rule], Iterable[Finding]]"


def always(*names: str) -> Callable[[Rule], Iterable[str]]:
    """Return what a check needs, whatever the rule says."""
    return lambda _: names


def of_field(rule: Rule) -> Iterable[str]:
    """Return the field that a rule names; of a path the first step."""
    return (str(rule.args.get("field")).partition(".")[0],)


def of_fields(rule: Rule) -> Iterable[str]:
    """Return the fields that a rule lists with their types."""
    return as_object(rule.args.get("fields")) or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A named check.

    `args` are the rule keys it reads, each with the type its value must have, `optional` those it
    reads if they are there; `words` are the only texts that may stand in an argument's value;
    `fills` are the placeholders that the check can fill in a message, `switches` those that say
    what it looks at.

    Two facts spare most of the looking. `needs` names the fields without all of which there is
    nothing to find, of the body or, for a check of messages, of the message; `messages.NAME` is a
    field of any message, `content.parts` content that is a list, and `role.ROLE` a role. None of
    them: it always looks. `by_shape` says that a check of messages sees nothing but the role, which
    fields there are, their types, and whether they are empty.

    A check of messages finds the same again in a message that comes again behind the same messages,
    unless it is `of_session`.
    """

    name: str
    about: str
    look: Looking
    stage: Stage = Stage.BODY
    args: Mapping[str, type | tuple[type, ...]] = field(default_factory=dict)
    optional: Mapping[str, type | tuple[type, ...]] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fills: frozenset[str] = frozenset()
    switches: tuple[str, ...] = ()
    needs: Callable[[Rule], Iterable[str]] | None = None
    by_shape: bool = False
    of_session: bool = False
