"""Turns the words of a message into scores of how well tools fit it; source layer."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from k3mock.generator.keyed import kind_of
from k3mock.generator.languages import ENGLISH
from k3mock.generator.phrases import vocabulary
from k3mock.jsonvalue import as_list, as_object

if TYPE_CHECKING:
    from k3mock.generator.language import Language
    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.request import Tool

ENOUGH = 2.0
"""How well a tool must fit before it is called of the model's own accord."""

_MOST_WORDS = 400
_MOST_PROPERTIES = 20
_MOST_CHOICES = 40
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WORD = re.compile(r"[^\W\d_]{2,40}")
_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2,}")
_GENERIC = vocabulary(
    "get set fetch tool function api call make do use user data info information value current "
    "given name text input output query result results return returns string id and for the from "
    "with specific provided your you this that can one all any "
    "查询 获取 工具 一个 根据 指定 返回 用户 信息 当前 进行 可以 查詢 取得 回傳 使用 する です "
    "ます して から"
)
_VERBS = vocabulary(
    "list read write run execute send book open create delete remove update show add edit find save"
)
"""Verbs that say little of themselves: what a tool acts on decides."""

_ACTIONS = _VERBS | vocabulary(
    "search check translate calculate compute build compare summarize schedule"
)
_DECISIVE = vocabulary("run execute send book open delete remove schedule")
"""Verbs that are enough where a message begins with them."""

_ARITHMETIC = ("calculate", "calculator", "expression", "math", "evaluate", "arithmetic")
_EVIDENCE = {
    "path": 1.5,
    "directory": 1.5,
    "url": 1.5,
    "email": 1.0,
    "place": 0.5,
    "expression": 0.5,
}
"""What it adds that a message mentions a value for a parameter, by kind."""

_VALUES = ("path", "url", "email", "quoted")
"""Kinds of values whose words say nothing about what is to be done with them."""

_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "e", "y")


def stem(word: str) -> str:
    """Return an English word without its ending, roughly."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_GENERIC_STEMS = frozenset(map(stem, _GENERIC))
_VERB_STEMS = frozenset(map(stem, _VERBS))


class Fitting:
    """The words of a message or a part of it, against which tools are scored."""

    def __init__(self, text: str, heard: Language, hints: Hints) -> None:
        self._folded = text.casefold()
        self._hints = hints
        for kind in _VALUES:
            for value in hints.all(kind):
                text = text.replace(value, " ")
        tokens = dict.fromkeys(_WORD.findall(text.casefold()[:6_000])[:_MOST_WORDS])
        stems = {
            stem(part)
            for word in tokens
            if word in _ACTIONS or (word not in ENGLISH.stop and word not in heard.stop)
            for part in _PARTS.findall(word)
        }
        for language in {heard.code: heard, ENGLISH.code: ENGLISH}.values():
            for word, meaning in language.glosses.items():
                known = word in tokens if language.breaks is None else word in self._folded
                if known:
                    stems.add(stem(meaning))
        if hints.all("expression"):
            stems |= set(map(stem, _ARITHMETIC))
        self._stems = stems - _GENERIC_STEMS
        first = next(iter(tokens), "")
        self._decisive = {stem(first)} if first in _DECISIVE else set()
        self._pairs = _pairs(text)

    def score(self, tool: Tool) -> float:
        """Return how well a tool fits: name, description, parameter names, choices, values."""
        name = self._common(tool.name[:80])
        score = 3.0 * len(name - _VERB_STEMS) + 1.0 * len(name & _VERB_STEMS)
        score += 1.0 * len(name & self._decisive)
        described = self._common(tool.description[:600])
        score += 1.0 * len(described - name - _VERB_STEMS)
        score += 2.0 * len(_pairs(f"{tool.name[:80]} {tool.description[:600]}") & self._pairs)
        properties = as_object(tool.parameters.get("properties")) or {}
        best = 0.0
        for key, inner in islice(properties.items(), _MOST_PROPERTIES):
            score += 0.7 * len(self._common(key[:80]) - name)
            score += self._chosen(as_list((as_object(inner) or {}).get("enum")) or [])
            kind = kind_of(key)
            if self._hints.all("path" if kind == "directory" else kind):
                best = max(best, _EVIDENCE.get(kind, 0.0))
        return score + best

    def _chosen(self, choices: list[JSONValue]) -> float:
        mentioned = (
            isinstance(choice, str) and len(choice) > 2 and choice.casefold() in self._folded
            for choice in choices[:_MOST_CHOICES]
        )  # fmt: skip
        return float(sum(mentioned))

    def _common(self, text: str) -> set[str]:
        return {stem(part) for part in _PARTS.findall(text)} & self._stems


def _pairs(text: str) -> set[str]:
    """Return the pairs of neighbouring letters of a script without spaces."""
    return {
        run[at : at + 2]
        for run in _HAN.findall(text)
        for at in range(len(run) - 1)
        if run[at : at + 2] not in _GENERIC and not "\u3040" <= run[at] <= "\u309f"
    }
