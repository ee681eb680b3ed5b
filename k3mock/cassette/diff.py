"""Turns two recordings of one session into pairs of exchanges with what changed; source layer."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from k3mock.cassette.answer import json_of
from k3mock.cassette.compare import changes
from k3mock.cassette.grade import Change, Grade
from k3mock.cassette.key import keys
from k3mock.cassette.show import path_of, printable
from k3mock.jsonvalue import JSONObject, as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from k3mock.cassette.interaction import Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An exchange of one recording and its counterpart; None where it has none."""

    label: str
    before: int | None
    after: int | None
    changes: tuple[Change, ...] = field(default=())

    @property
    def worst(self) -> Grade | None:
        return max((change.grade for change in self.changes), default=None)

    def as_json(self) -> JSONObject:
        return {
            "request": self.label,
            "before": self.before,
            "after": self.after,
            "changes": [change.as_json() for change in self.changes],
        }

    def __str__(self) -> str:
        numbers = " ↔ ".join("–" if each is None else f"#{each}"
                             for each in (self.before, self.after))  # fmt: skip
        lines = [f"{numbers}  {self.label}", *(f"  {change}" for change in self.changes)]
        return printable("\n".join(lines))


def compared(before: Sequence[Interaction], after: Sequence[Interaction]) -> list[Pair]:
    """Pair two recordings and compare each pair.

    Exchanges belong together when their requests are the same, else the same but for volatile
    fields, else of one form: in a conversation recorded anew every request but the first holds
    other words of the model. Within one of these steps the order decides.
    """
    left, right = [*before], [*after]
    pairs: list[Pair] = []
    for key in (_exact, _relaxed, _outline):
        found = _matched(left, right, key)
        pairs += [
            Pair(label=label(one), before=one.number, after=other.number,
                 changes=tuple(changes(one, other)))
            for one, other in found
        ]  # fmt: skip
        taken = {id(each) for pair in found for each in pair}
        left = [each for each in left if id(each) not in taken]
        right = [each for each in right if id(each) not in taken]
    gone = Change(grade=Grade.REMOVED, place="interaction", before="recorded")
    new = Change(grade=Grade.ADDED, place="interaction", after="recorded")
    pairs += [Pair(label=label(each), before=each.number, after=None, changes=(gone,))
              for each in left]  # fmt: skip
    pairs.sort(key=lambda pair: pair.before or 0)
    return pairs + [
        Pair(label=label(each), before=None, after=each.number, changes=(new,)) for each in right
    ]


def label(interaction: Interaction) -> str:
    """Return method and path of a request."""
    return f"{interaction.request.method} {path_of(interaction)}"


def _matched(
    left: Iterable[Interaction],
    right: Iterable[Interaction],
    key: Callable[[Interaction], Hashable],
) -> list[tuple[Interaction, Interaction]]:
    waiting: dict[Hashable, deque[Interaction]] = defaultdict(deque)
    for each in right:
        waiting[key(each)].append(each)
    found: list[tuple[Interaction, Interaction]] = []
    for each in left:
        others = waiting.get(key(each))
        if others:
            found.append((each, others.popleft()))
    return found


def _exact(interaction: Interaction) -> Hashable:
    request = interaction.request
    return keys(request.method, request.uri, request.body).exact


def _relaxed(interaction: Interaction) -> Hashable:
    request = interaction.request
    return keys(request.method, request.uri, request.body).relaxed


def _outline(interaction: Interaction) -> Hashable:
    """Return what stays of a request when all words in it are others."""
    body = as_object(json_of(interaction.request.body)) or {}
    messages = [as_object(each) or {} for each in as_list(body.get("messages")) or []]
    return (
        label(interaction),
        body.get("stream") is True,
        tuple(as_text(message.get("role")) for message in messages),
    )
