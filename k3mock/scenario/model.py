"""Turns a checked scenario into turns that can be asked for an answer; source layer."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from k3mock.fault.catalogue import breaks
from k3mock.jsonvalue import JSONObject, as_int, as_list, as_object, as_text
from k3mock.matching.condition import Condition, listed
from k3mock.matching.message import one_or_several
from k3mock.matching.pattern import compile_pattern
from k3mock.scenario.reply import compile_answer, read_style
from k3mock.scenario.said import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from k3mock.matching.pattern import Pattern
    from k3mock.protocol.style import Style
    from k3mock.scenario.reply import Answer

LABEL = "scenario:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A pattern and an answer.

    Attributes:
        number: its place in the scenario, from 1.
        label: `scenario:NAME#NUMBER`.
        key: what its uses are counted by: its content, so that a file that is read again keeps the
            counts of the turns that it has kept, wherever they stand now.
        where: `file:line:column`.
        when: its pattern as written; None matches every request.
        times: how often it answers in a session; None is without limit.
        style: the answer's style, laid over the scenario's.
        failing: whether a client that gets it is expected to try again.
    """

    number: int
    label: str
    key: str
    where: str
    when: JSONObject | None
    pattern: Pattern
    answer: Answer
    times: int | None
    style: Style
    failing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scripted conversation; one without turns bends what others answer.

    Attributes:
        where: `file:line:column`.
        profiles: the hosts that it is for; empty is all.
        contract: its own mode, None leaves it to the server.
    """

    name: str
    about: str
    where: str
    priority: int
    contract: str | None
    profiles: tuple[str, ...]
    style: Style
    turns: tuple[Turn, ...] = field(default=())

    @property
    def label(self) -> str:
        return f"{LABEL}{self.name}"

    def meant_for(self, profile: str) -> bool:
        """Say whether it answers for a host."""
        return not self.profiles or profile in self.profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a scenario stands.

    `folder` is its file's (None where no files are read); `where` gives `file:line:column` of a
    place in it.
    """

    name: str
    folder: Path | None
    where: Callable[..., str]


def build_scenario(given: JSONObject, home: Home) -> Scenario:
    """Compile a checked scenario; files beside it are read now."""
    style = read_style(given)
    profiles = one_or_several(given["profile"]) if "profile" in given else ()
    bare = Scenario(
        name=home.name,
        about=as_text(given.get("about")) or "",
        where=home.where(),
        priority=as_int(given.get("priority")) or 0,
        contract=as_text(given.get("contract")),
        profiles=profiles,
        style=style,
    )
    items = [as_object(item) or {} for item in as_list(given.get("turns")) or []]
    keys = _keys(home.name, items)
    turns = (_turn(item, at, bare, home) for at, item in enumerate(items))
    return replace(
        bare, turns=tuple(replace(turn, key=key) for turn, key in zip(turns, keys, strict=True))
    )


def _keys(name: str, items: list[JSONObject]) -> Iterator[str]:
    """Yield what identifies each turn; equal ones are told apart by their order."""
    before: Counter[bytes] = Counter()
    for item in items:
        content = hashlib.blake2b(compact(item).encode("utf-8", "replace"), digest_size=8).digest()
        yield f"{name}#{content.hex()}.{before[content]}"
        before[content] += 1


def _turn(given: JSONObject, at: int, scenario: Scenario, home: Home) -> Turn:
    number = at + 1
    place = f"scenario {home.name!r}, turn {number}, reply"
    answer = compile_answer(given.get("reply"), place, home.folder)
    when = as_object(given.get("when"))
    style = answer.style.over(scenario.style)
    return Turn(
        number=number,
        label=f"{scenario.label}#{number}",
        key="",
        where=home.where("turns", at),
        when=when or None,
        pattern=compile_pattern(when or {}, *_further(scenario.profiles, answer)),
        answer=answer,
        times=as_int(given.get("times")),
        style=style,
        failing=answer.fails or any(breaks(each.name) for each in style.faults),
    )


def _further(profiles: tuple[str, ...], answer: Answer) -> Iterator[Condition]:
    """Yield what a turn asks of a request beside its own pattern."""
    if profiles:
        yield Condition(
            key="profile", cost=1, wanted=" or ".join(profiles),
            holds=lambda view: view.asked.profile in profiles,
            found=lambda view: view.asked.profile,
        )  # fmt: skip
    called = frozenset(answer.calls)
    if called:
        yield Condition(
            key="tools", cost=6, wanted=f"an offer of {listed(called)}, which the reply calls",
            holds=lambda view: called <= view.tools, found=lambda view: listed(view.tools),
        )  # fmt: skip
