"""Turns a request's words and its tools into calls with arguments; source layer."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from k3mock.generator.fitting import ENOUGH, Fitting
from k3mock.generator.keyed import mentioned_kinds
from k3mock.generator.mentions import Hints
from k3mock.generator.objects import compact
from k3mock.generator.reading import keywords
from k3mock.generator.schema import instance
from k3mock.generator.steps import parts_of, steps_of
from k3mock.jsonvalue import as_object
from k3mock.protocol.request import ChoiceMode
from k3mock.seed import Chance

if TYPE_CHECKING:
    from k3mock.generator.reading import Reading
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.request import ChatRequest, Tool

_MOST_TOOLS = 256
_MOST_CALLS = 6
_MOST_MADE = 40
_MOST_STEP_CHARS = 600
_FINAL_NAME = re.compile(r"final[_-]?(?:answer|response|result|output)", re.IGNORECASE)
_FINAL_WORDS = re.compile(r"\bfinal (?:answer|response)\b", re.IGNORECASE)
_REPEATABLE = ("place", "path", "url", "email")
"""Kinds of which a message may mention several, each for a call of its own."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class _Want:
    """A tool that a part of the message asks for, and the values to call it with."""

    tool: Tool
    hints: Hints
    borrowed: bool = False
    """Whether the values come from results, so that one call or more may have answered it."""


class Caller:
    """Decides which tools are called, and with what.

    `repeated` are the calls that the message asks for, but that the conversation has seen already.
    """

    def __init__(
        self, request: ChatRequest, reading: Reading, hints: Hints, chance: Chance
    ) -> None:
        self._request = request
        self._reading = reading
        self._hints = hints
        self._chance = chance
        self._tools = request.offered_tools[:_MOST_TOOLS]
        self._drawn: dict[str, int] = {}
        self.repeated: tuple[Call, ...] = ()

    def calls(self) -> tuple[Call, ...]:
        """Return the calls to make; none when the request does not want any."""
        choice = self._request.tool_choice
        if not self._tools or choice.mode is ChoiceMode.NONE:
            return ()
        if choice.mode is ChoiceMode.NAMED:
            named = [tool for tool in self._request.offered_tools if tool.name == choice.name]
            return (self._fresh(named[0]),) if named else ()
        due = self._due() or self._final()
        if due or choice.mode is ChoiceMode.AUTO:
            return due
        self.repeated = ()
        return (self._unlike(),)

    def _due(self) -> tuple[Call, ...]:
        """Return the calls of the first step that is not done yet.

        After a result, the steps that are left are those whose tools were not called since the
        user's message; a request with one step is done then.
        """
        last = self._request.last
        role = last.role if last is not None else ""
        if role not in {"user", "tool"} or len(self._reading.made) > _MOST_MADE:
            return ()
        steps = self._steps()
        if role == "tool" and (len(steps) < 2 or not self._reading.made):
            return ()
        made = Counter(self._reading.made)
        for step in steps:
            left: list[_Want] = []
            for want in step:
                if made[want.tool.name] > 0:
                    made[want.tool.name] = 0 if want.borrowed else made[want.tool.name] - 1
                else:
                    left.append(want)
            calls = dict.fromkeys(self._call(want.tool, want.hints) for want in left)
            self._drawn.clear()
            new = tuple(call for call in calls if not self._was_made(call))
            if new:
                return new[:_MOST_CALLS]
            self.repeated += tuple(calls)
        return ()

    def _final(self) -> tuple[Call, ...]:
        """Return a call of the tool that takes the final answer, where nothing else is left to do.

        Agent frameworks offer such a tool for typed results, and a model uses it of its own accord.
        """
        last = self._request.last
        if (
            last is None
            or last.role not in {"user", "tool"}
            or len(self._reading.made) > _MOST_MADE
        ):
            return ()
        tool = next(filter(_takes_the_answer, self._tools), None)
        if tool is None or tool.name in self._reading.made:
            return ()
        return (self._fresh(tool),)

    def _steps(self) -> list[list[_Want]]:
        """Return what the message asks for, step by step."""
        steps: list[list[_Want]] = []
        texts = steps_of(self._reading.text)
        for text in texts if len(texts) > 1 else ():
            known = {want.tool.name for step in steps for want in step}
            own = self._told(text, ())
            fresh = [
                want for want in self._wants(text, own, follows=bool(steps))
                if want.tool.name not in known or self._is_told(want.tool, own)
            ]  # fmt: skip
            if fresh:
                steps.append(self._borrowing(text, fresh) if steps else fresh)
        return steps or [self._wants(self._reading.text, self._hints)]

    def _borrowing(self, text: str, step: list[_Want]) -> list[_Want]:
        """Return a step with values from the results, where its own words mention none."""
        if not self._reading.results:
            return step
        wants: list[_Want] = []
        for want in step:
            if self._is_told(want.tool, want.hints):
                wants.append(want)
            else:
                found = self._several(want.tool, self._told(text))
                wants += [replace(each, borrowed=True) for each in found]
        return wants

    def _told(self, text: str, results: tuple[str, ...] | None = None) -> Hints:
        """Return the values that a part of the message mentions, then those of the results."""
        reading, hints = self._reading, self._hints
        if results is None:
            results = tuple(result.text for result in reading.results)
        words = keywords(text, reading.heard) or reading.keywords
        return Hints(
            "\n".join((text, *results)), hints.language, hints.names, words, heard=hints.heard
        )

    def _wants(self, text: str, hints: Hints, *, follows: bool = False) -> list[_Want]:
        """Return what one step asks for: one tool or several, each once or several times."""
        parts = parts_of(text) if len(text) < _MOST_STEP_CHARS else []
        chosen: dict[str, list[_Want]] = {}
        if len(parts) > 1:
            for part in parts:
                own = self._told(part, ())
                tool = self._best(part, own)
                if tool is not None:
                    given = own if self._is_told(tool, own) else hints
                    chosen.setdefault(tool.name, []).extend(self._several(tool, given))
        if len(chosen) > 1:
            return [want for wants in chosen.values() for want in wants]
        tool = self._best(text, hints, more=0.5 if follows else 0.0)
        return self._several(tool, hints) if tool is not None else []

    def _best(self, text: str, hints: Hints, *, more: float = 0.0) -> Tool | None:
        """Return the tool that fits best, the first offered of equals; None if none fits."""
        fitting = Fitting(text, self._reading.heard, hints)
        score, tool = max(
            ((fitting.score(tool), tool) for tool in self._tools), key=lambda pair: pair[0]
        )
        return tool if score >= ENOUGH + more else None

    def _is_told(self, tool: Tool, hints: Hints) -> bool:
        """Tell whether a text mentions a value for any parameter of a tool."""
        return any(
            hints.all(mention)
            for key in (as_object(tool.parameters.get("properties")) or {})
            for mention in mentioned_kinds(key)
        )

    def _several(self, tool: Tool, hints: Hints) -> list[_Want]:
        """Return one want, or one for each value if the tool takes one and the text has more."""
        properties = as_object(tool.parameters.get("properties")) or {}
        kinds = [
            mentioned_kinds(key)[:1] for key, inner in properties.items()
            if (as_object(inner) or {}).get("type") == "string"
        ]  # fmt: skip
        for kind in _REPEATABLE if len(kinds) < 3 else _REPEATABLE[:1]:
            values = hints.all(kind)[:_MOST_CALLS]
            if kinds.count((kind,)) == 1 and len(values) > 1:
                return [_Want(tool, _preferring(hints, kind, value)) for value in values]
        quoted = hints.all("quoted")[:_MOST_CALLS]
        if len(properties) == 1 and kinds in ([("quoted",)], [()]) and len(quoted) > 1:
            return [_Want(tool, _preferring(hints, "quoted", value)) for value in quoted]
        return [_Want(tool, hints)]

    def _fresh(self, tool: Tool) -> Call:
        """Return a call of a tool, with arguments that it was not called with yet if possible."""
        call = self._call(tool, self._hints)
        for _ in range(4):
            if not self._was_made(call):
                break
            self._drawn.clear()
            call = self._call(tool, self._hints.unmentioned())
        return call

    def _unlike(self) -> Call:
        """Return a call that was not made before if there is one: another tool, or arguments."""
        fitting = Fitting(self._reading.text, self._reading.heard, self._hints)
        ranked = sorted(self._tools, key=lambda tool: -fitting.score(tool))
        called = {name for name, _ in self._reading.called}
        others = [tool for tool in ranked if tool.name not in called]
        return self._fresh(others[0] if others else ranked[0])

    def _was_made(self, call: Call) -> bool:
        return any(
            name == call.name and same_arguments(arguments, call.arguments)
            for name, arguments in self._reading.called
        )

    def _call(self, tool: Tool, hints: Hints) -> Call:
        """Return a call; those of one tool in one step differ only in what is mentioned."""
        drawn = self._drawn.setdefault(tool.name, self._chance.getrandbits(64))
        return Call(tool.name, arguments(tool.parameters, Chance(drawn), hints))


def _takes_the_answer(tool: Tool) -> bool:
    return bool(_FINAL_NAME.fullmatch(tool.name) or _FINAL_WORDS.search(tool.description))


def _preferring(hints: Hints, kind: str, value: str) -> Hints:
    """Return hints that have one value of a kind, and everything of other kinds."""
    copied = hints.copy()
    copied.prefer(kind, value)
    return copied


def arguments(parameters: JSONObject, chance: Chance, hints: Hints) -> str:
    """Return arguments for a tool as compact JSON: always an object."""
    schema = parameters if "type" in parameters else {"type": "object", **parameters}
    value = as_object(instance(schema, chance, hints, sparing=True))
    return compact(value if value is not None else {})


def same_arguments(text: str, other: str) -> bool:
    """Tell whether two texts are the same JSON, or else the same text."""
    try:
        return bool(orjson.loads(text) == orjson.loads(other))
    except orjson.JSONDecodeError:
        return text == other
