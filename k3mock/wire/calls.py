"""Turns events of tool calls into the order and the items in which they are shown; rules layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import orjson

from k3mock.jsonvalue import as_object
from k3mock.protocol.policy import ParallelOrder, ToolArguments
from k3mock.protocol.reply import ToolArgumentsDelta, ToolCallStart, ToolDelta
from k3mock.seed import Chance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import FrameEvent, ReplyEvent, SpokenEvent

_LEVELS_AROUND = 12
"""How deep arguments stand in a chunk, generously; the encoder goes 254 levels deep."""


CALLING = frozenset((ToolCallStart, ToolArgumentsDelta, ToolDelta))
"""What a message's calls are made of."""

_NOTHING: tuple[JSONValue, ...] = (None, "")


@dataclass(frozen=True, slots=True)
class Held:
    """A piece of a call that is kept back until the call is whole."""

    tokens: int


@dataclass(frozen=True, slots=True)
class WholeCall:
    """A call with all its arguments; `start` is None where nothing opened it."""

    start: ToolCallStart | None
    index: int
    arguments: str
    tokens: int


Word: TypeAlias = "SpokenEvent | Held | WholeCall"
ShownEvent: TypeAlias = "Word | FrameEvent"


def arguments_value(text: str, policy: WirePolicy) -> JSONValue:
    """Return arguments as shown: as text, or as the JSON object itself where it is one."""
    if policy.tool_arguments is not ToolArguments.OBJECT:
        return text
    try:
        value: JSONValue = orjson.loads(text)
        nested = value
        for _ in range(_LEVELS_AROUND):
            nested = [nested]
        orjson.dumps(nested)
    except (ValueError, TypeError):
        return text
    return value if isinstance(value, dict) else text


def arranged(
    events: Sequence[ReplyEvent],
    policy: WirePolicy,
    chance: Chance | None = None,
    *,
    literal: bool = False,
) -> list[ShownEvent]:
    """Return the events in the host's order: calls side by side, or kept back until whole.

    Literal events keep the order in which they were written.
    """
    if policy.tool_arguments is not ToolArguments.FRAGMENTS:
        return _whole(events)
    if literal or policy.parallel_order is ParallelOrder.SEQUENTIAL:
        return [*events]
    return [*_interleaved(events, policy.parallel_order, chance)]


def _interleaved(
    events: Sequence[ReplyEvent], order: ParallelOrder, chance: Chance | None
) -> list[ReplyEvent]:
    """Give the heads of all calls first, then their arguments in turns.

    Calls move among their own places only, so that what stands between them stays where it is.
    """
    heads: list[ReplyEvent] = [event for event in events if isinstance(event, ToolCallStart)]
    waiting: dict[int, list[ToolArgumentsDelta]] = {}
    for event in events:
        if isinstance(event, ToolArgumentsDelta):
            waiting.setdefault(event.index, []).append(event)
    text = "".join(part.text for parts in waiting.values() for part in parts)
    drawn = None if order is ParallelOrder.ROUND_ROBIN else chance or Chance(text)
    moved = iter([*heads, *_in_turns(list(waiting.values()), drawn)])
    return [
        next(moved) if isinstance(event, ToolCallStart | ToolArgumentsDelta) else event
        for event in events
    ]


def _in_turns(
    waiting: list[list[ToolArgumentsDelta]], chance: Chance | None
) -> Iterable[ToolArgumentsDelta]:
    turn = 0
    while waiting:
        turn = chance.randrange(len(waiting)) if chance is not None else turn % len(waiting)
        yield waiting[turn].pop(0)
        if waiting[turn]:
            turn += 1
        else:
            del waiting[turn]


def _whole(events: Sequence[ReplyEvent]) -> list[ShownEvent]:
    """Keep the pieces of each call back until its last one, as hosts do that buffer calls."""
    shown: list[ShownEvent] = [*events]
    calls: list[list[int]] = []
    latest: dict[int, list[int]] = {}
    for at, event in enumerate(events):
        if not isinstance(event, ToolCallStart | ToolArgumentsDelta):
            continue
        if isinstance(event, ToolCallStart) or event.index not in latest:
            latest[event.index] = []
            calls.append(latest[event.index])
        latest[event.index].append(at)
    for places in calls:
        for place in places[:-1]:
            shown[place] = Held(events[place].tokens)
        shown[places[-1]] = _call([events[place] for place in places])
    return shown


def _call(parts: Sequence[ReplyEvent]) -> WholeCall:
    start = parts[0] if isinstance(parts[0], ToolCallStart) else None
    more = [part for part in parts if isinstance(part, ToolArgumentsDelta)]
    index = start.index if start is not None else more[0].index
    return WholeCall(start, index, "".join(part.text for part in more), parts[-1].tokens)


def merged_calls(events: Sequence[ReplyEvent], policy: WirePolicy) -> list[JSONObject]:
    """Return the calls of a whole message, literal deltas among them put together.

    A literal delta opens a call when it has an id that no call has, or a name and an index that no
    call has (a missing index counts as one). Any other belongs to the call of its id, else to the
    latest one of its index, else to the latest of all. It adds its arguments (texts are joined,
    objects are laid over each other, null adds nothing) and whatever key the call lacks.
    """
    merger = _Merger(policy)
    for event in events:
        match event:
            case ToolCallStart():
                merger.start(event)
            case ToolArgumentsDelta():
                merger.add(event)
            case ToolDelta():
                merger.literal(event.fields)
            case _:
                pass
    return merger.items()


@dataclass(slots=True)
class _Call:
    item: JSONObject
    index: JSONValue
    ours: bool
    texts: list[str] = field(default_factory=list)


class _Merger:
    def __init__(self, policy: WirePolicy) -> None:
        self._policy = policy
        self._calls: list[_Call] = []

    def start(self, event: ToolCallStart) -> None:
        index = event.index + self._policy.tool_index_base
        item: JSONObject = {
            "index": index,
            "id": event.id or "",
            "type": "function",
            "function": {"name": event.name, "arguments": ""},
        }
        self._calls.append(_Call(item, index, ours=True))

    def add(self, event: ToolArgumentsDelta) -> None:
        call = self._of(None, event.index + self._policy.tool_index_base)
        if call is not None:
            call.texts.append(event.text)

    def literal(self, fields: JSONObject) -> None:
        name, index = fields.get("id") or None, fields.get("index")
        function = as_object(fields.get("function")) or {}
        known = name is not None and any(call.item.get("id") == name for call in self._calls)
        unseen = bool(function.get("name")) and all(call.index != index for call in self._calls)
        opens = not known and (name is not None or unseen)
        call = None if opens else self._of(name, index)
        if call is None:
            call = _Call({}, index, ours=False)
            self._calls.append(call)
        for key, value in fields.items():
            if key != "function" and call.item.get(key) in _NOTHING:
                call.item[key] = value
        if function:
            _add_function(call, function)

    def _of(self, name: JSONValue, index: JSONValue) -> _Call | None:
        """Return the latest call of this id, else of this index, else of all."""
        calls = self._calls[::-1]
        return next(
            (call for call in calls if name is not None and call.item.get("id") == name),
            next((call for call in calls if call.index == index), next(iter(calls), None)),
        )

    def items(self) -> list[JSONObject]:
        return [self._item(call) for call in self._calls]

    def _item(self, call: _Call) -> JSONObject:
        item = call.item
        if not self._policy.tool_index_in_body:
            item = {key: value for key, value in item.items() if key != "index"}
        if not call.texts:
            return item
        text = "".join(call.texts)
        shown = arguments_value(text, self._policy) if call.ours else text
        return {**item, "function": {**(as_object(item.get("function")) or {}), "arguments": shown}}


def _add_function(call: _Call, added: JSONObject) -> None:
    function = as_object(call.item.get("function")) or {}
    shown = {**function}
    for key, value in added.items():
        before = function.get(key)
        if key == "arguments" and isinstance(value, str) and before in _NOTHING:
            shown[key] = ""
            call.texts.append(value)
        elif key == "arguments" and isinstance(before, dict) and isinstance(value, dict):
            shown[key] = {**before, **value}
        elif before in _NOTHING and (value is not None or key not in function):
            shown[key] = value
    call.item["function"] = shown
