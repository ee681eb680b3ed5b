"""Turns a request's words and its tools into calls with arguments; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import orjson

from k3mock.generator.keyed import kind_of
from k3mock.generator.objects import compact
from k3mock.generator.phrases import vocabulary
from k3mock.generator.reading import LANGUAGES, keywords
from k3mock.generator.schema import instance
from k3mock.jsonvalue import as_list, as_object
from k3mock.protocol.request import ChoiceMode

if TYPE_CHECKING:
    from k3mock.generator.mentions import Hints
    from k3mock.generator.reading import Reading
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.request import ChatRequest, Tool
    from k3mock.seed import Chance

_MOST_TOOLS = 256
_MOST_CALLS = 4
_ENOUGH = 2.0
"""How well a tool must fit before it is called of the model's own accord."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,}")
_GENERIC = vocabulary(
    "get set fetch tool function api call make do run use user data info information value "
    "current list given name text input output query result results return returns string id "
    "and for the from with specific provided "
    "查询 获取 工具 一个 根据 指定 返回 用户 信息 当前 进行 可以"
)
_ARITHMETIC = ("calculate", "calculator", "expression", "math", "evaluate", "arithmetic")
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make."""

    name: str
    arguments: str


class Caller:
    """Decides which tools are called, and with what."""

    def __init__(
        self, request: ChatRequest, reading: Reading, hints: Hints, chance: Chance
    ) -> None:
        self._request = request
        self._reading = reading
        self._hints = hints
        self._chance = chance
        self._tools = request.offered_tools[:_MOST_TOOLS]

    def calls(self) -> tuple[Call, ...]:
        """Return the calls to make; none when the request does not want any."""
        choice = self._request.tool_choice
        if not self._tools or choice.mode is ChoiceMode.NONE:
            return ()
        if choice.mode is ChoiceMode.NAMED:
            named = [tool for tool in self._request.offered_tools if tool.name == choice.name]
            return (self._fresh(named[0]),) if named else ()
        last = self._request.last
        asks = last is not None and last.role == "user"
        if choice.mode is ChoiceMode.REQUIRED:
            ranked = self._ranked()
            if asks:
                return self._several(ranked[0][1])
            return (self._unlike(ranked),)
        if not asks:
            return ()
        score, tool = self._ranked()[0]
        return self._several(tool) if score >= _ENOUGH else ()

    def _ranked(self) -> list[tuple[float, Tool]]:
        """Return the tools, best first; of equally good ones the first offered."""
        words = _Words(self._reading, arithmetic=bool(self._hints.all("expression")))
        scored = [(words.score(tool), tool) for tool in self._tools]
        return sorted(scored, key=lambda pair: -pair[0])

    def _fresh(self, tool: Tool) -> Call:
        """Return a call of a tool, with arguments that it was not called with yet if possible."""
        call = self._call(tool, self._hints)
        for _ in range(4):
            if not self._was_made(call):
                break
            call = self._call(tool, self._hints.unmentioned())
        return call

    def _unlike(self, ranked: list[tuple[float, Tool]]) -> Call:
        """Return a call that was not made before if there is one: another tool, or arguments."""
        called = {name for name, _ in self._reading.called}
        others = [tool for _, tool in ranked if tool.name not in called]
        return self._fresh(others[0] if others else ranked[0][1])

    def _was_made(self, call: Call) -> bool:
        return any(
            name == call.name and _same(arguments, call.arguments)
            for name, arguments in self._reading.called
        )

    def _several(self, tool: Tool) -> tuple[Call, ...]:
        """Return one call, or one for each place if the tool wants one and the text has more."""
        properties = as_object(tool.parameters.get("properties")) or {}
        single = [
            key for key, inner in properties.items()
            if kind_of(key) == "place" and (as_object(inner) or {}).get("type") == "string"
        ]  # fmt: skip
        places = self._hints.all("place")[:_MOST_CALLS]
        if len(single) != 1 or len(places) < 2:
            return (self._fresh(tool),)
        calls: dict[Call, None] = {}
        for place in places:
            hints = self._hints.copy()
            hints.prefer("place", place)
            calls[self._call(tool, hints)] = None
        return tuple(calls)

    def _call(self, tool: Tool, hints: Hints) -> Call:
        return Call(tool.name, arguments(tool.parameters, self._chance, hints))


def arguments(parameters: JSONObject, chance: Chance, hints: Hints) -> str:
    """Return arguments for a tool as compact JSON: always an object."""
    schema = parameters if "type" in parameters else {"type": "object", **parameters}
    value = as_object(instance(schema, chance, hints))
    return compact(value if value is not None else {})


def _same(text: str, other: str) -> bool:
    try:
        return bool(orjson.loads(text) == orjson.loads(other))
    except orjson.JSONDecodeError:
        return text == other


class _Words:
    """The words of a message, against which tools are scored."""

    def __init__(self, reading: Reading, *, arithmetic: bool) -> None:
        text = reading.text
        self._folded = text.casefold()
        found = {word for language in LANGUAGES for word in keywords(text, language, 60)}
        stems = {_stem(part) for word in found for part in _PARTS.findall(word)}
        glossed = {
            _stem(meaning)
            for language in LANGUAGES
            for word, meaning in language.glosses.items()
            if (word in self._folded if ord(word[0]) > 127 else _stem(word) in stems)
        }
        if arithmetic:
            glossed |= {_stem(word) for word in _ARITHMETIC}
        self._stems = (stems | glossed) - _GENERIC_STEMS
        self._pairs = _pairs(text)

    def score(self, tool: Tool) -> float:
        """Return how well a tool fits: name, description, parameter names and choices."""
        name = self._common(tool.name[:80])
        score = 3.0 * len(name)
        score += 1.0 * len(self._common(tool.description[:600]) - name)
        score += 2.0 * len(_pairs(f"{tool.name[:80]} {tool.description[:600]}") & self._pairs)
        properties = as_object(tool.parameters.get("properties")) or {}
        for key, inner in islice(properties.items(), 20):
            score += 0.7 * len(self._common(key[:80]))
            for choice in (as_list((as_object(inner) or {}).get("enum")) or [])[:40]:
                if (
                    isinstance(choice, str)
                    and len(choice) > 2
                    and choice.casefold() in self._folded
                ):
                    score += 1.0
        return score

    def _common(self, text: str) -> set[str]:
        return {_stem(part) for part in _PARTS.findall(text)} & self._stems


def _stem(word: str) -> str:
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_GENERIC_STEMS = frozenset(_stem(word) for word in _GENERIC)


def _pairs(text: str) -> set[str]:
    """Return the pairs of neighbouring Han letters of a text."""
    return {
        run[at : at + 2]
        for run in _HAN.findall(text)
        for at in range(len(run) - 1)
        if run[at : at + 2] not in _GENERIC
    }
